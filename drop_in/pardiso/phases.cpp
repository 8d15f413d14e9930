#include "drop_in/pardiso/phases.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <variant>

#include "drop_in/environment.hpp"
#include "drop_in/pardiso/handle.hpp"
#include "drop_in/pardiso/matrix.hpp"
#include "drop_in/pardiso/options.hpp"

namespace clchol::drop_in {
namespace {

/// What a phase asks for.
struct Steps {
  bool analyze = false;
  bool factorize = false;
  bool solve = false;
  std::int64_t part = 0;  // 1 forward, 2 diagonal, 3 backward; 0: the whole solve.
};

Steps steps_of(std::int64_t phase) {
  switch (phase) {
    case 11:
      return {.analyze = true};
    case 12:
      return {.analyze = true, .factorize = true};
    case 13:
      return {.analyze = true, .factorize = true, .solve = true};
    case 22:
      return {.factorize = true};
    case 23:
      return {.factorize = true, .solve = true};
    case 33:
      return {.solve = true};
    case 331:
    case 332:
    case 333:
      return {.solve = true, .part = phase % 10};
    default:
      throw Refusal(Error::kInconsistentInput,
                    "phase is " + std::to_string(phase) + ", which is no phase");
  }
}

[[noreturn]] void refuse(const std::string& line) {
  throw Refusal(Error::kInconsistentInput, line);
}

/// Returns `value`, the argument `name`.  Throws Refusal unless it is an Index of at least 1.
template <class I>
Index count_of(I value, const char* name) {
  if (value < 1)
    refuse(std::string(name) + " is " + std::to_string(value) + ", must be at least 1");
  constexpr std::int64_t kMost = std::numeric_limits<Index>::max() - 1;
  if (value <= kMost) return static_cast<Index>(value);
  throw Refusal(Error::kOverflow, std::string(name) + " is " + std::to_string(value) +
                                      ", must be at most " + std::to_string(kMost));
}

template <class I>
void check_arguments(const Call<I>& call) {
  check_parameters(call.iparm);
  static_cast<void>(count_of(call.n, "n"));
  if (call.iparm[Iparm::kPermutation] == 2 && call.perm == nullptr) refuse("perm is NULL");
  if (call.mnum >= 1 && call.mnum <= call.maxfct) return;
  refuse("mnum is " + std::to_string(call.mnum) + ", must be 1 to maxfct, which is " +
         std::to_string(call.maxfct));
}

std::int64_t kib(std::int64_t bytes) { return (bytes + 1023) / 1024; }

// ---- Analysis -----------------------------------------------------------------------------------

template <class I>
void report_analysis(Parameters<I>& iparm, const AnalysisReport& report) {
  constexpr double kMega = 1e6;
  const std::int64_t numeric = report.factor_bytes + report.workspace_bytes;
  iparm.set(Iparm::kAnalysisPeakKib, kib(report.solver_host_bytes - numeric));
  iparm.set(Iparm::kAnalysisKib, kib(report.solver_host_bytes - numeric));
  iparm.set(Iparm::kFactorKib, kib(numeric));
  if (iparm[Iparm::kNonzeros] < 0) iparm.set(Iparm::kNonzeros, report.nnz_l);
  if (iparm[Iparm::kMegaflops] < 0) {
    iparm.set(Iparm::kMegaflops, static_cast<std::int64_t>(report.flops / kMega));
  }
}

template <class T, class I, class View>
void analyze(Call<I>& call, FactorSet<T>& factors, const View& a) {
  factors.analyze(a);
  report_analysis(call.iparm, factors.analysis_report());
  if (call.iparm[Iparm::kPermutation] == 2) return_permutation(call, factors.permutation());
  if (call.iparm[Iparm::kOutOfCore] > 0) {
    call.iparm.set(Iparm::kLeastOutOfCoreKib, kib(factors.host_modes().back().host_bytes));
  }
  tell(call.msglvl, summary(factors.analysis_report()));
}

// ---- Factorization ------------------------------------------------------------------------------

template <class T, class I, class View>
void factorize(Call<I>& call, FactorSet<T>& factors, const View& a) {
  if (call.a == nullptr) refuse("a is NULL");
  call.iparm.set(Iparm::kBadPivotRow, 0);
  const Status status = factors.factorize(call.mnum, a);
  const FactorReport& report = factors.solver(call.mnum)->factor_report();
  if (status == Status::kNotPositiveDefinite) {
    call.iparm.set(Iparm::kBadPivotRow, std::int64_t{report.row} + 1);
    throw Refusal(Error::kZeroPivot, report.message + " (rows from 0)");
  }
  call.iparm.set(Iparm::kPerturbedPivots, 0);
  call.iparm.set(Iparm::kPositiveEigenvalues, call.n);
  call.iparm.set(Iparm::kNegativeEigenvalues, 0);
  tell(call.msglvl, summary(report));
}

// ---- Solve --------------------------------------------------------------------------------------

/// The halves of a solve, in place: b -> L^-1 P S b,  y -> S P' L^-T y.  L L' has no diagonal
/// factor.
template <class T>
void solve_part(const SparseCholesky<T>& solver, std::int64_t part, const DenseView<T>& x) {
  if (part == 1) {
    solver.solve_part(Part::kPermute, x);
    solver.solve_part(Part::kForward, x);
  } else if (part == 3) {
    solver.solve_part(Part::kBackward, x);
    solver.solve_part(Part::kUnpermute, x);
  }
}

template <class T, class I>
void solve(Call<I>& call, FactorSet<T>& factors, std::int64_t part) {
  SparseCholesky<T>* const solver = factors.solver(call.mnum);
  if (solver == nullptr) refuse("there is no factor number " + std::to_string(call.mnum));
  const Index n = static_cast<Index>(call.n);
  const Index nrhs = count_of(call.nrhs, "nrhs");
  auto* const b = static_cast<T*>(call.b);
  auto* const x = call.iparm.is_on(Iparm::kOverwriteB) ? b : static_cast<T*>(call.x);
  if (b == nullptr || x == nullptr) refuse(b == nullptr ? "b is NULL" : "x is NULL");
  const DenseView<T> solution(x, n, nrhs);
  call.iparm.set(Iparm::kRefineStepsDone, 0);
  call.iparm.set(Iparm::kGradientSteps, 0);
  if (part != 0) {
    if (x != b) std::copy_n(b, static_cast<std::size_t>(n) * static_cast<std::size_t>(nrhs), x);
    return solve_part(*solver, part, solution);
  }
  solver->options().solve = solve_options_of(call.iparm);
  const SolveReport report = solver->solve(DenseView<const T>(b, n, nrhs), solution);
  call.iparm.set(Iparm::kRefineStepsDone, report.refine_steps);
  tell(call.msglvl, summary(report, nrhs));
  if (report.status != Status::kOk) tell(call.msglvl, report.message);
}

// ---- Calls --------------------------------------------------------------------------------------

template <class I>
std::unique_ptr<Handle> new_handle(const Call<I>& call) {
  Options options = options_of(call);
  if (call.iparm.is_on(Iparm::kSingle)) {
    return std::make_unique<Handle>(Handle{call.mtype, FactorSet<float>(std::move(options))});
  }
  return std::make_unique<Handle>(Handle{call.mtype, FactorSet<double>(std::move(options))});
}

/// Returns the handle of the present analysis.  Throws Refusal where there is none, or the call is
/// of another kind of matrix.
template <class I>
Handle& analyzed_handle(const Call<I>& call) {
  Handle* const handle = handle_in(call.pt);
  if (handle == nullptr) refuse("there is no analysis: phase 11 is to be called before");
  const auto refuse_change = [](const std::string& what, std::int64_t now, std::int64_t then) {
    refuse(what + " is " + std::to_string(now) + ", was " + std::to_string(then) +
           " in the analysis");
  };
  const std::int64_t single = std::holds_alternative<FactorSet<float>>(handle->factors) ? 1 : 0;
  const std::int64_t wants_single = call.iparm.is_on(Iparm::kSingle) ? 1 : 0;
  const std::int64_t n =
      std::visit([](auto& factors) { return factors.analysis_report().n; }, handle->factors);
  if (call.n != n) refuse_change("n", call.n, n);
  if (call.mtype != handle->mtype) refuse_change("mtype", call.mtype, handle->mtype);
  if (wants_single != single) refuse_change("iparm(28)", wants_single, single);
  return *handle;
}

/// @param fresh  owner of `factors` before an analysis, after which pt has it; null without one.
template <class T, class I>
void run_steps(Call<I>& call, const Steps& steps, FactorSet<T>& factors,
               std::unique_ptr<Handle> fresh) {
  if (steps.analyze || steps.factorize) {
    with_view<T>(call, triangle_of(call.mtype), [&](const auto& a) {
      if (steps.analyze) {
        analyze(call, factors, a);
        put_handle(call.pt, std::move(fresh));
      }
      if (steps.factorize) factorize(call, factors, a);
    });
  }
  if (steps.solve) solve(call, factors, steps.part);
}

template <class I>
void release(const Call<I>& call) {
  if (call.phase == -1) return put_handle(call.pt, nullptr);
  Handle* const handle = handle_in(call.pt);
  if (handle == nullptr) return;
  std::visit([&](auto& factors) { factors.release(call.mnum); }, handle->factors);
}

template <class I>
void run_phase(Call<I>& call) {
  if (call.phase == -1 || call.phase == 0) return release(call);
  const Steps steps = steps_of(call.phase);
  if (call.iparm[Iparm::kGiven] == 0) call.iparm.set_defaults();
  check_arguments(call);
  static_cast<void>(triangle_of(call.mtype));
  std::unique_ptr<Handle> fresh;
  if (steps.analyze) {
    put_handle(call.pt, nullptr);
    fresh = new_handle(call);
  }
  Handle& handle = fresh ? *fresh : analyzed_handle(call);
  std::visit([&](auto& factors) { run_steps(call, steps, factors, std::move(fresh)); },
             handle.factors);
}

}  // namespace

template <class I>
Error run(Call<I> call) noexcept {
  const auto end = [&call](Error error, const char* line) {
    try {
      tell(call.msglvl, "error " + std::to_string(static_cast<int>(error)) + ": " + line);
    } catch (const std::bad_alloc&) {  // The error says enough.
      return error;
    }
    return error;
  };
  try {
    run_phase(call);
    return Error::kNone;
  } catch (const Refusal& refusal) {
    return end(refusal.error(), refusal.what());
  } catch (const InvalidArgument& error) {
    return end(Error::kInconsistentInput, error.what());
  } catch (const OutOfMemory& error) {
    const bool has_file = call.iparm[Iparm::kOutOfCore] > 0;
    return end(has_file ? Error::kOutOfCoreMemory : Error::kNotEnoughMemory, error.what());
  } catch (const std::bad_alloc&) {
    return end(Error::kNotEnoughMemory, "out of memory");
  } catch (const FileError& error) {
    return end(Error::kOutOfCoreTransfer, error.what());
  } catch (const std::exception& error) {
    return end(Error::kUnclassified, error.what());
  }
}

template Error run(Call<std::int32_t>) noexcept;
template Error run(Call<std::int64_t>) noexcept;

}  // namespace clchol::drop_in
