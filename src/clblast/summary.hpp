// CLGEMM_CLBLAST_LOG=summary: at the end of the process, how many calls clgemm did and how many the real
// CLBlast, on stderr.
#pragma once

#include <cstddef>

namespace clgemm::clblast_names {

// One call that clgemm has done, of so many multiplies.
void count_call(std::size_t multiplies);

// One call of SGEMM that was passed on to the real CLBlast, and why.
void count_passed_on(const char* why);

}  // namespace clgemm::clblast_names
