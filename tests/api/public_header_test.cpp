// Includes only the public header, first, in C++14, and links with the installed library. Everything that the
// header declares must be exported, and its exception must be caught outside the library.
#include <clgemm/clgemm.hpp>

#if __cplusplus != 201402L
#error "this file is to be compiled as C++14"
#endif

#include <cstdio>
#include <exception>
#include <string>
#include <type_traits>

static_assert(std::is_base_of<std::runtime_error, clgemm::Error>::value, "");
static_assert(std::is_move_constructible<clgemm::Context>::value &&
                  !std::is_copy_constructible<clgemm::Context>::value,
              "");
static_assert(std::is_nothrow_move_assignable<clgemm::Context>::value, "");
static_assert(CLGEMM_VERSION_MAJOR + CLGEMM_VERSION_MINOR + CLGEMM_VERSION_PATCH > 0, "");

namespace {

using clgemm::Layout;
using clgemm::Transpose;

constexpr int skipped = 77;

bool fails(const char* what) {
  std::fprintf(stderr, "FAILED: %s\n", what);
  return false;
}

bool names_a_bad_argument() {
  const float one = 1;
  float c = 0;
  try {
    clgemm::sgemm(Layout::row_major, Transpose::no, Transpose::no, 1, 1, 1, 1, &one, 0, &one, 1, 0, &c, 1);
  } catch (const clgemm::Error& error) {
    if (error.code() != clgemm::ErrorCode::invalid_leading_dimension) return fails("the code of the error");
    if (std::string(clgemm::to_string(error.code())) != "invalid_leading_dimension") return fails("its name");
    return true;
  }
  return fails("no error for lda == 0");
}

bool multiplies() {
  const float a[] = {1, 2, 3, 4};
  const float b[] = {5, 6, 7, 8};
  float c[] = {0, 0, 0, 0};
  clgemm::Options options;
  options.kernel = "naive";
  options.parameters = {{"ROWS", 4}};
  clgemm::sgemm(Layout::row_major, Transpose::no, Transpose::no, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2, options);
  if (c[0] != 19 || c[1] != 22 || c[2] != 43 || c[3] != 50) return fails("the product of 2 x 2");

  clgemm::Context context;
  context.sgemm(context.queue(), Layout::row_major, Transpose::no, Transpose::no, 0, 0, 0, 1, {nullptr, 1},
                {nullptr, 1}, 0, {nullptr, 1});
  clgemm::sgemm(context.queue(), Layout::row_major, Transpose::no, Transpose::no, 0, 0, 0, 1, {nullptr, 1},
                {nullptr, 1}, 0, {nullptr, 1});
  clgemm::release_contexts();
  return context.device() != nullptr && context.context() != nullptr;
}

}  // namespace

int main() {
  try {
    return names_a_bad_argument() && multiplies() ? 0 : 1;
  } catch (const clgemm::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    if (error.code() != clgemm::ErrorCode::device_not_found) return 1;
    std::fprintf(stderr, "SKIPPED: there is no OpenCL device on this machine\n");
    return skipped;
  }
}
