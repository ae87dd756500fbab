// All of clgemm's own files are read and written here: compiled programs, measurements, tuning data and
// reports. A written file is complete or does not exist, and no other user can write to it, whatever the
// umask is. Files that clgemm reads unasked must come from somebody it trusts; this is checked on the open
// file. Windows has no modes: a new file has the rights that its folder passes on, and a file is read only if
// nobody but its owner and the administrators may write to it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace clgemm {

// An open file descriptor, closed by the destructor.
class File {
 public:
  File() = default;
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() { close(); }
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept;

  bool is_open() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }

  // These return false with the reason in errno.
  bool write_all(std::string_view content) const;
  bool flush_to_disk() const;
  bool close();

 private:
  int descriptor_ = -1;
};

// ---- Reading ----

enum class Links { follow, refuse };

// The owners whose files are trusted. Unless it is `anyone`, no other user may have the right to write to the
// file.
enum class Owner { anyone, this_user, this_user_or_root };

struct ReadRules {
  Owner owner = Owner::this_user;
  Links links = Links::refuse;  // if the last part of the path is a symbolic link
  std::size_t most_bytes = 0;
};

struct FileContent {
  std::string bytes;    // the whole file, if there is no problem
  std::string problem;  // why it was not read: "its group may write to it; chmod go-w"

  explicit operator bool() const { return problem.empty(); }
};

// Reads a whole regular file. Does not block on a pipe.
FileContent read_file(const std::filesystem::path& path, const ReadRules& rules);

// ---- Writing ----

// The temporary files of all functions here begin with this prefix. A leftover file is from a process that
// died.
inline constexpr const char* temporary_prefix = ".clgemm-new-";

// Writes a file that the user keeps. It writes a temporary file beside it, flushes that to the disk and
// renames it. A new file has mode 0644, or 0600 if the umask keeps others from reading. If the file exists,
// its read permissions stay. A symbolic link of this name is replaced. Returns the reason if the file could
// not be written.
std::error_code replace_file(const std::filesystem::path& path, std::string_view content);

// Does the same for a name that must not exist yet. Returns std::errc::file_exists if it does.
std::error_code create_file(const std::filesystem::path& path, std::string_view content);

// Opens a file for writing directly into it. A missing file is created, unless it was to be emptied. Links
// are followed, unless the file is opened to append. If the result is not open, errno holds the reason.
enum class Opened { to_append, as_it_is, emptied };
File open_to_write(const std::filesystem::path& path, Opened how);

// Returns whether this process may write to an existing file or into an existing folder.
bool may_write(const std::filesystem::path& path);

// Makes a new folder of this user in the system's folder for temporary files. Its name begins with `prefix`.
// Throws std::system_error.
std::filesystem::path make_temporary_folder(const std::string& prefix);

// Makes the missing folders of this path, with mode 0755 or 0700, minus the umask.
enum class FolderReaders { everyone, owner };
std::error_code make_folders(const std::filesystem::path& path, FolderReaders readers);

// ---- A folder that only this user can write to ----

// Keeps the folder open, so that the checked folder is the one that is used: it is not a link, it belongs to
// this user, and nobody else may write to it.
class PrivateFolder {
 public:
  static PrivateFolder open(const std::filesystem::path& path);

  // Makes the folder and its missing parents with mode 0700, then opens it.
  static PrivateFolder make(const std::filesystem::path& path);

  // Returns a folder that is not used, with the reason.
  static PrivateFolder unusable(std::string problem) { return {File(), std::move(problem)}; }

  // Returns why the folder cannot be used: "its group may write to it; chmod go-w". Empty if it can be used.
  const std::string& problem() const { return problem_; }
  explicit operator bool() const { return problem_.empty(); }

  // Reads a file that belongs to this user. `name` has no slash.
  FileContent read(const std::string& name, std::size_t most_bytes) const;

  // Writes a complete file with mode 0600.
  std::error_code write(const std::string& name, std::string_view content) const;

  // Sets the times of a file to now.
  void touch(const std::string& name) const;

 private:
  PrivateFolder(File folder, std::string problem)
      : folder_(std::move(folder)), problem_(std::move(problem)) {}

  File folder_;
  std::string problem_;
};

}  // namespace clgemm
