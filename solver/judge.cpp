// The error that options ask for, and what a solution's error is judged to be.
#include <string>

#include "base/number_text.hpp"
#include "base/scalar_traits.hpp"
#include "solver/refine.hpp"

namespace clchol::solver {

template <class T>
double wanted_error(const Options& options) {
  if (options.solve.tolerance > 0) return options.solve.tolerance;
  const bool single = !kIsDouble<T> || options.factor.precision == Precision::kSingle;
  return single ? 1e-6 : 1e-15;
}

template <class T>
void judge(const Options& options, SolveReport& report) {
  if (options.cancel != nullptr && options.cancel->load()) {
    report.status = Status::kInterrupted;
    report.message = "interrupted";
    return;
  }
  const double wanted = wanted_error<T>(options);
  if (report.backward_error <= wanted) return;
  report.status = Status::kAccuracyNotReached;
  report.message = "accuracy not reached: the backward error is " +
                   general_text(*report.backward_error, 3) + ", " + general_text(wanted, 3) +
                   " was asked for";
}

template void judge<float>(const Options&, SolveReport&);
template void judge<double>(const Options&, SolveReport&);
template double wanted_error<float>(const Options&);
template double wanted_error<double>(const Options&);

}  // namespace clchol::solver
