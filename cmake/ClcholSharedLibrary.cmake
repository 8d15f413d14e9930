# The shared library clchol, alias clchol::clchol: all folders in one, nothing visible but the
# public names (cmake/exports.map; tests/exported_symbols_test.py checks it).
#
# The objects of base and solver go in whole, because the public classes live there; from the
# folders between them the linker takes what these need.
add_library(clchol SHARED)
add_library(clchol::clchol ALIAS clchol)
target_sources(clchol PRIVATE $<TARGET_OBJECTS:clchol_base> $<TARGET_OBJECTS:clchol_solver>)
target_include_directories(clchol PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(clchol PUBLIC cxx_std_20)
target_link_libraries(clchol PRIVATE clchol_solver clchol_base $<BUILD_INTERFACE:clchol_flags>)

set(exports_map ${PROJECT_SOURCE_DIR}/cmake/exports.map)
target_link_options(clchol PRIVATE LINKER:--version-script=${exports_map})
# Threads of the pool (base/team.hpp) last until the process ends, so the library stays too.
target_link_options(clchol PRIVATE LINKER:-z,nodelete)
if(NOT CLCHOL_SANITIZERS)
  target_link_options(clchol PRIVATE LINKER:-z,defs)
endif()
# While the version is 0.x, any minor release may change the binary interface.
set_target_properties(
  clchol
  PROPERTIES VERSION ${PROJECT_VERSION}
             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
             LINKER_LANGUAGE CXX
             LINK_DEPENDS ${exports_map}
             LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
