/* ScaLAPACK asks PILAENV for the block size along k in its own updates, and its own answer is 32: far too
   thin for a device, which moves all of C for each block. Who loads this library gets CLGEMM_BLAS_BLOCK, or
   512. */
#include <stdlib.h>

enum { most = 1 << 20, otherwise = 512 };

__attribute__((visibility("default"))) int pilaenv_(const int* context, const char* precision) {
  (void)context;
  if (*precision != 'S' && *precision != 's') return 32; /* not ours to speed up */
  const char* text = getenv("CLGEMM_BLAS_BLOCK");
  const long value = text != NULL ? strtol(text, NULL, 10) : 0;
  return value > 0 && value <= most ? (int)value : otherwise;
}
