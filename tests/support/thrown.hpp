// Checks the Error that a call must throw.
#pragma once

#include <clgemm/error.hpp>
#include <string>

#include "catch.hpp"

namespace clgemm::test {

struct Thrown {
  ErrorCode code;
  std::string text;
};

// Fails the test if the call throws nothing, or something else.
template <class Call>
Thrown thrown_by(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  FAIL("no Error was thrown");
  return {};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace clgemm::test

namespace Catch {
template <>
struct StringMaker<clgemm::ErrorCode> {
  static std::string convert(clgemm::ErrorCode code) { return clgemm::to_string(code); }
};
}  // namespace Catch

// CHECKs that a call throws an Error of this code whose text contains `part`.
#define CHECK_ERROR(call, expected_code, part)                             \
  do {                                                                     \
    const ::clgemm::test::Thrown thrown = ::clgemm::test::thrown_by(call); \
    INFO(thrown.text);                                                     \
    CHECK(thrown.code == ::clgemm::ErrorCode::expected_code);              \
    CHECK(::clgemm::test::contains(thrown.text, part));                    \
  } while (false)
