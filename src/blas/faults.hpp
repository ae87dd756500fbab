// Finds wrong arguments in the order of the reference BLAS, and reports them to the error handler of this
// process, by the position that the BLAS gives them.
#pragma once

#include <clgemm/error.hpp>

#include "blas/call.hpp"

namespace clgemm::blas {

// The interface of the called function; positions and names depend on it.
enum class Interface { fortran, cblas, cblas_strided_batch, cblas_batch };

// Returns the first invalid argument; none if all are valid. It does not check for null pointers or
// overlapping matrices, like the BLAS.
Argument first_fault(const Call& call);

// Calls xerbla_ or cblas_xerbla of the program or its libraries. If there is none, it writes the message of
// the reference BLAS. `row_major` is the layout that the caller of CBLAS passed; `argument` is that of the
// column-major call. For batches, the position is that of the argument that the caller passed.
void report(Interface interface, Argument argument, bool row_major);

}  // namespace clgemm::blas
