/* Matrices in memory that host and device share, as docs/devices.md shows them: OpenCL's shared virtual
 * memory, and Intel's unified shared memory if the device has it. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_ext.h>
#include <clgemm/clgemm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M = 37, N = 21, K = 50, BEHIND = 3, SKIPPED = 77 };

static int failures = 0;
static void check(int holds, const char* what) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "svm_test.c: not so: %s: %s\n", what, clgemm_last_error());
}

typedef struct where {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
} where;

/* One kind of shared memory. */
typedef struct kind {
  const char* name;
  float* (*allocate)(const where* on, size_t bytes);
  void (*begin)(const where* on, float* memory, size_t bytes, cl_map_flags flags); /* the host's accesses */
  void (*end)(const where* on, float* memory);
  void (*let_go)(const where* on, float* memory);
} kind;

static float* allocate_coarse(const where* on, size_t bytes) {
  return clSVMAlloc(on->context, CL_MEM_READ_WRITE, bytes, 0);
}
static float* allocate_fine(const where* on, size_t bytes) {
  return clSVMAlloc(on->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, bytes, 0);
}
static void map(const where* on, float* memory, size_t bytes, cl_map_flags flags) {
  check(clEnqueueSVMMap(on->queue, CL_TRUE, flags, memory, bytes, 0, NULL, NULL) == CL_SUCCESS,
        "clEnqueueSVMMap");
}
static void unmap(const where* on, float* memory) {
  check(clEnqueueSVMUnmap(on->queue, memory, 0, NULL, NULL) == CL_SUCCESS, "clEnqueueSVMUnmap");
}
static void wait_for_device(const where* on, float* memory, size_t bytes, cl_map_flags flags) {
  (void)memory, (void)bytes, (void)flags;
  clFinish(on->queue);
}
static void nothing_to_do(const where* on, float* memory) {
  (void)on, (void)memory;
}
static void free_svm(const where* on, float* memory) {
  clSVMFree(on->context, memory);
}

/* Writes the address to the pointer at `function`, because ISO C does not convert a pointer to an object into
 * one to a function. */
static void find_extension(const where* on, const char* name, void* function) {
  cl_platform_id platform = NULL;
  clGetDeviceInfo(on->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
  void* const address = clGetExtensionFunctionAddressForPlatform(platform, name);
  memcpy(function, &address, sizeof address);
}
static float* allocate_unified(const where* on, size_t bytes) {
  clSharedMemAllocINTEL_fn allocate = NULL;
  find_extension(on, "clSharedMemAllocINTEL", &allocate);
  return allocate(on->context, on->device, NULL, bytes, 0, NULL);
}
static float* allocate_unified_host(const where* on, size_t bytes) {
  clHostMemAllocINTEL_fn allocate = NULL;
  find_extension(on, "clHostMemAllocINTEL", &allocate);
  return allocate(on->context, NULL, bytes, 0, NULL);
}
static void free_unified(const where* on, float* memory) {
  clMemBlockingFreeINTEL_fn let_go = NULL;
  find_extension(on, "clMemBlockingFreeINTEL", &let_go);
  let_go(on->context, memory);
}

static const kind coarse = {"coarse-grained SVM", allocate_coarse, map, unmap, free_svm};
static const kind fine = {"fine-grained SVM", allocate_fine, wait_for_device, nothing_to_do, free_svm};
static const kind unified = {"USM, shared", allocate_unified, wait_for_device, nothing_to_do, free_unified};
static const kind unified_host = {"USM, host", allocate_unified_host, wait_for_device, nothing_to_do,
                                  free_unified};

static void fill(const kind* of, const where* on, float* memory, size_t count, float value) {
  of->begin(on, memory, count * sizeof(float), CL_MAP_WRITE);
  for (size_t i = 0; i < count; ++i) memory[i] = value;
  of->end(on, memory);
}

/* Returns true if everything before `first` is `before`, and everything after it is `value`. */
static int holds(const kind* of, const where* on, float* memory, size_t first, size_t count, float before,
                 float value) {
  int result = 1;
  of->begin(on, memory, (first + count) * sizeof(float), CL_MAP_READ);
  for (size_t i = 0; i < first + count; ++i) result = result && memory[i] == (i < first ? before : value);
  of->end(on, memory);
  return result;
}

static clgemm_status multiply(const where* on, clgemm_shared_matrix a, clgemm_shared_matrix b, float beta,
                              clgemm_shared_matrix c) {
  return clgemm_sgemm_shared(NULL, on->queue, CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANSPOSE, CLGEMM_NO_TRANSPOSE, M,
                             N, K, 1.0f, a, b, beta, c, 0, NULL, NULL, NULL);
}

static void multiply_in(const kind* of, const where* on) {
  float* a = of->allocate(on, M * K * sizeof(float));
  float* b = of->allocate(on, K * N * sizeof(float));
  float* c = of->allocate(on, (BEHIND + M * N) * sizeof(float));
  check(a != NULL && b != NULL && c != NULL, of->name);
  fill(of, on, a, M * K, 2.0f);
  fill(of, on, b, K * N, 3.0f);
  fill(of, on, c, BEHIND + M * N, 1.0f);
  const clgemm_shared_matrix in_a = {a, K, 0}, in_b = {b, N, 0}, in_c = {c, N, BEHIND};
  check(multiply(on, in_a, in_b, 0.0f, in_c) == CLGEMM_SUCCESS, "clgemm_sgemm_shared");
  check(holds(of, on, c, BEHIND, M * N, 1.0f, 2.0f * 3.0f * K), "the result is where the pointer points");
  fill(of, on, a, M * K, 4.0f);
  check(multiply(on, in_a, in_b, 1.0f, in_c) == CLGEMM_SUCCESS, "clgemm_sgemm_shared, again");
  check(holds(of, on, c, BEHIND, M * N, 1.0f, (2.0f + 4.0f) * 3.0f * K), "what the host has changed is used");

  const clgemm_shared_matrix over_a = {a, N, M * K - M * N};
  check(multiply(on, in_a, in_b, 0.0f, over_a) == CLGEMM_INVALID_ARGUMENT &&
            strstr(clgemm_last_error(), "C overlaps A") != NULL,
        "C must not be in A");
  const clgemm_shared_matrix too_far = {c, N, BEHIND + 1};
  check(multiply(on, in_a, in_b, 0.0f, too_far) == CLGEMM_BUFFER_TOO_SMALL &&
            clgemm_last_error_argument() == CLGEMM_ARGUMENT_C,
        "C ends after its memory");
  if (of->let_go == free_unified) {
    const clgemm_shared_matrix inside_c = {c + BEHIND, N, 0};
    check(multiply(on, in_a, in_b, 0.0f, inside_c) == CLGEMM_SUCCESS, "a pointer into an allocation");
    check(holds(of, on, c, BEHIND, M * N, 1.0f, 4.0f * 3.0f * K), "the result is where that pointer points");
    const clgemm_shared_matrix behind_c = {c + BEHIND, N, 1};
    check(multiply(on, in_a, in_b, 0.0f, behind_c) == CLGEMM_BUFFER_TOO_SMALL,
          "an allocation ends where it ends");
  }
  clFinish(on->queue);
  of->let_go(on, a);
  of->let_go(on, b);
  of->let_go(on, c);
  printf("%s: done\n", of->name);
}

static void refuse_other_memory(const where* on) {
  static float ordinary[M * K];
  float* b = clSVMAlloc(on->context, CL_MEM_READ_WRITE, K * N * sizeof(float), 0);
  float* c = clSVMAlloc(on->context, CL_MEM_READ_WRITE, M * N * sizeof(float), 0);
  const clgemm_shared_matrix in_a = {ordinary, K, 0}, in_b = {b, N, 0}, in_c = {c, N, 0},
                             nowhere = {NULL, K, 0};
  check(multiply(on, in_a, in_b, 0.0f, in_c) == CLGEMM_INVALID_ARGUMENT &&
            clgemm_last_error_argument() == CLGEMM_ARGUMENT_A &&
            strstr(clgemm_last_error(), "clSVMAlloc") != NULL,
        "memory that is not shared is refused");
  check(multiply(on, nowhere, in_b, 0.0f, in_c) == CLGEMM_INVALID_ARGUMENT &&
            strstr(clgemm_last_error(), "A is null") != NULL,
        "a null pointer is refused");
  clSVMFree(on->context, b);
  clSVMFree(on->context, c);
}

static int has_extension(cl_device_id device, const char* name) {
  size_t size = 0;
  clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size);
  char* text = malloc(size + 1);
  if (text == NULL) return 0;
  text[0] = '\0';
  clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, text, NULL);
  const int result = strstr(text, name) != NULL;
  free(text);
  return result;
}

int main(void) {
  clgemm_context* own = NULL;
  check(clgemm_context_create(NULL, &own) == CLGEMM_SUCCESS, "clgemm_context_create");
  where on = {clgemm_context_device(own), clgemm_context_opencl_context(own), NULL};
  cl_device_svm_capabilities capabilities = 0;
  clGetDeviceInfo(on.device, CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities, NULL);
  if ((capabilities & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) == 0) {
    printf("SKIPPED: the device has no shared virtual memory\n");
    return SKIPPED;
  }
  on.queue = clCreateCommandQueueWithProperties(on.context, on.device, NULL, NULL);
  multiply_in(&coarse, &on);
  if ((capabilities & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0) multiply_in(&fine, &on);
  if (has_extension(on.device, "cl_intel_unified_shared_memory")) {
    multiply_in(&unified, &on);
    multiply_in(&unified_host, &on);
  } else {
    printf("the device has no cl_intel_unified_shared_memory\n");
  }
  refuse_other_memory(&on);
  clReleaseCommandQueue(on.queue);
  clgemm_context_destroy(own);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
