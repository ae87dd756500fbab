/// \file
/// The version of these headers, for C and C++. docs/versions.md says what a change of each number means.
#pragma once

#define CLGEMM_VERSION_MAJOR 0
#define CLGEMM_VERSION_MINOR 2
#define CLGEMM_VERSION_PATCH 0
