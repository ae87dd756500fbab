#include "child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <stdexcept>

extern char** environ;

namespace clgemm::test {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> result;
  for (char** one = environ; *one != nullptr; ++one) {
    bool is_replaced = false;
    for (const auto& [name, value] : variables)
      is_replaced = is_replaced || std::strncmp(*one, (name + "=").c_str(), name.size() + 1) == 0;
    if (!is_replaced) result.emplace_back(*one);
  }
  for (const auto& [name, value] : variables) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, const Variables& variables) {
  std::vector<std::string> words = command;
  std::vector<std::string> environment = environment_with(variables);
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> values = pointers_to(environment);
  int in[2];
  int out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  child_ = ::fork();
  if (child_ == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::execve(arguments[0], arguments.data(), values.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  to_ = in[1];
  from_ = out[0];
  if (child_ < 0) throw std::runtime_error("no process");
}

ChildProcess::~ChildProcess() {
  ::close(to_);
  ::close(from_);
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

std::optional<std::string> ChildProcess::ask(const std::string& line, std::chrono::seconds patience) {
  const std::string text = line + "\n";
  if (::write(to_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) return std::nullopt;
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    if (const std::size_t found = read_.find('\n'); found != std::string::npos) {
      const std::string answer = read_.substr(0, found);
      read_.erase(0, found + 1);
      return answer;
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    pollfd readable{from_, POLLIN, 0};
    if (left <= 0 || ::poll(&readable, 1, static_cast<int>(left)) == 0) {
      late_ = fmt::format("no answer in {} s", patience.count());
      return std::nullopt;
    }
    char buffer[4096];
    const ssize_t count = ::read(from_, buffer, sizeof buffer);
    if (count <= 0) return std::nullopt;
    read_.append(buffer, static_cast<std::size_t>(count));
  }
}

std::size_t ChildProcess::resident_bytes() const {
  std::ifstream pages(fmt::format("/proc/{}/statm", child_));
  std::size_t size = 0;
  std::size_t resident = 0;
  pages >> size >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::string ChildProcess::end() {
  if (!late_.empty()) return late_;
  int status = 0;
  ::waitpid(child_, &status, 0);
  child_ = -1;
  return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                             : fmt::format("exit status {}", WEXITSTATUS(status));
}

}  // namespace clgemm::test
