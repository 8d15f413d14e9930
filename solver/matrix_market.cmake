# Sources and libraries of the Matrix Market reader and writer, for the target of solver/.
set(CLCHOL_MATRIX_MARKET_SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_assemble.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_blocks.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_entries.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_error.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_foreign.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_gzip.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_header.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_line.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_number.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_output.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_permutation.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_reader.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_session.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_source.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_symmetry.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix_market_writer.cpp)
set(CLCHOL_MATRIX_MARKET_LINK ZLIB::ZLIB OpenMP::OpenMP_CXX)
