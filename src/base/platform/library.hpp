// Libraries that are loaded at run time.
#pragma once

#include <string>

namespace clgemm {

struct LoadedLibrary {
  void* handle = nullptr;
  std::string problem;  // the system's message, if the handle is null
};

// If a function that the library needs does not exist, the load fails, or the first call of that function. On
// Windows the load always fails.
enum class Missing { refused, found_later };

// `name` is a path, or a name that the system searches for.
LoadedLibrary load_library(const std::string& name, Missing missing);
void unload_library(void* handle);

// Returns null if the library has no such function.
void* function_of(void* handle, const char* name);

// Returns the path of the library that holds a function; empty if the system cannot tell.
std::string library_file_of(const void* function);

// Returns whether the system ends all other threads of a process before a library's exit handlers run, as
// Windows does for a DLL. These handlers must not wait for threads.
bool threads_end_before_libraries() noexcept;

// Returns the OpenCL library's function of this name. This works even if the program defines such a function
// itself, which its own code calls instead. (On Windows other libraries still call OpenCL's function.)
void* opencl_function(const char* name);

}  // namespace clgemm
