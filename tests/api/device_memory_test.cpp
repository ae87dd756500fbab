// The memory of a DeviceMatrix in a C++ program: a cl_mem, a cl::Buffer, or a pointer from clSVMAlloc(). Also
// tests batches of these.
#define CL_HPP_TARGET_OPENCL_VERSION 200
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
#include <clgemm/clgemm.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using clgemm::DeviceMatrix;
using clgemm::DeviceMemory;
using clgemm::Layout;
using clgemm::Transpose;

static_assert(std::is_convertible<cl::Buffer, DeviceMemory>::value &&
                  std::is_convertible<cl_mem, DeviceMemory>::value &&
                  std::is_convertible<float*, DeviceMemory>::value &&
                  std::is_convertible<std::nullptr_t, DeviceMemory>::value,
              "");
static_assert(!std::is_convertible<cl::CommandQueue, DeviceMemory>::value &&
                  !std::is_convertible<double*, DeviceMemory>::value &&
                  !std::is_convertible<const float*, DeviceMemory>::value,
              "");

constexpr int skipped = 77;
constexpr std::size_t side = 8;
constexpr std::size_t elements = side * side;
constexpr std::size_t count = 3;

int failures = 0;
void check(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "device_memory_test.cpp: not so: %s\n", what);
}

void multiply(clgemm::Context& context, const DeviceMatrix& a, const DeviceMatrix& b, float beta,
              const DeviceMatrix& c) {
  context.sgemm(context.queue(), Layout::row_major, Transpose::no, Transpose::no, side, side, side, 1.0f, a,
                b, beta, c);
}

void multiply_in_buffers(clgemm::Context& context) {
  const cl::Context opencl(context.context(), true);
  const cl::CommandQueue queue(context.queue(), true);
  const std::vector<float> twos(elements, 2.0f);
  std::vector<float> result(elements);
  const cl::Buffer a(opencl, CL_MEM_READ_WRITE, elements * sizeof(float));
  const cl::Buffer c(opencl, CL_MEM_READ_WRITE, elements * sizeof(float));
  queue.enqueueWriteBuffer(a, CL_TRUE, 0, elements * sizeof(float), twos.data());
  multiply(context, {a, side}, {a, side, 0}, 0.0f, {c, side});
  multiply(context, {a, side}, {a(), side}, 1.0f, {c(), side});  // the same with their handles
  queue.enqueueReadBuffer(c, CL_TRUE, 0, elements * sizeof(float), result.data());
  check(result == std::vector<float>(elements, 2.0f * 2.0f * 2.0f * side), "buffers of CLHPP are buffers");
}

// Memory from clSVMAlloc() with `count` matrices. All of their elements are `value`.
class Shared {
 public:
  Shared(clgemm::Context& context, float value) : context_(context) {
    memory_ = static_cast<float*>(clSVMAlloc(context.context(), CL_MEM_READ_WRITE, bytes, 0));
    fill(0, count * elements, value);
  }
  ~Shared() {
    clFinish(context_.queue());
    clSVMFree(context_.context(), memory_);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  float* get() const { return memory_; }
  void fill(std::size_t first, std::size_t size, float value) {
    map(CL_MAP_WRITE);
    for (std::size_t i = first; i < first + size; ++i) memory_[i] = value;
    unmap();
  }
  bool all_are(std::size_t first, std::size_t size, float value) {
    bool result = true;
    map(CL_MAP_READ);
    for (std::size_t i = first; i < first + size; ++i) result = result && memory_[i] == value;
    unmap();
    return result;
  }

 private:
  static constexpr std::size_t bytes = count * elements * sizeof(float);
  void map(cl_map_flags flags) {
    clEnqueueSVMMap(context_.queue(), CL_TRUE, flags, memory_, bytes, 0, nullptr, nullptr);
  }
  void unmap() { clEnqueueSVMUnmap(context_.queue(), memory_, 0, nullptr, nullptr); }

  clgemm::Context& context_;
  float* memory_;
};

void multiply_in_shared_memory(clgemm::Context& context) {
  Shared a(context, 2.0f);
  Shared c(context, 1.0f);
  context.sgemm_strided_batched(context.queue(), Layout::row_major, Transpose::no, Transpose::no, side, side,
                                side, 1.0f, {a.get(), side}, elements, {a.get(), side}, 0, 1.0f,
                                {c.get(), side}, elements, count);
  check(c.all_are(0, count * elements, 2.0f * 2.0f * side + 1.0f), "a strided batch");

  // Lists of irregular offsets in one allocation. The last A comes first. The C in between does not change.
  a.fill(2 * elements, elements, 3.0f);
  c.fill(0, count * elements, 1.0f);
  const std::vector<DeviceMatrix> list_a{{a.get(), side, 2 * elements}, {a.get(), side, 0}};
  const std::vector<DeviceMatrix> list_b{{a.get(), side, 0}, {a.get(), side, elements}};
  const std::vector<DeviceMatrix> list_c{{c.get(), side, 0}, {c.get(), side, 2 * elements}};
  context.sgemm_batched(context.queue(), Layout::row_major, Transpose::no, Transpose::no, side, side, side,
                        {1.0f}, list_a, list_b, {0.0f}, list_c);
  check(c.all_are(0, elements, 3.0f * 2.0f * side) && c.all_are(elements, elements, 1.0f) &&
            c.all_are(2 * elements, elements, 2.0f * 2.0f * side),
        "a batch by lists");

  try {
    context.sgemm_batched(context.queue(), Layout::row_major, Transpose::no, Transpose::no, side, side, side,
                          {1.0f}, list_a, list_b, {0.0f},
                          {{c.get(), side, 0}, {c.get(), side, elements - 1}});
    check(false, "matrices C of a batch that overlap are refused");
  } catch (const clgemm::Error& error) {
    check(error.argument() == clgemm::Argument::c, error.what());
  }

  // Memory that is not read may be of any kind. The call only scales C.
  float ordinary = 0.0f;
  c.fill(0, count * elements, 3.0f);
  context.sgemm(context.queue(), Layout::row_major, Transpose::no, Transpose::no, side, side, side, 0.0f,
                {&ordinary, side}, {nullptr, side}, 2.0f, {c.get(), side});
  check(c.all_are(0, elements, 6.0f) && c.all_are(elements, elements, 3.0f), "C alone");
}

}  // namespace

int main() {
  try {
    clgemm::Context context;
    multiply_in_buffers(context);
    cl_device_svm_capabilities capabilities = 0;
    clGetDeviceInfo(context.device(), CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities,
                    nullptr);
    if ((capabilities & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0) {
      multiply_in_shared_memory(context);
    } else {
      std::printf("SKIPPED: the device has no shared virtual memory\n");
      return failures == 0 ? skipped : 1;
    }
  } catch (const std::exception& error) {
    check(false, error.what());
  }
  return failures == 0 ? 0 : 1;
}
