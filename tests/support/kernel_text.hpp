// Makes wrong kernels of right ones.
#pragma once

#include <string>

namespace clgemm::test {

// Returns a kernel's text in which the body of its function has another value for an argument. The
// expression `value` may use the name `stated` for the right value: "stated + 1.0f".
inline std::string with_argument(std::string text, const std::string& type, const std::string& name,
                                 const std::string& value) {
  const std::string with_struct = "const Numbers numbers) {\n";
  if (const std::size_t place = text.find(with_struct); place != std::string::npos) {
    const std::string changed = "const Numbers given) {\n  const " + type + " stated = given." + name +
                                ";\n  Numbers numbers = given;\n  numbers." + name + " = " + value + ";\n";
    return text.replace(place, with_struct.size(), changed);
  }
  const std::size_t function = text.find("__kernel");
  const std::string end_of_arguments = ") {\n";
  const std::size_t body = text.find(end_of_arguments, function) + end_of_arguments.size();
  text.insert(body, "#undef " + name + "\n  const " + type + " " + name + " = " + value + ";\n");
  return text.insert(function, "#define " + name + " stated\n");
}

}  // namespace clgemm::test
