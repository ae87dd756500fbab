// Handles the interpreter in a call from Python: a call releases the lock while it works, and it may outlive
// the interpreter.
//
// If a daemon thread asks for the lock of an interpreter that is ending, it never gets it. Python 3.14 lets
// such a thread hang. Earlier versions end the thread with pthread_exit(), which unwinds the stack through
// our frames. Their destructors would use Python's objects without the lock, and std::terminate() ends the
// process at the first function that must not throw. So such a thread hangs here, too, until the process
// ends.
#pragma once

#include <pybind11/pybind11.h>

namespace clgemm::python {

// Do what PyEval_RestoreThread() and PyObject_CallObject() do. A thread that Python would end hangs in them.
void take_lock(PyThreadState* thread);
PyObject* call(pybind11::handle function, const pybind11::tuple& arguments);

// While it exists, other threads of Python run.
class ReleasedLock {
 public:
  ReleasedLock() : thread_(PyEval_SaveThread()) {}
  ~ReleasedLock() { take_lock(thread_); }
  ReleasedLock(const ReleasedLock&) = delete;
  ReleasedLock& operator=(const ReleasedLock&) = delete;

 private:
  PyThreadState* thread_;
};

}  // namespace clgemm::python
