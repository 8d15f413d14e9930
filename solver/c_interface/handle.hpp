// What the functions of clchol/clchol.h share: the solver behind the opaque pointer, how exceptions
// become statuses, and how arguments become views.
//
// Every function runs its work in guarded(), which lets no exception out and keeps the message.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "solver/c_interface/structs.hpp"

/// What a clchol_solver* points to.
struct clchol_solver {
  std::variant<clchol::SparseCholesky<double>, clchol::SparseCholesky<float>> any;
  // Whether calls are to be cancelled, and the flag that calls poll (Options::cancel).  A call
  // leaves out work once it has seen the flag: the flag stays set until no call runs.
  std::atomic<bool> is_cancelled = false;
  mutable std::atomic<bool> cancel = false;
  clchol_progress progress = nullptr;      // The caller's function.
  void* progress_data = nullptr;           // First argument of the caller's function.
  std::vector<clchol::Index> permutation;  // The caller's, for Ordering::kGiven.

  mutable std::mutex mutex;                   // Guards the members below.
  mutable int calls = 0;                      // Number of calls that run and poll `cancel`.
  mutable clchol::solver::OptionTexts texts;  // Texts that clchol_get_options() has returned.
  mutable std::string message;  // Of the call that ended last otherwise than with CLCHOL_OK.
  mutable clchol::SolveReport solve_report;  // Of the solve that ended last.

  const clchol::Options& options() const {
    return std::visit([](const auto& solver) -> const clchol::Options& { return solver.options(); },
                      any);
  }
  clchol::Options& options() {
    return std::visit([](auto& solver) -> clchol::Options& { return solver.options(); }, any);
  }
};

namespace clchol::solver {

/// A call that polls the solver's flag `cancel`, from its construction to its destruction.
class PollingCall {
 public:
  explicit PollingCall(const clchol_solver& solver) : solver_(solver) {
    const std::lock_guard lock(solver_.mutex);
    if (solver_.calls++ > 0) return;
    // In this order no cancellation is lost: clchol_cancel() sets is_cancelled first.
    solver_.cancel = false;
    if (solver_.is_cancelled) solver_.cancel = true;
  }
  ~PollingCall() {
    const std::lock_guard lock(solver_.mutex);
    --solver_.calls;
  }
  PollingCall(const PollingCall&) = delete;
  PollingCall& operator=(const PollingCall&) = delete;

 private:
  const clchol_solver& solver_;
};

template <class Solver>
struct ScalarTrait;
template <class T>
struct ScalarTrait<SparseCholesky<T>> {
  using Type = T;
};
/// T of a type that is SparseCholesky<T>, or a reference to one, const or not.
template <class Solver>
using ScalarOf = typename ScalarTrait<std::remove_cvref_t<Solver>>::Type;

/// Thrown by the function that calls the caller's progress function, when the latter ends the call.
struct EndedByProgress {};

/// How a function of the C interface ends.
struct Outcome {
  int status = CLCHOL_OK;
  std::string message;  // Empty for CLCHOL_OK.
};

inline Outcome outcome(Status status, std::string message) {
  if (status == Status::kOk) return {};
  if (message.empty()) message = to_string(status);
  return {static_cast<int>(status), std::move(message)};
}

/// Runs `call()`, which returns an Outcome, and keeps the message in the solver.
/// @return the status of the outcome, or that of the exception.
template <class Call>
int guarded(const clchol_solver* solver, Call call) noexcept {
  if (solver == nullptr) return CLCHOL_INVALID_ARGUMENT;
  const auto end = [solver](int status, std::string message) {
    if (status != CLCHOL_OK) {
      const std::lock_guard lock(solver->mutex);
      solver->message.swap(message);
    }
    return status;
  };
  // A text that is too short to be allocated, for when there is no memory for another one.
  const auto end_with = [&end](int status, const char* text) {
    try {
      return end(status, text);
    } catch (const std::bad_alloc&) {
      return end(status, "out of memory");
    }
  };
  try {
    Outcome done = call();
    return end(done.status, std::move(done.message));
  } catch (const InvalidArgument& error) {
    return end_with(CLCHOL_INVALID_ARGUMENT, error.what());
  } catch (const OutOfMemory& error) {
    return end_with(CLCHOL_OUT_OF_MEMORY, error.what());
  } catch (const std::bad_alloc&) {
    return end_with(CLCHOL_OUT_OF_MEMORY, "out of memory");
  } catch (const DeviceError& error) {
    return end_with(CLCHOL_DEVICE_ERROR, error.what());
  } catch (const FileError& error) {
    return end_with(CLCHOL_FILE_ERROR, error.what());
  } catch (const EndedByProgress&) {
    return end_with(CLCHOL_INTERRUPTED, "ended by the progress function");
  } catch (const std::exception& error) {
    return end_with(CLCHOL_INTERNAL_ERROR, error.what());
  } catch (...) {
    return end_with(CLCHOL_INTERNAL_ERROR, "unknown exception");
  }
}

/// guarded() for a `call(solver)` that takes a SparseCholesky<T>& and returns nothing.
template <class Solver, class Call>
int guarded_void(Solver* solver, Call call) noexcept {
  return guarded(solver, [solver, &call] {
    std::visit(call, solver->any);
    return Outcome{};
  });
}

/// Throws InvalidArgument for a null pointer.
/// @param name  name of the argument, for the message.
template <class P>
P* not_null(P* pointer, const char* name) {
  if (pointer == nullptr) throw InvalidArgument(std::string(name) + " is NULL");
  return pointer;
}

/// `value` as an Index.  Throws InvalidArgument where it is negative or too large.
inline Index index_of(std::int64_t value, const char* name) {
  constexpr std::int64_t kMost = std::numeric_limits<Index>::max() - 1;
  if (value >= 0 && value <= kMost) return static_cast<Index>(value);
  throw InvalidArgument(std::string(name) + " is " + std::to_string(value) + ", must be 0 to " +
                        std::to_string(kMost));
}

/// Indices that count from 0, of indices that count from 1.  The smallest one becomes the largest,
/// which is no index either.
template <class I>
std::vector<I> from_zero(const I* indices, std::size_t count) {
  using Unsigned = std::make_unsigned_t<I>;
  std::vector<I> shifted(count);
  std::transform(indices, indices + count, shifted.begin(),
                 [](I index) { return static_cast<I>(static_cast<Unsigned>(index) - 1); });
  return shifted;
}

/// The number of entries of a matrix whose indices count from 1.  Throws InvalidArgument unless
/// colptr begins with 1 and ascends: the rows are copied by its last entry.
template <class Ptr>
std::size_t checked_nnz_from_one(const Ptr* colptr, Index n) {
  if (colptr[0] != 1) {
    throw InvalidArgument("matrix: colptr[0] is " + std::to_string(colptr[0]) +
                          ", must be index_base = 1");
  }
  for (Index j = 0; j < n; ++j) {
    if (colptr[j + 1] >= colptr[j]) continue;
    throw InvalidArgument("matrix: colptr descends at column " + std::to_string(j) + ": " +
                          std::to_string(colptr[j]) + ", " + std::to_string(colptr[j + 1]));
  }
  return static_cast<std::size_t>(colptr[n] - 1);
}

/// Calls `use(view)` with the matrix as a SparseView of T, Ptr and Ind, and returns what `use`
/// returns.  Cost of indices from 1: a copy of the pattern.
template <class T, class Ptr, class Ind, class Use>
auto with_typed_view(const clchol_matrix& a, Use use) {
  SparseView<T, Ptr, Ind> view;
  view.n = index_of(a.n, "clchol_matrix's member n");
  view.triangle = static_cast<Triangle>(a.triangle);
  const auto* const colptr =
      static_cast<const Ptr*>(not_null(a.colptr, "clchol_matrix's member colptr"));
  const auto* const rowind = static_cast<const Ind*>(a.rowind);
  const auto columns = static_cast<std::size_t>(view.n) + 1;
  std::size_t count = 0;
  if (a.index_base == 1) {
    count = checked_nnz_from_one(colptr, view.n);
  } else {
    // The solver checks all of colptr before it reads a row.
    if (colptr[view.n] < 0) {
      throw InvalidArgument("matrix: colptr[n] is " + std::to_string(colptr[view.n]) +
                            ", must be at least 0");
    }
    count = static_cast<std::size_t>(colptr[view.n]);
  }
  if (count > 0) not_null(rowind, "clchol_matrix's member rowind");
  if (a.values != nullptr) view.values = {static_cast<const T*>(a.values), count};
  if (a.index_base == 0) {
    view.colptr = {colptr, columns};
    view.rowind = {rowind, count};
    return use(view);
  }
  const std::vector<Ptr> shifted_colptr = from_zero(colptr, columns);
  const std::vector<Ind> shifted_rowind = from_zero(rowind, count);
  view.colptr = shifted_colptr;
  view.rowind = shifted_rowind;
  return use(view);
}

/// The same for the types of indices that the matrix names.  Throws InvalidArgument for a matrix
/// that is no such view.
template <class T, class Use>
auto with_view(const clchol_matrix* matrix, Use use) {
  const clchol_matrix a = read_struct(matrix, "clchol_matrix", clchol_matrix{});
  if (a.triangle < CLCHOL_LOWER || a.triangle > CLCHOL_BOTH) {
    throw InvalidArgument("clchol_matrix's member triangle is " + std::to_string(a.triangle) +
                          ", must be CLCHOL_LOWER, CLCHOL_UPPER or CLCHOL_BOTH");
  }
  if (a.index_base != 0 && a.index_base != 1) {
    throw InvalidArgument("clchol_matrix's member index_base is " + std::to_string(a.index_base) +
                          ", must be 0 or 1");
  }
  const std::pair types{a.colptr_type, a.rowind_type};
  if (types == std::pair{int{CLCHOL_INT32}, int{CLCHOL_INT32}}) {
    return with_typed_view<T, std::int32_t, std::int32_t>(a, use);
  }
  if (types == std::pair{int{CLCHOL_INT64}, int{CLCHOL_INT64}}) {
    return with_typed_view<T, std::int64_t, std::int64_t>(a, use);
  }
  if (types == std::pair{int{CLCHOL_INT64}, int{CLCHOL_INT32}}) {
    return with_typed_view<T, std::int64_t, std::int32_t>(a, use);
  }
  throw InvalidArgument("clchol_matrix's members colptr_type and rowind_type are " +
                        std::to_string(a.colptr_type) + " and " + std::to_string(a.rowind_type) +
                        ", must be CLCHOL_INT32 or CLCHOL_INT64, and rowind_type not INT64 beside "
                        "a colptr_type of INT32");
}

/// Throws InvalidArgument when nrhs or a pointer does not fit, for n x nrhs entries.
template <class T, class Void>
DenseView<T> columns_of(Void* data, Index n, std::int64_t nrhs, std::int64_t ld, const char* name) {
  const Index columns = index_of(nrhs, "nrhs");
  if (n > 0 && columns > 0) not_null(data, name);
  return {static_cast<T*>(data), n, columns, ld};
}

/// Copies a text or bytes into memory that clchol_free() frees.  Throws std::bad_alloc.
void* copied_for_caller(const void* bytes, std::size_t count);
char* copied_for_caller(const std::string& text);

}  // namespace clchol::solver
