"""The first steps of a user with an installed clgemm."""
import clgemm
import numpy

a = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
b = numpy.ones((4, 2), numpy.float32)
c = clgemm.sgemm(a, b)
clgemm.sgemm(a, b, c, alpha=2.0, beta=1.0)
print(clgemm.Context())
print(c)
assert (c == 3.0 * (a @ b)).all()
