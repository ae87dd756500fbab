// The test runner's main() for tests that need no device. Catch2 3 has its own.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
