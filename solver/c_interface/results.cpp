// The functions of clchol/clchol.h that hand out what was computed, and those of files.
#include <cstdlib>
#include <cstring>

#include "solver/c_interface/handle.hpp"
#include "solver/c_interface/report_json.hpp"

using clchol::InvalidArgument;
using clchol::Status;
using clchol::solver::copied_for_caller;
using clchol::solver::guarded;
using clchol::solver::guarded_void;
using clchol::solver::json_text;
using clchol::solver::not_null;
using clchol::solver::Outcome;
using clchol::solver::outcome;
using clchol::solver::PollingCall;
using clchol::solver::ScalarOf;
using clchol::solver::with_view;

namespace clchol::solver {

void* copied_for_caller(const void* bytes, std::size_t count) {
  // malloc(0) may return a null pointer, which would look like a failure.
  void* const copy = std::malloc(std::max<std::size_t>(count, 1));
  if (copy == nullptr) throw std::bad_alloc();
  if (count > 0) std::memcpy(copy, bytes, count);
  return copy;
}

char* copied_for_caller(const std::string& text) {
  return static_cast<char*>(copied_for_caller(text.c_str(), text.size() + 1));
}

}  // namespace clchol::solver

namespace {

/// The text of a report, CLCHOL_REPORT_...
std::string text_of(const clchol_solver& handle, int report) {
  if (report == CLCHOL_REPORT_SOLVE) {
    const std::lock_guard lock(handle.mutex);
    return json_text(handle.solve_report);
  }
  return std::visit(
      [report](const auto& own) {
        switch (report) {
          case CLCHOL_REPORT_ANALYSIS:
            return json_text(own.analysis_report());
          case CLCHOL_REPORT_FACTOR:
            return json_text(own.factor_report());
          case CLCHOL_REPORT_HOST_MODES:
            return json_text(own.host_modes());
          case CLCHOL_REPORT_DEVICE_MODES:
            return json_text(own.device_modes());
          default:
            throw InvalidArgument("report is " + std::to_string(report) +
                                  ", must be CLCHOL_REPORT_ANALYSIS, ...");
        }
      },
      handle.any);
}

/// Copies entries into a caller's array, which may be NULL only when there are none.
template <class V, class Out>
void copy_out(const std::vector<V>& entries, Out* array, const char* name) {
  if (entries.empty()) return;
  std::copy(entries.begin(), entries.end(), not_null(array, name));
}

}  // namespace

extern "C" {

// ---- What was computed
// ---------------------------------------------------------------------------

int clchol_get_analysis_report(const clchol_solver* solver, clchol_analysis_report* report,
                               size_t size) {
  return guarded_void(solver, [&](const auto& own) {
    clchol::solver::write_struct(clchol::solver::c_report(own.analysis_report()), report,
                                 "clchol_analysis_report", size);
  });
}

int clchol_get_factor_report(const clchol_solver* solver, clchol_factor_report* report,
                             size_t size) {
  return guarded_void(solver, [&](const auto& own) {
    clchol::solver::write_struct(clchol::solver::c_report(own.factor_report()), report,
                                 "clchol_factor_report", size);
  });
}

int clchol_report_json(const clchol_solver* solver, int report, char** json) {
  return guarded(solver, [&] {
    *not_null(json, "json") = nullptr;
    *json = copied_for_caller(text_of(*solver, report));
    return Outcome{};
  });
}

int clchol_log_determinant(const clchol_solver* solver, double* value) {
  return guarded_void(solver,
                      [&](const auto& own) { *not_null(value, "value") = own.log_determinant(); });
}

int clchol_diagonal(const clchol_solver* solver, void* diagonal) {
  return guarded_void(solver, [&](const auto& own) {
    using T = ScalarOf<decltype(own)>;
    copy_out(own.diagonal(), static_cast<T*>(diagonal), "diagonal");
  });
}

int clchol_scaling(const clchol_solver* solver, void* scaling) {
  return guarded_void(solver, [&](const auto& own) {
    using T = ScalarOf<decltype(own)>;
    copy_out(own.scaling(), static_cast<T*>(scaling), "scaling");
  });
}

int clchol_permutation(const clchol_solver* solver, int32_t* permutation) {
  return guarded_void(
      solver, [&](const auto& own) { copy_out(own.permutation(), permutation, "permutation"); });
}

int clchol_factor(const clchol_solver* solver, int64_t* colptr, int32_t* rowind, void* values) {
  return guarded_void(solver, [&](const auto& own) {
    using T = ScalarOf<decltype(own)>;
    not_null(colptr, "colptr");
    not_null(rowind, "rowind");
    not_null(values, "values");
    const clchol::AnalysisReport& report = own.analysis_report();
    const auto columns = static_cast<std::size_t>(report.n);
    const auto entries = static_cast<std::size_t>(report.nnz_stored);
    own.factor({colptr, columns + 1}, {rowind, entries}, {static_cast<T*>(values), entries});
  });
}

int clchol_assembly_tree(const clchol_solver* solver, int32_t* super_ptr, int32_t* super_parent,
                         int32_t* nrow) {
  return guarded_void(solver, [&](const auto& own) {
    const clchol::AssemblyTree tree = own.assembly_tree();
    copy_out(tree.super_ptr, super_ptr, "super_ptr");
    copy_out(tree.super_parent, super_parent, "super_parent");
    copy_out(tree.nrow, nrow, "nrow");
  });
}

int clchol_predict_device_bytes(const clchol_solver* solver, int64_t* bytes) {
  return guarded_void(
      solver, [&](const auto& own) { *not_null(bytes, "bytes") = own.predict_device_bytes(); });
}

// ---- Files
// ---------------------------------------------------------------------------------------

int clchol_save_analysis(const clchol_solver* solver, const char* path) {
  return guarded_void(solver, [&](const auto& own) { own.save_analysis(not_null(path, "path")); });
}

int clchol_save_analysis_bytes(const clchol_solver* solver, void** bytes, size_t* count) {
  return guarded_void(solver, [&](const auto& own) {
    *not_null(bytes, "bytes") = nullptr;
    *not_null(count, "count") = 0;
    const std::vector<std::byte> saved = own.save_analysis();
    *bytes = copied_for_caller(saved.data(), saved.size());
    *count = saved.size();
  });
}

int clchol_load_analysis(clchol_solver* solver, const clchol_matrix* a, const char* path) {
  return guarded(solver, [&] {
    not_null(path, "path");
    const PollingCall polling(*solver);
    return std::visit(
        [&](auto& own) {
          return outcome(with_view<ScalarOf<decltype(own)>>(
                             a, [&](const auto& view) { return own.load_analysis(view, path); }),
                         "");
        },
        solver->any);
  });
}

int clchol_load_analysis_bytes(clchol_solver* solver, const clchol_matrix* a, const void* bytes,
                               size_t count) {
  return guarded(solver, [&] {
    const PollingCall polling(*solver);
    const std::span saved(static_cast<const std::byte*>(not_null(bytes, "bytes")), count);
    return std::visit(
        [&](auto& own) {
          return outcome(with_view<ScalarOf<decltype(own)>>(
                             a, [&](const auto& view) { return own.load_analysis(view, saved); }),
                         "");
        },
        solver->any);
  });
}

int clchol_save_factor(const clchol_solver* solver, const char* path) {
  return guarded(solver, [&] {
    not_null(path, "path");
    const PollingCall polling(*solver);
    return std::visit([&](const auto& own) { return outcome(own.save_factor(path), ""); },
                      solver->any);
  });
}

int clchol_load_factor(clchol_solver* solver, const clchol_matrix* a, const char* path) {
  return guarded(solver, [&] {
    not_null(path, "path");
    const PollingCall polling(*solver);
    return std::visit(
        [&](auto& own) {
          const Status status =
              a == nullptr ? own.load_factor(path)
                           : with_view<ScalarOf<decltype(own)>>(
                                 a, [&](const auto& view) { return own.load_factor(view, path); });
          return outcome(status, own.factor_report().message);
        },
        solver->any);
  });
}

}  // extern "C"
