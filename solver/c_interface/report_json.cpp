#include "solver/c_interface/report_json.hpp"

#include <nlohmann/json.hpp>

namespace clchol::solver {
namespace {

using Json = nlohmann::ordered_json;

template <class V>
Json value_or_null(const std::optional<V>& value) {
  return value ? Json(*value) : Json(nullptr);
}

const char* name_of_precision(Precision precision) {
  return precision == Precision::kSingle ? "single" : "double";
}

Json json_of(const DevicePart& part) {
  return {{"device", part.device},
          {"fronts", part.fronts},
          {"flops", part.flops},
          {"busy_s", part.busy_s},
          {"predicted_bytes", part.predicted_bytes},
          {"peak_bytes", part.peak_bytes},
          {"sent_bytes", part.sent_bytes}};
}

Json json_of(const DeviceSetup& setup) {
  Json parts = Json::array();
  for (const DevicePart& part : setup.parts) parts.push_back(json_of(part));
  return {{"kernels", to_string(setup.kernels)},
          {"solve_kernels", to_string(setup.solve_kernels)},
          {"kernels_reason", setup.kernels_reason},
          {"notes", setup.notes},
          {"open_s", setup.open_s},
          {"plan_s", setup.plan_s},
          {"build_s", setup.build_s},
          {"built", setup.built},
          {"cached", setup.cached},
          {"upload_s", setup.upload_s},
          {"pin_s", setup.pin_s},
          {"solve_columns", setup.solve_columns},
          {"streamed_bytes", setup.streamed_bytes},
          {"unpinned_reason", setup.unpinned_reason},
          {"streamed_factor_s", setup.streamed_factor_s},
          {"streamed_solve_s", setup.streamed_solve_s},
          {"parts", std::move(parts)},
          {"parts_reason", setup.parts_reason},
          {"parts_factor_s", setup.parts_factor_s}};
}

Json json_of(const HostMode& mode) {
  return {{"is_out_of_core", mode.is_out_of_core},
          {"is_least", mode.is_least},
          {"host_bytes", mode.host_bytes},
          {"file_bytes", mode.file_bytes}};
}

Json json_of(const DeviceMode& mode) {
  return {{"is_streamed", mode.is_streamed},
          {"is_least", mode.is_least},
          {"device_bytes", mode.device_bytes},
          {"host_bytes", mode.host_bytes},
          {"file_bytes", mode.file_bytes},
          {"factor_s", mode.factor_s},
          {"solve_s", mode.solve_s},
          {"to_host_bytes", mode.to_host_bytes},
          {"to_device_bytes", mode.to_device_bytes},
          {"solve_bytes", mode.solve_bytes},
          {"cpu_solve_bytes", mode.cpu_solve_bytes}};
}

// Names of files and devices may hold bytes that are not UTF-8: these become U+FFFD.
std::string text_of_json(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class Mode>
std::string text_of_modes(const std::vector<Mode>& modes) {
  Json array = Json::array();
  for (const Mode& mode : modes) array.push_back(json_of(mode));
  return text_of_json(array);
}

}  // namespace

std::string json_text(const AnalysisReport& report) {
  return text_of_json({{"n", report.n},
                       {"nnz", report.nnz},
                       {"ordering", to_string(report.ordering, report.ordering_effort)},
                       {"ordering_reason", report.ordering_reason},
                       {"compressed_n", report.compressed_n},
                       {"nnz_l", report.nnz_l},
                       {"flops", report.flops},
                       {"nnz_stored", report.nnz_stored},
                       {"flops_stored", report.flops_stored},
                       {"supernodes", report.supernodes},
                       {"exact_supernodes", report.exact_supernodes},
                       {"dynamic_supernodes", report.dynamic_supernodes},
                       {"backward_search", report.backward_search},
                       {"tree_height", report.tree_height},
                       {"largest_front", report.largest_front},
                       {"largest_front_columns", report.largest_front_columns},
                       {"factor_bytes", report.factor_bytes},
                       {"workspace_bytes", report.workspace_bytes},
                       {"solver_host_bytes", report.solver_host_bytes},
                       {"predicted_host_bytes", report.predicted_host_bytes},
                       {"solve_bytes_per_rhs", report.solve_bytes_per_rhs},
                       {"loaded", report.loaded},
                       {"order_s", report.order_s},
                       {"symbolic_s", report.symbolic_s}});
}

std::string json_text(const FactorReport& report) {
  return text_of_json({{"status", to_string(report.status)},
                       {"message", report.message},
                       {"precision", name_of_precision(report.precision)},
                       {"fell_back_to_double", report.fell_back_to_double},
                       {"precision_reason", report.precision_reason},
                       {"scaled", report.scaled},
                       {"row", report.row},
                       {"pivot", report.pivot},
                       {"diagonal", report.diagonal},
                       {"asymmetry", value_or_null(report.asymmetry)},
                       {"engine", to_string(report.engine)},
                       {"engine_reason", report.engine_reason},
                       {"device", report.device},
                       {"predicted_device_bytes", report.predicted_device_bytes},
                       {"peak_device_bytes", report.peak_device_bytes},
                       {"device_setup", json_of(report.device_setup)},
                       {"file_bytes", report.file_bytes},
                       {"loaded", report.loaded},
                       {"rcond", value_or_null(report.rcond)},
                       {"threads", report.threads},
                       {"load_s", report.load_s},
                       {"setup_s", report.setup_s},
                       {"factor_s", report.factor_s},
                       {"condition_s", report.condition_s}});
}

std::string json_text(const SolveReport& report) {
  return text_of_json({{"status", to_string(report.status)},
                       {"message", report.message},
                       {"engine", to_string(report.engine)},
                       {"engine_reason", report.engine_reason},
                       {"peak_device_bytes", report.peak_device_bytes},
                       {"refine_steps", report.refine_steps},
                       {"backward_error", value_or_null(report.backward_error)},
                       {"componentwise_error", value_or_null(report.componentwise_error)},
                       {"solve_s", report.solve_s},
                       {"refine_s", report.refine_s}});
}

std::string json_text(const std::vector<HostMode>& modes) { return text_of_modes(modes); }
std::string json_text(const std::vector<DeviceMode>& modes) { return text_of_modes(modes); }

}  // namespace clchol::solver
