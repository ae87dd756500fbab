"""Runs clgemm-bench from Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from ._errors import Error

_here = Path(__file__).parent
Size = Union[int, Sequence[int]]


def program(name: str) -> str:
    """Returns the path of clgemm-bench or clgemm-tune: this package's program, or else the one in PATH."""
    own = _here / "bin" / name
    found = str(own) if own.exists() else shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} is missing: it comes with clgemm's wheel, or in the package clgemm-tools")
    return found


def _text_of(size: Size) -> str:
    return str(size) if isinstance(size, int) else "x".join(str(one) for one in size)


def _arguments(kernels: Iterable[str], sizes: Iterable[Size], parameters: Mapping[str, int]) -> List[str]:
    arguments = []
    for kernel in kernels:
        arguments += ["--kernel", kernel]
    for size in sizes:
        arguments += ["--size", _text_of(size)]
    for name, value in parameters.items():
        arguments += ["--param", f"{name}={value}"]
    return arguments


def bench(
    kernels: Union[str, os.PathLike[str], Sequence[Union[str, os.PathLike[str]]]] = "auto",
    sizes: Union[Size, Iterable[Size]] = 1024,
    *,
    parameters: Optional[Mapping[str, int]] = None,
    peers: Sequence[str] = (),
    runs: int = 20,
    warmup: int = 10,
    device: Union[None, int, str] = None,
    arguments: Sequence[str] = (),
) -> List[Dict[str, Any]]:
    """Measures kernels, checks every result, and returns the rows of `clgemm-bench --format json`.

    Each row is a dictionary, which also has the data of the run (for example the device).

    `kernels`     A name, a variant or the path of a file ("mine.cl"), or a list of these. "auto" is the kernel that
                  clgemm chooses, and "all" is every kernel.
    `sizes`       One size or a list of sizes. A size is a tuple (m, n, k), or an integer if all
                  three are equal.
    `parameters`  Values of the kernels' parameters by name. None means their default values.
    `peers`       Names of other libraries to measure as well, if they are installed: "clblast", "openblas", "cublas".
    `runs`        The number of timed runs of each kernel.
    `warmup`      The number of runs before the timed ones.
    `device`      An index or a part of a name, as for clgemm.Context. None means the default device.
    `arguments`   Further arguments for the command line of clgemm-bench.

    A wrong result does not raise an error, but its row has "passed" False. If clgemm-bench cannot measure, the function
    raises clgemm.Error. If the program is not installed, it raises FileNotFoundError.

    An example in one line:

        pandas.DataFrame(clgemm.bench(["naive", "mine.cl"], [256, 512]))[["kernel", "m", "gflops", "passed"]]
    """
    names = [kernels] if isinstance(kernels, (str, os.PathLike)) else kernels
    several: Iterable[Size] = [sizes] if isinstance(sizes, (int, tuple)) else sizes
    command = [program("clgemm-bench"), "--format", "json", "--runs", str(runs), "--warmup", str(warmup)]
    command += _arguments([os.fspath(name) for name in names], several, parameters or {})
    for peer in peers or ("none",):
        command += ["--peer", peer]
    if device is not None:
        command += ["--device", str(device)]
    command += arguments
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode not in (0, 1) or not finished.stdout.lstrip().startswith("{"):
        text = finished.stderr.strip().removeprefix("clgemm-bench: error: ")
        raise Error(text or f"clgemm-bench ended with {finished.returncode}", "bench_failed")
    results: Dict[str, Any] = json.loads(finished.stdout)
    return [{**results["run"], **row} for row in results["rows"]]
