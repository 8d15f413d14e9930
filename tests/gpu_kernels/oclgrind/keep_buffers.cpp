// Loaded before Oclgrind so that no buffer is ever released.  Oclgrind 21.10 reuses the shadow
// memory of a released buffer for a new buffer without changing its size, and then reports all
// memory beyond that size as uninitialized.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

extern "C" cl_int clReleaseMemObject(cl_mem /*buffer*/) { return CL_SUCCESS; }
