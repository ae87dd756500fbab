"""Single-precision matrix multiply on any OpenCL device: C <- alpha * op(A) * op(B) + beta * C.

    import clgemm, numpy
    a = numpy.ones((512, 256), numpy.float32)
    b = numpy.ones((256, 128), numpy.float32)
    c = clgemm.sgemm(a, b)          # on the device that CLGEMM_DEVICE names, else the first GPU, else the first CPU

A matrix is an array of float32 with two dimensions; a batch of them has three, or is a list (`sgemm_batched`). `sgemm` takes arrays of the host (numpy's,
or anything with the buffer protocol) and PyOpenCL's arrays; `enqueue_sgemm` takes device memory and a queue, and returns
an event. Any layout and any strides will do that need no copy: rows or columns lie together, at any distance from each
other. What cannot be so is a TypeError or ValueError that names the argument, and then nothing has been written.

Everything that clgemm itself finds wrong is a clgemm.Error, with a code and a text that says what would be right; where
an argument is to blame, it is a ValueError, too. Any number of threads may call at the same time: the interpreter's lock
is released while a call works.
"""

try:
    from . import _native
except ImportError as error:
    if "libOpenCL" not in str(error):
        raise
    raise ImportError(
        f"clgemm needs the OpenCL loader ({error}). Install ocl-icd-libopencl1 (Debian, Ubuntu) or ocl-icd (Fedora, Arch, conda-forge),"
        " and a driver of your device; of a CPU that is pocl-opencl-icd (Debian, Ubuntu) or pocl (Fedora, Arch, conda-forge)."
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
