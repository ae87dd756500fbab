"""Single-precision matrix multiplication (GEMM) on any OpenCL device: C <- alpha * op(A) * op(B) + beta * C.

    import clgemm, numpy
    a = numpy.ones((512, 256), numpy.float32)
    b = numpy.ones((256, 128), numpy.float32)
    c = clgemm.sgemm(a, b)

The device is the one that CLGEMM_DEVICE names, or else the first GPU, or else the first CPU.

A matrix is an array of float32 with two dimensions. A batch of matrices is an array with three dimensions, or a list
(see `sgemm_batched`). `sgemm` takes host arrays (numpy arrays, or any object with the buffer protocol) and PyOpenCL
arrays. `enqueue_sgemm` takes device memory and a queue, and returns an event.

Host arrays are passed to clgemm without a copy in Python. So the elements of each row, or of each column, must be
contiguous. The distance between rows or columns may be any number of elements.

Wrong arguments raise a TypeError or ValueError that names the argument, and nothing is written. Errors that clgemm
itself finds are of the class clgemm.Error, with a code and a text that says what would be right. If an argument is
wrong, the error is also a ValueError.

Any number of threads may call at the same time. A call releases the interpreter's lock while it works.
"""

try:
    from . import _native
except ImportError as error:
    if "libOpenCL" not in str(error):
        raise
    raise ImportError(
        f"clgemm needs the OpenCL loader ({error}). Install ocl-icd-libopencl1 (Debian, Ubuntu) or ocl-icd (Fedora, Arch, conda-forge),"
        " and a driver for your device. For a CPU, this is pocl-opencl-icd (Debian, Ubuntu) or pocl (Fedora, Arch, conda-forge)."
    ) from None

from ._bench import bench
from ._calls import (
    Context,
    DeviceSet,
    asarray,
    default_context,
    enqueue_sgemm,
    enqueue_sgemm_batched,
    explain,
    explain_host,
    predicted_seconds,
    prepare,
    release_contexts,
    scratch_bytes,
    sgemm,
    sgemm_batched,
)
from ._device import DeviceMatrix
from ._errors import ArgumentError, Error
from ._native import Event, Options
from ._version import __version__

__all__ = [
    "ArgumentError",
    "Context",
    "DeviceMatrix",
    "DeviceSet",
    "Error",
    "Event",
    "Options",
    "__version__",
    "asarray",
    "bench",
    "default_context",
    "enqueue_sgemm",
    "enqueue_sgemm_batched",
    "explain",
    "explain_host",
    "predicted_seconds",
    "prepare",
    "release_contexts",
    "scratch_bytes",
    "sgemm",
    "sgemm_batched",
]
