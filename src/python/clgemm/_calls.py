"""The calls: sgemm() and its kin, as methods of a Context, and as functions of the process."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union, cast, overload

import numpy

from . import _device, _native
from ._native import Options
from ._types import DeviceArray, OneForAll, Order, Sizes, SupportsDLPack

if TYPE_CHECKING:
    from ._types import Float32Array, HostArray

_no_options = Options()
Factor = Union[float, Sequence[float]]


def make_options(arguments: Dict[str, Any]) -> Options:
    """For pickle."""
    return Options(**arguments)


def asarray(array: SupportsDLPack) -> Float32Array:
    """An array or tensor of another library as a numpy array of float32, without a copy, by DLPack.

    The tensor must lie in the host's memory. What numpy cannot take, or is not float32, is a TypeError or a ValueError. Some
    versions of numpy make such arrays read-only: they can be `a` and `b`, but not the result.
    """
    try:
        taken = numpy.from_dlpack(cast(Any, array))  # the protocol's type differs between versions of numpy
    except (AttributeError, BufferError, RuntimeError) as error:
        raise TypeError(f"an array of the host's memory by DLPack is needed, not {type(array).__name__}: {error}") from None
    if taken.dtype != numpy.float32:
        raise TypeError(f"the array must be of float32, not {taken.dtype}")
    return taken


def _shape(
    sizes: Sizes,
    transpose_a: bool,
    transpose_b: bool,
    order: str,
    batch_count: int,
    one_for_all: str,
) -> _native.Shape:
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', not {order!r}")
    if one_for_all not in ("", "a", "b", "ab"):
        raise ValueError(f"one_for_all must be '', 'a', 'b' or 'ab', not {one_for_all!r}")
    m, n, k = sizes
    return _native.Shape(
        m, n, k, transpose_a, transpose_b, order == "F", batch_count, "a" in one_for_all, "b" in one_for_all
    )


def _demand_no_beta(beta: Any) -> None:
    """Where there is no c."""
    if beta != 0 if isinstance(beta, (int, float)) else numpy.any(numpy.asarray(beta) != 0):
        raise ValueError(f"beta is {beta}, but there is no c that it could multiply")


def _one_result(c: Any, out: Any) -> Any:
    """The result under either of its names."""
    if c is not None:
        raise TypeError("c and out: both are the result")
    return out


def _multiply_vectors(owner: Any, a: Any, b: Any, c: Any, how: Tuple[Any, ...]) -> Any:
    """As numpy.matmul has it: a vector is a row as `a` and a column as `b`, and the result has no such dimension."""
    a, b = numpy.asarray(a), numpy.asarray(b)
    one_row, one_column = a.ndim == 1, b.ndim == 1
    alpha, beta, transpose_a, transpose_b, options = how
    if one_row:
        a, transpose_a = a[None, :], False
    if one_column:
        b, transpose_b = b[:, None], False
    result = _matrices_of_result(numpy.asarray(c), one_row, one_column) if c is not None else None
    result = _multiply_on_host(owner, a, b, result, alpha, beta, transpose_a, transpose_b, options)
    if c is not None:
        return c
    index: Tuple[Any, ...] = (..., *((0,) if one_row else (slice(None),)), *((0,) if one_column else (slice(None),)))
    return result[index][()]  # a scalar of two vectors


def _transposes(a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> Tuple[bool, bool]:
    """A vector is not transposed."""
    return transpose_a and not _device.is_vector(a), transpose_b and not _device.is_vector(b)


def _shape_of_device_result(a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> Tuple[int, ...]:
    row, column = _device.is_vector(a), _device.is_vector(b)
    if not row and not column:
        return _native.result_shape(a, b, transpose_a, transpose_b)
    transpose_a, transpose_b = _transposes(a, b, transpose_a, transpose_b)
    matrix_a, matrix_b, _ = _device.as_matrices(a, b, None)
    *count, rows, columns = _native.result_shape(matrix_a, matrix_b, transpose_a, transpose_b)
    return (*count, *(() if row else (rows,)), *(() if column else (columns,)))


def _matrices_of_result(c: Any, one_row: bool, one_column: bool) -> Any:
    """The caller's array of a result without some dimensions as one with them."""
    if one_column:
        c = c[..., None]
    return c[..., None, :] if one_row else c


def _multiply_on_host(
    owner: Any, a: Any, b: Any, c: Any, alpha: Any, beta: Any, transpose_a: bool, transpose_b: bool, options: Options
) -> Any:
    if getattr(a, "ndim", 2) == 1 or getattr(b, "ndim", 2) == 1:
        return _multiply_vectors(owner, a, b, c, (alpha, beta, transpose_a, transpose_b, options))
    if c is None:
        _demand_no_beta(beta)
        c = numpy.empty(_native.result_shape(a, b, transpose_a, transpose_b), numpy.float32)
    owner.multiply(a, b, c, alpha, beta, transpose_a, transpose_b, options)
    return c


class _OnHost:
    """What is asked of a call of arrays of the host."""

    def _for_host(self) -> Union[_native.Context, _native.DeviceSet]:
        raise NotImplementedError

    def explain_host(
        self,
        m: int,
        n: int,
        k: int,
        *,
        transpose_a: bool = False,
        transpose_b: bool = False,
        order: Order = "C",
        options: Optional[Options] = None,
    ) -> str:
        """explain() for arrays of the host: the parts that they go in, what is moved, and the plan of a part on each
        device."""
        shape = _shape((m, n, k), transpose_a, transpose_b, order, 1, "")
        return self._for_host().explain_host(shape, options or _no_options)


class _Calls(_OnHost):
    """The calls of a Context, and those of the process, which are the package's functions."""

    def _for_device(self) -> Optional[_native.Context]:
        """None: the one that clgemm keeps for a call's queue."""
        raise NotImplementedError

    def _for_shapes(self) -> _native.Context:
        raise NotImplementedError

    @overload
    def sgemm(
        self,
        a: HostArray,
        b: HostArray,
        c: Optional[Float32Array] = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        transpose_a: bool = False,
        transpose_b: bool = False,
        *,
        out: Optional[Float32Array] = None,
        queue: None = None,
        wait_for: None = None,
        options: Optional[Options] = None,
    ) -> Float32Array: ...

    @overload
    def sgemm(
        self,
        a: DeviceArray,
        b: DeviceArray,
        c: Optional[DeviceArray] = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        transpose_a: bool = False,
        transpose_b: bool = False,
        *,
        out: Optional[DeviceArray] = None,
        queue: Any = None,
        wait_for: Optional[Sequence[Any]] = None,
        options: Optional[Options] = None,
    ) -> Any: ...

    def sgemm(
        self,
        a: Any,
        b: Any,
        c: Any = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        transpose_a: bool = False,
        transpose_b: bool = False,
        *,
        out: Any = None,
        queue: Any = None,
        wait_for: Optional[Sequence[Any]] = None,
        options: Optional[Options] = None,
    ) -> Any:
        """C <- alpha * op(A) * op(B) + beta * C, and returns C.

        a            (m, k), or (k, m) with transpose_a: float32
        b            (k, n), or (n, k) with transpose_b: float32
        c            (m, n): float32, written; must not share elements with a and b. None: a new array
        out          the same as c, by the name that numpy has for it
        alpha, beta  as in the formula; beta needs a c, and with beta 0 what was in c is not read
        transpose_a  whether op(A) is the transpose of a; transpose_b likewise
        queue        for arrays on a device: the queue, where it is not the one that c, a or b has
        wait_for     for arrays on a device: events that the multiply waits for, besides those that the arrays carry
        options      a clgemm.Options

        With three dimensions, (count, m, k) and so on, it is a batch: count multiplies, in one launch where that is
        faster. An a or b with two dimensions, or with a count of 1, beside one with three serves for all of them.

        With one dimension, an array is a vector, as numpy.matmul has it: a row as a, a column as b; c does not have that
        dimension. A vector is not transposed.

        Arrays of the host: returns when c is complete. PyOpenCL's arrays (and clgemm.DeviceMatrix): returns when the
        multiply is enqueued; c carries the event, so that PyOpenCL's own operations wait for it, and `c.events[-1]` is it.
        """
        if out is not None:
            c = _one_result(c, out)
        if queue is None and not _device.is_on_device(a):
            if wait_for is not None:
                raise ValueError("wait_for is for arrays on a device")
            return _multiply_on_host(
                self._for_host(), a, b, c, alpha, beta, transpose_a, transpose_b, options or _no_options
            )
        if queue is None:
            queue = _device.queue_of((a, b) if c is None else (c, a, b))
        if c is None:
            _demand_no_beta(beta)
            c = _device.new_array(queue, _shape_of_device_result(a, b, transpose_a, transpose_b), a)
        self.enqueue_sgemm(
            queue, a, b, c, alpha, beta, transpose_a, transpose_b, wait_for=wait_for, options=options
        )
        return c

    def enqueue_sgemm(
        self,
        queue: Any,
        a: Any,
        b: Any,
        c: Any,
        alpha: float = 1.0,
        beta: float = 0.0,
        transpose_a: bool = False,
        transpose_b: bool = False,
        *,
        wait_for: Optional[Sequence[Any]] = None,
        options: Optional[Options] = None,
    ) -> Any:
        """sgemm() of matrices in device memory, on this queue; returns the event that completes when c is complete.

        a, b, c   PyOpenCL's arrays or clgemm.DeviceMatrix, with shapes as for sgemm(); their memory belongs to the queue's
                  OpenCL context and must live until the event has completed
        queue     a pyopencl.CommandQueue, in-order or out-of-order, or the cl_command_queue as an integer; of a
                  Context's device and OpenCL context, where this is its method
        returns   a pyopencl.Event where the queue is PyOpenCL's, else a clgemm.Event
        """
        events = _device.events_before((a, b, c), wait_for)
        if _device.is_vector(a) or _device.is_vector(b):
            transpose_a, transpose_b = _transposes(a, b, transpose_a, transpose_b)
            a, b, c = _device.as_matrices(a, b, c)
        how = (alpha, beta, transpose_a, transpose_b, events, options or _no_options)
        return _device.event_of(queue, _native.enqueue(self._for_device(), queue, a, b, c, *how), (c,))

    def sgemm_batched(
        self,
        a: Any,
        b: Any,
        c: Optional[Sequence[Any]] = None,
        alpha: Factor = 1.0,
        beta: Factor = 0.0,
        transpose_a: bool = False,
        transpose_b: bool = False,
        *,
        queue: Any = None,
        wait_for: Optional[Sequence[Any]] = None,
        options: Optional[Options] = None,
    ) -> Sequence[Any]:
        """sgemm() of lists of matrices in device memory, which lie anywhere: c[i] <- alpha[i] op(a[i]) op(b[i]) + beta[i] c[i].

        a, b         lists of PyOpenCL's arrays or clgemm.DeviceMatrix, with two dimensions each, or one that serves for all
        c            a list of them, which is returned. None: new arrays, which lie one behind the other
        alpha, beta  a number for all, or a list of as many as there are multiplies

        The matrices of one list have one shape and one order; the distance between rows may differ. Those whose a, b and
        c are each in one buffer, with one such distance, are done in one launch, wherever they lie there, where that is
        faster. No c may share elements with any other matrix; between different i this is checked only for a c that stands
        twice in the list, and for one and the next. Everything else is as for sgemm().
        """
        if c is None:
            _demand_no_beta(beta)
            shape = _native.result_shape_of_lists(a, b, transpose_a, transpose_b)
            if queue is None:
                queue = _device.queue_of(_device.matrices_of(a, b))
            c = _device.new_arrays(queue, shape, a)
        elif queue is None:
            queue = _device.queue_of(_device.matrices_of(c, a, b))
        self.enqueue_sgemm_batched(
            queue, a, b, c, alpha, beta, transpose_a, transpose_b, wait_for=wait_for, options=options
        )
        return c

    def enqueue_sgemm_batched(
        self,
        queue: Any,
        a: Any,
        b: Any,
        c: Sequence[Any],
        alpha: Factor = 1.0,
        beta: Factor = 0.0,
        transpose_a: bool = False,
        transpose_b: bool = False,
        *,
        wait_for: Optional[Sequence[Any]] = None,
        options: Optional[Options] = None,
    ) -> Any:
        """sgemm_batched() on this queue; returns the event that completes when all of c is complete, as enqueue_sgemm()."""
        events = _device.events_before(_device.matrices_of(a, b, c), wait_for)
        how = (alpha, beta, transpose_a, transpose_b, events, options or _no_options)
        return _device.event_of(queue, _native.enqueue_lists(self._for_device(), queue, a, b, c, *how), c)

    def explain(
        self,
        m: int,
        n: int,
        k: int,
        *,
        transpose_a: bool = False,
        transpose_b: bool = False,
        order: Order = "C",
        batch_count: int = 1,
        one_for_all: OneForAll = "",
        options: Optional[Options] = None,
    ) -> str:
        """The plan for a call in words: kernel and parameters, why it was chosen, the runners-up, pads, scratch.

        op(A) is m x k, op(B) k x n. `order` is "C" or "F", how all three lie in memory. Of a batch, `one_for_all` names
        what has two dimensions: "", "a", "b" or "ab". Compiles like prepare().
        """
        shape = _shape((m, n, k), transpose_a, transpose_b, order, batch_count, one_for_all)
        return self._for_shapes().explain(shape, options or _no_options)

    def prepare(
        self,
        sizes: Iterable[Sizes],
        *,
        transpose_a: bool = False,
        transpose_b: bool = False,
        order: Order = "C",
        batch_count: int = 1,
        one_for_all: OneForAll = "",
        options: Optional[Options] = None,
    ) -> None:
        """Compiles what calls of these sizes, each (m, n, k), need, so that the first real call does not wait for it."""
        shapes = [_shape(one, transpose_a, transpose_b, order, batch_count, one_for_all) for one in sizes]
        self._for_shapes().prepare(shapes, options or _no_options)

    def scratch_bytes(
        self,
        m: int,
        n: int,
        k: int,
        *,
        transpose_a: bool = False,
        transpose_b: bool = False,
        order: Order = "C",
        batch_count: int = 1,
        one_for_all: OneForAll = "",
        options: Optional[Options] = None,
    ) -> int:
        """The device memory, in bytes, that a call takes for packed copies of A and B."""
        shape = _shape((m, n, k), transpose_a, transpose_b, order, batch_count, one_for_all)
        return self._for_shapes().scratch_bytes(shape, options or _no_options)

    def predicted_seconds(
        self,
        m: int,
        n: int,
        k: int,
        *,
        transpose_a: bool = False,
        transpose_b: bool = False,
        order: Order = "C",
        batch_count: int = 1,
        one_for_all: OneForAll = "",
        options: Optional[Options] = None,
    ) -> float:
        """The seconds that the speed model expects of a call on a device's memory. Compiles nothing."""
        shape = _shape((m, n, k), transpose_a, transpose_b, order, batch_count, one_for_all)
        return self._for_shapes().predicted_seconds(shape, options or _no_options)


class Context(_Calls):
    """A device with everything that clgemm keeps for it: compiled kernels and scratch memory.

    device  its index, as `clgemm-bench --list-devices` prints it, a part of its name, or a pyopencl.Device; None: the one
            that the environment variable CLGEMM_DEVICE names, else the first GPU, else the first CPU
    queue   a pyopencl.CommandQueue, in place of a device: its device and its OpenCL context, so that enqueue_sgemm takes
            buffers of that context; the queue itself is not kept

    Any number of threads may use one Context at the same time.
    """

    def __init__(self, device: Union[None, int, str, Any] = None, *, queue: Any = None) -> None:
        if queue is not None:
            if device is not None:
                raise ValueError("device and queue: a queue has its device")
            self._native = _native.Context.of_queue(queue)
        elif device is None:
            self._native = _native.Context()
        elif isinstance(device, (int, str)):
            self._native = _native.Context(str(device))
        else:
            self._native = _native.Context.of_device(device)

    def __repr__(self) -> str:
        return f"<clgemm.Context on {self.device_name}>"

    @property
    def device_name(self) -> str:
        """As the device's driver calls it."""
        return self._native.device_name()

    def _for_host(self) -> _native.Context:
        return self._native

    _for_device = _for_shapes = _for_host


class DeviceSet(_OnHost):
    """Several devices that share each multiply of arrays of the host; they may be of different vendors and kinds.

    devices  a list with commas, each an index or a part of a name as Context takes it, "all", or "all NVIDIA"; or a list
             of such words

    A device that fails is left out from then on, and the others do its part. The same devices give the same bits every time.
    """

    def __init__(self, devices: Union[str, Sequence[Union[int, str]]]) -> None:
        words = devices if isinstance(devices, str) else ",".join(str(one) for one in devices)
        self._native = _native.DeviceSet(words)

    def __repr__(self) -> str:
        return f"<clgemm.DeviceSet on {', '.join(self.device_names)}>"

    @property
    def device_names(self) -> List[str]:
        """As the devices' drivers call them, in the order of the list."""
        return self._native.device_names()

    def _for_host(self) -> _native.DeviceSet:
        return self._native

    def sgemm(
        self,
        a: HostArray,
        b: HostArray,
        c: Optional[Float32Array] = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        transpose_a: bool = False,
        transpose_b: bool = False,
        *,
        out: Optional[Float32Array] = None,
        options: Optional[Options] = None,
    ) -> Float32Array:
        """clgemm.sgemm() of arrays of the host, by all these devices; of a batch, each multiply by all of them."""
        if out is not None:
            c = _one_result(c, out)
        how = (alpha, beta, transpose_a, transpose_b, options or _no_options)
        result: Float32Array = _multiply_on_host(self._native, a, b, c, *how)
        return result


_lock = threading.Lock()
_default: Optional[Context] = None
_default_set: Optional[DeviceSet] = None


def default_context() -> Context:
    """The Context that the functions below use; made at the first call. Where CLGEMM_DEVICES lists devices, sgemm() of
    arrays of the host uses a DeviceSet of these instead."""
    global _default
    context = _default
    if context is None:
        with _lock:
            context = _default = _default or Context()
    return context


def release_contexts() -> None:
    """Lets go of what the functions below keep. Calls that are under way are not disturbed."""
    global _default, _default_set
    with _lock:
        _default = _default_set = None
    _native.release_contexts()


class _OfProcess(_Calls):
    def _for_device(self) -> None:
        return None

    def _for_shapes(self) -> _native.Context:
        return default_context()._native

    def _for_host(self) -> Union[_native.Context, _native.DeviceSet]:
        """The devices of CLGEMM_DEVICES, where that is set, else the default Context."""
        global _default_set
        owner = _default_set or _default
        if owner is not None:
            return owner._native
        if not os.environ.get("CLGEMM_DEVICES"):
            return default_context()._native
        with _lock:
            _default_set = _default_set or DeviceSet(os.environ["CLGEMM_DEVICES"])
            return _default_set._native


_process = _OfProcess()
sgemm = _process.sgemm
enqueue_sgemm = _process.enqueue_sgemm
sgemm_batched = _process.sgemm_batched
enqueue_sgemm_batched = _process.enqueue_sgemm_batched
explain = _process.explain
explain_host = _process.explain_host
prepare = _process.prepare
scratch_bytes = _process.scratch_bytes
predicted_seconds = _process.predicted_seconds
