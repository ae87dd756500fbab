"""clgemm.bench(): the results of clgemm-bench --format json, and tables of them."""

import subprocess

import pytest

import clgemm
from clgemm._bench import program


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    subprocess.run([program("clgemm-bench"), "--new-kernel", "mine.cl"], check=True)
    return tmp_path / "mine.cl"


def test_a_kernel_of_ones_own_at_several_sizes(mine):
    rows = clgemm.bench("mine.cl", [32, (33, 17, 9)], runs=2, warmup=0, parameters={"ROWS": 16})
    assert [(row["m"], row["n"], row["k"]) for row in rows] == [(32, 32, 32), (33, 17, 9)]
    assert all(row["passed"] and row["gflops"] > 0 and row["parameters"]["ROWS"] == 16 for row in rows)


def test_one_size_a_path_and_a_peer(mine):
    (row,) = clgemm.bench(mine, (33, 17, 9), runs=2, warmup=0, peers=["cblas=/no/such.so"], arguments=["--beta", "0.5"])
    assert row["beta"] == 0.5
    assert "/no/such.so" in row["peers"]["cblas"]["error"]


def test_a_wrong_result_is_in_its_row(mine):
    mine.write_text(mine.read_text().replace("column >= n) return;", "column >= n) return; if (row == 3) return;"))
    (row,) = clgemm.bench(mine, 32, runs=1, warmup=0)
    assert row["passed"] is False


def test_what_cannot_be_measured_raises():
    with pytest.raises(clgemm.Error, match="no kernel 'tilde'"):
        clgemm.bench("tilde", 32)
    with pytest.raises(clgemm.Error, match="0x3"):
        clgemm.bench("naive", [(0, 3)])


def test_a_table_in_one_line():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(clgemm.bench(["naive", "tiled"], [32, 48], runs=2, warmup=0))
    assert list(table.kernel) == ["naive", "tiled"] * 2
    assert list(table.m) == [32, 32, 48, 48]
    assert table.passed.all() and table.gflops.gt(0).all()
