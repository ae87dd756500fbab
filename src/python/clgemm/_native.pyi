from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union

class Options:
    def __init__(
        self,
        *,
        kernel: str = "",
        parameters: Mapping[str, int] = {},
        kernel_file: str = "",
        kernel_folder: str = "",
        precision: Literal["fp32_equivalent", "fp32"] = "fp32_equivalent",
        scratch_limit: int = 0,
        device_memory_limit: int = 0,
        host_matrices_are_pinned: bool = False,
        scratch: Any = None,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Options: ...
    def __deepcopy__(self, memo: Any) -> Options: ...
    def __reduce__(self) -> Tuple[Any, ...]: ...
    @property
    def kernel(self) -> str: ...
    @property
    def parameters(self) -> Dict[str, int]: ...
    @property
    def kernel_file(self) -> str: ...
    @property
    def kernel_folder(self) -> str: ...
    @property
    def precision(self) -> Literal["fp32_equivalent", "fp32"]: ...
    @property
    def scratch_limit(self) -> int: ...
    @property
    def device_memory_limit(self) -> int: ...
    @property
    def host_matrices_are_pinned(self) -> bool: ...
    @property
    def scratch(self) -> int: ...

class Shape:
    def __init__(
        self,
        m: int,
        n: int,
        k: int,
        transpose_a: bool,
        transpose_b: bool,
        column_major: bool,
        batch_count: int,
        one_a: bool,
        one_b: bool,
    ) -> None: ...

class Event:
    def __init__(self, int_ptr: int) -> None: ...
    @property
    def int_ptr(self) -> int: ...
    def wait(self) -> None: ...

class Context:
    def __init__(self, device: str = ...) -> None: ...
    @staticmethod
    def of_device(device: Any) -> Context: ...
    @staticmethod
    def of_queue(queue: Any) -> Context: ...
    def multiply(
        self,
        a: Any,
        b: Any,
        c: Any,
        alpha: float,
        beta: float,
        transpose_a: bool,
        transpose_b: bool,
        options: Options,
    ) -> None: ...
    def prepare(self, shapes: Sequence[Shape], options: Options) -> None: ...
    def explain(self, shape: Shape, options: Options) -> str: ...
    def explain_host(self, shape: Shape, options: Options) -> str: ...
    def scratch_bytes(self, shape: Shape, options: Options) -> int: ...
    def predicted_seconds(self, shape: Shape, options: Options) -> float: ...
    def device_name(self) -> str: ...

class DeviceSet:
    def __init__(self, devices: str) -> None: ...
    def multiply(
        self,
        a: Any,
        b: Any,
        c: Any,
        alpha: float,
        beta: float,
        transpose_a: bool,
        transpose_b: bool,
        options: Options,
    ) -> None: ...
    def explain_host(self, shape: Shape, options: Options) -> str: ...
    def device_names(self) -> List[str]: ...

def result_shape(a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> Tuple[int, ...]: ...
def result_shape_of_lists(a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> Tuple[int, int, int]: ...
def enqueue(
    context: Optional[Context],
    queue: Any,
    a: Any,
    b: Any,
    c: Any,
    alpha: float,
    beta: float,
    transpose_a: bool,
    transpose_b: bool,
    wait_for: Sequence[Any],
    options: Options,
) -> int: ...
def enqueue_lists(
    context: Optional[Context],
    queue: Any,
    a: Any,
    b: Any,
    c: Any,
    alpha: Union[float, Sequence[float]],
    beta: Union[float, Sequence[float]],
    transpose_a: bool,
    transpose_b: bool,
    wait_for: Sequence[Any],
    options: Options,
) -> int: ...
def release_contexts() -> None: ...
