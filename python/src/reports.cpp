#include "python/src/reports.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/src/names.hpp"

namespace nb = nanobind;

namespace clchol::python {
namespace {

std::optional<Index> some(Index row) { return row == kNone ? std::nullopt : std::optional(row); }

nb::dict as_dict(const DevicePart& part) {
  nb::dict d;
  d["device"] = part.device;
  d["fronts"] = part.fronts;
  d["flops"] = part.flops;
  d["busy_s"] = part.busy_s;
  d["predicted_bytes"] = part.predicted_bytes;
  d["peak_bytes"] = part.peak_bytes;
  d["sent_bytes"] = part.sent_bytes;
  return d;
}

nb::dict as_dict(const DeviceSetup& setup) {
  nb::list parts;
  for (const DevicePart& part : setup.parts) parts.append(as_dict(part));
  nb::dict d;
  d["kernels"] = to_string(setup.kernels);
  d["solve_kernels"] = to_string(setup.solve_kernels);
  d["kernels_reason"] = setup.kernels_reason;
  d["notes"] = setup.notes;
  d["open_s"] = setup.open_s;
  d["plan_s"] = setup.plan_s;
  d["build_s"] = setup.build_s;
  d["built"] = setup.built;
  d["cached"] = setup.cached;
  d["upload_s"] = setup.upload_s;
  d["pin_s"] = setup.pin_s;
  d["solve_columns"] = setup.solve_columns;
  d["streamed_bytes"] = setup.streamed_bytes;
  d["unpinned_reason"] = setup.unpinned_reason;
  d["streamed_factor_s"] = setup.streamed_factor_s;
  d["streamed_solve_s"] = setup.streamed_solve_s;
  d["parts"] = parts;
  d["parts_reason"] = setup.parts_reason;
  d["parts_factor_s"] = setup.parts_factor_s;
  return d;
}

}  // namespace

nb::dict as_dict(const AnalysisReport& report) {
  nb::dict d;
  d["n"] = report.n;
  d["nnz"] = report.nnz;
  d["ordering"] = to_string(report.ordering, report.ordering_effort);
  d["ordering_reason"] = report.ordering_reason;
  d["compressed_n"] = report.compressed_n;
  d["nnz_l"] = report.nnz_l;
  d["flops"] = report.flops;
  d["nnz_stored"] = report.nnz_stored;
  d["flops_stored"] = report.flops_stored;
  d["supernodes"] = report.supernodes;
  d["exact_supernodes"] = report.exact_supernodes;
  d["dynamic_supernodes"] = report.dynamic_supernodes;
  d["backward_search"] = report.backward_search;
  d["tree_height"] = report.tree_height;
  d["largest_front"] = report.largest_front;
  d["largest_front_columns"] = report.largest_front_columns;
  d["factor_bytes"] = report.factor_bytes;
  d["workspace_bytes"] = report.workspace_bytes;
  d["solver_host_bytes"] = report.solver_host_bytes;
  d["predicted_host_bytes"] = report.predicted_host_bytes;
  d["solve_bytes_per_rhs"] = report.solve_bytes_per_rhs;
  d["loaded"] = report.loaded;
  d["order_s"] = report.order_s;
  d["symbolic_s"] = report.symbolic_s;
  return d;
}

nb::dict as_dict(const FactorReport& report) {
  nb::dict d;
  d["status"] = to_string(report.status);
  d["message"] = report.message;
  d["precision"] = name_of(report.precision);
  d["fell_back_to_double"] = report.fell_back_to_double;
  d["precision_reason"] = report.precision_reason;
  d["scaled"] = report.scaled;
  d["row"] = some(report.row);
  d["pivot"] = report.pivot;
  d["diagonal"] = report.diagonal;
  d["asymmetry"] = report.asymmetry;
  d["engine"] = to_string(report.engine);
  d["engine_reason"] = report.engine_reason;
  d["device"] = report.device;
  d["predicted_device_bytes"] = report.predicted_device_bytes;
  d["peak_device_bytes"] = report.peak_device_bytes;
  d["device_setup"] = as_dict(report.device_setup);
  d["file_bytes"] = report.file_bytes;
  d["loaded"] = report.loaded;
  d["rcond"] = report.rcond;
  d["threads"] = report.threads;
  d["load_s"] = report.load_s;
  d["setup_s"] = report.setup_s;
  d["factor_s"] = report.factor_s;
  d["condition_s"] = report.condition_s;
  return d;
}

nb::dict as_dict(const SolveReport& report) {
  nb::dict d;
  d["status"] = to_string(report.status);
  d["message"] = report.message;
  d["engine"] = to_string(report.engine);
  d["engine_reason"] = report.engine_reason;
  d["peak_device_bytes"] = report.peak_device_bytes;
  d["refine_steps"] = report.refine_steps;
  d["backward_error"] = report.backward_error;
  d["componentwise_error"] = report.componentwise_error;
  d["solve_s"] = report.solve_s;
  d["refine_s"] = report.refine_s;
  return d;
}

nb::dict as_dict(const HostMode& mode) {
  nb::dict d;
  d["is_out_of_core"] = mode.is_out_of_core;
  d["is_least"] = mode.is_least;
  d["host_bytes"] = mode.host_bytes;
  d["file_bytes"] = mode.file_bytes;
  return d;
}

nb::dict as_dict(const DeviceMode& mode) {
  nb::dict d;
  d["is_streamed"] = mode.is_streamed;
  d["is_least"] = mode.is_least;
  d["device_bytes"] = mode.device_bytes;
  d["host_bytes"] = mode.host_bytes;
  d["file_bytes"] = mode.file_bytes;
  d["factor_s"] = mode.factor_s;
  d["solve_s"] = mode.solve_s;
  d["to_host_bytes"] = mode.to_host_bytes;
  d["to_device_bytes"] = mode.to_device_bytes;
  d["solve_bytes"] = mode.solve_bytes;
  d["cpu_solve_bytes"] = mode.cpu_solve_bytes;
  return d;
}

}  // namespace clchol::python
