// Plans for streaming parts through a device, and their schedules. They are simulated with numbers of blocks,
// without a device.
#include "plan/stream_plan.hpp"

#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/sizes.hpp"
#include "plan/stream_schedule.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t gibibyte = std::size_t{1} << 30;

Problem problem_of(std::size_t m, std::size_t n, std::size_t k) {
  Problem result;
  result.m = m;
  result.n = n;
  result.k = k;
  return result;
}

struct Sizes {
  std::size_t m, n, k;
};
const std::vector<Sizes> all_sizes = {{1, 1, 1},          {17, 19, 23},          {700, 40, 30},
                                      {40, 700, 30},      {40, 30, 7000},        {1000, 1000, 1000},
                                      {4096, 4096, 4096}, {8192, 8192, 8192},    {32768, 32768, 32768},
                                      {100000, 16, 300},  {1000, 1000, 1000000}, {20000, 20000, 2}};
const std::vector<StreamLimits> all_limits = {{100 * gibibyte, 30 * gibibyte, 1},
                                              {4 * gibibyte, gibibyte, 1},
                                              {64 * mebibyte, 64 * mebibyte, 2},
                                              {mebibyte, mebibyte / 4, 1},
                                              {64 * 1024, 64 * 1024, 3}};

// Returns the rates of an H200.
Rates some_rates() {
  Rates rates;
  rates.multiply_adds = 95e12;
  rates.adding_bytes = 4101e9;
  return rates;
}

StreamPlan plan_stream(const Problem& problem, const StreamLimits& limits) {
  return clgemm::plan_stream(problem, limits, some_rates());
}

// A device's buffers, and the blocks in them.
class Simulation {
 public:
  Simulation(const StreamPlan& plan, bool reads_c)
      : plan_(plan), reads_c_(reads_c), schedule_(plan, reads_c) {}

  // Returns the name of the error, or an empty text if there is none.
  std::string run() {
    for (const Round& round : rounds_of(plan_)) schedule_.add(round);
    for (std::size_t number = 0; number < schedule_.steps().size(); ++number) {
      const StreamStep& step = schedule_.steps()[number];
      for (; posted_ < step.uploads; ++posted_) {
        if (const std::string wrong = post(schedule_.uploads()[posted_], number); !wrong.empty())
          return wrong;
      }
      if (const std::string wrong = multiply(step, number); !wrong.empty()) return wrong;
    }
    const std::size_t tiles = plan_.rows_of_tiles() * plan_.columns_of_tiles();
    if (posted_ != schedule_.uploads().size()) return "an upload for nothing";
    return done_.size() == tiles ? "" : "not all tiles are done";
  }

  // Returns how many blocks of this matrix were transferred.
  std::size_t brought(Matrix matrix) const { return brought_.at(matrix); }

 private:
  using Block = std::tuple<std::size_t, std::size_t>;

  std::string post(const Upload& upload, std::size_t next_step) {
    const auto limit = upload.matrix == Matrix::a   ? plan_.a_blocks
                       : upload.matrix == Matrix::b ? plan_.b_blocks
                                                    : plan_.c_blocks;
    if (upload.place >= limit) return "no such place";
    const auto key = std::tuple{upload.matrix, upload.place};
    if (const auto last = last_use_.find(key); last != last_use_.end()) {
      if (upload.after != last->second) return "not after the last use of what was there";
      if (last->second >= next_step) return "before the last use of what was there";
    } else if (upload.after) {
      return "after something in an empty place";
    }
    there_[key] = {upload.line, upload.other};
    ++brought_[upload.matrix];
    return "";
  }

  std::string multiply(const StreamStep& step, std::size_t number) {
    if (there_[{Matrix::a, step.place_of_a}] != Block{step.row, step.depth}) return "another block of A";
    if (there_[{Matrix::b, step.place_of_b}] != Block{step.column, step.depth}) return "another block of B";
    const auto c = std::tuple{Matrix::c, step.place_of_c};
    if (step.place_of_c >= plan_.c_blocks) return "no such place of C";
    if (step.depth == 0 && !reads_c_) {
      const auto last = last_use_.find(c);
      if (last != last_use_.end() && step.c_after != last->second) return "C before what was there was done";
      there_[c] = {step.row, step.column};
    }
    if (there_[c] != Block{step.row, step.column}) return "another tile of C";
    if (step.depth != depth_of_[{step.row, step.column}]++) return "depths in a wrong order";
    if (step.is_last != (step.depth + 1 == plan_.depths())) return "a wrong end";
    if (step.is_last) done_.insert({step.row, step.column});
    last_use_[{Matrix::a, step.place_of_a}] = last_use_[{Matrix::b, step.place_of_b}] = last_use_[c] = number;
    return "";
  }

  const StreamPlan& plan_;
  bool reads_c_;
  StreamSchedule schedule_;
  std::size_t posted_ = 0;
  std::map<std::tuple<Matrix, std::size_t>, Block> there_;
  std::map<std::tuple<Matrix, std::size_t>, std::size_t> last_use_;
  std::map<Block, std::size_t> depth_of_;
  std::map<Matrix, std::size_t> brought_;
  std::set<Block> done_;
};

TEST_CASE("plans keep to their limits, and their schedules have each block where it is used") {
  for (const Sizes& sizes : all_sizes) {
    for (const StreamLimits& limits : all_limits) {
      // Leaves out cases with a million steps, which show no more than those with a thousand.
      if (sizes.m * sizes.n / 1000 * sizes.k / 1000 * 4 > limits.bytes) continue;
      INFO(sizes.m << " x " << sizes.n << " x " << sizes.k << " in " << limits.bytes);
      const StreamPlan plan = plan_stream(problem_of(sizes.m, sizes.n, sizes.k), limits);
      CHECK(plan.held_bytes() + plan.scratch_bytes <= limits.bytes);
      CHECK(std::max({plan.a_bytes(), plan.b_bytes(), plan.c_bytes()}) <= limits.max_allocation);
      for (const bool reads_c : {false, true}) CHECK(Simulation(plan, reads_c).run() == "");
    }
  }
}

TEST_CASE("if the device has room, each block is copied to it once") {
  const StreamPlan plan = plan_stream(problem_of(8192, 8192, 8192), {100 * gibibyte, 30 * gibibyte, 1});
  Simulation simulation(plan, false);
  CHECK(simulation.run() == "");
  CHECK(simulation.brought(Matrix::a) == plan.rows_of_tiles() * plan.depths());
  CHECK(simulation.brought(Matrix::b) == plan.columns_of_tiles() * plan.depths());
  CHECK(traffic_of(plan, false).a == 8192 * 8192 * sizeof(float));
}

TEST_CASE("32768 in 4 GiB moves one operand once and the other twice, in blocks that are not too short") {
  const StreamPlan plan = plan_stream(problem_of(32768, 32768, 32768), {4 * gibibyte, 4 * gibibyte, 1});
  Simulation simulation(plan, false);
  CHECK(simulation.run() == "");
  const std::size_t all_of_a = plan.rows_of_tiles() * plan.depths();
  const std::size_t all_of_b = plan.columns_of_tiles() * plan.depths();
  CHECK(simulation.brought(Matrix::a) == all_of_a);
  CHECK(simulation.brought(Matrix::b) == 2 * all_of_b);
  CHECK(plan.depth >= 4096);
  // All of A for a strip's first round arrives while that round is multiplied. 4 x 1 tiles would be finished
  // in half the time. Also, the first GEMM must not wait long.
  CHECK(plan.round_rows * plan.round_columns >= 12);
  CHECK(plan.depth <= 8192);
}

TEST_CASE("a limit leaves room for a tile's packed copies, three planes of two bytes an element") {
  for (const std::size_t limit : {2 * gibibyte, 4 * gibibyte, 8 * gibibyte}) {
    const StreamPlan plan = plan_stream(problem_of(32768, 32768, 32768), {limit, limit, 1});
    CHECK(plan.scratch_bytes >= (plan.a_bytes() + plan.b_bytes()) / 2 * 3);
  }
}

TEST_CASE("if no large tile fits together with long enough blocks, tiles are smaller") {
  const StreamPlan plan = plan_stream(problem_of(32768, 32768, 32768), {gibibyte / 2, gibibyte / 2, 1});
  CHECK(plan.tile_rows <= 2048);
  CHECK(plan.depth >= 512);
}

TEST_CASE("with room for all of C blocks are short, and the last rounds small") {
  const StreamPlan plan = plan_stream(problem_of(32768, 32768, 32768), {100 * gibibyte, 30 * gibibyte, 1});
  CHECK(plan.depth == 8192);
  Simulation simulation(plan, false);
  CHECK(simulation.run() == "");
  CHECK(simulation.brought(Matrix::a) == plan.rows_of_tiles() * plan.depths());
  CHECK(simulation.brought(Matrix::b) == plan.columns_of_tiles() * plan.depths());
  const Round last = rounds_of(plan).back();
  CHECK(last.rows * last.columns == 1);
}

TEST_CASE("each of two devices has half of the strips, in rows or in columns of C") {
  for (const Sizes& sizes : {Sizes{32768, 16384, 8192}, Sizes{16384, 32768, 8192}}) {
    const StreamPlan plan =
        plan_stream(problem_of(sizes.m, sizes.n, sizes.k), {100 * gibibyte, 30 * gibibyte, 2});
    const std::vector<Round> rounds = rounds_of(plan);
    const std::size_t half = rounds.size() / 2;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      const bool is_first = sizes.m > sizes.n ? rounds[i].row < plan.rows_of_tiles() / 2
                                              : rounds[i].column < plan.columns_of_tiles() / 2;
      CHECK(is_first == (i < half));
    }
    CHECK(traffic_of(plan, false).a == sizes.m * sizes.k * sizeof(float) * (sizes.m > sizes.n ? 1 : 2));
  }
}

TEST_CASE("small problems are one tile, and several devices get several rounds each") {
  CHECK(rounds_of(plan_stream(problem_of(500, 500, 500), {gibibyte, gibibyte, 1})).size() == 1);
  CHECK(plan_stream(problem_of(500, 500, 500), {gibibyte, gibibyte, 1}).tile_rows == 500);
  const StreamPlan shared = plan_stream(problem_of(32768, 32768, 32768), {100 * gibibyte, 30 * gibibyte, 2});
  CHECK(rounds_of(shared).size() >= 8);
}

TEST_CASE("a call of one tile takes the time of copies and GEMM; larger calls hide most of the copies") {
  HostRates rates;
  rates.to_device = 10e9;
  rates.from_device = 5e9;
  rates.streamed = 8e9;
  const StreamPlan one = plan_stream(problem_of(512, 512, 512), {gibibyte, gibibyte, 1});
  const double bytes = 512 * 512 * sizeof(float);
  const auto seconds = seconds_of(one, false, true, 1e-3, rates).all();
  CHECK(seconds == Approx(2 * bytes / 10e9 + 1e-3 + bytes / 5e9));
  CHECK(seconds_of(one, true, true, 1e-3, rates).all() == Approx(seconds + bytes / 10e9));
  CHECK(seconds_of(one, false, false, 1e-3, rates).all() == Approx(2 * bytes / 8e9 + 1e-3 + bytes / 5e9));

  const StreamPlan many = plan_stream(problem_of(32768, 32768, 32768), {100 * gibibyte, 30 * gibibyte, 1});
  const double tiles = static_cast<double>(many.rows_of_tiles() * many.columns_of_tiles() * many.depths());
  const StreamSeconds slow = seconds_of(many, false, true, 1.0, rates);
  CHECK(slow.gemm == Approx(tiles));
  CHECK(slow.all() < 1.1 * tiles);
  const StreamSeconds fast = seconds_of(many, false, true, 1e-9, rates);
  CHECK(fast.all() == Approx(fast.out + fast.ends));
  CHECK(fast.in + fast.ends == Approx(8.0 * 32768 * 32768 / 10e9).epsilon(0.1));
}

TEST_CASE("with a slow link less data are moved, and with a slow device more") {
  Rates slow_link = some_rates();
  slow_link.host.streamed = slow_link.host.to_device = 1e9;
  const StreamLimits limits{gibibyte / 2, gibibyte / 2, 1};
  const Problem problem = problem_of(20000, 20000, 20000);
  const auto bytes_of = [&](const Rates& rates) {
    const Traffic moved = traffic_of(clgemm::plan_stream(problem, limits, rates), false);
    return moved.a + moved.b;
  };
  Rates slow_device = some_rates();
  slow_device.multiply_adds = 1e11;
  CHECK(bytes_of(slow_link) < bytes_of(some_rates()));
  CHECK(bytes_of(some_rates()) < bytes_of(slow_device));
}

TEST_CASE("a limit that is too small for any tile is an error") {
  CHECK_ERROR([] { plan_stream(problem_of(100, 100, 100), {1024, 1024, 1}); }, out_of_memory, "1024 bytes");
}

}  // namespace
}  // namespace clgemm
