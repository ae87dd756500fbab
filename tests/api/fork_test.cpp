// fork(): if a process has not used clgemm, its child may make calls. If it has, the calls of the child fail
// with an error that says so, and the child ends like any other process.
#include <sys/wait.h>
#include <unistd.h>

#include <clgemm/clgemm.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace {

constexpr int skipped = 77;            // CTest shows this status as "Skipped"
constexpr unsigned most_seconds = 60;  // time for a child to end, or else it hangs

float product() {
  const float a = 3.0f;
  const float b = 4.0f;
  float c = 0.0f;
  clgemm::sgemm(clgemm::Layout::row_major, clgemm::Transpose::no, clgemm::Transpose::no, 1, 1, 1, 1.0f, &a, 1,
                &b, 1, 0.0f, &c, 1);
  return c;
}

// Returns true if `call` throws the error about forked processes.
bool is_refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const clgemm::Error& error) {
    return error.code() == clgemm::ErrorCode::forked_process;
  }
  return false;
}

// Returns the exit status of a child that runs `body` and calls exit(), or -1 if it hangs or crashes.
int status_of_child(const std::function<bool()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(most_seconds);
    std::exit(body() ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int failures = 0;
void check(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "fork_test.cpp: not so: %s\n", what);
}

}  // namespace

int main() {
  check(status_of_child([] {
          try {
            return product() == 12.0f;
          } catch (const clgemm::Error& error) {
            return error.code() == clgemm::ErrorCode::device_not_found;
          }
        }) == EXIT_SUCCESS,
        "a child calls where its parent has not");
  try {
    check(product() == 12.0f, "the parent's own call");
  } catch (const clgemm::Error& error) {
    if (error.code() != clgemm::ErrorCode::device_not_found) throw;
    std::fputs("SKIPPED: there is no OpenCL device on this machine\n", stderr);
    return skipped;
  }
  static clgemm::Context kept;
  check(status_of_child([] { return is_refused([] { product(); }); }) == 0, "a call in a child is refused");
  check(status_of_child([] { return is_refused([] { clgemm::Context(); }); }) == 0, "so is a new Context");
  check(status_of_child([] { return is_refused([] { kept.explain({}); }); }) == 0, "so is the parent's");
  check(status_of_child([] {
          clgemm::Context& itself = kept;
          kept = std::move(itself);
          clgemm::release_contexts();
          return true;
        }) == 0,
        "letting go in a child returns");
  check(product() == 12.0f, "the parent goes on");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
