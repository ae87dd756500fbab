"""Invalid calls: the error names the argument, and nothing is written."""

import pickle

import numpy
import pytest

import clgemm


def ones(*shape):
    return numpy.ones(shape, numpy.float32)


def read_only(matrix):
    matrix.flags.writeable = False
    return matrix


def unaligned(rows, columns):
    return numpy.zeros(rows * columns * 4 + 1, numpy.uint8)[1:].view(numpy.float32).reshape(rows, columns)


def between_elements(rows, columns):
    return numpy.ndarray((rows, columns), numpy.float32, numpy.zeros(rows * (columns * 4 + 2), numpy.uint8), strides=(columns * 4 + 2, 4))


# The mistake, the error's kind, a part of its text, and the change to the call 4 x 6 times 6 x 5.
CASES = {
    "a_float64": (TypeError, "a must be an array of float32, not float64", {"a": numpy.ones((4, 6))}),
    "b_float16": (TypeError, "b must be", {"b": numpy.ones((6, 5), numpy.float16)}),
    "b_integers": (TypeError, "b must be an array of float32, not int32", {"b": numpy.ones((6, 5), numpy.int32)}),
    "c_float64": (TypeError, "c must be an array of float32, not float64", {"c": numpy.ones((4, 5))}),
    "a_of_the_other_order": (TypeError, "a must be", {"a": numpy.ones((4, 6), ">f4")}),
    "a_list": (TypeError, "a must be an array of float32, not list", {"a": [[1.0]]}),
    "a_objects": (TypeError, "a must be", {"a": numpy.ones((4, 6), object)}),
    "b_none": (TypeError, "b must be an array of float32, not NoneType", {"b": None}),
    "no_dimension": (ValueError, "a must have two dimensions", {"a": numpy.float32(1) * numpy.ones((), numpy.float32)}),
    "c_of_a_vector": (ValueError, "c must have two dimensions", {"a": ones(6)}),
    "four_dimensions": (ValueError, "b must have two dimensions", {"b": ones(1, 1, 6, 5)}),
    "inner_sizes": (ValueError, "a is 4 x 6 and b is 7 x 5: b needs 6 rows", {"b": ones(7, 5)}),
    "inner_sizes_transposed": (ValueError, "a, transposed, is 6 x 4", {"transpose_a": True}),
    "shape_of_c": (ValueError, "c is 5 x 4, but the result is 4 x 5", {"c": ones(5, 4)}),
    "c_is_a_batch": (ValueError, "c must have two dimensions", {"c": ones(1, 4, 5)}),
    "c_is_no_batch": (ValueError, "c must have three dimensions", {"a": ones(2, 4, 6)}),
    "counts_of_batches": (
        ValueError,
        "b has 3 matrices in a batch of 2",
        {"a": ones(2, 4, 6), "b": ones(3, 6, 5), "c": ones(2, 4, 5)},
    ),
    "both_strides": (ValueError, "a has strides of 24 and 2 elements", {"a": ones(8, 12)[::2, ::2]}),
    "negative_stride": (ValueError, "b has strides of 5 and -1", {"b": ones(6, 5)[:, ::-1]}),
    "stride_zero": (ValueError, "b has strides of 0", {"b": numpy.broadcast_to(ones(5), (6, 5))}),
    "stride_of_c": (ValueError, "c has strides of 20 and 2", {"c": ones(8, 10)[::2, ::2]}),
    "unaligned": (ValueError, "a has an address", {"a": unaligned(4, 6)}),
    "stride_of_no_elements": (ValueError, "a has a stride or offset of 26 bytes", {"a": between_elements(4, 6)}),
    "a_dates": (TypeError, "a must be an array of float32, not numpy.ndarray datetime64[s]", {"a": numpy.zeros((4, 6), "M8[s]")}),
    "a_bytes": (TypeError, "a must be an array of float32, not items 'B'", {"a": b"1234"}),
    "read_only_c": (ValueError, "c is read-only", {"c": read_only(ones(4, 5))}),
    "alpha": (TypeError, "alpha must be a number, not str", {"alpha": "1"}),
    "beta": (TypeError, "beta must be a number, not complex", {"beta": 1j}),
    "transpose": (TypeError, "transpose_b must be True or False, not str", {"transpose_b": "N"}),
    "kernel": (ValueError, "no kernel 'tilde'", {"options": clgemm.Options(kernel="tilde")}),
    "parameter": (ValueError, "TS", {"options": clgemm.Options(kernel="tiled", parameters={"TS": 5})}),
    "options": (TypeError, "Options", {"options": {"kernel": "tiled"}}),
    "wait_for": (ValueError, "wait_for", {"wait_for": []}),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_said_and_nothing_is_written(case):
    kind, text, changes = CASES[case]
    arguments = {"a": ones(4, 6), "b": ones(6, 5), "c": ones(4, 5), "beta": 0.5, **changes}
    before = arguments["c"].copy()
    with pytest.raises(kind) as raised:
        clgemm.sgemm(**arguments)
    assert text in str(raised.value)
    assert (arguments["c"] == before).all()


def test_c_shares_no_element_with_a_and_b():
    memory = ones(40, 40)
    for arguments in (
        {"a": memory[:4, :6], "b": ones(6, 5), "c": memory[3:7, 5:10]},
        {"a": ones(4, 6), "b": memory[:6, :5], "c": memory[5:9, :5]},
    ):
        with pytest.raises(ValueError, match=r"C overlaps [AB]"):
            clgemm.sgemm(**arguments)
    assert (memory == 1.0).all()
    clgemm.sgemm(memory[:4, :6], memory[10:16, :5], memory[:4, 6:11])  # it is in A's gaps
    assert (memory[:4, 6:11] == 6.0).all()


def test_matrices_of_a_batch_do_not_overlap():
    memory = ones(6, 4, 4)
    with pytest.raises(ValueError, match="c overlaps a"):
        clgemm.sgemm(memory[:2], ones(4, 4), memory[1:3])
    with pytest.raises(ValueError, match="c: the matrices of the batch overlap"):
        clgemm.sgemm(ones(3, 4, 4), ones(4, 4), numpy.lib.stride_tricks.as_strided(memory, (3, 4, 4), (32, 16, 4)))
    with pytest.raises(ValueError, match="negative stride"):
        clgemm.sgemm(memory[::-1], ones(4, 4))
    assert (memory == 1.0).all()


def test_beta_needs_a_c():
    with pytest.raises(ValueError, match="beta is 1"):
        clgemm.sgemm(ones(2, 2), ones(2, 2), beta=1)


def test_an_error_of_clgemm_has_its_code():
    with pytest.raises(clgemm.ArgumentError) as raised:
        clgemm.Context("no device of this name")
    assert raised.value.code == "device_not_found"
    again = pickle.loads(pickle.dumps(raised.value))
    assert (type(again), again.code, str(again)) == (clgemm.ArgumentError, "device_not_found", str(raised.value))


def test_an_error_of_clgemm_has_the_arguments_name():
    memory = ones(4, 4)
    with pytest.raises(clgemm.ArgumentError) as raised:
        clgemm.sgemm(memory, ones(4, 4), memory)
    assert raised.value.argument == "c"


def test_a_kernel_that_does_not_compile_shows_the_compilers_words(tmp_path):
    file = tmp_path / "broken.cl"
    text = clgemm_kernel("naive").replace("store_c(", "no_such_function(")
    file.write_text(text)
    with pytest.raises(clgemm.Error, match="no_such_function") as raised:
        clgemm.sgemm(ones(4, 4), ones(4, 4), options=clgemm.Options(kernel_file=str(file)))
    assert raised.value.code == "build_failed"
    assert not isinstance(raised.value, ValueError)


def clgemm_kernel(name):
    import subprocess

    from clgemm._bench import program

    return subprocess.run([program("clgemm-bench"), "--show-kernel", name], stdout=subprocess.PIPE, text=True, check=True).stdout


def test_options_and_shapes_are_checked():
    assert [clgemm.Options(precision=name).precision for name in ("fp32", "fp32_equivalent")] == ["fp32", "fp32_equivalent"]
    assert clgemm.explain(64, 32, 16, transpose_b=True) == clgemm.explain(64, 32, 16, transpose_b=True, order="C")
    with pytest.raises(ValueError, match="precision must be"):
        clgemm.Options(precision="fp16")
    with pytest.raises(ValueError, match="order must be"):
        clgemm.explain(2, 2, 2, order="K")
    with pytest.raises(TypeError):
        clgemm.Options("tiled")
