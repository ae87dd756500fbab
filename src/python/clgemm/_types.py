"""Types of the arguments, for type checkers."""

from __future__ import annotations

import array
from typing import TYPE_CHECKING, Any, Literal, Protocol, Tuple, Union

Sizes = Tuple[int, int, int]
Order = Literal["C", "F"]
OneForAll = Literal["", "a", "b", "ab"]

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Float32Array = NDArray[numpy.float32]
    HostArray = Union[Float32Array, memoryview, "array.array[float]"]


class DeviceArray(Protocol):
    """A pyopencl.array.Array or a clgemm.DeviceMatrix."""

    @property
    def base_data(self) -> Any: ...


class SupportsDLPack(Protocol):
    """An array or tensor of another library that provides its memory by DLPack."""

    def __dlpack__(self) -> Any: ...

    def __dlpack_device__(self) -> Tuple[Any, Any]: ...
