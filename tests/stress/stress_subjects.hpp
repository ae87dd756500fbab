// What kernel_stress is asked for, and the configs that it then makes calls of.
#pragma once

#include <string>
#include <vector>

#include "base/device.hpp"
#include "kernel/manifest.hpp"

namespace clgemm::test {

struct Size {
  std::size_t m, n, k;
};

struct Settings {
  std::size_t calls = 20000;
  std::size_t other_calls = 1000;
  Size size{0, 0, 0};  // zeros: by kernel, see size_for()
  std::string only;    // a part of the subject's name
  std::string folder;
  std::string kernel;  // only this one
  Parameters parameters;
  bool copies = true;
  double seconds = 60.0;  // for each subject, at most
};

// Throws Error(invalid_argument) that says how to use the program.
Settings read_settings(const std::vector<std::string>& words);

struct Subject {
  std::string kernel;  // empty: the library's choice
  Parameters parameters;
  std::size_t calls;

  std::string name() const;
};

std::vector<Subject> subjects_of(const Settings& settings, const Device& device);

Size size_for(const Subject& subject, const Settings& settings);

}  // namespace clgemm::test
