// A device that dies as an NVIDIA H200 does, for tests on any other. The program's own definitions of
// OpenCL's functions come before those of the OpenCL library; as a library that is preloaded they come before
// those of any program.
//
// It dies when a kernel is enqueued whose program was built with the option that CLGEMM_TEST_DEADLY_OPTION
// has
// ("-DTS=8"). One with that of CLGEMM_TEST_OPTION_WITHOUT_RESOURCES cannot be enqueued, and the device lives
// on.
#pragma once

namespace clgemm::test {

void kill_device();
void revive_device();

}  // namespace clgemm::test
