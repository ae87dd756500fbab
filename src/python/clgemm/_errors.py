"""The exceptions of clgemm. The native module makes them by make()."""

from __future__ import annotations

from typing import Any, Tuple


class Error(Exception):
    """What went wrong in clgemm; the text says which argument, where, and what would be right.

    code      the kind of error by the name that it has in C++, for example "build_failed"
    argument  the name of the argument that it is about; empty where it is about none or several
    """

    def __init__(self, text: str, code: str = "internal_error", argument: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.argument = argument

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (str(self), self.code, self.argument)


class ArgumentError(Error, ValueError):
    """An argument is to blame: a size, a buffer that is too small or of another context, a kernel's name or parameter."""


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
