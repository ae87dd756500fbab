"""On a machine without OpenCL's loader, the error says what is missing."""

import os
import subprocess
import sys

import pytest


def run(program):
    """Runs without the loader: CLGEMM_TEST_NO_LOADER hides it from the dynamic linker."""
    return subprocess.run(
        [sys.executable, "-B", "-c", program],
        env={**os.environ, "LD_AUDIT": os.environ["CLGEMM_TEST_NO_LOADER"]},
        capture_output=True,
        text=True,
    )


def test_an_import_says_what_to_install():
    ended = run("import clgemm")
    assert ended.returncode == 1
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("ImportError: clgemm needs the OpenCL loader (libOpenCL.so.1")
    assert "ocl-icd-libopencl1" in last and "pocl-opencl-icd" in last
    caught = run("try:\n    import clgemm\nexcept ImportError as error:\n    print(error)")
    assert (caught.returncode, caught.stderr) == (0, "")
    assert caught.stdout.startswith("clgemm needs the OpenCL loader")


@pytest.mark.parametrize("name, run_it", (("clgemm-bench", "run_bench"), ("clgemm-tune", "run_tune")))
def test_the_programs_of_a_wheel_end_without_a_traceback(name, run_it):
    ended = run(f"import clgemm_programs; clgemm_programs.{run_it}()")
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.startswith(f"{name}: error: clgemm needs the OpenCL loader (libOpenCL.so.1")
    assert ended.stderr.count("\n") == 1
