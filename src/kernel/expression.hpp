// Integer expressions in a kernel's manifest: `TS % WPT == 0`, `4*BK*(BM+BN) <= local_bytes`.
//
// The operators are those of C, with C's precedence: || && == != < <= > >= + - * / % unary - ! and
// parentheses. Numbers have 64 bits; an overflow or a division by zero is an error. && and || do not evaluate
// the right side if the left side decides.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace clgemm {

class Expression {
 public:
  // Returns the value of a name. It is called only for names().
  using Lookup = std::function<std::int64_t(const std::string& name)>;

  // Throws an Error(invalid_kernel_file) that quotes the text and says what was expected at which position.
  static Expression parse(std::string_view text);

  // Throws Error(requirement_failed) on overflow and on division by zero.
  std::int64_t evaluate(const Lookup& lookup) const;

  // Returns every name in the expression, in the order of appearance.
  std::vector<std::string> names() const;

  const std::string& text() const { return text_; }

 private:
  friend class ExpressionParser;

  // A node of the syntax tree. Children come before their parent in nodes_; the root is the last node.
  struct Node {
    std::string symbol;  // operator, "name" or "number"
    int left = -1;
    int right = -1;
    std::int64_t number = 0;
    std::string name;
  };

  std::int64_t evaluate_node(int index, const Lookup& lookup) const;

  std::string text_;
  std::vector<Node> nodes_;
};

}  // namespace clgemm
