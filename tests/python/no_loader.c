// For LD_AUDIT: hides OpenCL's loader from the dynamic linker.
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <string.h>

unsigned la_version(unsigned version) {
  return version;
}

char* la_objsearch(const char* name, uintptr_t* cookie, unsigned flag) {
  (void)cookie;
  (void)flag;
  return strcmp(name, "libOpenCL.so.1") == 0 ? "libOpenCL.so.1.hidden" : (char*)name;
}
