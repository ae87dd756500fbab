// Writes every measurement of a run to disk before the next one begins, so that a run that was stopped or
// killed can continue. The file has JSON lines: a description of the run, then one line for each outcome.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "base/files.hpp"
#include "tune/searching/measured.hpp"

namespace clgemm::tune {

class Journal {
 public:
  // Opens the journal of a run, or begins it. `run` describes everything that measurements and the search
  // depend on. Throws std::runtime_error if the file is the journal of another run, or cannot be written. An
  // incomplete last line is dropped.
  Journal(std::filesystem::path path, const std::string& run);

  std::optional<Outcome> find(const Trial& trial) const;

  // The line is on disk when this returns.
  void add(const Trial& trial, const Outcome& outcome);

  std::size_t size() const { return outcomes_.size(); }

  // Removes the journal when the run is complete.
  void remove();

 private:
  using Key = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t, std::string, Config, Care>;
  static Key key_of(const Trial& trial);
  void read_lines(const std::string& run);
  void write_line(const std::string& line);
  void demand(bool is_done) const;

  std::filesystem::path path_;
  File file_;
  std::map<Key, Outcome> outcomes_;
};

}  // namespace clgemm::tune
