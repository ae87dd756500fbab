// The kernel that clgemm would choose first, in a version that a test has changed.
#pragma once

#include <string>

#include "gemm_case.hpp"
#include "temporary.hpp"

namespace clgemm::test {

// Returns a GEMM that is large enough for a fast kernel as the first choice, and does not have the size of
// any tile.
GemmCase first_choice_gemm();

// Returns the kernel or variant that clgemm tries first for it on the shared device.
std::string first_choice();

// Sets options that name it with its chosen parameters, because its defaults may not suit the device.
void name_first_choice(Options& options);

// Writes a kernel folder with the first choice's file, in which every `from` is replaced by `to`. Fails the
// test if there is none.
void write_first_choice(const TemporaryFolder& folder, const std::string& from, const std::string& to);

// Writes a kernel folder in which the first choice leaves out the end of k.
void write_wrong_first_choice(const TemporaryFolder& folder);

// Returns true if `context` gives the right result for first_choice_gemm().
bool is_right_on(Context& context, const Options& options);

// Returns explain() for first_choice_gemm().
std::string explain_on(Context& context, const Options& options);

// Returns true if explain() says that a config was not used for a reason other than the device's limits.
// Devices with less local memory than the measured one do not allow all of its configs.
bool says_failed(const std::string& explained);

}  // namespace clgemm::test
