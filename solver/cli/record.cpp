#include "solver/cli/record.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/dense/kernels.hpp"
#include "solver/cli/units.hpp"

namespace clchol::cli {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// @return a member of a report; null if the report does not exist yet.
template <class Report, class T>
Json field(const std::optional<Report>& report, T Report::*member) {
  return report ? Json((*report).*member) : Json(nullptr);
}

/// @return the number; null if it is infinite or NaN, which JSON cannot represent.
Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// @return the number; null if it was not computed.
Json finite_or_null(const std::optional<double>& value) {
  return value ? finite_or_null(*value) : Json(nullptr);
}

/// @return the row at which the factorization failed, 1-based as in files.
Json row_of(const std::optional<FactorReport>& factor) {
  if (!factor || factor->row == kNone) return nullptr;
  return Offset{factor->row} + 1;
}

void put_analysis(const Record& r, Json& json) {
  const auto& a = r.analysis;
  json["ordering"] = a ? Json(to_string(a->ordering, a->ordering_effort)) : Json(nullptr);
  json["ordering_reason"] = field(a, &AnalysisReport::ordering_reason);
  json["nnz_l"] = field(a, &AnalysisReport::nnz_l);
  json["flops"] = field(a, &AnalysisReport::flops);
  json["supernodes"] = field(a, &AnalysisReport::supernodes);
  json["largest_front"] = field(a, &AnalysisReport::largest_front);
}

void put_environment(const Record& r, Json& json) {
  const bool is_made = r.factor && r.factor->engine != EngineKind::kAuto;
  const Json cpu = r.device ? Json("cpu") : Json(nullptr);  // The engine before a factorization.
  const bool was_replaced = r.solution && !r.solution->engine_reason.empty();
  json["engine"] = was_replaced ? Json(to_string(r.solution->engine))
                   : is_made    ? Json(to_string(r.factor->engine))
                                : cpu;
  json["engine_reason"] = was_replaced ? Json(r.solution->engine_reason)
                                       : field(r.factor, &FactorReport::engine_reason);
  json["device"] = or_null(r.device);
  json["threads"] = or_null(r.threads);
  json["precision"] = or_null(r.precision);
}

void put_seconds(const Record& r, Json& json) {
  const auto& a = r.analysis;
  const bool factored = r.is_factored();
  json["read_s"] = field(r.read, &solver::ReadNotes::seconds);
  json["order_s"] = field(a, &AnalysisReport::order_s);
  json["symbolic_s"] = field(a, &AnalysisReport::symbolic_s);
  json["analyze_s"] = a ? Json(a->order_s + a->symbolic_s) : Json(nullptr);
  json["setup_s"] = factored ? Json(r.factor->setup_s) : Json(nullptr);
  const bool loaded = factored && r.factor->loaded;
  json["load_s"] = loaded ? Json(r.factor->load_s) : Json(nullptr);
  json["factor_first_s"] = factored && !loaded ? Json(r.factor->factor_s) : Json(nullptr);
  json["factor_s"] = or_null(r.factor_s);
  json["condition_s"] = factored ? Json(r.factor->condition_s) : Json(nullptr);
  json["refactor_s"] = or_null(r.refactor_s);
  json["solve_s"] = field(r.solution, &SolveReport::solve_s);
  json["refine_s"] = field(r.solution, &SolveReport::refine_s);
  json["total_s"] = r.total_s;
  json["gflops"] =
      a && r.factor_s && *r.factor_s > 0 ? Json(a->flops / *r.factor_s / 1e9) : Json(nullptr);
}

void put_accuracy(const Record& r, Json& json) {
  const auto& s = r.solution;
  json["refine_steps"] = field(s, &SolveReport::refine_steps);
  json["backward_error"] = s ? finite_or_null(s->backward_error) : Json(nullptr);
  json["componentwise_error"] = s ? finite_or_null(s->componentwise_error) : Json(nullptr);
  json["forward_error"] = finite_or_null(r.forward_error);
  json["rcond"] = r.factor ? or_null(r.factor->rcond) : Json(nullptr);
}

void put_memory(const Record& r, Json& json) {
  json["peak_host_bytes"] = r.peak_host_bytes;
  json["peak_device_bytes"] = std::max(r.factor ? r.factor->peak_device_bytes : 0,
                                       r.solution ? r.solution->peak_device_bytes : 0);
  json["predicted_host_bytes"] = or_null(r.predicted_host_bytes);
  const auto on_device = r.factor ? r.factor->predicted_device_bytes : r.predicted_device_bytes;
  json["predicted_device_bytes"] = r.predicted_host_bytes ? Json(on_device) : Json(nullptr);
}

Json device_modes(const std::vector<DeviceMode>& modes) {
  Json list = Json::array();
  for (const DeviceMode& of : modes) {
    list.push_back({{"streamed", of.is_streamed},
                    {"least", of.is_least},
                    {"device_bytes", of.device_bytes},
                    {"host_bytes", of.host_bytes},
                    {"file_bytes", of.file_bytes},
                    {"factor_s", of.factor_s},
                    {"solve_s", of.solve_s},
                    {"to_host_bytes", of.to_host_bytes},
                    {"to_device_bytes", of.to_device_bytes},
                    {"solve_bytes", of.solve_bytes},
                    {"cpu_solve_bytes", of.cpu_solve_bytes}});
  }
  return list;
}

Json host_modes(const std::vector<HostMode>& modes) {
  Json list = Json::array();
  for (const HostMode& of : modes) {
    list.push_back({{"out_of_core", of.is_out_of_core},
                    {"least", of.is_least},
                    {"host_bytes", of.host_bytes},
                    {"file_bytes", of.file_bytes}});
  }
  return list;
}

Json device_parts(const std::vector<DevicePart>& parts) {
  Json list = Json::array();
  for (const DevicePart& of : parts) {
    list.push_back({{"device", of.device},
                    {"fronts", of.fronts},
                    {"flops", of.flops},
                    {"busy_s", of.busy_s},
                    {"predicted_bytes", of.predicted_bytes},
                    {"peak_bytes", of.peak_bytes},
                    {"sent_bytes", of.sent_bytes}});
  }
  return list;
}

Json device_setup(const FactorReport& factor) {
  if (factor.device.empty()) return nullptr;
  const DeviceSetup& of = factor.device_setup;
  return {{"kernels", to_string(of.kernels)},
          {"solve_kernels", to_string(of.solve_kernels)},
          {"kernels_reason", of.kernels_reason},
          {"notes", of.notes},
          {"open_s", of.open_s},
          {"plan_s", of.plan_s},
          {"build_s", of.build_s},
          {"programs_built", of.built},
          {"programs_cached", of.cached},
          {"upload_s", of.upload_s},
          {"pin_s", of.pin_s},
          {"solve_columns", of.solve_columns},
          {"streamed_bytes", of.streamed_bytes},
          {"unpinned_reason", of.unpinned_reason},
          {"streamed_factor_s", of.streamed_factor_s},
          {"streamed_solve_s", of.streamed_solve_s},
          {"parts", device_parts(of.parts)},
          {"parts_reason", of.parts_reason},
          {"parts_factor_s", of.parts_factor_s}};
}

/// Adds the remaining names.
void put_details(const Record& r, Json& json) {
  const auto& a = r.analysis;
  json["command"] = r.command;
  json["drawing"] = or_null(r.drawing);
  json["output"] = or_null(r.output);
  json["output_bytes"] = or_null(r.output_bytes);
  json["write_s"] = or_null(r.write_s);
  json["device_setup"] = r.is_factored() ? device_setup(*r.factor) : Json(nullptr);
  json["device_modes"] = r.device_modes.empty() ? Json(nullptr) : device_modes(r.device_modes);
  json["host_modes"] = r.host_modes.empty() ? Json(nullptr) : host_modes(r.host_modes);
  json["file_bytes"] = r.is_factored() ? Json(r.factor->file_bytes) : Json(nullptr);
  json["simd"] = numeric::dense::simd_target();
  json["nrhs"] = or_null(r.nrhs);
  json["repeat"] = or_null(r.repeat);
  json["host_memory_limit_bytes"] = or_null(r.host_memory_limit);
  json["device_memory_limit_bytes"] = or_null(r.device_memory_limit);
  json["solver_host_bytes"] = field(a, &AnalysisReport::solver_host_bytes);
  json["analysis_loaded"] = field(a, &AnalysisReport::loaded);
  json["compressed_n"] = field(a, &AnalysisReport::compressed_n);
  json["exact_supernodes"] = field(a, &AnalysisReport::exact_supernodes);
  json["dynamic_supernodes"] = field(a, &AnalysisReport::dynamic_supernodes);
  json["backward_search"] = field(a, &AnalysisReport::backward_search);
  json["tree_height"] = field(a, &AnalysisReport::tree_height);
  json["largest_front_columns"] = field(a, &AnalysisReport::largest_front_columns);
  json["nnz_stored"] = field(a, &AnalysisReport::nnz_stored);
  json["flops_stored"] = field(a, &AnalysisReport::flops_stored);
  json["factor_bytes"] = field(a, &AnalysisReport::factor_bytes);
  json["workspace_bytes"] = field(a, &AnalysisReport::workspace_bytes);
  json["scaled"] = field(r.factor, &FactorReport::scaled);
  json["fell_back_to_double"] = field(r.factor, &FactorReport::fell_back_to_double);
  const bool failed = r.factor && r.factor->status == Status::kNotPositiveDefinite;
  json["row"] = failed ? row_of(r.factor) : Json(nullptr);
  json["pivot"] = failed ? finite_or_null(r.factor->pivot) : Json(nullptr);
  json["diagonal"] = failed ? finite_or_null(r.factor->diagonal) : Json(nullptr);
  json["duplicates_summed"] = field(r.read, &solver::ReadNotes::duplicates_summed);
  json["general_but_symmetric"] = field(r.read, &solver::ReadNotes::general_but_symmetric);
  json["asymmetry"] = r.read && r.read->asymmetry >= 0 ? Json(r.read->asymmetry) : Json(nullptr);
  json["notes"] = notes_of(r);
}

}  // namespace

bool Record::is_factored() const {
  return factor && (factor->status == Status::kOk || factor->status == Status::kSingular);
}

nlohmann::ordered_json to_json(const Record& record) {
  Json json;
  json["matrix"] = or_null(record.matrix);
  json["n"] = or_null(record.n);
  json["nnz"] = or_null(record.nnz);
  put_analysis(record, json);
  put_environment(record, json);
  put_seconds(record, json);
  put_accuracy(record, json);
  put_memory(record, json);
  put_details(record, json);
  json["exit_code"] = exit_code(record.verdict.outcome);
  json["status"] = status_word(record.verdict.outcome);
  json["message"] = one_line(record.verdict.message);
  json["version"] = version();
  return json;
}

std::string to_line(const nlohmann::ordered_json& object) {
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<std::string> notes_of(const Record& record) {
  std::vector<std::string> notes;
  auto count = [](Offset number, const char* one, const char* many) {
    return std::to_string(number) + (number == 1 ? one : many);
  };
  if (record.read) {
    const solver::ReadNotes& read = *record.read;
    if (read.general_but_symmetric) {
      const std::string rounding =
          read.asymmetry > 0 ? " but for rounding (asymmetry " + small_text(read.asymmetry) + ")"
                             : "";
      notes.push_back("the file says general; its matrix is symmetric" + rounding +
                      " and the lower triangle was taken");
    }
    if (read.duplicates_summed > 0) {
      notes.push_back(count(read.duplicates_summed, " entry stands", " entries stand") +
                      " at a position given before and was summed");
    }
    if (read.upper_folded > 0) {
      notes.push_back(count(read.upper_folded, " entry", " entries") +
                      " above the diagonal of the symmetric file taken as below it");
    }
    if (read.outside_dropped > 0) {
      notes.push_back(count(read.outside_dropped, " entry stands", " entries stand") +
                      " outside the triangle that the file's stype names and was left out");
    }
    if (read.zero_based) {
      notes.emplace_back("the file counts rows and columns from 0; messages count them from 1");
    }
    if (read.explicit_zeros > 0) {
      notes.push_back(count(read.explicit_zeros, " zero", " zeros") +
                      " stored in the file kept in the pattern");
    }
  }
  if (record.threads && *record.threads < record.threads_asked) {
    notes.push_back(count(*record.threads, " thread", " threads") + ", not the " +
                    std::to_string(record.threads_asked) +
                    " asked for: the system gives no more, or the library takes no more");
  }
  if (record.read && record.read->right_hand_sides_ignored) {
    notes.emplace_back("the file holds right-hand sides too; they were not read");
  }
  if (record.factor && record.factor->scaled) {
    notes.emplace_back(
        "the diagonal spans many orders of magnitude, or is far from 1: scaled by powers of two");
  }
  if (record.factor && record.factor->fell_back_to_double) {
    notes.emplace_back("not positive definite in single precision: factored in double");
  }
  return notes;
}

}  // namespace clchol::cli
