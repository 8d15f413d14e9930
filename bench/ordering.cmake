# Orderings against SuiteSparse AMD, counted by CHOLMOD.
add_executable(clchol_ordering_bench ${CMAKE_CURRENT_LIST_DIR}/ordering_bench.cpp)
target_include_directories(clchol_ordering_bench SYSTEM PRIVATE /usr/include/suitesparse)
target_link_libraries(clchol_ordering_bench PRIVATE clchol_ordering cholmod amd ZLIB::ZLIB
                                                    $<BUILD_INTERFACE:clchol_flags>)
