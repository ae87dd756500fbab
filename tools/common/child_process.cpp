#include "common/child_process.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace clgemm::bench {

Ended run_self_to_end(const std::vector<std::string>& arguments,
                      const std::map<std::string, std::string>& environment, Complaints complaints) {
  constexpr int patience_ms = 1000;
  ChildProcess child(arguments, environment, complaints);
  child.close_input();
  std::string text;
  while (child.read(text, patience_ms) != ChildProcess::Read::end) continue;
  return {child.wait(), std::move(text)};
}

std::string run_self(const std::vector<std::string>& arguments,
                     const std::map<std::string, std::string>& environment) {
  Ended ended = run_self_to_end(arguments, environment, Complaints::shown);
  if (!ended.end.is_well())
    throw std::runtime_error(fmt::format("the child process failed: it {}", to_string(ended.end)));
  return std::move(ended.out);
}

}  // namespace clgemm::bench
