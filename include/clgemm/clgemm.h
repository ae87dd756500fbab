/// \file
/// clgemm in C (C11, also valid C++): single-precision matrix multiply for any OpenCL device.
///
///      C <- alpha * op(A) * op(B) + beta * C        op(X) is X or its transpose
///
/// op(A) is m x k, op(B) is k x n, C is m x n. All sizes, offsets and leading dimensions count elements, not
/// bytes. In a row-major matrix, row r starts at r * ld and ld is at least the number of columns; in a
/// column-major one, column c starts at c * ld and ld is at least the number of rows. Those rows and columns
/// are the ones that lie in memory: with CLGEMM_TRANSPOSE and row-major, A is stored as k rows of m.
///
/// As in the BLAS: beta == 0 never reads C; alpha == 0 or k == 0 never reads A and B; m == 0 or n == 0 does
/// nothing. The memory between the rows (ld larger than a row) is never written. Infinities and NaN come out
/// where IEEE arithmetic puts them. Where k is cut into blocks, for want of memory or by a kernel, alpha
/// multiplies the sum of each: an infinite one may then give NaN, from Inf - Inf or Inf * 0, where it would
/// give infinity with the whole sum. The same call on the same device gives the same bits every time, if
/// clgemm chooses the same kernel: on a device that nobody has measured, that depends on a probe
/// (docs/platforms.md).
///
/// Every function that can fail returns a clgemm_status; clgemm_last_error() then says in words what was
/// wrong. What can be wrong with the arguments is checked before any work, and C is then as it was. clgemm
/// never prints and never ends the program.
///
/// The functions do what their namesakes of clgemm.hpp do, with the arguments in the same order behind a
/// context. A NULL context stands for the ones that clgemm keeps itself: one for host matrices, made with the
/// default device at the first call, and one for each of the last few pairs of OpenCL context and device
/// that queues came with. They live until clgemm_release_contexts() and keep those OpenCL contexts alive.
#ifndef CLGEMM_CLGEMM_H
#define CLGEMM_CLGEMM_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <clgemm/export.h>
#include <clgemm/version.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this header, first part. Before 1.0, another minor version may break what uses clgemm.
#define CLGEMM_VERSION_MAJOR 0
/// The version of this header, second part.
#define CLGEMM_VERSION_MINOR 2
/// The version of this header, third part.
#define CLGEMM_VERSION_PATCH 0

/// The version of the library that is linked, as "major.minor.patch".
CLGEMM_API const char* clgemm_version(void);

/// What became of a call.
typedef enum clgemm_status {
  CLGEMM_SUCCESS = 0,                ///< all is well
  CLGEMM_INVALID_ARGUMENT,           ///< a size, a null pointer, a wait list, ...
  CLGEMM_INVALID_LEADING_DIMENSION,  ///< zero, or shorter than a row or column
  CLGEMM_BUFFER_TOO_SMALL,           ///< a buffer ends before the matrix in it does
  CLGEMM_WRONG_CONTEXT,              ///< a queue or a buffer belongs to another OpenCL context
  CLGEMM_DEVICE_NOT_FOUND,           ///< no device, or none that matches name or index
  CLGEMM_KERNEL_NOT_FOUND,           ///< no kernel, variant or file of that name
  CLGEMM_INVALID_KERNEL_FILE,        ///< the file, its manifest or an include is wrong
  CLGEMM_INVALID_PARAMETER,          ///< a kernel has no such parameter, or not this value
  CLGEMM_REQUIREMENT_FAILED,         ///< a `require` of the kernel's manifest does not hold
  CLGEMM_DEVICE_LIMIT_EXCEEDED,      ///< it wants a larger work-group or more local memory
  CLGEMM_BUILD_FAILED,               ///< the OpenCL compiler refused it; the text has its log
  CLGEMM_OUT_OF_MEMORY,              ///< the device or the host has no memory left for this
  CLGEMM_OPENCL_ERROR,               ///< any other failure of an OpenCL call; the text names it
  CLGEMM_INTERNAL_ERROR,             ///< a defect of clgemm itself
  CLGEMM_SELF_TEST_FAILED,           ///< a kernel gave a wrong result on this device in its self-test
  CLGEMM_DEVICE_LOST,                ///< a fault has ended the device's OpenCL context; see clgemm::Context
  CLGEMM_FORKED_PROCESS,             ///< the parent process had used clgemm; see clgemm::Context
  CLGEMM_MATRICES_IN_USE             ///< the device cannot be waited for: keep the matrices
} clgemm_status;

/// Which argument of a call an error speaks of, by its name in the function that failed. CLGEMM_ARGUMENT_A, B
/// and C stand for the pointer, or for the whole clgemm_matrix with its offset.
typedef enum clgemm_argument {
  CLGEMM_ARGUMENT_NONE = 0,     ///< no argument, or several at once
  CLGEMM_ARGUMENT_LAYOUT,       ///< row-major or column-major
  CLGEMM_ARGUMENT_TRANSPOSE_A,  ///< whether A is transposed
  CLGEMM_ARGUMENT_TRANSPOSE_B,  ///< whether B is transposed
  CLGEMM_ARGUMENT_M,            ///< rows of op(A) and C
  CLGEMM_ARGUMENT_N,            ///< columns of op(B) and C
  CLGEMM_ARGUMENT_K,            ///< columns of op(A), rows of op(B)
  CLGEMM_ARGUMENT_A,            ///< the matrix A
  CLGEMM_ARGUMENT_LDA,          ///< its leading dimension
  CLGEMM_ARGUMENT_B,            ///< the matrix B
  CLGEMM_ARGUMENT_LDB,          ///< its leading dimension
  CLGEMM_ARGUMENT_C,            ///< the matrix C
  CLGEMM_ARGUMENT_LDC,          ///< its leading dimension
  CLGEMM_ARGUMENT_STRIDE_C,     ///< from one C of a batch to the next
  CLGEMM_ARGUMENT_BATCH_COUNT,  ///< how many multiplies
  CLGEMM_ARGUMENT_QUEUE,        ///< the OpenCL queue
  CLGEMM_ARGUMENT_WAIT_FOR,     ///< the wait list
  CLGEMM_ARGUMENT_OPTIONS       ///< one of the options
} clgemm_argument;

/// The name of a status, for example "buffer_too_small"; "success" for CLGEMM_SUCCESS, "unknown" for a number
/// that is none. Never NULL, never to be freed.
CLGEMM_API const char* clgemm_status_name(clgemm_status status);

/// What was wrong, in words, with the last call on this thread that failed; "" where none has. Calls that
/// succeed leave it alone. Never NULL; valid until the next failure on this thread or the thread's end.
CLGEMM_API const char* clgemm_last_error(void);

/// Which argument clgemm_last_error() speaks of.
CLGEMM_API clgemm_argument clgemm_last_error_argument(void);

/// How matrices lie in memory. The values are those of CBLAS and CLBlast.
typedef enum clgemm_layout {
  CLGEMM_ROW_MAJOR = 101,    ///< row after row
  CLGEMM_COLUMN_MAJOR = 102  ///< column after column
} clgemm_layout;

/// Whether op() transposes. The values are those of CBLAS and CLBlast.
typedef enum clgemm_transpose {
  CLGEMM_NO_TRANSPOSE = 111,  ///< op(X) is X
  CLGEMM_TRANSPOSE = 112      ///< op(X) is the transpose of X
} clgemm_transpose;

/// What may stand for fp32 arithmetic; see clgemm::Precision.
typedef enum clgemm_precision {
  CLGEMM_FP32_EQUIVALENT = 0,  ///< any way whose error bound is no worse than plain fp32's; the default
  CLGEMM_FP32 = 1              ///< only the device's fp32 units
} clgemm_precision;

/// A value for a parameter of a kernel.
typedef struct clgemm_parameter {
  const char* name;  ///< as the kernel's manifest has it
  int64_t value;     ///< one that the manifest allows
} clgemm_parameter;

/// How a call may be steered. Begin with CLGEMM_OPTIONS_INIT, which lets clgemm choose, and set what you
/// need; where a function takes a pointer to options, NULL stands for that too. clgemm only reads it, and
/// keeps nothing of it.
typedef struct clgemm_options {
  /// sizeof(clgemm_options), set by CLGEMM_OPTIONS_INIT. It tells the library which members there are: later
  /// versions may add some at the end.
  size_t size;

  /// A kernel by name ("tiled"), by variant ("float8") or by file ("./mine.cl"). NULL or "": clgemm chooses.
  const char* kernel;

  /// Values for the kernel's parameters. What is absent keeps its default. Only together with `kernel` or
  /// `kernel_file`.
  const clgemm_parameter* parameters;
  size_t parameter_count;  ///< how many there are in `parameters`

  /// A folder that is searched for kernel files before the built-in ones. NULL or "": the environment
  /// variable CLGEMM_KERNEL_DIR, where it is set.
  const char* kernel_folder;

  /// The most device memory, in bytes, that packed copies of A and B may take in one call. A larger problem
  /// is cut into blocks. 0: a quarter of the device's memory. Never more than the device allows in one
  /// allocation.
  size_t scratch_limit;

  /// A buffer of the caller's for those copies, of clgemm_sgemm_scratch_bytes() or any other size; the
  /// problem is cut into blocks that fit. NULL: clgemm uses its own, again and again. It must not be in use
  /// by another call until this one is complete.
  cl_mem scratch;

  /// The path of a kernel file, whatever it is called; in place of `kernel`. NULL or "": none.
  const char* kernel_file;

  /// What may stand for fp32 arithmetic.
  clgemm_precision precision;

  /// For host matrices on a device with memory of its own: the most of it, in bytes, that a call may hold
  /// there, for parts of A, B and C and for packed copies. What is larger goes by in parts, so that no matrix
  /// has to fit. 0: the environment variable CLGEMM_DEVICE_MEMORY_MIB; without it, three quarters of the
  /// device's memory.
  size_t device_memory_limit;

  /// For host matrices on a device with memory of its own: not 0 where all three lie in memory which is
  /// pinned for it (a mapped buffer that was made with CL_MEM_ALLOC_HOST_PTR, SVM). They are then copied from
  /// and to where they lie; else they go through pinned memory of clgemm's. If beta is not 0, C goes back
  /// through clgemm's memory all the same.
  int host_matrices_are_pinned;
} clgemm_options;

/// The initial value of a clgemm_options: `clgemm_options options = CLGEMM_OPTIONS_INIT;`
#define CLGEMM_OPTIONS_INIT \
  { sizeof(clgemm_options), NULL, NULL, 0, NULL, 0, NULL, NULL, CLGEMM_FP32_EQUIVALENT, 0, 0 }

/// The shape of a call, for what can be asked before it. Begin with CLGEMM_SHAPE_INIT: row-major, nothing
/// transposed, no batch; then set m, n and k, and what differs.
typedef struct clgemm_shape {
  size_t size;                   ///< sizeof(clgemm_shape), set by CLGEMM_SHAPE_INIT
  clgemm_layout layout;          ///< of all three matrices
  clgemm_transpose transpose_a;  ///< of A
  clgemm_transpose transpose_b;  ///< of B
  size_t m;                      ///< rows of op(A) and C
  size_t n;                      ///< columns of op(B) and C
  size_t k;                      ///< columns of op(A), rows of op(B)
  size_t lda;                    ///< leading dimension; 0: the smallest one, a matrix without gaps
  size_t ldb;                    ///< leading dimension; 0: the smallest one, a matrix without gaps
  size_t ldc;                    ///< leading dimension; 0: the smallest one, a matrix without gaps
  size_t offset_a;               ///< from the start of the buffer, in elements
  size_t offset_b;               ///< from the start of the buffer, in elements
  size_t batch_count;            ///< for a batch: how many multiplies
  size_t stride_a;               ///< for a batch: from one A to the next, in elements
  size_t stride_b;               ///< for a batch: from one B to the next, in elements
} clgemm_shape;

/// The initial value of a clgemm_shape: `clgemm_shape shape = CLGEMM_SHAPE_INIT;`
#define CLGEMM_SHAPE_INIT                                                                                  \
  {                                                                                                        \
    sizeof(clgemm_shape), CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANSPOSE, CLGEMM_NO_TRANSPOSE, 0, 0, 0, 0, 0, 0, 0, \
        0, 1, 0, 0                                                                                         \
  }

/// A matrix in device memory. The buffer stays the caller's; it must live until the call has completed. Such
/// matrices are used on the device of the queue that the call names and on no other, whatever devices their
/// OpenCL context has: several devices share a multiply only where it is one of host matrices
/// (clgemm_device_set).
typedef struct clgemm_matrix {
  cl_mem buffer;  ///< with the matrix somewhere in it
  size_t ld;      ///< leading dimension, in elements
  size_t offset;  ///< of the first element from the start of the buffer, in elements
} clgemm_matrix;

/// A device with everything clgemm keeps for it: compiled kernels and scratch memory.
///
/// Threads: any number of threads may call functions on one context at the same time. A kernel is compiled
/// once, by the thread that needs it first, and only the threads that need this very kernel wait for it. No
/// lock is held while the device works. To destroy a context while another thread uses it is an error.
typedef struct clgemm_context clgemm_context;

/// A context on a device by index, as `clgemm-bench --list-devices` prints it, or by a part of the device's
/// or platform's name, in any case. NULL or "" stands for the default device: the one that the environment
/// variable CLGEMM_DEVICE names in the same way; without it the first GPU, else the first CPU, else the first
/// device of any kind.
///
/// `*context` wants clgemm_context_destroy(); it is NULL where this fails. So it is with the next two.
CLGEMM_API clgemm_status clgemm_context_create(const char* device, clgemm_context** context);

/// A context on this device, in an OpenCL context made for it.
CLGEMM_API clgemm_status clgemm_context_create_for_device(cl_device_id device, clgemm_context** context);

/// A context with the device and the OpenCL context of this queue. The queue itself is not kept.
CLGEMM_API clgemm_status clgemm_context_create_for_queue(cl_command_queue queue, clgemm_context** context);

/// Ends a context; calls that are under way on the device are not disturbed. NULL does nothing.
CLGEMM_API void clgemm_context_destroy(clgemm_context* context);

/// The device of a context. It stays the context's, as do the next two; retain what must outlive it. All
/// three are NULL for a NULL context.
CLGEMM_API cl_device_id clgemm_context_device(const clgemm_context* context);

/// The OpenCL context of a context.
CLGEMM_API cl_context clgemm_context_opencl_context(const clgemm_context* context);

/// The in-order queue that a context sends host matrices through.
CLGEMM_API cl_command_queue clgemm_context_queue(const clgemm_context* context);

/// Multiplies host matrices of any size. Returns when C is complete. `a`, `b` and `c` are the caller's.
///
/// A device that shares the host's memory works on them where they lie, part by part where they are larger
/// than one of its allocations. To any other device they go in parts, some of them on their way in and out
/// while it multiplies others (`device_memory_limit`). When this fails, the device is through
/// with the matrices, and what is in C is not defined, unless the error is one of the arguments.
///
/// With a NULL context, and where the environment variable CLGEMM_DEVICES lists devices, these share the
/// multiply, as with clgemm_device_set_sgemm().
CLGEMM_API clgemm_status clgemm_sgemm_host(clgemm_context* context, clgemm_layout layout,
                                           clgemm_transpose transpose_a, clgemm_transpose transpose_b,
                                           size_t m, size_t n, size_t k, float alpha, const float* a,
                                           size_t lda, const float* b, size_t ldb, float beta, float* c,
                                           size_t ldc, const clgemm_options* options);

/// Multiplies matrices in device memory, on a queue of the context's OpenCL context and device; the queue may
/// be in-order or out-of-order. Returns when everything is enqueued and submitted to the device.
///
/// The call waits for the `wait_count` events at `wait_for` before it reads or writes any matrix; they stay
/// the caller's, and `wait_for` may be NULL where there are none. `*done`, where `done` is not NULL, becomes
/// an event that completes when C is complete; the caller releases it. It is made also where there is nothing
/// to do, and left as it was where the call fails.
///
/// An error of an argument comes before anything is enqueued; any other may come when a part of the work is.
/// Until the queue is through with that (clFinish), it may read A and B and write to C and to the `scratch`
/// of the options; what is in C then is not defined.
CLGEMM_API clgemm_status clgemm_sgemm(clgemm_context* context, cl_command_queue queue, clgemm_layout layout,
                                      clgemm_transpose transpose_a, clgemm_transpose transpose_b, size_t m,
                                      size_t n, size_t k, float alpha, clgemm_matrix a, clgemm_matrix b,
                                      float beta, clgemm_matrix c, cl_uint wait_count,
                                      const cl_event* wait_for, cl_event* done,
                                      const clgemm_options* options);

/// `batch_count` multiplies in one call, in one launch where memory allows: the i-th takes the matrices that
/// begin at a.offset + i * stride_a, b.offset + i * stride_b and c.offset + i * stride_c. stride_a and
/// stride_b may be 0: the same A or B for all. The matrices C must not overlap, unless stride_c is 0: then
/// all products are added into one C, C <- alpha * sum of op(A_i) op(B_i) + beta * C, always in the same
/// order. That is one GEMM if the A and the B lie one behind the other along k, and a GEMM for each i if not.
/// Everything else is as for clgemm_sgemm().
CLGEMM_API clgemm_status clgemm_sgemm_strided_batched(
    clgemm_context* context, cl_command_queue queue, clgemm_layout layout, clgemm_transpose transpose_a,
    clgemm_transpose transpose_b, size_t m, size_t n, size_t k, float alpha, clgemm_matrix a, size_t stride_a,
    clgemm_matrix b, size_t stride_b, float beta, clgemm_matrix c, size_t stride_c, size_t batch_count,
    cl_uint wait_count, const cl_event* wait_for, cl_event* done, const clgemm_options* options);

/// The same for matrices at any place: the i-th of `batch_count` multiplies takes a[i], b[i] and c[i], in
/// buffers of their own or in one, and alphas[i] and betas[i]. Those whose A, B and C are each in one buffer,
/// with one leading dimension, are done in one launch, wherever the matrices lie there, if that takes less
/// time than a launch for each run of matrices that lie evenly apart. A list of places goes to the device by
/// itself; the arrays are read only during the call. The matrices C must not overlap each other or any A and
/// B; of those of different i this is checked for any two C, not for a C and an A or B.
CLGEMM_API clgemm_status clgemm_sgemm_batched(
    clgemm_context* context, cl_command_queue queue, clgemm_layout layout, clgemm_transpose transpose_a,
    clgemm_transpose transpose_b, size_t m, size_t n, size_t k, const float* alphas, const clgemm_matrix* a,
    const clgemm_matrix* b, const float* betas, const clgemm_matrix* c, size_t batch_count,
    cl_uint wait_count, const cl_event* wait_for, cl_event* done, const clgemm_options* options);

/// Compiles what calls of these shapes need, so that the first real call does not wait for the compiler.
///
/// Here and in the next two functions, `queue` says which of clgemm's own contexts is meant where `context`
/// is NULL; where it is not, `queue` is not looked at and may be NULL.
CLGEMM_API clgemm_status clgemm_prepare(clgemm_context* context, cl_command_queue queue,
                                        const clgemm_shape* shapes, size_t shape_count,
                                        const clgemm_options* options);

/// The plan for a call in words, a line a fact: kernel and parameters, why it was chosen, how it gets A and
/// B, pads, blocks, scratch. Compiles like clgemm_prepare(): whether the device can run a kernel is part of
/// the choice.
///
/// Writes at most `text_size` bytes to `text`, the terminating zero included: a longer text is cut. The bytes
/// that the whole text takes, with its zero, go to `*needed_size`, where that is not NULL. With `text_size`
/// 0, `text` may be NULL.
CLGEMM_API clgemm_status clgemm_explain(clgemm_context* context, cl_command_queue queue,
                                        const clgemm_shape* shape, const clgemm_options* options,
                                        size_t text_size, char* text, size_t* needed_size);

/// The same for a call on host matrices: the parts that they go in, what is pinned, the bytes that are moved,
/// the predicted time of each part of the work, and the plan for one part.
CLGEMM_API clgemm_status clgemm_explain_host(clgemm_context* context, const clgemm_shape* shape,
                                             const clgemm_options* options, size_t text_size, char* text,
                                             size_t* needed_size);

/// The device memory, in bytes, that a call takes for packed copies of A and B, to `*bytes`. Compiles like
/// clgemm_prepare().
CLGEMM_API clgemm_status clgemm_sgemm_scratch_bytes(clgemm_context* context, cl_command_queue queue,
                                                    const clgemm_shape* shape, const clgemm_options* options,
                                                    size_t* bytes);

/// Several devices that share each multiply of host matrices: C is cut into tiles, and each is one device's.
/// Devices of different vendors and kinds may stand together.
///
/// Devices that are equal (name, driver) take tiles as they get free. Between different ones the tiles are
/// divided by the speeds that the speed model gives them, and by nothing that is measured, so that the same
/// list of devices gives the same bits every time.
///
/// A device that fails is left out from then on, in this call and in later ones; the others do its tiles, and
/// the log (CLGEMM_LOG) says so. Where none is left, the error is that of the first to fail. Errors of the
/// arguments and of the options leave no device out.
///
/// Threads: as for clgemm_context.
typedef struct clgemm_device_set clgemm_device_set;

/// Devices by a list with commas: each an index or a part of a name, as clgemm_context_create() has it; "all"
/// for all that there are, "all NVIDIA" for all whose name or platform's name has that part. A device that is
/// named twice is taken once.
///
/// `*devices` wants clgemm_device_set_destroy(); it is NULL where this fails. So it is with the next one.
CLGEMM_API clgemm_status clgemm_device_set_create(const char* list, clgemm_device_set** devices);

/// These `count` devices, each in an OpenCL context made for it.
CLGEMM_API clgemm_status clgemm_device_set_create_for_devices(size_t count, const cl_device_id* list,
                                                              clgemm_device_set** devices);

/// Ends it; no call may be under way. NULL does nothing.
CLGEMM_API void clgemm_device_set_destroy(clgemm_device_set* devices);

/// Writes the first `size` of the devices that take part to `list`, and how many there are to `*count`, where
/// that is not NULL. With `size` 0, `list` may be NULL. They stay the set's.
CLGEMM_API clgemm_status clgemm_device_set_devices(const clgemm_device_set* devices, size_t size,
                                                   cl_device_id* list, size_t* count);

/// clgemm_sgemm_host() on several devices. The options' `scratch` must be NULL. Limits of memory are for each
/// device.
CLGEMM_API clgemm_status clgemm_device_set_sgemm(clgemm_device_set* devices, clgemm_layout layout,
                                                 clgemm_transpose transpose_a, clgemm_transpose transpose_b,
                                                 size_t m, size_t n, size_t k, float alpha, const float* a,
                                                 size_t lda, const float* b, size_t ldb, float beta, float* c,
                                                 size_t ldc, const clgemm_options* options);

/// How such a call is divided, in words, and clgemm_explain_host() of a tile on each device.
CLGEMM_API clgemm_status clgemm_device_set_explain_host(clgemm_device_set* devices, const clgemm_shape* shape,
                                                        const clgemm_options* options, size_t text_size,
                                                        char* text, size_t* needed_size);

/// The seconds that the speed model expects of a call on device memory, to `*seconds`; see
/// clgemm::Context::predicted_seconds(). With `context` and `queue` NULL, of the context for host matrices.
CLGEMM_API clgemm_status clgemm_predicted_seconds(clgemm_context* context, cl_command_queue queue,
                                                  const clgemm_shape* shape, const clgemm_options* options,
                                                  double* seconds);

/// Lets go of the contexts that clgemm keeps itself. Calls that are under way are not disturbed.
CLGEMM_API clgemm_status clgemm_release_contexts(void);

#ifdef __cplusplus
}
#endif

#endif
