#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "actions/accuracy_data.hpp"
#include "actions/actions.hpp"
#include "base/error.hpp"
#include "common/error_bound.hpp"
#include "common/float64.hpp"
#include "common/in_parallel.hpp"
#include "common/progress.hpp"
#include "common/text_table.hpp"
#include "measuring/check.hpp"
#include "measuring/contestant.hpp"
#include "peers/peer.hpp"
#include "running/kernel_choice.hpp"

namespace clgemm::bench {
namespace {

// The errors of one result.
struct Errors {
  double ratio = 0.0;     // see float64.hpp
  double relative = 0.0;  // norm of the error over norm of the result
};

// A sample of rows of the result, in float64, and in fp32 with one product after another.
struct Truth {
  std::size_t k;
  std::size_t columns;
  std::vector<std::size_t> rows;
  std::vector<double> values;      // rows x columns
  std::vector<double> magnitudes;  // |A||B|
  std::vector<float> plain;
};

constexpr std::size_t sampled_rows = 64;

void multiply_row(const HostData& data, std::size_t sample, Truth& truth) {
  const Size size = data.size();
  const float* row = &data.a[truth.rows[sample] * size.k];
  const auto a = [row](std::size_t depth) { return row[depth]; };
  const auto b = [&](std::size_t depth, std::size_t column) { return data.b[depth * size.n + column]; };
  const std::size_t first = sample * size.n;
  add_exact_row(size.k, a, b, std::span(truth.values).subspan(first, size.n),
                std::span(truth.magnitudes).subspan(first, size.n));
  for (std::size_t depth = 0; depth < size.k; ++depth) {
    for (std::size_t column = 0; column < size.n; ++column) {
      float& sum = truth.plain[first + column];
      sum = std::fma(a(depth), b(depth, column), sum);
    }
  }
}

Truth truth_of(const HostData& data) {
  const Size size = data.size();
  Truth truth{size.k, size.n, sample_indices(size.m, sampled_rows), {}, {}, {}};
  const std::size_t elements = truth.rows.size() * size.n;
  truth.values.resize(elements);
  truth.magnitudes.resize(elements);
  truth.plain.resize(elements);
  in_parallel(truth.rows.size(), [&](std::size_t row) { multiply_row(data, row, truth); });
  return truth;
}

// Returns the sampled rows of a result.
std::vector<float> sample_of(const std::vector<float>& c, const Truth& truth) {
  std::vector<float> result;
  for (const std::size_t row : truth.rows) {
    const auto first = c.begin() + static_cast<std::ptrdiff_t>(row * truth.columns);
    result.insert(result.end(), first, first + static_cast<std::ptrdiff_t>(truth.columns));
  }
  return result;
}

// `c` has the sampled rows. If plain fp32 gives Inf or NaN for an element, its error does not count.
Errors errors_of(const std::vector<float>& c, const Truth& truth) {
  Errors result;
  double error_square = 0.0;
  double square = 0.0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (!std::isfinite(truth.plain[i])) continue;
    const double error = std::fabs(double{c[i]} - truth.values[i]);
    const double ratio = std::isfinite(c[i]) ? error_ratio_of(error, truth.magnitudes[i], truth.k)
                                             : std::numeric_limits<double>::infinity();
    result.ratio = std::max(result.ratio, ratio);
    error_square += error * error;
    square += truth.values[i] * truth.values[i];
  }
  result.relative = square == 0.0 ? 0.0 : std::sqrt(error_square / square);
  return result;
}

std::string text_of(const Errors& errors) {
  return fmt::format("{:.2f}, {:.1e}", errors.ratio, errors.relative);
}

struct Result {
  std::vector<float> c;
  std::string kernel;  // the kernel that computed it
  Arithmetic arithmetic = Arithmetic::fp32;
  bool is_first = true;  // if false, the device found that a fallback had to do the work
};

// The results of all contestants for the same data: kernels first, then peers. Empty if a contestant cannot
// compute them.
class Contest {
 public:
  Contest(const HostData& data, const cl::CommandQueue& queue) : data_(queue, data) {}

  Result of(const KernelChoice& choice) {
    const auto contestant = make_kernel_contestant(data_, choice.options);
    const std::shared_ptr<const ChosenPlan> chosen = contestant->plan();
    const Plan& plan = chosen->built.plan;
    if (plan.stages.size() == 1) {
      contestant->run();
      return result_of(*contestant, plan, plan.first());
    }
    // Uses our own scratch, so that the words about who computed the result can be read.
    const cl::Buffer scratch(data_.queue().getInfo<CL_QUEUE_CONTEXT>(), CL_MEM_READ_WRITE,
                             plan.scratch_bytes);
    Options options = choice.options;
    options.scratch = scratch();
    const auto in_scratch = make_kernel_contestant(data_, options);
    in_scratch->run();
    const Stage& stage = who_computed(plan, scratch);
    return result_of(*in_scratch, plan, stage);
  }

  std::vector<float> of(const Peer& peer) {
    try {
      const auto contestant = peer.enter(data_);
      contestant->run();
      return contestant->result();
    } catch (const std::exception&) {
      return {};
    }
  }

 private:
  static Result result_of(Contestant& contestant, const Plan& plan, const Stage& stage) {
    const KernelConfig& kernel = stage.gemm();
    return {contestant.result(), kernel.name, arithmetic_of(kernel), &stage == &plan.first()};
  }

  // Returns the first stage that reports that it computed the result, or the last one, which is not asked.
  const Stage& who_computed(const Plan& plan, const cl::Buffer& scratch) {
    for (const Stage& stage : plan.stages) {
      cl_uint done = 0;
      if (&stage == &plan.stages.back()) break;
      data_.queue().enqueueReadBuffer(scratch, CL_TRUE, done_offset(stage, 1) * sizeof done, sizeof done,
                                      &done);
      if (done != 0) return stage;
    }
    return plan.stages.back();
  }

  DeviceData data_;
};

// Returns true if Inf and NaN are in the same places, and every Inf has the same sign.
bool same_kinds(const std::vector<float>& x, const std::vector<float>& y) {
  const auto same = [](float left, float right) {
    if (std::isnan(left) || std::isnan(right)) return std::isnan(left) && std::isnan(right);
    if (std::isinf(left) || std::isinf(right)) return left == right;
    return true;
  };
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
}

KernelChoice in_plain_fp32() {
  KernelChoice choice{"auto", {}, true};
  choice.options.precision = Precision::fp32;
  return choice;
}

// Returns true if a number of op(A) or op(B) is tiny (error_bound.hpp).
bool has_tiny(const HostData& data) {
  const Size size = data.size();
  const auto is_tiny_line = [](std::size_t count, const auto& element) {
    float largest = 0.0f;
    float least = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < count; ++i) {
      const float x = std::fabs(element(i));
      largest = std::max(largest, x);
      if (x != 0.0f) least = std::min(least, x);
    }
    return least < std::max(tiny * largest, least_not_tiny);
  };
  for (std::size_t row = 0; row < size.m; ++row) {
    if (is_tiny_line(size.k, [&](std::size_t i) { return data.a[row * size.k + i]; })) return true;
  }
  for (std::size_t column = 0; column < size.n; ++column) {
    if (is_tiny_line(size.k, [&](std::size_t i) { return data.b[i * size.n + column]; })) return true;
  }
  return false;
}

// The kinds of numbers in op(A) and op(B) that bounds depend on (error_bound.hpp).
struct Kinds {
  Numbers numbers;
  Magnitudes a, b;
};

Kinds kinds_of(const HostData& data) {
  return {has_tiny(data) ? Numbers::any : Numbers::without_tiny, magnitudes_of(data.a),
          magnitudes_of(data.b)};
}

// Returns the bound for the contestant that computed a result.
double bound_of(const HardNumbers& one, std::size_t k, const Result& result, const Kinds& kinds) {
  if (one.is_exact) return 0.0;
  return fits_tf32(result.arithmetic, kinds.a, kinds.b, k)
             ? error_bound(result.arithmetic, k, kinds.numbers)
             : error_bound_beyond_tf32(result.arithmetic, k, kinds.numbers);
}

std::string judge(const HardNumbers& one, const KernelChoice& choice, const Kinds& kinds, const Truth& truth,
                  Contest& contest, bool& all_kept) {
  const Result result = contest.of(choice);
  const Errors errors = errors_of(sample_of(result.c, truth), truth);
  const double bound = bound_of(one, truth.k, result, kinds);
  bool kept = errors.ratio <= bound;
  std::string text = fmt::format("{:.2f} of {:.0f}, {:.1e}", errors.ratio, bound, errors.relative);
  if (!one.is_finite) {
    kept = kept && same_kinds(result.c, contest.of(in_plain_fp32()).c);
    text = "as plain fp32";
  }
  if (!result.is_first) text += " by " + result.kernel;
  all_kept = all_kept && kept;
  return kept ? text : fmt::format("**{}: FAILED**", text);
}

// Returns the cells of one case: kernels, then peers.
std::vector<std::string> row_of(const HardNumbers& one, const HostData& data, const cl::CommandQueue& queue,
                                const std::vector<KernelChoice>& choices, const Peers& peers,
                                bool& all_kept) {
  const Truth truth = truth_of(data);
  const Kinds kinds = kinds_of(data);
  Contest contest(data, queue);
  const auto cell_of = [&](const std::vector<float>& c) {
    return one.is_finite ? text_of(errors_of(c, truth)) : std::string();
  };
  const auto cell_of_result = [&](const std::vector<float>& c) {
    return c.empty() ? std::string("did not run") : cell_of(sample_of(c, truth));
  };
  std::vector<std::string> cells = {one.name, std::to_string(truth.k), cell_of(truth.plain)};
  for (const KernelChoice& choice : choices)
    cells.push_back(judge(one, choice, kinds, truth, contest, all_kept));
  for (const Peer& peer : peers.present) cells.push_back(cell_of_result(contest.of(peer)));
  return cells;
}

}  // namespace

bool show_accuracy(std::ostream& out, const BenchOptions& options, const cl::Device& cl_device) {
  return at_boundary([&] {
    const Device device = describe(cl_device);
    const std::vector<KernelChoice> choices = choose_kernels(options, device);
    const Peers peers = make_peers(options.peers, cl_device);
    const cl::Context context(cl_device);  // not every implementation lets a queue keep it
    const cl::CommandQueue queue(context, cl_device, CL_QUEUE_PROFILING_ENABLE);
    Progress progress;
    const std::size_t side = options.sizes.front().m;

    std::vector<std::string> titles = {"numbers", "k", "fp32, product after product"};
    for (const KernelChoice& choice : choices) titles.push_back(choice.name);
    for (const Peer& peer : peers.present) titles.push_back(peer_title(peer.unmeasured.name));
    for (const MissingPeer& peer : peers.missing)
      out << peer.title << " is missing: " << peer.reason << "\n\n";
    out << fmt::format(
        "On {}, {} x {} results: the largest error ratio, its bound, and the relative error\n\n", device.name,
        side, side);
    out << markdown_line(titles) << markdown_line(std::vector<std::string>(titles.size(), "---"));

    bool all_kept = true;
    for (const HardNumbers& one : hard_numbers()) {
      for (const std::size_t k : one.depths) {
        progress.show(fmt::format("{}, k = {}", one.name, k));
        const HostData data = data_of(one, side, k, options.kind);
        out << markdown_line(row_of(one, data, queue, choices, peers, all_kept)) << std::flush;
      }
    }
    out << (all_kept ? "\nPASSED: every result is within the bound of the kernel that computed it.\n"
                     : "\nFAILED: some results are not within the bound of the kernel that computed them.\n");
    return all_kept;
  });
}

}  // namespace clgemm::bench
