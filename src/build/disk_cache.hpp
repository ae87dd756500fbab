// Built programs on disk, shared by all processes of a user, so that nobody waits for a compiler twice.
//
// An entry is one file. It is written beside its final name and renamed, so that readers see all of it or
// nothing; a header with magic, length, key and checksum tells a whole file of ours from any other, which is
// ignored. Nothing here fails loudly: without a usable cache, programs are built from source.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"

namespace clgemm {

class DiskCache {
 public:
  // What is known of the kernel in a program.
  enum class Trust : std::uint32_t {
    untested = 0,
    tested = 1,       // its self-test passed on this device and driver
    quarantined = 2,  // its self-test failed; in place of a binary the entry has the verdict
  };

  struct Entry {
    Trust trust = Trust::untested;
    std::vector<unsigned char> binary;
    std::size_t spilled_bytes = 0;  // as build/spills.hpp has it; what loads a binary may not tell
  };

  // What is known of a program in quarantine.
  struct Verdict {
    std::chrono::system_clock::time_point since;
    std::string program;
  };

  // So long a verdict holds: then the program is tried again, for it may have been the machine's fault.
  static constexpr std::chrono::hours verdict_holds{7 * 24};

  struct Info {
    std::string folder;
    std::string problem;  // why the cache is not used; empty where it is
    std::size_t entries = 0;
    std::uintmax_t bytes = 0;
    std::uintmax_t limit_bytes = 0;
  };

  // A cache in this folder, of at most `limit_bytes`. The folder is made, for its owner alone, at the first
  // store.
  DiskCache(std::filesystem::path folder, std::uintmax_t limit_bytes);

  // The cache that the environment asks for: CLGEMM_CACHE_DIR, else XDG_CACHE_HOME/clgemm, else
  // ~/.cache/clgemm; CLGEMM_CACHE=0 turns it off, CLGEMM_CACHE_MIB bounds it (default 256). Off in a setuid
  // process.
  static DiskCache from_environment();

  // `key` is everything that goes into a build. No value where there is no whole entry for it, or one whose
  // verdict holds no longer.
  std::optional<Entry> load(const std::string& key) const;

  // Keeps an entry, and removes the longest unused ones where the cache grows over its limit.
  void store(const std::string& key, const Entry& entry) const noexcept;

  // Keeps a verdict in place of an entry.
  void quarantine(const std::string& key, const Verdict& verdict) const noexcept;

  // Those that hold.
  std::vector<Verdict> verdicts() const;

  Info info() const;

  // False where nothing is ever stored.
  bool is_on() const { return problem_.empty(); }

  // Removes all entries, or those of programs in quarantine.
  void clear() const;
  void clear_verdicts() const;

 private:
  explicit DiskCache(std::string problem) : problem_(std::move(problem)) {}

  PrivateFolder opened() const;
  void prune() const;
  void for_each_verdict(const std::function<void(const std::filesystem::path&, const Verdict&)>& body) const;

  std::filesystem::path folder_;
  std::uintmax_t limit_bytes_ = 0;
  std::string problem_;  // why it is off
};

}  // namespace clgemm
