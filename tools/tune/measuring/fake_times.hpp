// For tests of the search: with CLGEMM_TUNE_FAKE_TIMES=1, every config is built, run and checked as usual.
// But its time is a function of config and size, and every measurement costs the same. So two runs write the
// same bytes on any machine.
#pragma once

#include "tune/searching/measured.hpp"

namespace clgemm::tune {

bool times_are_fake();

Outcome with_fake_times(const Trial& trial, Outcome outcome);

}  // namespace clgemm::tune
