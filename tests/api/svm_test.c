/* Matrices in shared virtual memory, as docs/devices.md shows it: a buffer on the pointer makes them
 * clgemm's, without a copy. */
#define CL_TARGET_OPENCL_VERSION 200
#include <clgemm/clgemm.h>
#include <stdio.h>
#include <stdlib.h>

enum { M = 37, N = 21, K = 50, SKIPPED = 77 };

static int failures = 0;
static void check(int holds, const char* what) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "svm_test.c: not so: %s: %s\n", what, clgemm_last_error());
}

typedef struct shared {
  cl_command_queue queue;
  cl_context context;
  float* elements;
  size_t bytes;
  cl_mem buffer;
} shared;

static shared allocate(cl_context context, cl_command_queue queue, size_t count) {
  shared memory = {queue, context, NULL, count * sizeof(float), NULL};
  memory.elements = clSVMAlloc(context, CL_MEM_READ_WRITE, memory.bytes, 0);
  if (memory.elements == NULL) return memory;
  memory.buffer =
      clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory.bytes, memory.elements, NULL);
  cl_bool uses_pointer = CL_FALSE;
  clGetMemObjectInfo(memory.buffer, CL_MEM_USES_SVM_POINTER, sizeof uses_pointer, &uses_pointer, NULL);
  check(uses_pointer == CL_TRUE, "the buffer lies in shared memory");
  return memory;
}

static void fill(const shared* memory, float value) {
  clEnqueueSVMMap(memory->queue, CL_TRUE, CL_MAP_WRITE, memory->elements, memory->bytes, 0, NULL, NULL);
  for (size_t i = 0; i < memory->bytes / sizeof(float); ++i) memory->elements[i] = value;
  clEnqueueSVMUnmap(memory->queue, memory->elements, 0, NULL, NULL);
}

static int all_are(const shared* memory, float value) {
  int holds = 1;
  clEnqueueSVMMap(memory->queue, CL_TRUE, CL_MAP_READ, memory->elements, memory->bytes, 0, NULL, NULL);
  for (size_t i = 0; i < memory->bytes / sizeof(float); ++i) holds = holds && memory->elements[i] == value;
  clEnqueueSVMUnmap(memory->queue, memory->elements, 0, NULL, NULL);
  return holds;
}

static void let_go(shared* memory) {
  clFinish(memory->queue);
  clReleaseMemObject(memory->buffer);
  clSVMFree(memory->context, memory->elements);
}

static void multiply(const shared* a, const shared* b, const shared* c, float beta) {
  const clgemm_matrix in_a = {a->buffer, K, 0}, in_b = {b->buffer, N, 0}, in_c = {c->buffer, N, 0};
  check(clgemm_sgemm(NULL, a->queue, CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANSPOSE, CLGEMM_NO_TRANSPOSE, M, N, K,
                     1.0f, in_a, in_b, beta, in_c, 0, NULL, NULL, NULL) == CLGEMM_SUCCESS,
        "clgemm_sgemm");
}

int main(void) {
  clgemm_context* own = NULL;
  check(clgemm_context_create(NULL, &own) == CLGEMM_SUCCESS, "clgemm_context_create");
  cl_device_id device = clgemm_context_device(own);
  cl_device_svm_capabilities capabilities = 0;
  clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities, NULL);
  if ((capabilities & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) == 0) {
    printf("SKIPPED: the device has no shared virtual memory\n");
    return SKIPPED;
  }
  cl_context context = clgemm_context_opencl_context(own);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
  shared a = allocate(context, queue, M * K);
  shared b = allocate(context, queue, K * N);
  shared c = allocate(context, queue, M * N);
  fill(&a, 2.0f);
  fill(&b, 3.0f);
  fill(&c, 1.0f);
  multiply(&a, &b, &c, 0.0f);
  check(all_are(&c, 2.0f * 3.0f * K), "the result is where the pointer points");
  fill(&a, 4.0f);
  multiply(&a, &b, &c, 1.0f);
  check(all_are(&c, (2.0f + 4.0f) * 3.0f * K), "what the host has changed is used, by the same buffers");
  let_go(&a);
  let_go(&b);
  let_go(&c);
  clReleaseCommandQueue(queue);
  clgemm_context_destroy(own);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
