// A folder and an environment variable that a test changes and restores.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace clgemm::test {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Writes a file, and its folders if necessary, and returns its path.
  std::string write(const std::string& relative, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

// Sets a variable while it is alive. A null value removes the variable. For tests with one thread.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value);
  ScopedVariable(const char* name, const std::filesystem::path& value)
      : ScopedVariable(name, value.string().c_str()) {}
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace clgemm::test
