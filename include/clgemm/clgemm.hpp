/// \file
/// clgemm: single-precision matrix multiplication for any OpenCL device.
///
///      C <- alpha * op(A) * op(B) + beta * C        op(X) is X or its transpose
///
/// op(A) is m x k, op(B) is k x n, and C is m x n. All sizes, offsets and leading dimensions count elements,
/// not bytes. In a row-major matrix, row r starts at r * ld, and ld is at least the number of columns. In a
/// column-major matrix, column c starts at c * ld, and ld is at least the number of rows. These are the rows
/// and columns in memory: with Transpose::yes and row-major, A is stored as k rows of m elements.
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
/// Every failure throws clgemm::Error (error.hpp). Arguments are checked before any work. clgemm prints
/// nothing, unless the environment variable CLGEMM_LOG is set, and never ends the program.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <clgemm/export.h>
#include <clgemm/version.h>
#include <clgemm/error.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace clgemm {

/// The order of elements in memory: row after row, or column after column.
enum class Layout { row_major, column_major };

/// Whether op(X) is X or its transpose.
enum class Transpose { no, yes };

/// The arithmetic that clgemm may use. More values may be added.
enum class Precision {
  /// Any method whose error bound is no larger than that of plain fp32 arithmetic. This is the default. On
  /// NVIDIA GPUs with suitable tensor cores, large GEMMs use them with one of three methods. Each method
  /// splits every fp32 number into a sum of shorter numbers and adds products of these:
  /// - two fp16 numbers and three products. All numbers of a row of op(A), or of a column of op(B), are first
  ///   scaled by a common power of two. clgemm also uses this method on the matrix units of AMD's CDNA 3 and
  ///   RDNA 4, of Intel's Arc and Data Center GPU Max, and on RDNA 3 if you name its kernel.
  /// - two TF32 numbers and three products
  /// - three bf16 numbers and six products
  ///
  /// If the values are out of range for a method, the device uses another one. For Inf, NaN and numbers near
  /// the ends of fp32's range, it uses plain fp32 (docs/accuracy.md).
  fp32_equivalent,

  /// Only the device's fp32 units.
  fp32
};

/// Options of a call. With the default values, clgemm chooses the kernel and its parameters.
struct Options {
  /// A kernel by name ("tiled"), by variant ("float8") or by file ("./mine.cl"). A variant is a kernel with
  /// certain parameters. If `kernel` is empty, clgemm chooses.
  std::string kernel;

  /// Values for the kernel's parameters, by the names in its manifest (the comments at the top of its file).
  /// Other parameters keep their defaults. Use this only together with `kernel` or `kernel_file`.
  std::map<std::string, std::int64_t> parameters;

  /// A folder that is searched for kernel files before the built-in ones. If this string is empty, clgemm
  /// searches the folder that the environment variable CLGEMM_KERNEL_DIR names.
  std::string kernel_folder;

  /// A limit, in bytes, for the device memory that one call uses for temporary data. Most of this data is
  /// packed copies of A and B, because some kernels need another layout. If a problem needs more than the
  /// limit, clgemm cuts it into blocks. 0 means a quarter of the device's memory. The limit is never larger
  /// than the largest buffer that the device allows.
  std::size_t scratch_limit = 0;

  /// Your own buffer for this temporary data. sgemm_scratch_bytes() returns the size that is needed. If the
  /// buffer is smaller, clgemm cuts the problem into blocks, or chooses a kernel that needs less. A kernel
  /// that you named may still need more, which is an error. If `scratch` is null, clgemm uses and reuses its
  /// own buffers. No other call may use the buffer until this call is complete.
  cl_mem scratch = nullptr;

  /// The path of a kernel file. Use it instead of `kernel` if the path has no folder and does not end in .cl,
  /// because `kernel` would take such a path for the name of a kernel.
  std::string kernel_file;

  /// The arithmetic that clgemm may use. If you name a kernel that is not allowed, the call throws
  /// Error(invalid_argument).
  Precision precision = Precision::fp32_equivalent;

  /// The most memory, in bytes, that a call on host matrices may use on a device with its own memory. This
  /// memory holds parts of A, B and C, and packed copies. Larger matrices are processed in parts, so no
  /// matrix has to fit into this memory. 0 means the value of the environment variable
  /// CLGEMM_DEVICE_MEMORY_MIB. If the variable is not set, 0 means three quarters of the device's memory.
  std::size_t device_memory_limit = 0;

  /// Set this to true if all three host matrices are in pinned memory: SVM, or a mapped buffer that was made
  /// with CL_MEM_ALLOC_HOST_PTR. It matters only for a device with its own memory. If true, the matrices are
  /// copied directly; otherwise, they are copied through clgemm's pinned memory. If beta is not 0, results
  /// are still copied to C through clgemm's memory. So even if a device fails, clgemm knows which parts of C
  /// still have their old values. If several devices share the call, another one can compute these parts.
  bool host_matrices_are_pinned = false;
};

/// The shape of a call, for functions that take it instead of matrices, for example explain(), prepare() and
/// sgemm_scratch_bytes().
struct SgemmShape {
  Layout layout = Layout::row_major;      ///< layout of all three matrices
  Transpose transpose_a = Transpose::no;  ///< transpose of A
  Transpose transpose_b = Transpose::no;  ///< transpose of B
  std::size_t m = 0;                      ///< rows of op(A) and C
  std::size_t n = 0;                      ///< columns of op(B) and C
  std::size_t k = 0;                      ///< columns of op(A), rows of op(B)

  std::size_t lda = 0;  ///< leading dimension; 0: no gaps
  std::size_t ldb = 0;  ///< leading dimension; 0: no gaps
  std::size_t ldc = 0;  ///< leading dimension; 0: no gaps

  std::size_t offset_a = 0;  ///< from the start of the buffer, in elements
  std::size_t offset_b = 0;  ///< from the start of the buffer, in elements

  std::size_t batch_count = 1;  ///< for a batch: number of GEMMs
  std::size_t stride_a = 0;     ///< for a batch: distance from one A to the next, in elements
  std::size_t stride_b = 0;     ///< for a batch: distance from one B to the next, in elements
};

/// The memory of a DeviceMatrix: a buffer, or a pointer to memory that host and device share. You own the
/// memory.
class DeviceMemory {
 public:
  /// No memory, for a matrix that is neither read nor written.
  constexpr DeviceMemory(std::nullptr_t = nullptr) noexcept {}

  /// A buffer.
  constexpr DeviceMemory(cl_mem buffer) noexcept : buffer_(buffer) {}

  /// A buffer of OpenCL-CLHPP (cl::Buffer), or of any class whose call operator returns a cl_mem.
  template <class Buffer, class = std::enable_if_t<
                              std::is_convertible<decltype(std::declval<const Buffer&>()()), cl_mem>::value>>
  constexpr DeviceMemory(const Buffer& buffer) : buffer_(buffer()) {}

  /// Shared virtual memory, coarse- or fine-grained: the pointer that clSVMAlloc() returned for the OpenCL
  /// context of the call. For memory that was allocated with Intel's extension
  /// cl_intel_unified_shared_memory, `shared` can be any pointer into the allocation. DeviceMatrix::offset is
  /// the distance from this pointer to the matrix. Nothing is copied. A pointer to any other memory is an
  /// Error(invalid_argument). Before the host reads or writes coarse-grained memory, it must map the memory
  /// (clEnqueueSVMMap()), and unmap it afterwards. Do not free the memory before the call has completed.
  constexpr DeviceMemory(float* shared) noexcept : pointer_(shared) {}

  /// Returns the buffer, or null if there is none.
  constexpr operator cl_mem() const noexcept { return buffer_; }

  /// Returns the pointer to shared memory, or null if there is none.
  constexpr float* pointer() const noexcept { return pointer_; }

 private:
  cl_mem buffer_ = nullptr;
  float* pointer_ = nullptr;
};

/// A matrix in device memory: `{buffer, ld, offset}`. You own the memory, and it must live until the call has
/// completed. Such matrices are used only on the device of the call's queue, even if their OpenCL context has
/// more devices. Several devices can share a call only if its matrices are in host memory (DeviceSet).
struct DeviceMatrix {
  DeviceMemory buffer;     ///< memory that contains the matrix: a cl_mem, a cl::Buffer, or a pointer
  std::size_t ld = 0;      ///< leading dimension, in elements
  std::size_t offset = 0;  ///< position of the first element in the memory, in elements
};

/// Events that a call waits for before it reads or writes any matrix. You own them.
using WaitList = std::vector<cl_event>;

/// A device with everything that clgemm keeps for it: compiled kernels and scratch memory. Use a Context if
/// you want to own these kernels and this memory. The free functions below use Contexts that clgemm owns.
///
/// Threads: any number of threads may call sgemm() on one Context at the same time. A kernel is compiled
/// once, by the first thread that needs it. Only threads that need the same kernel wait. No lock is held
/// while the device works. It is an error to move or destroy a Context while another thread uses it.
/// clgemm compiles on threads of its own, too. A call on host matrices may return while one of them still
/// compiles a kernel that only rare numbers need. Later calls work meanwhile.
///
/// Lost devices: if a kernel causes a fault, such as an access to invalid memory, the OpenCL context in which
/// it ran is destroyed. The kernel may be clgemm's own or that of any other code in the process. The call
/// that notices the loss throws Error(device_lost), and so do all later calls on this Context. There is one
/// exception: if the device may still use the host matrices of a call, this call throws
/// Error(matrices_in_use), and later calls throw Error(device_lost). All data in device memory is lost. On an
/// NVIDIA H200 (driver 580), the process can then no longer use the device: it cannot make a new OpenCL
/// context, even after the old one was released. So a constructor that needs a new OpenCL context also throws
/// Error(device_lost). A new process can use the device. The free functions keep a lost Context until
/// release_contexts().
///
/// fork(): the threads of an OpenCL driver do not exist in a child process, and a call there would wait for
/// them forever. So if the parent process has used a function that needs a device, all such functions throw
/// Error(forked_process) in the child. This also applies to Contexts that are made in the child. It does not
/// apply to a child that calls exec(). A process that has not used OpenCL yet may fork freely.
class CLGEMM_API Context {
 public:
  /// The default device. The environment variable CLGEMM_DEVICE can name it by an index or by a part of the
  /// name of the device or platform. `clgemm-bench --list-devices` prints these indices and names. Upper and
  /// lower case do not matter. If the variable is not set, the default device is the first GPU. If there is
  /// no GPU, it is the first CPU, and if there is no CPU, the first device of any kind.
  Context();

  /// A device by index or by a part of its name, as in CLGEMM_DEVICE.
  explicit Context(const std::string& device);

  /// This device, in a new OpenCL context.
  explicit Context(cl_device_id device);

  /// The device and the OpenCL context of this queue. The Context does not keep the queue itself.
  explicit Context(cl_command_queue queue);

  /// Does not disturb calls that are still running on the device. Waits for threads of clgemm that compile.
  ~Context();

  /// Moves. The source can then only be destroyed or assigned to.
  Context(Context&&) noexcept;

  /// Moves, like the constructor.
  Context& operator=(Context&&) noexcept;

  /// Computes with host matrices of any size. Returns when C is complete. You own `a`, `b` and `c`.
  ///
  /// A device that shares the host's memory works on the matrices in place. If a matrix is larger than the
  /// largest buffer that the device allows, the device works on parts of it. A device with its own memory
  /// receives the matrices in parts. It copies some of them while it computes with others
  /// (Options::device_memory_limit).
  ///
  /// If this throws, the device no longer uses the matrices. There is one exception: if a device has failed
  /// and clgemm cannot wait for it, the call throws Error(matrices_in_use). The device may still use the
  /// matrices, so do not free them before the process ends. After an error about an argument, C is unchanged.
  /// After any other error, the content of C is undefined.
  ///
  /// OpenCL has no time-out, so a call waits as long as the device takes.
  void sgemm(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
             std::size_t k, float alpha, const float* a, std::size_t lda, const float* b, std::size_t ldb,
             float beta, float* c, std::size_t ldc, const Options& options = {});

  /// Computes `batch_count` GEMMs on host matrices in one call. GEMM i uses the matrices that begin at
  /// a + i * stride_a, b + i * stride_b and c + i * stride_c. If stride_a or stride_b is 0, all GEMMs use the
  /// same A or B. The matrices C must not overlap, unless stride_c is 0. If it is 0, the GEMMs are computed
  /// one after another, in the order of i, and added into one C:
  /// C <- alpha * sum of op(A_i) op(B_i) + beta * C. Returns when every C is complete.
  ///
  /// A device that shares the host's memory computes all GEMMs in place, in one launch if memory allows and
  /// stride_c is not 0. For any other device, small matrices are gathered in clgemm's pinned memory and
  /// computed together. Large matrices are computed one after another, as by sgemm(). If you limit the
  /// device's memory (Options::device_memory_limit), small matrices are also computed one after another. In
  /// all other respects, the rules of sgemm() apply. After an error that is not about an argument, the
  /// content of all matrices C is undefined.
  void sgemm_strided_batched(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
                             std::size_t n, std::size_t k, float alpha, const float* a, std::size_t lda,
                             std::size_t stride_a, const float* b, std::size_t ldb, std::size_t stride_b,
                             float beta, float* c, std::size_t ldc, std::size_t stride_c,
                             std::size_t batch_count, const Options& options = {});

  /// Computes a batch of GEMMs on host matrices that may be anywhere in memory. GEMM i uses a[i], b[i], c[i],
  /// alphas[i] and betas[i]. All lists must have the same length, but alphas and betas may also have one
  /// element, for all GEMMs. If the matrices are at constant distances, this is the same as
  /// sgemm_strided_batched(). Otherwise small matrices are gathered, even for a device that shares the host's
  /// memory. The matrices C must not overlap each other, or any A or B. The call checks each pair of matrices
  /// C, and each C against the A and B of the same GEMM. It does not check a C against the A and B of another
  /// GEMM.
  void sgemm_batched(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
                     std::size_t n, std::size_t k, const std::vector<float>& alphas,
                     const std::vector<const float*>& a, std::size_t lda, const std::vector<const float*>& b,
                     std::size_t ldb, const std::vector<float>& betas, const std::vector<float*>& c,
                     std::size_t ldc, const Options& options = {});

  /// Computes with matrices in device memory, on a queue of this Context's OpenCL context and device. The
  /// queue may be in-order or out-of-order. Returns when everything is enqueued and submitted to the device.
  /// If `done` is not null, `*done` becomes an event that completes when C is complete, even if there is
  /// nothing to do. You must release it.
  ///
  /// If this throws, `*done` is unchanged. An Error about an argument comes before anything is enqueued. Any
  /// other Error may come when part of the work has already been enqueued. Until the queue has finished that
  /// part (clFinish), the device may read A and B and write to C and to Options::scratch. After such an
  /// Error, the content of C is undefined.
  void sgemm(cl_command_queue queue, Layout layout, Transpose transpose_a, Transpose transpose_b,
             std::size_t m, std::size_t n, std::size_t k, float alpha, DeviceMatrix a, DeviceMatrix b,
             float beta, DeviceMatrix c, const WaitList& wait_for = {}, cl_event* done = nullptr,
             const Options& options = {});

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
  /// Otherwise it is computed as one GEMM for each i. Everything else is as in sgemm().
  void sgemm_strided_batched(cl_command_queue queue, Layout layout, Transpose transpose_a,
                             Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k, float alpha,
                             DeviceMatrix a, std::size_t stride_a, DeviceMatrix b, std::size_t stride_b,
                             float beta, DeviceMatrix c, std::size_t stride_c, std::size_t batch_count,
                             const WaitList& wait_for = {}, cl_event* done = nullptr,
                             const Options& options = {});

  /// Computes a batch of GEMMs on matrices that may be anywhere in device memory. GEMM i uses a[i], b[i],
  /// c[i], alphas[i] and betas[i]. The matrices may be in separate buffers or in one. All lists must have the
  /// same length, but alphas and betas may also have one element, for all GEMMs.
  ///
  /// clgemm can do this in two ways, and uses the one that should take less time:
  /// - One launch for all GEMMs, with a list of offsets that clgemm sends to the device. For this, all
  ///   matrices A must be in one buffer and have the same leading dimension. The same applies to B and to C.
  /// - One launch for each group of successive GEMMs whose matrices are at a constant distance.
  ///
  /// clgemm does not read the vectors after the call has returned.
  ///
  /// The matrices C must not overlap each other, or any A or B. The call checks each pair of matrices C, and
  /// each C against the A and B of the same GEMM. It does not check a C against the A and B of another GEMM.
  void sgemm_batched(cl_command_queue queue, Layout layout, Transpose transpose_a, Transpose transpose_b,
                     std::size_t m, std::size_t n, std::size_t k, const std::vector<float>& alphas,
                     const std::vector<DeviceMatrix>& a, const std::vector<DeviceMatrix>& b,
                     const std::vector<float>& betas, const std::vector<DeviceMatrix>& c,
                     const WaitList& wait_for = {}, cl_event* done = nullptr, const Options& options = {});

  /// Compiles the kernels for calls of these shapes, so that the first real call does not wait for the
  /// compiler.
  void prepare(const std::vector<SgemmShape>& shapes, const Options& options = {});

  /// Returns the plan for a call in words, with one fact per line. The text names the kernel and its
  /// parameters, and says why they were chosen. It shows the predicted times of this choice and of the next
  /// best ones. If a better choice was rejected, the text gives the reason. It also shows padding, blocks and
  /// scratch memory, and whether the kernel reads A and B in place or as packed copies. This function
  /// compiles kernels, as prepare() does, because the choice depends on whether the device can run a kernel.
  std::string explain(const SgemmShape& shape, const Options& options = {});

  /// Returns the plan for a call on host matrices: the parts of the matrices, what is pinned, the bytes that
  /// are moved, and the predicted times of copying and computing. It ends with the plan for one part of C. A
  /// shape with batch_count > 1 describes a batch whose matrices are at constant distances.
  std::string explain_host(const SgemmShape& shape, const Options& options = {});

  /// Returns the device memory, in bytes, that a call needs for temporary data (Options::scratch). This
  /// function compiles kernels, as prepare() does.
  std::size_t sgemm_scratch_bytes(const SgemmShape& shape, const Options& options = {});

  /// Returns the seconds that the speed model predicts for a call on device memory. Copies from and to host
  /// memory are not included. If the device has no tuning data, this function may run the probe, which
  /// compiles two small kernels. Without tuning data and without a result of the probe, the prediction is a
  /// guess. No GEMM kernel is compiled.
  double predicted_seconds(const SgemmShape& shape, const Options& options = {});

  /// Returns the seconds that the speed model predicts for a call on host matrices, including copies to the
  /// device and back. The rates of these copies are measured by clgemm-tune, or by the probe if the device
  /// has no tuning data. A shape with batch_count > 1 describes a batch whose matrices are at constant
  /// distances.
  double predicted_seconds_host(const SgemmShape& shape, const Options& options = {});

  /// Returns the device. The Context owns it, as it owns the results of the next two functions. Retain them
  /// if you need them longer.
  cl_device_id device() const;

  /// Returns the OpenCL context.
  cl_context context() const;

  /// Returns the in-order queue for host matrices.
  cl_command_queue queue() const;

  class State;  // private to clgemm

 private:
  friend State& state_of(Context& context);  // private to clgemm
  std::unique_ptr<State> state_;
};

/// Several devices that share each call on host matrices. C is cut into tiles, and each tile is computed by
/// one of the devices. The devices may be of different vendors and kinds.
///
/// Equal devices (same name and driver) take the next tile when they are free. Different devices share the
/// tiles in proportion to the speeds that the speed model predicts. Equal devices compute the same bits, so
/// it does not matter which of them computes a tile. The same list of devices gives the same bits every time,
/// as long as no device fails, and the tuning data and the results of the probe stay the same.
///
/// A device that fails is left out from then on, in this call and in later ones. The other devices compute
/// its tiles, and the log (CLGEMM_LOG) says so. If no device is left, the call throws the Error of the first
/// one that failed. An Error about an argument, about Options, or about a kernel that you selected with
/// Options does not exclude a device.
///
/// If a device that accesses the host matrices directly fails, clgemm may be unable to wait for it. Then the
/// call throws Error(matrices_in_use), because that device may still read A and B and write to C. This can
/// happen with devices that work in host memory, and with all devices if the matrices are pinned.
///
/// If a device hangs, the call waits for it. With CLGEMM_LOG=info, the log names it every 10 seconds.
///
/// Threads: as for Context.
class CLGEMM_API DeviceSet {
 public:
  /// Devices from a comma-separated list, for example "0,1" or "all NVIDIA,pthread". Each item is an index or
  /// a part of a name, as in CLGEMM_DEVICE. "all" means all devices. "all NVIDIA" means all devices with
  /// NVIDIA in their name or in the name of their platform. A device that is named twice is used once.
  explicit DeviceSet(const std::string& devices);

  /// These devices, each in a new OpenCL context.
  explicit DeviceSet(const std::vector<cl_device_id>& devices);

  /// Does not wait for calls, but for threads of clgemm that compile. You must not destroy the object while a
  /// call is running.
  ~DeviceSet();

  /// Moves. The source can then only be destroyed or assigned to.
  DeviceSet(DeviceSet&&) noexcept;

  /// Moves, like the constructor.
  DeviceSet& operator=(DeviceSet&&) noexcept;

  /// Like Context::sgemm() for host matrices. Options::scratch must be null. Memory limits apply to each
  /// device.
  void sgemm(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
             std::size_t k, float alpha, const float* a, std::size_t lda, const float* b, std::size_t ldb,
             float beta, float* c, std::size_t ldc, const Options& options = {});

  /// Like Context::sgemm_strided_batched() for host matrices. The devices share each GEMM, unless the
  /// matrices are small. Then the fastest device computes all GEMMs.
  void sgemm_strided_batched(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
                             std::size_t n, std::size_t k, float alpha, const float* a, std::size_t lda,
                             std::size_t stride_a, const float* b, std::size_t ldb, std::size_t stride_b,
                             float beta, float* c, std::size_t ldc, std::size_t stride_c,
                             std::size_t batch_count, const Options& options = {});

  /// Like Context::sgemm_batched() for host matrices. The devices share the work as in
  /// sgemm_strided_batched().
  void sgemm_batched(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
                     std::size_t n, std::size_t k, const std::vector<float>& alphas,
                     const std::vector<const float*>& a, std::size_t lda, const std::vector<const float*>& b,
                     std::size_t ldb, const std::vector<float>& betas, const std::vector<float*>& c,
                     std::size_t ldc, const Options& options = {});

  /// Returns a text that says how the devices share a call of this shape on host matrices. For each group of
  /// equal devices, the text contains a plan like that of Context::explain_host(), for the part of C that the
  /// group computes.
  std::string explain_host(const SgemmShape& shape, const Options& options = {});

  /// Returns the devices in use, in the order of the list. This object owns them.
  std::vector<cl_device_id> devices() const;

  class State;  // private to clgemm

 private:
  friend State& state_of(DeviceSet& devices);  // private to clgemm
  std::unique_ptr<State> state_;
};

/// Like Context::sgemm() for host matrices. The whole process uses one Context, which is made with the
/// default device at the first call. If the environment variable CLGEMM_DEVICES lists devices, with the
/// syntax of DeviceSet's constructor, this function uses one DeviceSet for the whole process instead.
CLGEMM_API void sgemm(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
                      std::size_t n, std::size_t k, float alpha, const float* a, std::size_t lda,
                      const float* b, std::size_t ldb, float beta, float* c, std::size_t ldc,
                      const Options& options = {});

/// Like Context::sgemm_strided_batched() for host matrices, with the Context or DeviceSet that sgemm() for
/// host matrices uses.
CLGEMM_API void sgemm_strided_batched(Layout layout, Transpose transpose_a, Transpose transpose_b,
                                      std::size_t m, std::size_t n, std::size_t k, float alpha,
                                      const float* a, std::size_t lda, std::size_t stride_a, const float* b,
                                      std::size_t ldb, std::size_t stride_b, float beta, float* c,
                                      std::size_t ldc, std::size_t stride_c, std::size_t batch_count,
                                      const Options& options = {});

/// Like Context::sgemm_batched() for host matrices, with the Context or DeviceSet that sgemm() for host
/// matrices uses.
CLGEMM_API void sgemm_batched(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
                              std::size_t n, std::size_t k, const std::vector<float>& alphas,
                              const std::vector<const float*>& a, std::size_t lda,
                              const std::vector<const float*>& b, std::size_t ldb,
                              const std::vector<float>& betas, const std::vector<float*>& c, std::size_t ldc,
                              const Options& options = {});

/// Like Context::explain_host(), with the Context or DeviceSet that sgemm() for host matrices uses.
CLGEMM_API std::string explain_host(const SgemmShape& shape, const Options& options = {});

/// Like Context::predicted_seconds(), with the Context that sgemm() for host matrices uses. If sgemm() uses a
/// DeviceSet, this returns the time of its fastest device.
CLGEMM_API double predicted_seconds(const SgemmShape& shape, const Options& options = {});

/// Returns the Context that all calls on this queue share. Use it for batches, prepare(), explain() and
/// similar calls. All queues with the same device and the same OpenCL context share one Context. clgemm keeps
/// the Contexts of the most recently used queues, with their compiled kernels and scratch memory, until
/// release_contexts(). A Context keeps its OpenCL context alive. You may keep the result of this function as
/// long as you like.
CLGEMM_API std::shared_ptr<Context> context_for(cl_command_queue queue);

/// Like Context::sgemm() for device memory, on context_for(queue).
CLGEMM_API void sgemm(cl_command_queue queue, Layout layout, Transpose transpose_a, Transpose transpose_b,
                      std::size_t m, std::size_t n, std::size_t k, float alpha, DeviceMatrix a,
                      DeviceMatrix b, float beta, DeviceMatrix c, const WaitList& wait_for = {},
                      cl_event* done = nullptr, const Options& options = {});

/// Deprecated: use Context::sgemm_strided_batched() of context_for(queue).
[[deprecated("call it on context_for(queue)")]] CLGEMM_API void sgemm_strided_batched(
    cl_command_queue queue, Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
    std::size_t n, std::size_t k, float alpha, DeviceMatrix a, std::size_t stride_a, DeviceMatrix b,
    std::size_t stride_b, float beta, DeviceMatrix c, std::size_t stride_c, std::size_t batch_count,
    const WaitList& wait_for = {}, cl_event* done = nullptr, const Options& options = {});

/// Deprecated: use Context::sgemm_batched() of context_for(queue).
[[deprecated("call it on context_for(queue)")]] CLGEMM_API void sgemm_batched(
    cl_command_queue queue, Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
    std::size_t n, std::size_t k, const std::vector<float>& alphas, const std::vector<DeviceMatrix>& a,
    const std::vector<DeviceMatrix>& b, const std::vector<float>& betas, const std::vector<DeviceMatrix>& c,
    const WaitList& wait_for = {}, cl_event* done = nullptr, const Options& options = {});

/// Deprecated: use Context::prepare() of context_for(queue).
[[deprecated("call it on context_for(queue)")]] CLGEMM_API void prepare(cl_command_queue queue,
                                                                        const std::vector<SgemmShape>& shapes,
                                                                        const Options& options = {});

/// Deprecated: use Context::explain() of context_for(queue).
[[deprecated("call it on context_for(queue)")]] CLGEMM_API std::string explain(cl_command_queue queue,
                                                                               const SgemmShape& shape,
                                                                               const Options& options = {});

/// Deprecated: use Context::predicted_seconds() of context_for(queue). If `queue` is null, use
/// predicted_seconds(shape).
[[deprecated("call it on context_for(queue)")]] CLGEMM_API double predicted_seconds(
    cl_command_queue queue, const SgemmShape& shape, const Options& options = {});

/// Deprecated: use Context::sgemm_scratch_bytes() of context_for(queue).
[[deprecated("call it on context_for(queue)")]] CLGEMM_API std::size_t sgemm_scratch_bytes(
    cl_command_queue queue, const SgemmShape& shape, const Options& options = {});

/// Releases the contexts of the free functions. Does not disturb calls that are still running. Waits for
/// threads of clgemm that compile.
CLGEMM_API void release_contexts();

}  // namespace clgemm
