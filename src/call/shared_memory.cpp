#include "call/shared_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "base/error.hpp"
#include "base/words.hpp"

namespace clgemm {
namespace {

constexpr cl_mem_info mem_uses_svm_pointer = 0x1109;  // CL_MEM_USES_SVM_POINTER, from OpenCL 2.0

struct Allocation {
  float* memory = nullptr;
  std::size_t bytes = 0;  // 0 if the platform cannot tell
};

// Finds the allocations of Intel's extension.
class UnifiedSharedMemory {
 public:
  explicit UnifiedSharedMemory(const Surroundings& surroundings) : context_(surroundings.context) {
    if (!has_word(surroundings.device.extensions, "cl_intel_unified_shared_memory")) return;
    const cl::Device device = context_.getInfo<CL_CONTEXT_DEVICES>().front();
    const cl_platform_id platform = device.getInfo<CL_DEVICE_PLATFORM>();
    ask_ = reinterpret_cast<clGetMemAllocInfoINTEL_fn>(
        clGetExtensionFunctionAddressForPlatform(platform, "clGetMemAllocInfoINTEL"));
  }

  // Returns the allocation that the pointer is in, or the pointer itself if the extension does not know it.
  Allocation allocation_of(float* pointer) const {
    cl_uint type = CL_MEM_TYPE_UNKNOWN_INTEL;
    Allocation result{pointer};
    if (ask_ == nullptr || !ask(pointer, CL_MEM_ALLOC_TYPE_INTEL, type) || type == CL_MEM_TYPE_UNKNOWN_INTEL)
      return result;
    Allocation whole;
    if (ask(pointer, CL_MEM_ALLOC_BASE_PTR_INTEL, whole.memory) &&
        ask(pointer, CL_MEM_ALLOC_SIZE_INTEL, whole.bytes) && whole.memory != nullptr)
      return whole;
    return result;
  }

 private:
  template <class Value>
  bool ask(const float* pointer, cl_mem_info_intel what, Value& value) const {
    return ask_(context_(), pointer, what, sizeof value, &value, nullptr) == CL_SUCCESS;
  }

  const cl::Context& context_;
  clGetMemAllocInfoINTEL_fn ask_ = nullptr;
};

[[noreturn]] void refuse(const UsedMatrix& used, const char* why) {
  throw Error(ErrorCode::invalid_argument, fmt::format("the pointer of {} {}", used.name, why),
              used.argument);
}

[[noreturn]] void refuse_size(const UsedMatrix& used) {
  throw Error(
      ErrorCode::buffer_too_small,
      fmt::format("the shared memory of {} ends before the matrix, with offset {} and leading dimension {}",
                  used.name, used.matrix.offset, used.matrix.ld),
      used.argument);
}

// Returns the bytes from the start of the allocation to the end of the matrix. The matrix's memory begins
// `before` bytes after that start.
std::size_t bytes_to_end(const UsedMatrix& used, std::size_t before) {
  std::size_t bytes = 0;
  if (__builtin_add_overflow(used.matrix.offset, used.extent, &bytes) ||
      __builtin_mul_overflow(bytes, sizeof(float), &bytes) || __builtin_add_overflow(bytes, before, &bytes)) {
    refuse_size(used);
  }
  return bytes;
}

bool uses_shared_memory(const cl::Buffer& buffer) {
  cl_bool result = CL_FALSE;
  const cl_int status = clGetMemObjectInfo(buffer(), mem_uses_svm_pointer, sizeof result, &result, nullptr);
  if (status == CL_INVALID_VALUE) return false;  // older than OpenCL 2.0
  if (status != CL_SUCCESS) throw cl::Error(status, "clGetMemObjectInfo");
  return result == CL_TRUE;
}

cl::Buffer buffer_on(float* memory, std::size_t bytes, const UsedMatrix& used, const cl::Context& context) {
  cl_int status = CL_SUCCESS;
  const cl::Buffer result(
      clCreateBuffer(context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory, &status));
  if (status == CL_INVALID_BUFFER_SIZE) refuse_size(used);
  if (status != CL_SUCCESS && status != CL_INVALID_HOST_PTR && status != CL_INVALID_VALUE)
    throw cl::Error(status, "clCreateBuffer");
  if (status != CL_SUCCESS || !uses_shared_memory(result)) {
    refuse(used,
           "does not point to shared memory: it must come from clSVMAlloc() with the call's OpenCL context, "
           "or from cl_intel_unified_shared_memory");
  }
  return result;
}

}  // namespace

bool lie_in_shared_memory(const std::vector<DeviceMatrix>& matrices) {
  return std::any_of(matrices.begin(), matrices.end(),
                     [](const DeviceMatrix& matrix) { return is_pointer(matrix); });
}

void add_used(const SgemmCall& call, const Extents& extents, DeviceMatrix& a, DeviceMatrix& b,
              DeviceMatrix& c, std::vector<UsedMatrix>& used) {
  if (reads_a_and_b(call)) {
    used.push_back({a, extents.a, "A", Argument::a});
    used.push_back({b, extents.b, "B", Argument::b});
  }
  if (extents.c != 0) used.push_back({c, extents.c, "C", Argument::c});
}

std::vector<cl::Buffer> put_on_buffers(const std::vector<UsedMatrix>& matrices,
                                       const Surroundings& surroundings) {
  struct Need {
    std::size_t bytes;
    const UsedMatrix* furthest;
    cl::Buffer buffer{};
  };
  std::map<float*, Need> needs;  // for each allocation
  const UnifiedSharedMemory unified(surroundings);
  for (const UsedMatrix& used : matrices) {
    if (!is_pointer(used.matrix)) continue;
    const auto address = [](const float* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
    float* const pointer = used.matrix.buffer.pointer();
    if (address(pointer) % alignof(float) != 0) refuse(used, "is not aligned to 4 bytes");
    const Allocation allocation = unified.allocation_of(pointer);
    const std::size_t before = address(pointer) - address(allocation.memory);
    const std::size_t bytes = bytes_to_end(used, before);
    if (allocation.bytes != 0 && bytes > allocation.bytes) refuse_size(used);
    Need& need = needs.try_emplace(allocation.memory, Need{bytes, &used}).first->second;
    if (bytes > need.bytes) need = {bytes, &used};
    used.matrix.buffer = allocation.memory;
    used.matrix.offset += before / sizeof(float);
  }

  std::vector<cl::Buffer> result;
  for (auto& [memory, need] : needs) {
    need.buffer = buffer_on(memory, need.bytes, *need.furthest, surroundings.context);
    result.push_back(need.buffer);
  }
  for (const UsedMatrix& used : matrices) {
    if (is_pointer(used.matrix)) used.matrix.buffer = needs.at(used.matrix.buffer.pointer()).buffer();
  }
  return result;
}

}  // namespace clgemm
