#include "devices/shared_gemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <memory>
#include <numeric>

#include "base/copy_lines.hpp"
#include "base/finished.hpp"
#include "base/sizes.hpp"
#include "devices/coverage.hpp"
#include "devices/shares.hpp"
#include "devices/together.hpp"

namespace clgemm {
namespace {

// Bands begin at multiples of this many rows or columns, as tiles of kernels do.
constexpr std::size_t band_multiple = 256;

// For shorter calls, dividing costs more than it gains. This is a guess: a few launches and transfers take as
// long.
constexpr double worth_sharing_seconds = 1e-3;

// The number of pieces of a band for each device that works on the matrices in place. A guess.
constexpr std::size_t pieces_a_device = 4;

// Returns whether an Error is about the device, not about the call. If the caller names a kernel, the caller
// is responsible for a kernel that does not compile or exceeds the device's limits.
bool is_of_device(const Error& error, const Options& options) {
  if (error.argument() != Argument::none) return false;
  switch (error.code()) {
    case ErrorCode::build_failed:
    case ErrorCode::device_limit_exceeded:
      return named_kernel(options).empty();
    case ErrorCode::out_of_memory:
    case ErrorCode::opencl_error:
    case ErrorCode::internal_error:
    case ErrorCode::self_test_failed:
    case ErrorCode::device_lost:
    case ErrorCode::matrices_in_use:
      return true;
    default:
      return false;
  }
}

// A group's part of the GEMM.
struct Band {
  Group group;
  double seconds = 0;  // predicted time for all of C on one device
  bool is_of_rows = true;
  PartOfC part;

  const Range& range() const { return is_of_rows ? part.rows : part.columns; }
};

HostGemm cut_out(const HostGemm& host, const PartOfC& part) {
  return part_of(host, part.rows, part.columns, all_depth(host));
}

double predicted_seconds(DeviceSet::State& devices, Member& member, const Problem& problem,
                         const Options& options) {
  double seconds = 0;
  try {
    seconds =
        member.state.health().watch([&] { return member.state.host().predicted_seconds(problem, options); });
  } catch (const Error& error) {
    if (!is_of_device(error, options)) throw;
    devices.leave_out(member, error);
  }
  return seconds;
}

// Returns the bands of the groups. If a device fails to make a plan, it is excluded, and the bands are
// divided again.
std::vector<Band> bands_of(DeviceSet::State& devices, const Problem& problem, const Options& options) {
  for (;;) {
    const std::size_t members = devices.members().size();
    std::vector<Band> bands;
    std::vector<double> seconds;
    bool in_place = false;
    for (const Group& group : devices.groups()) {
      Band band{group, predicted_seconds(devices, *group.front(), problem, options), true, {}};
      seconds.push_back(band.seconds / static_cast<double>(group.size()));
      in_place |= group.front()->state.host().works_in_place();
      bands.push_back(band);
    }
    if (devices.members().size() != members) continue;
    if (bands.empty()) devices.throw_first_cause();
    // Devices that write C in place get whole lines, so that no two devices write between each other's
    // elements.
    const bool by_rows = in_place || problem.m >= problem.n;
    const std::vector<Range> ranges = shares_of(by_rows ? problem.m : problem.n, band_multiple, seconds);
    for (std::size_t i = 0; i < bands.size(); ++i) {
      bands[i].is_of_rows = by_rows;
      bands[i].part = by_rows ? PartOfC{ranges[i], {0, problem.n}} : PartOfC{{0, problem.m}, ranges[i]};
    }
    std::erase_if(bands, [](const Band& band) { return band.range().count == 0; });
    return bands;
  }
}

// One call that several devices compute.
class Sharing {
 public:
  Sharing(DeviceSet::State& devices, const HostGemm& host, const Options& options)
      : devices_(devices), host_(host), options_(options) {}

  void run() {
    std::vector<PartOfC> left = first_pass();
    while (!left.empty()) left = finish(left);
  }

 private:
  // The work on a part of C: rounds of a plan, or rows in place.
  struct Work {
    PartOfC part;
    HostGemm host;
    std::optional<StreamPlan> plan;
    std::unique_ptr<Shares<Round>> rounds;
    std::unique_ptr<Shares<Range>> rows;
    std::unique_ptr<Coverage> done;

    // Returns the missing parts of C.
    std::vector<PartOfC> missing() const {
      std::vector<PartOfC> result = done->missing();
      for (PartOfC& one : result) {
        one.rows.first += part.rows.first;
        one.columns.first += part.columns.first;
      }
      return result;
    }
  };

  // Makes the work for so many devices that are equal to this one.
  Work work_on(const PartOfC& part, const Context::State& state, std::size_t takers) const {
    Work work{part, cut_out(host_, part), {}, {}, {}, {}};
    const Problem& problem = work.host.problem;
    // A part of each row is copied, so that no two devices write between each other's elements in place.
    if (!state.host().works_in_place() || problem.n != host_.problem.n) {
      work.plan =
          state.host().stream_plan(problem, options_, state.host().device_memory_limit(options_), takers);
      work.rounds = std::make_unique<Shares<Round>>(rounds_of(*work.plan), takers);
      work.done = std::make_unique<Coverage>(problem.m, problem.n, work.plan->tile_columns);
      return work;
    }
    const std::size_t step =
        round_up(ceil_div(problem.m, pieces_a_device * takers), std::min(band_multiple, problem.m));
    std::vector<Range> pieces;
    for (std::size_t i = 0; i * step < problem.m; ++i) pieces.push_back(part_of(problem.m, step, i));
    work.rows = std::make_unique<Shares<Range>>(pieces, takers);
    work.done = std::make_unique<Coverage>(problem.m, problem.n, problem.n);
    return work;
  }

  // Does the work of one device in a call.
  void serve(Member& member, Work& work, std::size_t taker) {
    if (work.plan) {
      member.state.host().multiply_on_copies(
          {work.host, *work.plan, [&] { return work.rounds->next(taker); }, options_.host_matrices_are_pinned,
           [&](const Range& rows, const Range& columns) { work.done->add(rows, columns); }},
          options_);
      return;
    }
    while (const std::optional<Range> rows = work.rows->next(taker)) {
      const HostGemm host = cut_out(work.host, {*rows, all_columns(work.host)});
      const Problem& problem = host.problem;
      const SavedLines saved(host.c, problem.beta == 0.0f ? 0 : problem.m, problem.n, problem.c.ld);
      try {
        member.state.host().multiply(host, options_);
      } catch (const MatricesInUse&) {
        throw;
      } catch (...) {
        saved.restore();
        throw;
      }
      work.done->add(*rows, all_columns(work.host));
    }
  }

  // Computes all bands at the same time. Returns the parts that are missing because devices failed.
  std::vector<PartOfC> first_pass() {
    std::list<Work> works;
    std::vector<Job> jobs;
    for (const Band& band : bands_of(devices_, host_.problem, options_)) {
      Work& work = works.emplace_back(work_on(band.part, band.group.front()->state, band.group.size()));
      for (std::size_t taker = 0; taker < band.group.size(); ++taker) {
        Member& member = *band.group[taker];
        jobs.push_back({member.name, [this, &work, &member, taker] {
                          watch(member, [&] { serve(member, work, taker); });
                        }});
      }
    }
    run_together(jobs);
    throw_if_of_call();
    std::vector<PartOfC> left;
    for (const Work& work : works) append(work.missing(), left);
    return left;
  }

  // The remaining devices compute the parts that others have left. Returns the parts that are still missing.
  std::vector<PartOfC> finish(const std::vector<PartOfC>& parts) {
    const std::vector<Member*> members = devices_.members();
    if (members.empty()) devices_.throw_first_cause();
    Shares<PartOfC> shares(parts, members.size());
    std::mutex mutex;
    std::vector<PartOfC> left;
    std::vector<Job> jobs;
    for (Member* member : members) {
      jobs.push_back({member->name, [&, member, taker = jobs.size()] {
                        bool goes_on = true;
                        while (goes_on) {
                          const std::optional<PartOfC> part = shares.next(taker);
                          if (!part) return;
                          std::optional<Work> work;
                          goes_on = watch(*member, [&] {
                            work.emplace(work_on(*part, member->state, 1));
                            serve(*member, *work, 0);
                          });
                          const std::lock_guard lock(mutex);
                          append(work ? work->missing() : std::vector<PartOfC>{*part}, left);
                        }
                      }});
    }
    run_together(jobs);
    throw_if_of_call();
    while (const std::optional<PartOfC> part = shares.next(0)) left.push_back(*part);
    return left;
  }

  static void append(const std::vector<PartOfC>& parts, std::vector<PartOfC>& to) {
    to.insert(to.end(), parts.begin(), parts.end());
  }

  // Returns false if the device failed, or if the call cannot be computed. A device that failed is excluded
  // from then on.
  template <class Body>
  bool watch(Member& member, Body&& body) {
    bool is_done = true;
    try {
      member.state.health().watch([&] {
        try {
          body();
        } catch (const MatricesInUse& error) {
          end_call(error);  // no other device may write to memory that this one may still write to
          throw;
        } catch (const std::bad_alloc&) {
          end_call(Error(ErrorCode::out_of_memory, "the host is out of memory"));
          is_done = false;
        }
      });
      return is_done;
    } catch (const Error& error) {
      if (is_of_device(error, options_)) {
        devices_.leave_out(member, error);
      } else {
        end_call(error);
      }
      return false;
    }
  }

  // The call ends with this Error after all devices have stopped.
  void end_call(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!of_call_) of_call_ = error;
  }

  void throw_if_of_call() const {
    if (of_call_) throw Error(*of_call_);
  }

  DeviceSet::State& devices_;
  const HostGemm& host_;
  const Options& options_;
  std::mutex mutex_;
  std::optional<Error> of_call_;
};

}  // namespace

std::vector<Range> shares_of(std::size_t size, std::size_t multiple, const std::vector<double>& seconds) {
  const double fastest = *std::min_element(seconds.begin(), seconds.end());
  double speed = 0;
  for (const double one : seconds) speed += fastest <= 0 ? 1 : fastest / one;
  const bool is_shared = fastest <= 0 || fastest >= worth_sharing_seconds;
  std::vector<Range> result;
  std::size_t begin = 0;
  double before = 0;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    before += (fastest <= 0 ? 1 : fastest / seconds[i]) / speed;
    const auto wanted = static_cast<std::size_t>(before * static_cast<double>(size) + 0.5);
    std::size_t end = i + 1 == seconds.size() ? size : std::min(size, wanted / multiple * multiple);
    if (!is_shared) end = seconds[i] <= fastest || begin == size ? size : begin;
    end = std::max(begin, end);
    result.push_back({begin, end - begin});
    begin = end;
  }
  return result;
}

void share_gemm(DeviceSet::State& devices, const HostGemm& host, const Options& options) {
  Sharing(devices, host, options).run();
}

void share_batch(DeviceSet::State& devices, const HostBatch& batch, const Options& options) {
  const Problem one = one_of(batch.problem);
  std::vector<SavedLines> saved;
  for (;;) {
    const std::vector<Band> bands = bands_of(devices, one, options);
    const Band& fastest = bands.front();
    if (bands.size() > 1 || fastest.seconds >= worth_sharing_seconds) {
      for (std::size_t i = 0; i < batch.count(); ++i) share_gemm(devices, batch.at(i), options);
      return;
    }
    if (one.beta != 0.0f && saved.empty()) {
      saved.reserve(batch.count());
      for (float* const c : batch.c) saved.emplace_back(c, one.m, one.n, one.c.ld);
    }
    Member& member = *fastest.group.front();
    try {
      return member.state.health().watch([&] { member.state.host_batches().multiply(batch, options); });
    } catch (const MatricesInUse&) {
      throw;
    } catch (const Error& error) {
      if (!is_of_device(error, options)) throw;
      for (const SavedLines& c : saved) c.restore();
      devices.leave_out(member, error);
    }
  }
}

std::string explain_shared(DeviceSet::State& devices, const Problem& problem, const Options& options) {
  const std::vector<Band> bands = bands_of(devices, problem, options);
  std::string result =
      fmt::format("devices: {}, and {} of them are used\n", devices.members().size(),
                  std::accumulate(bands.begin(), bands.end(), std::size_t{0},
                                  [](std::size_t sum, const Band& band) { return sum + band.group.size(); }));
  for (const Band& band : bands) {
    const Context::State& state = band.group.front()->state;
    result +=
        fmt::format("{} x {}: {} {} to {} of C; one device alone would take {:.3g} ms for the whole of C\n",
                    band.group.size(), state.info().name, band.is_of_rows ? "rows" : "columns",
                    band.range().first, band.range().first + band.range().count, band.seconds * 1e3);
  }
  for (const Band& band : bands) {
    Context::State& state = band.group.front()->state;
    const Problem part = cut_out({problem, nullptr, nullptr, nullptr}, band.part).problem;
    result += "device: " + state.info().name + '\n';
    result += state.health().watch([&] { return state.host().explain(part, options, band.group.size()); });
  }
  return result;
}

}  // namespace clgemm
