# Options of the build, and clchol_library(): the one way to declare a folder's library.
include(GNUInstallDirs)

option(CLCHOL_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(CLCHOL_BUILD_BENCH "Build the benchmark programs (peers needed)" OFF)
option(CLCHOL_BUILD_CLI "Build the command clchol" ${PROJECT_IS_TOP_LEVEL})
option(CLCHOL_BUILD_DROP_IN "Build the libraries with the interfaces of CHOLMOD and PARDISO"
       ${PROJECT_IS_TOP_LEVEL})
option(CLCHOL_BUILD_FUZZ "Build the fuzz targets (clang only)" OFF)
option(CLCHOL_INSTALL "Add the install rules" ${PROJECT_IS_TOP_LEVEL})
option(CLCHOL_CHECK_HEADERS "Compile every header alone, with the tests" ON)
option(CLCHOL_WERROR "Treat warnings as errors" OFF)
option(CLCHOL_TEST_PROGRAMS "One test for each test program instead of one for each case" OFF)
option(CLCHOL_HEAVY_ASSERTIONS "Recompute invariants in debug builds" OFF)
set(CLCHOL_PYTHON "" CACHE FILEPATH
    "Interpreter with pip, NumPy, SciPy, nanobind, scikit-build-core and pytest: tests the Python package")
set(CLCHOL_SANITIZERS "" CACHE STRING "Sanitizers, e.g. address;undefined")
set(CLCHOL_SIMD_TARGETS "ALL" CACHE STRING
    "Dense kernels for: ALL instruction sets, or AVX2 (and AVX3) alone, in half the time of the compiler or less")
set_property(CACHE CLCHOL_SIMD_TARGETS PROPERTY STRINGS ALL AVX2 AVX3 AVX2+AVX3)
set(CLCHOL_OPENCL "AUTO" CACHE STRING "Use OpenCL: ON (required), OFF, AUTO (where it is found)")
set_property(CACHE CLCHOL_OPENCL PROPERTY STRINGS AUTO ON OFF)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_EXTENSIONS OFF)

# Warnings, sanitizers and assertions: private to the project's own targets.
add_library(clchol_flags INTERFACE)
target_compile_features(clchol_flags INTERFACE cxx_std_20)
target_compile_options(clchol_flags INTERFACE -Wall -Wextra -Wpedantic
                                              $<$<COMPILE_LANGUAGE:CXX>:-Wzero-as-null-pointer-constant>
                                              $<$<BOOL:${CLCHOL_WERROR}>:-Werror>)
target_compile_definitions(clchol_flags
                           INTERFACE $<$<BOOL:${CLCHOL_HEAVY_ASSERTIONS}>:CLCHOL_HEAVY_ASSERTIONS>)
# Where sources are compiled together, GCC takes types in their unnamed namespaces for a header's.
target_compile_options(
  clchol_flags INTERFACE $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wno-subobject-linkage>)
foreach(sanitizer IN LISTS CLCHOL_SANITIZERS)
  target_compile_options(clchol_flags INTERFACE -fsanitize=${sanitizer} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(clchol_flags INTERFACE -fsanitize=${sanitizer})
endforeach()
if("undefined" IN_LIST CLCHOL_SANITIZERS)
  # Checks at every access, most of the compiler's time, that the address sanitizer makes too.
  target_compile_options(clchol_flags INTERFACE -fno-sanitize=null,object-size)
endif()
if(CLCHOL_SIMD_TARGETS MATCHES "^AVX" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # The baseline is the oldest set that Highway compiles for.
  set(oldest haswell)
  if(CLCHOL_SIMD_TARGETS STREQUAL "AVX3")
    set(oldest skylake-avx512)
  endif()
  target_compile_options(clchol_flags INTERFACE -march=${oldest})
  if(CLCHOL_SIMD_TARGETS STREQUAL "AVX2")
    target_compile_definitions(clchol_flags INTERFACE CLCHOL_NO_AVX3)
  endif()
endif()

# Headers that most sources read, parsed once for all libraries: a third of the compilers' time.  To
# see that every source includes what it needs: -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON.
set(clchol_parsed_headers <algorithm> <array> <atomic> <cmath> <cstdint> <functional> <limits> <map>
                          <memory> <mutex> <numeric> <optional> <span> <string> <string_view>
                          <type_traits> <utility> <vector>)

# clchol_source_options(OPTIONS option... SOURCES source...): options of the compiler for these sources
# of a folder alone, which then do not use headers that were parsed with others, and are not compiled
# together with other sources.
function(clchol_source_options)
  cmake_parse_arguments(ARG "" "" "OPTIONS;SOURCES" ${ARGN})
  set_source_files_properties(${ARG_SOURCES} PROPERTIES COMPILE_OPTIONS "${ARG_OPTIONS}"
                                                        SKIP_PRECOMPILE_HEADERS ON
                                                        SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# clchol_library(NAME folder SOURCES ... LINK ...): static, position independent, hidden symbols.
# The first one is base, on which all others rest.
function(clchol_library)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;LINK" ${ARGN})
  add_library(clchol_${ARG_NAME} STATIC ${ARG_SOURCES})
  target_include_directories(clchol_${ARG_NAME} PUBLIC ${PROJECT_SOURCE_DIR}
                                                       ${PROJECT_SOURCE_DIR}/include)
  set_target_properties(
    clchol_${ARG_NAME} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                  VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(clchol_${ARG_NAME} PUBLIC ${ARG_LINK} PRIVATE $<BUILD_INTERFACE:clchol_flags>)
  if(ARG_NAME STREQUAL "base")
    target_precompile_headers(clchol_base PRIVATE ${clchol_parsed_headers})
  else()
    target_precompile_headers(clchol_${ARG_NAME} REUSE_FROM clchol_base)
  endif()
endfunction()
