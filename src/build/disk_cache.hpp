// Keeps built programs on disk for all processes of a user, so that no program is compiled twice.
//
// An entry is one file. It is written under another name and renamed, so that readers see the whole file or
// nothing. A header with magic, length, key and checksum identifies a complete entry; other files are
// ignored. Nothing here reports an error: without a usable cache, programs are built from source.
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
  // The known facts about the kernel in a program.
  enum class Trust : std::uint32_t {
    untested = 0,
    tested = 1,       // its self-test passed on this device and driver
    quarantined = 2,  // its self-test failed; the entry has the verdict instead of a binary
  };

  struct Entry {
    Trust trust = Trust::untested;
    std::vector<unsigned char> binary;
    std::size_t spilled_bytes = 0;  // see build/spills.hpp; a loaded binary may not report it
  };

  // The known facts about a program in quarantine.
  struct Verdict {
    std::chrono::system_clock::time_point since;
    std::string program;
  };

  // The time for which a verdict is valid. Then the program is tried again, because the machine may have been
  // at fault.
  static constexpr std::chrono::hours verdict_holds{7 * 24};

  struct Info {
    std::string folder;
    std::string problem;  // why the cache is not used; empty if it is used
    std::size_t entries = 0;
    std::uintmax_t bytes = 0;
    std::uintmax_t limit_bytes = 0;
  };

  // Makes a cache in this folder of at most `limit_bytes`. The first store makes the folder. Only its owner
  // can use it.
  DiskCache(std::filesystem::path folder, std::uintmax_t limit_bytes);

  // Returns the cache that the environment asks for. Its folder is CLGEMM_CACHE_DIR, or else
  // XDG_CACHE_HOME/clgemm, or else ~/.cache/clgemm. CLGEMM_CACHE=0 turns it off, and CLGEMM_CACHE_MIB limits
  // its size (default 256). It is off in a setuid process.
  static DiskCache from_environment();

  // `key` is everything that affects a build. Returns no value if there is no complete entry for it, or if
  // the entry is a verdict that has expired.
  std::optional<Entry> load(const std::string& key) const;

  // Keeps an entry. If the cache exceeds its limit, the entries that were unused for longest are removed.
  void store(const std::string& key, const Entry& entry) const noexcept;

  // Keeps a verdict instead of an entry.
  void quarantine(const std::string& key, const Verdict& verdict) const noexcept;

  // Returns the verdicts that are still valid.
  std::vector<Verdict> verdicts() const;

  Info info() const;

  // Returns false if nothing is ever stored.
  bool is_on() const { return problem_.empty(); }

  // Remove all entries, or those of programs in quarantine.
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
