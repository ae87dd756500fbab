// A call from Python: its arguments are checked and arranged, then it runs with the interpreter's lock
// released.
#pragma once

#include <clgemm/clgemm.hpp>
#include "python/arrangement.hpp"

namespace clgemm::python {

// What Python says besides the matrices, as it says it.
struct Factors {
  pybind11::handle alpha;
  pybind11::handle beta;
  pybind11::handle transpose_a;
  pybind11::handle transpose_b;
};

// The shape that `c` must have; the arrays may be on the host or on a device.
pybind11::tuple result_shape(pybind11::handle a, pybind11::handle b, pybind11::handle transpose_a,
                             pybind11::handle transpose_b);

// The same for lists of matrices: (count, m, n).
pybind11::tuple result_shape_of_lists(pybind11::handle a, pybind11::handle b, pybind11::handle transpose_a,
                                      pybind11::handle transpose_b);

// Arrays of the host; returns when c is complete.
void multiply(Context& owner, pybind11::handle a, pybind11::handle b, pybind11::handle c,
              const Factors& factors, const Options& options);
void multiply(DeviceSet& owner, pybind11::handle a, pybind11::handle b, pybind11::handle c,
              const Factors& factors, const Options& options);

// Arrays of a device; returns an event of the caller's when all is enqueued. Without `context`, the one that
// clgemm keeps for the queue.
cl_event enqueue(Context* context, pybind11::handle queue, pybind11::handle a, pybind11::handle b,
                 pybind11::handle c, const Factors& factors, pybind11::handle wait_for,
                 const Options& options);

// The same for lists of arrays of a device; alpha and beta may be lists, too, and a or b one matrix for all.
cl_event enqueue_lists(Context* context, pybind11::handle queue, pybind11::handle a, pybind11::handle b,
                       pybind11::handle c, const Factors& factors, pybind11::handle wait_for,
                       const Options& options);

}  // namespace clgemm::python
