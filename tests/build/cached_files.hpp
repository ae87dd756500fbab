// A cache in a test's folder, and the actions of several users of one folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "build/disk_cache.hpp"
#include "support/temporary.hpp"

namespace clgemm::test {

namespace fs = std::filesystem;
using Bytes = std::vector<unsigned char>;
using Trust = DiskCache::Trust;

inline constexpr std::uintmax_t large_limit = 1 << 20;

// A cache in a folder that does not exist yet.
struct Cache {
  TemporaryFolder parent;
  fs::path folder = parent.path() / "cache";
  DiskCache disk{folder, large_limit};

  void store(const std::string& key, std::size_t bytes = 64) const {
    disk.store(key, {Trust::tested, Bytes(bytes, static_cast<unsigned char>(key.back()))});
  }
  bool has(const std::string& key) const { return disk.load(key).has_value(); }
};

inline std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> result;
  for (const auto& entry : fs::directory_iterator(folder)) result.push_back(entry.path());
  return result;
}

inline constexpr unsigned users = 16;
inline constexpr unsigned keys = 8;

// Makes a binary whose length and bytes all follow from the first two, so that a check finds any damage.
inline Bytes whole_binary(unsigned seed) {
  Bytes result(2000 + seed % 1000 * 7);
  result[0] = static_cast<unsigned char>(seed);
  result[1] = static_cast<unsigned char>(seed >> 8);
  for (std::size_t i = 2; i < result.size(); ++i) result[i] = static_cast<unsigned char>(seed * 31 + i);
  return result;
}

inline bool is_whole(const Bytes& binary) {
  return binary.size() >= 2 && binary == whole_binary(binary[0] + 256u * binary[1]);
}

// Runs one of the users, and returns 0 if it saw only complete entries. Must not use Catch.
inline int store_and_load(const fs::path& folder, unsigned user, unsigned rounds) {
  const DiskCache disk(folder, large_limit);
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned i = 0; i < keys; ++i) {
      const std::string key = "key " + std::to_string((i + user) % keys);
      disk.store(key, {Trust::tested, whole_binary(user * rounds + round)});
      const auto entry = disk.load(key);
      if (entry && !is_whole(entry->binary)) return 2;
      if (!entry) return 3;  // a rename replaces a complete file by another, and the limit is far away
    }
  }
  return 0;
}

}  // namespace clgemm::test
