#include "scenario.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "fault_layer.hpp"
#include "support/reference.hpp"

namespace clgemm::test {

namespace {

// Returns the expected C with everything around it. Sums of small integers are exact.
std::vector<float> expected_c(const GemmCase& gemm, const Data& data) {
  const std::vector<double> result = reference_result(gemm, data);
  std::vector<float> c = data.c;
  for (std::size_t row = 0; row < gemm.c.rows; ++row) {
    for (std::size_t column = 0; column < gemm.c.columns; ++column)
      c[gemm.c.index(row, column)] = static_cast<float>(result[row * gemm.c.columns + column]);
  }
  return c;
}

}  // namespace

Task::Task(const Shape& shape, const Scalars& scalars)
    : gemm(make_gemm_case({Layout::row_major, Transpose::no, Transpose::yes}, shape, scalars,
                          all_placements()[1])),
      data(integer_data(gemm, 5)),
      expected(expected_c(gemm, data)) {}

// Compares values, because a zero may have either sign.
bool Task::is_right(const std::vector<float>& c) const {
  const auto is_same = [](float x, float y) { return x == y || std::memcmp(&x, &y, sizeof x) == 0; };
  return std::equal(c.begin(), c.end(), expected.begin(), expected.end(), is_same);
}

bool Task::leaves_rest(const std::vector<float>& c) const {
  return damage_around_c(gemm, data, c).empty();
}

const Task& task_of(const Shape& shape, float beta, float alpha) {
  using Key = std::tuple<std::size_t, std::size_t, std::size_t, float, float>;
  static std::map<Key, Task> tasks;
  const Key key{shape.m, shape.n, shape.k, alpha, beta};
  return tasks.try_emplace(key, shape, Scalars{alpha, beta}).first->second;
}

MemoryOfItsOwn::MemoryOfItsOwn(bool yes, cl_device_id of_one) {
  if (!yes) return;
  const cl_bool no = CL_FALSE;
  FaultLayer::of_process().pretend(false, CL_DEVICE_HOST_UNIFIED_MEMORY,
                                   std::string(reinterpret_cast<const char*>(&no), sizeof no), of_one);
}

MemoryOfItsOwn::~MemoryOfItsOwn() {
  FaultLayer::of_process().pretend(false, CL_DEVICE_HOST_UNIFIED_MEMORY, {});
}

std::vector<cl_device_id> devices_of_platform() {
  const auto platform = default_device().getInfo<CL_DEVICE_PLATFORM>();
  std::vector<cl_device_id> result;
  for (const cl::Device& device : all_devices()) {
    if (device.getInfo<CL_DEVICE_PLATFORM>() == platform) result.push_back(device());
  }
  return result;
}

}  // namespace clgemm::test
