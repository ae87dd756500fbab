// Every measurement of a run, on disk before the next one begins: a run that was stopped, or killed, goes on
// where it was. JSON lines: what the run is, then one line an outcome.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "base/files.hpp"
#include "tune/measured.hpp"

namespace clgemm::tune {

class Journal {
 public:
  // Opens the journal of a run, or begins it. `run` is all that measurements and the search depend on. Throws
  // std::runtime_error where the file is the journal of another run, or cannot be written. A last line that
  // is not whole is dropped.
  Journal(std::filesystem::path path, const std::string& run);

  std::optional<Outcome> find(const Trial& trial) const;

  // On disk when it returns.
  void add(const Trial& trial, const Outcome& outcome);

  std::size_t size() const { return outcomes_.size(); }

  // The run is complete.
  void remove();

 private:
  using Key = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t, Config, Care>;
  static Key key_of(const Trial& trial);
  void read_lines(const std::string& run);
  void write_line(const std::string& line);
  void demand(bool is_done) const;

  std::filesystem::path path_;
  File file_;
  std::map<Key, Outcome> outcomes_;
};

}  // namespace clgemm::tune
