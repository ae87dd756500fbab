// Must be loaded before the OpenCL library. Devices then report memory of their own, like GPUs.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

typedef cl_int (*DeviceInfo)(cl_device_id, cl_device_info, size_t, void*, size_t*);

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void* value, size_t* needed) {
  // Python's modules load the library in a scope that RTLD_NEXT does not search.
  void* library = dlopen("libOpenCL.so.1", RTLD_LAZY);
  DeviceInfo next = 0;
  *(void**)&next = dlsym(library, "clGetDeviceInfo");
  const cl_int status = next(device, name, size, value, needed);
  dlclose(library);
  if (status == CL_SUCCESS && name == CL_DEVICE_HOST_UNIFIED_MEMORY && value != 0)
    *(cl_bool*)value = CL_FALSE;
  return status;
}
