"""The commands clgemm-bench and clgemm-tune of a wheel.

This module is outside of the package clgemm, so that it can report a failed import of the package without a traceback.
"""

import os
import sys


def _become(name: str) -> None:
    try:
        from clgemm._bench import program
    except ImportError as error:
        sys.exit(f"{name}: error: {error}")
    path = program(name)
    os.execv(path, [path, *sys.argv[1:]])


def run_bench() -> None:
    _become("clgemm-bench")


def run_tune() -> None:
    _become("clgemm-tune")
