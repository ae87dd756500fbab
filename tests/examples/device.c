/* C11: a GEMM on matrices in device memory, between a write and a read of the program's own, without a wait
   on the host before the end. */
#include <clgemm/clgemm.h>
#include <stdio.h>

enum { M = 33, N = 65, K = 17 };

static float a[M * K], b[K * N], c[M * N];

static float exact(size_t row, size_t column) {
  float sum = 0.0f;
  for (size_t i = 0; i < K; ++i) sum += a[row * K + i] * b[i * N + column];
  return sum;
}

/* Computes `c` on the device. */
static clgemm_status multiply(clgemm_context* context) {
  cl_context opencl = clgemm_context_opencl_context(context);
  cl_command_queue queue = clgemm_context_queue(context); /* or one of your own */
  const clgemm_matrix device_a = {clCreateBuffer(opencl, CL_MEM_READ_ONLY, sizeof a, NULL, NULL), K, 0};
  const clgemm_matrix device_b = {clCreateBuffer(opencl, CL_MEM_READ_ONLY, sizeof b, NULL, NULL), N, 0};
  const clgemm_matrix device_c = {clCreateBuffer(opencl, CL_MEM_WRITE_ONLY, sizeof c, NULL, NULL), N, 0};

  cl_event written[2];
  clEnqueueWriteBuffer(queue, device_a.buffer, CL_FALSE, 0, sizeof a, a, 0, NULL, &written[0]);
  clEnqueueWriteBuffer(queue, device_b.buffer, CL_FALSE, 0, sizeof b, b, 0, NULL, &written[1]);
  cl_event multiplied = NULL;
  const clgemm_status status =
      clgemm_sgemm(context, queue, CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANSPOSE, CLGEMM_NO_TRANSPOSE, M, N, K, 1.0f,
                   device_a, device_b, 0.0f, device_c, 2, written, &multiplied, NULL);
  if (status == CLGEMM_SUCCESS) {
    clEnqueueReadBuffer(queue, device_c.buffer, CL_TRUE, 0, sizeof c, c, 1, &multiplied, NULL);
    clReleaseEvent(multiplied);
  }
  clFinish(queue);

  clReleaseEvent(written[0]);
  clReleaseEvent(written[1]);
  clReleaseMemObject(device_a.buffer);
  clReleaseMemObject(device_b.buffer);
  clReleaseMemObject(device_c.buffer);
  return status;
}

int main(void) {
  for (size_t i = 0; i < M * K; ++i) a[i] = (float)(i % 7) - 3.0f;
  for (size_t i = 0; i < K * N; ++i) b[i] = (float)(i % 5) - 2.0f;

  clgemm_context* context = NULL;
  clgemm_status status = clgemm_context_create(NULL, &context);
  if (status == CLGEMM_SUCCESS) status = multiply(context);
  clgemm_context_destroy(context);
  if (status != CLGEMM_SUCCESS) {
    fprintf(stderr, "%s: %s\n", clgemm_status_name(status), clgemm_last_error());
    return 1;
  }

  for (size_t row = 0; row < M; ++row) {
    for (size_t column = 0; column < N; ++column) {
      if (c[row * N + column] != exact(row, column)) {
        fprintf(stderr, "C is wrong at row %zu, column %zu\n", row, column);
        return 1;
      }
    }
  }
  printf("clgemm %s: right\n", clgemm_version());
  return 0;
}
