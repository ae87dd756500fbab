"""Tests the recipes of vcpkg and Spack as far as possible without either. Checks that they are well-formed and fit the project.
Runs their commands with stand-ins for the two (vcpkg_port.cmake, and the classes below).

    recipes.py SOURCE VERSION FOLDER CMAKE ARCHIVE TOOLS
"""

import json
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

SOURCE, VERSION, FOLDER, CMAKE, ARCHIVE, TOOLS = sys.argv[1:]
PORT = Path(SOURCE) / "packaging" / "vcpkg" / "clgemm"
RECIPE = Path(SOURCE) / "packaging" / "spack" / "clgemm" / "package.py"

# The packages that the build searches for, and their names in vcpkg and Spack. The last two are for the
# programs.
NEEDED = {
    "find_package(OpenCL": ("opencl", "opencl"),
    "find_package(fmt": ("fmt", "fmt"),
    "find_package(nlohmann_json": ("nlohmann-json", "nlohmann-json"),
    "xxhash.h": ("xxhash", "xxhash"),
    "CLI11": ("cli11", "cli11"),
}


def check_what_the_build_needs():
    """Checks that the table above fits this project."""
    texts = "".join(path.read_text() for path in Path(SOURCE).rglob("CMakeLists.txt")
                    if path.relative_to(SOURCE).parts[0] != "build")
    texts += "".join(path.read_text() for room in ("src", "tools") for path in (Path(SOURCE) / room).rglob("*.cpp"))
    for word in NEEDED:
        assert word in texts, f"the build no longer has {word}"


def check_manifest():
    """Checks the manifest by vcpkg's schema."""
    manifest = json.loads((PORT / "vcpkg.json").read_text())
    allowed = {"name", "version", "description", "license", "supports", "dependencies", "features"}
    assert set(manifest) <= allowed, set(manifest) - allowed
    assert manifest["name"] == PORT.name and manifest["version"] == VERSION
    features = manifest["features"]
    assert all(set(feature) <= {"description", "dependencies", "supports"} and feature["description"] for feature in features.values())
    names = []
    for dependency in manifest["dependencies"] + [one for feature in features.values() for one in feature["dependencies"]]:
        assert isinstance(dependency, str) or (set(dependency) == {"name", "host"} and dependency["host"] is True)
        names.append(dependency if isinstance(dependency, str) else dependency["name"])
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in [*names, *features]), names
    assert sorted(names) == sorted(["vcpkg-cmake", "vcpkg-cmake-config", *(ports for ports, _ in NEEDED.values())])
    return features


def run_port(features):
    command = [CMAKE, "-D", f"SOURCE={SOURCE}", "-D", f"ARCHIVE={ARCHIVE}", "-D", f"TOOLS={TOOLS}"]
    for feature in ["", *features]:
        of_feature = ["-D", f"FEATURES={feature}", "-D", f"FOLDER={FOLDER}/vcpkg{feature}"]
        subprocess.run([*command, *of_feature, "-P", Path(__file__).with_name("vcpkg_port.cmake")], check=True)


class Recorder(dict):
    """Returns the arguments of a Spack recipe's directives, by directive."""

    def directive(self, name):
        return lambda *words, **how: self.setdefault(name, []).append((words, how))


def load_recipe():
    said = Recorder()
    package = types.ModuleType("spack.package")
    for name in ("license", "version", "variant", "depends_on"):
        setattr(package, name, said.directive(name))

    class CMakePackage:
        def __init__(self, **variants):
            self.variants = variants

        def define(self, name, value):
            return f"-D{name}={'ON' if value else 'OFF'}"

        def define_from_variant(self, name, variant):
            return self.define(name, self.variants[variant])

    cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    cmake.CMakePackage = CMakePackage
    sys.modules.update({"spack": types.ModuleType("spack"), package.__name__: package, cmake.__name__: cmake})
    for name in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        sys.modules[name] = types.ModuleType(name)
    names = {}
    exec(compile(RECIPE.read_text(), str(RECIPE), "exec"), names)
    return names["Clgemm"], said


def run_recipe():
    recipe, said = load_recipe()
    variants = {words[0]: how["default"] for words, how in said["variant"]}
    needed = {words[0].partition("@")[0] for words, _ in said["depends_on"]}
    assert needed == {"c", "cxx", "cmake", "opencl-clhpp", *(packages for _, packages in NEEDED.values())}, needed
    least = re.search(r"cmake_minimum_required\(VERSION ([0-9.]+)\)", (Path(SOURCE) / "CMakeLists.txt").read_text()).group(1)
    assert (f"cmake@{least}:",) in [words for words, _ in said["depends_on"]]
    for words, how in said["depends_on"]:
        assert "when" not in how or how["when"].strip("+~") in variants, words
    for changed in ({}, {variant: not default for variant, default in variants.items()}):
        arguments = recipe(**{**variants, **changed}).cmake_args()
        tree = f"{FOLDER}/spack{len(changed)}"
        finished = subprocess.run([CMAKE, "-S", SOURCE, "-B", tree, *arguments], capture_output=True, text=True, check=True)
        assert "Manually-specified variables were not used" not in finished.stderr, finished.stderr


check_what_the_build_needs()
shutil.rmtree(FOLDER, ignore_errors=True)
run_port(check_manifest())
run_recipe()
print("the recipes of vcpkg and Spack fit")
