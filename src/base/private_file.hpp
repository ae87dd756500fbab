// Files that only their owner can have written, for what is read without being asked: caches and tuning data.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

namespace clgemm {

// Ours, and writable by nobody else: only then is what lies there what we wrote.
bool is_private(const struct stat& status);

// An open file descriptor.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  bool read_all(void* to, std::size_t bytes) const;
  bool write_all(const void* from, std::size_t bytes) const;

 private:
  int descriptor_;
};

enum class Links { follow, refuse };

// A whole regular file that is private; no value for any other, nor for one above `most_bytes`.
std::optional<std::vector<unsigned char>> read_private_file(const std::filesystem::path& path, Links links,
                                                            std::size_t most_bytes);

}  // namespace clgemm
