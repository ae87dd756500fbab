#include "blas/faults.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "blas/cpu_blas.hpp"

namespace clgemm::blas {
namespace {

// The position of an argument, or 0 if the function does not have it. CBLAS has the layout before all others.
// For cblas_sgemm(), every BLAS checks only the layout and the transposes itself. All other errors are
// reported for the column-major call of SGEMM that it makes.
struct Position {
  Argument argument;
  int fortran;
  int cblas;
  int strided_batch;
  int batch;
};
constexpr Position positions[] = {{Argument::layout, 0, 1, 1, 1},
                                  {Argument::transpose_a, 1, 2, 2, 2},
                                  {Argument::transpose_b, 2, 3, 3, 3},
                                  {Argument::m, 3, 0, 4, 4},
                                  {Argument::n, 4, 0, 5, 5},
                                  {Argument::k, 5, 0, 6, 6},
                                  {Argument::a, 7, 0, 8, 8},
                                  {Argument::lda, 8, 0, 9, 9},
                                  {Argument::b, 9, 0, 11, 10},
                                  {Argument::ldb, 10, 0, 12, 11},
                                  {Argument::c, 12, 0, 15, 13},
                                  {Argument::ldc, 13, 0, 16, 14},
                                  {Argument::batch_count, 0, 0, 18, 15}};

int position_of(Interface interface, Argument argument) {
  const auto* const found = std::find_if(std::begin(positions), std::end(positions),
                                         [&](const Position& one) { return one.argument == argument; });
  if (found == std::end(positions)) return 0;
  switch (interface) {
    case Interface::fortran:
      return found->fortran;
    case Interface::cblas:
      return found->cblas;
    case Interface::cblas_strided_batch:
      return found->strided_batch;
    case Interface::cblas_batch:
      return found->batch;
  }
  return 0;
}

const char* name_of(Interface interface) {
  switch (interface) {
    case Interface::fortran:
      return "SGEMM ";
    case Interface::cblas:
      return "cblas_sgemm";
    case Interface::cblas_strided_batch:
      return "cblas_sgemm_batch_strided";
    case Interface::cblas_batch:
      return "cblas_sgemm_batch";
  }
  return "";
}

// Returns a function of the program, or of a library that it has loaded globally, or else of the CPU BLAS.
void* find(const char* name) {
  if (void* const found = dlsym(RTLD_DEFAULT, name)) return found;
  return cpu_blas().symbol(name);
}

void print(const char* name, int position) {
  std::fprintf(stderr, " ** On entry to %.*s parameter number %2d had an illegal value\n",
               static_cast<int>(std::strcspn(name, " ")), name, position);
}

void report_to_fortran(const char* name, int position) {
  using Xerbla = void(const char* name, const std::int64_t* position, std::size_t name_length);
  auto* const xerbla = reinterpret_cast<Xerbla*>(find("xerbla_"));
  // The first half of a 64-bit integer is the 32-bit integer, so both kinds of library read it.
  const std::int64_t info = position;
  if (xerbla == nullptr) return print(name, position);
  xerbla(name, &info, std::strlen(name));
}

// With these flags, the reference CBLAS tells its own cblas_xerbla() and xerbla_() to convert argument
// positions and to report in the terms of CBLAS. Other libraries have no such flags.
class ReferenceFlag {
 public:
  ReferenceFlag(const char* name, bool value)
      : flag_(static_cast<int*>(dlsym(RTLD_DEFAULT, name))), before_(flag_ != nullptr ? *flag_ : 0) {
    if (flag_ != nullptr) *flag_ = value ? 1 : 0;
  }
  ~ReferenceFlag() {
    if (flag_ != nullptr) *flag_ = before_;
  }
  ReferenceFlag(const ReferenceFlag&) = delete;
  ReferenceFlag& operator=(const ReferenceFlag&) = delete;

 private:
  int* flag_;
  int before_;
};

// Returns the argument of a row-major call that became this argument of the column-major one.
Argument exchanged(Argument argument) {
  switch (argument) {
    case Argument::m:
      return Argument::n;
    case Argument::n:
      return Argument::m;
    case Argument::lda:
      return Argument::ldb;
    case Argument::ldb:
      return Argument::lda;
    default:
      return argument;
  }
}

void report_to_c(const char* name, int position) {
  using Xerbla = void(int position, const char* name, const char* format, ...);
  auto* const xerbla = reinterpret_cast<Xerbla*>(find("cblas_xerbla"));
  if (xerbla == nullptr) return report_to_fortran(name, position);
  xerbla(position, name, "%s", "");
}

bool is_short(std::int64_t ld, std::int64_t length) {
  return ld < std::max<std::int64_t>(length, 1);
}

}  // namespace

Argument first_fault(const Call& call) {
  if (call.m < 0) return Argument::m;
  if (call.n < 0) return Argument::n;
  if (call.k < 0) return Argument::k;
  if (is_short(call.lda, call.transpose_a ? call.k : call.m)) return Argument::lda;
  if (is_short(call.ldb, call.transpose_b ? call.n : call.k)) return Argument::ldb;
  if (is_short(call.ldc, call.m)) return Argument::ldc;
  return Argument::none;
}

void report(Interface interface, Argument argument, bool row_major) {
  // The reference converts the positions of cblas_sgemm() itself, but does not know those of batches.
  const bool is_batch = interface == Interface::cblas_strided_batch || interface == Interface::cblas_batch;
  const int position = position_of(interface, is_batch && row_major ? exchanged(argument) : argument);
  if (interface == Interface::fortran) return report_to_fortran(name_of(interface), position);
  const ReferenceFlag order("RowMajorStrg", row_major && !is_batch);
  const ReferenceFlag caller("CBLAS_CallFromC", true);
  if (position != 0) return report_to_c(name_of(interface), position);
  report_to_fortran(name_of(Interface::fortran), position_of(Interface::fortran, argument));
}

}  // namespace clgemm::blas
