#include "tune/measuring/journal.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace clgemm::tune {
namespace {

using Json = nlohmann::ordered_json;

Trial trial_of(const Json& json) {
  Trial trial;
  trial.size = {json.at("m"), json.at("n"), json.at("k")};
  trial.config.kernel = json.at("kernel").get<std::string>();
  trial.config.parameters = json.at("parameters").get<Parameters>();
  trial.care = Care{json.at("care").get<int>()};
  trial.batch = json.at("batch");
  trial.transposes = json.at("transposes").get<std::string>();
  return trial;
}

}  // namespace

Journal::Journal(std::filesystem::path path, const std::string& run) : path_(std::move(path)) {
  if (std::filesystem::exists(path_)) read_lines(run);
  file_ = open_to_write(path_, Opened::to_append);
  demand(file_.is_open());
  if (std::filesystem::file_size(path_) == 0) write_line(Json{{"run", run}}.dump());
}

// Complete lines are valid. Text after the last newline was left by a killed run.
void Journal::read_lines(const std::string& run) {
  constexpr std::size_t most_bytes = std::size_t{256} << 20U;
  const FileContent content = read_file(path_, {Owner::this_user, Links::refuse, most_bytes});
  if (!content)
    throw std::runtime_error(fmt::format("cannot read '{}': {}", path_.string(), content.problem));
  const std::string& text = content.bytes;
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  try {
    for (std::size_t start = 0; start < whole;) {
      const std::size_t end = text.find('\n', start);
      const Json json = Json::parse(text.begin() + static_cast<std::ptrdiff_t>(start),
                                    text.begin() + static_cast<std::ptrdiff_t>(end));
      if (start == 0 && json.at("run").get<std::string>() != run) {
        throw std::runtime_error(
            fmt::format("'{}' is the journal of another run (with other options, kernels, device or driver); "
                        "--fresh starts a new one",
                        path_.string()));
      }
      if (start != 0) {
        const Trial trial = trial_of(json);
        outcomes_[key_of(trial)] = {json.at("ms"), json.at("failure"), json.at("spent_s")};
      }
      start = end + 1;
    }
  } catch (const Json::exception& failure) {
    throw std::runtime_error(fmt::format("'{}' is not a journal: {}", path_.string(), failure.what()));
  }
  if (whole != text.size()) std::filesystem::resize_file(path_, whole);
}

Journal::Key Journal::key_of(const Trial& trial) {
  return {trial.batch, trial.size.m, trial.size.n, trial.size.k, trial.transposes, trial.config, trial.care};
}

std::optional<Outcome> Journal::find(const Trial& trial) const {
  const auto found = outcomes_.find(key_of(trial));
  return found == outcomes_.end() ? std::nullopt : std::optional(found->second);
}

void Journal::add(const Trial& trial, const Outcome& outcome) {
  write_line(Json{{"m", trial.size.m},
                  {"n", trial.size.n},
                  {"k", trial.size.k},
                  {"batch", trial.batch},
                  {"transposes", trial.transposes},
                  {"kernel", trial.config.kernel},
                  {"parameters", trial.config.parameters},
                  {"care", static_cast<int>(trial.care)},
                  {"ms", outcome.ms},
                  {"failure", outcome.failure},
                  {"spent_s", outcome.spent_s}}
                 .dump(-1, ' ', true, Json::error_handler_t::replace));
  outcomes_[key_of(trial)] = outcome;
}

void Journal::write_line(const std::string& line) {
  demand(file_.write_all(line + "\n") && file_.flush_to_disk());
}

void Journal::demand(bool is_done) const {
  if (!is_done)
    throw std::runtime_error(fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno)));
}

void Journal::remove() {
  file_.close();
  std::filesystem::remove(path_);
}

}  // namespace clgemm::tune
