"""Matrices in device memory, and what PyOpenCL has for them. PyOpenCL is never imported here before a caller has it."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy

from . import _native

_element = 4  # bytes
_float32 = numpy.dtype(numpy.float32)


class DeviceMatrix:
    """A matrix, or a batch of them, somewhere in an OpenCL buffer. All counts are elements, not bytes.

    buffer        a pyopencl.Buffer, anything else with `int_ptr`, or the cl_mem as an integer; it stays the caller's
    shape         (rows, columns), or (count, rows, columns) for a batch
    ld            from one row to the next (order "C") or from one column to the next (order "F"); None: no gap
    offset        of the first element from the start of the buffer
    order         "C": row after row; "F": column after column
    batch_stride  from one matrix of the batch to the next; None: one behind the other
    """

    __slots__ = ("base_data", "shape", "strides", "offset", "dtype")

    def __init__(
        self,
        buffer: Any,
        shape: Sequence[int],
        *,
        ld: Optional[int] = None,
        offset: int = 0,
        order: str = "C",
        batch_stride: Optional[int] = None,
    ) -> None:
        if order not in ("C", "F"):
            raise ValueError(f"order must be 'C' or 'F', not {order!r}")
        if len(shape) not in (2, 3) or min(shape) < 0:
            raise ValueError(f"shape must be (rows, columns) or (count, rows, columns), not {tuple(shape)!r}")
        rows, columns = shape[-2:]
        lines, length = (rows, columns) if order == "C" else (columns, rows)
        if ld is None:
            ld = max(length, 1)
        if ld < length:
            raise ValueError(f"ld is {ld}, and a {'row' if order == 'C' else 'column'} has {length} elements")
        if offset < 0:
            raise ValueError(f"offset must not be negative, and is {offset}")
        strides: Tuple[int, ...] = (ld * _element, _element) if order == "C" else (_element, ld * _element)
        if len(shape) == 3:
            strides = ((lines * ld if batch_stride is None else batch_stride) * _element, *strides)
        self.base_data = buffer
        self.shape = tuple(shape)
        self.strides = strides
        self.offset = offset * _element  # in bytes, as PyOpenCL's arrays have it
        self.dtype = _float32


def is_on_device(matrix: Any) -> bool:
    return hasattr(matrix, "base_data")


def is_of_pyopencl(thing: Any) -> bool:
    return type(thing).__module__.partition(".")[0] in ("pyopencl", "pyopencl_cl")


def queue_of(arrays: Sequence[Any]) -> Any:
    """The first queue that one of these arrays names."""
    for array in arrays:
        queue = getattr(array, "queue", None)
        if queue is not None:
            return queue
    raise ValueError("queue: none of the arrays has a queue, so it must be given")


def new_array(queue: Any, shape: Tuple[int, ...], like: Any) -> Any:
    """A PyOpenCL array for a result."""
    if not is_of_pyopencl(queue):
        raise ValueError("c must be given where the queue is not one of PyOpenCL")
    from pyopencl import array

    return array.empty(queue, shape, _float32, allocator=getattr(like, "allocator", None))


def events_before(arrays: Sequence[Any], wait_for: Optional[Sequence[Any]]) -> Sequence[Any]:
    """What a call waits for: the caller's events and those that PyOpenCL's arrays carry."""
    events = list(wait_for) if wait_for is not None else []
    for array in arrays:
        events.extend(getattr(array, "events", ()))
    return events


def event_for(queue: Any, handle: int) -> Any:
    """The event as the class that the queue's library has for it."""
    if is_of_pyopencl(queue):
        from pyopencl import Event

        return Event.from_int_ptr(handle, retain=False)
    return _native.Event(handle)
