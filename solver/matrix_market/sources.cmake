# Sources and libraries of the Matrix Market reader and writer, for the target of solver/.
set(CLCHOL_MATRIX_MARKET_SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/assemble.cpp
    ${CMAKE_CURRENT_LIST_DIR}/blocks.cpp
    ${CMAKE_CURRENT_LIST_DIR}/entries.cpp
    ${CMAKE_CURRENT_LIST_DIR}/error.cpp
    ${CMAKE_CURRENT_LIST_DIR}/foreign.cpp
    ${CMAKE_CURRENT_LIST_DIR}/gzip.cpp
    ${CMAKE_CURRENT_LIST_DIR}/header.cpp
    ${CMAKE_CURRENT_LIST_DIR}/line.cpp
    ${CMAKE_CURRENT_LIST_DIR}/lower_triangle.cpp
    ${CMAKE_CURRENT_LIST_DIR}/number.cpp
    ${CMAKE_CURRENT_LIST_DIR}/output.cpp
    ${CMAKE_CURRENT_LIST_DIR}/permutation.cpp
    ${CMAKE_CURRENT_LIST_DIR}/reader.cpp
    ${CMAKE_CURRENT_LIST_DIR}/session.cpp
    ${CMAKE_CURRENT_LIST_DIR}/source.cpp
    ${CMAKE_CURRENT_LIST_DIR}/symmetry.cpp
    ${CMAKE_CURRENT_LIST_DIR}/writer.cpp)
set(CLCHOL_MATRIX_MARKET_LINK ZLIB::ZLIB)
if(CLCHOL_BUILD_FUZZ)
  clchol_source_options(OPTIONS -fsanitize=fuzzer-no-link SOURCES ${CLCHOL_MATRIX_MARKET_SOURCES})
endif()
