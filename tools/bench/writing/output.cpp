#include "writing/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <stdexcept>

#include "common/usage_error.hpp"
#include "common/whole_file.hpp"
#include "figures/results_json.hpp"
#include "writing/markdown.hpp"

namespace clgemm::bench {
namespace {

using Writer = void(std::ostream&, const Results&);

Writer* writer_for(const BenchOptions& options) {
  static const std::map<Format, Writer*> writers = {
      {Format::table, write_table},
      {Format::json, write_json},
      {Format::csv, write_csv},
      {Format::markdown, [](std::ostream& out, const Results& results) { write_markdown(out, {results}); }}};
  if (options.format == Format::table && options.ladder) return write_ladder_table;
  if (options.format == Format::table && options.random.count > 0) return write_list_table;
  return writers.at(options.format);
}

}  // namespace

void write_results(std::ostream& out, const BenchOptions& options, const Results& results) {
  writer_for(options)(out, results);
}

void finish_standard_output() {
  errno = 0;
  if (std::cout.flush() && std::ferror(stdout) == 0) return;
  throw std::runtime_error(fmt::format("standard output: not everything could be written{}{}",
                                       errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno)));
}

Output::Output(const std::string& path) : path_(path) {
  if (!path.empty() && !can_write(path))
    throw UsageError(fmt::format("--output: '{}': {}", path, std::strerror(errno)));
}

std::ostream& Output::stream() {
  return path_.empty() ? std::cout : text_;
}

void Output::finish() {
  if (path_.empty()) {
    finish_standard_output();
  } else {
    write_whole(path_, text_.str());
  }
}

}  // namespace clgemm::bench
