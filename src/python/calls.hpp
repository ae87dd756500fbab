// Makes a call from Python: checks and arranges its arguments, and runs it with the interpreter's lock
// released.
#pragma once

#include <clgemm/clgemm.hpp>
#include "python/arrangement.hpp"

namespace clgemm::python {

// The other arguments of a Python call besides the matrices, as Python objects.
struct Factors {
  pybind11::handle alpha;
  pybind11::handle beta;
  pybind11::handle transpose_a;
  pybind11::handle transpose_b;
};

// Returns the shape that `c` must have. The arrays may be on the host or on a device.
pybind11::tuple result_shape(pybind11::handle a, pybind11::handle b, pybind11::handle transpose_a,
                             pybind11::handle transpose_b);

// Does the same for lists of matrices: (count, m, n).
pybind11::tuple result_shape_of_lists(pybind11::handle a, pybind11::handle b, pybind11::handle transpose_a,
                                      pybind11::handle transpose_b);

// Compute on arrays of the host. Return when c is complete.
void multiply(Context& owner, pybind11::handle a, pybind11::handle b, pybind11::handle c,
              const Factors& factors, const Options& options);
void multiply(DeviceSet& owner, pybind11::handle a, pybind11::handle b, pybind11::handle c,
              const Factors& factors, const Options& options);

// Computes on arrays of a device. Returns an event, owned by the caller, when all is enqueued. Without
// `context`, it uses the Context that clgemm keeps for the queue.
cl_event enqueue(Context* context, pybind11::handle queue, pybind11::handle a, pybind11::handle b,
                 pybind11::handle c, const Factors& factors, pybind11::handle wait_for,
                 const Options& options);

// Does the same for lists of arrays of a device. alpha and beta may be lists, too, and a or b one matrix for
// all.
cl_event enqueue_lists(Context* context, pybind11::handle queue, pybind11::handle a, pybind11::handle b,
                       pybind11::handle c, const Factors& factors, pybind11::handle wait_for,
                       const Options& options);

}  // namespace clgemm::python
