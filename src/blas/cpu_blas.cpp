#include "blas/cpu_blas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/printable.hpp"

// Identifies another copy of this library.
extern "C" __attribute__((visibility("default"))) const char clgemm_blas_marker = 1;

namespace clgemm::blas {
namespace {

// The names of SGEMM in Fortran, and whether their integers certainly have 64 bits. The last two names are
// those of the OpenBLAS in the packages of numpy and scipy.
struct Name {
  const char* text;
  bool long_integers;
};
constexpr Name names[] = {
    {"sgemm_", false}, {"sgemm_64_", true}, {"scipy_sgemm_", false}, {"scipy_sgemm_64_", true}};

constexpr const char* system_libraries[] = {"libblas.so.3", "libopenblas.so.0", "libblis.so.4",
                                            "libmkl_rt.so.3", "libmkl_rt.so.2"};

// Returns the file that contains an address; empty if it is unknown.
std::string file_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> files;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        if (info->dlpi_name != nullptr && *info->dlpi_name != '\0')
          static_cast<std::vector<std::string>*>(result)->emplace_back(info->dlpi_name);
        return 0;
      },
      &files);
  return files;
}

}  // namespace

// Takes the library if it has an SGEMM, either in `wanted_file` or, if that is null, in any of the libraries
// that come with it.
bool CpuBlas::take(void* handle, const char* wanted_file) {
  for (const Name& name : names) {
    void* const address = dlsym(handle, name.text);
    if (address == nullptr) continue;
    const std::string file = file_of(address);
    if (file.empty() || (wanted_file != nullptr && file != wanted_file)) continue;
    // It is this library, a copy of it, or one that would call it: its SGEMM is ours.
    void* const owner = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    const bool is_ours = file == file_of(&clgemm_blas_marker) ||
                         (owner != nullptr && dlsym(owner, "clgemm_blas_marker") != nullptr);
    if (owner != nullptr) dlclose(owner);
    if (is_ours) continue;
    sgemm_ = reinterpret_cast<Sgemm*>(address);
    long_integers_ = name.long_integers;
    handle_ = handle;
    path_ = file;
    return true;
  }
  return false;
}

CpuBlas CpuBlas::find() {
  CpuBlas found;
  // Returns why the library is not used.
  const auto load = [&found](const std::string& library) -> std::string {
    // Deep binding: the library's own calls of BLAS functions stay inside it.
    void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (handle == nullptr) return dlerror();
    if (found.take(handle, nullptr)) return {};
    dlclose(handle);
    return "it has no SGEMM of its own";
  };
  const std::string named = environment("CLGEMM_BLAS_CPU");
  if (named == "none") return found;
  if (!named.empty()) {
    // This is printed even without CLGEMM_LOG, because without a CPU BLAS a program may become very slow.
    if (const std::string why = load(named); !why.empty())
      fmt::print(stderr, "clgemm_blas: there is no CPU BLAS, because CLGEMM_BLAS_CPU is '{}': {}\n",
                 printable(named), printable(why));
    return found;
  }
  for (const std::string& file : loaded_libraries()) {
    void* const handle = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    if (found.take(handle, file.c_str())) return found;
    dlclose(handle);
  }
  for (const char* library : system_libraries) {
    if (load(library).empty()) return found;
  }
  return found;
}

bool CpuBlas::can_take(const Call& call) const {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return long_integers_ || std::max({call.m, call.n, call.k, call.lda, call.ldb, call.ldc}) <= most;
}

void CpuBlas::multiply(const Call& call) const {
  // The first half of a 64-bit integer is the 32-bit integer, so both kinds of library read the right value.
  const char* const letters = "NT";
  sgemm_(&letters[call.transpose_a ? 1 : 0], &letters[call.transpose_b ? 1 : 0], &call.m, &call.n, &call.k,
         &call.alpha, call.a, &call.lda, call.b, &call.ldb, &call.beta, call.c, &call.ldc, 1, 1);
}

void* CpuBlas::symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

const CpuBlas& cpu_blas() {
  // Never destroyed: calls may come until the very end of the process.
  static const CpuBlas* const instance = [] {
    const auto* const found = new CpuBlas(CpuBlas::find());
    log(LogLevel::info, *found ? "CPU BLAS: " + found->path() : "there is no CPU BLAS");
    return found;
  }();
  return *instance;
}

void multiply_in_plain_loop(const Call& call) {
  const auto a_at = [&](std::int64_t row, std::int64_t p) {
    return call.a[call.transpose_a ? p + row * call.lda : row + p * call.lda];
  };
  const auto b_at = [&](std::int64_t p, std::int64_t column) {
    return call.b[call.transpose_b ? column + p * call.ldb : p + column * call.ldb];
  };
  const bool reads = call.alpha != 0.0f && call.k > 0;
  if (!reads && call.beta == 1.0f) return;
  for (std::int64_t column = 0; column < call.n; ++column) {
    float* const c = call.c + column * call.ldc;
    for (std::int64_t row = 0; row < call.m; ++row) {
      c[row] = call.beta == 0.0f ? 0.0f : call.beta * c[row];
    }
    for (std::int64_t p = 0; reads && p < call.k; ++p) {
      const float factor = call.alpha * b_at(p, column);
      for (std::int64_t row = 0; row < call.m; ++row) c[row] += factor * a_at(row, p);
    }
  }
}

}  // namespace clgemm::blas
