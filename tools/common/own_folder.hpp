// A folder for this program among the system's temporary files. It is removed at the end with everything in
// it.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "base/files.hpp"

namespace clgemm::bench {

class OwnFolder {
 public:
  // The folder's name begins with `prefix`.
  explicit OwnFolder(const std::string& prefix) : path_(make_temporary_folder(prefix)) {}
  ~OwnFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace clgemm::bench
