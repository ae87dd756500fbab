"""What the tests of the Python package share: numbers, and the bound that a result must keep."""

import numpy
import pytest

UNIT = 2.0**-24
SKIPPED = 77


def pytest_sessionfinish(session, exitstatus):
    """Where nothing failed but something was skipped, CTest is to say so."""
    skipped = session.config.pluginmanager.get_plugin("terminalreporter").stats.get("skipped")
    if skipped and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = SKIPPED


class Numbers:
    """Matrices, the same at every run."""

    def __init__(self):
        self.generator = numpy.random.default_rng(7)

    def __call__(self, *shape):
        return self.generator.uniform(-1.0, 1.0, shape).astype(numpy.float32)


@pytest.fixture
def numbers():
    return Numbers()


@pytest.fixture
def demand_product():
    """Holds c to alpha * a @ b + beta * before, in float64, within 8 + 2 sqrt(k) units of what was added."""

    def demand(c, a, b, alpha=1.0, beta=0.0, before=None):
        a, b = a.astype(numpy.float64), b.astype(numpy.float64)
        wanted = alpha * (a @ b)
        size = abs(alpha) * (abs(a) @ abs(b))
        if beta != 0.0:
            wanted = wanted + beta * before.astype(numpy.float64)
            size = size + abs(beta) * abs(before.astype(numpy.float64))
        assert c.shape == wanted.shape
        assert c.dtype == numpy.float32
        bound = (8.0 + 2.0 * a.shape[-1] ** 0.5) * UNIT
        assert (abs(c - wanted) <= bound * size).all()

    return demand
