// A library that is loaded while the program runs, for peers that need not exist at build time.
#pragma once

#include <span>
#include <string>

namespace clgemm::bench {

class SharedLibrary {
 public:
  // The address of a function. It converts to a pointer of any type, so a declaration states the type once.
  struct Function {
    void* address;

    template <class Type>
    operator Type*() const {
      return reinterpret_cast<Type*>(address);
    }
  };

  // Loads the first of these names or paths that can be loaded. Throws std::runtime_error that says why none
  // could.
  explicit SharedLibrary(std::span<const std::string> names);

  // Returns null if the library has no such function.
  Function find(const char* function) const;

  // Throws std::runtime_error if the library has no such function.
  Function get(const char* function) const;

  const std::string& name() const { return name_; }

 private:
  // Never closed, because numerical libraries leave threads behind that still run in them.
  void* handle_ = nullptr;
  std::string name_;
};

}  // namespace clgemm::bench
