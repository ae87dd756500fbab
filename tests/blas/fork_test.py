"""fork() in Python: if a process has used the device, its child continues with the CPU BLAS."""
import multiprocessing
import sys

import numpy

SIDE = 64
ONES = numpy.ones((SIDE, SIDE), dtype=numpy.float32)


def product(_):
    return float((ONES @ ONES)[0, 0])


def main():
    assert product(0) == SIDE
    context = multiprocessing.get_context("fork")
    with context.Pool(3) as pool:
        # A child that waits for threads that it does not have would wait forever.
        assert pool.map_async(product, range(12)).get(timeout=60) == [SIDE] * 12
    child = context.Process(target=lambda: sys.exit(0 if product(0) == SIDE else 1))
    child.start()
    child.join(60)
    assert child.exitcode == 0, child.exitcode
    assert product(0) == SIDE
    print("children multiplied")


main()
