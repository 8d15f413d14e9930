# clchol_check_headers(): every header of every folder compiles alone.
#
# A header that has a source of its own does when that source compiles: its own header comes first
# there (tests/layering_test.py).  This is for the others.
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
  if(NOT CLCHOL_BUILD_CLI)
    list(FILTER headers EXCLUDE REGEX "^solver/cli/")
  endif()
  if(NOT CLCHOL_HAVE_OPENCL)
    # These alone do without it.
    set(plain "(dense|devices|fronts|runtime)/(binary_cache|cl_check|dense_args|device_choice|device_list|embedded_text|front_batch_pieces|front_batch_stages|front_batch_tiles|front_solve_subtrees|front_solve_tiles|fronts|list_schedule|panel_checks|slab_plan|solve_lists)|reference/.*")
    set(all ${headers})
    set(device "numeric/device/(engine|factor|panel_store|plain_waves|refine|share|share_plan|solve)|solver/device/(device_trace|open_device|opencl_engine|use_device)")
    list(FILTER headers EXCLUDE REGEX
         "^gpu_kernels/|^(${device}).hpp$|^solver/cli/(device/device_session|device/traced_device|kernel_bench/)|/opencl.hpp$")
    list(FILTER all INCLUDE REGEX "^gpu_kernels/(${plain}).hpp$")
    list(APPEND headers ${all})
  endif()
  find_package(Eigen3 QUIET)
  if(NOT Eigen3_FOUND)
    list(FILTER headers EXCLUDE REGEX "/eigen[a-z_]*.hpp$")
  endif()

  set(sources)
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "[.]hpp$" ".cpp" own_source ${PROJECT_SOURCE_DIR}/${header})
    if(EXISTS ${own_source})
      continue()
    endif()
    string(REGEX REPLACE "^include/" "" include ${header})
    string(MAKE_C_IDENTIFIER ${header} unit)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${unit}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"@include@\"\n" @ONLY)
    list(APPEND sources ${source})
  endforeach()
  if(NOT sources)
    return()
  endif()
  add_library(clchol_headers_${name} OBJECT ${sources})
  set_target_properties(clchol_headers_${name} PROPERTIES UNITY_BUILD OFF)  # Each one alone.
  target_link_libraries(clchol_headers_${name} PRIVATE ${library} $<BUILD_INTERFACE:clchol_flags>)
  foreach(library CLI11::CLI11 nlohmann_json::nlohmann_json)
    if(folder STREQUAL "solver" AND TARGET ${library})
      target_link_libraries(clchol_headers_${name} PRIVATE ${library})
    endif()
  endforeach()
  if(Eigen3_FOUND)
    target_link_libraries(clchol_headers_${name} PRIVATE Eigen3::Eigen)
  endif()
  if(CLCHOL_HAVE_OPENCL)
    target_link_libraries(clchol_headers_${name} PRIVATE OpenCL::OpenCL)
    target_compile_definitions(clchol_headers_${name} PRIVATE CL_TARGET_OPENCL_VERSION=120)
  endif()
endfunction()
