# Orderings against SuiteSparse AMD, counted by CHOLMOD.
find_path(SUITESPARSE_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(AMD_LIBRARY amd REQUIRED)
find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
add_executable(clchol_ordering_bench ${CMAKE_CURRENT_LIST_DIR}/ordering_bench.cpp)
target_include_directories(clchol_ordering_bench SYSTEM PRIVATE ${SUITESPARSE_INCLUDE_DIR})
target_link_libraries(clchol_ordering_bench
                      PRIVATE clchol_ordering ${CHOLMOD_LIBRARY} ${AMD_LIBRARY} ZLIB::ZLIB
                              $<BUILD_INTERFACE:clchol_flags>)
