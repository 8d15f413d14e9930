# One step of the installation test; STEP, BUILD_DIR, SOURCE_DIR, WORK_DIR, GENERATOR, LIBDIR,
# COMPILER, VERSION, CLI and OPENCL are given with -D.
cmake_minimum_required(VERSION 3.22)

set(prefix ${WORK_DIR}/prefix)
set(stranger ${SOURCE_DIR}/tests/install/stranger)
set(scratch ${WORK_DIR}/${STEP})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}\nexit: ${result}")
  endif()
endfunction()

# Builds the project in `source` and runs each program it leaves under bin/.
function(build_and_run source)
  run(${CMAKE_COMMAND} -S ${source} -B ${scratch} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER}
      -D CMAKE_BUILD_TYPE=Release -D CMAKE_RUNTIME_OUTPUT_DIRECTORY=${scratch}/bin
      -D EXPECTED_VERSION=${VERSION} ${ARGN})
  run(${CMAKE_COMMAND} --build ${scratch} --parallel 2)
  file(GLOB programs ${scratch}/bin/*)
  if(NOT programs)
    message(FATAL_ERROR "${source} left no program in ${scratch}/bin")
  endif()
  foreach(program IN LISTS programs)
    run(${program})
  endforeach()
endfunction()

# The installed files, compared with what belongs there.
function(check_installed_files)
  file(GLOB_RECURSE installed RELATIVE ${prefix} ${prefix}/*)
  file(GLOB_RECURSE expected RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/include/clchol/*)
  string(REGEX MATCH "^[0-9]+[.][0-9]+" soversion ${VERSION})
  list(APPEND expected ${LIBDIR}/libclchol.so ${LIBDIR}/libclchol.so.${soversion}
       ${LIBDIR}/libclchol.so.${VERSION} ${LIBDIR}/pkgconfig/clchol.pc
       ${LIBDIR}/cmake/clchol/clcholConfig.cmake ${LIBDIR}/cmake/clchol/clcholConfigVersion.cmake
       ${LIBDIR}/cmake/clchol/clcholTargets.cmake
       ${LIBDIR}/cmake/clchol/clcholTargets-release.cmake)
  if(CLI)
    list(APPEND expected bin/clchol)
  endif()
  string(REPLACE "," ";" drop_in "${DROP_IN}")
  foreach(solver IN LISTS drop_in)
    set(library ${LIBDIR}/libclchol_${solver}.so)
    list(APPEND expected ${library} ${library}.${soversion} ${library}.${VERSION})
    # It finds the library beside it, wherever the tree is moved.
    execute_process(COMMAND ldd ${prefix}/${library} OUTPUT_VARIABLE needed
                    COMMAND_ERROR_IS_FATAL ANY)
    string(FIND "${needed}" "libclchol.so.${soversion} => ${prefix}/${LIBDIR}/" found)
    if(found EQUAL -1)
      message(FATAL_ERROR "${library} needs:\n${needed}")
    endif()
  endforeach()
  list(TRANSFORM installed REPLACE "clcholTargets-[a-z]+.cmake" "clcholTargets-release.cmake")
  list(SORT installed)
  list(SORT expected)
  if(NOT installed STREQUAL expected)
    message(FATAL_ERROR "installed: ${installed}\nexpected:  ${expected}")
  endif()
endfunction()

if(STEP STREQUAL "install")
  file(REMOVE_RECURSE ${WORK_DIR}/first_prefix ${prefix})
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/first_prefix)
  file(RENAME ${WORK_DIR}/first_prefix ${prefix})
  check_installed_files()
elseif(STEP STREQUAL "find_package")
  file(REMOVE_RECURSE ${scratch})
  build_and_run(${stranger} -D CMAKE_PREFIX_PATH=${prefix} -D HOW=find_package
                -D WITH_OPENCL=${OPENCL})
elseif(STEP STREQUAL "pkg_config")
  file(REMOVE_RECURSE ${scratch})
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  build_and_run(${stranger} -D HOW=pkg_config -D WITH_OPENCL=${OPENCL})
elseif(STEP STREQUAL "add_subdirectory")
  # Not removed: building the library again is what takes the time, and the generator knows better.
  # Less to build, and nothing optimized: no OpenCL, kernels for one instruction set, several sources
  # at once.
  build_and_run(${stranger} -D HOW=add_subdirectory -D CLCHOL_SOURCE_DIR=${SOURCE_DIR}
                -D CLCHOL_OPENCL=OFF -D CLCHOL_SIMD_TARGETS=AVX2 -D CMAKE_CXX_FLAGS_RELEASE=-O0
                -D CMAKE_UNITY_BUILD=ON -D CMAKE_UNITY_BUILD_BATCH_SIZE=12)
elseif(STEP STREQUAL "not_built")
  # Configured and not built, as `./dev solve` leaves the library: told what to run, and nothing is
  # installed.
  file(REMOVE_RECURSE ${scratch})
  run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${scratch}/build -G ${GENERATOR}
      -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=Release -D CLCHOL_BUILD_TESTS=OFF)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${scratch}/build --prefix ${scratch}/prefix
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output ${output})
  if(result EQUAL 0 OR NOT output MATCHES "is not built.*cmake --build ${scratch}/build")
    message(FATAL_ERROR "exit ${result}: ${output}")
  endif()
  if(EXISTS ${scratch}/prefix)
    message(FATAL_ERROR "something was installed")
  endif()
else()
  message(FATAL_ERROR "STEP is '${STEP}'")
endif()
