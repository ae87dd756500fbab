// libFuzzer: for any contents of a tuning file, reading it leads to data that can be written and read back
// unchanged, or to an Error that says what is wrong.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "choose/tuning_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clgemm;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string written = write_tuning(parse_tuning(text, "fuzz.json"));
    if (write_tuning(parse_tuning(written, "written.json")) != written) std::abort();
  } catch (const Error& error) {
    if (std::string(error.what()).empty()) std::abort();
  }
  return 0;
}
