// Kernel files as text: where they are found, and their includes put in.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clgemm {

// A file of kernels/ as it stands in the library. The build writes the list.
struct EmbeddedFile {
  std::string_view path;  // "common/store.cl"
  std::string_view text;
};
std::span<const EmbeddedFile> embedded_files();

struct SourceFile {
  std::string path;  // as messages name it; "built-in/..." for an embedded file
  std::string text;
};

// The folders that a kernel and its includes are looked for in, the first match first; what is in none of
// them is looked for among the embedded files.
class KernelFolders {
 public:
  explicit KernelFolders(std::vector<std::filesystem::path> folders = {}) : folders_(std::move(folders)) {}

  // `relative`: "tiled.cl", "common/store.cl".
  std::optional<SourceFile> find(const std::string& relative) const;

  // A kernel's file by its name, "tiled.cl": at the top of a folder, or in its helpers/, where those are that
  // clgemm runs beside the kernels that multiply.
  std::optional<SourceFile> find_kernel(const std::string& file_name) const;

  // The names that find_kernel() knows, sorted, each once.
  std::vector<std::string> list() const;

 private:
  std::vector<std::filesystem::path> folders_;
};

// Throws Error(invalid_kernel_file) where the file cannot be read.
SourceFile read_source(const std::filesystem::path& path);

// Puts the text of every `#include "file"` in its place, each file once, with #line directives, so that a
// compiler's message names the file and line that a person wrote. A file is looked for beside the one that
// includes it, then in `folders`. `#include <...>` is left to the compiler. Throws Error(invalid_kernel_file)
// with path:line where a file is missing or includes itself in a circle.
std::string expand_includes(const SourceFile& file, const KernelFolders& folders);

// Returns the text without its comments. Each line keeps its number.
std::string without_comments(const std::string& source);

// A compiler's log with the places that people wrote. Some compilers (NVIDIA's) pass over #line: where such a
// one says
// `<kernel>:73`, line 73 of the expanded source, this puts the file and line that stand there.
std::string with_written_places(const std::string& log, const std::string& expanded);

}  // namespace clgemm
