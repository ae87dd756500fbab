// One GEMM of a batch whose matrices lie anywhere: an entry of the list that a kernel with `batch` gets.
// Offsets are in elements from the beginning of the buffers.
typedef struct {
  ulong a, b, c;
  float alpha, beta;
} Product;

// Returns the offsets of the matrices of GEMM `i`, beyond the call's offsets, and its factors. Without a list
// (null) the matrices lie a stride apart.
static inline Product product_of(__global const Product* products, const size_t i, const ulong a_stride,
                                 const ulong b_stride, const ulong c_stride, const float alpha,
                                 const float beta) {
  if (products != 0) return products[i];
  const Product product = {i * a_stride, i * b_stride, i * c_stride, alpha, beta};
  return product;
}
