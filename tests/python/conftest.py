"""Common parts of the Python package's tests: numbers, and the bound of a result."""

import numpy
import pytest

UNIT = 2.0**-24
SKIPPED = 77


def pytest_sessionfinish(session, exitstatus):
    """Reports to CTest if nothing failed but something was skipped."""
    skipped = session.config.pluginmanager.get_plugin("terminalreporter").stats.get("skipped")
    if skipped and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = SKIPPED


class Numbers:
    """Makes matrices that are the same in every run."""

    def __init__(self):
        self.generator = numpy.random.default_rng(7)

    def __call__(self, *shape):
        return self.generator.uniform(-1.0, 1.0, shape).astype(numpy.float32)


@pytest.fixture
def numbers():
    return Numbers()


@pytest.fixture
def demand_product():
    """Compares c with alpha * a @ b + beta * before in float64. The bound is 8 + 2 sqrt(k) units of the sum of magnitudes."""

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
