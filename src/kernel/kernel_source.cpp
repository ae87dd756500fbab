#include "kernel/kernel_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/printable.hpp"

namespace clgemm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view embedded_prefix = "built-in/";
constexpr std::string_view helpers_prefix = "helpers/";

// Limits for the files that are read, far above any kernel: our largest has 11 KB, and 26 with all its
// includes. A file can contain anything, and its text is copied several times on its way to the compiler.
constexpr std::size_t most_file_bytes = std::size_t{4} << 20;
constexpr std::size_t most_source_bytes = std::size_t{16} << 20;
constexpr std::size_t most_include_depth = 64;

std::optional<SourceFile> find_embedded(std::string_view relative) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path == relative)
      return SourceFile{std::string(embedded_prefix) + std::string(relative), std::string(file.text)};
  }
  return std::nullopt;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Returns the file name of a line `#include "name"`; empty for any other line.
std::string_view included_name(std::string_view line) {
  const auto skip_spaces = [&line] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  const auto take = [&line](std::string_view word) {
    if (line.substr(0, word.size()) != word) return false;
    line.remove_prefix(word.size());
    return true;
  };
  skip_spaces();
  if (!take("#")) return {};
  skip_spaces();
  if (!take("include")) return {};
  skip_spaces();
  if (!take("\"")) return {};
  const std::size_t quote = line.find('"');
  return quote == std::string_view::npos ? std::string_view{} : line.substr(0, quote);
}

std::string line_directive(int line, const std::string& path) {
  std::string escaped;
  for (const char c : fs::path(path).generic_string()) {  // Windows accepts "/", too, which needs no escape
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return fmt::format("#line {} \"{}\"\n", line, escaped);
}

// Follows /* ... */ over lines, because an #include inside is only text.
class BlockComment {
 public:
  // Returns true if the line begins inside a block comment. Then it searches the line for beginnings and ends
  // of comments.
  bool begins_inside(std::string_view line) {
    const bool inside_at_start = inside_;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      const std::string_view pair = line.substr(i, 2);
      if (!inside_ && pair == "//") break;
      if (pair != (inside_ ? "*/" : "/*")) continue;
      inside_ = !inside_;
      ++i;
    }
    return inside_at_start;
  }

 private:
  bool inside_ = false;
};

// Returns, for each line of an expanded source, the file and line that its #line directives give it.
std::vector<std::string> written_places(const std::string& expanded) {
  constexpr std::string_view directive = "#line ";
  std::vector<std::string> places;
  std::string file;
  std::size_t next_line = 1;
  std::istringstream lines(expanded);
  for (std::string line; std::getline(lines, line);) {
    places.push_back(fmt::format("{}:{}", file, next_line));
    ++next_line;
    const std::size_t quote = line.find('"');
    if (line.compare(0, directive.size(), directive) != 0 || quote == std::string::npos) continue;
    std::from_chars(line.data() + directive.size(), line.data() + line.size(), next_line);
    file = line.substr(quote + 1, line.rfind('"') - quote - 1);
  }
  return places;
}

// Returns a path in one spelling, without "./" and "folder/..".
std::string normal(const std::string& path) {
  return fs::path(path).lexically_normal().generic_string();
}

class IncludeExpander {
 public:
  explicit IncludeExpander(const KernelFolders& folders) : folders_(folders) {}

  std::string run(const SourceFile& file) {
    expand(file);
    return std::move(result_);
  }

 private:
  void expand(const SourceFile& file) {
    open_.push_back(normal(file.path));
    finished_.insert(normal(file.path));
    result_ += line_directive(1, file.path);
    BlockComment comment;
    int line_number = 0;
    std::istringstream lines(file.text);
    for (std::string line; std::getline(lines, line);) {
      ++line_number;
      const std::string name(comment.begins_inside(line) ? std::string_view{} : included_name(line));
      if (name.empty()) {
        result_ += line + '\n';
        continue;
      }
      include(name, file, line_number);
      result_ += line_directive(line_number + 1, file.path);
    }
    open_.pop_back();
  }

  void include(const std::string& name, const SourceFile& parent, int line_number) {
    const std::optional<SourceFile> file = find(name, parent);
    const std::string place = fmt::format("{}:{}: #include \"{}\"", parent.path, line_number, name);
    if (!file) throw Error(ErrorCode::invalid_kernel_file, place + ": the file does not exist");
    if (std::count(open_.begin(), open_.end(), normal(file->path)) != 0) {
      throw Error(ErrorCode::invalid_kernel_file, fmt::format("{}: the file includes itself: {} -> {}", place,
                                                              fmt::join(open_, " -> "), file->path));
    }
    if (open_.size() >= most_include_depth) {
      throw Error(ErrorCode::invalid_kernel_file,
                  fmt::format("{}: there are more than {} nested includes", place, most_include_depth));
    }
    if (finished_.count(normal(file->path)) == 0) expand(*file);
    if (result_.size() > most_source_bytes) {
      throw Error(
          ErrorCode::invalid_kernel_file,
          fmt::format("{}: the kernel and its includes have more than {} bytes", place, most_source_bytes));
    }
  }

  std::optional<SourceFile> find(const std::string& name, const SourceFile& parent) const {
    const fs::path parent_folder = fs::path(parent.path).parent_path();
    if (parent.path.rfind(embedded_prefix, 0) != 0) {
      const fs::path beside = (parent_folder / name).lexically_normal();
      if (is_file(beside)) return read_source(beside);
    }
    return folders_.find(normal(name));
  }

  const KernelFolders& folders_;
  std::string result_;
  std::vector<std::string> open_;   // from the kernel's own file to the one that is being read
  std::set<std::string> finished_;  // each file is inserted once
};

void add_kernels_of(const fs::path& folder, std::set<std::string>& names) {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    // A folder of that name, a broken link, or a name that cannot be printed, is not a kernel.
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".cl" && is_file(entry.path()) && printable(name) == name)
      names.insert(name);
  }
  if (!failure) return;
  throw Error(ErrorCode::invalid_kernel_file,
              fmt::format("the kernel folder '{}' cannot be read: {}", folder.string(), failure.message()));
}

}  // namespace

std::optional<SourceFile> KernelFolders::find(const std::string& relative) const {
  for (const fs::path& folder : folders_) {
    if (is_file(folder / relative)) return read_source(folder / relative);
  }
  return find_embedded(relative);
}

std::optional<SourceFile> KernelFolders::find_kernel(const std::string& file_name) const {
  const std::string helper = std::string(helpers_prefix) + file_name;
  for (const fs::path& folder : folders_) {
    for (const std::string& relative : {file_name, helper}) {
      if (is_file(folder / relative)) return read_source(folder / relative);
    }
  }
  auto embedded = find_embedded(file_name);
  return embedded ? embedded : find_embedded(helper);
}

std::vector<std::string> KernelFolders::list() const {
  std::set<std::string> names;
  for (const EmbeddedFile& file : embedded_files()) {
    std::string_view name = file.path;
    if (name.rfind(helpers_prefix, 0) == 0) name.remove_prefix(helpers_prefix.size());
    if (name.find('/') == std::string_view::npos) names.emplace(name);
  }
  for (const fs::path& folder : folders_) {
    add_kernels_of(folder, names);
    std::error_code ignored;
    if (fs::is_directory(folder / helpers_prefix, ignored)) add_kernels_of(folder / helpers_prefix, names);
  }
  return {names.begin(), names.end()};
}

SourceFile read_source(const fs::path& path) {
  FileContent content = read_file(path, {Owner::anyone, Links::follow, most_file_bytes});
  if (!content) {
    throw Error(ErrorCode::invalid_kernel_file,
                fmt::format("the kernel file '{}' cannot be read: {}", path.string(), content.problem));
  }
  return {path.string(), std::move(content.bytes)};
}

std::string expand_includes(const SourceFile& file, const KernelFolders& folders) {
  return IncludeExpander(folders).run(file);
}

std::string without_comments(const std::string& source) {
  std::string result;
  for (std::size_t at = 0; at < source.size(); ++at) {
    const bool is_line = source.compare(at, 2, "//") == 0;
    if (!is_line && source.compare(at, 2, "/*") != 0) {
      result += source[at];
      continue;
    }
    const std::size_t end = source.find(is_line ? "\n" : "*/", at + 2);
    if (end == std::string::npos) break;
    result += ' ';
    result.append(
        static_cast<std::size_t>(std::count(source.begin() + static_cast<std::ptrdiff_t>(at),
                                            source.begin() + static_cast<std::ptrdiff_t>(end + 1), '\n')),
        '\n');
    at = is_line ? end : end + 1;
  }
  return result;
}

std::string with_written_places(const std::string& log, const std::string& expanded) {
  constexpr std::string_view mark = "<kernel>:";
  const std::vector<std::string> places = written_places(expanded);
  std::string result;
  std::size_t position = 0;
  for (std::size_t found = log.find(mark); found != std::string::npos; found = log.find(mark, position)) {
    result += log.substr(position, found - position);
    position = found + mark.size();
    std::size_t line = 0;
    const auto [rest, status] = std::from_chars(log.data() + position, log.data() + log.size(), line);
    const bool is_place = status == std::errc() && line >= 1 && line <= places.size();
    result += is_place ? places[line - 1] : std::string(mark);
    if (is_place) position = static_cast<std::size_t>(rest - log.data());
  }
  return result + log.substr(position);
}

}  // namespace clgemm
