#include "base/private_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace clgemm {

bool is_private(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool File::read_all(void* to, std::size_t bytes) const {
  auto* position = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t count = ::read(descriptor_, position, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    position += count;
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

bool File::write_all(const void* from, std::size_t bytes) const {
  const auto* position = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t count = ::write(descriptor_, position, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    position += count;
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<std::vector<unsigned char>> read_private_file(const std::filesystem::path& path, Links links,
                                                            std::size_t most_bytes) {
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  const int no_links = links == Links::refuse ? O_NOFOLLOW : 0;
  const File file(::open(path.c_str(), O_RDONLY | no_links | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !is_private(status) || static_cast<std::size_t>(status.st_size) > most_bytes) {
    return std::nullopt;
  }
  std::vector<unsigned char> content(static_cast<std::size_t>(status.st_size));
  if (!file.read_all(content.data(), content.size())) return std::nullopt;
  return content;
}

}  // namespace clgemm
