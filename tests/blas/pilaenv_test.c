/* Tests the block size along k that libclgemm_pilaenv.so returns to ScaLAPACK. */
#include <stdio.h>
#include <stdlib.h>

int pilaenv_(const int* context, const char* precision);

static int failures = 0;

static void expect(int block, const char* precision, const char* variable) {
  const int context = 0;
  if (variable != NULL) {
    setenv("CLGEMM_BLAS_BLOCK", variable, 1);
  } else {
    unsetenv("CLGEMM_BLAS_BLOCK");
  }
  const int answer = pilaenv_(&context, precision);
  if (answer == block) return;
  ++failures;
  fprintf(stderr, "pilaenv_test.c: %s with '%s': %d, not %d\n", precision, variable != NULL ? variable : "",
          answer, block);
}

int main(void) {
  expect(512, "S", NULL);
  expect(4096, "S", "4096");
  expect(4096, "s", "4096");
  expect(512, "S", "many");
  expect(512, "S", "-1");
  expect(512, "S", "99999999999");
  expect(32, "D", "4096"); /* ScaLAPACK's own */
  expect(32, "Z", NULL);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
