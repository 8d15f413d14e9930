#include "solver/option_names.hpp"

#include "clchol/reports.hpp"

namespace clchol {

const char* to_string(Ordering ordering, OrderingEffort effort) noexcept {
  switch (ordering) {
    case Ordering::kAuto:
      return "auto";
    case Ordering::kAmd:
      return "amd";
    case Ordering::kMinimumDegree:
      return "md";
    case Ordering::kMultipleMinimumDegree:
      return "mmd";
    case Ordering::kNestedDissection:
      if (effort == OrderingEffort::kFast) return "nd:fast";
      return effort == OrderingEffort::kBest ? "nd:best" : "nd";
    case Ordering::kNatural:
      return "natural";
    case Ordering::kGiven:
      return "given";
  }
  return "unknown";
}

const char* to_string(EngineKind engine) noexcept {
  switch (engine) {
    case EngineKind::kAuto:
      return "auto";
    case EngineKind::kCpu:
      return "cpu";
    case EngineKind::kOpenCl:
      return "opencl";
  }
  return "unknown";
}

const char* to_string(FactorKernels kernels) noexcept {
  return kernels == FactorKernels::kTensorCores ? "tensor cores" : "plain";
}

const char* to_string(SolveKernels kernels) noexcept {
  return kernels == SolveKernels::kTickets ? "tickets" : "waves";
}

namespace solver {

std::optional<NamedOrdering> ordering_named(std::string_view name) {
  for (const Ordering ordering :
       {Ordering::kAuto, Ordering::kAmd, Ordering::kMinimumDegree, Ordering::kMultipleMinimumDegree,
        Ordering::kNestedDissection, Ordering::kNatural, Ordering::kGiven}) {
    for (const OrderingEffort effort :
         {OrderingEffort::kBalanced, OrderingEffort::kFast, OrderingEffort::kBest}) {
      if (name == to_string(ordering, effort)) return NamedOrdering{ordering, effort};
    }
  }
  return std::nullopt;
}

}  // namespace solver
}  // namespace clchol
