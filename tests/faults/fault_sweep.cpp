// Runs every path through the library (paths.cpp) with failing OpenCL calls (cases.cpp). They fail at the
// call, at the wait, or later by the event. They fail once, or always from some call on. They fail on one
// device of several, or while copies take their time.
//
// A call under a fault must be right or throw an Error. If a release fails, it must be right. After the call,
// C is no longer changed, and the memory around C never is. The next call must be right. Nothing is leaked or
// released twice. A later process must be right with the same cache. The exit status is 0 only if all of this
// held.
//
//     fault_sweep [--every-fault] [--places N] [--seed N] [--path NAME]... [--jobs N] [--names]
//
// Without --every-fault, it tests N places (4) of each kind of fault, and the seed moves them. Each path runs
// in separate processes, so that a crash ends nothing else. A case that failed runs again with --path NAME
// --case CASE.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "cases.hpp"
#include "child_process.hpp"
#include "one_case.hpp"
#include "paths.hpp"
#include "public_names.hpp"

namespace {

using namespace clgemm;
using namespace clgemm::test;

// For one case, which takes some milliseconds, and at most a build.
constexpr std::chrono::seconds patience{120};

// If every OpenCL call fails from some call on, unmapping of pinned memory fails, too. PoCL then keeps the
// memory: 12 MB for each such case of the path `streamed`. If a process has more than this, a new one
// replaces it.
constexpr std::size_t most_resident_bytes = std::size_t{1} << 30;

struct Count {
  unsigned long processes = 0, faults = 0, errors = 0, right = 0, missed = 0, skipped = 0;
  unsigned long wrong = 0, damaged = 0, late = 0, other = 0, crashes = 0, hangs = 0, leaks = 0;

  unsigned long bad() const { return wrong + damaged + late + other + crashes + hangs + leaks; }
  void add(const Count& count) {
    for (const auto member : {&Count::processes, &Count::faults, &Count::errors, &Count::right,
                              &Count::missed, &Count::skipped, &Count::wrong, &Count::damaged, &Count::late,
                              &Count::other, &Count::crashes, &Count::hangs, &Count::leaks})
      this->*member += count.*member;
  }
};

struct Sweep {
  std::string program;
  Choice choice;
  std::vector<std::string> only;
  std::string case_text;
  // Two jobs for each thread, because jobs sleep for half of the time.
  unsigned jobs = 2 * std::max(1U, std::thread::hardware_concurrency());
};

std::mutex printing;

void print(const std::string& line) {
  const std::lock_guard lock(printing);
  std::puts(line.c_str());
  std::fflush(stdout);
}

std::string row_of(const std::string& name, const Count& x, const std::string& seconds) {
  return fmt::format("{:<20} {:>9} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7} {:>4} {:>5} {:>7} {:>5} {:>5} {:>7}",
                     name, x.processes, x.faults, x.errors, x.right, x.missed, x.wrong, x.damaged, x.late,
                     x.other, x.crashes, x.hangs, x.leaks, seconds);
}

// Runs one path in as many processes as necessary.
class PathSweep {
 public:
  PathSweep(const Sweep& sweep, const Path& path) : sweep_(sweep), path_(path) {}

  Count run() {
    const auto start = std::chrono::steady_clock::now();
    for (const Case& one : cases()) try_case(one);
    // Threads may make fewer calls than when these were counted, but at least half of them.
    if (sweep_.case_text.empty() && 2 * count_.missed > count_.faults) {
      ++count_.other;
      print(fmt::format("{}: {} of {} faults met no call", path_.name, count_.missed, count_.faults));
    }
    if (count_.bad() == 0 && count_.faults != 0) check_cache();
    end_process();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    print(row_of(path_.name, count_, fmt::format("{:.1f}", took.count())));
    return count_;
  }

 private:
  std::vector<Case> cases() {
    if (!sweep_.case_text.empty()) return {case_of(sweep_.case_text)};
    std::vector<Counts> counts;
    for (std::size_t i = 0; i < all_settings().size(); ++i) {
      const auto text = ask(fmt::format("count {}", i));
      if (!text) {
        crashed("without a fault");
        return {};
      }
      if (text->rfind("none", 0) == 0) {
        print(fmt::format("NOT TESTED: {}: {}", path_.name, text->substr(5)));
        child_ = nullptr;
        return {};
      }
      counts.push_back(counts_of(*text));
    }
    return cases_for(sweep_.choice, counts, path_.promise == Promise::right_or_error_if_failures_spread);
  }

  std::optional<std::string> ask(const std::string& line) {
    if (!child_) {
      auto variables = path_.environment;
      variables.emplace_back("MALLOC_PERTURB_", "165");  // overwrites memory that is freed
      child_ = std::make_unique<ChildProcess>(std::vector<std::string>{sweep_.program, "--serve", path_.name},
                                              variables);
      ++count_.processes;
    }
    return child_->ask(line, patience);
  }

  void try_case(const Case& one) {
    const std::string text = to_text(one);
    ++count_.faults;
    const auto answer = ask("case " + text);
    if (!answer) return crashed(text);
    const std::string outcome = answer->substr(0, answer->find('|'));
    const auto has = [&](const char* word) { return answer->find(word) != std::string::npos; };
    if (has("|")) {
      ++(has("|WRONG")    ? count_.wrong
         : has("|DAMAGE") ? count_.damaged
         : has("|LATE")   ? count_.late
                          : count_.other);
      print(fmt::format("{}, case {}: {}", path_.name, text, answer->substr(answer->find('|'))));
    }
    ++(outcome.find("skipped") == 0                 ? count_.skipped
       : outcome.find("right") != std::string::npos ? count_.right
                                                    : count_.errors);
    if (outcome.find("missed") != std::string::npos) ++count_.missed;
    if (outcome.rfind("last", 0) == 0) {
      child_ = nullptr;
    } else if (child_->resident_bytes() > most_resident_bytes) {
      end_process();
    }
  }

  void crashed(const std::string& what) {
    const std::string how = child_->end();
    ++(how.rfind("no answer", 0) == 0 ? count_.hangs : count_.crashes);
    print(fmt::format("{}, case {}: {}", path_.name, what, how));
    child_ = nullptr;
  }

  void check_cache() {
    const auto answer = ask("check");
    if (answer == "right") return;
    ++count_.other;
    print(fmt::format("{}: a later process on the same cache: {}", path_.name, answer.value_or("none")));
  }

  void end_process() {
    if (!child_) return;
    const auto answer = ask("end");
    if (!answer) return crashed("at the end");
    if (*answer != "clean") {
      ++count_.leaks;
      print(fmt::format("{}: {}", path_.name, *answer));
    }
    child_ = nullptr;
  }

  const Sweep& sweep_;
  const Path& path_;
  Count count_;
  std::unique_ptr<ChildProcess> child_;
};

bool is_wanted(const Sweep& sweep, const Path& path) {
  return sweep.only.empty() || std::count(sweep.only.begin(), sweep.only.end(), path.name) != 0;
}

int run(const Sweep& sweep) {
  std::vector<const Path*> paths;
  for (const Path& path : all_paths()) {
    if (is_wanted(sweep, path)) paths.push_back(&path);
  }
  print(
      "path                 processes faults errors  right missed   wrong damaged late other crashes hangs "
      "leaks "
      "seconds");
  const auto start = std::chrono::steady_clock::now();
  Count all;
  std::atomic<std::size_t> next{0};
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < sweep.jobs; ++i) {
      threads.emplace_back([&] {
        for (std::size_t n = next++; n < paths.size(); n = next++) {
          const Count count = PathSweep(sweep, *paths[n]).run();
          const std::lock_guard lock(printing);
          all.add(count);
        }
      });
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print(row_of("all", all, fmt::format("{:.1f}", took.count())));
  if (all.skipped != 0) print(fmt::format("NOT TESTED on rusticl: {} faults", all.skipped));
  return all.bad() == 0 && all.faults != 0 ? 0 : 1;
}

// Uses the cache that the environment names, without faults.
int check_cache() {
  const std::unique_ptr<Scenario> scenario = all_paths().front().make();
  scenario->prepare(1);
  scenario->call();
  return scenario->is_right() ? 0 : 1;
}

int serve_path(const std::string& name, const std::string& program) {
  for (const Path& path : all_paths()) {
    if (path.name == name) return serve(path, program);
  }
  std::fprintf(stderr, "there is no path '%s'\n", name.c_str());
  return 1;
}

int run_with(Sweep& sweep, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool has_value = i + 1 < words.size();
    if (word == "--check-cache") return check_cache();
    if (word == "--names") return all_functions_are_covered(CLGEMM_SOURCE) ? 0 : 1;
    if (word == "--every-fault") {
      sweep.choice.every_fault = true;
    } else if (word == "--serve" && has_value) {
      return serve_path(words[++i], sweep.program);
    } else if (word == "--path" && has_value) {
      sweep.only.push_back(words[++i]);
    } else if (word == "--case" && has_value) {
      sweep.case_text = words[++i];
    } else if (word == "--places" && has_value) {
      sweep.choice.places = std::stoul(words[++i]);
    } else if (word == "--seed" && has_value) {
      sweep.choice.seed = std::stoul(words[++i]);
    } else if (word == "--jobs" && has_value) {
      sweep.jobs = static_cast<unsigned>(std::stoul(words[++i]));
    } else {
      std::fprintf(stderr,
                   "fault_sweep [--every-fault] [--places N] [--seed N] [--path NAME]... [--case CASE] "
                   "[--jobs N] [--names]\n");
      return 1;
    }
  }
  return run(sweep);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  Sweep sweep;
  sweep.program = argv[0];
  try {
    return run_with(sweep, {argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
