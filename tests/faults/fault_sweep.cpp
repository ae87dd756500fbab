// Every scenario with a fault at the n-th OpenCL call, for all n or evenly chosen ones; and at the n-th
// retain and the n-th release, which count by themselves. A call under a fault is right or says Error, under
// a release that fails it is right; the next call is right; nothing is leaked, or released twice; and a later
// process is right on the same cache. Exit status 0 only where all of that held.
//
//   fault_sweep [--every-fault] [--scenario NAME] [--faults N]
//
// Without --every-fault: --faults N places in each scenario (24) and a third of that in its retains and its
// releases, one status, once.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "base/device.hpp"
#include "base/error.hpp"
#include "fault_layer.hpp"
#include "scenarios.hpp"

namespace {

using namespace clgemm;
using namespace clgemm::test;

constexpr unsigned patience_seconds = 60;  // for one fault: some milliseconds, and no more than a build
char doing[256] = "";                      // for whoever ends the process

void say_what_ended(int signal) {
  const char* const why = signal == SIGALRM ? "\nHANGS: " : "\nCRASHES: ";
  if (write(STDOUT_FILENO, why, std::strlen(why)) < 0 || write(STDOUT_FILENO, doing, std::strlen(doing)) < 0)
    _exit(3);
  _exit(2);
}

struct Count {
  unsigned long faults = 0, errors = 0, right = 0, lost = 0, processes = 0, bad = 0;
};

void complain(Count& count, const char* what) {
  ++count.bad;
  const std::vector<std::string> failed = FaultLayer::of_process().failed();
  std::printf("%s (%s): %s\n", doing, failed.empty() ? "" : failed.front().c_str(), what);
}

std::string last_error;  // what the last Error said

enum class Outcome { right, wrong, error, lost };

// A call, and what came of it.
Outcome outcome_of(Scenario& scenario, const std::vector<Fault>& faults, Count& count) {
  FaultLayer& layer = FaultLayer::of_process();
  scenario.prepare();
  layer.arm(faults);
  try {
    scenario.call();
    layer.disarm();
    return scenario.is_right() ? Outcome::right : Outcome::wrong;
  } catch (const Error& error) {
    layer.disarm();
    last_error = error.what();
    if (!scenario.is_undamaged()) complain(count, "an Error, and memory around C was written to");
    return error.code() == ErrorCode::device_lost ? Outcome::lost : Outcome::error;
  } catch (const std::exception& other) {
    layer.disarm();
    complain(count, other.what());
    return Outcome::error;
  }
}

constexpr const char* retains = "clRetain*";
constexpr const char* releases = "clRelease*";

// Under a fault, and again without: a device that is lost may stay so for that Context.
void try_fault(const std::string& name, Scenario& scenario, const Fault& fault, Count& count) {
  std::snprintf(doing, sizeof doing, "%s, %s call %lu%s, status %d%s", name.c_str(), fault.function.c_str(),
                fault.first, fault.every != 0 ? " and all later ones" : "", fault.status,
                fault.is_done ? ", though done" : "");
  alarm(patience_seconds);
  ++count.faults;
  const Outcome under_fault = outcome_of(scenario, {fault}, count);
  if (under_fault == Outcome::wrong) complain(count, "a wrong result under the fault");
  if (under_fault != Outcome::right && fault.function == releases)
    complain(count, ("an Error for nothing but a release: " + last_error).c_str());
  ++(under_fault == Outcome::right ? count.right : count.errors);
  Outcome next = outcome_of(scenario, {}, count);
  if (next == Outcome::lost && fault.every != 0) {
    ++count.lost;
    scenario.renew();
    next = outcome_of(scenario, {}, count);
  }
  if (next == Outcome::wrong) complain(count, "a wrong result of the next call");
  if (next == Outcome::error || next == Outcome::lost) complain(count, "the next call threw an Error");
  alarm(0);
}

struct Sweep {
  std::string program;
  std::string only;
  unsigned long places = 24;
  bool every_fault = false;
};

void check_in_new_process(const Sweep& sweep, const std::string& name, Count& count) {
  ++count.processes;
  if (std::system(("'" + sweep.program + "' --check-cache").c_str()) != 0)
    complain(count, ("a new process is wrong on the cache that '" + name + "' left").c_str());
}

// How many retains and releases the call has without faults.
std::pair<unsigned long, unsigned long> references_of(Scenario& scenario, Count& count) {
  constexpr unsigned long never = std::numeric_limits<unsigned long>::max();
  outcome_of(scenario, {{never, 0, CL_SUCCESS, retains}, {never, 0, CL_SUCCESS, releases}}, count);
  FaultLayer& layer = FaultLayer::of_process();
  return {layer.counted(0), layer.counted(1)};
}

// A release that fails may have been one all the same.
void sweep_references(const Sweep& sweep, const std::string& name, Scenario& scenario, Count& count) {
  const auto [all_retains, all_releases] = references_of(scenario, count);
  const auto at_places = [&](unsigned long all, const auto& body) {
    const unsigned long places = sweep.every_fault ? all : std::min(std::max(sweep.places / 3, 1UL), all);
    for (unsigned long i = 0; i < places; ++i) body(1 + i * all / places, i);
  };
  at_places(all_retains, [&](unsigned long n, unsigned long i) {
    for (const unsigned long every : {0UL, 1UL}) {
      if (sweep.every_fault || every == i % 2)
        try_fault(name, scenario, {n, every, CL_OUT_OF_RESOURCES, retains}, count);
    }
  });
  at_places(all_releases, [&](unsigned long n, unsigned long i) {
    for (const bool is_done : {false, true}) {
      if (sweep.every_fault || is_done == (i % 2 == 0))
        try_fault(name, scenario, {n, i % 4 / 2, CL_OUT_OF_RESOURCES, releases, nullptr, is_done}, count);
    }
  });
}

// Where every later call fails, only clFinish is left to wait with, and rusticl's does not
// (docs/platforms.md).
bool can_wait_when_all_fails(const NamedScenario& named) {
  const bool can = named.name != "host_copies" || describe(default_device()).platform_name != "rusticl";
  if (!can) std::printf("NOT TESTED on rusticl: %s where all later calls fail\n", named.name.c_str());
  return can;
}

void sweep_scenario(const Sweep& sweep, const NamedScenario& named, Count& count) {
  FaultLayer& layer = FaultLayer::of_process();
  const long live_before = layer.live_objects();
  const Count before = count;
  const auto start = std::chrono::steady_clock::now();
  unsigned long calls = 0;
  {
    const std::unique_ptr<Scenario> scenario = named.make();
    std::snprintf(doing, sizeof doing, "%s, without a fault", named.name.c_str());
    for (int round = 0; round < 2; ++round) {  // the second one finds kernels and scratch
      if (outcome_of(*scenario, {}, count) != Outcome::right)
        return complain(count, "not right without faults");
      calls = layer.calls();
    }
    const unsigned long places = sweep.every_fault ? calls : std::min(sweep.places, calls);
    const unsigned long most_every = can_wait_when_all_fails(named) ? 1 : 0;
    for (unsigned long i = 0; i < places; ++i) {
      const unsigned long n = 1 + i * calls / places;
      if (!sweep.every_fault) {
        try_fault(named.name, *scenario, {n, i % 4 == 3 ? most_every : 0, CL_OUT_OF_RESOURCES, {}}, count);
        continue;
      }
      for (const cl_int status : {CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY, CL_INVALID_WORK_GROUP_SIZE}) {
        for (unsigned long every = 0; every <= most_every; ++every)
          try_fault(named.name, *scenario, {n, every, status, {}}, count);
      }
      if (named.name == "first_cold") check_in_new_process(sweep, named.name, count);
    }
    sweep_references(sweep, named.name, *scenario, count);
    check_in_new_process(sweep, named.name, count);
  }
  if (layer.live_objects() != live_before) complain(count, ("leaked: " + layer.describe_live()).c_str());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%-16s %4lu calls, %4lu faults: %4lu errors, %4lu right, %4lu lost; %.1f s\n",
              named.name.c_str(), calls, count.faults - before.faults, count.errors - before.errors,
              count.right - before.right, count.lost - before.lost, took.count());
  std::fflush(stdout);
}

// On the cache that the environment names, without faults.
int check_cache() {
  Count count;
  const std::unique_ptr<Scenario> scenario = all_scenarios().front().make();
  return outcome_of(*scenario, {}, count) == Outcome::right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGALRM, say_what_ended);
  std::signal(SIGSEGV, say_what_ended);
  std::signal(SIGABRT, say_what_ended);
  Sweep sweep{argv[0], {}};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--check-cache") return check_cache();
    if (word == "--every-fault") {
      sweep.every_fault = true;
    } else if (word == "--scenario" && i + 1 < argc) {
      sweep.only = argv[++i];
    } else if (word == "--faults" && i + 1 < argc) {
      sweep.places = std::strtoul(argv[++i], nullptr, 10);
    } else {
      std::fprintf(stderr, "fault_sweep [--every-fault] [--scenario NAME] [--faults N]\n");
      return 1;
    }
  }
  Count count;
  for (const NamedScenario& named : all_scenarios()) {
    if (sweep.only.empty() || sweep.only == named.name) sweep_scenario(sweep, named, count);
  }
  std::printf(
      "%lu faults: %lu errors, %lu right results, %lu devices said to be lost; %lu later processes; %lu "
      "BAD\n",
      count.faults, count.errors, count.right, count.lost, count.processes, count.bad);
  return count.bad == 0 && count.faults != 0 ? 0 : 1;
}
