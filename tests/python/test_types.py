"""A user's program passes mypy and pyright, both in their strict modes, and its errors are found. The type hints agree
with the module."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import clgemm

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

# A line of a program, and a part of both checkers' messages, for example of float64.
WRONG_LINES = {
    "clgemm.sgemm(numpy.ones((4, 4)), numpy.ones((4, 4)))": "64",
    "clgemm.DeviceSet('all').sgemm(a, numpy.ones((4, 4)))": "64",
    "clgemm.sgemm(a, a).no_such_attribute": "no_such_attribute",
    "clgemm.Options(precision='fp16')": "Literal['fp32_equivalent', 'fp32']",
    "clgemm.explain(4, 4, 4, order='R')": '"order"',
}


def errors_of_mypy(folder):
    """Checks program.py with `mypy --strict`. Returns the messages by their lines."""
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), "program.py"]
    return messages(command, folder, r"program\.py:(\d+): error: (.*)")


def errors_of_pyright(folder):
    """Checks program.py with pyright's strict mode. Returns the messages by their lines."""
    pyright = os.environ.get("PYRIGHT") or shutil.which("pyright")
    if not pyright:
        pytest.skip("there is no pyright (pip install 'pyright[nodejs]', or set PYRIGHT to its path)")
    (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    command = [pyright, "--pythonpath", sys.executable, "program.py"]
    return messages(command, folder, r".*program\.py:(\d+):\d+ - error: (.*)")


def messages(command, folder, pattern):
    """Runs a checker. The pattern finds its errors. Demands status 1 if there are any, else 0."""
    finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = {}
    for line, text in re.findall(pattern, finished.stdout):
        found[int(line)] = found.get(int(line), "") + text
    assert finished.returncode == (1 if found else 0), finished.stdout + finished.stderr
    return found


@pytest.fixture(params=[errors_of_mypy, errors_of_pyright], ids=["mypy", "pyright"])
def errors(request, tmp_path):
    """Returns the errors that a checker finds in a program."""

    def check(program):
        (tmp_path / "program.py").write_text(program)
        return request.param(tmp_path)

    return check


def test_a_right_program_passes(errors):
    assert errors(RIGHT_PROGRAM) == {}


def test_wrong_lines_do_not_pass(errors):
    start = "import numpy\nimport clgemm\na = numpy.ones((4, 4), numpy.float32)\n"
    found = errors(start + "\n".join(WRONG_LINES))
    for number, what in enumerate(WRONG_LINES.values(), start=4):
        assert what in found.get(number, ""), (number, found)


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
