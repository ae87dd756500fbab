"""The programs of docs/python.md run, in their order, each by itself, and type hints agree with what is there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2]


def programs():
    text = (SOURCE / "docs" / "python.md").read_text()
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_text_has_programs():
    assert len(programs()) >= 5


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
    exec(compile(text, f"docs/python.md, program {number}", "exec"), names)
    if "result" in names:
        assert (names["result"] == 64.0).all()


def test_type_hints_agree_with_what_is_there():
    pytest.importorskip("mypy")
    environment = {**os.environ, "MYPYPATH": ""}
    finished = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "clgemm._native", "--ignore-missing-stub"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
