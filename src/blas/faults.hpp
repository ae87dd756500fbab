// Wrong arguments: found in the order of the reference BLAS, and reported to whoever reports them in this
// process, by the position that the BLAS gives them.
#pragma once

#include <clgemm/error.hpp>

#include "blas/call.hpp"

namespace clgemm::blas {

// Which function of which interface was called; positions and names depend on it.
enum class Interface { fortran, cblas, cblas_strided_batch, cblas_batch };

// The first argument that makes no sense; none where all do. Null pointers and matrices that overlap are not
// looked for, as the BLAS does not.
Argument first_fault(const Call& call);

// Calls xerbla_ or cblas_xerbla of the program or its libraries; writes the message of the reference BLAS
// where there is none. `row_major` is what the caller of CBLAS said; `call` and so `argument` are
// column-major.
void report(Interface interface, Argument argument, bool row_major);

}  // namespace clgemm::blas
