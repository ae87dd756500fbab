// Counts the references to OpenCL objects that this process holds: those created and retained, minus those
// released.
#pragma once

#include <string>

namespace clgemm::test {

// References by kind.
struct LiveObjects {
  long contexts = 0;
  long queues = 0;
  long buffers = 0;
  long programs = 0;
  long kernels = 0;
  long events = 0;

  long total() const { return contexts + queues + buffers + programs + kernels + events; }
};

// Counts from the start of the process. It sees calls that reach the OpenCL library by name: the program's
// own, and those of libraries that it loads.
LiveObjects live_objects();

std::string describe(const LiveObjects& objects);

}  // namespace clgemm::test
