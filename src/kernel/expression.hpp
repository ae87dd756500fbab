// Integer expressions of a kernel's manifest: `TS % WPT == 0`, `4*BK*(BM+BN) <= local_bytes`.
//
// The operators are C's, with C's precedence: || && == != < <= > >= + - * / % unary - ! and parentheses.
// Numbers are 64-bit; an overflow and a division by zero are errors. && and || do not look at the right side
// when the left one decides.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace clgemm {

class Expression {
 public:
  // The value of a name. It is only asked for names().
  using Lookup = std::function<std::int64_t(const std::string& name)>;

  // Throws Error(invalid_kernel_file) that quotes the text and says what was expected where.
  static Expression parse(std::string_view text);

  // Throws Error(requirement_failed) on overflow and on division by zero.
  std::int64_t evaluate(const Lookup& lookup) const;

  // Every name that occurs, in the order of appearance.
  std::vector<std::string> names() const;

  const std::string& text() const { return text_; }

 private:
  friend class ExpressionParser;

  // A node of the syntax tree. Children stand before their parent in nodes_; the root is the last.
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
