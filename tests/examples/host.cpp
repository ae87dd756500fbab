// C = A * B on the default OpenCL device, with matrices in host memory.
#include <clgemm/clgemm.hpp>
#include <iostream>
#include <vector>

int main() {
  using namespace clgemm;
  const std::size_t n = 256;
  const std::vector<float> a(n * n, 2.0f), b(n * n, 0.5f);
  std::vector<float> c(n * n);
  sgemm(Layout::row_major, Transpose::no, Transpose::no, n, n, n, 1.0f, a.data(), n, b.data(), n, 0.0f,
        c.data(), n);
  std::cout << "c[0] is " << c[0] << '\n';
  return c == std::vector<float>(n * n, 256.0f) ? 0 : 1;
}
