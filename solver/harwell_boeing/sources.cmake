# Sources of the Harwell-Boeing reader, for the target of solver/.
set(CLCHOL_HARWELL_BOEING_SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/format.cpp ${CMAKE_CURRENT_LIST_DIR}/header.cpp
    ${CMAKE_CURRENT_LIST_DIR}/lines.cpp ${CMAKE_CURRENT_LIST_DIR}/reader.cpp
    ${CMAKE_CURRENT_LIST_DIR}/value.cpp)
if(CLCHOL_BUILD_FUZZ)
  set_source_files_properties(${CLCHOL_HARWELL_BOEING_SOURCES} PROPERTIES COMPILE_OPTIONS
                                                                          -fsanitize=fuzzer-no-link)
endif()
