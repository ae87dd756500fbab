"""Matrices in device memory, and PyOpenCL's queues, arrays and events.

PyOpenCL is imported only when a caller passes one of its objects.
"""

from __future__ import annotations

from typing import Any, Iterable, List, Optional, Sequence, Tuple

import numpy

from . import _native
from ._types import Order

_element = 4  # bytes
_float32 = numpy.dtype(numpy.float32)


class DeviceMatrix:
    """A matrix or a batch of matrices in an OpenCL buffer. All distances are in elements, not in bytes.

    `buffer`        A pyopencl.Buffer, any other object with `int_ptr`, or the cl_mem as an integer. The caller keeps
                    ownership of the buffer.
    `shape`         The tuple (rows, columns), or (count, rows, columns) for a batch.
    `ld`            The leading dimension: the distance between rows (order "C") or between columns (order "F"). None
                    means no gap.
    `offset`        The distance of the first element from the start of the buffer.
    `order`         "C" if the matrix is stored row by row, "F" if column by column.
    `batch_stride`  The distance between the matrices of a batch. None means no gap.

    Raises ValueError if an argument does not match the others, for example if ld is less than the length of a row.
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
            raise ValueError(f"ld is {ld}, but a {'row' if order == 'C' else 'column'} has {length} elements")
        if offset < 0:
            raise ValueError(f"offset must not be negative, but it is {offset}")
        strides: Tuple[int, ...] = (ld * _element, _element) if order == "C" else (_element, ld * _element)
        if len(shape) == 3:
            strides = ((lines * ld if batch_stride is None else batch_stride) * _element, *strides)
        self.base_data = buffer
        self.shape = tuple(shape)
        self.strides = strides
        self.offset = offset * _element  # in bytes, as in PyOpenCL arrays
        self.dtype = _float32


def is_on_device(matrix: Any) -> bool:
    return hasattr(matrix, "base_data")


def is_of_pyopencl(thing: Any) -> bool:
    return type(thing).__module__.partition(".")[0] in ("pyopencl", "pyopencl_cl")


class _View:
    """An array with additional dimensions of length 1. All other attributes are those of the array."""

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
    """Returns the arrays as matrices: the vector a is a row, the vector b a column, and c has that dimension, too."""
    row, column = is_vector(a), is_vector(b)
    if c is not None and (row or column):
        c = _View(c, row=row, column=column)
    return _View(a, row=True) if row else a, _View(b, column=True) if column else b, c


def matrices_of(*arguments: Any) -> List[Any]:
    """Returns all matrices of the arguments. An argument is a list of matrices or a single matrix."""
    matrices = []
    for argument in arguments:
        if is_on_device(argument) or not isinstance(argument, Sequence):
            matrices.append(argument)
        else:
            matrices.extend(argument)
    return matrices


def queue_of(arrays: Iterable[Any]) -> Any:
    """Returns the queue of the first array that has one. Raises ValueError if none has."""
    for array in arrays:
        queue = getattr(array, "queue", None)
        if queue is not None:
            return queue
    raise ValueError("pass queue, because none of the arrays has a queue")


def new_array(queue: Any, shape: Tuple[int, ...], like: Any) -> Any:
    """Makes a PyOpenCL array for a result."""
    if not is_of_pyopencl(queue):
        raise ValueError("c must be given if the queue is not a PyOpenCL queue")
    from pyopencl import array

    return array.empty(queue, shape, _float32, allocator=getattr(like, "allocator", None))


def new_arrays(queue: Any, shape: Tuple[int, int, int], like: Any) -> List[Any]:
    """Makes PyOpenCL arrays for results. They follow each other in one buffer."""
    if 0 in shape:
        return [new_array(queue, shape[1:], like) for _ in range(shape[0])]
    together = new_array(queue, shape, like)
    return [together[i] for i in range(shape[0])]


def events_before(arrays: Iterable[Any], wait_for: Optional[Sequence[Any]]) -> Sequence[Any]:
    """Returns the events that a call waits for: those of the caller, and those that PyOpenCL arrays carry."""
    events = list(wait_for) if wait_for is not None else []
    carried = set()
    for array in arrays:
        of_array = getattr(array, "events", ())
        if of_array and id(of_array) not in carried:  # views of one array share its list
            carried.add(id(of_array))
            events.extend(of_array)
    return events


def event_of(queue: Any, handle: int, results: Iterable[Any]) -> Any:
    """Returns the event in the class of the queue's library, and adds it to results that are PyOpenCL arrays."""
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
