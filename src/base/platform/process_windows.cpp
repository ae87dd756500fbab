#include "base/platform/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <io.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "base/platform/windows_api.hpp"

namespace clgemm {
namespace {

constexpr int interrupts[] = {SIGINT, SIGTERM, SIGBREAK};
constexpr DWORD status_out_of_time = 0xC0000102;  // STATUS_TIMEOUT, as a failure
constexpr DWORD first_exception = 0xC0000000;
constexpr int standard_output = 1;
constexpr int standard_error = 2;

std::wstring wide(const std::string& text) {
  return std::filesystem::path(text).wstring();
}

// Returns a word of a command line, quoted so that the C runtime of the other program reads it.
std::wstring quoted(const std::wstring& word) {
  std::wstring result = L"\"";
  std::size_t backslashes = 0;
  for (const wchar_t letter : word) {
    if (letter == L'"') result.append(backslashes + 1, L'\\');  // backslashes count only before a quote
    backslashes = letter == L'\\' ? backslashes + 1 : 0;
    result += letter;
  }
  result.append(backslashes, L'\\');
  return result + L"\"";
}

std::wstring path_of_this_program() {
  std::wstring path(32768, L'\0');
  path.resize(::GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
  return path;
}

std::wstring lower(std::wstring text) {
  ::CharLowerW(text.data());
  return text;
}

// Returns this process's environment, in which these variables replace its own of the same names.
std::wstring changed_environment(const std::map<std::string, std::string>& changes) {
  std::map<std::wstring, std::wstring> variables;  // by lower-case name, as Windows compares names
  wchar_t* const block = ::GetEnvironmentStringsW();
  for (const wchar_t* one = block; one != nullptr && *one != L'\0'; one += std::wcslen(one) + 1) {
    const std::wstring text = one;
    variables[lower(text.substr(0, text.find(L'=', 1)))] = text;  // some names begin with '='
  }
  ::FreeEnvironmentStringsW(block);
  for (const auto& [name, value] : changes)
    variables[lower(wide(name))] = wide(fmt::format("{}={}", name, value));
  std::wstring result;
  for (const auto& [name, text] : variables) result += text + L'\0';
  return result + L'\0';
}

struct Pipe {
  Handle to_read;
  Handle to_write;
};

void inherit(const Handle& handle) {
  ::SetHandleInformation(handle.get(), HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
}

Pipe make_pipe() {
  HANDLE to_read = nullptr;
  HANDLE to_write = nullptr;
  if (::CreatePipe(&to_read, &to_write, nullptr, 0) == 0)
    throw std::runtime_error("pipe: " + last_windows_error().message());
  return {Handle(to_read), Handle(to_write)};
}

Handle nowhere() {
  return Handle(::CreateFileW(L"NUL", GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                              OPEN_EXISTING, 0, nullptr));
}

// The handles that a child inherits. It inherits no others.
class Inherited {
 public:
  explicit Inherited(std::vector<HANDLE> handles) : handles_(std::move(handles)) {
    SIZE_T bytes = 0;
    ::InitializeProcThreadAttributeList(nullptr, 1, 0, &bytes);
    memory_.resize(bytes);
    if (::InitializeProcThreadAttributeList(list(), 1, 0, &bytes) == 0 ||
        ::UpdateProcThreadAttribute(list(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                    handles_.size() * sizeof(HANDLE), nullptr, nullptr) == 0)
      throw std::runtime_error("cannot start a child process: " + last_windows_error().message());
  }
  ~Inherited() { ::DeleteProcThreadAttributeList(list()); }
  Inherited(const Inherited&) = delete;
  Inherited& operator=(const Inherited&) = delete;

  LPPROC_THREAD_ATTRIBUTE_LIST list() {
    return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data());
  }

 private:
  std::vector<HANDLE> handles_;
  std::vector<std::byte> memory_;
};

// Returns a job whose processes end with this process.
HANDLE job_of_children() {
  static const HANDLE job = [] {
    const HANDLE made = ::CreateJobObjectW(nullptr, nullptr);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    if (made != nullptr)
      ::SetInformationJobObject(made, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return made;
  }();
  return job;
}

ProcessEnd end_of(DWORD status) {
  using Kind = ProcessEnd::Kind;
  return {status == status_out_of_time ? Kind::out_of_time
          : status >= first_exception  ? Kind::crashed
                                       : Kind::exited,
          status};
}

std::atomic<void (*)(int)> noting{nullptr};

// Sets the handler again, because the C runtime removes it before each call.
void note_one(int signal) {
  std::signal(signal, note_one);
  if (void (*const note)(int) = noting) note(signal);
}

}  // namespace

std::string to_string(const ProcessEnd& end) {
  return end.kind == ProcessEnd::Kind::exited ? fmt::format("ended with status {}", end.number)
                                              : fmt::format("ended by exception {:#x}", end.number);
}

struct ChildProcess::Insides {
  Handle process;
  Handle to;
  Handle from;
};

ChildProcess::ChildProcess(const std::vector<std::string>& arguments,
                           const std::map<std::string, std::string>& environment, Complaints complaints)
    : insides_(std::make_unique<Insides>()) {
  const std::wstring program = path_of_this_program();
  std::wstring line = quoted(program);
  for (const std::string& argument : arguments) line += L" " + quoted(wide(argument));
  std::wstring variables = changed_environment(environment);
  Pipe down = make_pipe();
  Pipe up = make_pipe();
  const Handle dropped = complaints == Complaints::dropped ? nowhere() : Handle();
  inherit(down.to_read);
  inherit(up.to_write);
  if (dropped) inherit(dropped);
  HANDLE const errors = dropped ? dropped.get() : ::GetStdHandle(STD_ERROR_HANDLE);
  std::vector<HANDLE> handles = {down.to_read.get(), up.to_write.get()};
  if (errors != nullptr && errors != INVALID_HANDLE_VALUE) {
    ::SetHandleInformation(errors, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    handles.push_back(errors);
  }
  Inherited inherited(handles);
  STARTUPINFOEXW start = {};
  start.StartupInfo.cb = sizeof start;
  start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  start.StartupInfo.hStdInput = down.to_read.get();
  start.StartupInfo.hStdOutput = up.to_write.get();
  start.StartupInfo.hStdError = errors;
  start.lpAttributeList = inherited.list();
  PROCESS_INFORMATION made = {};
  constexpr DWORD how = CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT | CREATE_SUSPENDED;
  if (::CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE, how, variables.data(), nullptr,
                       &start.StartupInfo, &made) == 0)
    throw std::runtime_error("cannot start a child process: " + last_windows_error().message());
  insides_->process = Handle(made.hProcess);
  const Handle thread(made.hThread);
  ::AssignProcessToJobObject(job_of_children(), made.hProcess);
  ::ResumeThread(made.hThread);
  insides_->to = std::move(down.to_write);
  insides_->from = std::move(up.to_read);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept = default;
ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept = default;

ChildProcess::~ChildProcess() {
  if (insides_ && insides_->process) stop(0);
}

bool ChildProcess::write(std::string_view text) {
  while (!text.empty()) {
    DWORD count = 0;
    const auto wanted = static_cast<DWORD>(std::min(text.size(), std::size_t{1} << 20U));
    if (::WriteFile(insides_->to.get(), text.data(), wanted, &count, nullptr) == 0) return false;
    text.remove_prefix(count);
  }
  return true;
}

void ChildProcess::close_input() {
  insides_->to.close();
}

// Polls, because Windows cannot wait for a pipe of this kind.
ChildProcess::Read ChildProcess::read(std::string& text, int milliseconds) {
  const ULONGLONG end = ::GetTickCount64() + static_cast<ULONGLONG>(milliseconds);
  for (;;) {
    DWORD waiting = 0;
    if (::PeekNamedPipe(insides_->from.get(), nullptr, 0, nullptr, &waiting, nullptr) == 0) return Read::end;
    if (waiting != 0) break;
    if (::GetTickCount64() >= end) return Read::nothing_yet;
    ::Sleep(1);
  }
  std::array<char, 4096> piece = {};
  DWORD bytes = 0;
  if (::ReadFile(insides_->from.get(), piece.data(), static_cast<DWORD>(piece.size()), &bytes, nullptr) ==
          0 ||
      bytes == 0)
    return Read::end;
  text.append(piece.data(), bytes);
  return Read::some;
}

ProcessEnd ChildProcess::stop(int milliseconds) {
  insides_->to.close();
  insides_->from.close();
  if (::WaitForSingleObject(insides_->process.get(), static_cast<DWORD>(milliseconds)) != WAIT_OBJECT_0)
    ::TerminateProcess(insides_->process.get(), 1);
  return wait();
}

ProcessEnd ChildProcess::wait() {
  ::WaitForSingleObject(insides_->process.get(), INFINITE);
  DWORD status = 0;
  ::GetExitCodeProcess(insides_->process.get(), &status);
  insides_->process.close();
  return end_of(status);
}

std::vector<std::string> lines_of_command(const char* command) {
  std::vector<std::string> lines;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::_popen(command, "r"), ::_pclose);
  char line[512];
  while (pipe && std::fgets(line, sizeof line, pipe.get()) != nullptr) lines.emplace_back(line);
  return lines;
}

void end_with_parent() {}

void end_after(unsigned seconds) {
  std::thread([seconds] {
    ::Sleep(seconds * 1000);
    ::TerminateProcess(::GetCurrentProcess(), status_out_of_time);
  }).detach();
}

File take_standard_output() {
  File result(::_dup(standard_output));
  ::_setmode(result.get(), _O_BINARY);
  ::_dup2(standard_error, standard_output);
  return result;
}

void survive_closed_pipes() {}

void note_interrupts(void (*note)(int signal)) {
  noting = note;
  for (const int signal : interrupts) std::signal(signal, note_one);
}

void let_interrupts_end_us() {
  noting = nullptr;
  for (const int signal : interrupts) std::signal(signal, SIG_DFL);
}

long long seconds_of_monotonic_clock() {
  return static_cast<long long>(::GetTickCount64() / 1000);
}

}  // namespace clgemm
