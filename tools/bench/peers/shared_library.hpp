// A library that is loaded while the program runs, for peers that need not exist at build time.
#pragma once

#include <span>
#include <string>

namespace clgemm::bench {

class SharedLibrary {
 public:
  // Loads the first of these names or paths that can be loaded. Throws std::runtime_error that says why none
  // could.
  explicit SharedLibrary(std::span<const std::string> names);

  // Returns null if the library has no such function.
  template <class Function>
  Function* find(const char* function) const {
    return reinterpret_cast<Function*>(address(function));
  }

  // Throws std::runtime_error if the library has no such function.
  template <class Function>
  Function* get(const char* function) const {
    return reinterpret_cast<Function*>(needed_address(function));
  }

  const std::string& name() const { return name_; }

 private:
  void* address(const char* function) const;
  void* needed_address(const char* function) const;

  // Never closed, because numerical libraries leave threads behind that still run in them.
  void* handle_ = nullptr;
  std::string name_;
};

}  // namespace clgemm::bench
