#include "temporary.hpp"

#include <fstream>
#include <stdexcept>
#include <system_error>

#include "base/environment.hpp"
#include "base/files.hpp"

namespace clgemm::test {

TemporaryFolder::TemporaryFolder() : path_(make_temporary_folder("clgemm-test-")) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& relative, const std::string& text) const {
  const std::filesystem::path file = path_ / relative;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  if (!(stream << text)) throw std::runtime_error("cannot write " + file.string());
  std::filesystem::permissions(file, std::filesystem::perms(0644));  // for any umask
  return file.string();
}

ScopedVariable::ScopedVariable(const char* name, const char* value) : name_(name) {
  if (const char* before = std::getenv(name)) before_ = before;
  if (value == nullptr) {
    unset_environment(name);
  } else {
    set_environment(name, value);
  }
}

ScopedVariable::~ScopedVariable() {
  if (before_) {
    set_environment(name_, *before_);
  } else {
    unset_environment(name_);
  }
}

}  // namespace clgemm::test
