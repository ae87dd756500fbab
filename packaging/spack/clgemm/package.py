"""Spack: `spack repo add` a repository with this file as packages/clgemm/package.py, then `spack install clgemm`.

Sources are those of a checkout: `spack dev-build clgemm@main` in it, or `spack develop --path . clgemm@main`.
"""

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Clgemm(CMakePackage):
    """Single-precision matrix multiply for any OpenCL device."""

    license("MIT")

    version("main", branch="main")

    variant("shared", default=True, description="Build a shared library")
    variant("tools", default=True, description="Build clgemm-bench and clgemm-tune")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("opencl@1.2:")
    depends_on("opencl-clhpp", type="build")
    depends_on("fmt@9:", type="build")
    depends_on("nlohmann-json@3.9:", type="build")
    depends_on("xxhash@0.8:", type="build")
    depends_on("cli11@2:", type="build", when="+tools")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("CLGEMM_BUILD_TOOLS", "tools"),
            self.define("CLGEMM_BUILD_TESTS", False),
            self.define("CLGEMM_BUILD_PYTHON", False),
            self.define("CLGEMM_BUILD_CLBLAST", False),
            self.define("CLGEMM_PRECOMPILED", False),
            self.define("CLGEMM_WARNINGS_AS_ERRORS", False),
        ]
