/// \file
/// clgemm: single-precision matrix multiply for any OpenCL device.
///
///      C <- alpha * op(A) * op(B) + beta * C        op(X) is X or its transpose
///
/// op(A) is m x k, op(B) is k x n, C is m x n. All sizes, offsets and leading dimensions count elements, not
/// bytes. In a row-major matrix, row r starts at r * ld and ld is at least the number of columns; in a
/// column-major one, column c starts at c * ld and ld is at least the number of rows. Those rows and columns
/// are the ones that lie in memory: with Transpose::yes and row-major, A is stored as k rows of m.
///
/// As in the BLAS: beta == 0 never reads C; alpha == 0 or k == 0 never reads A and B; m == 0 or n == 0 does
/// nothing. The memory between the rows (ld larger than a row) is never written. Infinities and NaN come out
/// where IEEE arithmetic puts them. Where k is cut into blocks, for want of memory or by a kernel, alpha
/// multiplies the sum of each: an infinite one may then give NaN, from Inf - Inf or Inf * 0, where it would
/// give infinity with the whole sum. The same call on the same device gives the same bits every time, if
/// clgemm chooses the same kernel: on a device that nobody has measured, that depends on a probe
/// (docs/platforms.md).
///
/// Everything that fails throws clgemm::Error (error.hpp). What can be wrong with the arguments is checked
/// before any work. clgemm never prints and never ends the program.
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
#include <vector>

namespace clgemm {

/// How matrices lie in memory: row after row, or column after column.
enum class Layout { row_major, column_major };

/// Whether op(X) is X or its transpose.
enum class Transpose { no, yes };

/// What may stand for fp32 arithmetic. Room is left for more.
enum class Precision {
  /// Any way whose error bound is no worse than that of plain fp32 arithmetic; the default. On NVIDIA GPUs
  /// with such tensor cores large multiplies take these: three products of two fp16 numbers each, with an
  /// exponent for each row of A and column of B, or six products of three bf16 numbers each. Where the
  /// numbers do not allow the one, the device notices and does the other, and computes in plain fp32 where
  /// they allow neither (Inf, NaN, numbers near the ends of the range).
  fp32_equivalent,

  /// Only the device's fp32 units.
  fp32
};

/// How a call may be steered. The default lets clgemm choose.
struct Options {
  /// A kernel by name ("tiled"), by variant ("float8") or by file ("./mine.cl"). Empty: clgemm chooses.
  std::string kernel;

  /// Values for the kernel's parameters, by name, as its manifest lists them. What is absent keeps its
  /// default. Only together with `kernel` or `kernel_file`.
  std::map<std::string, std::int64_t> parameters;

  /// A folder that is searched for kernel files before the built-in ones. Empty: the environment variable
  /// CLGEMM_KERNEL_DIR, where it is set.
  std::string kernel_folder;

  /// The most device memory, in bytes, that packed copies of A and B may take in one call. A larger problem
  /// is cut into blocks. 0: a quarter of the device's memory. Never more than the device allows in one
  /// allocation.
  std::size_t scratch_limit = 0;

  /// A buffer of the caller's for those copies, of sgemm_scratch_bytes() or any other size; the problem is
  /// cut into blocks that fit. Null: clgemm uses its own, again and again. It must not be in use by another
  /// call until this one is complete.
  cl_mem scratch = nullptr;

  /// The path of a kernel file, whatever it is called; in place of `kernel`.
  std::string kernel_file;

  /// What may stand for fp32 arithmetic. A kernel that is named but not allowed is an
  /// Error(invalid_argument).
  Precision precision = Precision::fp32_equivalent;

  /// For host matrices on a device with memory of its own: the most of it, in bytes, that a call may hold
  /// there, for parts of A, B and C and for packed copies. What is larger goes by in parts, so that no matrix
  /// has to fit. 0: the environment variable CLGEMM_DEVICE_MEMORY_MIB; without it, three quarters of the
  /// device's memory.
  std::size_t device_memory_limit = 0;

  /// For host matrices on a device with memory of its own: that all three lie in memory which is pinned for
  /// it (a mapped buffer that was made with CL_MEM_ALLOC_HOST_PTR, SVM). They are then copied from and to
  /// where they lie; else they go through pinned memory of clgemm's. If beta is not 0, C goes back through
  /// clgemm's memory all the same, so that it is known what was written to C when a device fails.
  bool host_matrices_are_pinned = false;
};

/// The shape of a call, for what can be asked before it: explain(), prepare(), sgemm_scratch_bytes().
struct SgemmShape {
  Layout layout = Layout::row_major;      ///< of all three matrices
  Transpose transpose_a = Transpose::no;  ///< of A
  Transpose transpose_b = Transpose::no;  ///< of B
  std::size_t m = 0;                      ///< rows of op(A) and C
  std::size_t n = 0;                      ///< columns of op(B) and C
  std::size_t k = 0;                      ///< columns of op(A), rows of op(B)

  std::size_t lda = 0;  ///< leading dimension; 0: the smallest one, a matrix without gaps
  std::size_t ldb = 0;  ///< leading dimension; 0: the smallest one, a matrix without gaps
  std::size_t ldc = 0;  ///< leading dimension; 0: the smallest one, a matrix without gaps

  std::size_t offset_a = 0;  ///< from the start of the buffer, in elements
  std::size_t offset_b = 0;  ///< from the start of the buffer, in elements

  std::size_t batch_count = 1;  ///< for a batch: how many multiplies
  std::size_t stride_a = 0;     ///< for a batch: from one A to the next, in elements
  std::size_t stride_b = 0;     ///< for a batch: from one B to the next, in elements
};

/// A matrix in device memory. The buffer stays the caller's; it must live until the call has completed. Such
/// matrices are used on the device of the queue that the call names and on no other, whatever devices their
/// OpenCL context has: several devices share a multiply only where it is one of host matrices (DeviceSet).
struct DeviceMatrix {
  cl_mem buffer = nullptr;  ///< with the matrix somewhere in it
  std::size_t ld = 0;       ///< leading dimension, in elements
  std::size_t offset = 0;   ///< of the first element from the start of the buffer, in elements
};

/// Events that a call waits for before it reads or writes any matrix. They stay the caller's.
using WaitList = std::vector<cl_event>;

/// A device with everything clgemm keeps for it: compiled kernels and scratch memory. Use one where you want
/// to own that; the free functions below keep their own.
///
/// Threads: any number of threads may call sgemm() on one Context at the same time. A kernel is compiled
/// once, by the thread that needs it first, and only the threads that need this very kernel wait for it. No
/// lock is held while the device works. Moving from or destroying a Context while another thread uses it is
/// an error.
///
/// A device that is lost: a kernel that faults ends the whole OpenCL context that it ran in, whoever enqueued
/// it. The call that finds this out throws Error(device_lost), and so do all later ones on this Context; a
/// call on host matrices that the device may still use throws Error(matrices_in_use) first. What was in
/// device memory is gone. On an NVIDIA H200 (driver 580) the device is then lost to the process: no new
/// OpenCL context can be made, also when the old one is released, and constructors that would make one throw
/// device_lost, too; a new process finds the device well. The free functions keep a Context that is lost
/// until release_contexts().
///
/// fork(): the threads of an OpenCL driver do not live on in a child process, and a call there would wait for
/// them for ever. Once clgemm has looked for devices, every function that needs one throws
/// Error(forked_process) in processes that are forked from this one, also on Contexts made there; a child
/// that runs another program (exec) is not meant. A parent that has not yet used OpenCL may fork at will.
class CLGEMM_API Context {
 public:
  /// The default device: the one that the environment variable CLGEMM_DEVICE names (an index as
  /// `clgemm-bench --list-devices` prints it, or a part of the device's or platform's name, in any case);
  /// without it the first GPU, else the first CPU, else the first device of any kind.
  Context();

  /// A device by index or by a part of its name, as CLGEMM_DEVICE has it.
  explicit Context(const std::string& device);

  /// This device, in an OpenCL context made for it.
  explicit Context(cl_device_id device);

  /// The device and the OpenCL context of this queue. The queue itself is not kept.
  explicit Context(cl_command_queue queue);

  /// Calls that are under way on the device are not disturbed.
  ~Context();

  /// What was moved from can only be destroyed or assigned to.
  Context(Context&&) noexcept;

  /// As the constructor that moves.
  Context& operator=(Context&&) noexcept;

  /// Host matrices of any size. Returns when C is complete. `a`, `b` and `c` are the caller's.
  ///
  /// A device that shares the host's memory works on them where they lie, part by part where they are larger
  /// than one of its allocations. To any other device they go in parts, some of them on their way in and out
  /// while it multiplies others (Options::device_memory_limit).
  ///
  /// When this throws, the device no longer uses the matrices, and what is in C is not defined, unless the
  /// error is about an argument. If a device has failed so that it cannot be waited for, the call throws
  /// Error(matrices_in_use): the device may still use the matrices, so keep them until the end of the
  /// process. OpenCL has no time-out, so a call waits for as long as the device takes.
  void sgemm(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
             std::size_t k, float alpha, const float* a, std::size_t lda, const float* b, std::size_t ldb,
             float beta, float* c, std::size_t ldc, const Options& options = {});

  /// Matrices in device memory, on a queue of this Context's OpenCL context and device; the queue may be
  /// in-order or out-of-order. Returns when everything is enqueued and submitted to the device. `*done`,
  /// where asked for, completes when C is complete; the caller releases it. It is made also where there is
  /// nothing to do.
  ///
  /// When this throws, `*done` is as it was. An Error about an argument comes before anything is enqueued;
  /// any other may come when a part of the work is. Until the queue is through with that (clFinish), it may
  /// read A and B and write to C and to Options::scratch; what is in C then is not defined.
  void sgemm(cl_command_queue queue, Layout layout, Transpose transpose_a, Transpose transpose_b,
             std::size_t m, std::size_t n, std::size_t k, float alpha, DeviceMatrix a, DeviceMatrix b,
             float beta, DeviceMatrix c, const WaitList& wait_for = {}, cl_event* done = nullptr,
             const Options& options = {});

  /// `batch_count` multiplies in one call, in one launch where memory allows: the i-th takes the matrices
  /// that begin at a.offset + i * stride_a, b.offset + i * stride_b and c.offset + i * stride_c. stride_a and
  /// stride_b may be 0: the same A or B for all. The matrices C must not overlap, unless stride_c is 0: then
  /// all products are added into one C, C <- alpha * sum of op(A_i) op(B_i) + beta * C, always in the same
  /// order. That is one GEMM if the A and the B lie one behind the other along k, and a GEMM for each i if
  /// not. Everything else is as for sgemm().
  void sgemm_strided_batched(cl_command_queue queue, Layout layout, Transpose transpose_a,
                             Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k, float alpha,
                             DeviceMatrix a, std::size_t stride_a, DeviceMatrix b, std::size_t stride_b,
                             float beta, DeviceMatrix c, std::size_t stride_c, std::size_t batch_count,
                             const WaitList& wait_for = {}, cl_event* done = nullptr,
                             const Options& options = {});

  /// The same for matrices at any place: the i-th multiply takes a[i], b[i] and c[i], in buffers of their own
  /// or in one, and alphas[i] and betas[i]. The lists are of one length; of alphas and betas there may also
  /// be one, for all multiplies. Those whose A, B and C are each in one buffer, with one leading dimension,
  /// are done in one launch, wherever the matrices lie there, if that takes less time than a launch for each
  /// run of matrices that lie evenly apart. A list of places goes to the device by itself; `a`, `b`, `c`,
  /// `alphas` and `betas` are read only during the call. The matrices C must not overlap each other or any A
  /// and B; of those of different i this is checked for any two C, not for a C and an A or B.
  void sgemm_batched(cl_command_queue queue, Layout layout, Transpose transpose_a, Transpose transpose_b,
                     std::size_t m, std::size_t n, std::size_t k, const std::vector<float>& alphas,
                     const std::vector<DeviceMatrix>& a, const std::vector<DeviceMatrix>& b,
                     const std::vector<float>& betas, const std::vector<DeviceMatrix>& c,
                     const WaitList& wait_for = {}, cl_event* done = nullptr, const Options& options = {});

  /// Compiles what calls of these shapes need, so that the first real call does not wait for the compiler.
  void prepare(const std::vector<SgemmShape>& shapes, const Options& options = {});

  /// The plan for a call in words, a line a fact: kernel and parameters, why it was chosen, its predicted
  /// time and the runners-up with theirs, what was passed over and why, how it gets A and B, pads, blocks,
  /// scratch. Compiles like prepare(): whether the device can run a kernel is part of the choice.
  std::string explain(const SgemmShape& shape, const Options& options = {});

  /// The same for a call on host matrices: the parts that they go in, what is pinned, the bytes that are
  /// moved, the predicted time of each part of the work, and the plan for one part.
  std::string explain_host(const SgemmShape& shape, const Options& options = {});

  /// The device memory, in bytes, that a call takes for packed copies of A and B. Compiles like prepare().
  std::size_t sgemm_scratch_bytes(const SgemmShape& shape, const Options& options = {});

  /// The seconds that the speed model expects of a call on device memory. Compiles no kernel, but may probe a
  /// device that nobody has measured; knows nothing of what copies from and to host memory take. Where the
  /// model is all that speaks for a device, a guess.
  double predicted_seconds(const SgemmShape& shape, const Options& options = {});

  /// The device in use. It stays this Context's, as do the next two; retain what must outlive it.
  cl_device_id device() const;

  /// The OpenCL context in use.
  cl_context context() const;

  /// The in-order queue that host matrices go through.
  cl_command_queue queue() const;

  class State;  // clgemm's own

 private:
  friend State& state_of(Context& context);  // clgemm's own
  std::unique_ptr<State> state_;
};

/// Several devices that share each multiply of host matrices: C is cut into tiles, and each is one device's.
/// Devices of different vendors and kinds may stand together.
///
/// Devices that are equal (name, driver) take tiles as they get free. Between different ones the tiles are
/// divided by the speeds that the speed model gives them, and by nothing that is measured during the call, so
/// that the same list of devices gives the same bits every time.
///
/// A device that fails is left out from then on, in this call and in later ones; the others do its tiles, and
/// the log (CLGEMM_LOG) says so. If none is left, the Error is that of the first to fail. Errors of the
/// arguments, of Options and of a kernel that Options name leave no device out. If a device that writes C
/// where it lies fails and cannot be waited for, the call throws Error(matrices_in_use), because that device
/// may still write to C: this concerns devices that work in the host's memory, and all devices if the
/// matrices are pinned.
///
/// A device that hangs is waited for. CLGEMM_LOG=info then names it every 10 seconds.
///
/// Threads: as for Context.
class CLGEMM_API DeviceSet {
 public:
  /// Devices by a list with commas: each an index or a part of a name, as Context(const std::string&) has it;
  /// "all" for all that there are, "all NVIDIA" for all whose name or platform's name has that part. A device
  /// that is named twice is taken once. "0,1", "all NVIDIA,pthread".
  explicit DeviceSet(const std::string& devices);

  /// These devices, each in an OpenCL context made for it.
  explicit DeviceSet(const std::vector<cl_device_id>& devices);

  /// Waits for nothing: no call may be under way.
  ~DeviceSet();

  /// What was moved from can only be destroyed or assigned to.
  DeviceSet(DeviceSet&&) noexcept;

  /// As the constructor that moves.
  DeviceSet& operator=(DeviceSet&&) noexcept;

  /// Context::sgemm() for host matrices. Options::scratch must be null. Limits of memory are for each device.
  void sgemm(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
             std::size_t k, float alpha, const float* a, std::size_t lda, const float* b, std::size_t ldb,
             float beta, float* c, std::size_t ldc, const Options& options = {});

  /// How such a call is divided, in words, and Context::explain_host() of a tile on each device.
  std::string explain_host(const SgemmShape& shape, const Options& options = {});

  /// The devices that take part, in the order of the list. They stay this object's.
  std::vector<cl_device_id> devices() const;

  class State;  // clgemm's own

 private:
  friend State& state_of(DeviceSet& devices);  // clgemm's own
  std::unique_ptr<State> state_;
};

/// Context::sgemm() for host matrices, on one Context for the whole process, made with the default device at
/// the first call. Where the environment variable CLGEMM_DEVICES lists devices, as DeviceSet takes them, it
/// is DeviceSet::sgemm() on one DeviceSet for the whole process.
CLGEMM_API void sgemm(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
                      std::size_t n, std::size_t k, float alpha, const float* a, std::size_t lda,
                      const float* b, std::size_t ldb, float beta, float* c, std::size_t ldc,
                      const Options& options = {});

/// Context::explain_host() or DeviceSet::explain_host() of what that sgemm() uses.
CLGEMM_API std::string explain_host(const SgemmShape& shape, const Options& options = {});

/// Context::predicted_seconds() of what that sgemm() uses, or of the fastest of several devices.
CLGEMM_API double predicted_seconds(const SgemmShape& shape, const Options& options = {});

/// The Context that calls on this queue share: batches, prepare(), explain() and the like are asked of it.
/// The compiled kernels and scratch of the last few pairs of OpenCL context and device are kept, which keeps
/// those OpenCL contexts alive too, until release_contexts() and as long as the result is.
CLGEMM_API std::shared_ptr<Context> context_for(cl_command_queue queue);

/// Context::sgemm() for device memory, on context_for(queue).
CLGEMM_API void sgemm(cl_command_queue queue, Layout layout, Transpose transpose_a, Transpose transpose_b,
                      std::size_t m, std::size_t n, std::size_t k, float alpha, DeviceMatrix a,
                      DeviceMatrix b, float beta, DeviceMatrix c, const WaitList& wait_for = {},
                      cl_event* done = nullptr, const Options& options = {});

/// Deprecated: Context::sgemm_strided_batched() of context_for(queue).
[[deprecated("call it on context_for(queue)")]] CLGEMM_API void sgemm_strided_batched(
    cl_command_queue queue, Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
    std::size_t n, std::size_t k, float alpha, DeviceMatrix a, std::size_t stride_a, DeviceMatrix b,
    std::size_t stride_b, float beta, DeviceMatrix c, std::size_t stride_c, std::size_t batch_count,
    const WaitList& wait_for = {}, cl_event* done = nullptr, const Options& options = {});

/// Deprecated: Context::sgemm_batched() of context_for(queue).
[[deprecated("call it on context_for(queue)")]] CLGEMM_API void sgemm_batched(
    cl_command_queue queue, Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
    std::size_t n, std::size_t k, const std::vector<float>& alphas, const std::vector<DeviceMatrix>& a,
    const std::vector<DeviceMatrix>& b, const std::vector<float>& betas, const std::vector<DeviceMatrix>& c,
    const WaitList& wait_for = {}, cl_event* done = nullptr, const Options& options = {});

/// Deprecated: Context::prepare() of context_for(queue).
[[deprecated("call it on context_for(queue)")]] CLGEMM_API void prepare(cl_command_queue queue,
                                                                        const std::vector<SgemmShape>& shapes,
                                                                        const Options& options = {});

/// Deprecated: Context::explain() of context_for(queue).
[[deprecated("call it on context_for(queue)")]] CLGEMM_API std::string explain(cl_command_queue queue,
                                                                               const SgemmShape& shape,
                                                                               const Options& options = {});

/// Deprecated: Context::predicted_seconds() of context_for(queue); with a null queue,
/// predicted_seconds(shape).
[[deprecated("call it on context_for(queue)")]] CLGEMM_API double predicted_seconds(
    cl_command_queue queue, const SgemmShape& shape, const Options& options = {});

/// Deprecated: Context::sgemm_scratch_bytes() of context_for(queue).
[[deprecated("call it on context_for(queue)")]] CLGEMM_API std::size_t sgemm_scratch_bytes(
    cl_command_queue queue, const SgemmShape& shape, const Options& options = {});

/// Lets go of what the free functions keep. Calls that are under way are not disturbed.
CLGEMM_API void release_contexts();

}  // namespace clgemm
