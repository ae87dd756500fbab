/* The C API, from C11, with the exported functions only: results, statuses, texts, contexts. */
#include <clgemm/clgemm.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { skipped = 77 }; /* CTest shows this status as "Skipped" */

static int failures = 0;

#define CHECK(condition) check((condition), #condition, __LINE__)
static void check(int holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "c_api_test.c:%d: not so: %s\n  last error: %s\n", line, what, clgemm_last_error());
}

#define CHECK_OK(call) CHECK((call) == CLGEMM_SUCCESS)

/* Checks that the call fails with this status, and with a new text that has these words. */
#define CHECK_FAILS(call, status, words) check_fails((call), (status), (words), #call, __LINE__)
static void check_fails(clgemm_status got, clgemm_status wanted, const char* words, const char* call,
                        int line) {
  if (got == wanted && strstr(clgemm_last_error(), words) != NULL) return;
  ++failures;
  fprintf(stderr, "c_api_test.c:%d: %s\n  gave %s, \"%s\"\n  not %s, \"...%s...\"\n", line, call,
          clgemm_status_name(got), clgemm_last_error(), clgemm_status_name(wanted), words);
}

/* The matrices of all tests. Their sums are small integers, so that results are exact. A batch has two. */
enum { M = 9, N = 21, K = 14, BATCH = 2 };
static const clgemm_layout row_major = CLGEMM_ROW_MAJOR;
static const clgemm_transpose no = CLGEMM_NO_TRANSPOSE;
static float a[BATCH * M * K], b[BATCH * K * N], c[BATCH * M * N];
static const float untouched = -77.0f;

static void fill(void) {
  for (int i = 0; i < BATCH * M * K; ++i) a[i] = (float)(i % 7 - 3);
  for (int i = 0; i < BATCH * K * N; ++i) b[i] = (float)(i % 5 - 2);
  for (int i = 0; i < BATCH * M * N; ++i) c[i] = untouched;
}

/* Counts how many of the first `batch` matrices C are alpha * A * B + beta * untouched. */
static int right_ones(float alpha, float beta) {
  int right = 0;
  for (int i = 0; i < BATCH; ++i) {
    int wrong = 0;
    for (int row = 0; row < M; ++row) {
      for (int column = 0; column < N; ++column) {
        float sum = 0.0f;
        for (int l = 0; l < K; ++l) sum += a[(i * M + row) * K + l] * b[(i * K + l) * N + column];
        wrong += c[(i * M + row) * N + column] != alpha * sum + beta * untouched;
      }
    }
    right += wrong == 0;
  }
  return right;
}

static int c_is_untouched(void) {
  for (int i = 0; i < BATCH * M * N; ++i) {
    if (c[i] != untouched) return 0;
  }
  return 1;
}

/* a, b and c in device memory. */
typedef struct on_device {
  cl_command_queue queue;
  clgemm_matrix a, b, c;
} on_device;

static clgemm_matrix upload(cl_context opencl, float* values, size_t bytes, size_t ld) {
  const clgemm_matrix matrix = {
      clCreateBuffer(opencl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, values, NULL), ld, 0};
  return matrix;
}

static on_device begin(clgemm_context* context) {
  cl_context opencl = clgemm_context_opencl_context(context);
  fill();
  const on_device result = {clgemm_context_queue(context), upload(opencl, a, sizeof a, K),
                            upload(opencl, b, sizeof b, N), upload(opencl, c, sizeof c, N)};
  return result;
}

/* Reads C back, after `done` if that is an event. */
static void end(const on_device* device, cl_event done) {
  clEnqueueReadBuffer(device->queue, device->c.buffer, CL_TRUE, 0, sizeof c, c, done != NULL ? 1 : 0,
                      done != NULL ? &done : NULL, NULL);
  if (done != NULL) clReleaseEvent(done);
  clReleaseMemObject(device->a.buffer);
  clReleaseMemObject(device->b.buffer);
  clReleaseMemObject(device->c.buffer);
}

static void test_names(void) {
  char version[64];
  snprintf(version, sizeof version, "%d.%d.%d", CLGEMM_VERSION_MAJOR, CLGEMM_VERSION_MINOR,
           CLGEMM_VERSION_PATCH);
  CHECK(strcmp(clgemm_version(), version) == 0);
  CHECK(strcmp(clgemm_version(), PROJECT_VERSION) == 0);

  static const char* const names[] = {"success",
                                      "invalid_argument",
                                      "invalid_leading_dimension",
                                      "buffer_too_small",
                                      "wrong_context",
                                      "device_not_found",
                                      "kernel_not_found",
                                      "invalid_kernel_file",
                                      "invalid_parameter",
                                      "requirement_failed",
                                      "device_limit_exceeded",
                                      "build_failed",
                                      "out_of_memory",
                                      "opencl_error",
                                      "internal_error",
                                      "self_test_failed",
                                      "device_lost",
                                      "forked_process",
                                      "matrices_in_use",
                                      "unknown"};
  for (int i = 0; i <= CLGEMM_MATRICES_IN_USE + 1; ++i) {
    CHECK(strcmp(clgemm_status_name((clgemm_status)i), names[i]) == 0);
  }
  CHECK(strcmp(clgemm_status_name(CLGEMM_BUFFER_TOO_SMALL), "buffer_too_small") == 0);
  CHECK(strcmp(clgemm_status_name(CLGEMM_BUILD_FAILED), "build_failed") == 0);
}

/* Each with a context of the caller and with NULL. */
static void test_results(clgemm_context* own, clgemm_context* context) {
  fill();
  CHECK_OK(clgemm_sgemm_host(context, row_major, no, no, M, N, K, 2.0f, a, K, b, N, -1.0f, c, N, NULL));
  CHECK(right_ones(2.0f, -1.0f) == 1);

  cl_event done = NULL;
  on_device device = begin(own);
  CHECK_OK(clgemm_sgemm(context, device.queue, row_major, no, no, M, N, K, 1.0f, device.a, device.b, 0.0f,
                        device.c, 0, NULL, &done, NULL));
  end(&device, done);
  CHECK(right_ones(1.0f, 0.0f) == 1);

  device = begin(own);
  CHECK_OK(clgemm_sgemm_strided_batched(context, device.queue, row_major, no, no, M, N, K, 1.0f, device.a,
                                        M * K, device.b, K * N, 2.0f, device.c, M * N, BATCH, 0, NULL, &done,
                                        NULL));
  end(&device, done);
  CHECK(right_ones(1.0f, 2.0f) == BATCH);

  device = begin(own);
  const clgemm_matrix as[] = {device.a, {device.a.buffer, K, M * K}};
  const clgemm_matrix bs[] = {device.b, {device.b.buffer, N, K * N}};
  const clgemm_matrix cs[] = {device.c, {device.c.buffer, N, M * N}};
  const float ones[BATCH] = {1.0f, 1.0f};
  const float zeros[BATCH] = {0.0f, 0.0f};
  CHECK_OK(clgemm_sgemm_batched(context, device.queue, row_major, no, no, M, N, K, ones, as, bs, zeros, cs,
                                BATCH, 0, NULL, &done, NULL));
  end(&device, done);
  CHECK(right_ones(1.0f, 0.0f) == BATCH);

  fill();
  CHECK_OK(clgemm_sgemm_strided_batched_host(context, row_major, no, no, M, N, K, 2.0f, a, K, M * K, b, N,
                                             K * N, -1.0f, c, N, M * N, BATCH, NULL));
  CHECK(right_ones(2.0f, -1.0f) == BATCH);

  fill();
  const float* const all_a[] = {a + M * K, a};
  const float* const all_b[] = {b + K * N, b};
  float* const all_c[] = {c + M * N, c};
  CHECK_OK(clgemm_sgemm_batched_host(context, row_major, no, no, M, N, K, ones, all_a, K, all_b, N, zeros,
                                     all_c, N, BATCH, NULL));
  CHECK(right_ones(1.0f, 0.0f) == BATCH);
}

static void test_batches_of_set(void) {
  clgemm_device_set* devices = NULL;
  CHECK_OK(clgemm_device_set_create("0", &devices));
  fill();
  CHECK_OK(clgemm_device_set_sgemm_strided_batched(devices, row_major, no, no, M, N, K, 2.0f, a, K, M * K, b,
                                                   N, K * N, -1.0f, c, N, M * N, BATCH, NULL));
  CHECK(right_ones(2.0f, -1.0f) == BATCH);
  fill();
  const float factors[] = {1.0f, 1.0f};
  const float* const all_a[] = {a, a + M * K};
  const float* const all_b[] = {b, b + K * N};
  float* const all_c[] = {c, c + M * N};
  CHECK_OK(clgemm_device_set_sgemm_batched(devices, row_major, no, no, M, N, K, factors, all_a, K, all_b, N,
                                           factors, all_c, N, BATCH, NULL));
  CHECK(right_ones(1.0f, 1.0f) == BATCH);
  CHECK_FAILS(clgemm_device_set_sgemm_batched(devices, row_major, no, no, M, N, K, factors, NULL, K, all_b, N,
                                              factors, all_c, N, BATCH, NULL),
              CLGEMM_INVALID_ARGUMENT, "list of A is null");
  clgemm_device_set_destroy(devices);
  CHECK_FAILS(clgemm_device_set_sgemm_batched(NULL, row_major, no, no, M, N, K, factors, all_a, K, all_b, N,
                                              factors, all_c, N, BATCH, NULL),
              CLGEMM_INVALID_ARGUMENT, "set of devices is null");
}

/* The same product as C^T = B^T A^T in column-major terms, and with op(A) = A taken from A's transpose. */
static void test_layout_and_transpose(clgemm_context* context) {
  fill();
  CHECK_OK(
      clgemm_sgemm_host(context, CLGEMM_COLUMN_MAJOR, no, no, N, M, K, 1.0f, b, N, a, K, 0.0f, c, N, NULL));
  CHECK(right_ones(1.0f, 0.0f) == 1);

  fill();
  float transposed[K * M];
  for (int i = 0; i < M * K; ++i) transposed[i % K * M + i / K] = a[i];
  CHECK_OK(clgemm_sgemm_host(context, row_major, CLGEMM_TRANSPOSE, no, M, N, K, 1.0f, transposed, M, b, N,
                             0.0f, c, N, NULL));
  CHECK(right_ones(1.0f, 0.0f) == 1);
}

/* The GEMM waits for the event, which the host completes later. */
static void test_wait_list(clgemm_context* context) {
  cl_int status = CL_SUCCESS;
  cl_event gate = clCreateUserEvent(clgemm_context_opencl_context(context), &status);
  CHECK(status == CL_SUCCESS);
  const on_device device = begin(context);
  cl_event done = NULL;
  CHECK_OK(clgemm_sgemm(context, device.queue, row_major, no, no, M, N, K, 1.0f, device.a, device.b, 0.0f,
                        device.c, 1, &gate, &done, NULL));
  cl_int state = CL_COMPLETE;
  clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
  CHECK(state > CL_COMPLETE);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clReleaseEvent(gate);
  end(&device, done);
  CHECK(right_ones(1.0f, 0.0f) == 1);
}

static void test_options(clgemm_context* context) {
  clgemm_options options = CLGEMM_OPTIONS_INIT;
  const clgemm_parameter parameters[] = {{"TS", 8}, {"WPT", 2}};
  options.kernel = "wpt";
  options.parameters = parameters;
  options.parameter_count = 2;
  options.kernel_folder = "";
  fill();
  CHECK_OK(clgemm_sgemm_host(context, row_major, no, no, M, N, K, 1.0f, a, K, b, N, 0.0f, c, N, &options));
  CHECK(right_ones(1.0f, 0.0f) == 1);

  options.kernel_file = "/nowhere.cl";
  CHECK(clgemm_sgemm_host(context, row_major, no, no, M, N, K, 1.0f, a, K, b, N, 0.0f, c, N, &options) ==
        CLGEMM_INVALID_ARGUMENT);  // two kernels
  options.kernel_file = NULL;
  options.precision = (clgemm_precision)7;
  CHECK_FAILS(clgemm_sgemm_host(context, row_major, no, no, M, N, K, 2.0f, a, K, b, N, 0.0f, c, N, &options),
              CLGEMM_INVALID_ARGUMENT, "precision");
  options.size = offsetof(clgemm_options, precision); /* the struct of an earlier version */
  CHECK_OK(clgemm_sgemm_host(context, row_major, no, no, M, N, K, 2.0f, a, K, b, N, 0.0f, c, N, &options));
  options.size = offsetof(clgemm_options, device_memory_limit); /* and of a later version */
  options.precision = CLGEMM_FP32;
  options.host_matrices_are_pinned = 1; /* ignored */
  CHECK_OK(clgemm_sgemm_host(context, row_major, no, no, M, N, K, 2.0f, a, K, b, N, 0.0f, c, N, &options));
  options.size = sizeof options;
  options.host_matrices_are_pinned = 0;
  CHECK_OK(clgemm_sgemm_host(context, row_major, no, no, M, N, K, 2.0f, a, K, b, N, 0.0f, c, N, &options));
  options.precision = CLGEMM_FP32_EQUIVALENT;

  clgemm_shape shape = CLGEMM_SHAPE_INIT;
  shape.m = M;
  shape.n = N;
  shape.k = K;
  CHECK_OK(clgemm_prepare(context, NULL, &shape, 1, &options));
  size_t bytes = 0;
  CHECK_OK(clgemm_sgemm_scratch_bytes(context, NULL, &shape, &options, &bytes));
  CHECK(bytes > 0);

  double seconds = 0.0;
  CHECK_OK(clgemm_predicted_seconds(context, NULL, &shape, &options, &seconds));
  CHECK(seconds > 0.0);
  double from_host = 0.0;
  CHECK_OK(clgemm_predicted_seconds_host(context, &shape, &options, &from_host));
  CHECK(from_host > seconds);
  CHECK_FAILS(clgemm_predicted_seconds_host(NULL, &shape, &options, &from_host), CLGEMM_INVALID_ARGUMENT,
              "context is null");

  size_t needed = 0;
  CHECK_OK(clgemm_explain(context, NULL, &shape, &options, 0, NULL, &needed));
  char* text = malloc(needed);
  CHECK_OK(clgemm_explain(NULL, clgemm_context_queue(context), &shape, &options, needed, text, NULL));
  CHECK(strlen(text) + 1 == needed);
  CHECK(strstr(text, "wpt") != NULL && strstr(text, "TS=8") != NULL);
  CHECK_OK(clgemm_explain(context, NULL, &shape, &options, 4, text, &needed));
  CHECK(strlen(text) == 3 && needed > 4);
  free(text);
}

static void test_contexts(clgemm_context* own) {
  clgemm_context* context = NULL;
  CHECK_OK(clgemm_context_create_for_queue(clgemm_context_queue(own), &context));
  CHECK(clgemm_context_opencl_context(context) == clgemm_context_opencl_context(own));
  test_results(own, context);
  clgemm_context_destroy(context);

  CHECK_OK(clgemm_context_create_for_device(clgemm_context_device(own), &context));
  CHECK(clgemm_context_device(context) == clgemm_context_device(own));
  CHECK(clgemm_context_opencl_context(context) != clgemm_context_opencl_context(own));
  const on_device device = begin(context);
  CHECK_FAILS(clgemm_sgemm(own, device.queue, row_major, no, no, M, N, K, 1.0f, device.a, device.b, 0.0f,
                           device.c, 0, NULL, NULL, NULL),
              CLGEMM_WRONG_CONTEXT, "queue");
  end(&device, NULL);
  CHECK(c_is_untouched());
  clgemm_context_destroy(context);

  char name[256] = "";
  clGetDeviceInfo(clgemm_context_device(own), CL_DEVICE_NAME, sizeof name, name, NULL);
  CHECK_OK(clgemm_context_create(name, &context));
  clgemm_context_destroy(context);

  context = own;
  CHECK_FAILS(clgemm_context_create("no such device", &context), CLGEMM_DEVICE_NOT_FOUND, "no such device");
  CHECK(context == NULL);
  CHECK_FAILS(clgemm_context_create(NULL, NULL), CLGEMM_INVALID_ARGUMENT, "null");
  CHECK_FAILS(clgemm_context_create_for_device(NULL, &context), CLGEMM_INVALID_ARGUMENT, "device is null");
  CHECK_FAILS(clgemm_context_create_for_queue(NULL, &context), CLGEMM_INVALID_ARGUMENT, "queue is null");
  clgemm_context_destroy(NULL);
  CHECK(clgemm_context_device(NULL) == NULL && clgemm_context_queue(NULL) == NULL &&
        clgemm_context_opencl_context(NULL) == NULL);
}

/* Matrices, with offset and leading dimension in CLBlast's order: {a, a_offset, lda}. */
static void test_exchanged_offset(clgemm_context* context, const on_device* device) {
  const char* suspicion = "? The order is {buffer, ld, offset}";
  const clgemm_matrix at_0 = {device->a.buffer, 0, K};
  const clgemm_matrix further_on = {device->b.buffer, 1000, N};
  const clgemm_matrix too_short = {device->a.buffer, K - 1, K - 1};
  const float factor = 1;
  CHECK_FAILS(clgemm_sgemm(context, device->queue, row_major, no, no, M, N, K, 1, at_0, device->b, 0,
                           device->c, 0, NULL, NULL, NULL),
              CLGEMM_INVALID_LEADING_DIMENSION, suspicion);
  CHECK_FAILS(clgemm_sgemm(context, device->queue, row_major, no, no, M, N, K, 1, device->a, further_on, 0,
                           device->c, 0, NULL, NULL, NULL),
              CLGEMM_BUFFER_TOO_SMALL, suspicion);
  CHECK_FAILS(clgemm_sgemm_batched(context, device->queue, row_major, no, no, M, N, K, &factor, &at_0,
                                   &device->b, &factor, &device->c, 1, 0, NULL, NULL, NULL),
              CLGEMM_INVALID_LEADING_DIMENSION, suspicion);
  const clgemm_matrix list_a[] = {at_0, at_0, at_0};
  const clgemm_matrix list_b[] = {device->b, device->b, device->b};
  const clgemm_matrix list_c[] = {
      {device->c.buffer, N, 0}, {device->c.buffer, N, M * N}, {device->c.buffer, N, 3 * M * N}};
  const float factors[] = {1, 1, 1};
  CHECK_FAILS(clgemm_sgemm_batched(context, device->queue, row_major, no, no, M, N, K, factors, list_a,
                                   list_b, factors, list_c, 3, 0, NULL, NULL, NULL),
              CLGEMM_INVALID_LEADING_DIMENSION, suspicion);
  CHECK_FAILS(clgemm_sgemm(context, device->queue, row_major, no, no, M, N, K, 1, too_short, device->b, 0,
                           device->c, 0, NULL, NULL, NULL),
              CLGEMM_INVALID_LEADING_DIMENSION, "lda");
  CHECK(strstr(clgemm_last_error(), "did you exchange") == NULL);
}

/* Mistakes that only the C API can have. The checks of the GEMM itself have their own tests. */
static void test_wrong_arguments(clgemm_context* context) {
  const clgemm_status bad = CLGEMM_INVALID_ARGUMENT;
  fill();
  CHECK_FAILS(clgemm_sgemm_host(context, (clgemm_layout)0, no, no, M, N, K, 1, a, K, b, N, 0, c, N, NULL),
              bad, "layout");
  CHECK_FAILS(
      clgemm_sgemm_host(context, row_major, (clgemm_transpose)1, no, M, N, K, 1, a, K, b, N, 0, c, N, NULL),
      bad, "transpose_a");
  CHECK_FAILS(
      clgemm_sgemm_host(context, row_major, no, (clgemm_transpose)113, M, N, K, 1, a, K, b, N, 0, c, N, NULL),
      bad, "transpose_b");
  CHECK_FAILS(clgemm_sgemm_host(context, row_major, no, no, M, N, K, 1, NULL, K, b, N, 0, c, N, NULL), bad,
              "a is null");
  CHECK(clgemm_last_error_argument() == CLGEMM_ARGUMENT_A);
  CHECK_FAILS(clgemm_sgemm_host(context, row_major, no, no, M, N, K, 1, a, K - 1, b, N, 0, c, N, NULL),
              CLGEMM_INVALID_LEADING_DIMENSION, "lda");
  CHECK(clgemm_last_error_argument() == CLGEMM_ARGUMENT_LDA);

  clgemm_options options = CLGEMM_OPTIONS_INIT;
  options.kernel = "no such kernel";
  CHECK_FAILS(clgemm_sgemm_host(context, row_major, no, no, M, N, K, 1, a, K, b, N, 0, c, N, &options),
              CLGEMM_KERNEL_NOT_FOUND, "no such kernel");
  options.parameter_count = 1;
  CHECK_FAILS(clgemm_sgemm_host(context, row_major, no, no, M, N, K, 1, a, K, b, N, 0, c, N, &options), bad,
              "parameters");
  const clgemm_parameter nameless = {NULL, 1};
  options.parameters = &nameless;
  CHECK_FAILS(clgemm_sgemm_host(context, row_major, no, no, M, N, K, 1, a, K, b, N, 0, c, N, &options), bad,
              "name of a parameter");
  options.size = 0;
  CHECK_FAILS(clgemm_sgemm_host(context, row_major, no, no, M, N, K, 1, a, K, b, N, 0, c, N, &options), bad,
              "CLGEMM_OPTIONS_INIT");
  CHECK(c_is_untouched());

  const on_device device = begin(context);
  cl_event done = NULL;
  clgemm_matrix far_away = device.c;
  far_away.offset = sizeof c;
  CHECK_FAILS(clgemm_sgemm(NULL, NULL, row_major, no, no, M, N, K, 1, device.a, device.b, 0, device.c, 0,
                           NULL, &done, NULL),
              bad, "queue is null");
  CHECK_FAILS(clgemm_sgemm(context, device.queue, row_major, no, no, M, N, K, 1, device.a, device.b, 0,
                           device.c, 1, NULL, &done, NULL),
              bad, "wait list");
  CHECK_FAILS(clgemm_sgemm(context, device.queue, row_major, no, no, M, N, K, 1, device.a, device.b, 0,
                           far_away, 0, NULL, &done, NULL),
              CLGEMM_BUFFER_TOO_SMALL, "buffer of C");
  CHECK(strstr(clgemm_last_error(), "did you exchange") == NULL);
  test_exchanged_offset(context, &device);
  CHECK_FAILS(clgemm_sgemm_strided_batched(context, device.queue, row_major, no, no, M, N, K, 1, device.a, 0,
                                           device.b, 0, 0, device.c, 1, BATCH, 0, NULL, &done, NULL),
              bad, "overlap");
  const float factor = 1;
  CHECK_FAILS(clgemm_sgemm_batched(context, device.queue, row_major, no, no, M, N, K, &factor, &device.a,
                                   NULL, &factor, &device.c, 1, 0, NULL, &done, NULL),
              bad, "list of B");
  CHECK_FAILS(clgemm_sgemm_batched(context, device.queue, row_major, no, no, M, N, K, &factor, &device.a,
                                   &device.b, NULL, &device.c, 1, 0, NULL, &done, NULL),
              bad, "list of betas");
  CHECK_FAILS(clgemm_sgemm_batched(context, device.queue, row_major, no, no, M, N, K, &factor, &device.a,
                                   &device.b, &factor, &device.c, (size_t)-1, 0, NULL, &done, NULL),
              bad, "is too long");
  const float* const one_a = a;
  float* const one_c = c;
  CHECK_FAILS(clgemm_sgemm_batched_host(context, row_major, no, no, M, N, K, &factor, &one_a, K, &one_a, N,
                                        &factor, &one_c, N, (size_t)-1, NULL),
              bad, "is too long");
  CHECK_FAILS(clgemm_sgemm_batched_host(context, row_major, no, no, M, N, K, &factor, &one_a, K, NULL, N,
                                        &factor, &one_c, N, 1, NULL),
              bad, "list of B is null");
  CHECK_FAILS(clgemm_sgemm_strided_batched_host(context, row_major, no, no, M, N, K, 1, a, K, 0, b, N, 0, 0,
                                                c, N, 1, BATCH, NULL),
              bad, "overlap");
  CHECK(done == NULL);
  end(&device, NULL);
  CHECK(c_is_untouched());
}

static void test_wrong_questions(clgemm_context* context) {
  const clgemm_status bad = CLGEMM_INVALID_ARGUMENT;
  clgemm_shape shape = CLGEMM_SHAPE_INIT;
  size_t bytes = 12345;
  shape.m = shape.n = shape.k = 8;
  CHECK_FAILS(clgemm_prepare(context, NULL, NULL, 1, NULL), bad, "shapes");
  CHECK_FAILS(clgemm_prepare(NULL, NULL, &shape, 1, NULL), bad, "queue is null");
  CHECK_FAILS(clgemm_explain(context, NULL, &shape, NULL, 8, NULL, &bytes), bad, "text");
  CHECK_FAILS(clgemm_explain(context, NULL, NULL, NULL, 0, NULL, &bytes), bad, "shape is null");
  CHECK_FAILS(clgemm_sgemm_scratch_bytes(context, NULL, &shape, NULL, NULL), bad, "bytes");
  shape.lda = 7;
  CHECK_FAILS(clgemm_sgemm_scratch_bytes(context, NULL, &shape, NULL, &bytes),
              CLGEMM_INVALID_LEADING_DIMENSION, "lda");
  CHECK(clgemm_last_error_argument() == CLGEMM_ARGUMENT_LDA);
  shape.size = 0;
  CHECK_FAILS(clgemm_prepare(context, NULL, &shape, 1, NULL), bad, "CLGEMM_SHAPE_INIT");
  CHECK(bytes == 12345);
}

/* Another thread sees no error of this thread, and does not change it. */
static void* fail_on_another_thread(void* as_it_should) {
  const int fresh = clgemm_last_error()[0] == '\0';
  clgemm_prepare(NULL, NULL, NULL, 0, NULL);
  *(int*)as_it_should = fresh && strstr(clgemm_last_error(), "queue") != NULL;
  return NULL;
}

static void test_last_error(void) {
  clgemm_context_create(NULL, NULL);
  char before[256];
  snprintf(before, sizeof before, "%s", clgemm_last_error());
  CHECK(before[0] != '\0');
  pthread_t thread; /* mingw-w64 has it, too, but no threads.h */
  int as_it_should = 0;
  CHECK(pthread_create(&thread, NULL, fail_on_another_thread, &as_it_should) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(as_it_should);
  CHECK_OK(clgemm_release_contexts());
  CHECK(strcmp(clgemm_last_error(), before) == 0);
}

/* At exit, when the thread's own objects are destroyed. */
static void fail_late(void) {
  if (clgemm_context_create(NULL, NULL) != CLGEMM_INVALID_ARGUMENT) abort();
  if (clgemm_last_error() == NULL) abort();
}

int main(void) {
  atexit(fail_late);
  CHECK(strcmp(clgemm_last_error(), "") == 0);
  test_names();

  clgemm_context* context = NULL;
  const clgemm_status status = clgemm_context_create(NULL, &context);
  if (status == CLGEMM_DEVICE_NOT_FOUND) {
    fprintf(stderr, "SKIPPED: %s\n", clgemm_last_error());
    return failures == 0 ? skipped : 1;
  }
  CHECK_OK(status);
  if (status != CLGEMM_SUCCESS) return 1;
  test_results(context, context);
  test_results(context, NULL);
  test_layout_and_transpose(context);
  test_batches_of_set();
  test_wait_list(context);
  test_options(context);
  test_contexts(context);
  test_wrong_arguments(context);
  test_wrong_questions(context);
  test_last_error();
  clgemm_context_destroy(context);
  if (failures == 0) puts("the C API: all as it should be");
  return failures == 0 ? 0 : 1;
}
