// Loaded before Oclgrind: no buffer is ever released.  Oclgrind 21.10 gives a new buffer the shadow
// memory of a released one, of that one's size, and then calls all beyond it uninitialized.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

extern "C" cl_int clReleaseMemObject(cl_mem /*buffer*/) { return CL_SUCCESS; }
