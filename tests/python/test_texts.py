"""Each Python program in the texts runs. The tutorial's figures and pictures match their sources."""

import re
import subprocess
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
