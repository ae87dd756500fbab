#include "running/own_kernel.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "command_line/cases.hpp"
#include "common/child_process.hpp"
#include "running/wrong_result.hpp"

namespace clgemm::bench {
namespace {

constexpr std::size_t odd_gap = 3;  // changes even leading dimensions to odd ones

// Returns what is wrong with one GEMM. Empty if it is right, or if the device cannot run it.
std::string try_kind(const GemmKind& kind, const cl::CommandQueue& queue, const Options& kernel) {
  const HostData host = make_host_data(call_of(kind, odd_size));
  const Reference reference(host);
  const DeviceData data(queue, host);
  try {
    const auto contestant = make_kernel_contestant(data, kernel);
    contestant->run();
    const std::vector<float> c = contestant->result();
    if (!contestant->damage().empty()) return contestant->damage();
    const double bound = contestant->bound_of_random(reference.k());
    return reference.check(c, bound).passed ? ""
                                            : describe_wrong_result(*contestant, c, reference, host.call);
  } catch (const Error& error) {
    return is_device_limit(error) ? "" : error.what();
  }
}

std::string title_of(const GemmKind& kind) {
  const auto word = [](Transpose transpose) {
    return transpose == Transpose::yes ? "transposed" : "not transposed";
  };
  return fmt::format("at {} with A {}, B {}, alpha {}, beta {}, {}", to_string(odd_size),
                     word(kind.transpose_a), word(kind.transpose_b), kind.alpha, kind.beta,
                     kind.batch_count == 1
                         ? "without gaps"
                         : fmt::format("gaps and offsets, a batch of {}", kind.batch_count));
}

}  // namespace

std::string try_in_own_process(const BenchOptions& options, const KernelChoice& choice) {
  BenchOptions of_child = options;
  of_child.kernels = {choice.options.kernel};
  of_child.parameters = choice.options.parameters;
  std::vector<std::string> words = words_of_kernel(of_child);
  words.insert(words.end(), {"--trial-of", choice.options.kernel, "--trial-seconds",
                             fmt::format("{}", options.trial_seconds)});
  const Ended ended = run_self_to_end(words, {}, Complaints::dropped);
  if (ended.end.is_well()) return ended.out;
  const std::string why = ended.end.kind == ProcessEnd::Kind::out_of_time
                              ? fmt::format("there was no result within {} s", options.trial_seconds)
                              : to_string(ended.end);
  throw Error(ErrorCode::self_test_failed,
              fmt::format("{}, tried in a separate process: {}", choice.name, why));
}

std::string try_kernel(const BenchOptions& options) {
  end_after(options.trial_seconds);  // the only way to end this process if the device hangs
  const cl::Device device = device_of(options);
  const cl::Context context(device);  // not every implementation lets a queue keep it
  const cl::CommandQueue queue(context, device, CL_QUEUE_PROFILING_ENABLE);
  Options kernel;
  kernel.kernel = options.trial_of;
  kernel.parameters = options.parameters;
  kernel.kernel_folder = options.kernel_folder;
  kernel.precision = options.precision;
  for (const Transpose transpose_a : {Transpose::no, Transpose::yes}) {
    for (const Transpose transpose_b : {Transpose::no, Transpose::yes}) {
      for (const bool strict : {false, true}) {
        const GemmKind kind{.transpose_a = transpose_a,
                            .transpose_b = transpose_b,
                            .alpha = strict ? 2.0f : 1.0f,
                            .beta = strict ? -0.5f : 0.0f,
                            .gap = strict ? odd_gap : 0,
                            .batch_count = strict ? 2U : 1U};
        if (const std::string wrong = try_kind(kind, queue, kernel); !wrong.empty())
          return fmt::format("{}: {}", title_of(kind), wrong);
      }
    }
  }
  return {};
}

}  // namespace clgemm::bench
