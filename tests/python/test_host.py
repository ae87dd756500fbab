"""Arrays of the host: layouts, strides, threads, costs."""

import array
import copy
import itertools
import pickle
import threading
import time
import timeit

import numpy
import pytest

import clgemm


def test_a_new_array_is_made_where_no_c_is_given(numbers, demand_product):
    a, b = numbers(37, 21), numbers(21, 50)
    demand_product(clgemm.sgemm(a, b), a, b)


# Memory layouts of the same numbers. Each function returns an array that equals its argument.
ARRANGEMENTS = {
    "c_order": numpy.ascontiguousarray,
    "fortran_order": numpy.asfortranarray,
    "part_of_rows": lambda x: numpy.pad(x, ((1, 2), (3, 4)))[1:-2, 3:-4],
    "part_of_columns": lambda x: numpy.asfortranarray(numpy.pad(x, ((1, 2), (3, 4))))[1:-2, 3:-4],
    "every_third_row": lambda x: numpy.repeat(x, 3, axis=0)[::3],
}


@pytest.mark.parametrize("of_a, of_b, of_c", itertools.product(ARRANGEMENTS, repeat=3))
def test_every_layout_and_stride_that_needs_no_copy(numbers, demand_product, of_a, of_b, of_c):
    a, b, before = numbers(9, 13), numbers(13, 7), numbers(9, 7)
    c = ARRANGEMENTS[of_c](before.copy())
    around = c.base.copy() if c.base is not None else None
    result = clgemm.sgemm(ARRANGEMENTS[of_a](a), ARRANGEMENTS[of_b](b), c, alpha=1.5, beta=-0.5)
    assert result is c
    demand_product(c, a, b, 1.5, -0.5, before)
    if around is not None:  # the gaps between the rows of c are unchanged
        elsewhere = numpy.ones(around.shape, bool)
        numpy.lib.stride_tricks.as_strided(
            elsewhere.ravel("K")[(c.ctypes.data - c.base.ctypes.data) // 4 :],
            c.shape,
            [stride // 4 for stride in c.strides],
        )[...] = False
        if elsewhere.flags.c_contiguous == c.base.flags.c_contiguous:
            assert (c.base[elsewhere] == around[elsewhere]).all()


@pytest.mark.parametrize("transpose_a, transpose_b", itertools.product((False, True), repeat=2))
def test_transposes(numbers, demand_product, transpose_a, transpose_b):
    a, b = numbers(9, 13), numbers(13, 7)
    stored_a = a.T.copy() if transpose_a else a
    stored_b = b.T.copy() if transpose_b else b
    for order in (numpy.ascontiguousarray, numpy.asfortranarray):
        c = clgemm.sgemm(
            order(stored_a), stored_b, transpose_a=numpy.bool_(transpose_a), transpose_b=transpose_b
        )
        demand_product(c, a, b)


def test_vectors_and_empty_matrices(numbers, demand_product):
    row, column = numbers(1, 40), numbers(40, 1)
    demand_product(clgemm.sgemm(row, column), row, column)
    demand_product(clgemm.sgemm(column, row), column, row)
    assert clgemm.sgemm(numbers(0, 5), numbers(5, 3)).shape == (0, 3)
    assert (clgemm.sgemm(numbers(4, 0), numbers(0, 3)) == 0.0).all()


@pytest.mark.parametrize("of_a, of_b", [((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4,)), ((4,), (2, 4, 5))])
def test_vectors_are_as_in_matmul(numbers, demand_product, of_a, of_b):
    a, b = numbers(*of_a), numbers(*of_b)
    demand_product(clgemm.sgemm(a, b), a, b)
    before = numpy.ones_like(numpy.asarray(numpy.matmul(a, b)))
    c = before.copy()
    assert clgemm.sgemm(a, b, c, alpha=2.0, beta=0.5) is c
    demand_product(c, a, b, 2.0, 0.5, before)
    flags = {"transpose_a": a.ndim == 1, "transpose_b": b.ndim == 1}  # they have no effect on vectors
    assert (clgemm.sgemm(a, b, **flags) == clgemm.sgemm(a, b)).all()


def test_vectors_with_strides(numbers, demand_product):
    a, b = numbers(5, 8), numbers(16)[::2]
    c = numpy.zeros((5, 3), numpy.float32)
    clgemm.sgemm(a, b, c[:, 1])
    demand_product(c[:, 1], a, b)
    assert (c[:, ::2] == 0.0).all()
    demand_product(clgemm.DeviceSet([0]).sgemm(a, b), a, b)


def test_out_is_c_by_numpys_name(numbers, demand_product):
    a, b, before = numbers(9, 13), numbers(13, 7), numbers(9, 7)
    for owner in (clgemm, clgemm.Context(), clgemm.DeviceSet([0])):
        c = before.copy()
        assert owner.sgemm(a, b, out=c, beta=2.0) is c
        demand_product(c, a, b, 1.0, 2.0, before)
        with pytest.raises(TypeError, match="c and out"):
            owner.sgemm(a, b, c, out=c)


def test_a_batch_of_one_serves_for_all(numbers, demand_product):
    one, many = numbers(1, 6, 6), numbers(5, 6, 6)
    for a, b in ((one, many), (many, one), (one, one)):
        demand_product(clgemm.sgemm(a, b), a, b)
    with pytest.raises(ValueError, match="c has 1 matrices in a batch of 5"):
        clgemm.sgemm(one, many, numpy.zeros((1, 6, 6), numpy.float32))


class Tensor:
    """An array of another library, which supports only DLPack."""

    def __init__(self, elements):
        self.elements = elements

    def __dlpack__(self, **how):
        return self.elements.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.elements.__dlpack_device__()


def test_tensors_are_arrays_by_dlpack(numbers, demand_product):
    a, b = numbers(4, 6), numbers(6, 5)
    taken = clgemm.asarray(Tensor(a))
    assert numpy.shares_memory(taken, a)
    demand_product(clgemm.sgemm(taken, clgemm.asarray(Tensor(b))), a, b)
    with pytest.raises(TypeError, match="float32, not float64"):
        clgemm.asarray(Tensor(a.astype(float)))
    with pytest.raises(TypeError, match="expected a host array with DLPack, not list"):
        clgemm.asarray([1.0])


def test_options_are_copied_compared_and_shown():
    options = clgemm.Options(kernel="tiled", parameters={"TS": 16}, precision="fp32", scratch_limit=4096)
    assert eval(repr(options)) == options
    assert repr(clgemm.Options()) == "clgemm.Options()"
    for same in (copy.copy(options), copy.deepcopy(options), pickle.loads(pickle.dumps(options))):
        assert same == options and same is not options and hash(same) == hash(options)
    others = [{}, {"kernel": "tiled"}, {"kernel": "tiled", "parameters": {"TS": 8}, "precision": "fp32", "scratch_limit": 4096}]
    for other in others:
        assert options != clgemm.Options(**other)
    assert options != "tiled"
    with_scratch = clgemm.Options(scratch=16)
    assert copy.copy(with_scratch).scratch == 16 and with_scratch != clgemm.Options()
    with pytest.raises(TypeError, match="scratch buffer"):
        pickle.dumps(with_scratch)


def test_beta_zero_does_not_read_c(numbers, demand_product):
    a, b = numbers(8, 8), numbers(8, 8)
    c = numpy.full((8, 8), numpy.nan, numpy.float32)
    demand_product(clgemm.sgemm(a, b, c), a, b)


def test_whatever_has_the_buffer_protocol_is_an_array(demand_product):
    flat = array.array("f", range(12))
    a = memoryview(flat).cast("B").cast("f", (3, 4))
    c = clgemm.sgemm(a, a, transpose_b=True)
    numbers = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
    demand_product(c, numbers, numbers.T)


def test_options_name_a_kernel(numbers, demand_product):
    a, b = numbers(40, 40), numbers(40, 40)
    options = clgemm.Options(kernel="tiled", parameters={"TS": 16}, precision="fp32")
    demand_product(clgemm.sgemm(a, b, options=options), a, b)
    assert "kernel: tiled TS=16" in clgemm.explain(40, 40, 40, options=options)
    assert (options.kernel, options.parameters, options.precision) == ("tiled", {"TS": 16}, "fp32")


def test_what_can_be_asked_before_a_call():
    context = clgemm.Context()
    assert context.device_name in repr(context)
    text = context.explain(100, 200, 300, transpose_a=True, order="F", batch_count=3)
    assert "kernel: " in text and "GEMMs at a time" in text
    context.prepare([(100, 200, 300), [64, 64, 64]])
    assert 0.0 < context.predicted_seconds(64, 64, 64) < clgemm.predicted_seconds(2048, 2048, 2048)
    padded = clgemm.Options(kernel="tiled")
    assert context.scratch_bytes(33, 17, 9, options=padded) > 0
    assert clgemm.scratch_bytes(33, 17, 9, options=padded) == context.scratch_bytes(33, 17, 9, options=padded)


def test_devices_share_a_multiply(numbers, demand_product):
    a, b, before = numbers(300, 200), numbers(200, 400), numbers(300, 400)
    devices = clgemm.DeviceSet([0])
    assert devices.device_names == [clgemm.Context(0).device_name]
    assert devices.device_names[0] in repr(devices)
    assert "kernel: " in devices.explain_host(300, 400, 200)
    demand_product(devices.sgemm(a, b), a, b)
    c = numpy.asfortranarray(before)
    demand_product(devices.sgemm(a, b, c, alpha=2.0, beta=0.5), a, b, 2.0, 0.5, before)
    with pytest.raises(TypeError, match="a must be"):
        devices.sgemm(a.astype(float), b)


def test_the_devices_of_the_environment_share_a_multiply(numbers, demand_product, monkeypatch):
    a = numbers(64, 64)
    clgemm.release_contexts()
    monkeypatch.setenv("CLGEMM_DEVICES", "no device of this name")
    with pytest.raises(clgemm.ArgumentError, match="no device of this name"):
        clgemm.sgemm(a, a.copy())
    monkeypatch.setenv("CLGEMM_DEVICES", "0")
    demand_product(clgemm.sgemm(a, a.copy()), a, a)
    assert "kernel: " in clgemm.explain_host(64, 64, 64)
    clgemm.release_contexts()


def test_a_context_by_index_and_by_name(numbers, demand_product):
    a = numbers(20, 20)
    by_index = clgemm.Context(0)
    by_name = clgemm.Context(by_index.device_name)
    demand_product(by_name.sgemm(a, a.copy()), a, a)
    clgemm.release_contexts()
    demand_product(clgemm.sgemm(a, a.copy()), a, a)


def test_threads_give_the_same_bits(numbers, demand_product):
    a, b = numbers(300, 300), numbers(300, 300)
    results = []
    threads = [threading.Thread(target=lambda: results.append(clgemm.sgemm(a, b))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 6 and all((result == results[0]).all() for result in results)
    demand_product(results[0], a, b)


def longest_gap_beside(call):
    """Returns the longest time that this thread does not run while another thread makes a call."""
    thread = threading.Thread(target=call)
    looks = [time.perf_counter()]
    thread.start()
    while thread.is_alive():
        looks.append(time.perf_counter())
    return max(later - earlier for earlier, later in zip(looks, looks[1:]))


def test_the_interpreters_lock_is_released(numbers):
    """While one thread multiplies, another one reads the clock. If the lock were held, it could not do so during the whole call.
    On a busy machine, it does not run for some 50 ms in any case. So a call is long, and there are several."""
    a, b, c = numbers(2500, 2500), numbers(2500, 2500), numbers(2500, 2500)
    call = min(timeit.repeat(lambda: clgemm.sgemm(a, b, c), number=1, repeat=3))
    gaps = []
    while len(gaps) < 10 and (not gaps or min(gaps) >= call / 2):
        gaps.append(longest_gap_beside(lambda: clgemm.sgemm(a, b, c)))
    assert min(gaps) < call / 2, (gaps, call)


def test_a_call_costs_little_beside_the_one_from_cpp(numbers):
    """With alpha 0 and beta 1, clgemm has nothing to do, so this is the time of Python and its checks. It was measured as 1.0 us, and
    0.2 in C++. A turn has few calls, so that some turns have a processor to themselves on a busy machine, too."""
    a, b, c = numbers(16, 16), numbers(16, 16), numbers(16, 16)
    calls = 50
    seconds = min(timeit.repeat(lambda: clgemm.sgemm(a, b, c, 0.0, 1.0), number=calls, repeat=2000))
    assert seconds / calls < 3e-6
