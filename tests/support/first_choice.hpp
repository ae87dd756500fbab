// The kernel that clgemm would choose first, in a changed version of a test's own.
#pragma once

#include <string>

#include "multiply.hpp"
#include "temporary.hpp"

namespace clgemm::test {

// A multiply that is large enough for the first choice to be one of the fast kernels, and is of no tile's
// size.
Multiply first_choice_multiply();

// The kernel or variant that clgemm tries first for it on the shared device.
std::string first_choice();

// Options that name it with the parameters that it is chosen with, for its defaults may not be for the
// device.
void name_first_choice(Options& options);

// A kernel folder with the first choice's file, in which `from` is replaced by `to` wherever it stands. Fails
// the test where it stands nowhere.
void write_first_choice(const TemporaryFolder& folder, const std::string& from, const std::string& to);

// A kernel folder in which the first choice leaves the last of k out.
void write_wrong_first_choice(const TemporaryFolder& folder);

// True where `context` gives the right result for first_choice_multiply().
bool is_right_on(Context& context, const Options& options);

// explain() of first_choice_multiply().
std::string explain_on(Context& context, const Options& options);

// True if explain() says that a config was not used for another reason than that the device does not allow
// it. Devices with less local memory than the one that was measured do not allow all of its configs.
bool says_failed(const std::string& explained);

}  // namespace clgemm::test
