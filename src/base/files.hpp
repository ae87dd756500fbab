// The one way in which clgemm writes and reads files of its own: compiled programs, measurements, tuning
// data, reports. What it writes is whole or not there at all, and never writable by another user, whatever
// the umask is. What it reads without being asked was written by somebody it trusts; this is checked on the
// open file. Windows has no modes: there a file has the rights that its folder passes on, and is read only if
// nobody but its owner and the administrators may write to it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace clgemm {

// An open file descriptor. Closes it at the end of its life.
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

// Whose files are believed. Unless it is `anyone`, no other user may write to the file either.
enum class Owner { anyone, this_user, this_user_or_root };

struct ReadRules {
  Owner owner = Owner::this_user;
  Links links = Links::refuse;  // if the last part of the path is a symbolic link
  std::size_t most_bytes = 0;
};

struct FileContent {
  std::string bytes;    // of the whole file, if there is no problem
  std::string problem;  // why it was not read: "its group may write to it; chmod go-w"

  explicit operator bool() const { return problem.empty(); }
};

// Reads a whole regular file. Never waits for a pipe.
FileContent read_file(const std::filesystem::path& path, const ReadRules& rules);

// ---- Writing ----

// The temporary files of all functions here begin so. One that is left over is of a process that died.
inline constexpr const char* temporary_prefix = ".clgemm-new-";

// Writes a file that the user keeps: to a temporary file beside it, which is flushed to the disk and takes
// its name. A new file has mode 0644, or 0600 if the umask keeps others from reading; a file that was there
// keeps who may read it. A symbolic link of this name is replaced. Returns why it could not be written.
std::error_code replace_file(const std::filesystem::path& path, std::string_view content);

// The same for a name that must not be taken: std::errc::file_exists if it is.
std::error_code create_file(const std::filesystem::path& path, std::string_view content);

// Opens a file in order to write straight into it. One that is not there is made, unless it was to be
// emptied. Links are followed, unless the file is opened to append. If the result is not open, errno says
// why.
enum class Opened { to_append, as_it_is, emptied };
File open_to_write(const std::filesystem::path& path, Opened how);

// Whether this process may write to a file or into a folder that is there.
bool may_write(const std::filesystem::path& path);

// Makes a new folder of this user's in the system's folder for temporary files. Its name begins so. Throws
// std::system_error.
std::filesystem::path make_temporary_folder(const std::string& prefix);

// Makes the folders of this path that are missing: 0755 or 0700, less what the umask takes away.
enum class FolderReaders { everyone, owner };
std::error_code make_folders(const std::filesystem::path& path, FolderReaders readers);

// ---- A folder of files that this user alone writes ----

// Holds the folder open, so that what was checked is what is used: it is no link, it is this user's, and
// nobody else may write to it.
class PrivateFolder {
 public:
  static PrivateFolder open(const std::filesystem::path& path);

  // Makes the folder and its missing parents, with mode 0700, then opens it.
  static PrivateFolder make(const std::filesystem::path& path);

  // A folder that is not used, and why.
  static PrivateFolder unusable(std::string problem) { return {File(), std::move(problem)}; }

  // Why the folder cannot be used: "its group may write to it; chmod go-w". Empty if it can be used.
  const std::string& problem() const { return problem_; }
  explicit operator bool() const { return problem_.empty(); }

  // Reads a file of this user's. `name` has no slash.
  FileContent read(const std::string& name, std::size_t most_bytes) const;

  // Writes a file whole, with mode 0600.
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
