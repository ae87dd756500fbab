// libFuzzer: for any contents of an entry in the disk cache, a load returns what was stored, or nothing. The
// first byte of the input selects what is done with the others.
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "build/disk_cache.hpp"

namespace {

using namespace clgemm;
namespace fs = std::filesystem;
using Bytes = std::vector<unsigned char>;

// In memory if the machine has such a folder, because every input is a file.
fs::path new_folder() {
  const fs::path parent = fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
  std::string pattern = (parent / "clgemm-fuzz-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) std::abort();
  return pattern;
}

struct Folder {
  fs::path path = new_folder();
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

fs::path entry_in(const fs::path& folder) {
  return fs::directory_iterator(folder)->path();
}

// Overwrites the contents, so that owner and mode stay.
void overwrite(const fs::path& path, const Bytes& bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

Bytes content_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  static const DiskCache cache(folder.path, 1 << 20);
  if (size < 2) return 0;
  const Bytes rest(data + 1, data + size);
  const auto trust = DiskCache::Trust{data[0] / 4 % 3U};
  cache.store("key", {trust, rest});
  const fs::path file = entry_in(folder.path);
  switch (data[0] % 4) {
    case 0: {  // a complete entry
      const auto entry = cache.load("key");
      require(entry ? entry->trust == trust && entry->binary == rest
                    : trust == DiskCache::Trust::quarantined);
      cache.verdicts();
      break;
    }
    case 1: {  // one changed byte
      Bytes changed = content_of(file);
      changed[rest[0] * changed.size() / 256] ^= static_cast<unsigned char>(rest.back() | 1);
      overwrite(file, changed);
      require(!cache.load("key"));
      break;
    }
    case 2:  // not an entry
      overwrite(file, rest);
      require(!cache.load("key"));
      break;
    default: {  // cut off
      Bytes cut = content_of(file);
      cut.resize(rest[0] * cut.size() / 256);
      overwrite(file, cut);
      require(!cache.load("key"));
    }
  }
  cache.verdicts();
  return 0;
}
