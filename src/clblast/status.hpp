// clgemm's errors as CLBlast's statuses.
#pragma once

#include <clblast.h>

#include <clgemm/error.hpp>

namespace clgemm::clblast_names {

// Returns the status, and says on stderr what it stands for, as CLBlast does for errors that are not about an
// argument.
clblast::StatusCode status_of(const Error& error);

// The same for whatever is in flight.
clblast::StatusCode status_of_current_exception();

}  // namespace clgemm::clblast_names
