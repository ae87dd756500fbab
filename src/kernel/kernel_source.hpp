// Finds kernel files and reads them as text, with their includes inserted.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clgemm {

// A file of kernels/ that is part of the library. The build writes the list.
struct EmbeddedFile {
  std::string_view path;  // "common/store.cl"
  std::string_view text;
};
std::span<const EmbeddedFile> embedded_files();

struct SourceFile {
  std::string path;  // the name in messages; "built-in/..." for an embedded file
  std::string text;
};

// The folders that are searched for a kernel and its includes, in this order. A file in none of them is
// searched among the embedded files.
class KernelFolders {
 public:
  explicit KernelFolders(std::vector<std::filesystem::path> folders = {}) : folders_(std::move(folders)) {}

  // `relative`: "tiled.cl", "common/store.cl".
  std::optional<SourceFile> find(const std::string& relative) const;

  // Returns a kernel's file by its name, "tiled.cl". It is at the top of a folder, or in its helpers/, which
  // has the kernels that clgemm runs besides the GEMM kernels.
  std::optional<SourceFile> find_kernel(const std::string& file_name) const;

  // Returns the names that find_kernel() knows, sorted, each once.
  std::vector<std::string> list() const;

 private:
  std::vector<std::filesystem::path> folders_;
};

// Throws Error(invalid_kernel_file) if the file cannot be read.
SourceFile read_source(const std::filesystem::path& path);

// Replaces every `#include "file"` by the text of the file, each file once, with #line directives. So
// messages of a compiler name the file and line that a person wrote. A file is searched beside the one that
// includes it, then in `folders`. `#include <...>` is left to the compiler. Throws Error(invalid_kernel_file)
// with path:line if a file is missing or includes itself, directly or indirectly.
std::string expand_includes(const SourceFile& file, const KernelFolders& folders);

// Returns the text without its comments. Each line keeps its number.
std::string without_comments(const std::string& source);

// Returns a compiler's log with the places that people wrote. Some compilers (NVIDIA's) ignore #line. If such
// a compiler names `<kernel>:73`, line 73 of the expanded source, this inserts the original file and line.
std::string with_written_places(const std::string& log, const std::string& expanded);

}  // namespace clgemm
