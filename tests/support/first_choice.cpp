#include "first_choice.hpp"

#include <sstream>

#include "catch.hpp"
#include "choose/ranking.hpp"
#include "choose/tuning_files.hpp"
#include "kernel/kernel_file.hpp"
#include "kernel_text.hpp"
#include "on_device.hpp"
#include "plan/blocks.hpp"
#include "reference.hpp"

namespace clgemm::test {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string built_in(const std::string& relative) {
  return KernelFolders().find(relative).value().text;
}

Config first_config() {
  const Shape shape = first_choice_gemm().shape;
  const Device& device = shared_device_info();
  ConfigCache configs(device, {});
  return rank_candidates(Problem{{shape.m, shape.n, shape.k}, 1, 0, {}, {}, {}}, configs,
                         tuning_from_environment(), default_scratch_limit(device))
      .candidates[0]
      .config;
}

std::string file_of_first_choice() {
  return KernelLibrary().find(first_choice()).file->manifest.name + ".cl";
}

}  // namespace

GemmCase first_choice_gemm() {
  return make_gemm_case({Layout::row_major, Transpose::no, Transpose::no}, {131, 133, 67}, {2, -1},
                        all_placements()[1]);
}

std::string first_choice() {
  return first_config().kernel;
}

void name_first_choice(Options& options) {
  const Config config = first_config();
  options.kernel = config.kernel;
  options.parameters = config.parameters;
}

void write_first_choice(const TemporaryFolder& folder, const std::string& from, const std::string& to) {
  folder.write(file_of_first_choice(), replaced(built_in(file_of_first_choice()), from, to));
}

void write_wrong_first_choice(const TemporaryFolder& folder) {
  const std::string file = file_of_first_choice();
  folder.write(file, with_argument(built_in(file), "int", "k", "stated - 1"));
}

bool is_right_on(Context& context, const Options& options) {
  const GemmCase gemm = first_choice_gemm();
  const Data before = integer_data(gemm, 1);
  const auto& [form, shape, scalars, a, b, c] = gemm;
  std::vector<float> result = before.c;
  context.sgemm(form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n, shape.k, scalars.alpha,
                before.a.data() + a.offset, a.ld, before.b.data() + b.offset, b.ld, scalars.beta,
                result.data() + c.offset, c.ld, options);
  CHECK(damage_around_c(gemm, before, result).empty());
  return error_ratio(gemm, before, result) == 0;
}

std::string explain_on(Context& context, const Options& options) {
  const GemmCase gemm = first_choice_gemm();
  SgemmShape shape;
  shape.m = gemm.shape.m;
  shape.n = gemm.shape.n;
  shape.k = gemm.shape.k;
  shape.lda = gemm.a.ld;
  shape.ldb = gemm.b.ld;
  shape.ldc = gemm.c.ld;
  return context.explain(shape, options);
}

bool says_failed(const std::string& explained) {
  std::istringstream lines(explained);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("not used: ") != std::string::npos &&
        line.find(": cannot run on this device: ") == std::string::npos)
      return true;
  }
  return false;
}

}  // namespace clgemm::test
