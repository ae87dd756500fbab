"""Batches: arrays of the host with three dimensions, and lists of matrices in device memory. CTest also runs this
with devices that report memory of their own (own_memory.c)."""

import itertools
import os
import subprocess
import sys

import numpy
import pytest

import clgemm


def test_arrays_of_the_host(numbers, demand_product):
    a, b, shared = numbers(5, 9, 13), numbers(5, 13, 7), numbers(13, 7)
    demand_product(clgemm.sgemm(a, b), a, b)
    demand_product(clgemm.sgemm(a, shared), a, shared)
    demand_product(clgemm.sgemm(shared, a, transpose_a=True, transpose_b=True), shared.T, a.transpose(0, 2, 1))
    # The lines of the matrices of c alternate in memory.
    c = numpy.zeros((9, 5, 7), numpy.float32).transpose(1, 0, 2)
    before = numbers(5, 9, 7)
    c[...] = before
    demand_product(clgemm.sgemm(a[::-1][::-1], b, c, beta=2.0), a, b, beta=2.0, before=before)
    assert clgemm.sgemm(a[:0], b[:0]).shape == (0, 9, 7)
    assert (clgemm.sgemm(a[:, :, :0], b[:, :0]) == 0.0).all()


@pytest.mark.parametrize("of_a, of_b, of_c", itertools.product("CF", repeat=3))
def test_every_order_of_the_host(numbers, demand_product, of_a, of_b, of_c):
    def lying(order, matrices):  # each matrix in this order, with gaps after lines and matrices
        count, rows, columns = matrices.shape
        memory = numpy.full((count, rows + 1, columns + 2) if order == "C" else (count, columns + 1, rows + 2), 7.0, "f")
        place = memory[:, :rows, :columns] if order == "C" else memory[:, :columns, :rows].transpose(0, 2, 1)
        place[...] = matrices
        return memory, place

    a, b, before = numbers(6, 4, 11), numbers(6, 11, 3), numbers(6, 4, 3)
    memory, c = lying(of_c, before)
    clgemm.sgemm(lying(of_a, a)[1], lying(of_b, b)[1], c, 1.5, -0.5)
    demand_product(c, a, b, 1.5, -0.5, before)
    c[...] = 7.0
    assert (memory == 7.0).all()  # the gaps


def test_a_context_a_set_of_devices_and_options(numbers, demand_product):
    a, b = numbers(3, 40, 40), numbers(40, 40)
    options = clgemm.Options(kernel="tiled", parameters={"TS": 16})
    demand_product(clgemm.Context().sgemm(a, b, options=options), a, b)
    demand_product(clgemm.DeviceSet([0]).sgemm(a, b), a, b)
    demand_product(clgemm.sgemm(a, b, options=clgemm.Options(device_memory_limit=1 << 20)), a, b)
    with pytest.raises(clgemm.ArgumentError, match="no kernel 'tilde'"):
        clgemm.sgemm(a, b, options=clgemm.Options(kernel="tilde"))


# The log has a line for each call on device memory.
PROGRAM = """
import clgemm, numpy
a, b = numpy.ones((50, 8, 6), numpy.float32), numpy.ones((6, 5), numpy.float32)
assert (clgemm.sgemm(a, b, {options}) == 6.0).all()
"""


def calls_of(options):
    log = {**os.environ, "CLGEMM_LOG": "debug"}
    command = [sys.executable, "-c", PROGRAM.format(options=options)]
    finished = subprocess.run(command, env=log, capture_output=True, text=True, check=True)
    return [line for line in finished.stderr.splitlines() if line.startswith("clgemm: call: ")]


def test_many_small_ones_are_one_launch():
    (line,) = calls_of("")
    assert "batch of 50" in line and "tiled" not in line
    (line,) = calls_of("options=clgemm.Options(kernel='tiled')")
    assert "batch of 50" in line and "tiled" in line


def test_where_memory_is_limited_each_goes_by_itself():
    if "LD_PRELOAD" in os.environ:
        assert len(calls_of("options=clgemm.Options(device_memory_limit=1 << 20)")) >= 50


def test_plans_of_batches():
    text = clgemm.explain(30, 20, 10, batch_count=8)
    assert "GEMMs at a time" in text
    for one_for_all in ("a", "b", "ab"):
        clgemm.prepare([(30, 20, 10)], batch_count=8, one_for_all=one_for_all)
    # With one b for all, a kernel waits for fewer bytes.
    assert clgemm.predicted_seconds(64, 64, 64, batch_count=2000, one_for_all="ab") <= clgemm.predicted_seconds(
        64, 64, 64, batch_count=2000
    )
    with pytest.raises(ValueError, match="one_for_all must be"):
        clgemm.explain(2, 2, 2, one_for_all="c")


cl = pytest.importorskip("pyopencl")
import pyopencl.array  # noqa: E402

from test_device import make_queue  # noqa: E402


@pytest.fixture(scope="module")
def queue():
    return make_queue()


def to_device(queue, matrix):
    return pyopencl.array.to_device(queue, matrix)


def listed(queue, matrices, order="C"):
    """A list of arrays that each have their own memory."""
    return [to_device(queue, numpy.asarray(one, order=order)) for one in matrices]


@pytest.mark.parametrize("transpose_a, transpose_b, order", itertools.product((False, True), (False, True), "CF"))
def test_lists_of_arrays(queue, numbers, demand_product, transpose_a, transpose_b, order):
    a, b, before = numbers(4, 9, 13), numbers(4, 13, 7), numbers(4, 9, 7)
    stored_a = a.transpose(0, 2, 1) if transpose_a else a
    stored_b = b.transpose(0, 2, 1) if transpose_b else b
    c = listed(queue, before, order)
    alpha, beta = [1.0, 2.0, 0.0, -1.0], (0.5, 0.0, 2.0, 1.0)
    result = clgemm.sgemm_batched(
        listed(queue, stored_a), listed(queue, stored_b, order), c, alpha, beta, transpose_a, transpose_b
    )
    assert result is c
    for i in range(4):
        demand_product(c[i].get(), a[i], b[i], alpha[i], beta[i], before[i])


def test_one_matrix_for_all_and_new_arrays(queue, numbers, demand_product):
    a, b = numbers(5, 9, 13), numbers(13, 7)
    one = to_device(queue, b)
    for c in (clgemm.sgemm_batched(listed(queue, a), one), clgemm.Context(queue=queue).sgemm_batched(listed(queue, a), one)):
        assert len(c) == 5 and c[0].base_data is c[4].base_data
        for i in range(5):
            assert isinstance(c[i].events[-1], cl.Event)
            demand_product(c[i].get(), a[i], b)
    c = clgemm.sgemm_batched(one, listed(queue, a), transpose_a=True, transpose_b=True)
    demand_product(c[3].get(), b.T, a[3].T)
    assert clgemm.sgemm_batched([], to_device(queue, numpy.asfortranarray(b)), queue=queue) == []
    assert [one.shape for one in clgemm.sgemm_batched(listed(queue, a[:, :0]), one)] == [(0, 7)] * 5


def test_one_buffer_and_offsets_with_wait_list_and_event(queue, numbers, demand_product):
    count, m, n, k = 40, 4, 5, 6
    places = numpy.random.default_rng(3).permutation(count)
    memory, b = numbers(count * m * 8), numbers(k, n)
    a = numpy.lib.stride_tricks.as_strided(memory, (count, m, k), (m * 8 * 4, 8 * 4, 4))
    factors = numbers(count)
    a_buffer = cl.Buffer(queue.context, cl.mem_flags.READ_ONLY, memory.nbytes)
    b_there, c_there = to_device(queue, b), to_device(queue, numpy.zeros((count, m, n), numpy.float32))
    gate = cl.UserEvent(queue.context)
    written = cl.enqueue_copy(queue, a_buffer, memory, is_blocking=False, wait_for=[gate])
    event = clgemm.enqueue_sgemm_batched(
        queue,
        [clgemm.DeviceMatrix(a_buffer, (m, k), ld=8, offset=int(place) * m * 8) for place in places],
        b_there,
        [clgemm.DeviceMatrix(c_there.data, (m, n), offset=i * m * n) for i in range(count)],
        factors,
        wait_for=[written],
    )
    assert event.get_info(cl.event_info.COMMAND_EXECUTION_STATUS) != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    c = c_there.get()
    for i, place in enumerate(places):
        demand_product(c[i], a[place], b, factors[i])


def test_handles_as_integers(queue, numbers, demand_product):
    a = numbers(2, 4, 4)
    a_there, c_there = to_device(queue, a), to_device(queue, numpy.zeros_like(a))

    def parts(array):
        return [clgemm.DeviceMatrix(array.base_data.int_ptr, (4, 4), offset=16 * i) for i in range(2)]

    event = clgemm.enqueue_sgemm_batched(queue.int_ptr, parts(a_there), parts(a_there)[0], parts(c_there))
    assert isinstance(event, clgemm.Event)
    event.wait()
    demand_product(c_there.get(), a, a[0])


def test_parts_of_one_array_carry_one_event(queue):
    a = to_device(queue, numpy.ones((100, 4, 4), numpy.float32))
    c = to_device(queue, numpy.zeros((100, 4, 4), numpy.float32))
    carried = len(c.events)
    clgemm.sgemm_batched([a[i] for i in range(100)], a[0], [c[i] for i in range(100)])
    assert len(c.events) == carried + 1
    assert (c.get() == 4.0).all()


def changed(matrices, at, to):
    return [to if i == at else one for i, one in enumerate(matrices)]


# The error's kind, a part of its text, and how the call of 3 times 4 x 6 by 6 x 5 is changed.
WRONG = {
    "too_few": (ValueError, "a has 2 matrices in a batch of 3", lambda q, a, b, c: {"a": a[:2]}),
    "on_the_host": (
        TypeError,
        r"a\[1\] must be in a device's memory .*, not numpy.ndarray",
        lambda q, a, b, c: {"a": changed(a, 1, numpy.ones((4, 6), numpy.float32))},
    ),
    "array_of_the_host": (
        TypeError,
        r"b\[0\] must be in a device's memory",
        lambda q, a, b, c: {"b": numpy.ones((3, 6, 5), numpy.float32)},
    ),
    "float64": (
        TypeError,
        r"b\[2\] must be an array of float32, not float64",
        lambda q, a, b, c: {"b": changed(b, 2, to_device(q, numpy.ones((6, 5))))},
    ),
    "shapes": (
        ValueError,
        r"a\[2\] is 6 x 5, and a\[0\] is 4 x 6",
        lambda q, a, b, c: {"a": changed(a, 2, b[0])},
    ),
    "inner_sizes": (ValueError, r"b\[0\] is 4 x 6: b needs 6 rows", lambda q, a, b, c: {"b": a}),
    "shape_of_c": (ValueError, r"c\[0\] is 6 x 5, but the result is 4 x 5", lambda q, a, b, c: {"c": b}),
    "three_dimensions": (
        ValueError,
        r"a\[1\] must have two dimensions in a list",
        lambda q, a, b, c: {"a": changed(a, 1, to_device(q, numpy.ones((1, 4, 6), numpy.float32)))},
    ),
    "orders": (
        ValueError,
        "a: some of its matrices have contiguous rows",
        lambda q, a, b, c: {"a": changed(a, 1, to_device(q, numpy.ones((4, 6), numpy.float32, order="F")))},
    ),
    "strides": (
        ValueError,
        r"a\[1\] has strides of 24 and 2 elements",
        lambda q, a, b, c: {"a": changed(a, 1, to_device(q, numpy.ones((8, 12), numpy.float32))[::2, ::2])},
    ),
    "c_is_one": (TypeError, "c must be a list", lambda q, a, b, c: {"c": c[0]}),
    "a_number": (TypeError, "a must be a list, not int", lambda q, a, b, c: {"a": 3}),
    "alpha_of_text": (TypeError, r"alpha\[1\] must be a number, not str", lambda q, a, b, c: {"alpha": [1.0, "2", 3.0]}),
    "alphas": (ValueError, "alpha has 2 numbers in a batch of 3", lambda q, a, b, c: {"alpha": [1.0, 2.0]}),
    "betas": (ValueError, "beta has 4 numbers in a batch of 3", lambda q, a, b, c: {"beta": numpy.ones(4)}),
    "transpose": (TypeError, "transpose_a must be True or False", lambda q, a, b, c: {"transpose_a": [False] * 3}),
    "one_c_twice": (ValueError, "overlap each other: those of GEMMs 0 and 2", lambda q, a, b, c: {"c": changed(c, 2, c[0])}),
    "c_is_an_a": (ValueError, "C overlaps A", lambda q, a, b, c: {"a": changed(a, 1, clgemm.DeviceMatrix(c[1].base_data, (4, 6)))}),
    "too_small": (
        ValueError,
        "the buffer of A",
        lambda q, a, b, c: {"a": changed(a, 1, clgemm.DeviceMatrix(a[1].data, (4, 6), offset=1))},
    ),
    "other_context": (
        ValueError,
        "belongs to another OpenCL context",
        lambda q, a, b, c: {"a": changed(a, 2, to_device(make_queue(), numpy.ones((4, 6), numpy.float32)))},
    ),
    "wait_for": (TypeError, "wait_for must be an OpenCL object", lambda q, a, b, c: {"wait_for": ["event"]}),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_a_list_is_said_and_nothing_is_written(queue, numbers, case):
    kind, text, change = WRONG[case]
    before = numbers(3, 6, 5)
    a, b, memory = listed(queue, numbers(3, 4, 6)), listed(queue, numbers(3, 6, 5)), listed(queue, before)
    c = [one[:4] for one in memory]
    arguments = {"a": a, "b": b, "c": c, "beta": 0.5, **change(queue, a, b, c)}
    with pytest.raises(kind, match=text):
        clgemm.enqueue_sgemm_batched(queue, **arguments)
    queue.finish()
    for i in range(3):
        assert (memory[i].get() == before[i]).all()


def test_beta_needs_a_list_c(queue):
    a = listed(queue, numpy.ones((2, 3, 3), numpy.float32))
    with pytest.raises(ValueError, match="there is no c"):
        clgemm.sgemm_batched(a, a, beta=[0.0, 1.0])
    with pytest.raises(TypeError, match="a must be a list"):
        clgemm.sgemm_batched(a[0], a[0])
    with pytest.raises(ValueError, match="queue"):
        clgemm.sgemm_batched([clgemm.DeviceMatrix(1, (2, 2))], [clgemm.DeviceMatrix(1, (2, 2))])
