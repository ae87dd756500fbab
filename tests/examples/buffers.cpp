// C++ with OpenCL-CLHPP: matrices in cl::Buffer, on the program's own queue.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>
#include <clgemm/clgemm.hpp>

#include <cstddef>
#include <exception>
#include <iostream>
#include <vector>

int main() {
  using clgemm::Layout;
  using clgemm::Transpose;
  const std::size_t m = 48, n = 32, k = 20;
  try {
    const cl::Device device(clgemm::Context().device(), true);  // or one of your own
    const cl::Context context(device);
    const cl::CommandQueue queue(context, device);
    std::vector<float> a(m * k, 2.0f), b(k * n, 0.5f), c(m * n);
    const cl::Buffer on_a(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, a.size() * sizeof(float),
                          a.data());
    const cl::Buffer on_b(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, b.size() * sizeof(float),
                          b.data());
    const cl::Buffer on_c(context, CL_MEM_READ_WRITE, c.size() * sizeof(float));

    clgemm::sgemm(queue(), Layout::row_major, Transpose::no, Transpose::no, m, n, k, 1.0f, {on_a, k},
                  {on_b, n}, 0.0f, {on_c, n});
    queue.enqueueReadBuffer(on_c, CL_TRUE, 0, c.size() * sizeof(float), c.data());

    for (const float element : c) {
      if (element != 2.0f * 0.5f * static_cast<float>(k)) {
        std::cerr << "an element of C is " << element << '\n';
        return 1;
      }
    }
    std::cout << "right\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
