// A device that dies like an NVIDIA H200, for tests on any other device. The program's own definitions of
// OpenCL's functions come before those of the OpenCL library. In a library that is preloaded, they come
// before those of any program.
//
// The device dies when a kernel is enqueued whose program was built with the option in
// CLGEMM_TEST_DEADLY_OPTION ("-DTS=8"). A kernel with the option in CLGEMM_TEST_OPTION_WITHOUT_RESOURCES
// cannot be enqueued, and the device continues to work.
#pragma once

namespace clgemm::test {

void kill_device();
void revive_device();

}  // namespace clgemm::test
