// The integer expressions of manifests.
#include "kernel/expression.hpp"

#include <fmt/format.h>

#include <map>

#include "support/thrown.hpp"

namespace clgemm {
namespace {

std::int64_t value_of(const std::string& text, const std::map<std::string, std::int64_t>& values = {}) {
  return Expression::parse(text).evaluate([&](const std::string& name) { return values.at(name); });
}

TEST_CASE("numbers, names and parentheses") {
  CHECK(value_of("42") == 42);
  CHECK(value_of("9223372036854775807") == 9223372036854775807);
  CHECK(value_of("TS_2", {{"TS_2", 16}}) == 16);
  CHECK(value_of(" ( ( 3 ) ) ") == 3);
  CHECK(value_of("-(-3)") == 3);
  CHECK(value_of("!0") == 1);
  CHECK(value_of("!!5") == 1);
}

TEST_CASE("every operator") {
  struct Case {
    const char* text;
    std::int64_t value;
  };
  for (const Case& c :
       {Case{"7+2", 9}, {"7-2", 5},  {"7*2", 14}, {"7/2", 3},   {"-7/2", -3}, {"7%2", 1},  {"-7%2", -1},
        {"7<2", 0},     {"2<7", 1},  {"7<7", 0},  {"7<=7", 1},  {"8<=7", 0},  {"7>2", 1},  {"7>7", 0},
        {"7>=7", 1},    {"6>=7", 0}, {"7==7", 1}, {"7==8", 0},  {"7!=8", 1},  {"7!=7", 0}, {"1&&2", 1},
        {"1&&0", 0},    {"0||3", 1}, {"0||0", 0}, {"1 - -1", 2}}) {
    INFO(c.text);
    CHECK(value_of(c.text) == c.value);
  }
}

TEST_CASE("precedence and order are C's") {
  CHECK(value_of("2+3*4") == 14);
  CHECK(value_of("(2+3)*4") == 20);
  CHECK(value_of("20-5-3") == 12);
  CHECK(value_of("64/4/2") == 8);
  CHECK(value_of("100/7%5*3") == 12);
  CHECK(value_of("1+2==3") == 1);
  CHECK(value_of("1<2==1") == 1);
  CHECK(value_of("2>1>0") == 1);
  CHECK(value_of("1||0&&0") == 1);
  CHECK(value_of("0==1||2==2") == 1);
  CHECK(value_of("-2*3") == -6);
  CHECK(value_of("!1==0") == 1);
}

TEST_CASE("a real requirement") {
  const std::string rule = "BM*BK % (BN*BM/TM) == 0 && 4*BK*(BM+BN) <= local_bytes";
  CHECK(value_of(rule, {{"BM", 64}, {"BN", 64}, {"BK", 8}, {"TM", 8}, {"local_bytes", 4096}}) == 1);
  CHECK(value_of(rule, {{"BM", 64}, {"BN", 64}, {"BK", 8}, {"TM", 8}, {"local_bytes", 4095}}) == 0);
  CHECK(value_of(rule, {{"BM", 64}, {"BN", 64}, {"BK", 8}, {"TM", 4}, {"local_bytes", 4096}}) == 0);
}

TEST_CASE("the right side is not evaluated if the left side decides") {
  CHECK(value_of("0 && 1/0") == 0);
  CHECK(value_of("1 || 1/0") == 1);
  CHECK(value_of("X==0 || 8%X==0", {{"X", 0}}) == 1);
}

TEST_CASE("names are listed in their order") {
  CHECK(Expression::parse("B*A <= local_bytes && A").names() ==
        std::vector<std::string>{"B", "A", "local_bytes", "A"});
  CHECK(Expression::parse("1+2").names().empty());
  CHECK(Expression::parse("TS % 4").text() == "TS % 4");
}

TEST_CASE("invalid expressions are refused with text and position") {
  for (const char* text : {"", " ", "1+", "*2", "(1", "1)", "1 2", "TS TS", "()", "1 = 2", "a & b", "1.5",
                           "@", "9223372036854775808", "&&", "!"}) {
    INFO("'" << text << "'");
    CHECK_ERROR([&] { Expression::parse(text); }, invalid_kernel_file, fmt::format("'{}'", text));
  }
  CHECK_ERROR([] { Expression::parse("2*(3+4"); }, invalid_kernel_file,
              "column 7: expected ')', found the end");
  CHECK_ERROR([] { Expression::parse("2+ %3"); }, invalid_kernel_file, "column 4");
}

TEST_CASE("the nesting depth is limited, and no stack overflows") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(').append("1").append(depth, ')');
  };
  CHECK(value_of(nested(50)) == 1);
  CHECK_ERROR([&] { Expression::parse(nested(900)); }, invalid_kernel_file, "less nesting");
  const std::string signs = std::string(1900, '-').append("1");
  CHECK_ERROR([&] { Expression::parse(signs); }, invalid_kernel_file, "less nesting");
}

TEST_CASE("the length is limited, because evaluation also takes stack") {
  const auto sum = [](int terms) {
    std::string text = "1";
    for (int i = 1; i < terms; ++i) text += "+1";
    return text;
  };
  CHECK(value_of(sum(1000)) == 1000);
  CHECK_ERROR([&] { Expression::parse(sum(100000)); }, invalid_kernel_file, "has 199999 characters");
}

TEST_CASE("overflow and division by zero are errors") {
  for (const char* text :
       {"1/0", "1%0", "9223372036854775807+1", "0-9223372036854775807-2", "4611686018427387904*2",
        "(0-9223372036854775807-1)/-1", "(0-9223372036854775807-1)%-1", "-(0-9223372036854775807-1)"}) {
    INFO(text);
    CHECK_ERROR([&] { value_of(text); }, requirement_failed, text);
  }
}

}  // namespace
}  // namespace clgemm
