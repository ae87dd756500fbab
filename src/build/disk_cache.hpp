// Built programs on disk, shared by all processes of a user, so that nobody waits for a compiler twice.
//
//
// An entry is one file. It is written beside its final name and renamed, so that readers see all of it or
// nothing; a header with magic, length, key and checksum tells a whole file of ours from any other, which is
// ignored. Nothing here fails loudly: without a usable cache, programs are built from source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace clgemm {

class DiskCache {
 public:
  // What is known of the kernel in a program.
  enum class Trust : std::uint32_t {
    untested = 0,
    tested = 1,       // its self-test passed on this device and driver
    quarantined = 2,  // its self-test failed; there is no binary
  };

  struct Entry {
    Trust trust = Trust::untested;
    std::vector<unsigned char> binary;
  };

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

  // `key` is everything that goes into a build. No value where there is no whole entry for it.
  std::optional<Entry> load(const std::string& key) const;

  // Keeps an entry, and removes the longest unused ones where the cache grows over its limit.
  void store(const std::string& key, const Entry& entry) const noexcept;

  Info info() const;

  // False where nothing is ever stored.
  bool is_on() const { return problem_.empty(); }

  // Removes all entries.
  void clear() const;

 private:
  explicit DiskCache(std::string problem) : problem_(std::move(problem)) {}

  bool is_usable() const;
  void prune() const;

  std::filesystem::path folder_;
  std::uintmax_t limit_bytes_ = 0;
  std::string problem_;  // why it is off
};

}  // namespace clgemm
