// Converts clgemm's errors to CLBlast's statuses.
#pragma once

#include <clblast.h>

#include <clgemm/error.hpp>

namespace clgemm::clblast_names {

// Returns the status. If the error is not about an argument, it also prints the meaning on stderr, like
// CLBlast.
clblast::StatusCode status_of(const Error& error);

// Does the same for the exception that is being handled.
clblast::StatusCode status_of_current_exception();

}  // namespace clgemm::clblast_names
