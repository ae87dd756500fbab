#include "base/vendor_files.hpp"

#include <fmt/format.h>

#include "base/platform/drivers.hpp"
#include "base/platform/library.hpp"
#include "base/printable.hpp"

namespace clgemm {

std::string unloadable_drivers() {
  std::string result;
  for (const InstalledDriver& driver : installed_drivers()) {
    const LoadedLibrary loaded = load_library(driver.library, Missing::found_later);
    if (loaded.handle != nullptr) {
      unload_library(loaded.handle);
      continue;
    }
    result += fmt::format(". {} names the driver {}, which cannot be loaded: {}", driver.named_by,
                          printable(driver.library), printable(loaded.problem));
  }
  return result;
}

}  // namespace clgemm
