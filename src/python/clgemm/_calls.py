"""The calls: sgemm() and its kin, as functions and as methods of a Context."""

from __future__ import annotations

import os
import threading
from typing import Any, Iterable, List, Optional, Sequence, Tuple, Union

import numpy

from . import _device, _native
from ._native import Options

_no_options = Options()
Sizes = Tuple[int, int, int]


def _shape(
    sizes: Sizes, transpose_a: bool, transpose_b: bool, order: str, batch_count: int
) -> _native.Shape:
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', not {order!r}")
    m, n, k = sizes
    return _native.Shape(m, n, k, transpose_a, transpose_b, order == "F", batch_count)


def _enqueue(
    native: Optional[_native.Context],
    queue: Any,
    arrays: Sequence[Any],
    alpha: float,
    beta: float,
    transpose_a: bool,
    transpose_b: bool,
    wait_for: Optional[Sequence[Any]],
    options: Optional[Options],
) -> Any:
    a, b, c = arrays
    events = _device.events_before(arrays, wait_for)
    handle = _native.enqueue(
        native, queue, a, b, c, alpha, beta, transpose_a, transpose_b, events, options or _no_options
    )
    event = _device.event_for(queue, handle)
    if hasattr(c, "add_event"):
        c.add_event(event)
    return event


def _multiply_on_device(
    native: Optional[_native.Context],
    a: Any,
    b: Any,
    c: Any,
    alpha: float,
    beta: float,
    transpose_a: bool,
    transpose_b: bool,
    queue: Any,
    wait_for: Optional[Sequence[Any]],
    options: Optional[Options],
) -> Any:
    _demand_c_for(beta, c)
    if queue is None:
        queue = _device.queue_of((a, b) if c is None else (c, a, b))
    if c is None:
        c = _device.new_array(queue, _native.result_shape(a, b, transpose_a, transpose_b), a)
    _enqueue(native, queue, (a, b, c), alpha, beta, transpose_a, transpose_b, wait_for, options)
    return c


def _demand_c_for(beta: float, c: Any) -> None:
    if c is None and beta != 0:
        raise ValueError(f"beta is {beta}, but there is no c that it could multiply")


def _multiply_on_host(
    owner: Union["Context", "DeviceSet"],
    a: Any,
    b: Any,
    c: Any,
    alpha: float,
    beta: float,
    transpose_a: bool,
    transpose_b: bool,
    options: Optional[Options],
) -> Any:
    _demand_c_for(beta, c)
    if c is None:
        c = numpy.empty(_native.result_shape(a, b, transpose_a, transpose_b), numpy.float32)
    owner._native.multiply(a, b, c, alpha, beta, transpose_a, transpose_b, options or _no_options)
    return c


def _multiply(
    context: Optional["Context"],
    a: Any,
    b: Any,
    c: Any,
    alpha: float,
    beta: float,
    transpose_a: bool,
    transpose_b: bool,
    queue: Any,
    wait_for: Optional[Sequence[Any]],
    options: Optional[Options],
) -> Any:
    if queue is not None or _device.is_on_device(a):
        native = None if context is None else context._native
        return _multiply_on_device(
            native, a, b, c, alpha, beta, transpose_a, transpose_b, queue, wait_for, options
        )
    if wait_for is not None:
        raise ValueError("wait_for is for arrays on a device")
    return _multiply_on_host(
        context or _default_owner(), a, b, c, alpha, beta, transpose_a, transpose_b, options
    )


class Context:
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
        queue: Any = None,
        wait_for: Optional[Sequence[Any]] = None,
        options: Optional[Options] = None,
    ) -> Any:
        """clgemm.sgemm() on this device."""
        return _multiply(self, a, b, c, alpha, beta, transpose_a, transpose_b, queue, wait_for, options)

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
        """clgemm.enqueue_sgemm() on a queue of this Context's device and OpenCL context."""
        return _enqueue(self._native, queue, (a, b, c), alpha, beta, transpose_a, transpose_b, wait_for, options)

    def explain(
        self,
        m: int,
        n: int,
        k: int,
        *,
        transpose_a: bool = False,
        transpose_b: bool = False,
        order: str = "C",
        batch_count: int = 1,
        options: Optional[Options] = None,
    ) -> str:
        """clgemm.explain() on this device."""
        shape = _shape((m, n, k), transpose_a, transpose_b, order, batch_count)
        return self._native.explain(shape, options or _no_options)

    def explain_host(
        self,
        m: int,
        n: int,
        k: int,
        *,
        transpose_a: bool = False,
        transpose_b: bool = False,
        order: str = "C",
        batch_count: int = 1,
        options: Optional[Options] = None,
    ) -> str:
        """clgemm.explain_host() on this device."""
        shape = _shape((m, n, k), transpose_a, transpose_b, order, batch_count)
        return self._native.explain_host(shape, options or _no_options)

    def prepare(
        self,
        sizes: Iterable[Sizes],
        *,
        transpose_a: bool = False,
        transpose_b: bool = False,
        order: str = "C",
        batch_count: int = 1,
        options: Optional[Options] = None,
    ) -> None:
        """clgemm.prepare() on this device."""
        shapes = [_shape(one, transpose_a, transpose_b, order, batch_count) for one in sizes]
        self._native.prepare(shapes, options or _no_options)

    def scratch_bytes(
        self,
        m: int,
        n: int,
        k: int,
        *,
        transpose_a: bool = False,
        transpose_b: bool = False,
        order: str = "C",
        batch_count: int = 1,
        options: Optional[Options] = None,
    ) -> int:
        """clgemm.scratch_bytes() on this device."""
        shape = _shape((m, n, k), transpose_a, transpose_b, order, batch_count)
        return self._native.scratch_bytes(shape, options or _no_options)

    def predicted_seconds(
        self,
        m: int,
        n: int,
        k: int,
        *,
        transpose_a: bool = False,
        transpose_b: bool = False,
        order: str = "C",
        batch_count: int = 1,
        options: Optional[Options] = None,
    ) -> float:
        """clgemm.predicted_seconds() on this device."""
        shape = _shape((m, n, k), transpose_a, transpose_b, order, batch_count)
        return self._native.predicted_seconds(shape, options or _no_options)


class DeviceSet:
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
        options: Optional[Options] = None,
    ) -> Any:
        """clgemm.sgemm() of arrays of the host, by all these devices."""
        return _multiply_on_host(self, a, b, c, alpha, beta, transpose_a, transpose_b, options)

    def explain_host(
        self,
        m: int,
        n: int,
        k: int,
        *,
        transpose_a: bool = False,
        transpose_b: bool = False,
        order: str = "C",
        batch_count: int = 1,
        options: Optional[Options] = None,
    ) -> str:
        """How such a multiply is divided, and the plan of a part on each device, in words."""
        shape = _shape((m, n, k), transpose_a, transpose_b, order, batch_count)
        return self._native.explain_host(shape, options or _no_options)


_lock = threading.Lock()
_default: Optional[Context] = None
_default_set: Optional[DeviceSet] = None


def _default_owner() -> Union[Context, DeviceSet]:
    """What multiplies arrays of the host: the devices of CLGEMM_DEVICES, where that is set, else the default Context."""
    global _default_set
    owner = _default_set or _default
    if owner is not None:
        return owner
    if not os.environ.get("CLGEMM_DEVICES"):
        return default_context()
    with _lock:
        _default_set = _default_set or DeviceSet(os.environ["CLGEMM_DEVICES"])
        return _default_set


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


def sgemm(
    a: Any,
    b: Any,
    c: Any = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    transpose_a: bool = False,
    transpose_b: bool = False,
    *,
    queue: Any = None,
    wait_for: Optional[Sequence[Any]] = None,
    options: Optional[Options] = None,
) -> Any:
    """C <- alpha * op(A) * op(B) + beta * C, and returns C.

    a            (m, k), or (k, m) with transpose_a: float32
    b            (k, n), or (n, k) with transpose_b: float32
    c            (m, n): float32, written; must not share elements with a and b. None: a new array
    alpha, beta  as in the formula; beta needs a c, and with beta 0 what was in c is not read
    transpose_a  whether op(A) is the transpose of a; transpose_b likewise
    queue        for arrays on a device: the queue, where it is not the one that c, a or b has
    wait_for     for arrays on a device: events that the multiply waits for, besides those that the arrays carry
    options      a clgemm.Options

    With three dimensions, (count, m, k) and so on, it is a batch: count multiplies. An a or b with two dimensions beside
    one with three serves for all of them.

    Arrays of the host: returns when c is complete. PyOpenCL's arrays (and clgemm.DeviceMatrix): returns when the multiply
    is enqueued; c carries the event, so that PyOpenCL's own operations wait for it, and `c.events[-1]` is it.
    """
    return _multiply(None, a, b, c, alpha, beta, transpose_a, transpose_b, queue, wait_for, options)


def enqueue_sgemm(
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
    queue     a pyopencl.CommandQueue, in-order or out-of-order, or the cl_command_queue as an integer
    returns   a pyopencl.Event where the queue is PyOpenCL's, else a clgemm.Event
    """
    return _enqueue(None, queue, (a, b, c), alpha, beta, transpose_a, transpose_b, wait_for, options)


def explain(
    m: int,
    n: int,
    k: int,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    order: str = "C",
    batch_count: int = 1,
    options: Optional[Options] = None,
) -> str:
    """The plan for a call in words: kernel and parameters, why it was chosen, the runners-up, pads, scratch.

    op(A) is m x k, op(B) k x n. `order` is "C" or "F", how all three lie in memory. Compiles like prepare().
    """
    return default_context().explain(
        m,
        n,
        k,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        order=order,
        batch_count=batch_count,
        options=options,
    )


def explain_host(
    m: int,
    n: int,
    k: int,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    order: str = "C",
    batch_count: int = 1,
    options: Optional[Options] = None,
) -> str:
    """explain() for arrays of the host: the parts that they go in, what is moved, and the plan of a part."""
    return _default_owner().explain_host(
        m,
        n,
        k,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        order=order,
        batch_count=batch_count,
        options=options,
    )


def prepare(
    sizes: Iterable[Sizes],
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    order: str = "C",
    batch_count: int = 1,
    options: Optional[Options] = None,
) -> None:
    """Compiles what calls of these sizes, each (m, n, k), need, so that the first real call does not wait for it."""
    default_context().prepare(
        sizes,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        order=order,
        batch_count=batch_count,
        options=options,
    )


def scratch_bytes(
    m: int,
    n: int,
    k: int,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    order: str = "C",
    batch_count: int = 1,
    options: Optional[Options] = None,
) -> int:
    """The device memory, in bytes, that a call takes for packed copies of A and B."""
    return default_context().scratch_bytes(
        m,
        n,
        k,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        order=order,
        batch_count=batch_count,
        options=options,
    )


def predicted_seconds(
    m: int,
    n: int,
    k: int,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    order: str = "C",
    batch_count: int = 1,
    options: Optional[Options] = None,
) -> float:
    """The seconds that the speed model expects of a call on a device's memory. Compiles nothing."""
    return default_context().predicted_seconds(
        m,
        n,
        k,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        order=order,
        batch_count=batch_count,
        options=options,
    )
