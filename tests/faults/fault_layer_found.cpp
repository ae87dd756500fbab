#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "base/device.hpp"
#include "fault_layer.hpp"

namespace clgemm::test {

// The loader has loaded the layer with its first call. Loading the same library again returns the same
// object.
FaultLayer& FaultLayer::of_process() {
  static FaultLayer* const found = [] {
    all_devices();
    const char* path = std::getenv("OPENCL_LAYERS");
    void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    void* function = library == nullptr ? nullptr : dlsym(library, "clgemm_fault_layer");
    if (function == nullptr) {
      std::fprintf(stderr, "OPENCL_LAYERS does not name the fault layer, or this loader takes no layers\n");
      std::exit(1);
    }
    return reinterpret_cast<FaultLayer* (*)()>(function)();
  }();
  return *found;
}

}  // namespace clgemm::test
