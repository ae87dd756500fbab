// The worker process: builds, checks and times one config after the other, as it is asked, line by line.
#pragma once

#include <string>

#include "tune/measured.hpp"

namespace clgemm::tune {

// What the worker is asked, and its answer, as a line of JSON each.
struct Question {
  Trial trial;
  bool transpose_a = false;
  bool transpose_b = false;
  double worst_ms = 0.0;  // a config that takes longer is not worth a second run; 0: each is
  std::size_t gap = 0;    // elements between the lines of each matrix
  float beta = 0.0f;
};
std::string write_question(const Question& question);
Outcome read_answer(const std::string& line);

// Answers until standard input ends. `device` as find_device() takes it.
void run_worker(const std::string& device, const std::string& kernel_folder);

}  // namespace clgemm::tune
