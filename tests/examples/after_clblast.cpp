// A program that called CLBlast's Sgemm and now calls clgemm. Its OpenCL setup is unchanged.
#include <clgemm/clgemm.hpp>
#include <iostream>
#include <vector>

// Row-major C = alpha * A * B + beta * C. The sums are integers, so the result is exact.
constexpr std::size_t m = 129;
constexpr std::size_t n = 67;
constexpr std::size_t k = 251;
constexpr float alpha = 2.0f;
constexpr float beta = -1.0f;

// Holds a device, a context and a queue, and releases them at the end.
struct OpenCl {
  OpenCl() {
    cl_platform_id platforms[8] = {};
    cl_uint count = 0;
    clGetPlatformIDs(8, platforms, &count);
    cl_device_id device = nullptr;
    for (cl_uint i = 0; i < count && i < 8 && device == nullptr; ++i) {
      clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    }
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    queue = clCreateCommandQueue(context, device, 0, nullptr);
  }
  ~OpenCl() {
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }

  cl_mem buffer(std::vector<float>& values) const {
    return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(float),
                          values.data(), nullptr);
  }

  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};

// CLBlast has the same arguments in the same order: each matrix is a buffer, an offset and a leading
// dimension. It returns a status, but clgemm throws.
void multiply(cl_command_queue queue, cl_mem a, cl_mem b, cl_mem c) {
  cl_event event = nullptr;
  clgemm::sgemm(queue, clgemm::Layout::row_major, clgemm::Transpose::no, clgemm::Transpose::no, m, n, k,
                alpha, {a, k}, {b, n}, beta, {c, n}, {}, &event);
  clWaitForEvents(1, &event);
  clReleaseEvent(event);
}

int main() {
  std::vector<float> a(m * k);
  std::vector<float> b(k * n);
  std::vector<float> c(m * n);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3.0f;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2.0f;
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<float>(i % 3);

  std::vector<float> expected(m * n);
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      float sum = 0.0f;
      for (std::size_t i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
      expected[row * n + column] = alpha * sum + beta * c[row * n + column];
    }
  }

  const OpenCl cl;
  cl_mem device_a = cl.buffer(a);
  cl_mem device_b = cl.buffer(b);
  cl_mem device_c = cl.buffer(c);
  try {
    multiply(cl.queue, device_a, device_b, device_c);
  } catch (const clgemm::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  clEnqueueReadBuffer(cl.queue, device_c, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0, nullptr,
                      nullptr);
  for (cl_mem buffer : {device_a, device_b, device_c}) clReleaseMemObject(buffer);

  std::cout << (c == expected ? "right" : "wrong") << '\n';
  return c == expected ? 0 : 1;
}
