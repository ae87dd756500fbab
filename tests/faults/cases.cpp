#include "cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace clgemm::test {
namespace {

// A kind of failure, at each of several places.
struct Kind {
  Counted counted;
  unsigned long every;
  Failing failing;
};

constexpr Kind kinds[] = {
    {Counted::calls, 0, Failing::refused},  // one call, which may work at the next attempt
    {Counted::calls, 1, Failing::dead},     // the device dies
    {Counted::calls, 1, Failing::refused},  // and no wait works either
    {Counted::waits, 0, Failing::refused},  // one wait
    {Counted::waits, 0, Failing::done},     // one wait, which waits although it fails
    {Counted::waits, 1, Failing::refused},  // all waits from there on, while the device continues to work
    {Counted::commands, 0, Failing::by_event},
    {Counted::commands, 0, Failing::by_event_and_followers},
    {Counted::commands, 1, Failing::by_event_and_followers},
    {Counted::retains, 0, Failing::refused},
    {Counted::retains, 1, Failing::refused},
    {Counted::releases, 0, Failing::refused},
    {Counted::releases, 0, Failing::done},
    {Counted::releases, 1, Failing::refused},
};

constexpr cl_int statuses[] = {CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY, CL_INVALID_WORK_GROUP_SIZE};

unsigned long calls_in(const Counts& counts, const Kind& kind, int device) {
  if (device >= 0) return counts.of_device[static_cast<std::size_t>(device)];
  return counts.of[static_cast<std::size_t>(kind.counted)];
}

bool is_of_device(const Kind& kind) {
  return kind.counted == Counted::calls && kind.every != 0;
}

// Adds all places of a kind in a setting, on each device alone and on all, with each status.
void add_all(const Kind& kind, const Setting& setting, const Counts& counts, std::vector<Case>& cases) {
  const int devices = is_of_device(kind) ? static_cast<int>(counts.of_device.size()) : 0;
  for (int device = -1; device < devices; ++device) {
    for (unsigned long n = 1; n <= calls_in(counts, kind, device); ++n) {
      for (const cl_int status : statuses) {
        cases.push_back(
            {setting.beta, setting.slow, kind.counted, n, kind.every, status, kind.failing, device});
        if (kind.counted != Counted::calls) break;  // the function that failed says enough
      }
    }
  }
}

// Adds some places of a kind at a constant distance. The settings and devices take turns.
void add_some(const Choice& choice, const Kind& kind, const std::vector<Counts>& counts,
              std::vector<Case>& cases) {
  const unsigned long turn = choice.seed + static_cast<unsigned long>(&kind - kinds);
  for (unsigned long i = 0; i < choice.places; ++i) {
    const std::size_t number = (i + turn) % all_settings().size();
    const Setting& setting = all_settings()[number];
    const auto devices = static_cast<unsigned long>(counts[number].of_device.size());
    // The last turn is for all devices together.
    const auto device = is_of_device(kind) ? static_cast<int>((i + turn) % (devices + 1)) : -1;
    const int one = device == static_cast<int>(devices) ? -1 : device;
    const unsigned long calls = calls_in(counts[number], kind, one);
    if (calls == 0) continue;
    const unsigned long n = 1 + (i * calls / choice.places + choice.seed * 7919) % calls;
    cases.push_back(
        {setting.beta, setting.slow, kind.counted, n, kind.every, statuses[0], kind.failing, one});
  }
}

}  // namespace

const char* functions_of(Counted counted) {
  switch (counted) {
    case Counted::waits:
      return "clWaitForEvents|clFinish";
    case Counted::commands:
      return "clEnqueue*";
    case Counted::retains:
      return "clRetain*";
    case Counted::releases:
      return "clRelease*";
    case Counted::calls:
      break;
  }
  return "";
}

std::string to_text(const Case& one) {
  return fmt::format("{},{},{},{},{},{},{},{}", one.beta, int{one.slow}, static_cast<int>(one.counted),
                     one.first, one.every, one.status, static_cast<int>(one.failing), one.device);
}

Case case_of(const std::string& text) {
  std::string words = text;
  std::replace(words.begin(), words.end(), ',', ' ');
  std::istringstream in(words);
  Case one;
  int counted = 0;
  int failing = 0;
  in >> one.beta >> one.slow >> counted >> one.first >> one.every >> one.status >> failing >> one.device;
  if (!in) throw std::runtime_error("not a case: " + text);
  one.counted = static_cast<Counted>(counted);
  one.failing = static_cast<Failing>(failing);
  return one;
}

std::string to_text(const Counts& counts) {
  std::string text;
  for (const unsigned long count : counts.of) text += fmt::format("{} ", count);
  for (const unsigned long count : counts.of_device) text += fmt::format("{} ", count);
  return text;
}

Counts counts_of(const std::string& text) {
  std::istringstream in(text);
  Counts counts;
  for (unsigned long& count : counts.of) in >> count;
  for (unsigned long count = 0; in >> count;) counts.of_device.push_back(count);
  return counts;
}

const std::vector<Setting>& all_settings() {
  static const std::vector<Setting> settings = {{1, false}, {0.5f, true},  {0, false},
                                                {1, true},  {0.5f, false}, {0, true}};
  return settings;
}

std::vector<Case> cases_for(const Choice& choice, const std::vector<Counts>& counts, bool failures_spread) {
  std::vector<Case> cases;
  for (const Kind& kind : kinds) {
    if (failures_spread && kind.failing == Failing::by_event) continue;
    if (choice.every_fault) {
      for (std::size_t i = 0; i < counts.size(); ++i) add_all(kind, all_settings()[i], counts[i], cases);
    } else {
      add_some(choice, kind, counts, cases);
    }
  }
  return cases;
}

}  // namespace clgemm::test
