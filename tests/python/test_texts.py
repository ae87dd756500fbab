"""Each Python program in the texts runs. The tutorial's figures and pictures match their sources. The type hints agree
with the module."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import clgemm

SOURCE = Path(__file__).parents[2]


def programs():
    text = (SOURCE / "docs" / "python.md").read_text() + (SOURCE / "README.md").read_text()
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_text_has_programs():
    assert len(programs()) >= 6


@pytest.mark.parametrize("number", range(len(programs())))
def test_a_program_of_the_text_runs(number, tmp_path, monkeypatch):
    from clgemm._bench import program

    monkeypatch.chdir(tmp_path)
    text = programs()[number]
    for needed in ("pyopencl", "pandas"):
        if f"import {needed}\n" in text:
            pytest.importorskip(needed)
    subprocess.run([program("clgemm-bench"), "--new-kernel", "mine.cl"], check=True)
    names = {}
    exec(compile(text, f"program {number} of docs/python.md and README.md", "exec"), names)
    if "result" in names:
        assert (names["result"] == 64.0).all()


def test_the_figures_of_the_ladder_are_those_of_the_results():
    results = (SOURCE / "docs" / "results.md").read_text()
    text = (SOURCE / "docs" / "ladder.md").read_text()
    steps = re.findall(r"^## (\w+): (?:([0-9.]+) GFLOPS|not measured on a GPU)$", text, re.MULTILINE)
    assert len(steps) == 12
    rows = {"vector": "`float4`", "fp16x3_wgmma": "4096"}  # their names in the results
    for kernel, figure in steps:
        if figure:
            assert f"| {rows.get(kernel, f'`{kernel}`')} | {figure} |" in results


def test_the_pictures_of_the_ladder_are_those_of_their_program(tmp_path):
    subprocess.run([SOURCE / "tools" / "doxygen" / "ladder_pictures", tmp_path], check=True)
    drawn = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert drawn == {file.name: file.read_text() for file in (SOURCE / "docs" / "ladder").iterdir()}


def test_the_package_has_the_version_of_the_library():
    version = re.search(r"project\(clgemm VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
    assert clgemm.__version__ == version


def check_types(tmp_path, program):
    """Returns the output of `mypy --strict` for a user's program."""
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "program.py"]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)


RIGHT_PROGRAM = """
import copy

import numpy
from numpy.typing import NDArray

import clgemm

Floats = NDArray[numpy.float32]
a: Floats = numpy.ones((4, 4), numpy.float32)
c: Floats = clgemm.sgemm(a, a)
d: Floats = clgemm.sgemm(a, a, out=c, beta=1.0, options=clgemm.Options(precision="fp32"))
e: Floats = clgemm.Context(0).sgemm(a, a, c)
f: Floats = clgemm.DeviceSet("all").sgemm(a, clgemm.asarray(a))
same: clgemm.Options = copy.copy(clgemm.Options(kernel="tiled", parameters={"TS": 16}))
text: str = clgemm.explain(4, 4, 4, order="F", one_for_all="ab")
matrix = clgemm.DeviceMatrix(0, (4, 4), order="F")
event = clgemm.enqueue_sgemm(0, matrix, matrix, matrix)
"""

# A line of a program, and the error in it.
WRONG_LINES = {
    "clgemm.sgemm(numpy.ones((4, 4)), numpy.ones((4, 4)))": "Argument 1",
    "clgemm.DeviceSet('all').sgemm(a, numpy.ones((4, 4)))": "Argument 2",
    "clgemm.sgemm(a, a).no_such_attribute": "attr-defined",
    "clgemm.Options(precision='fp16')": "Literal['fp32_equivalent', 'fp32']",
    "clgemm.explain(4, 4, 4, order='R')": "Literal['C', 'F']",
}


def test_a_right_program_passes_mypy(tmp_path):
    finished = check_types(tmp_path, RIGHT_PROGRAM)
    assert finished.returncode == 0, finished.stdout + finished.stderr


def test_wrong_lines_do_not_pass_mypy(tmp_path):
    program = "import numpy\nimport clgemm\na = numpy.ones((4, 4), numpy.float32)\n"
    finished = check_types(tmp_path, program + "\n".join(WRONG_LINES))
    for number, what in enumerate(WRONG_LINES.values(), start=program.count("\n") + 1):
        lines = [line for line in finished.stdout.splitlines() if line.startswith(f"program.py:{number}: error")]
        assert any(what in line for line in lines), (number, finished.stdout)


def test_the_package_passes_mypy():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null", str(Path(clgemm.__file__).parent)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    errors = [line for line in finished.stdout.splitlines() if ": error: " in line and '"pyopencl"' not in line]
    assert not errors, errors


def test_type_hints_agree_with_what_is_there(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "allowed").write_text(  # pybind11's metaclass, which is never called
        "".join(f"clgemm._native.{name}\n" for name in ("Context", "DeviceSet", "Event", "Options", "Shape"))
    )
    command = [sys.executable, "-m", "mypy.stubtest", "clgemm._native", "--allowlist", str(tmp_path / "allowed")]
    finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
