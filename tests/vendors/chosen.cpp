// chosen FOLDER: writes the programs that clgemm chooses on GPUs that are not installed, for compilers that
// are (compile.py). Each source is a file. programs.json has, for each program, its target and options, and
// its device and shape.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string_view>

#include "choose/ranking.hpp"
#include "kernel/precision.hpp"
#include "plan/make_plan.hpp"
#include "support/data_sheets.hpp"
#include "support/shipped.hpp"

namespace clgemm {
namespace {

using namespace test;

// A program as a compiler receives it.
struct Program {
  const char* target;
  std::string extensions;  // the names that the device reports
  std::string options;
  std::string source;
  bool operator<(const Program& other) const {
    return std::tie(target, options, source) < std::tie(other.target, other.options, other.source);
  }
};

struct Uses {
  SharedConfig config;
  std::set<std::string> calls;
};

std::string name_of(const Problem& problem) {
  const std::string batch = problem.batch_count == 1 ? "" : fmt::format(", {} of them", problem.batch_count);
  return fmt::format("{} x {} x {}{}", problem.m, problem.n, problem.k, batch);
}

using Programs = std::map<Program, Uses>;

void add_chosen(const Sheet& sheet, const std::vector<Problem>& problems, Precision precision,
                Programs& programs) {
  const Device device = device_of(sheet);
  ConfigCache configs(device, {});
  for (const Problem& problem : problems) {
    const Candidate chosen =
        rank_candidates(problem, configs, shipped_tuning(), no_limit, precision).candidates.front();
    const Plan plan = make_plan(problem, chosen.config, configs, no_limit);
    for_each_program(plan, [&](std::size_t stage, ProgramRole role) {
      const SharedConfig& config = plan.stages[stage].programs[role];
      Uses& uses = programs[{sheet.target, device.extensions, config->build_options, config->file->source}];
      uses.config = config;
      uses.calls.insert(fmt::format("{}: {}", sheet.name, name_of(problem)));
    });
  }
}

// Our names, options and paths have no characters that JSON escapes, except backslashes.
void write(const Programs& programs, const std::filesystem::path& folder) {
  std::ofstream list(folder / "programs.json");
  list << "[";
  std::size_t number = 0;
  for (const auto& [program, uses] : programs) {
    const std::string file = fmt::format("{}.cl", number);
    std::ofstream(folder / file) << program.source;
    const KernelConfig& config = *uses.config;
    list
        << (number++ == 0 ? "\n" : ",\n")
        << fmt::format(
               R"({{"target": "{}", "extensions": "{}", "file": "{}", "options": "{}", "kernel": "{}", "values": "{}", )"
               R"("multiplies_on_fp32_units": {}, "multiply_adds_a_step": {}, "registers": {}, "ptx": "{}", )"
               R"("calls": ["{}"]}})",
               program.target, program.extensions, file, program.options, config.name,
               describe_values(config.values),
               config.manifest().role == Role::gemm && config.manifest().precision == Precision::fp32,
               config.tile_rows * config.tile_columns * config.tile_depth / config.work_items(),
               config.registers, config.manifest().ptx_target, fmt::join(uses.calls, "\", \""));
  }
  list << "\n]\n";
}

}  // namespace
}  // namespace clgemm

int main(int argc, char** argv) {
  using namespace clgemm;
  if (argc != 2) {
    std::cerr << "chosen FOLDER\n";
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  Programs programs;
  for (const test::Sheet& sheet : test::sheets) {
    if (sheet.target == std::string_view()) continue;
    for (const Precision precision : {Precision::fp32, Precision::fp32_equivalent})
      add_chosen(sheet, test::shapes(), precision, programs);
  }
  write(programs, argv[1]);
  return 0;
}
