# CLCHOL_HAVE_OPENCL, and the target OpenCL::OpenCL where it is ON.
#
# AUTO looks again at each configuration, so that installing the loader later is enough.
set(CLCHOL_HAVE_OPENCL OFF)
if(CLCHOL_OPENCL STREQUAL "AUTO")
  find_package(OpenCL QUIET)
elseif(CLCHOL_OPENCL)
  find_package(OpenCL REQUIRED)
endif()
if(CLCHOL_OPENCL AND OpenCL_FOUND)
  set(CLCHOL_HAVE_OPENCL ON)
  find_package(nlohmann_json REQUIRED)  # A header alone: nothing is linked.
endif()
message(STATUS "clchol: OpenCL ${CLCHOL_HAVE_OPENCL} (CLCHOL_OPENCL=${CLCHOL_OPENCL})")
