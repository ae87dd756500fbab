// The fault layer itself (fault_layer.hpp): a table of functions, each of which does what is asked of it and
// hands on to the next one's.
#include "fault_layer.hpp"

#include <CL/cl_layer.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>

namespace clgemm::test {
namespace {

cl_icd_dispatch next_layer;
cl_icd_dispatch this_layer;

bool begins(std::string_view text, std::string_view part) {
  return text.substr(0, part.size()) == part;
}

// "FIRST[+EVERY][:STATUS[:FUNCTION]]"
std::vector<Fault> faults_of_environment() {
  const char* text = std::getenv("CLGEMM_TEST_FAULTS");
  if (text == nullptr) return {};
  Fault fault;
  char* rest = nullptr;
  fault.first = std::strtoul(text, &rest, 10);
  if (*rest == '+') fault.every = std::strtoul(rest + 1, &rest, 10);
  if (*rest == ':') fault.status = static_cast<cl_int>(std::strtol(rest + 1, &rest, 10));
  if (*rest == ':') fault.function = rest + 1;
  return {fault};
}

class Layer final : public FaultLayer {
 public:
  Layer() { arm(faults_of_environment()); }

  void arm(std::vector<Fault> faults) override {
    const std::lock_guard lock(mutex_);
    faults_.clear();
    for (Fault& fault : faults) faults_.push_back({std::move(fault), 0});
    calls_ = 0;
    failed_.clear();
    is_armed_ = true;
  }
  void disarm() override {
    const std::lock_guard lock(mutex_);
    is_armed_ = false;
  }
  unsigned long calls() const override { return calls_; }
  std::vector<std::string> failed() const override {
    const std::lock_guard lock(mutex_);
    return failed_;
  }
  unsigned long counted(std::size_t i) const override {
    const std::lock_guard lock(mutex_);
    return faults_.at(i).second;
  }
  void corrupt_read(unsigned long n) override { reads_to_corrupted_ = n; }
  void slow_down(const std::string& function) override {
    const std::lock_guard lock(mutex_);
    slow_ = function;
    most_at_once_ = 0;
  }
  int most_at_once() const override { return most_at_once_; }
  std::vector<Command> record(bool on) override {
    const std::lock_guard lock(mutex_);
    records_ = on;
    return std::move(commands_);
  }
  void pretend(bool of_platform, cl_uint parameter, const std::string& bytes) override {
    const std::lock_guard lock(mutex_);
    made_up_[{of_platform, parameter}] = bytes;
  }
  void pretend_ptx(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    ptx_ = text;
    binary_.clear();
  }
  std::string ptx_of_program() const override {
    const std::lock_guard lock(mutex_);
    return ptx_of_program_;
  }
  long live_objects() const override {
    long result = 0;
    for (const auto& count : live_) result += count;
    return result;
  }
  std::string describe_live() const override {
    const char* const names[] = {"contexts", "queues", "buffers", "programs", "kernels", "events"};
    std::string result;
    for (std::size_t i = 0; i < std::size(names); ++i)
      result += std::to_string(live_[i]) + " " + names[i] + (i + 1 == std::size(names) ? "" : ", ");
    return result;
  }

  // How a call of this function is to fail; with CL_SUCCESS where it is not to.
  struct Failure {
    cl_int status = CL_SUCCESS;
    bool is_done = false;
  };
  Failure failure_of(const char* function, const void* object) {
    if (!is_of_reference(function)) ++calls_;
    const std::lock_guard lock(mutex_);
    Failure result;
    if (!is_armed_) return result;
    for (auto& [fault, count] : faults_) {
      if (fault.first == 0 || !counts(fault, function)) continue;
      if (fault.object != nullptr && fault.object != object) continue;
      ++count;
      const bool is_later =
          count > fault.first && fault.every != 0 && (count - fault.first) % fault.every == 0;
      if (count == fault.first || is_later)
        result = {fault.status,
                  fault.is_done || (is_dead(fault) && std::string_view(function) == "clFinish")};
    }
    if (result.status != CL_SUCCESS && failed_.size() < 1000) failed_.emplace_back(function);
    return result;
  }

  void be_slow(const char* function) {
    {
      const std::lock_guard lock(mutex_);
      if (slow_ != function) return;
      most_at_once_ = std::max<int>(most_at_once_, ++at_once_);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    --at_once_;
  }

  bool is_to_corrupt() { return reads_to_corrupted_ != 0 && --reads_to_corrupted_ == 0; }

  void enqueued(const char* function, const std::vector<cl_event>& wait_for, cl_event event) {
    const std::lock_guard lock(mutex_);
    if (records_) commands_.push_back({function, wait_for, event});
  }

  // Answers by what is made up; false where nothing is.
  bool answer(bool of_platform, cl_uint parameter, std::size_t size, void* value, std::size_t* needed) {
    const std::lock_guard lock(mutex_);
    const auto found = made_up_.find({of_platform, parameter});
    if (found == made_up_.end() || found->second.empty()) return false;
    if (needed != nullptr) *needed = found->second.size();
    if (value != nullptr) std::memcpy(value, found->second.data(), std::min(size, found->second.size()));
    return true;
  }

  std::string ptx() const {
    const std::lock_guard lock(mutex_);
    return ptx_;
  }
  void stands_for(std::string binary) {
    const std::lock_guard lock(mutex_);
    binary_ = std::move(binary);
  }
  // The binary that such a text stands for; empty where it is not one.
  std::string binary_of(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (text.find(".target") == std::string::npos) return {};
    ptx_of_program_ = text;
    return binary_;
  }

  template <class Handle>
  void count(Handle handle, long change) {
    constexpr int place = place_of<Handle>();
    if constexpr (place >= 0) {
      if (handle != nullptr) live_[place] += change;
    }
  }

 private:
  static bool is_of_reference(std::string_view function) {
    return begins(function, "clRetain") || begins(function, "clRelease");
  }

  // Where everything fails from here on, nothing computes any more: what says so waits for what was under
  // way.
  static bool is_dead(const Fault& fault) { return fault.function.empty() && fault.every == 1; }

  static bool counts(const Fault& fault, std::string_view function) {
    const std::string_view named = fault.function;
    if (named.empty()) return !is_of_reference(function);
    return named.back() == '*' ? begins(function, named.substr(0, named.size() - 1)) : named == function;
  }

  template <class Handle>
  static constexpr int place_of() {
    if (std::is_same_v<Handle, cl_context>) return 0;
    if (std::is_same_v<Handle, cl_command_queue>) return 1;
    if (std::is_same_v<Handle, cl_mem>) return 2;
    if (std::is_same_v<Handle, cl_program>) return 3;
    if (std::is_same_v<Handle, cl_kernel>) return 4;
    if (std::is_same_v<Handle, cl_event>) return 5;
    return -1;
  }

  mutable std::mutex mutex_;
  std::vector<std::pair<Fault, unsigned long>> faults_;  // and how many calls of theirs there were
  bool is_armed_ = false;
  std::atomic<unsigned long> calls_{0};
  std::vector<std::string> failed_;
  std::atomic<unsigned long> reads_to_corrupted_{0};
  std::string slow_;
  std::atomic<int> at_once_{0};
  std::atomic<int> most_at_once_{0};
  bool records_ = false;
  std::vector<Command> commands_;
  std::map<std::pair<bool, cl_uint>, std::string> made_up_;
  std::string ptx_, binary_, ptx_of_program_;
  std::atomic<long> live_[6] = {};
};

Layer& layer() {
  static auto* const instance = new Layer;  // drivers call to the very end of the process
  return *instance;
}

// The event that a command gives its caller, and the events that it waits for: the arguments say it by type.
struct EventArguments {
  cl_uint last_count = 0;
  std::vector<cl_event> wait_for;
  cl_event* event = nullptr;
  bool is_command = false;

  template <class Argument>
  void see(Argument argument) {
    if constexpr (std::is_same_v<Argument, cl_uint>) last_count = argument;
    if constexpr (std::is_same_v<Argument, const cl_event*>) {
      if (argument != nullptr) wait_for.assign(argument, argument + last_count);
    }
    if constexpr (std::is_same_v<Argument, cl_event*>) {
      event = argument;
      is_command = true;
    }
  }
};

void corrupt_if_asked(cl_command_queue, cl_mem, cl_bool blocking, std::size_t, std::size_t size, void* host,
                      cl_uint, const cl_event*, cl_event*) {
  if (blocking == CL_TRUE && size != 0 && layer().is_to_corrupt())
    static_cast<unsigned char*>(host)[size / 2] ^= 0x40;
}

// The function of the table at `Member`.
template <auto Member>
struct Hook;

template <class Result, class... Arguments, Result (*cl_icd_dispatch::*Member)(Arguments...)>
struct Hook<Member> {
  static inline const char* name = "";

  static Result fail(cl_int status, Arguments... arguments) {
    if constexpr (std::is_same_v<Result, cl_int>) {
      return status;
    } else {
      cl_int* const place = std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
      if (place != nullptr) *place = status;
      return nullptr;
    }
  }

  static Result hand_on(Arguments... arguments) {
    const Result result = (next_layer.*Member)(arguments...);
    if constexpr (std::is_same_v<Result, cl_int>) {
      if (result != CL_SUCCESS) return result;
      if constexpr (sizeof...(Arguments) == 1) {
        if (begins(name, "clRetain")) (layer().count(arguments, 1), ...);
        if (begins(name, "clRelease")) (layer().count(arguments, -1), ...);
      }
    } else {
      if (result == nullptr) return result;
      layer().count(result, 1);
    }
    EventArguments events;
    (events.see(arguments), ...);
    if (events.event != nullptr) layer().count(*events.event, 1);
    if (events.is_command)
      layer().enqueued(name, events.wait_for, events.event != nullptr ? *events.event : nullptr);
    if constexpr (std::is_invocable_v<decltype(&corrupt_if_asked), Arguments...>)
      if (std::string_view(name) == "clEnqueueReadBuffer") corrupt_if_asked(arguments...);
    return result;
  }

  template <class First, class... Others>
  static const void* first_of(First first, Others...) {
    if constexpr (std::is_pointer_v<First> && !std::is_function_v<std::remove_pointer_t<First>>) return first;
    return nullptr;
  }

  static Result call(Arguments... arguments) {
    layer().be_slow(name);
    const auto [status, is_done] = layer().failure_of(name, first_of(arguments...));
    if (status == CL_SUCCESS) return hand_on(arguments...);
    if (is_done) {
      hand_on(arguments...);
    } else if constexpr (sizeof...(Arguments) == 1) {
      if (begins(name, "clRelease")) (layer().count(arguments, -1), ...);
    }
    return fail(status, arguments...);
  }
};

cl_int get_device_info(cl_device_id device, cl_device_info parameter, std::size_t size, void* value,
                       std::size_t* needed) {
  using Real = Hook<&cl_icd_dispatch::clGetDeviceInfo>;
  const cl_int status = layer().failure_of(Real::name, nullptr).status;
  if (status != CL_SUCCESS) return status;
  if (layer().answer(false, parameter, size, value, needed)) return CL_SUCCESS;
  return Real::hand_on(device, parameter, size, value, needed);
}

cl_int get_platform_info(cl_platform_id platform, cl_platform_info parameter, std::size_t size, void* value,
                         std::size_t* needed) {
  using Real = Hook<&cl_icd_dispatch::clGetPlatformInfo>;
  const cl_int status = layer().failure_of(Real::name, nullptr).status;
  if (status != CL_SUCCESS) return status;
  if (layer().answer(true, parameter, size, value, needed)) return CL_SUCCESS;
  return Real::hand_on(platform, parameter, size, value, needed);
}

// Of a program for one device.
std::string real_binary(cl_program program) {
  std::size_t size = 0;
  next_layer.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr);
  std::string result(size, '\0');
  char* const place = result.data();
  next_layer.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, const_cast<char**>(&place),
                              nullptr);
  return result;
}

cl_int get_program_info(cl_program program, cl_program_info parameter, std::size_t size, void* value,
                        std::size_t* needed) {
  using Real = Hook<&cl_icd_dispatch::clGetProgramInfo>;
  const cl_int status = layer().failure_of(Real::name, program).status;
  if (status != CL_SUCCESS) return status;
  const std::string ptx = layer().ptx();
  if (ptx.empty() || (parameter != CL_PROGRAM_BINARY_SIZES && parameter != CL_PROGRAM_BINARIES))
    return Real::hand_on(program, parameter, size, value, needed);
  if (needed != nullptr) *needed = sizeof(std::size_t);
  if (value == nullptr) return CL_SUCCESS;
  if (parameter == CL_PROGRAM_BINARY_SIZES) {
    *static_cast<std::size_t*>(value) = ptx.size();
    return CL_SUCCESS;
  }
  layer().stands_for(real_binary(program));
  std::memcpy(*static_cast<char**>(value), ptx.data(), ptx.size());
  return CL_SUCCESS;
}

cl_program create_program_with_binary(cl_context context, cl_uint count, const cl_device_id* devices,
                                      const std::size_t* sizes, const unsigned char** binaries,
                                      cl_int* of_each, cl_int* status) {
  using Real = Hook<&cl_icd_dispatch::clCreateProgramWithBinary>;
  const cl_int failure = layer().failure_of(Real::name, context).status;
  if (failure != CL_SUCCESS)
    return Real::fail(failure, context, count, devices, sizes, binaries, of_each, status);
  const std::string real =
      layer().binary_of(std::string(reinterpret_cast<const char*>(binaries[0]), sizes[0]));
  if (real.empty()) return Real::hand_on(context, count, devices, sizes, binaries, of_each, status);
  const std::size_t size = real.size();
  const auto* place = reinterpret_cast<const unsigned char*>(real.data());
  return Real::hand_on(context, 1, devices, &size, &place, of_each, status);
}

template <auto Member>
void hook(const char* name) {
  Hook<Member>::name = name;
  if (next_layer.*Member != nullptr) this_layer.*Member = &Hook<Member>::call;
}

#define CLGEMM_HOOK(function) hook<&cl_icd_dispatch::function>(#function)

void hook_what_asks() {
  CLGEMM_HOOK(clGetPlatformIDs);
  CLGEMM_HOOK(clGetPlatformInfo);
  CLGEMM_HOOK(clGetDeviceIDs);
  CLGEMM_HOOK(clGetDeviceInfo);
  CLGEMM_HOOK(clGetContextInfo);
  CLGEMM_HOOK(clGetCommandQueueInfo);
  CLGEMM_HOOK(clGetMemObjectInfo);
  CLGEMM_HOOK(clGetProgramInfo);
  CLGEMM_HOOK(clGetProgramBuildInfo);
  CLGEMM_HOOK(clGetKernelInfo);
  CLGEMM_HOOK(clGetKernelWorkGroupInfo);
  CLGEMM_HOOK(clGetEventInfo);
  CLGEMM_HOOK(clGetEventProfilingInfo);
  this_layer.clGetDeviceInfo = &get_device_info;
  this_layer.clGetPlatformInfo = &get_platform_info;
  this_layer.clGetProgramInfo = &get_program_info;
}

void hook_objects() {
  CLGEMM_HOOK(clRetainDevice);
  CLGEMM_HOOK(clReleaseDevice);
  CLGEMM_HOOK(clCreateContext);
  CLGEMM_HOOK(clRetainContext);
  CLGEMM_HOOK(clReleaseContext);
  CLGEMM_HOOK(clCreateCommandQueue);
  CLGEMM_HOOK(clRetainCommandQueue);
  CLGEMM_HOOK(clReleaseCommandQueue);
  CLGEMM_HOOK(clCreateBuffer);
  CLGEMM_HOOK(clCreateSubBuffer);
  CLGEMM_HOOK(clRetainMemObject);
  CLGEMM_HOOK(clReleaseMemObject);
  CLGEMM_HOOK(clCreateProgramWithSource);
  CLGEMM_HOOK(clCreateProgramWithBinary);
  this_layer.clCreateProgramWithBinary = &create_program_with_binary;
  CLGEMM_HOOK(clRetainProgram);
  CLGEMM_HOOK(clReleaseProgram);
  CLGEMM_HOOK(clBuildProgram);
  CLGEMM_HOOK(clCreateKernel);
  CLGEMM_HOOK(clRetainKernel);
  CLGEMM_HOOK(clReleaseKernel);
  CLGEMM_HOOK(clSetKernelArg);
  CLGEMM_HOOK(clCreateUserEvent);
  CLGEMM_HOOK(clRetainEvent);
  CLGEMM_HOOK(clReleaseEvent);
}

void hook_commands() {
  CLGEMM_HOOK(clEnqueueReadBuffer);
  CLGEMM_HOOK(clEnqueueWriteBuffer);
  CLGEMM_HOOK(clEnqueueCopyBuffer);
  CLGEMM_HOOK(clEnqueueFillBuffer);
  CLGEMM_HOOK(clEnqueueMapBuffer);
  CLGEMM_HOOK(clEnqueueUnmapMemObject);
  CLGEMM_HOOK(clEnqueueNDRangeKernel);
  CLGEMM_HOOK(clEnqueueMarkerWithWaitList);
  CLGEMM_HOOK(clEnqueueBarrierWithWaitList);
  CLGEMM_HOOK(clWaitForEvents);
  CLGEMM_HOOK(clFlush);
  CLGEMM_HOOK(clFinish);
}

}  // namespace
}  // namespace clgemm::test

extern "C" {

cl_int clGetLayerInfo(cl_layer_info name, size_t size, void* value, size_t* needed) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  const char text[] = "clgemm's fault layer";
  const bool is_version = name == CL_LAYER_API_VERSION;
  const size_t bytes = is_version ? sizeof version : sizeof text;
  if (needed != nullptr) *needed = bytes;
  if (value == nullptr) return CL_SUCCESS;
  if (size < bytes) return CL_INVALID_VALUE;
  std::memcpy(value, is_version ? static_cast<const void*>(&version) : text, bytes);
  return CL_SUCCESS;
}

cl_int clInitLayer(cl_uint entries, const cl_icd_dispatch* target, cl_uint* own_entries,
                   const cl_icd_dispatch** own) {
  using namespace clgemm::test;
  // A loader of another version may have a shorter or longer table.
  std::memcpy(&next_layer, target, std::min(sizeof next_layer, entries * sizeof(void*)));
  this_layer = next_layer;
  hook_what_asks();
  hook_objects();
  hook_commands();
  *own_entries = std::min<cl_uint>(entries, sizeof this_layer / sizeof(void*));
  *own = &this_layer;
  return CL_SUCCESS;
}

// Found by FaultLayer::of_process().
clgemm::test::FaultLayer* clgemm_fault_layer() {
  return &clgemm::test::layer();
}
}
