// The functions of clchol/clchol.h that make a solver, set its options, factor and solve.
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "solver/c_interface/handle.hpp"
#include "solver/c_interface/option_texts.hpp"

using clchol::Index;
using clchol::InvalidArgument;
using clchol::Options;
using clchol::SolveReport;
using clchol::SparseCholesky;
using clchol::Status;
using clchol::solver::columns_of;
using clchol::solver::copied_for_caller;
using clchol::solver::guarded;
using clchol::solver::guarded_void;
using clchol::solver::not_null;
using clchol::solver::Outcome;
using clchol::solver::outcome;
using clchol::solver::PollingCall;
using clchol::solver::ScalarOf;
using clchol::solver::with_view;

namespace {

/// Options::progress: calls the caller's function, and ends the call where that function wants it.
void report_progress(void* data, double done, double total) {
  const auto* const handle = static_cast<const clchol_solver*>(data);
  if (handle->progress(handle->progress_data, done, total) != 0) {
    throw clchol::solver::EndedByProgress{};
  }
}

/// Options::analysis.permutation is the caller's while the ordering is kGiven, and empty otherwise.
void apply_permutation(clchol_solver& handle) {
  clchol::AnalysisOptions& analysis = handle.options().analysis;
  if (analysis.ordering == clchol::Ordering::kGiven) {
    analysis.permutation = handle.permutation;
  } else {
    analysis.permutation.clear();
  }
}

template <class T>
std::unique_ptr<clchol_solver> make_solver() {
  auto handle = std::make_unique<clchol_solver>();
  Options options;
  options.cancel = &handle->cancel;
  handle->any.emplace<SparseCholesky<T>>(std::move(options));
  return handle;
}

/// Runs `call(solver, view)`, which returns a Status, on the matrix `a`.
template <class Call>
int guarded_with_matrix(clchol_solver* handle, const clchol_matrix* a, Call call) {
  return guarded(handle, [&] {
    const PollingCall polling(*handle);
    return std::visit(
        [&](auto& solver) {
          const Status status = with_view<ScalarOf<decltype(solver)>>(
              a, [&](const auto& view) { return call(solver, view); });
          return outcome(status, solver.factor_report().message);
        },
        handle->any);
  });
}

}  // namespace

extern "C" {

const char* clchol_version(void) { return clchol::version(); }

const char* clchol_status_name(int status) {
  switch (status) {
    case CLCHOL_INVALID_ARGUMENT:
      return "invalid_argument";
    case CLCHOL_OUT_OF_MEMORY:
      return "out_of_memory";
    case CLCHOL_DEVICE_ERROR:
      return "device_error";
    case CLCHOL_FILE_ERROR:
      return "file_error";
    case CLCHOL_INTERNAL_ERROR:
      return "internal_error";
    default:
      break;
  }
  if (status < CLCHOL_OK || status > CLCHOL_INTERRUPTED) return "unknown";
  return clchol::to_string(static_cast<Status>(status));
}

// ---- Solver and options
// --------------------------------------------------------------------------

int clchol_create(int type, clchol_solver** solver) {
  if (solver == nullptr) return CLCHOL_INVALID_ARGUMENT;
  *solver = nullptr;
  if (type != CLCHOL_DOUBLE && type != CLCHOL_FLOAT) return CLCHOL_INVALID_ARGUMENT;
  try {
    *solver = (type == CLCHOL_DOUBLE ? make_solver<double>() : make_solver<float>()).release();
  } catch (const std::bad_alloc&) {
    return CLCHOL_OUT_OF_MEMORY;
  } catch (...) {
    return CLCHOL_INTERNAL_ERROR;
  }
  return CLCHOL_OK;
}

void clchol_destroy(clchol_solver* solver) { delete solver; }

const char* clchol_message(const clchol_solver* solver) {
  if (solver == nullptr) return "the solver is NULL";
  const std::lock_guard lock(solver->mutex);
  return solver->message.c_str();
}

int clchol_type(const clchol_solver* solver) {
  if (solver == nullptr) return CLCHOL_INVALID_ARGUMENT;
  return std::holds_alternative<SparseCholesky<double>>(solver->any) ? CLCHOL_DOUBLE : CLCHOL_FLOAT;
}

size_t clchol_copy_message(const clchol_solver* solver, char* text, size_t size) {
  std::unique_lock<std::mutex> lock;
  if (solver != nullptr) lock = std::unique_lock(solver->mutex);
  const std::string_view message =
      solver != nullptr ? std::string_view(solver->message) : "the solver is NULL";
  if (text != nullptr && size > 0) {
    const std::size_t length = std::min(message.size(), size - 1);
    std::memcpy(text, message.data(), length);
    text[length] = '\0';
  }
  return message.size();
}

int clchol_options_init(clchol_options* options, size_t size) {
  try {
    clchol::solver::OptionTexts texts;
    clchol_options defaults = clchol::solver::c_options(Options{}, texts);
    defaults.scratch_directory = defaults.devices = "";
    clchol::solver::write_struct(defaults, options, "clchol_options", size);
  } catch (const InvalidArgument&) {
    return CLCHOL_INVALID_ARGUMENT;
  } catch (...) {
    return CLCHOL_OUT_OF_MEMORY;
  }
  return CLCHOL_OK;
}

int clchol_get_options(const clchol_solver* solver, clchol_options* options, size_t size) {
  return guarded(solver, [&] {
    clchol::solver::OptionTexts texts;
    clchol_options own = clchol::solver::c_options(solver->options(), texts);
    const std::lock_guard lock(solver->mutex);
    // Texts that another call has returned stay where they are, unless options have changed.
    if (texts != solver->texts) solver->texts = std::move(texts);
    own.scratch_directory = solver->texts.scratch_directory.c_str();
    own.devices = solver->texts.devices.c_str();
    clchol::solver::write_struct(own, options, "clchol_options", size);
    return Outcome{};
  });
}

int clchol_set_options(clchol_solver* solver, const clchol_options* options) {
  return guarded(solver, [&] {
    clchol::solver::OptionTexts texts;
    const clchol_options present = clchol::solver::c_options(solver->options(), texts);
    clchol::solver::set_c_options(solver->options(),
                                  clchol::solver::read_struct(options, "clchol_options", present));
    apply_permutation(*solver);
    return Outcome{};
  });
}

int clchol_set_option(clchol_solver* solver, const char* name, const char* value) {
  return guarded(solver, [&] {
    clchol::solver::set_option(solver->options(), not_null(name, "name"), not_null(value, "value"));
    apply_permutation(*solver);
    return Outcome{};
  });
}

int clchol_get_option(const clchol_solver* solver, const char* name, char** value) {
  return guarded(solver, [&] {
    *not_null(value, "value") = nullptr;
    *value =
        copied_for_caller(clchol::solver::option_text(solver->options(), not_null(name, "name")));
    return Outcome{};
  });
}

const char* clchol_option_name(int number) { return clchol::solver::option_name(number); }

int clchol_set_permutation(clchol_solver* solver, int64_t n, const void* permutation,
                           int index_type) {
  return guarded(solver, [&] {
    const auto count = static_cast<std::size_t>(clchol::solver::index_of(n, "n"));
    std::vector<Index> copy(count);
    if (count > 0) not_null(permutation, "permutation");
    if (index_type == CLCHOL_INT32) {
      std::copy_n(static_cast<const std::int32_t*>(permutation), count, copy.begin());
    } else if (index_type == CLCHOL_INT64) {
      // An entry that is no index stays none: the analysis refuses it.
      const auto* const wide = static_cast<const std::int64_t*>(permutation);
      std::transform(wide, wide + count, copy.begin(), [n](std::int64_t old) {
        return old >= 0 && old < n ? static_cast<Index>(old) : clchol::kNone;
      });
    } else {
      throw InvalidArgument("index_type is " + std::to_string(index_type) +
                            ", must be CLCHOL_INT32 or CLCHOL_INT64");
    }
    solver->permutation = std::move(copy);
    apply_permutation(*solver);
    return Outcome{};
  });
}

int clchol_set_progress(clchol_solver* solver, clchol_progress progress, void* data) {
  return guarded(solver, [&] {
    solver->progress = progress;
    solver->progress_data = data;
    solver->options().progress = progress == nullptr ? nullptr : &report_progress;
    solver->options().progress_data = solver;
    return Outcome{};
  });
}

int clchol_cancel(clchol_solver* solver, int on) {
  static_assert(std::atomic<bool>::is_always_lock_free);  // As a signal handler needs.
  if (solver == nullptr) return CLCHOL_INVALID_ARGUMENT;
  solver->is_cancelled = on != 0;
  if (on != 0) solver->cancel = true;
  return CLCHOL_OK;
}

int clchol_matrix_init(clchol_matrix* matrix, size_t size) {
  try {
    clchol::solver::write_struct(clchol_matrix{}, matrix, "clchol_matrix", size);
  } catch (const InvalidArgument&) {
    return CLCHOL_INVALID_ARGUMENT;
  } catch (...) {
    return CLCHOL_OUT_OF_MEMORY;
  }
  return CLCHOL_OK;
}

void clchol_free(void* memory) { std::free(memory); }

// ---- Analysis, factorization, solve
// --------------------------------------------------------------

int clchol_analyze(clchol_solver* solver, const clchol_matrix* a) {
  return guarded_with_matrix(solver, a,
                             [](auto& own, const auto& view) { return own.analyze(view); });
}

int clchol_factorize(clchol_solver* solver, const clchol_matrix* a) {
  return guarded_with_matrix(solver, a,
                             [](auto& own, const auto& view) { return own.factorize(view); });
}

int clchol_refactorize(clchol_solver* solver, const clchol_matrix* a) {
  return guarded_with_matrix(solver, a,
                             [](auto& own, const auto& view) { return own.refactorize(view); });
}

int clchol_refactorize_values(clchol_solver* solver, const void* values, int64_t count) {
  return guarded(solver, [&] {
    if (count < 0) {
      throw InvalidArgument("count is " + std::to_string(count) + ", must be at least 0");
    }
    if (count > 0) not_null(values, "values");
    const PollingCall polling(*solver);
    return std::visit(
        [&](auto& own) {
          using T = ScalarOf<decltype(own)>;
          const Status status = own.refactorize(
              std::span<const T>(static_cast<const T*>(values), static_cast<std::size_t>(count)));
          return outcome(status, own.factor_report().message);
        },
        solver->any);
  });
}

int clchol_solve(const clchol_solver* solver, int64_t nrhs, const void* b, int64_t ldb, void* x,
                 int64_t ldx, clchol_solve_report* report, size_t report_size) {
  constexpr const char* kName = "clchol_solve_report";
  const auto write_report = [&](const clchol_solve_report& values) {
    if (report != nullptr) clchol::solver::write_struct(values, report, kName, report_size);
  };
  const int status = guarded(solver, [&] {
    if (report != nullptr) clchol::solver::check_struct(report, report_size, kName);
    const PollingCall polling(*solver);
    const SolveReport done = std::visit(
        [&](const auto& own) {
          using T = ScalarOf<decltype(own)>;
          const Index n = own.analysis_report().n;
          const auto columns_b = columns_of<const T>(b, n, nrhs, ldb, "b");
          return own.solve(columns_b, columns_of<T>(x, n, nrhs, ldx, "x"));
        },
        solver->any);
    write_report(clchol::solver::c_report(done));
    Outcome ended = outcome(done.status, done.message);
    const std::lock_guard lock(solver->mutex);
    solver->solve_report = done;
    return ended;
  });
  if (status >= CLCHOL_OK || solver == nullptr) return status;
  // An error: the report has nothing but the status.  A report of a bad size stays as it is.
  static_cast<void>(guarded(solver, [&] {
    clchol_solve_report failed = clchol::solver::c_report(SolveReport{});
    failed.status = status;
    if (report != nullptr && report_size >= sizeof failed) write_report(failed);
    return Outcome{};
  }));
  return status;
}

int clchol_solve_part(const clchol_solver* solver, int part, int64_t nrhs, void* x, int64_t ldx) {
  return guarded_void(solver, [&](const auto& own) {
    using T = ScalarOf<decltype(own)>;
    own.solve_part(static_cast<clchol::Part>(part),
                   columns_of<T>(x, own.analysis_report().n, nrhs, ldx, "x"));
  });
}

}  // extern "C"
