# Installation: the shared library, the public headers, the module of Fortran as a source (each
# compiler has its own form of compiled modules), the command, and what CMake and pkg-config
# need to find them.  The installed target needs no other package: everything is inside.
include(CMakePackageConfigHelpers)

# Told before anything is installed: `./dev solve`, for one, builds the command alone.
set(installed_files "$<TARGET_FILE:clchol>")
if(CLCHOL_BUILD_CLI)
  list(APPEND installed_files "$<TARGET_FILE:clchol_cli>")
endif()
install(
  CODE "
set(files \"${installed_files}\")
foreach(file IN LISTS files)
  if(NOT EXISTS \"\${file}\")
    message(FATAL_ERROR \"\${file} is not built.  Run: cmake --build ${CMAKE_BINARY_DIR}\")
  endif()
endforeach()")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/clchol)
install(TARGETS clchol EXPORT clcholTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/clchol DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.f90")
install(EXPORT clcholTargets NAMESPACE clchol:: DESTINATION ${package_dir})
if(CLCHOL_BUILD_CLI)
  install(TARGETS clchol_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

configure_package_config_file(cmake/clcholConfig.cmake.in ${PROJECT_BINARY_DIR}/clcholConfig.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/clcholConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/clcholConfig.cmake
              ${PROJECT_BINARY_DIR}/clcholConfigVersion.cmake DESTINATION ${package_dir})

# The prefix in the file is relative to the file: the tree may be moved.
file(RELATIVE_PATH CLCHOL_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/clchol.pc.in ${PROJECT_BINARY_DIR}/clchol.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/clchol.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
