# Sources of the dense kernels, for numeric/CMakeLists.txt.  The kernels are compiled with -O3 even
# where the build asks for less: their register tiles need every loop over vectors unrolled.
set(CLCHOL_DENSE_SOURCES
    dense/kernels.cpp
    dense/factor_front.cpp
    dense/factor_kernels_float.cpp
    dense/factor_kernels_double.cpp
    dense/solve_front.cpp
    dense/solve_kernels_float.cpp
    dense/solve_kernels_double.cpp
    dense/extend_add.cpp)
set(CLCHOL_DENSE_OPTIONS "$<$<CONFIG:Release,RelWithDebInfo>:-O3>")
if("undefined" IN_LIST CLCHOL_SANITIZERS)
  list(APPEND CLCHOL_DENSE_OPTIONS -fno-sanitize=alignment,pointer-overflow)
endif()
clchol_source_options(
  OPTIONS ${CLCHOL_DENSE_OPTIONS}
  SOURCES dense/factor_kernels_float.cpp dense/factor_kernels_double.cpp
          dense/solve_kernels_float.cpp dense/solve_kernels_double.cpp)
