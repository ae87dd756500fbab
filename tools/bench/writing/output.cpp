#include "writing/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/private_file.hpp"
#include "common/usage_error.hpp"
#include "figures/results_json.hpp"

namespace clgemm::bench {
namespace {

namespace fs = std::filesystem;

using Writer = void(std::ostream&, const Results&);

Writer* writer_for(const BenchOptions& options) {
  static const std::map<Format, Writer*> writers = {
      {Format::table, write_table}, {Format::json, write_json}, {Format::csv, write_csv}};
  if (options.format == Format::table && options.ladder) return write_ladder_table;
  if (options.format == Format::table && options.random.count > 0) return write_list_table;
  return writers.at(options.format);
}

// Where the links of a path lead, whether there is something or not. A circle of links ends, too.
fs::path behind_links(fs::path path) {
  constexpr int most_links = 40;  // as Linux has it
  std::error_code none;
  for (int i = 0; i < most_links && fs::is_symlink(fs::symlink_status(path, none)); ++i) {
    path = path.parent_path() / fs::read_symlink(path, none);  // an absolute one stands alone
  }
  return path;
}

// Whether a file can be written; errno says why not. What is there stays, what is not there is not made.
bool can_write(const std::string& path) {
  struct stat before = {};
  const bool is_there = ::stat(path.c_str(), &before) == 0;
  const File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (file.is_open() && !is_there) ::unlink(path.c_str());
  return file.is_open();
}

[[noreturn]] void cannot_write(const std::string& path) {
  throw std::runtime_error(
      fmt::format("--output: '{}': not everything could be written: {}", path, std::strerror(errno)));
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
  if (path.empty()) return;
  struct stat status = {};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  bool writable = false;
  if (is_there && !S_ISREG(status.st_mode)) {
    straight_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    writable = straight_ >= 0;
  } else {
    target_ = behind_links(path).string();
    written_ = target_ + ".new";
    writable = can_write(target_);
    if (writable && !can_write(written_)) written_ = target_;
  }
  if (!writable) throw UsageError(fmt::format("--output: '{}': {}", path, std::strerror(errno)));
}

Output::~Output() {
  if (straight_ >= 0) ::close(straight_);
}

std::ostream& Output::stream() {
  return path_.empty() ? std::cout : text_;
}

void Output::finish() {
  if (path_.empty()) {
    finish_standard_output();
  } else if (straight_ >= 0) {
    const std::string text = text_.str();
    const File file(std::exchange(straight_, -1));
    if (!file.write_all(text.data(), text.size())) cannot_write(path_);
  } else {
    finish_file();
  }
}

// The new file has the rights of the one that it takes the place of.
void Output::finish_file() {
  const std::string text = text_.str();
  const bool beside = written_ != target_;
  struct stat old = {};
  const bool is_there = ::stat(target_.c_str(), &old) == 0;
  const auto give_up = [&] {
    const int why = errno;
    if (beside) ::unlink(written_.c_str());
    errno = why;
    cannot_write(path_);
  };
  {
    const File file(::open(written_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file.is_open() || !file.write_all(text.data(), text.size())) give_up();
    if (beside && is_there && ::fchmod(file.get(), old.st_mode & 07777U) != 0) give_up();
    if (::fsync(file.get()) != 0) give_up();
  }
  if (beside && ::rename(written_.c_str(), target_.c_str()) != 0) give_up();
}

}  // namespace clgemm::bench
