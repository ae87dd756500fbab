#include "writing/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "common/usage_error.hpp"
#include "common/whole_file.hpp"
#include "figures/results_json.hpp"
#include "writing/markdown.hpp"

namespace clgemm::bench {

void write_results(std::ostream& out, const BenchOptions& options, const Results& results) {
  switch (options.format) {
    case Format::json:
      return write_json(out, results);
    case Format::csv:
      return write_csv(out, results);
    case Format::markdown:
      return write_markdown(out, {results});
    case Format::table:
      break;
  }
  if (options.ladder) return write_ladder_table(out, results);
  options.random.count > 0 ? write_list_table(out, results) : write_table(out, results);
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
