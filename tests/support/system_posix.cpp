#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "program.hpp"
#include "system.hpp"
#include "temporary.hpp"

namespace clgemm::test {

bool make_pipe_file(const std::filesystem::path& path) {
  return ::mkfifo(path.c_str(), 0600) == 0;
}

bool make_link(const std::filesystem::path& to, const std::filesystem::path& path) {
  return ::symlink(to.c_str(), path.c_str()) == 0;
}

bool let_write(Others who, const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  const mode_t bit = who == Others::group ? S_IWGRP : S_IWOTH;
  return ::chmod(path.c_str(), (status.st_mode & mode_t{07777}) | bit) == 0;
}

bool give_to_stranger(const std::filesystem::path& path) {
  constexpr uid_t nobody = 65534;
  return ::chown(path.c_str(), nobody, nobody) == 0;
}

bool takes_any_name() {
  return true;
}

std::vector<std::string> endless_files() {
  return {"/dev/zero", "/proc/kmsg"};
}

std::string stderr_of(const std::function<void()>& body) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "stderr").string();
  const int kept = ::dup(STDERR_FILENO);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  ::dup2(file, STDERR_FILENO);
  body();
  ::dup2(kept, STDERR_FILENO);
  ::close(file);
  ::close(kept);
  return text_of_file(path);
}

void* untouched_memory(std::size_t bytes) {
  void* const got =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return got == MAP_FAILED ? nullptr : got;
}

void release_memory(void* memory, std::size_t bytes) {
  ::munmap(memory, bytes);
}

int status_of_command(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace clgemm::test
