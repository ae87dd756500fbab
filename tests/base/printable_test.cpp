// Text from outside can neither move the cursor nor look like a message of clgemm.
#include "base/printable.hpp"

#include "base/json_depth.hpp"
#include "base/log.hpp"
#include "support/catch.hpp"
#include "support/system.hpp"
#include "support/temporary.hpp"

namespace clgemm {
namespace {

TEST_CASE("letters of every language are unchanged") {
  const std::string text = "Gr\u00fc\u00dfe, \u4f60\u597d \U0001F600 ~ \\n 100 %";
  CHECK(printable(text) == text);
  CHECK(printable_lines(text) == text);
  CHECK(printable("").empty());
}

TEST_CASE("control characters are escaped") {
  CHECK(printable("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(printable(std::string_view("a\0b\x7f", 4)) == "a\\x00b\\x7f");
  CHECK(printable("one\ntwo\r\tthree") == "one\\ntwo\\x0d\\x09three");
  CHECK(printable("\u009b31m") == "\\xc2\\x9b31m");  // the same escape sequence in one letter
  CHECK(printable("\u202eabc\u2028") ==
        "\\xe2\\x80\\xaeabc\\xe2\\x80\\xa8");  // right to left; line separator
  CHECK(printable("\u2066\u2069") == "\\xe2\\x81\\xa6\\xe2\\x81\\xa9");
}

TEST_CASE("bytes that are not UTF-8 are escaped") {
  CHECK(printable("\x9b"
                  "31m") == "\\x9b31m");
  CHECK(printable("caf\xe9") == "caf\\xe9");
  CHECK(printable("\xe4\xbd") == "\\xe4\\xbd");           // the third byte is missing
  CHECK(printable("\xe0\x80\x9b") == "\\xe0\\x80\\x9b");  // longer than necessary
  CHECK(printable("\xff\xf5") == "\\xff\\xf5");
}

TEST_CASE("only the first line of a message begins at the margin") {
  CHECK(printable_lines("one\ntwo\n  three\n\n\tfour\n") == "one\n  two\n  three\n\n  \tfour\n");
  CHECK(printable_lines("x\nclgemm: all is well\x1b[0m") == "x\n  clgemm: all is well\\x1b[0m");
  const std::string once = printable_lines("a\nb\x1b\n");
  CHECK(printable_lines(once) == once);
}

TEST_CASE("the log escapes control characters") {
  const test::ScopedVariable wanted("CLGEMM_LOG", "info");
  const test::ScopedVariable bad("CLGEMM_CACHE", "\x1b[2J\nclgemm: all is well");
  CHECK(test::stderr_of([] {
          log_bad_values({{"CLGEMM_CACHE", is_switch, "0 or 1"}});
        }) == "clgemm: CLGEMM_CACHE is '\\x1b[2J\\nclgemm: all is well'; it must be 0 or 1\n");
  if (!logs(LogLevel::info)) {
    WARN("NOT TESTED: CLGEMM_LOG was read before");
    return;
  }
  CHECK(test::stderr_of([] { log(LogLevel::info, "kernel \x1b[31m\nclgemm: forged"); }) ==
        "clgemm: kernel \\x1b[31m\n  clgemm: forged\n");
}

TEST_CASE("the depth of JSON is that of its arrays and objects, not of its strings") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + "{\"a\\\"[\": \"]}\\\\\"}" + std::string(depth, ']');
  };
  CHECK_FALSE(is_nested_too_deeply(""));
  CHECK_FALSE(is_nested_too_deeply(nested(99)));
  CHECK(is_nested_too_deeply(nested(100)));
  CHECK(is_nested_too_deeply(nested(1000000)));
  CHECK_FALSE(is_nested_too_deeply("\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\""));
  std::string beside = "[";
  for (int i = 0; i < 1000; ++i) beside += "[{}],";
  CHECK_FALSE(is_nested_too_deeply(beside + "0]"));
}

}  // namespace
}  // namespace clgemm
