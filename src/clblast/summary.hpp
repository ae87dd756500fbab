// CLGEMM_CLBLAST_LOG=summary: prints on stderr, at the end of the process, how many calls clgemm computed and
// how many went to the real CLBlast.
#pragma once

#include <cstddef>

namespace clgemm::clblast_names {

// Counts one call of so many GEMMs that clgemm has computed.
void count_call(std::size_t gemms);

// Counts one call of SGEMM that was passed on to the real CLBlast, with the reason.
void count_passed_on(const char* why);

}  // namespace clgemm::clblast_names
