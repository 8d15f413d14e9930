# Orderings beside SuiteSparse AMD and METIS, counted by CHOLMOD.
find_path(SUITESPARSE_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse REQUIRED)
find_path(METIS_INCLUDE_DIR metis.h REQUIRED)
find_library(METIS_LIBRARY metis REQUIRED)
add_executable(clchol_ordering_bench ${CMAKE_CURRENT_LIST_DIR}/ordering_bench.cpp
                                     ${PROJECT_SOURCE_DIR}/tests/support/normal_equations.cpp)
target_include_directories(clchol_ordering_bench SYSTEM PRIVATE ${SUITESPARSE_INCLUDE_DIR}
                                                                ${METIS_INCLUDE_DIR})
target_link_libraries(
  clchol_ordering_bench PRIVATE clchol_solver ${CLCHOL_CHOLMOD} ${CLCHOL_AMD} ${METIS_LIBRARY}
                                $<BUILD_INTERFACE:clchol_flags>)
