// A multiply of a batch whose matrices lie at any place: an entry of the list that a kernel with `batch` gets. In
// elements from the beginning of the buffers.
typedef struct {
  ulong a, b, c;
  float alpha, beta;
} Product;

// Where in A, B and C the matrices of multiply `i` begin beyond the offsets, and its factors. Without a list (null) they
// lie a stride apart.
static inline Product product_of(__global const Product* products, const size_t i, const ulong a_stride,
                                 const ulong b_stride, const ulong c_stride, const float alpha, const float beta) {
  if (products != 0) return products[i];
  const Product product = {i * a_stride, i * b_stride, i * c_stride, alpha, beta};
  return product;
}
