#include "base/platform/windows_api.hpp"
// These need the header above.
#include <aclapi.h>
#include <fcntl.h>
#include <io.h>
#include <sddl.h>

#include <cstdio>
#include <cstdlib>

#include "program.hpp"
#include "system.hpp"
#include "temporary.hpp"

namespace clgemm::test {

bool make_pipe_file(const std::filesystem::path&) {
  return false;
}

bool make_link(const std::filesystem::path&, const std::filesystem::path&) {
  return false;
}

bool let_write(Others, const std::filesystem::path& path) {
  PACL old = nullptr;
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  std::wstring name = path.wstring();
  if (::GetNamedSecurityInfoW(name.data(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr, nullptr, &old,
                              nullptr, &descriptor) != ERROR_SUCCESS)
    return false;
  wchar_t everyone[] = L"EVERYONE";
  EXPLICIT_ACCESSW entry = {};
  ::BuildExplicitAccessWithNameW(&entry, everyone, FILE_ALL_ACCESS, GRANT_ACCESS, NO_INHERITANCE);
  PACL changed = nullptr;
  bool done = ::SetEntriesInAclW(1, &entry, old, &changed) == ERROR_SUCCESS;
  done = done && ::SetNamedSecurityInfoW(name.data(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr,
                                         nullptr, changed, nullptr) == ERROR_SUCCESS;
  ::LocalFree(changed);
  ::LocalFree(descriptor);
  return done;
}

bool give_to_stranger(const std::filesystem::path&) {
  return false;
}

bool takes_any_name() {
  return false;
}

std::vector<std::string> endless_files() {
  return {"CON"};
}

std::string stderr_of(const std::function<void()>& body) {
  constexpr int error = 2;
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "stderr").string();
  const int kept = ::_dup(error);
  const int file = ::_open(path.c_str(), _O_WRONLY | _O_CREAT | _O_BINARY, 0600);
  ::_dup2(file, error);
  body();
  std::fflush(stderr);
  ::_dup2(kept, error);
  ::_close(file);
  ::_close(kept);
  return text_of_file(path);
}

void* untouched_memory(std::size_t bytes) {
  return ::VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void release_memory(void* memory, std::size_t) {
  ::VirtualFree(memory, 0, MEM_RELEASE);
}

int status_of_command(const std::string& command) {
  // cmd.exe removes the first and the last quote.
  return std::system(("\"" + command + "\"").c_str());
}

}  // namespace clgemm::test
