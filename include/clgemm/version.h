/// \file
/// The version of these headers, for C and C++. docs/versions.md explains what a change of each number means.
#pragma once

#define CLGEMM_VERSION_MAJOR 0  ///< 0 until the API is stable
#define CLGEMM_VERSION_MINOR 3  ///< as long as MAJOR is 0, a new MINOR may change the API
#define CLGEMM_VERSION_PATCH 0  ///< a new PATCH never changes the API
