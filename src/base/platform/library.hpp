// Libraries that are loaded while the program runs.
#pragma once

#include <string>

namespace clgemm {

struct LoadedLibrary {
  void* handle = nullptr;
  std::string problem;  // the system's words, if the handle is null
};

// Whether a function that the library needs and nobody has is a problem when it is loaded, or when it is
// called. On Windows it always is when the library is loaded.
enum class Missing { refused, found_later };

// `name` is a path, or a name that the system looks for.
LoadedLibrary load_library(const std::string& name, Missing missing);
void unload_library(void* handle);

// Returns null if the library has no such function.
void* function_of(void* handle, const char* name);

// Returns the path of the library that holds a function; empty if the system cannot tell.
std::string library_file_of(const void* function);

// Returns the OpenCL library's function of this name, although the program defines one itself, which its own
// code calls instead. (On Windows other libraries still call OpenCL's.)
void* opencl_function(const char* name);

}  // namespace clgemm
