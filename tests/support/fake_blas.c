/* A library with the functions that clgemm-bench calls in CBLAS, in CUDA's runtime and in cuBLAS. It computes
   with a naive loop in the host's memory. It shows, without a GPU, that the bench calls them with the right
   arguments. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { row_major = 101, transposed = 112, tf32_math = 3 };

static int math_mode;

/* Rounds to ten bits of significand, like the tensor cores. */
static float rounded(float value) {
  uint32_t bits;
  if (math_mode != tf32_math) return value;
  memcpy(&bits, &value, sizeof bits);
  bits = (bits + 0x1000U) & ~0x1FFFU;
  memcpy(&value, &bits, sizeof bits);
  return value;
}

/* Column-major; 1 means a transpose. */
static void multiply(int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a,
                     int lda, const float* b, int ldb, float beta, float* c, int ldc) {
  for (int column = 0; column < n; ++column) {
    for (int row = 0; row < m; ++row) {
      float sum = 0.0f;
      for (int p = 0; p < k; ++p) {
        const float left = a[transpose_a ? p + (size_t)row * lda : row + (size_t)p * lda];
        const float right = b[transpose_b ? column + (size_t)p * ldb : p + (size_t)column * ldb];
        sum += rounded(left) * rounded(right);
      }
      float* element = &c[row + (size_t)column * ldc];
      *element = alpha * sum + (beta == 0.0f ? 0.0f : beta * *element);
    }
  }
}

void cblas_sgemm(int layout, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                 const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc) {
  math_mode = 0;
  if (layout == row_major) {
    multiply(transpose_b == transposed, transpose_a == transposed, n, m, k, alpha, b, ldb, a, lda, beta, c,
             ldc);
  } else {
    multiply(transpose_a == transposed, transpose_b == transposed, m, n, k, alpha, a, lda, b, ldb, beta, c,
             ldc);
  }
}

int cudaSetDevice(int device) {
  return device == 0 ? 0 : 101;
}
int cudaDeviceGetByPCIBusId(int* device, const char* address) {
  *device = 0;
  return address == NULL;
}

/* When the library is unloaded, it reports objects that were made and not freed. */
static int alive;
__attribute__((destructor)) static void tell_leaks(void) {
  if (alive != 0) fprintf(stderr, "fake CUDA: %d objects were not freed\n", alive);
}

/* Returns true for the function in FAKE_CUDA_FAILS, which must fail. */
static int fails(const char* function) {
  const char* failing = getenv("FAKE_CUDA_FAILS");
  return failing != NULL && strcmp(failing, function) == 0;
}

int cudaMalloc(void** pointer, size_t bytes) {
  *pointer = malloc(bytes);
  if (*pointer == NULL) return 2;
  ++alive;
  return 0;
}
int cudaFree(void* pointer) {
  if (pointer != NULL) --alive;
  free(pointer);
  return 0;
}
int cudaMemcpy(void* to, const void* from, size_t bytes, int kind) {
  if (fails("cudaMemcpy")) return 30;
  if (kind < 1 || kind > 3) return 21;
  memcpy(to, from, bytes);
  return 0;
}
int cudaEventCreate(void** event) {
  *event = malloc(1);
  return 0;
}
int cudaEventDestroy(void* event) {
  free(event);
  return 0;
}
int cudaEventRecord(void* event, void* stream) {
  return event == NULL || stream != NULL;
}
int cudaEventSynchronize(void* event) {
  return event == NULL;
}
int cudaEventElapsedTime(float* ms, void* start, void* end) {
  *ms = 0.25f;
  return start == end;
}
int cudaDeviceSynchronize(void) {
  return 0;
}
const char* cudaGetErrorString(int status) {
  return status == 2 ? "out of memory" : "some error";
}

struct handle {
  int mode;
};
int cublasCreate_v2(void** handle) {
  *handle = calloc(1, sizeof(struct handle));
  ++alive;
  return 0;
}
int cublasDestroy_v2(void* handle) {
  --alive;
  free(handle);
  return 0;
}
int cublasGetVersion_v2(void* handle, int* version) {
  *version = 130102;
  return handle == NULL;
}
int cublasSetMathMode(void* handle, int mode) {
  if (fails("cublasSetMathMode")) return 7;
  ((struct handle*)handle)->mode = mode;
  return 0;
}
int cublasSgemmStridedBatched(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                              const float* alpha, const float* a, int lda, long long stride_a, const float* b,
                              int ldb, long long stride_b, const float* beta, float* c, int ldc,
                              long long stride_c, int batch_count) {
  math_mode = ((struct handle*)handle)->mode;
  for (int i = 0; i < batch_count; ++i) {
    multiply(transpose_a, transpose_b, m, n, k, *alpha, a + i * stride_a, lda, b + i * stride_b, ldb, *beta,
             c + i * stride_c, ldc);
  }
  return batch_count < 2;
}
int cublasSgemm_v2(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
                   const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc) {
  math_mode = ((struct handle*)handle)->mode;
  multiply(transpose_a, transpose_b, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
  return 0;
}

/* cublasXt. Its handle must be set up before a GEMM. */
struct xt_handle {
  int devices, block, pinning;
};
int cublasXtCreate(void** handle) {
  *handle = calloc(1, sizeof(struct xt_handle));
  ++alive;
  return 0;
}
int cublasXtDestroy(void* handle) {
  --alive;
  free(handle);
  return 0;
}
int cublasXtDeviceSelect(void* handle, int count, int* devices) {
  ((struct xt_handle*)handle)->devices = count;
  return count < 1 || devices[0] != 0;
}
int cublasXtSetBlockDim(void* handle, int side) {
  ((struct xt_handle*)handle)->block = side;
  return side < 1;
}
int cublasXtSetPinningMemMode(void* handle, int mode) {
  ((struct xt_handle*)handle)->pinning = mode + 1;
  return mode != 0 && mode != 1;
}
int cublasXtSgemm(void* handle, int transpose_a, int transpose_b, size_t m, size_t n, size_t k,
                  const float* alpha, const float* a, size_t lda, const float* b, size_t ldb,
                  const float* beta, float* c, size_t ldc) {
  const struct xt_handle* told = handle;
  if (told->devices == 0 || told->block == 0 || told->pinning == 0) return 1;
  math_mode = 0;
  multiply(transpose_a, transpose_b, (int)m, (int)n, (int)k, *alpha, a, (int)lda, b, (int)ldb, *beta, c,
           (int)ldc);
  return 0;
}
