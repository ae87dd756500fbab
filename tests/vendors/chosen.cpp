// chosen FOLDER: the programs that clgemm chooses on GPUs that are not here, for compilers that are
// (compile.py). A source a file, and programs.json, which says of each program what it is to be compiled for
// and how, and which device and shape it is for.
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

// A program as it is handed to a compiler.
struct Program {
  const char* target;
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
      Uses& uses = programs[{sheet.target, config->build_options, config->file->source}];
      uses.config = config;
      uses.calls.insert(fmt::format("{}: {}", sheet.name, name_of(problem)));
    });
  }
}

// Names, options and paths of ours have no characters that JSON writes in another way, but for backslashes.
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
               R"({{"target": "{}", "file": "{}", "options": "{}", "kernel": "{}", "values": "{}", )"
               R"("multiplies_on_fp32_units": {}, "multiply_adds_a_step": {}, "registers": {}, "ptx": "{}", )"
               R"("calls": ["{}"]}})",
               program.target, file, program.options, config.name, describe_values(config.values),
               config.manifest().role == Role::multiply && config.manifest().precision == Precision::fp32,
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
