// The settings of kernel_stress, and the configs that it tests for them.
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
  Size size{0, 0, 0};  // zeros mean that it depends on the kernel, see size_for()
  std::string only;    // a part of the subject's name
  std::string folder;
  std::string kernel;  // tests only this one
  Parameters parameters;
  bool copies = true;
  double seconds = 60.0;  // for each subject at most
};

// Throws Error(invalid_argument) that explains the usage of the program.
Settings read_settings(const std::vector<std::string>& words);

struct Subject {
  std::string kernel;  // empty means the library's choice
  Parameters parameters;
  std::size_t calls;

  std::string name() const;
};

std::vector<Subject> subjects_of(const Settings& settings, const Device& device);

Size size_for(const Subject& subject, const Settings& settings);

}  // namespace clgemm::test
