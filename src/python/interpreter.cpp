#include "python/interpreter.hpp"

#include <unistd.h>

namespace clgemm::python {
namespace {

// Hangs if the stack is unwound. It uses no `catch`, because the exception of pthread_exit() ends the process
// if it is caught while another exception is active.
class HangIfUnwound {
 public:
  HangIfUnwound() = default;
  ~HangIfUnwound() {
    while (!returned_) pause();
  }
  HangIfUnwound(const HangIfUnwound&) = delete;
  HangIfUnwound& operator=(const HangIfUnwound&) = delete;

  void returned() { returned_ = true; }

 private:
  bool returned_ = false;
};

}  // namespace

// Not inlined, because in a function that must not throw, compilers omit the destructor and call
// std::terminate().
[[gnu::noinline]] void take_lock(PyThreadState* thread) {
  HangIfUnwound guard;
  PyEval_RestoreThread(thread);
  guard.returned();
}

[[gnu::noinline]] PyObject* call(pybind11::handle function, const pybind11::tuple& arguments) {
  HangIfUnwound guard;
  PyObject* const result = PyObject_CallObject(function.ptr(), arguments.ptr());
  guard.returned();
  return result;
}

}  // namespace clgemm::python
