#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <random>

#include "base/platform/rights_windows.hpp"
#include "base/platform/windows_api.hpp"

namespace clgemm {
namespace {

namespace fs = std::filesystem;

constexpr DWORD shared_by_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr const char* is_a_link = "it is a symbolic link, or there are too many of them";

std::error_code last_error() {
  return {errno, std::generic_category()};
}

std::string last_message() {
  return last_windows_error().message();
}

HANDLE handle_of(const File& file) {
  return reinterpret_cast<HANDLE>(::_get_osfhandle(file.get()));
}

// Gives an open handle to a File. `flags` are as of _open().
File file_of(Handle handle, int flags) {
  if (!handle) return {};
  const int descriptor = ::_open_osfhandle(reinterpret_cast<std::intptr_t>(handle.get()), flags);
  if (descriptor >= 0) handle.release();
  return File(descriptor);
}

// Returns true for a symbolic link, or a folder that is mounted from another place. It returns false for
// files that are stored elsewhere.
bool is_link(HANDLE opened) {
  FILE_ATTRIBUTE_TAG_INFO info = {};
  if (::GetFileInformationByHandleEx(opened, FileAttributeTagInfo, &info, sizeof info) == 0) return false;
  return (info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
         IsReparseTagNameSurrogate(info.ReparseTag);
}

bool is_folder(HANDLE opened) {
  BY_HANDLE_FILE_INFORMATION info = {};
  return ::GetFileInformationByHandle(opened, &info) != 0 &&
         (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

// Opens a file or folder to read. With Links::refuse, it opens the link itself if the path is one.
Handle open_to_read(const fs::path& path, Links links) {
  const DWORD link = links == Links::refuse ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
  return Handle(::CreateFileW(path.c_str(), GENERIC_READ, shared_by_all, nullptr, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS | link, nullptr));
}

// Returns why the file is not trusted; empty if it is.
std::string distrust(HANDLE opened, const ReadRules& rules) {
  if (::GetFileType(opened) != FILE_TYPE_DISK) return "it is not a regular file";
  if (rules.links == Links::refuse && is_link(opened)) return is_a_link;
  if (is_folder(opened)) return "it is not a regular file";
  return distrust_of(opened, rules.owner);
}

// Reads at most `most` bytes and one more.
bool read_up_to(HANDLE file, std::size_t most, std::string& bytes) {
  std::array<char, 65536> buffer{};
  while (bytes.size() <= most) {
    const std::size_t wanted = std::min(buffer.size(), most - bytes.size() + 1);
    DWORD count = 0;
    if (::ReadFile(file, buffer.data(), static_cast<DWORD>(wanted), &count, nullptr) == 0) return false;
    if (count == 0) return true;
    bytes.append(buffer.data(), count);
  }
  return true;
}

// A file with an unpredictable name.
struct Temporary {
  File file;
  fs::path path;
};

Temporary make_temporary(const fs::path& folder) {
  constexpr int most_tries = 100;
  std::random_device random;
  for (int i = 0; i < most_tries; ++i) {
    fs::path path = folder / fmt::format("{}{:08x}{:08x}", temporary_prefix, random(), random());
    Handle handle(::CreateFileW(path.c_str(), GENERIC_WRITE | FILE_READ_ATTRIBUTES, shared_by_all, nullptr,
                                CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
    if (handle) return {file_of(std::move(handle), _O_WRONLY | _O_BINARY | _O_NOINHERIT), std::move(path)};
    if (::GetLastError() != ERROR_FILE_EXISTS) return {};
  }
  return {};
}

// Renames the file, and tries again if another process reads the old one, because that soon ends.
std::error_code rename_over(const fs::path& from, const fs::path& to) {
  constexpr int most_tries = 100;
  constexpr DWORD pause_ms = 10;
  for (int i = 0;; ++i) {
    if (::MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING) != 0) return {};
    const std::error_code failure = last_windows_error();
    const bool is_in_use =
        failure.value() == ERROR_ACCESS_DENIED || failure.value() == ERROR_SHARING_VIOLATION;
    std::error_code none;
    if (!is_in_use || i == most_tries || !fs::is_regular_file(to, none)) return failure;
    ::Sleep(pause_ms);
  }
}

enum class Flush { no, to_disk };

std::error_code write_in(const fs::path& folder, const fs::path& name, std::string_view content,
                         Flush flush) {
  Temporary temporary = make_temporary(folder);
  if (!temporary.file.is_open()) return last_windows_error();
  std::error_code failure;
  if (!temporary.file.write_all(content) || (flush == Flush::to_disk && !temporary.file.flush_to_disk()) ||
      !temporary.file.close())
    failure = last_error();
  if (!failure) failure = rename_over(temporary.path, folder / name);
  if (!failure) return {};
  temporary.file.close();
  ::DeleteFileW(temporary.path.c_str());
  return failure;
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// With a slash at the end, the system would follow a link.
fs::path without_last_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

// Returns the present path of an open folder: "\\?\C:\...".
fs::path path_of(const File& folder) {
  std::wstring path(32768, L'\0');
  path.resize(::GetFinalPathNameByHandleW(handle_of(folder), path.data(), static_cast<DWORD>(path.size()),
                                          FILE_NAME_NORMALIZED));
  return path;
}

FileContent read_path(const fs::path& path, const ReadRules& rules) {
  const Handle file = open_to_read(path, rules.links);
  if (!file) return {{}, last_message()};
  if (std::string problem = distrust(file.get(), rules); !problem.empty()) return {{}, std::move(problem)};
  LARGE_INTEGER size = {};
  if (::GetFileSizeEx(file.get(), &size) == 0) return {{}, last_message()};
  const auto bytes = static_cast<std::uintmax_t>(size.QuadPart);
  FileContent content;
  if (bytes <= rules.most_bytes) {
    content.bytes.reserve(static_cast<std::size_t>(bytes));
    if (!read_up_to(file.get(), rules.most_bytes, content.bytes)) return {{}, last_message()};
  }
  if (bytes > rules.most_bytes || content.bytes.size() > rules.most_bytes)
    return {{}, fmt::format("it has more than {} bytes", rules.most_bytes)};
  return content;
}

// Makes a folder for its owner alone, or for everybody who may use its parent folder.
std::error_code make_folder(const fs::path& path, FolderReaders readers) {
  if (readers == FolderReaders::owner) return make_own_folder(path);
  return ::CreateDirectoryW(path.c_str(), nullptr) != 0 ? std::error_code() : last_windows_error();
}

}  // namespace

File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

bool File::write_all(std::string_view content) const {
  constexpr std::size_t most_at_once = std::size_t{1} << 30U;
  while (!content.empty()) {
    const int count =
        ::_write(descriptor_, content.data(), static_cast<unsigned>(std::min(content.size(), most_at_once)));
    if (count < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool File::flush_to_disk() const {
  return ::_commit(descriptor_) == 0;
}

bool File::close() {
  return descriptor_ < 0 || ::_close(std::exchange(descriptor_, -1)) == 0;
}

FileContent read_file(const fs::path& path, const ReadRules& rules) {
  return read_path(path, rules);
}

std::error_code replace_file(const fs::path& path, std::string_view content) {
  return write_in(folder_of(path), path.filename(), content, Flush::to_disk);
}

std::error_code create_file(const fs::path& path, std::string_view content) {
  Handle made(::CreateFileW(path.c_str(), GENERIC_WRITE | FILE_READ_ATTRIBUTES, shared_by_all, nullptr,
                            CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!made) return last_windows_error();
  File file = file_of(std::move(made), _O_WRONLY | _O_BINARY | _O_NOINHERIT);
  if (file.write_all(content) && file.flush_to_disk() && file.close()) return {};
  const std::error_code failure = last_error();
  file.close();
  ::DeleteFileW(path.c_str());
  return failure;
}

File open_to_write(const fs::path& path, Opened how) {
  constexpr int always = _O_WRONLY | _O_BINARY | _O_NOINHERIT;
  if (how == Opened::to_append && fs::is_symlink(fs::symlink_status(path))) {
    errno = ELOOP;
    return {};
  }
  const int flags = how == Opened::to_append  ? _O_APPEND | _O_CREAT
                    : how == Opened::as_it_is ? _O_CREAT
                                              : _O_TRUNC;
  return File(::_wsopen(path.c_str(), always | flags, _SH_DENYNO, _S_IREAD | _S_IWRITE));
}

bool may_write(const fs::path& path) {
  constexpr int writing = 2;
  return ::_waccess(path.c_str(), writing) == 0;
}

fs::path make_temporary_folder(const std::string& prefix) {
  std::random_device random;
  for (;;) {
    const fs::path path = fs::temp_directory_path() / fmt::format("{}{:08x}", prefix, random());
    const std::error_code failure = make_own_folder(path);
    if (!failure) return path;
    if (failure != std::errc::file_exists) throw std::system_error(failure, path.string());
  }
}

std::error_code make_folders(const fs::path& path, FolderReaders readers) {
  std::error_code failure;
  if (path.empty() || fs::is_directory(path, failure)) return {};
  failure.clear();
  if (path.has_relative_path()) failure = make_folders(path.parent_path(), readers);
  if (failure) return failure;
  const std::error_code reason = make_folder(path, readers);
  if (!reason || fs::is_directory(path, failure)) return {};  // perhaps another process made it
  return reason == std::errc::file_exists ? std::make_error_code(std::errc::not_a_directory) : reason;
}

// While the folder is open, nobody can rename or remove it.
PrivateFolder PrivateFolder::open(const fs::path& path) {
  Handle folder(::CreateFileW(without_last_slash(path).c_str(), GENERIC_READ,
                              FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  if (!folder) return {File(), last_message()};
  if (is_link(folder.get()) || !is_folder(folder.get()))
    return {File(), "it is a link, or it is not a folder"};
  std::string problem = distrust_of(folder.get(), Owner::this_user);
  return {file_of(std::move(folder), _O_RDONLY | _O_NOINHERIT), std::move(problem)};
}

PrivateFolder PrivateFolder::make(const fs::path& path) {
  const std::error_code failure = make_folders(without_last_slash(path), FolderReaders::owner);
  PrivateFolder folder = open(path);
  if (failure && !folder) return {File(), "it cannot be created: " + failure.message()};
  return folder;
}

FileContent PrivateFolder::read(const std::string& name, std::size_t most_bytes) const {
  if (!problem_.empty()) return {{}, problem_};
  return read_path(path_of(folder_) / name, {Owner::this_user, Links::refuse, most_bytes});
}

std::error_code PrivateFolder::write(const std::string& name, std::string_view content) const {
  if (!problem_.empty()) return std::make_error_code(std::errc::permission_denied);
  return write_in(path_of(folder_), name, content, Flush::no);
}

void PrivateFolder::touch(const std::string& name) const {
  const Handle file(::CreateFileW((path_of(folder_) / name).c_str(), FILE_WRITE_ATTRIBUTES, shared_by_all,
                                  nullptr, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  FILETIME now = {};
  ::GetSystemTimeAsFileTime(&now);
  if (file) ::SetFileTime(file.get(), nullptr, &now, &now);
}

}  // namespace clgemm
