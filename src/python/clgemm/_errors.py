"""The exceptions of clgemm. The native module calls make() to create them."""

from __future__ import annotations

from typing import Any, Tuple


class Error(Exception):
    """An error that clgemm found. The text names the argument or the step, and says what would be right.

    `code`      The kind of error, by its name in the C++ library, for example "build_failed".
    `argument`  The name of the argument that is wrong. It is empty if the error is about no argument or several.
    """

    def __init__(self, text: str, code: str = "internal_error", argument: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.argument = argument

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (str(self), self.code, self.argument)


class ArgumentError(Error, ValueError):
    """An error in an argument, which is also a ValueError.

    Examples are a wrong size, a buffer that is too small or belongs to another context, and an unknown kernel.
    """


_of_arguments = frozenset(
    {
        "invalid_argument",
        "invalid_leading_dimension",
        "buffer_too_small",
        "wrong_context",
        "device_not_found",
        "kernel_not_found",
        "invalid_parameter",
    }
)


def make(code: str, text: str, argument: str) -> Error:
    return (ArgumentError if code in _of_arguments else Error)(text, code, argument)
