"""Arrays and buffers of PyOpenCL: queues, wait lists, events."""

import itertools

import numpy
import pytest

import clgemm

cl = pytest.importorskip("pyopencl")
import pyopencl.array  # noqa: E402


def make_queue():
    device = clgemm.default_context().device_name
    for platform in cl.get_platforms():
        for one in platform.get_devices():
            if one.name.strip() == device.strip():
                return cl.CommandQueue(cl.Context([one]))
    pytest.fail(f"PyOpenCL has no device '{device}'")


@pytest.fixture(scope="module")
def queue():
    return make_queue()


def to_device(queue, *matrices):
    return [pyopencl.array.to_device(queue, matrix) for matrix in matrices]


@pytest.mark.parametrize("transpose_a, transpose_b, order", itertools.product((False, True), (False, True), "CF"))
def test_arrays(queue, numbers, demand_product, transpose_a, transpose_b, order):
    a, b, before = numbers(33, 20), numbers(20, 17), numbers(33, 17)
    stored_a = numpy.asarray(a.T if transpose_a else a, order=order)
    stored_b = numpy.asarray(b.T if transpose_b else b, order="C")
    a_there, b_there, c_there = to_device(queue, stored_a, stored_b, numpy.asarray(before, order=order))
    result = clgemm.sgemm(a_there, b_there, c_there, 2.0, -1.0, transpose_a, transpose_b)
    assert result is c_there
    demand_product(c_there.get(), a, b, 2.0, -1.0, before)


@pytest.mark.parametrize("of_a, of_b", [((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4,)), ((4,), (2, 4, 5))])
def test_vectors_are_as_in_matmul(queue, numbers, demand_product, of_a, of_b):
    a, b = numbers(*of_a), numbers(*of_b)
    a_there, b_there = to_device(queue, a, b)
    c = clgemm.sgemm(a_there, b_there)
    assert isinstance(c.events[-1], cl.Event)
    demand_product(numpy.asarray(c.get()), a, b)
    before = numpy.ones_like(numpy.asarray(numpy.matmul(a, b)))
    into = pyopencl.array.to_device(queue, before)
    event = clgemm.enqueue_sgemm(queue, a_there, b_there, into, 2.0, 0.5, a.ndim == 1, b.ndim == 1)
    assert into.events[-1] == event
    demand_product(numpy.asarray(into.get()), a, b, 2.0, 0.5, before)


def test_parts_of_a_vector(queue, numbers, demand_product):
    a, b = numbers(5, 8), numbers(24)
    a_there, b_there, c = to_device(queue, a, b, numpy.zeros(10, numpy.float32))
    clgemm.sgemm(a_there, b_there[3:19:2], out=c[4:9])
    demand_product(c.get()[4:9], a, b[3:19:2])
    assert (c.get()[:4] == 0.0).all()


def test_a_new_array_is_made_on_the_queue(queue, numbers, demand_product):
    a, b = numbers(33, 20), numbers(20, 17)
    c = clgemm.sgemm(*to_device(queue, a, b))
    assert isinstance(c, pyopencl.array.Array) and c.queue == queue
    assert isinstance(c.events[-1], cl.Event)
    demand_product(c.get(), a, b)


def test_views_of_arrays(queue, numbers, demand_product):
    a, b = numbers(33, 20), numbers(20, 17)
    a_there, b_there = to_device(queue, a, b)
    demand_product(clgemm.sgemm(a_there[8:24], b_there).get(), a[8:24], b)
    demand_product(clgemm.sgemm(a_there[:, 4:12], b_there[4:12]).get(), a[:, 4:12], b[4:12])


def test_batches_on_the_device(queue, numbers, demand_product):
    a, b, shared = numbers(5, 9, 13), numbers(5, 13, 7), numbers(13, 7)
    a_there, b_there, shared_there = to_device(queue, a, b, shared)
    demand_product(clgemm.sgemm(a_there, b_there).get(), a, b)
    demand_product(clgemm.sgemm(a_there, shared_there).get(), a, shared)


def test_buffers_with_wait_list_and_event(queue, numbers, demand_product):
    a, b = numbers(9, 13), numbers(13, 7)
    flags = cl.mem_flags
    a_buffer = cl.Buffer(queue.context, flags.READ_WRITE, 4 * (5 + 9 * 16))
    b_buffer = cl.Buffer(queue.context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=numpy.asfortranarray(b).ravel("F"))
    c_buffer = cl.Buffer(queue.context, flags.READ_WRITE, 4 * 9 * 7)
    memory = numpy.full(5 + 9 * 16, numpy.nan, numpy.float32)
    numpy.lib.stride_tricks.as_strided(memory[5:], (9, 13), (64, 4))[...] = a
    gate = cl.UserEvent(queue.context)
    written = cl.enqueue_copy(queue, a_buffer, memory, is_blocking=False, wait_for=[gate])
    event = clgemm.enqueue_sgemm(
        queue,
        clgemm.DeviceMatrix(a_buffer, (9, 13), ld=16, offset=5),
        clgemm.DeviceMatrix(b_buffer, (13, 7), order="F"),
        clgemm.DeviceMatrix(c_buffer, (9, 7)),
        wait_for=[written],
    )
    assert event.get_info(cl.event_info.COMMAND_EXECUTION_STATUS) != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    c = numpy.empty((9, 7), numpy.float32)
    cl.enqueue_copy(queue, c, c_buffer)
    demand_product(c, a, b)


def test_handles_as_integers_make_an_event_of_clgemm(queue, numbers, demand_product):
    a = numbers(16, 16)
    a_there, c_there = to_device(queue, a, numpy.zeros_like(a))
    matrix = clgemm.DeviceMatrix(a_there.base_data.int_ptr, (16, 16))
    result = clgemm.DeviceMatrix(c_there.base_data.int_ptr, (16, 16))
    event = clgemm.enqueue_sgemm(queue.int_ptr, matrix, matrix, result)
    assert isinstance(event, clgemm.Event)
    event.wait()
    demand_product(c_there.get(), a, a)


def test_an_event_that_fails_is_an_error_and_one_of_clgemm_has_its_handle(queue):
    import ctypes

    failed = cl.UserEvent(queue.context)
    ctypes.CDLL("libOpenCL.so.1").clRetainEvent(ctypes.c_void_p(failed.int_ptr))
    event = clgemm.Event(failed.int_ptr)
    assert event.int_ptr == failed.int_ptr
    failed.set_status(-5)
    with pytest.raises(clgemm.Error, match="the GEMM failed: clWaitForEvents"):
        event.wait()


# An object that looks like an array of PyOpenCL.
class Lookalike:
    def __init__(self, **changes):
        facts = {"base_data": None, "offset": 0, "dtype": numpy.dtype("float32"), "shape": (4, 4), "strides": (16, 4)}
        self.__dict__.update({**facts, **changes})


@pytest.mark.parametrize(
    "kind, text, changes",
    (
        (TypeError, "a has a shape or strides that are not integers", {"strides": ("x", 4)}),
        (ValueError, "a must have as many strides as dimensions", {"strides": (16,)}),
        (ValueError, "a has a negative offset", {"offset": -4}),
        (ValueError, "a has a stride or offset of 6 bytes", {"offset": 6}),
    ),
)
def test_what_only_looks_like_an_array_is_refused(queue, kind, text, changes):
    good = to_device(queue, numpy.zeros((4, 4), numpy.float32), numpy.ones((4, 4), numpy.float32))
    with pytest.raises(kind, match=text):
        clgemm.enqueue_sgemm(queue, Lookalike(**changes), good[1], good[0])
    assert (good[0].get() == 0).all()


def test_a_context_of_a_queue_and_of_a_device(queue, numbers, demand_product):
    a = numbers(16, 16)
    (a_there,) = to_device(queue, a)
    context = clgemm.Context(queue=queue)
    demand_product(context.sgemm(a_there, a_there).get(), a, a)
    demand_product(context.sgemm(a, a.copy()), a, a)
    of_device = clgemm.Context(queue.device)
    assert of_device.device_name == context.device_name
    demand_product(of_device.sgemm(a, a.copy()), a, a)


def test_packed_copies_in_a_buffer_of_the_callers(queue, numbers, demand_product):
    a, b = numbers(33, 20), numbers(20, 17)
    a_there, b_there = to_device(queue, a, b)
    context = clgemm.Context(queue=queue)
    size = context.scratch_bytes(33, 17, 20, options=clgemm.Options(kernel="tiled"))
    assert size > 0
    scratch = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, size)
    untouched = numpy.full(size // 4, 7.0, numpy.float32)
    cl.enqueue_copy(queue, scratch, untouched)
    options = clgemm.Options(kernel="tiled", scratch=scratch)
    assert options.scratch == scratch.int_ptr
    demand_product(context.sgemm(a_there, b_there, options=options).get(), a, b)
    used = numpy.empty_like(untouched)
    cl.enqueue_copy(queue, used, scratch)
    assert (used != 7.0).any()
    of_another_context = clgemm.Options(kernel="tiled", scratch=cl.Buffer(make_queue().context, cl.mem_flags.READ_WRITE, size))
    with pytest.raises(ValueError, match="scratch"):
        context.sgemm(a_there, b_there, options=of_another_context)
    with pytest.raises(TypeError, match="scratch must be an OpenCL object"):
        clgemm.Options(scratch="mine")


def test_what_is_wrong_on_a_device_is_said_and_nothing_is_written(queue, numbers):
    a, b, before = numbers(4, 6), numbers(6, 5), numbers(4, 5)
    a_there, b_there, c_there = to_device(queue, a, b, before)
    elsewhere = make_queue()
    (foreign,) = to_device(elsewhere, before)
    cases = [
        (TypeError, "a must be an array of float32, not float64", {"a": to_device(queue, a.astype(float))[0]}),
        (TypeError, "b must be in a device's memory", {"b": b}),
        (TypeError, "c must be in a device's memory", {"c": before}),
        (ValueError, "b needs 6 rows", {"b": a_there}),
        (ValueError, "the buffer of C belongs to another OpenCL context", {"c": foreign}),
        (ValueError, "the buffer of A", {"a": clgemm.DeviceMatrix(a_there.data, (4, 6), offset=1)}),
        (ValueError, "C overlaps A", {"c": clgemm.DeviceMatrix(a_there.data, (4, 5))}),
        (TypeError, "wait_for must be an OpenCL object", {"wait_for": ["event"]}),
        (TypeError, "queue must be an OpenCL object", {"queue": "queue"}),
    ]
    for kind, text, changes in cases:
        arguments = {"queue": queue, "a": a_there, "b": b_there, "c": c_there, **changes}
        with pytest.raises(kind, match=text):
            clgemm.enqueue_sgemm(**arguments)
    assert (c_there.get() == before).all() and (foreign.get() == before).all()


def test_a_device_matrix_is_checked():
    for arguments in ({"ld": 5}, {"offset": -1}, {"order": "K"}):
        with pytest.raises(ValueError):
            clgemm.DeviceMatrix(None, (4, 6), **arguments)
    with pytest.raises(ValueError, match="shape"):
        clgemm.DeviceMatrix(None, (4,))
    with pytest.raises(ValueError, match="queue"):
        clgemm.sgemm(clgemm.DeviceMatrix(1, (2, 2)), clgemm.DeviceMatrix(1, (2, 2)))
