/// \file
/// clgemm in C (C11, also valid C++): single-precision matrix multiplication for any OpenCL device.
///
///      C <- alpha * op(A) * op(B) + beta * C        op(X) is X or its transpose
///
/// op(A) is m x k, op(B) is k x n, and C is m x n. All sizes, offsets and leading dimensions count elements,
/// not bytes. In a row-major matrix, row r starts at r * ld, and ld is at least the number of columns. In a
/// column-major matrix, column c starts at c * ld, and ld is at least the number of rows. These are the rows
/// and columns in memory: with CLGEMM_TRANSPOSE and row-major, A is stored as k rows of m elements.
///
/// Special values are as in the BLAS. If beta == 0, C is not read. If alpha == 0 or k == 0, A and B are not
/// read. If m == 0 or n == 0, the call does nothing. Memory between the rows (if ld is larger than a row) is
/// never written. Infinities and NaN appear in the same elements of C as with IEEE arithmetic, with one
/// exception. clgemm may cut the k products of an element into blocks, multiply the sum of each block by
/// alpha, and add up the results. If alpha or one of these sums is infinite, an element of C may be NaN
/// instead of infinite. For example, two blocks may give Inf and -Inf, or alpha may be infinite while the sum
/// of a block is 0.
///
/// The same call on the same device gives the same bits every time if clgemm chooses the same kernel. The
/// choice is based on tuning data, which are measurements of the device. They come with clgemm, or
/// clgemm-tune makes them. On a device without tuning data, the choice depends on the *probe*, a short
/// measurement at the first use (docs/platforms.md).
///
/// Every function that can fail returns a clgemm_status. After a failure, clgemm_last_error() explains it in
/// words. Arguments are checked before any work, so C is unchanged after an error about an argument. clgemm
/// prints nothing, unless the environment variable CLGEMM_LOG is set, and never ends the program.
///
/// The functions do the same as the corresponding functions in clgemm.hpp. A member function becomes a
/// function whose first argument is a clgemm_context or a clgemm_device_set. The other arguments are in the
/// same order as in C++. Most functions accept NULL for the context; clgemm then uses one of its own
/// contexts. For host matrices, clgemm makes one context, with the default device, at the first call that
/// needs it. It makes others for the queues that you pass: all queues with the same device and the same
/// OpenCL context share one. It keeps the contexts of the most recently used queues. clgemm's own contexts
/// keep their OpenCL contexts alive. clgemm_release_contexts() releases them all.
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

/// Returns the version of the linked library, as "major.minor.patch".
CLGEMM_API const char* clgemm_version(void);

/// The result of a call.
typedef enum clgemm_status {
  CLGEMM_SUCCESS = 0,                ///< no error
  CLGEMM_INVALID_ARGUMENT,           ///< a size, a null pointer, a wait list, ...
  CLGEMM_INVALID_LEADING_DIMENSION,  ///< zero, shorter than a row or column, or larger than 2^63 - 1
  CLGEMM_BUFFER_TOO_SMALL,           ///< a matrix does not fit its buffer
  CLGEMM_WRONG_CONTEXT,              ///< a queue or a buffer belongs to another OpenCL context
  CLGEMM_DEVICE_NOT_FOUND,           ///< no device, or none with this name or index
  CLGEMM_KERNEL_NOT_FOUND,           ///< no kernel, variant or file of that name
  CLGEMM_INVALID_KERNEL_FILE,        ///< the file, its manifest or an include is wrong
  CLGEMM_INVALID_PARAMETER,          ///< the kernel has no such parameter, or does not allow this value
  CLGEMM_REQUIREMENT_FAILED,         ///< a condition in the kernel's manifest (`require:`) is not met
  CLGEMM_DEVICE_LIMIT_EXCEEDED,      ///< the kernel needs more than the device has (work-items, local memory)
  CLGEMM_BUILD_FAILED,               ///< the compiler rejected the kernel; clgemm_last_error() has its log
  CLGEMM_OUT_OF_MEMORY,              ///< the device or the host has not enough memory
  CLGEMM_OPENCL_ERROR,               ///< any other OpenCL failure; clgemm_last_error() names the call
  CLGEMM_INTERNAL_ERROR,             ///< a bug in clgemm
  CLGEMM_SELF_TEST_FAILED,           ///< a kernel gave a wrong result on this device in its self-test
  CLGEMM_DEVICE_LOST,     ///< a fault has destroyed the device's OpenCL context; see clgemm_context
  CLGEMM_FORKED_PROCESS,  ///< the parent process had used clgemm; see clgemm::Context
  CLGEMM_MATRICES_IN_USE  ///< the device may still use the matrices, so do not free them
} clgemm_status;

/// The argument that an error is about. The constants have the names of the functions' arguments.
/// CLGEMM_ARGUMENT_A, B and C stand for the pointer, or for the whole clgemm_matrix with its offset.
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
  CLGEMM_ARGUMENT_STRIDE_C,     ///< distance from one C of a batch to the next
  CLGEMM_ARGUMENT_BATCH_COUNT,  ///< number of GEMMs
  CLGEMM_ARGUMENT_QUEUE,        ///< the OpenCL queue
  CLGEMM_ARGUMENT_WAIT_FOR,     ///< the wait list
  CLGEMM_ARGUMENT_OPTIONS       ///< one of the options
} clgemm_argument;

/// Returns the name of a status, for example "buffer_too_small". It is "success" for CLGEMM_SUCCESS and
/// "unknown" for an invalid number. Never returns NULL. Do not free the result.
CLGEMM_API const char* clgemm_status_name(clgemm_status status);

/// Returns a text about the last call on this thread that failed, or "" if none has failed. Calls that
/// succeed do not change it. Never returns NULL. The text is valid until the next failure on this thread or
/// the thread's end.
CLGEMM_API const char* clgemm_last_error(void);

/// Returns the argument that clgemm_last_error() is about.
CLGEMM_API clgemm_argument clgemm_last_error_argument(void);

/// The order of elements in memory. The values are those of CBLAS and CLBlast.
typedef enum clgemm_layout {
  CLGEMM_ROW_MAJOR = 101,    ///< row after row
  CLGEMM_COLUMN_MAJOR = 102  ///< column after column
} clgemm_layout;

/// Whether op() transposes. The values are those of CBLAS and CLBlast.
typedef enum clgemm_transpose {
  CLGEMM_NO_TRANSPOSE = 111,  ///< op(X) is X
  CLGEMM_TRANSPOSE = 112      ///< op(X) is the transpose of X
} clgemm_transpose;

/// The arithmetic that clgemm may use; see clgemm::Precision.
typedef enum clgemm_precision {
  CLGEMM_FP32_EQUIVALENT = 0,  ///< any method whose error bound is no larger than plain fp32's; the default
  CLGEMM_FP32 = 1              ///< only the device's fp32 units
} clgemm_precision;

/// A value for a parameter of a kernel.
typedef struct clgemm_parameter {
  const char* name;  ///< name in the kernel's manifest
  int64_t value;     ///< value that the manifest allows
} clgemm_parameter;

/// Options of a call. Begin with CLGEMM_OPTIONS_INIT, which lets clgemm choose, and set the members that you
/// need. If a function takes a pointer to options, NULL means the same as CLGEMM_OPTIONS_INIT. clgemm does
/// not use the options after the call has returned.
typedef struct clgemm_options {
  /// sizeof(clgemm_options), set by CLGEMM_OPTIONS_INIT. It tells the library which members exist, because
  /// later versions may add members at the end.
  size_t size;

  /// A kernel by name ("tiled"), by variant ("float8") or by file ("./mine.cl"). A variant is a kernel with
  /// certain parameters. If `kernel` is NULL or "", clgemm chooses.
  const char* kernel;

  /// Values for the kernel's parameters. Other parameters keep their defaults. Use this only together with
  /// `kernel` or `kernel_file`.
  const clgemm_parameter* parameters;
  size_t parameter_count;  ///< number of elements of `parameters`

  /// A folder that is searched for kernel files before the built-in ones. If this string is NULL or "",
  /// clgemm searches the folder that the environment variable CLGEMM_KERNEL_DIR names.
  const char* kernel_folder;

  /// A limit, in bytes, for the device memory that one call uses for temporary data. Most of this data is
  /// packed copies of A and B, because some kernels need another layout. If a problem needs more than the
  /// limit, clgemm cuts it into blocks. 0 means a quarter of the device's memory. The limit is never larger
  /// than the largest buffer that the device allows.
  size_t scratch_limit;

  /// Your own buffer for this temporary data. clgemm_sgemm_scratch_bytes() returns the size that is needed.
  /// If the buffer is smaller, clgemm cuts the problem into blocks, or chooses a kernel that needs less. A
  /// kernel that you named may still need more, which is an error. If `scratch` is NULL, clgemm uses and
  /// reuses its own buffers. No other call may use the buffer until this call is complete.
  cl_mem scratch;

  /// The path of a kernel file. Use it instead of `kernel` if the path has no folder and does not end in .cl,
  /// because `kernel` would take such a path for the name of a kernel. NULL or "" means none.
  const char* kernel_file;

  /// The arithmetic that clgemm may use.
  clgemm_precision precision;

  /// The most memory, in bytes, that a call on host matrices may use on a device with its own memory. This
  /// memory holds parts of A, B and C, and packed copies. Larger matrices are processed in parts, so no
  /// matrix has to fit into this memory. 0 means the value of the environment variable
  /// CLGEMM_DEVICE_MEMORY_MIB. If the variable is not set, 0 means three quarters of the device's memory.
  size_t device_memory_limit;

  /// Set this to 1 if all three host matrices are in pinned memory: SVM, or a mapped buffer that was made
  /// with CL_MEM_ALLOC_HOST_PTR. It matters only for a device with its own memory. If 1, the matrices are
  /// copied directly; otherwise, they are copied through clgemm's pinned memory. If beta is not 0, results
  /// are still copied to C through clgemm's memory. So even if a device fails, clgemm knows which parts of C
  /// still have their old values. If several devices share the call, another one can compute these parts.
  int host_matrices_are_pinned;
} clgemm_options;

/// The initial value of a clgemm_options: `clgemm_options options = CLGEMM_OPTIONS_INIT;`
#define CLGEMM_OPTIONS_INIT \
  { sizeof(clgemm_options), NULL, NULL, 0, NULL, 0, NULL, NULL, CLGEMM_FP32_EQUIVALENT, 0, 0 }

/// The shape of a call, for functions that take it instead of matrices, for example clgemm_explain() and
/// clgemm_prepare(). Begin with CLGEMM_SHAPE_INIT: row-major, nothing transposed, no batch. Then set m, n and
/// k, and other members as needed.
typedef struct clgemm_shape {
  size_t size;                   ///< sizeof(clgemm_shape), set by CLGEMM_SHAPE_INIT
  clgemm_layout layout;          ///< layout of all three matrices
  clgemm_transpose transpose_a;  ///< transpose of A
  clgemm_transpose transpose_b;  ///< transpose of B
  size_t m;                      ///< rows of op(A) and C
  size_t n;                      ///< columns of op(B) and C
  size_t k;                      ///< columns of op(A), rows of op(B)
  size_t lda;                    ///< leading dimension; 0: no gaps
  size_t ldb;                    ///< leading dimension; 0: no gaps
  size_t ldc;                    ///< leading dimension; 0: no gaps
  size_t offset_a;               ///< from the start of the buffer, in elements
  size_t offset_b;               ///< from the start of the buffer, in elements
  size_t batch_count;            ///< for a batch: number of GEMMs
  size_t stride_a;               ///< for a batch: distance from one A to the next, in elements
  size_t stride_b;               ///< for a batch: distance from one B to the next, in elements
} clgemm_shape;

/// The initial value of a clgemm_shape: `clgemm_shape shape = CLGEMM_SHAPE_INIT;`
#define CLGEMM_SHAPE_INIT                                                                                  \
  {                                                                                                        \
    sizeof(clgemm_shape), CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANSPOSE, CLGEMM_NO_TRANSPOSE, 0, 0, 0, 0, 0, 0, 0, \
        0, 1, 0, 0                                                                                         \
  }

/// A matrix in device memory. You own the buffer, and it must live until the call has completed. Such
/// matrices are used only on the device of the call's queue, even if their OpenCL context has more devices.
/// Several devices can share a call only if its matrices are in host memory (clgemm_device_set).
typedef struct clgemm_matrix {
  cl_mem buffer;  ///< buffer that contains the matrix
  size_t ld;      ///< leading dimension, in elements
  size_t offset;  ///< position of the first element in the buffer, in elements
} clgemm_matrix;

/// A matrix in memory that host and device share: OpenCL's shared virtual memory, or memory of Intel's
/// extension cl_intel_unified_shared_memory.
typedef struct clgemm_shared_matrix {
  /// For shared virtual memory, coarse- or fine-grained, this is the pointer that clSVMAlloc() returned for
  /// the OpenCL context of the call. For memory that was allocated with the extension, this can be any
  /// pointer into the allocation.
  float* memory;
  size_t ld;      ///< leading dimension, in elements
  size_t offset;  ///< distance of the first element from `memory`, in elements
} clgemm_shared_matrix;

/// A device with everything that clgemm keeps for it: compiled kernels and scratch memory.
///
/// Threads: any number of threads may call functions on one context at the same time. A kernel is compiled
/// once, by the first thread that needs it. Only threads that need the same kernel wait. No lock is held
/// while the device works. It is an error to destroy a context while another thread uses it. clgemm compiles
/// on threads of its own, too. A call on host matrices may return while one of them still compiles a kernel
/// that only rare numbers need. Later calls work meanwhile.
///
/// fork(): if the parent process has used a function that needs a device, all such functions return
/// CLGEMM_FORKED_PROCESS in the child. A child that calls exec() can use the device.
///
/// Lost devices: if a kernel causes a fault, such as an access to invalid memory, the OpenCL context in which
/// it ran is destroyed. The kernel may be clgemm's own or that of any other code in the process. The call
/// that notices the loss returns CLGEMM_DEVICE_LOST, and so do all later calls on this context. There is one
/// exception: if the device may still use the host matrices of a call, this call returns
/// CLGEMM_MATRICES_IN_USE, and later calls return CLGEMM_DEVICE_LOST. All data in device memory is lost. On
/// an NVIDIA H200 (driver 580), the process can then no longer use the device: it cannot make a new OpenCL
/// context, even after the old one was released. So a function that needs a new OpenCL context also returns
/// CLGEMM_DEVICE_LOST. A new process can use the device. clgemm keeps a lost context of its own until
/// clgemm_release_contexts().
typedef struct clgemm_context clgemm_context;

/// Makes a context on a device. `device` is an index or a part of the name of the device or platform.
/// `clgemm-bench --list-devices` prints these indices and names. Upper and lower case do not matter. NULL or
/// "" means the default device. The environment variable CLGEMM_DEVICE can name it in the same way. If the
/// variable is not set, the default device is the first GPU. If there is no GPU, it is the first CPU, and if
/// there is no CPU, the first device of any kind.
///
/// Destroy `*context` with clgemm_context_destroy(). If the call fails, `*context` is NULL. The same applies
/// to the next two functions.
CLGEMM_API clgemm_status clgemm_context_create(const char* device, clgemm_context** context);

/// Makes a context on this device, in a new OpenCL context.
CLGEMM_API clgemm_status clgemm_context_create_for_device(cl_device_id device, clgemm_context** context);

/// Makes a context with the device and the OpenCL context of this queue. It does not keep the queue itself.
CLGEMM_API clgemm_status clgemm_context_create_for_queue(cl_command_queue queue, clgemm_context** context);

/// Destroys a context. Does not disturb calls that are still running on the device. Waits for threads of
/// clgemm that compile. If `context` is NULL, nothing happens.
CLGEMM_API void clgemm_context_destroy(clgemm_context* context);

/// Returns the device of a context. The context owns it, as it owns the results of the next two functions.
/// Retain them if you need them longer. All three functions return NULL for a NULL context.
CLGEMM_API cl_device_id clgemm_context_device(const clgemm_context* context);

/// Returns the OpenCL context of a context.
CLGEMM_API cl_context clgemm_context_opencl_context(const clgemm_context* context);

/// Returns the in-order queue for host matrices.
CLGEMM_API cl_command_queue clgemm_context_queue(const clgemm_context* context);

/// Computes with host matrices of any size. Returns when C is complete. You own `a`, `b` and `c`.
///
/// A device that shares the host's memory works on the matrices in place. If a matrix is larger than the
/// largest buffer that the device allows, the device works on parts of it. A device with its own memory
/// receives the matrices in parts. It copies some of them while it computes with others
/// (`device_memory_limit`).
///
/// If the call fails, the device no longer uses the matrices. There is one exception: if a device has failed
/// and clgemm cannot wait for it, the status is CLGEMM_MATRICES_IN_USE. The device may still use the
/// matrices, so do not free them before the process ends. After an error about an argument, C is unchanged.
/// After any other error, the content of C is undefined.
///
/// If `context` is NULL and the environment variable CLGEMM_DEVICES lists devices, these devices share the
/// call, as in clgemm_device_set_sgemm().
CLGEMM_API clgemm_status clgemm_sgemm_host(clgemm_context* context, clgemm_layout layout,
                                           clgemm_transpose transpose_a, clgemm_transpose transpose_b,
                                           size_t m, size_t n, size_t k, float alpha, const float* a,
                                           size_t lda, const float* b, size_t ldb, float beta, float* c,
                                           size_t ldc, const clgemm_options* options);

/// Computes `batch_count` GEMMs on host matrices in one call. GEMM i uses the matrices that begin at a + i *
/// stride_a, b + i * stride_b and c + i * stride_c. If stride_a or stride_b is 0, all GEMMs use the same A or
/// B. The matrices C must not overlap, unless stride_c is 0. If it is 0, the GEMMs are computed one after
/// another, in the order of i, and added into one C: C <- alpha * sum of op(A_i) op(B_i) + beta * C. Returns
/// when every C is complete.
///
/// A device that shares the host's memory computes all GEMMs in place, in one launch if memory allows and
/// stride_c is not 0. For any other device, small matrices are gathered in clgemm's pinned memory and
/// computed together. Large matrices are computed one after another, as by clgemm_sgemm_host(). If you limit
/// the device's memory (`device_memory_limit`), small matrices are also computed one after another. In all
/// other respects, the rules of clgemm_sgemm_host() apply. After an error that is not about an argument, the
/// content of all matrices C is undefined.
CLGEMM_API clgemm_status clgemm_sgemm_strided_batched_host(
    clgemm_context* context, clgemm_layout layout, clgemm_transpose transpose_a, clgemm_transpose transpose_b,
    size_t m, size_t n, size_t k, float alpha, const float* a, size_t lda, size_t stride_a, const float* b,
    size_t ldb, size_t stride_b, float beta, float* c, size_t ldc, size_t stride_c, size_t batch_count,
    const clgemm_options* options);

/// Computes `batch_count` GEMMs on host matrices that may be anywhere in memory. GEMM i uses a[i], b[i],
/// c[i], alphas[i] and betas[i]; each list has `batch_count` elements. If the matrices are at constant
/// distances, this is the same as clgemm_sgemm_strided_batched_host(). Otherwise small matrices are gathered,
/// even for a device that shares the host's memory. The matrices C must not overlap each other, or any A or
/// B. The call checks each pair of matrices C, and each C against the A and B of the same GEMM. It does not
/// check a C against the A and B of another GEMM.
CLGEMM_API clgemm_status clgemm_sgemm_batched_host(clgemm_context* context, clgemm_layout layout,
                                                   clgemm_transpose transpose_a, clgemm_transpose transpose_b,
                                                   size_t m, size_t n, size_t k, const float* alphas,
                                                   const float* const* a, size_t lda, const float* const* b,
                                                   size_t ldb, const float* betas, float* const* c,
                                                   size_t ldc, size_t batch_count,
                                                   const clgemm_options* options);

/// Computes with matrices in device memory, on a queue of the context's OpenCL context and device. The queue
/// may be in-order or out-of-order. Returns when everything is enqueued and submitted to the device.
///
/// The call waits for the `wait_count` events at `wait_for` before it reads or writes any matrix. You own
/// these events. If there are none, `wait_for` may be NULL. If `done` is not NULL, `*done` becomes an event
/// that completes when C is complete, even if there is nothing to do. You must release it. If the call fails,
/// `*done` is unchanged.
///
/// An error about an argument comes before anything is enqueued. Any other error may come when part of the
/// work has already been enqueued. Until the queue has finished that part (clFinish), the device may read A
/// and B and write to C and to the `scratch` of the options. After such an error, the content of C is
/// undefined.
CLGEMM_API clgemm_status clgemm_sgemm(clgemm_context* context, cl_command_queue queue, clgemm_layout layout,
                                      clgemm_transpose transpose_a, clgemm_transpose transpose_b, size_t m,
                                      size_t n, size_t k, float alpha, clgemm_matrix a, clgemm_matrix b,
                                      float beta, clgemm_matrix c, cl_uint wait_count,
                                      const cl_event* wait_for, cl_event* done,
                                      const clgemm_options* options);

/// Computes like clgemm_sgemm(), with matrices in memory that host and device share. Nothing is copied. A
/// pointer to any other memory is CLGEMM_INVALID_ARGUMENT. Before the host reads or writes coarse-grained
/// memory, it must map the memory (clEnqueueSVMMap()), and unmap it afterwards. Do not free the memory before
/// the call has completed. There is no such function for batches. For a batch, make a buffer that uses this
/// memory (clCreateBuffer() with CL_MEM_USE_HOST_PTR), and pass the buffer to clgemm_sgemm_strided_batched()
/// or clgemm_sgemm_batched().
CLGEMM_API clgemm_status clgemm_sgemm_shared(clgemm_context* context, cl_command_queue queue,
                                             clgemm_layout layout, clgemm_transpose transpose_a,
                                             clgemm_transpose transpose_b, size_t m, size_t n, size_t k,
                                             float alpha, clgemm_shared_matrix a, clgemm_shared_matrix b,
                                             float beta, clgemm_shared_matrix c, cl_uint wait_count,
                                             const cl_event* wait_for, cl_event* done,
                                             const clgemm_options* options);

/// Computes `batch_count` GEMMs in one call, and in one launch if memory allows. GEMM number i uses the
/// matrices that begin at a.offset + i * stride_a, b.offset + i * stride_b and c.offset + i * stride_c.
/// stride_a and stride_b may be 0, so that all GEMMs use the same A or B.
///
/// The matrices C must not overlap, unless stride_c is 0. If it is 0, all products are added into one C,
/// always in the same order:
///
///      C <- alpha * sum of op(A_i) op(B_i) + beta * C
///
/// If the matrices op(A_i) lie side by side in memory as one m x (k * batch_count) matrix, and the matrices
/// op(B_i) one below the other as one (k * batch_count) x n matrix, the sum is computed as one GEMM.
/// Otherwise it is computed as one GEMM for each i. Everything else is as in clgemm_sgemm().
CLGEMM_API clgemm_status clgemm_sgemm_strided_batched(
    clgemm_context* context, cl_command_queue queue, clgemm_layout layout, clgemm_transpose transpose_a,
    clgemm_transpose transpose_b, size_t m, size_t n, size_t k, float alpha, clgemm_matrix a, size_t stride_a,
    clgemm_matrix b, size_t stride_b, float beta, clgemm_matrix c, size_t stride_c, size_t batch_count,
    cl_uint wait_count, const cl_event* wait_for, cl_event* done, const clgemm_options* options);

/// Computes a batch of GEMMs on matrices that may be anywhere in device memory. GEMM i of `batch_count` uses
/// a[i], b[i], c[i], alphas[i] and betas[i]. The matrices may be in separate buffers or in one.
///
/// clgemm can do this in two ways, and uses the one that should take less time:
/// - One launch for all GEMMs, with a list of offsets that clgemm sends to the device. For this, all matrices
///   A must be in one buffer and have the same leading dimension. The same applies to B and to C.
/// - One launch for each group of successive GEMMs whose matrices are at a constant distance.
///
/// clgemm does not read the arrays after the call has returned.
///
/// The matrices C must not overlap each other, or any A or B. The call checks each pair of matrices C, and
/// each C against the A and B of the same GEMM. It does not check a C against the A and B of another GEMM.
CLGEMM_API clgemm_status clgemm_sgemm_batched(
    clgemm_context* context, cl_command_queue queue, clgemm_layout layout, clgemm_transpose transpose_a,
    clgemm_transpose transpose_b, size_t m, size_t n, size_t k, const float* alphas, const clgemm_matrix* a,
    const clgemm_matrix* b, const float* betas, const clgemm_matrix* c, size_t batch_count,
    cl_uint wait_count, const cl_event* wait_for, cl_event* done, const clgemm_options* options);

/// Compiles the kernels for calls of these shapes, so that the first real call does not wait for the
/// compiler.
///
/// If `context` is NULL, clgemm uses its own context for `queue`. Otherwise `queue` is ignored and may be
/// NULL. The same applies to clgemm_explain() and clgemm_sgemm_scratch_bytes().
CLGEMM_API clgemm_status clgemm_prepare(clgemm_context* context, cl_command_queue queue,
                                        const clgemm_shape* shapes, size_t shape_count,
                                        const clgemm_options* options);

/// Writes the plan for a call in words, with one fact per line. The text names the kernel and its parameters,
/// and says why they were chosen. It shows the predicted times of this choice and of the next best ones. If a
/// better choice was rejected, the text gives the reason. It also shows padding, blocks and scratch memory,
/// and whether the kernel reads A and B in place or as packed copies. This function compiles kernels, as
/// clgemm_prepare() does, because the choice depends on whether the device can run a kernel.
///
/// Writes at most `text_size` bytes to `text`, with the terminating zero. A longer text is cut. If
/// `needed_size` is not NULL, `*needed_size` becomes the size of the whole text, with its zero. If
/// `text_size` is 0, `text` may be NULL.
CLGEMM_API clgemm_status clgemm_explain(clgemm_context* context, cl_command_queue queue,
                                        const clgemm_shape* shape, const clgemm_options* options,
                                        size_t text_size, char* text, size_t* needed_size);

/// Writes the plan for a call on host matrices: the parts of the matrices, what is pinned, the bytes that are
/// moved, and the predicted times of copying and computing. It ends with the plan for one part of C. A shape
/// with `batch_count` > 1 describes a batch whose matrices are at constant distances.
CLGEMM_API clgemm_status clgemm_explain_host(clgemm_context* context, const clgemm_shape* shape,
                                             const clgemm_options* options, size_t text_size, char* text,
                                             size_t* needed_size);

/// Writes to `*bytes` the device memory that a call needs for temporary data (`scratch` in the options). This
/// function compiles kernels, as clgemm_prepare() does.
CLGEMM_API clgemm_status clgemm_sgemm_scratch_bytes(clgemm_context* context, cl_command_queue queue,
                                                    const clgemm_shape* shape, const clgemm_options* options,
                                                    size_t* bytes);

/// Several devices that share each call on host matrices. C is cut into tiles, and each tile is computed by
/// one of the devices. The devices may be of different vendors and kinds.
///
/// Equal devices (same name and driver) take the next tile when they are free. Different devices share the
/// tiles in proportion to the speeds that the speed model predicts. Equal devices compute the same bits, so
/// it does not matter which of them computes a tile. The same list of devices gives the same bits every time,
/// as long as no device fails, and the tuning data and the results of the probe stay the same.
///
/// A device that fails is left out from then on, in this call and in later ones. The other devices compute
/// its tiles, and the log (CLGEMM_LOG) says so. If no device is left, the error is that of the first one that
/// failed. An error about an argument, about the options, or about a kernel that you selected with the
/// options does not exclude a device.
///
/// If a device that accesses the host matrices directly fails, clgemm may be unable to wait for it. Then the
/// call returns CLGEMM_MATRICES_IN_USE, because that device may still read A and B and write to C. This can
/// happen with devices that work in host memory, and with all devices if the matrices are pinned.
///
/// Threads: as for clgemm_context.
typedef struct clgemm_device_set clgemm_device_set;

/// Makes a set from a comma-separated list. Each item is an index or a part of a name, as in
/// clgemm_context_create(). "all" means all devices. "all NVIDIA" means all devices with NVIDIA in their name
/// or in the name of their platform. A device that is named twice is used once.
///
/// Destroy `*devices` with clgemm_device_set_destroy(). If the call fails, `*devices` is NULL. The same
/// applies to the next function.
CLGEMM_API clgemm_status clgemm_device_set_create(const char* list, clgemm_device_set** devices);

/// Makes a set of these `count` devices, each in a new OpenCL context.
CLGEMM_API clgemm_status clgemm_device_set_create_for_devices(size_t count, const cl_device_id* list,
                                                              clgemm_device_set** devices);

/// Destroys a set. You must not destroy it while a call is running. Waits for threads of clgemm that compile.
/// If `devices` is NULL, nothing happens.
CLGEMM_API void clgemm_device_set_destroy(clgemm_device_set* devices);

/// Writes the first `size` devices of the set to `list`. If `count` is not NULL, `*count` becomes the number
/// of devices. If `size` is 0, `list` may be NULL. The set owns the devices.
CLGEMM_API clgemm_status clgemm_device_set_devices(const clgemm_device_set* devices, size_t size,
                                                   cl_device_id* list, size_t* count);

/// Like clgemm_sgemm_host(), on several devices. The `scratch` of the options must be NULL. Memory limits
/// apply to each device.
CLGEMM_API clgemm_status clgemm_device_set_sgemm(clgemm_device_set* devices, clgemm_layout layout,
                                                 clgemm_transpose transpose_a, clgemm_transpose transpose_b,
                                                 size_t m, size_t n, size_t k, float alpha, const float* a,
                                                 size_t lda, const float* b, size_t ldb, float beta, float* c,
                                                 size_t ldc, const clgemm_options* options);

/// Like clgemm_sgemm_strided_batched_host(), on several devices. The devices share each GEMM, unless the
/// matrices are small. Then the fastest device computes all GEMMs.
CLGEMM_API clgemm_status clgemm_device_set_sgemm_strided_batched(
    clgemm_device_set* devices, clgemm_layout layout, clgemm_transpose transpose_a,
    clgemm_transpose transpose_b, size_t m, size_t n, size_t k, float alpha, const float* a, size_t lda,
    size_t stride_a, const float* b, size_t ldb, size_t stride_b, float beta, float* c, size_t ldc,
    size_t stride_c, size_t batch_count, const clgemm_options* options);

/// Like clgemm_sgemm_batched_host(), on several devices. They share the work as in
/// clgemm_device_set_sgemm_strided_batched().
CLGEMM_API clgemm_status clgemm_device_set_sgemm_batched(clgemm_device_set* devices, clgemm_layout layout,
                                                         clgemm_transpose transpose_a,
                                                         clgemm_transpose transpose_b, size_t m, size_t n,
                                                         size_t k, const float* alphas, const float* const* a,
                                                         size_t lda, const float* const* b, size_t ldb,
                                                         const float* betas, float* const* c, size_t ldc,
                                                         size_t batch_count, const clgemm_options* options);

/// Writes a text that says how the devices share a call of this shape on host matrices. For each group of
/// equal devices, the text contains a plan like that of clgemm_explain_host(), for the part of C that the
/// group computes.
CLGEMM_API clgemm_status clgemm_device_set_explain_host(clgemm_device_set* devices, const clgemm_shape* shape,
                                                        const clgemm_options* options, size_t text_size,
                                                        char* text, size_t* needed_size);

/// Writes to `*seconds` the time that the speed model predicts for a call on device memory; see
/// clgemm::Context::predicted_seconds(). `context` and `queue` are as in clgemm_prepare(). If both are NULL,
/// clgemm uses its own context for host matrices.
CLGEMM_API clgemm_status clgemm_predicted_seconds(clgemm_context* context, cl_command_queue queue,
                                                  const clgemm_shape* shape, const clgemm_options* options,
                                                  double* seconds);

/// Writes to `*seconds` the time that the speed model predicts for a call on host matrices, including copies
/// to the device and back; see clgemm::Context::predicted_seconds_host(). `context` must not be NULL.
CLGEMM_API clgemm_status clgemm_predicted_seconds_host(clgemm_context* context, const clgemm_shape* shape,
                                                       const clgemm_options* options, double* seconds);

/// Releases clgemm's own contexts. Does not disturb calls that are still running.
CLGEMM_API clgemm_status clgemm_release_contexts(void);

#ifdef __cplusplus
}
#endif

#endif
