// The fault layer itself (fault_layer.hpp): a table of functions. Each applies the faults and calls the next
// layer's function.
#include "fault_layer.hpp"

#include <CL/cl_layer.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>

#include "delayed_events.hpp"
#include "failed_events.hpp"
#include "support/elf.hpp"

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
  if (fault.every == 1 && fault.function.empty()) fault.failing = Failing::dead;
  return {fault};
}

class Layer final : public FaultLayer {
 public:
  Layer() { arm(faults_of_environment()); }

  void arm(std::vector<Fault> faults) override {
    const std::lock_guard lock(mutex_);
    faults_.clear();
    asks_for_devices_ = false;
    for (Fault& fault : faults) {
      if (fault.device != nullptr) asks_for_devices_ = true;
      faults_.push_back({std::move(fault), 0});
    }
    calls_ = 0;
    failed_.clear();
    is_armed_ = true;
  }
  void disarm() override {
    const std::lock_guard lock(mutex_);
    is_armed_ = asks_for_devices_ = false;
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
  void slow_copies(std::chrono::milliseconds time) override { copies_take_ = time; }
  void finish_everything() override;
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
  using FaultLayer::pretend;
  void pretend(bool of_platform, cl_uint parameter, const std::string& bytes, cl_device_id of_one) override {
    const std::lock_guard lock(mutex_);
    made_up_[{of_platform, parameter}] = {bytes, of_one};
  }
  void pretend_spills(const std::string& options, cl_ulong bytes, const std::string& log) override {
    const std::lock_guard lock(mutex_);
    spills_ = {options, bytes, log};
  }
  struct Spills {
    std::string options;
    cl_ulong bytes = 0;
    std::string log;
  };
  // Returns nothing if no facts are invented for a program with these build options.
  std::optional<Spills> spills_of(const std::string& options) const {
    const std::lock_guard lock(mutex_);
    if (spills_.options.empty() || options.find(spills_.options) == std::string::npos) return std::nullopt;
    return spills_;
  }
  bool makes_up_spills() const {
    const std::lock_guard lock(mutex_);
    return !spills_.options.empty();
  }
  bool makes_up_log() const {
    const std::lock_guard lock(mutex_);
    return !spills_.log.empty();
  }
  void pretend_binary(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    ptx_ = text;
    binary_.clear();
  }
  std::string given_binary() const override {
    const std::lock_guard lock(mutex_);
    return given_binary_;
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

  // Says how a call of this function must fail. The status is CL_SUCCESS if it must not.
  struct Failure {
    cl_int status = CL_SUCCESS;
    Failing failing = Failing::refused;

    bool is_by_event() const {
      return status != CL_SUCCESS &&
             (failing == Failing::by_event || failing == Failing::by_event_and_followers);
    }
  };
  Failure failure_of(const char* function, const void* object, cl_device_id device) {
    if (!is_of_reference(function)) ++calls_;
    const std::lock_guard lock(mutex_);
    Failure result;
    if (!is_armed_) return result;
    for (auto& [fault, count] : faults_) {
      if (fault.first == 0 || !counts(fault, function)) continue;
      if (fault.object != nullptr && fault.object != object) continue;
      if (fault.device != nullptr && fault.device != device) continue;
      ++count;
      const bool is_later =
          count > fault.first && fault.every != 0 && (count - fault.first) % fault.every == 0;
      if (count != fault.first && !is_later) continue;
      result = {fault.status, fault.failing};
      if (fault.failing == Failing::dead)
        result.failing = std::string_view(function) == "clFinish" ? Failing::done : Failing::refused;
    }
    if (result.status != CL_SUCCESS && failed_.size() < 1000) failed_.emplace_back(function);
    return result;
  }
  bool asks_for_devices() const { return asks_for_devices_; }

  FailedEvents& failed_events() { return failed_events_; }

  std::chrono::milliseconds copies_take() const { return copies_take_; }
  DelayedEvents& delayed_events() { return delayed_events_; }

  // Called before a queue is released, or seems to be. Under faults, its last commands may still run then.
  void queue_goes(cl_command_queue queue);

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

  // Answers with invented facts. Returns false if there are none.
  bool answer(cl_device_id device, cl_uint parameter, std::size_t size, void* value, std::size_t* needed) {
    const std::lock_guard lock(mutex_);
    const auto found = made_up_.find({device == nullptr, parameter});
    if (found == made_up_.end()) return false;
    const auto& [bytes, of_one] = found->second;
    if (bytes.empty() || (of_one != nullptr && of_one != device)) return false;
    if (needed != nullptr) *needed = bytes.size();
    if (value != nullptr) std::memcpy(value, bytes.data(), std::min(size, bytes.size()));
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
  // Returns the binary for such a text, or an empty text if it is none.
  std::string binary_of(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (text.find(".target") == std::string::npos && !text.starts_with(elf_mark)) return {};
    given_binary_ = text;
    return binary_;
  }

  template <class Handle>
  void count(Handle handle, long change) {
    constexpr int place = place_of<Handle>();
    if constexpr (place >= 0) {
      if (handle != nullptr) live_[place] += change;
    }
    if constexpr (std::is_same_v<Handle, cl_command_queue>) {
      const std::lock_guard lock(queues_mutex_);
      if ((queues_[handle] += change) <= 0) {
        queues_.erase(handle);
        failed_events_.forget(handle);
      }
    }
  }

 private:
  static bool is_of_reference(std::string_view function) {
    return begins(function, "clRetain") || begins(function, "clRelease");
  }

  static bool is_named(std::string_view function, std::string_view name) {
    return name.back() == '*' ? begins(function, name.substr(0, name.size() - 1)) : name == function;
  }

  static bool counts(const Fault& fault, std::string_view function) {
    std::string_view names = fault.function;
    if (names.empty()) return !is_of_reference(function);
    for (;;) {
      const std::size_t end = names.find('|');
      if (is_named(function, names.substr(0, end))) return true;
      if (end == std::string_view::npos) return false;
      names.remove_prefix(end + 1);
    }
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
  std::vector<std::pair<Fault, unsigned long>> faults_;  // and the number of calls that each has counted
  std::atomic<bool> is_armed_{false};
  std::atomic<bool> asks_for_devices_{false};
  std::atomic<unsigned long> calls_{0};
  std::vector<std::string> failed_;
  std::atomic<unsigned long> reads_to_corrupted_{0};
  std::string slow_;
  std::atomic<int> at_once_{0};
  std::atomic<int> most_at_once_{0};
  bool records_ = false;
  std::vector<Command> commands_;
  std::map<std::pair<bool, cl_uint>, std::pair<std::string, cl_device_id>> made_up_;
  Spills spills_;
  std::string ptx_, binary_, given_binary_;
  std::atomic<long> live_[6] = {};

  FailedEvents failed_events_;
  DelayedEvents delayed_events_;
  std::atomic<std::chrono::milliseconds> copies_take_{std::chrono::milliseconds{0}};

  struct Orphan {  // a queue that was released by the program, and is kept here
    cl_command_queue queue;
    cl_context context;
  };
  // If there are more, they are finished and released, because a long run would use up the memory.
  static constexpr std::size_t most_orphans = 64;
  static void finish_and_release(const std::vector<Orphan>& orphans);

  std::mutex queues_mutex_;
  std::map<cl_command_queue, long> queues_;  // and the number of references to each
  std::vector<Orphan> orphans_;
};

cl_context context_of(cl_command_queue queue) {
  cl_context result = nullptr;
  next_layer.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof result, &result, nullptr);
  return result;
}

void Layer::queue_goes(cl_command_queue queue) {
  if (!is_armed_) return;
  std::vector<Orphan> oldest;
  {
    const std::lock_guard lock(queues_mutex_);
    const auto found = queues_.find(queue);
    if (found == queues_.end() || found->second != 1) return;
    const cl_context context = context_of(queue);
    next_layer.clRetainContext(context);
    next_layer.clRetainCommandQueue(queue);
    orphans_.push_back({queue, context});
    if (orphans_.size() > most_orphans) oldest.swap(orphans_);
  }
  finish_and_release(oldest);
}

void Layer::finish_and_release(const std::vector<Orphan>& orphans) {
  for (const Orphan& orphan : orphans) {
    next_layer.clFinish(orphan.queue);
    next_layer.clReleaseCommandQueue(orphan.queue);
    next_layer.clReleaseContext(orphan.context);
  }
}

void Layer::finish_everything() {
  delayed_events_.wait_for_all();
  std::vector<cl_command_queue> live;
  std::vector<Orphan> orphans;
  {
    const std::lock_guard lock(queues_mutex_);
    for (const auto& [queue, references] : queues_) live.push_back(queue);
    orphans.swap(orphans_);
  }
  for (const cl_command_queue queue : live) next_layer.clFinish(queue);
  finish_and_release(orphans);
}

Layer& layer() {
  // It is never destroyed, because drivers make calls until the process ends.
  static auto* const instance = new Layer;
  return *instance;
}

// The event that a command returns, and the events that it waits for, recognized by the types of the
// arguments.
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

// Returns the device of a call, or the device that has its first argument, or null if there is none. For a
// context with several devices, it is the first.
cl_device_id device_of(cl_device_id device) {
  return device;
}
cl_device_id device_of(cl_context context) {
  cl_device_id devices[16] = {};
  next_layer.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof devices, devices, nullptr);
  return devices[0];
}
cl_device_id device_of(cl_command_queue queue) {
  cl_device_id result = nullptr;
  next_layer.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof result, &result, nullptr);
  return result;
}
template <class Object, class Ask>
cl_device_id device_by_context(Object object, Ask ask, cl_uint parameter) {
  cl_context context = nullptr;
  if (object != nullptr) ask(object, parameter, sizeof context, &context, nullptr);
  return context == nullptr ? nullptr : device_of(context);
}
cl_device_id device_of(cl_mem memory) {
  return device_by_context(memory, next_layer.clGetMemObjectInfo, CL_MEM_CONTEXT);
}
cl_device_id device_of(cl_program program) {
  return device_by_context(program, next_layer.clGetProgramInfo, CL_PROGRAM_CONTEXT);
}
cl_device_id device_of(cl_kernel kernel) {
  return device_by_context(kernel, next_layer.clGetKernelInfo, CL_KERNEL_CONTEXT);
}
cl_device_id device_of(cl_event event) {
  return device_by_context(event, next_layer.clGetEventInfo, CL_EVENT_CONTEXT);
}

template <class First, class... Others>
cl_device_id device_of_call(First first, Others... others) {
  if constexpr (std::is_invocable_v<cl_device_id (*)(First), First> && requires { device_of(first); } &&
                std::is_pointer_v<First>) {
    return device_of(first);
  } else {
    // clCreateContext has a list of devices, and clWaitForEvents a list of events.
    cl_device_id result = nullptr;
    const auto see = [&result](auto argument) {
      using Argument = decltype(argument);
      if constexpr (std::is_same_v<Argument, const cl_device_id*>) result = argument[0];
      if constexpr (std::is_same_v<Argument, const cl_event*>) result = device_of(argument[0]);
    };
    (see(others), ...);
    return result;
  }
}

// Returns true if commands of this device wait for user events. PoCL's `basic` runs them anyway.
bool waits_for_user_events(cl_command_queue queue) {
  char name[64] = "";
  next_layer.clGetDeviceInfo(device_of(queue), CL_DEVICE_NAME, sizeof name, name, nullptr);
  name[sizeof name - 1] = '\0';
  return !begins(name, "basic") && !begins(name, "cpu-minimal");
}

// Replaces the function of the table at `Member`.
template <auto Member>
struct Hook;

template <class Result, class... Arguments, Result (*cl_icd_dispatch::*Member)(Arguments...)>
struct Hook<Member> {
  static inline const char* name = "";
  static constexpr bool has_status_argument =
      std::is_same_v<std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>, cl_int*>;

  static Result fail(cl_int status, Arguments... arguments) {
    if constexpr (std::is_same_v<Result, cl_int>) {
      return status;
    } else {
      if constexpr (has_status_argument) {
        cl_int* const place = std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
        if (place != nullptr) *place = status;
      }
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
    if (events.event != nullptr) {
      layer().count(*events.event, 1);
      if constexpr (is_command)
        layer().failed_events().begin(std::get<0>(std::tuple(arguments...)), *events.event);
    }
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

  // True for functions that put a command on a queue, and may return an event.
  static constexpr bool is_command = (std::is_same_v<Arguments, cl_event*> || ...);

  static bool is_blocking(Arguments... arguments) {
    if constexpr (sizeof...(Arguments) > 2) {
      using Third = std::tuple_element_t<2, std::tuple<Arguments...>>;
      if constexpr (std::is_same_v<Third, cl_bool>)
        return is_copy() || begins(name, "clEnqueueMap") ? std::get<2>(std::tuple(arguments...)) == CL_TRUE
                                                         : false;
    }
    return false;
  }
  static bool is_copy() { return begins(name, "clEnqueueRead") || begins(name, "clEnqueueWrite"); }

  // The command is accepted. It does not run, and its event fails. But mapping and unmapping is done.
  static Result fail_later(const FailedEvents::Failure& failure, Arguments... arguments) {
    if (is_blocking(arguments...)) return fail(failure.status, arguments...);
    EventArguments events;
    (events.see(arguments), ...);
    cl_command_queue queue = std::get<0>(std::tuple(arguments...));
    Result result{};
    if (std::is_pointer_v<Result> || std::string_view(name) == "clEnqueueUnmapMemObject") {
      result = hand_on(arguments...);
    } else if constexpr (std::is_same_v<Result, cl_int>) {
      result = next_layer.clEnqueueMarkerWithWaitList(
          queue, static_cast<cl_uint>(events.wait_for.size()),
          events.wait_for.empty() ? nullptr : events.wait_for.data(), events.event);
      if (result != CL_SUCCESS) return result;
      if (events.event != nullptr) layer().count(*events.event, 1);
      layer().enqueued(name, events.wait_for, events.event != nullptr ? *events.event : nullptr);
    }
    layer().failed_events().add(queue, events.event != nullptr ? *events.event : nullptr, failure);
    return result;
  }

  // Delays the command on the device, or here.
  static Result hand_on_slowly(std::chrono::milliseconds time, Arguments... arguments) {
    cl_command_queue queue = std::get<0>(std::tuple(arguments...));
    if (is_blocking(arguments...) || !waits_for_user_events(queue)) {
      std::this_thread::sleep_for(time);
      return hand_on(arguments...);
    }
    constexpr std::size_t last = sizeof...(Arguments) - 1;
    auto changed = std::tuple(arguments...);
    cl_event due = next_layer.clCreateUserEvent(context_of(queue), nullptr);
    EventArguments events;
    (events.see(arguments), ...);
    events.wait_for.push_back(due);
    std::get<last - 2>(changed) = static_cast<cl_uint>(events.wait_for.size());
    std::get<last - 1>(changed) = events.wait_for.data();
    const Result result = std::apply(hand_on, changed);
    layer().delayed_events().add(DelayedEvents::Clock::now() + time, [due] {
      next_layer.clSetUserEventStatus(due, CL_COMPLETE);
      next_layer.clReleaseEvent(due);
    });
    return result;
  }

  static Result accept(Arguments... arguments) {
    if constexpr (std::is_same_v<Result, cl_int> && is_command) {
      const std::chrono::milliseconds time = layer().copies_take();
      if constexpr (sizeof...(Arguments) > 6) {
        if (time.count() != 0 && is_copy()) return hand_on_slowly(time, arguments...);
      }
    }
    return hand_on(arguments...);
  }

  static Result call(Arguments... arguments) {
    layer().be_slow(name);
    const cl_device_id device = layer().asks_for_devices() ? device_of_call(arguments...) : nullptr;
    const auto failure = layer().failure_of(name, first_of(arguments...), device);
    if constexpr (std::is_same_v<std::tuple<Arguments...>, std::tuple<cl_command_queue>>) {
      if (begins(name, "clRelease")) layer().queue_goes(arguments...);
    }
    if constexpr (is_command) {
      const bool spreads = failure.failing == Failing::by_event_and_followers;
      if (failure.is_by_event()) return fail_later({failure.status, spreads}, arguments...);
      if (failure.status == CL_SUCCESS) {
        EventArguments events;
        (events.see(arguments), ...);
        if (layer().failed_events().spreads_from(events.wait_for))
          return fail_later({CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, true}, arguments...);
      }
    }
    if (failure.status == CL_SUCCESS) return accept(arguments...);
    if (failure.failing == Failing::done) {
      hand_on(arguments...);
    } else if constexpr (sizeof...(Arguments) == 1) {
      if (begins(name, "clRelease")) (layer().count(arguments, -1), ...);
    }
    return fail(failure.status, arguments...);
  }
};

cl_int wait_for_events(cl_uint count, const cl_event* events) {
  using Real = Hook<&cl_icd_dispatch::clWaitForEvents>;
  const cl_int status = Real::call(count, events);
  if (status != CL_SUCCESS || !layer().failed_events().has_any({events, events + count})) return status;
  return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

cl_int get_event_info(cl_event event, cl_event_info parameter, std::size_t size, void* value,
                      std::size_t* needed) {
  using Real = Hook<&cl_icd_dispatch::clGetEventInfo>;
  const cl_int status = Real::call(event, parameter, size, value, needed);
  if (status != CL_SUCCESS || parameter != CL_EVENT_COMMAND_EXECUTION_STATUS || value == nullptr)
    return status;
  auto& execution = *static_cast<cl_int*>(value);
  const FailedEvents::Failure failure = layer().failed_events().of(event);
  if (failure && execution <= CL_COMPLETE) execution = failure.status;
  return CL_SUCCESS;
}

cl_int get_device_info(cl_device_id device, cl_device_info parameter, std::size_t size, void* value,
                       std::size_t* needed) {
  using Real = Hook<&cl_icd_dispatch::clGetDeviceInfo>;
  const cl_int status = layer().failure_of(Real::name, nullptr, device).status;
  if (status != CL_SUCCESS) return status;
  if (layer().answer(device, parameter, size, value, needed)) return CL_SUCCESS;
  return Real::hand_on(device, parameter, size, value, needed);
}

cl_int get_platform_info(cl_platform_id platform, cl_platform_info parameter, std::size_t size, void* value,
                         std::size_t* needed) {
  using Real = Hook<&cl_icd_dispatch::clGetPlatformInfo>;
  const cl_int status = layer().failure_of(Real::name, nullptr, nullptr).status;
  if (status != CL_SUCCESS) return status;
  if (layer().answer(nullptr, parameter, size, value, needed)) return CL_SUCCESS;
  return Real::hand_on(platform, parameter, size, value, needed);
}

// Returns the real binary of a program for one device.
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
  const cl_int status = layer().failure_of(Real::name, program, device_of_call(program)).status;
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

std::string options_of(cl_program program, cl_device_id device) {
  std::size_t size = 0;
  next_layer.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, 0, nullptr, &size);
  std::string result(size, '\0');
  next_layer.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, size, result.data(), nullptr);
  return result;
}

cl_int build_program(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                     void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  using Real = Hook<&cl_icd_dispatch::clBuildProgram>;
  std::string known = options == nullptr ? "" : options;
  constexpr std::string_view verbose = " -cl-nv-verbose";
  const std::size_t at = layer().makes_up_log() ? known.find(verbose) : std::string::npos;
  if (at != std::string::npos) known.erase(at, verbose.size());
  return Real::call(program, count, devices, known.c_str(), notify, data);
}

cl_int get_kernel_work_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info parameter,
                                  std::size_t size, void* value, std::size_t* needed) {
  using Real = Hook<&cl_icd_dispatch::clGetKernelWorkGroupInfo>;
  if (parameter == CL_KERNEL_PRIVATE_MEM_SIZE && value != nullptr) {
    cl_program program = nullptr;
    next_layer.clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, nullptr);
    const auto spills = layer().spills_of(options_of(program, device));
    if (layer().makes_up_spills()) {
      *static_cast<cl_ulong*>(value) = spills ? spills->bytes : 0;
      return CL_SUCCESS;
    }
  }
  return Real::call(kernel, device, parameter, size, value, needed);
}

cl_int get_program_build_info(cl_program program, cl_device_id device, cl_program_build_info parameter,
                              std::size_t size, void* value, std::size_t* needed) {
  using Real = Hook<&cl_icd_dispatch::clGetProgramBuildInfo>;
  if (parameter == CL_PROGRAM_BUILD_LOG) {
    const auto spills = layer().spills_of(options_of(program, device));
    if (spills && !spills->log.empty()) {
      if (needed != nullptr) *needed = spills->log.size() + 1;
      if (value != nullptr) std::memcpy(value, spills->log.c_str(), spills->log.size() + 1);
      return CL_SUCCESS;
    }
  }
  return Real::call(program, device, parameter, size, value, needed);
}

cl_program create_program_with_binary(cl_context context, cl_uint count, const cl_device_id* devices,
                                      const std::size_t* sizes, const unsigned char** binaries,
                                      cl_int* of_each, cl_int* status) {
  using Real = Hook<&cl_icd_dispatch::clCreateProgramWithBinary>;
  const cl_int failure = layer().failure_of(Real::name, context, device_of_call(context)).status;
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
  CLGEMM_HOOK(clGetExtensionFunctionAddressForPlatform);
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
  this_layer.clGetEventInfo = &get_event_info;
  this_layer.clGetKernelWorkGroupInfo = &get_kernel_work_group_info;
  this_layer.clGetProgramBuildInfo = &get_program_build_info;
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
  this_layer.clBuildProgram = &build_program;
  CLGEMM_HOOK(clCreateKernel);
  CLGEMM_HOOK(clRetainKernel);
  CLGEMM_HOOK(clReleaseKernel);
  CLGEMM_HOOK(clSetKernelArg);
  CLGEMM_HOOK(clCreateUserEvent);
  CLGEMM_HOOK(clRetainEvent);
  CLGEMM_HOOK(clReleaseEvent);
  CLGEMM_HOOK(clSetEventCallback);
  CLGEMM_HOOK(clSetUserEventStatus);
}

void hook_commands() {
  CLGEMM_HOOK(clEnqueueReadBuffer);
  CLGEMM_HOOK(clEnqueueWriteBuffer);
  CLGEMM_HOOK(clEnqueueReadBufferRect);
  CLGEMM_HOOK(clEnqueueWriteBufferRect);
  CLGEMM_HOOK(clEnqueueCopyBufferRect);
  CLGEMM_HOOK(clEnqueueMigrateMemObjects);
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
  this_layer.clWaitForEvents = &wait_for_events;
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

// FaultLayer::of_process() finds it by name.
clgemm::test::FaultLayer* clgemm_fault_layer() {
  return &clgemm::test::layer();
}
}
