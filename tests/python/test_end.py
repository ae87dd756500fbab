"""The interpreter ends while daemon threads are in calls. They must not end the process with a signal."""

import subprocess
import sys

import pytest

# The destructor at the end waits for the threads. Each thread returns from a call, and requests the lock of
# an interpreter that is ending.
PROGRAM = """
import os, sys, threading, time
import numpy
import clgemm

a = numpy.ones((128, 128), numpy.float32)
unknown = clgemm.Options(kernel="no_such_kernel")
make = clgemm._errors.make

def make_slowly(*arguments):
    time.sleep(0.05)
    return make(*arguments)

def fail():
    clgemm._errors.make = make_slowly
    try:
        clgemm.sgemm(a, a, options=unknown)
    except clgemm.Error:
        pass

calls = {
    "sgemm": lambda: clgemm.sgemm(a, a),
    "explain": lambda: clgemm.explain(128, 128, 128),
    "error": fail,
}

class Last:
    def __del__(self, sleep=time.sleep, write=os.write):
        sleep(0.3)
        write(1, b"ended")

sys.modules["last"] = Last()  # the threads hold what is global here

def work(is_inside):
    while True:
        calls[CALL]()
        is_inside.set()

clgemm.sgemm(a, a)
for _ in range(3):
    is_inside = threading.Event()
    threading.Thread(target=work, args=(is_inside,), daemon=True).start()
    is_inside.wait()
"""


@pytest.mark.parametrize("call", ("sgemm", "explain", "error"))
def test_the_interpreter_ends_while_threads_are_in_calls(call):
    for _ in range(4):
        ended = subprocess.run(
            [sys.executable, "-B", "-c", PROGRAM.replace("CALL", repr(call))], capture_output=True, text=True, timeout=60
        )
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ended", "")
