// libFuzzer: for any contents of a kernel file, reading it leads to a manifest, a text, or an Error that
// names the file.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "kernel/kernel_source.hpp"
#include "kernel/manifest_parser.hpp"

namespace {

using namespace clgemm;

// Runs one stage. An Error is a valid answer if it names the file.
template <class Stage>
void expect_answer(const Stage& stage) {
  try {
    stage();
  } catch (const Error& error) {
    if (std::string(error.what()).empty()) std::abort();
  }
}

void evaluate_all(const Manifest& manifest) {
  const auto lookup = [&manifest](const std::string& name) {
    const Manifest::Parameter* parameter = manifest.find_parameter(name);
    return parameter != nullptr ? parameter->default_value : std::int64_t{64};
  };
  for (const Manifest::Rule& rule : manifest.requirements) {
    expect_answer([&] { rule.expression.evaluate(lookup); });
  }
  for (const Manifest::Rule* rule : {&manifest.tile_rows, &manifest.tile_columns, &manifest.tile_depth}) {
    expect_answer([&] { rule->expression.evaluate(lookup); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  expect_answer([&] { evaluate_all(parse_manifest(text, "fuzz.cl")); });
  expect_answer([&] { expand_includes({"built-in/fuzz.cl", text}, KernelFolders()); });
  expect_answer([&] {
    const Expression expression = Expression::parse(text);
    expression.evaluate([](const std::string& name) { return static_cast<std::int64_t>(name.size()); });
  });
  return 0;
}
