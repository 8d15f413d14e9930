# Sources of the Harwell-Boeing reader, for the target of solver/.
set(CLCHOL_HARWELL_BOEING_SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/format.cpp ${CMAKE_CURRENT_LIST_DIR}/header.cpp
    ${CMAKE_CURRENT_LIST_DIR}/lines.cpp ${CMAKE_CURRENT_LIST_DIR}/reader.cpp
    ${CMAKE_CURRENT_LIST_DIR}/value.cpp)
if(CLCHOL_BUILD_FUZZ)
  clchol_source_options(OPTIONS -fsanitize=fuzzer-no-link SOURCES ${CLCHOL_HARWELL_BOEING_SOURCES})
endif()
