#include "writing/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>

#include "common/usage_error.hpp"
#include "figures/results_json.hpp"

namespace clgemm::bench {
namespace {

using Writer = void(std::ostream&, const Results&);

Writer* writer_for(const BenchOptions& options) {
  static const std::map<Format, Writer*> writers = {
      {Format::table, write_table}, {Format::json, write_json}, {Format::csv, write_csv}};
  if (options.format == Format::table && options.ladder) return write_ladder_table;
  if (options.format == Format::table && options.random.count > 0) return write_list_table;
  return writers.at(options.format);
}

}  // namespace

Output::Output(const BenchOptions& options) : options_(options) {
  if (options.output.empty()) return;
  file_ = std::make_unique<std::ofstream>(options.output);
  if (!*file_) throw UsageError(fmt::format("--output: '{}': {}", options.output, std::strerror(errno)));
}

Output::~Output() = default;

void Output::write(const Results& results) {
  std::ostream& out = file_ ? *file_ : std::cout;
  writer_for(options_)(out, results);
  out.flush();
  if (!out) throw std::runtime_error("the results could not be written");
}

}  // namespace clgemm::bench
