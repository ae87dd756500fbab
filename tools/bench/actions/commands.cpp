#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <optional>

#include "actions/actions.hpp"
#include "base/error.hpp"
#include "build/disk_cache.hpp"
#include "choose/tuning.hpp"
#include "command_line/cases.hpp"
#include "figures/results.hpp"
#include "running/kernel_choice.hpp"

namespace clgemm::bench {
namespace {

SgemmShape shape_of(const SgemmCall& call) {
  return {call.layout, call.transpose_a, call.transpose_b, call.m,       call.n,
          call.k,      call.lda,         call.ldb,         call.ldc,     0,
          0,           call.batch_count, call.stride_a,    call.stride_b};
}

double mebibytes(std::uintmax_t bytes) {
  return static_cast<double>(bytes) / (1024.0 * 1024.0);
}

std::string date_of(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  return fmt::format("{:%Y-%m-%d %H:%M UTC}", fmt::gmtime(seconds));
}

// Removes a line from the text if an earlier text of the run had it, because a run repeats it for every size.
std::string once(std::string text, const std::string& line, bool& is_said) {
  const std::size_t at = text.find(line);
  if (at == std::string::npos) return text;
  if (is_said) text.erase(at, line.size());
  is_said = true;
  return text;
}

}  // namespace

bool explain_sizes(std::ostream& out, const BenchOptions& options, const cl::Device& device) {
  Context context(device());
  std::optional<DeviceSet> several;
  if (options.devices.size() > 1) several.emplace(fmt::format("{}", fmt::join(options.devices, ",")));
  const Device info = describe(device);
  const std::string notice = std::string(nothing_measured) + "\n";
  bool is_said = false;
  for (const Case& one : cases_of(options, info)) {
    const SgemmCall call = call_of(one.kind, one.size);
    const SgemmShape shape = shape_of(call);
    for (const KernelChoice& choice : with_own_parameters(choose_kernels(options, info), call, info)) {
      const std::string text = several                ? several->explain_host(shape, choice.options)
                               : options.host_to_host ? context.explain_host(shape, choice.options)
                                                      : context.explain(shape, choice.options);
      out << fmt::format("size: {}\n{}\n", describe_shape(one), several ? text : once(text, notice, is_said));
    }
  }
  return true;
}

bool manage_cache(std::ostream& out, const BenchOptions& options) {
  const DiskCache cache = DiskCache::from_environment();
  const DiskCache::Info info = cache.info();
  if (options.cache == "clear") {
    cache.clear();
    out << fmt::format("removed {} programs\n", info.entries - cache.info().entries);
    return true;
  }
  const std::vector<DiskCache::Verdict> verdicts = cache.verdicts();
  if (options.cache == "clear-quarantine") {
    cache.clear_verdicts();
    out << fmt::format("out of quarantine: {} kernels\n", verdicts.size() - cache.verdicts().size());
    return true;
  }
  if (!info.folder.empty()) out << fmt::format("folder: {}\n", info.folder);
  if (!info.problem.empty()) {
    out << fmt::format("not used: {}\n", info.problem);
    return true;
  }
  out << fmt::format("programs: {}\nsize: {:.1f} MiB of at most {:.0f} MiB\n", info.entries,
                     mebibytes(info.bytes), mebibytes(info.limit_bytes));
  for (const DiskCache::Verdict& verdict : verdicts)
    out << fmt::format("in quarantine since {}: {}\n", date_of(verdict.since), verdict.program);
  return true;
}

}  // namespace clgemm::bench
