#include "base/platform/terminal.hpp"

#include "base/platform/windows_api.hpp"

namespace clgemm {

bool is_terminal(Stream stream) {
  HANDLE const handle = ::GetStdHandle(stream == Stream::output ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
  DWORD mode = 0;
  if (::GetConsoleMode(handle, &mode) == 0) return false;
  constexpr DWORD understands_escapes = 0x0004;  // ENABLE_VIRTUAL_TERMINAL_PROCESSING
  return ::SetConsoleMode(handle, mode | understands_escapes) != 0;
}

std::size_t terminal_columns() {
  CONSOLE_SCREEN_BUFFER_INFO info = {};
  if (::GetConsoleScreenBufferInfo(::GetStdHandle(STD_OUTPUT_HANDLE), &info) == 0) return 0;
  return static_cast<std::size_t>(info.srWindow.Right - info.srWindow.Left + 1);
}

}  // namespace clgemm
