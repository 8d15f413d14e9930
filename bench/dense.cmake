# Dense kernels against OpenBLAS on one thread.
find_library(CLCHOL_OPENBLAS openblas REQUIRED)
add_executable(clchol_dense_bench ${CMAKE_CURRENT_LIST_DIR}/dense_bench.cpp)
target_link_libraries(clchol_dense_bench PRIVATE clchol_numeric
                                                 ${CLCHOL_OPENBLAS} $<BUILD_INTERFACE:clchol_flags>)
