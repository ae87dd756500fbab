// libFuzzer: files that include each other in any way lead to a text, or to an Error that names a file. A
// zero byte ends each of them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "kernel/kernel_source.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 4;  // a.cl to d.cl

fs::path new_folder() {
  const fs::path parent = fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
  std::string pattern = (parent / "clgemm-fuzz-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) std::abort();
  return pattern;
}

struct Folder {
  fs::path path = new_folder();
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clgemm;
  static const Folder folder;
  std::string rest(reinterpret_cast<const char*>(data), size);
  for (std::size_t i = 0; i < most_files; ++i) {
    const std::string text = rest.substr(0, rest.find('\0'));
    rest.erase(0, text.size() + 1);
    std::ofstream(folder.path / (std::string(1, static_cast<char>('a' + i)) + ".cl"), std::ios::binary)
        << text;
  }
  try {
    expand_includes(read_source(folder.path / "a.cl"), KernelFolders({folder.path}));
  } catch (const Error& error) {
    if (std::string(error.what()).find(".cl") == std::string::npos) std::abort();
  }
  return 0;
}
