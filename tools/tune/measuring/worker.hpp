// The worker process: builds, checks and times one config after another, as requested, one line each.
#pragma once

#include <string>

#include "tune/searching/measured.hpp"

namespace clgemm::tune {

// The question to the worker, and its answer, each as a line of JSON.
struct Question {
  Trial trial;
  bool transpose_a = false;
  bool transpose_b = false;
  double worst_ms = 0.0;  // a config that takes longer gets no second run; 0 means no limit
  std::size_t gap = 0;    // elements between the lines of each matrix
  float beta = 0.0f;
};
std::string write_question(const Question& question);
Outcome read_answer(const std::string& line);

// Answers until standard input ends. `device` has the form that find_device() takes.
void run_worker(const std::string& device, const std::string& kernel_folder);

}  // namespace clgemm::tune
