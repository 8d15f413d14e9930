# The command clchol: solver/cli declares the target clchol_cli; its name and place are here.
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
add_subdirectory(solver/cli)
set_target_properties(clchol_cli PROPERTIES OUTPUT_NAME clchol RUNTIME_OUTPUT_DIRECTORY
                                                               ${PROJECT_BINARY_DIR}/bin)
