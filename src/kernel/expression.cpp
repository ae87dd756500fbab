#include "kernel/expression.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <span>

#include "base/error.hpp"

namespace clgemm {
namespace {

// Limits on the stack that parsing and evaluation use. They are far above any real expression: the longest of
// ours has 70 characters and nests three levels deep.
constexpr int max_nesting = 200;
constexpr std::size_t max_length = 2000;

constexpr std::array<std::string_view, 1> or_operators = {"||"};
constexpr std::array<std::string_view, 1> and_operators = {"&&"};
constexpr std::array<std::string_view, 2> equality_operators = {"==", "!="};
constexpr std::array<std::string_view, 4> order_operators = {"<=", ">=", "<", ">"};
constexpr std::array<std::string_view, 2> sum_operators = {"+", "-"};
constexpr std::array<std::string_view, 3> product_operators = {"*", "/", "%"};

// Binary operators by precedence, weakest first.
const std::array<std::span<const std::string_view>, 6> precedence_levels = {
    or_operators, and_operators, equality_operators, order_operators, sum_operators, product_operators};

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

// Parses by recursive descent over the precedence levels.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) { result_.text_ = text; }

  Expression run() {
    parse_binary(0);
    skip_spaces();
    if (position_ != text_.size()) fail("an operator or the end");
    return std::move(result_);
  }

 private:
  using Node = Expression::Node;

  int parse_binary(std::size_t level) {
    if (level == precedence_levels.size()) return parse_unary();
    int left = parse_binary(level + 1);
    for (;;) {
      const std::string_view symbol = take_operator(precedence_levels[level]);
      if (symbol.empty()) return left;
      const int right = parse_binary(level + 1);
      left = add({std::string(symbol), left, right, 0, {}});
    }
  }

  int parse_unary() {
    const Nesting nesting(*this);
    skip_spaces();
    if (take('-')) return add({"negate", parse_unary(), -1, 0, {}});
    if (take('!')) return add({"!", parse_unary(), -1, 0, {}});
    if (take('(')) {
      const int inner = parse_binary(0);
      skip_spaces();
      if (!take(')')) fail("')'");
      return inner;
    }
    if (position_ < text_.size() && is_digit(text_[position_])) return parse_number();
    if (position_ < text_.size() && starts_name(text_[position_])) return parse_name();
    fail("a number, a name or '('");
  }

  int parse_number() {
    std::int64_t value = 0;
    const char* end = text_.data() + text_.size();
    const auto [rest, status] = std::from_chars(text_.data() + position_, end, value);
    if (status != std::errc()) fail("a number below 2^63");
    position_ = static_cast<std::size_t>(rest - text_.data());
    return add({"number", -1, -1, value, {}});
  }

  int parse_name() {
    const std::size_t start = position_;
    while (position_ < text_.size() && (starts_name(text_[position_]) || is_digit(text_[position_])))
      ++position_;
    if (take('(')) {
      const std::size_t end = text_.find_first_of(" \t()", position_);
      if (end == position_ || end == std::string_view::npos || text_[end] != ')') fail("a word and ')'");
      position_ = end + 1;
    }
    return add({"name", -1, -1, 0, std::string(text_.substr(start, position_ - start))});
  }

  std::string_view take_operator(std::span<const std::string_view> symbols) {
    skip_spaces();
    for (const std::string_view symbol : symbols) {
      if (text_.substr(position_, symbol.size()) == symbol) {
        position_ += symbol.size();
        return symbol;
      }
    }
    return {};
  }

  bool take(char c) {
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  void skip_spaces() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t')) ++position_;
  }

  int add(Node node) {
    result_.nodes_.push_back(std::move(node));
    return static_cast<int>(result_.nodes_.size()) - 1;
  }

  [[noreturn]] void fail(std::string_view expected) const {
    const std::string found =
        position_ < text_.size() ? fmt::format("'{}'", text_.substr(position_)) : "the end";
    throw Error(ErrorCode::invalid_kernel_file,
                fmt::format("in the expression '{}', column {}: expected {}, found {}", text_, position_ + 1,
                            expected, found));
  }

  struct Nesting {
    explicit Nesting(ExpressionParser& owner) : parser(owner) {
      if (++parser.nesting_ > max_nesting) parser.fail("less nesting");
    }
    ~Nesting() { --parser.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ExpressionParser& parser;
  };

  std::string_view text_;
  std::size_t position_ = 0;
  int nesting_ = 0;
  Expression result_;
};

Expression Expression::parse(std::string_view text) {
  if (text.size() > max_length) {
    throw Error(ErrorCode::invalid_kernel_file,
                fmt::format("the expression '{}...' has {} characters; it may have {}", text.substr(0, 40),
                            text.size(), max_length));
  }
  return ExpressionParser(text).run();
}

std::int64_t Expression::evaluate(const Lookup& lookup) const {
  return evaluate_node(static_cast<int>(nodes_.size()) - 1, lookup);
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> result;
  for (const Node& node : nodes_) {
    if (node.symbol == "name") result.push_back(node.name);
  }
  return result;
}

std::int64_t Expression::evaluate_node(int index, const Lookup& lookup) const {
  const Node& node = nodes_[static_cast<std::size_t>(index)];
  const auto fail = [this](std::string_view reason) -> std::int64_t {
    throw Error(ErrorCode::requirement_failed, fmt::format("{} in the expression '{}'", reason, text_));
  };
  if (node.symbol == "number") return node.number;
  if (node.symbol == "name") return lookup(node.name);

  std::int64_t result = 0;
  const std::int64_t left = evaluate_node(node.left, lookup);
  if (node.symbol == "!") return left == 0 ? 1 : 0;
  if (node.symbol == "negate") return __builtin_sub_overflow(0, left, &result) ? fail("overflow") : result;
  if (node.symbol == "||" && left != 0) return 1;
  if (node.symbol == "&&" && left == 0) return 0;

  const std::int64_t right = evaluate_node(node.right, lookup);
  if (node.symbol == "||" || node.symbol == "&&") return right != 0 ? 1 : 0;
  if (node.symbol == "==") return left == right ? 1 : 0;
  if (node.symbol == "!=") return left != right ? 1 : 0;
  if (node.symbol == "<=") return left <= right ? 1 : 0;
  if (node.symbol == ">=") return left >= right ? 1 : 0;
  if (node.symbol == "<") return left < right ? 1 : 0;
  if (node.symbol == ">") return left > right ? 1 : 0;
  if (node.symbol == "+") return __builtin_add_overflow(left, right, &result) ? fail("overflow") : result;
  if (node.symbol == "-") return __builtin_sub_overflow(left, right, &result) ? fail("overflow") : result;
  if (node.symbol == "*") return __builtin_mul_overflow(left, right, &result) ? fail("overflow") : result;

  if (right == 0) return fail("division by zero");
  if (left == std::numeric_limits<std::int64_t>::min() && right == -1) return fail("overflow");
  return node.symbol == "/" ? left / right : left % right;
}

}  // namespace clgemm
