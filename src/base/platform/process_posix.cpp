#include "base/platform/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <stdexcept>

#include "base/environment.hpp"

namespace clgemm {
namespace {

constexpr const char* this_program = "/proc/self/exe";
constexpr int interrupts[] = {SIGINT, SIGTERM, SIGHUP};

// Lists of drivers and layers, with colons between them, as this process has found them. Until 2026, Khronos'
// ICD loader overwrote their first colon in the environment (loader_get_next_path() in its icd.c).
const std::map<std::string, std::string> lists_at_start = {
    {"OCL_ICD_FILENAMES", environment("OCL_ICD_FILENAMES")}, {"OPENCL_LAYERS", environment("OPENCL_LAYERS")}};

// Returns the value of a variable as it was before an ICD loader read it.
std::string uncut(const std::string& name, const std::string& value) {
  const auto found = lists_at_start.find(name);
  if (found == lists_at_start.end()) return value;
  return found->second.compare(0, value.size() + 1, value + ":") == 0 ? found->second : value;
}

// Returns this process's environment, in which these variables replace its own of the same names.
std::vector<std::string> changed_environment(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::size_t end = text.find('=');
    const std::string name = text.substr(0, end);
    if (end == std::string::npos || changes.count(name) != 0) continue;
    result.push_back(name + "=" + uncut(name, text.substr(end + 1)));
  }
  for (const auto& [name, value] : changes) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

// Returns the pointers that exec takes. The strings must outlive the result.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

struct Pipe {
  File to_read;
  File to_write;
};

// Makes a pipe whose ends are closed in other children.
Pipe make_pipe() {
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
  return {File(ends[0]), File(ends[1])};
}

ProcessEnd end_of(int status) {
  if (!WIFSIGNALED(status)) return {ProcessEnd::Kind::exited, static_cast<unsigned>(WEXITSTATUS(status))};
  const int signal = WTERMSIG(status);
  return {signal == SIGALRM ? ProcessEnd::Kind::out_of_time : ProcessEnd::Kind::crashed,
          static_cast<unsigned>(signal)};
}

}  // namespace

std::string to_string(const ProcessEnd& end) {
  return end.kind == ProcessEnd::Kind::exited ? fmt::format("ended with status {}", end.number)
                                              : fmt::format("ended by signal {}", end.number);
}

struct ChildProcess::Insides {
  pid_t process = -1;
  File to;
  File from;
};

ChildProcess::ChildProcess(const std::vector<std::string>& arguments,
                           const std::map<std::string, std::string>& environment, Complaints complaints)
    : insides_(std::make_unique<Insides>()) {
  std::vector<std::string> words = {program_invocation_name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = changed_environment(environment);
  Pipe down = make_pipe();
  Pipe up = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, down.to_read.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, up.to_write.get(), STDOUT_FILENO);
  if (complaints == Complaints::dropped) {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  const int problem = posix_spawn(&insides_->process, this_program, &actions, nullptr,
                                  pointers_to(words).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    insides_->process = -1;
    throw std::runtime_error(fmt::format("cannot start a child process: {}", std::strerror(problem)));
  }
  insides_->to = std::move(down.to_write);
  insides_->from = std::move(up.to_read);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept = default;
ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept = default;

ChildProcess::~ChildProcess() {
  if (insides_ && insides_->process >= 0) stop(0);
}

bool ChildProcess::write(std::string_view text) {
  return insides_->to.write_all(text);
}

void ChildProcess::close_input() {
  insides_->to.close();
}

ChildProcess::Read ChildProcess::read(std::string& text, int milliseconds) {
  pollfd ready = {insides_->from.get(), POLLIN, 0};
  if (::poll(&ready, 1, milliseconds) <= 0) return Read::nothing_yet;
  std::array<char, 4096> piece = {};
  const ssize_t bytes = ::read(insides_->from.get(), piece.data(), piece.size());
  if (bytes < 0 && errno == EINTR) return Read::nothing_yet;
  if (bytes <= 0) return Read::end;
  text.append(piece.data(), static_cast<std::size_t>(bytes));
  return Read::some;
}

ProcessEnd ChildProcess::stop(int milliseconds) {
  insides_->to.close();
  insides_->from.close();
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < milliseconds && ended == 0; ++i) {
    ended = ::waitpid(insides_->process, &status, WNOHANG);
    if (ended == 0) ::usleep(1000);
  }
  if (ended == insides_->process) {
    insides_->process = -1;
    return end_of(status);
  }
  ::kill(insides_->process, SIGKILL);
  return wait();
}

ProcessEnd ChildProcess::wait() {
  int status = 0;
  while (::waitpid(insides_->process, &status, 0) < 0 && errno == EINTR) continue;
  insides_->process = -1;
  return end_of(status);
}

std::vector<std::string> lines_of_command(const char* command) {
  std::vector<std::string> lines;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command, "r"), ::pclose);
  char line[512];
  while (pipe && std::fgets(line, sizeof line, pipe.get()) != nullptr) lines.emplace_back(line);
  return lines;
}

void end_with_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void end_after(unsigned seconds) {
  ::alarm(seconds);
}

File take_standard_output() {
  File result(::dup(STDOUT_FILENO));
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return result;
}

void survive_closed_pipes() {
  std::signal(SIGPIPE, SIG_IGN);
}

void note_interrupts(void (*note)(int signal)) {
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  for (const int signal : interrupts) ::sigaction(signal, &action, nullptr);
}

void let_interrupts_end_us() {
  for (const int signal : interrupts) std::signal(signal, SIG_DFL);
}

long long seconds_of_monotonic_clock() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

}  // namespace clgemm
