"""Matrices in device memory, and what PyOpenCL has for them. PyOpenCL is never imported here before a caller has it."""

from __future__ import annotations

from typing import Any, Iterable, List, Optional, Sequence, Tuple

import numpy

from . import _native
from ._types import Order

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
        order: Order = "C",
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


class _View:
    """An array with further dimensions of one element; all else is the array's."""

    def __init__(self, array: Any, *, row: bool = False, column: bool = False) -> None:
        shape, strides = list(array.shape), list(array.strides)
        if column:
            shape.append(1)
            strides.append(_element)
        if row:
            shape.insert(len(shape) - 1, 1)
            strides.insert(len(strides) - 1, _element)
        self._array = array
        self.shape, self.strides = tuple(shape), tuple(strides)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._array, name)


def is_vector(array: Any) -> bool:
    return len(getattr(array, "shape", ())) == 1


def as_matrices(a: Any, b: Any, c: Any) -> Tuple[Any, Any, Any]:
    """The same arrays, of which vectors are a row (a) or a column (b), and a c without such a dimension has it."""
    row, column = is_vector(a), is_vector(b)
    if c is not None and (row or column):
        c = _View(c, row=row, column=column)
    return _View(a, row=True) if row else a, _View(b, column=True) if column else b, c


def matrices_of(*arguments: Any) -> List[Any]:
    """All matrices of arguments that are lists of them, or one for all."""
    matrices = []
    for argument in arguments:
        if is_on_device(argument) or not isinstance(argument, Sequence):
            matrices.append(argument)
        else:
            matrices.extend(argument)
    return matrices


def queue_of(arrays: Iterable[Any]) -> Any:
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


def new_arrays(queue: Any, shape: Tuple[int, int, int], like: Any) -> List[Any]:
    """PyOpenCL arrays for results, one behind the other in one buffer."""
    if 0 in shape:
        return [new_array(queue, shape[1:], like) for _ in range(shape[0])]
    together = new_array(queue, shape, like)
    return [together[i] for i in range(shape[0])]


def events_before(arrays: Iterable[Any], wait_for: Optional[Sequence[Any]]) -> Sequence[Any]:
    """What a call waits for: the caller's events and those that PyOpenCL's arrays carry."""
    events = list(wait_for) if wait_for is not None else []
    carried = set()
    for array in arrays:
        of_array = getattr(array, "events", ())
        if of_array and id(of_array) not in carried:  # parts of an array carry one list
            carried.add(id(of_array))
            events.extend(of_array)
    return events


def event_of(queue: Any, handle: int, results: Iterable[Any]) -> Any:
    """The event as the class that the queue's library has for it; PyOpenCL's arrays carry it from now on."""
    if not is_of_pyopencl(queue):
        event: Any = _native.Event(handle)
    else:
        from pyopencl import Event

        event = Event.from_int_ptr(handle, retain=False)
    carried = set()
    for result in results:
        if hasattr(result, "add_event") and id(result.events) not in carried:
            carried.add(id(result.events))
            result.add_event(event)
    return event
