/* A C program that calls SGEMM by CLBlast's names without CLBlast in its process. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <clblast_c.h>
#include <stdio.h>
#include <stdlib.h>

static int failures = 0;
static void check(int holds, const char* what) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "alone_test.c: not so: %s\n", what);
}

int main(void) {
  cl_platform_id platforms[8];
  cl_uint count = 0;
  cl_device_id device = NULL;
  clGetPlatformIDs(8, platforms, &count);
  for (cl_uint i = 0; i < count && i < 8 && device == NULL; ++i)
    clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);

  check(CLBlastFillCache(device) == CLBlastSuccess, "the cache is filled");
  check(CLBlastFillCache(NULL) != CLBlastSuccess, "there is no cache of no device");

  float ones[16];
  for (int i = 0; i < 16; ++i) ones[i] = 1.0f;
  const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
  cl_mem a = clCreateBuffer(context, flags, sizeof ones, ones, NULL);
  cl_mem c = clCreateBuffer(context, flags, sizeof ones, ones, NULL);
  check(CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, 4, 4, 4, 2.0f, a, 0, 4, a,
                     0, 4, 0.0f, c, 0, 4, &queue, NULL) == CLBlastSuccess,
        "CLBlastSgemm");
  float result[16];
  clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL);
  for (int i = 0; i < 16; ++i) check(result[i] == 8.0f, "the result");

  check(CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, 4, 4, 4, 2.0f, c, 0, 4, a,
                     0, 4, 0.0f, c, 0, 4, &queue, NULL) == CLBlastInvalidValue,
        "C is not used instead of A");
  const char* name = "MWG";
  const size_t value = 64;
  check(
      CLBlastOverrideParameters(device, "Xgemm", CLBlastPrecisionSingle, 1, &name, &value) == CLBlastSuccess,
      "there are no parameters to override");
  check(CLBlastClearCache() == CLBlastSuccess, "the cache is cleared");
  clReleaseMemObject(a);
  clReleaseMemObject(c);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
