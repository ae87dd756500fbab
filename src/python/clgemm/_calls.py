"""sgemm() and the related calls, as methods of a Context and as functions of the package."""

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
    """Makes Options from the arguments that pickle has stored."""
    return Options(**arguments)


def asarray(array: SupportsDLPack) -> Float32Array:
    """Returns an array or tensor of another library as a numpy array of float32, by DLPack and without a copy.

    The tensor must be in host memory. Raises a TypeError or ValueError if numpy cannot take it, or if its type is not
    float32. Some versions of numpy make such arrays read-only. They can be `a` and `b`, but not the result.
    """
    try:
        taken = numpy.from_dlpack(cast(Any, array))  # the protocol's type differs between versions of numpy
    except (AttributeError, BufferError, RuntimeError) as error:
        raise TypeError(f"expected a host array with DLPack, not {type(array).__name__}: {error}") from None
    if taken.dtype != numpy.float32:
        raise TypeError(f"the array's elements must be float32, not {taken.dtype}")
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
    """Raises ValueError if beta is not 0. Called if there is no c."""
    if beta != 0 if isinstance(beta, (int, float)) else numpy.any(numpy.asarray(beta) != 0):
        raise ValueError(f"beta is {beta}, but there is no c to multiply it with")


def _one_result(c: Any, out: Any) -> Any:
    """Returns the result that is given as `out`. Raises TypeError if `c` is given, too."""
    if c is not None:
        raise TypeError("c and out are both the result; pass only one of them")
    return out


def _multiply_vectors(owner: Any, a: Any, b: Any, c: Any, how: Tuple[Any, ...]) -> Any:
    """Multiplies vectors like numpy.matmul: `a` is a row and `b` a column, and the result lacks that dimension."""
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
    return result[index][()]  # a scalar if both are vectors


def _transposes(a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> Tuple[bool, bool]:
    """Returns the two flags, but False for a vector, because vectors are not transposed."""
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
    """Returns a view of the caller's result with the dimensions that it lacks, because `a` or `b` is a vector."""
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
    """The methods for host arrays that Context and DeviceSet have in common."""

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
        """Describes in words how sgemm() would compute on host arrays of this size.

        The text says into which parts the matrices are divided, what is copied, and the plan for a part on each device.
        The arguments are those of explain().
        """
        shape = _shape((m, n, k), transpose_a, transpose_b, order, 1, "")
        return self._for_host().explain_host(shape, options or _no_options)


class _Calls(_OnHost):
    """The methods of a Context, which are also the functions of the package."""

    def _for_device(self) -> Optional[_native.Context]:
        """Returns the native Context, or None for the one that clgemm keeps for the queue of a call."""
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
        """Computes C <- alpha * op(A) * op(B) + beta * C, and returns C.

        `a`            The matrix A, an array of float32 with shape (m, k), or (k, m) with transpose_a.
        `b`            The matrix B, an array of float32 with shape (k, n), or (n, k) with transpose_b.
        `c`            The result, an array of float32 with shape (m, n). It must not share elements with a or b.
                       None means a new array: numpy's for host arrays, PyOpenCL's for arrays on a device.
        `out`          The same as c, under the name that numpy uses. Give at most one of the two.
        `alpha`        The factor of the product.
        `beta`         The factor of the old C. If beta is 0, c is not read. If it is not 0, c must be given.
        `transpose_a`  If True, op(A) is the transpose of a, else it is a itself.
        `transpose_b`  The same for b.
        `queue`        Only for arrays on a device: the queue to use. None means the queue of c, a or b.
        `wait_for`     Only for arrays on a device: a list of events. The call starts after these events and after the
                       events that the arrays carry.
        `options`      A clgemm.Options. None means the default options.

        Host arrays: the call returns when c is complete. PyOpenCL arrays and clgemm.DeviceMatrix: the call returns when
        the work is enqueued. A PyOpenCL array c then carries the event as `c.events[-1]`, so PyOpenCL's own operations
        wait for it.

        Arrays with three dimensions, for example (count, m, k), are a batch of `count` GEMMs. The batch runs in one
        launch if that is faster. If a or b has two dimensions, or a count of 1, it is used for the whole batch.

        An array with one dimension is a vector, as in numpy.matmul: a is a row, and b is a column. The result does not
        have that dimension. A vector is not transposed.

        Raises a TypeError or ValueError that names the argument before anything is written. It is raised for another
        type than float32, shapes that do not match, strides that would need a copy, and a c that is read-only or shares
        elements with a or b. Raises clgemm.Error if the device fails.
        """
        if out is not None:
            c = _one_result(c, out)
        if queue is None and not _device.is_on_device(a):
            if wait_for is not None:
                raise ValueError("wait_for can be used only with arrays on a device")
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
        """Enqueues sgemm() on matrices in device memory, and returns an event that completes when c is complete.

        The event is a pyopencl.Event if the queue is PyOpenCL's, else a clgemm.Event.

        `queue`        A pyopencl.CommandQueue, or the cl_command_queue as an integer. It may be in-order or
                       out-of-order. For a method of a Context, it must be of the same device and OpenCL context.
        `a`, `b`, `c`  PyOpenCL arrays or clgemm.DeviceMatrix, with shapes as for sgemm(). Their memory must belong to
                       the queue's OpenCL context, and must exist until the event has completed.
        `wait_for`     A list of events that must complete before the call starts. Events that the arrays carry are
                       added to it. None means no further events.

        All other arguments, and the errors, are as for sgemm().
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
        """Computes c[i] <- alpha[i] * op(a[i]) * op(b[i]) + beta[i] * c[i] for lists of matrices, and returns c.

        The matrices may be at any place in device memory.

        `a`, `b`         A list of PyOpenCL arrays or clgemm.DeviceMatrix with two dimensions each. A single matrix is
                         used for the whole batch.
        `c`              A list of such matrices for the results. None means new arrays, all in one buffer.
        `alpha`, `beta`  A number for all GEMMs, or a list with one number for each GEMM.

        All other arguments, and the errors, are as for sgemm().

        All matrices of one list have the same shape and the same order. The distance between their rows may differ.
        GEMMs run together in one launch if that is faster. This is possible for GEMMs whose a are in one buffer with
        the same distance between rows, and likewise their b and c.

        No c may share elements with another matrix. Between different i, this is checked only for neighbours in the
        list, and for a c that is in the list twice.
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
        """Enqueues sgemm_batched(), and returns an event that completes when every c is complete.

        The arguments are as for sgemm_batched(), but the queue comes first and c must be given. The class of the event
        is as for enqueue_sgemm().
        """
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
        """Describes in words the plan for a call on device memory, and compiles its programs like prepare().

        The text names the kernel and its parameters, the reason for this choice, and the next best kernels. It also
        says what is padded, and how much scratch memory the call needs.

        `m`, `n`, `k`                 The sizes: op(A) is m x k, op(B) is k x n, and C is m x n.
        `transpose_a`, `transpose_b`  If True, op(A) or op(B) is a transpose, as for sgemm().
        `order`                       "C" if all three matrices are stored row by row, "F" if column by column.
        `batch_count`                 The number of GEMMs in a batch.
        `one_for_all`                 The matrices that are used for the whole batch: "", "a", "b" or "ab".
        `options`                     A clgemm.Options. None means the default options.

        Raises ValueError if order or one_for_all has another value, and clgemm.Error if there is no plan.
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
        """Compiles the programs for calls of these sizes, so that the first call does not wait for the compiler.

        `sizes` is a list of tuples (m, n, k). All other arguments, and the errors, are as for explain().
        """
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
        """Returns the device memory, in bytes, that a call needs for packed copies of A and B.

        The arguments are as for explain().
        """
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
        """Returns the time, in seconds, that the speed model predicts for a call on device memory.

        Compiles no kernel, but may probe a device that has no tuning data. The arguments are as for explain().
        """
        shape = _shape((m, n, k), transpose_a, transpose_b, order, batch_count, one_for_all)
        return self._for_shapes().predicted_seconds(shape, options or _no_options)


class Context(_Calls):
    """A device with everything that clgemm keeps for it: compiled kernels and scratch memory.

    `device`  The device's index in the output of `clgemm-bench --list-devices`, a part of its name, or a
              pyopencl.Device. None means the device that the environment variable CLGEMM_DEVICE names, or else the
              first GPU, or else the first CPU.
    `queue`   A pyopencl.CommandQueue, instead of a device. The Context uses the queue's device and OpenCL context, so
              enqueue_sgemm() accepts buffers of that context. The queue itself is not kept.

    Raises ValueError if both are given, and clgemm.ArgumentError if there is no such device.

    Any number of threads may use one Context at the same time.
    """

    def __init__(self, device: Union[None, int, str, Any] = None, *, queue: Any = None) -> None:
        if queue is not None:
            if device is not None:
                raise ValueError("device and queue cannot be used together, because a queue has a device")
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
        """The name of the device, as its driver reports it."""
        return self._native.device_name()

    def _for_host(self) -> _native.Context:
        return self._native

    _for_device = _for_shapes = _for_host


class DeviceSet(_OnHost):
    """Several devices that share each call on host arrays. They may be of different vendors and kinds.

    `devices`  A string with commas between devices, for example "0,1", or a list of devices. Each device is an index
               or a part of a name, as for Context. "all" means all devices, and "all NVIDIA"
               means all devices with NVIDIA in their name or in the name of their platform.

    If a device fails, it is not used again, and the other devices do its work. The same devices give the same result
    every time, bit for bit.
    """

    def __init__(self, devices: Union[str, Sequence[Union[int, str]]]) -> None:
        words = devices if isinstance(devices, str) else ",".join(str(one) for one in devices)
        self._native = _native.DeviceSet(words)

    def __repr__(self) -> str:
        return f"<clgemm.DeviceSet on {', '.join(self.device_names)}>"

    @property
    def device_names(self) -> List[str]:
        """The names of the devices, as their drivers report them, in the order of the list."""
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
        """Computes clgemm.sgemm() on host arrays with all these devices. They share every GEMM of a batch."""
        if out is not None:
            c = _one_result(c, out)
        how = (alpha, beta, transpose_a, transpose_b, options or _no_options)
        result: Float32Array = _multiply_on_host(self._native, a, b, c, *how)
        return result


_lock = threading.Lock()
_default: Optional[Context] = None
_default_set: Optional[DeviceSet] = None


def default_context() -> Context:
    """Returns the Context that the functions of the package use. The first call creates it.

    If the environment variable CLGEMM_DEVICES lists devices, sgemm() on host arrays uses a DeviceSet of them instead.
    """
    global _default
    context = _default
    if context is None:
        with _lock:
            context = _default = _default or Context()
    return context


def release_contexts() -> None:
    """Frees the contexts that the functions of the package keep. Calls that are running are not affected."""
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
        """Returns the DeviceSet of CLGEMM_DEVICES if that is set, else the default Context."""
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
