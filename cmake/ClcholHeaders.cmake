# clchol_check_headers(): every header of every folder compiles alone.
#
# One generated source a header, that includes it and nothing else, in one object library a folder
# that sees what the folder's own library sees.  Headers, unlike sources, are found by pattern: a
# header left off a list would go unchecked without anyone noticing.  (Not with CONFIGURE_DEPENDS:
# every build would begin with a look at all folders; `./dev` looks before it builds.)
function(clchol_check_headers)
  foreach(folder base gpu_kernels ordering symbolic numeric solver)
    if(TARGET clchol_${folder})
      clchol_check_headers_of(${folder} ${folder} clchol_${folder})
    endif()
  endforeach()
  if(TARGET clchol)
    # As a stranger sees them: the include directory alone.
    clchol_check_headers_of(public include/clchol clchol)
  endif()
endfunction()

function(clchol_check_headers_of name folder library)
  file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR}
       ${PROJECT_SOURCE_DIR}/${folder}/*.hpp)
  list(FILTER headers EXCLUDE REGEX "^solver/cli/")
  if(NOT CLCHOL_HAVE_OPENCL)
    list(FILTER headers EXCLUDE REGEX "^gpu_kernels/device_query.hpp$")
  endif()
  find_package(Eigen3 QUIET)
  if(NOT Eigen3_FOUND)
    list(FILTER headers EXCLUDE REGEX "eigen.hpp$")
  endif()
  if(NOT headers)
    return()
  endif()

  set(sources)
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "^include/" "" include ${header})
    string(MAKE_C_IDENTIFIER ${header} unit)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${unit}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"@include@\"\n" @ONLY)
    list(APPEND sources ${source})
  endforeach()
  add_library(clchol_headers_${name} OBJECT ${sources})
  target_link_libraries(clchol_headers_${name} PRIVATE ${library} $<BUILD_INTERFACE:clchol_flags>)
  if(Eigen3_FOUND)
    target_link_libraries(clchol_headers_${name} PRIVATE Eigen3::Eigen)
  endif()
endfunction()
