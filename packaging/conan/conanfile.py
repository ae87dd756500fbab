"""Conan 2: the library (and with `tools`, the programs) of the tree that has this file.

    conan create packaging/conan --build=missing
    conan create packaging/conan -o "clgemm/*:shared=True" -pr:a packaging/conan/system     # with the system's libraries
"""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.1"


class Clgemm(ConanFile):
    name = "clgemm"
    description = "Single-precision matrix multiply for any OpenCL device"
    license = "MIT"
    topics = ("opencl", "gpu", "blas", "gemm", "matrix")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "tools": [True, False]}
    default_options = {"shared": True, "fPIC": True, "tools": False}
    implements = ["auto_shared_fpic"]

    def _source(self):
        return Path(self.recipe_folder).parents[1]

    def set_version(self):
        text = load(self, str(self._source() / "CMakeLists.txt"))
        self.version = re.search(r"project\(clgemm VERSION ([0-9.]+)", text).group(1)

    def export_sources(self):
        for part in ("CMakeLists.txt", "LICENSE", "src/*", "include/*", "kernels/*", "tools/*", "packaging/*"):
            copy(self, part, str(self._source()), self.export_sources_folder, excludes=("*/__pycache__*", "*/results/*"))

    def requirements(self):
        self.requires("opencl-headers/[>=2023]", transitive_headers=True)
        self.requires("opencl-icd-loader/[>=2023]", transitive_headers=True)
        self.requires("opencl-clhpp-headers/[>=2023]", visible=False)
        self.requires("fmt/[>=9]", visible=False)
        self.requires("nlohmann_json/[>=3.9]", visible=False)
        self.requires("xxhash/[>=0.8]", visible=False)
        if self.options.tools:
            self.requires("cli11/[>=2]", visible=False)

    def validate(self):
        if self.settings.compiler.get_safe("cppstd"):
            check_min_cppstd(self, 17)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["CLGEMM_BUILD_TOOLS"] = bool(self.options.tools)
        for off in ("CLGEMM_BUILD_TESTS", "CLGEMM_BUILD_PYTHON", "CLGEMM_BUILD_CLBLAST", "CLGEMM_PRECOMPILED", "CLGEMM_WARNINGS_AS_ERRORS"):
            toolchain.cache_variables[off] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, str(Path(self.package_folder) / "licenses"))
        CMake(self).install()
        for folder in ("lib/cmake", "lib/pkgconfig", "share/doc"):
            rmdir(self, str(Path(self.package_folder) / folder))

    def package_info(self):
        self.cpp_info.libs = ["clgemm"]
        self.cpp_info.set_property("cmake_file_name", "clgemm")
        self.cpp_info.set_property("cmake_target_name", "clgemm::clgemm")
        self.cpp_info.set_property("pkg_config_name", "clgemm")
        if not self.options.shared:
            self.cpp_info.defines = ["CLGEMM_STATIC"]
            self.cpp_info.system_libs = ["pthread"] if self.settings.os == "Linux" else []
