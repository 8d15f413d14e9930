#include "numeric/device/refine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clchol::numeric {
namespace {

constexpr Index kMaxima = 4;  // Numbers that Residual::error_maxima() computes for a column.

template <class T>
gpu::DeviceView<T> column_of(const gpu::DeviceColumns<T>& columns, Index r, Index n) {
  return columns.values.part(r * columns.ld, n);
}

/// Backward errors of one column from its maxima: normwise |r| / (|A| |x| + |b|), where 0/0 = 0,
/// and componentwise.  Infinite where the residual or a norm is not finite.
template <class T>
BackwardError error_of(const T* maxima, double norm_of_a) {
  const auto r = static_cast<double>(maxima[0]), x = static_cast<double>(maxima[1]),
             b = static_cast<double>(maxima[2]), componentwise = static_cast<double>(maxima[3]);
  const double inf = std::numeric_limits<double>::infinity();
  for (const double of : {r, x, b, norm_of_a, componentwise}) {
    if (!std::isfinite(of)) return {inf, inf};
  }
  return {normwise_error(r, norm_of_a, x, b), componentwise};
}

}  // namespace

template <class T>
DeviceRefinement<T>::DeviceRefinement(gpu::DeviceRuntime& runtime, const CscPatternView& lower,
                                      const TransposedIndex& transposed)
    : residual_(runtime.programs()), axpy_(runtime.programs()) {
  gpu::Queue& queue = runtime.queue();
  colptr_ = gpu::uploaded<Offset>(queue, lower.colptr);
  rowind_ = gpu::uploaded<Index>(queue, lower.rowind);
  rowptr_ = gpu::uploaded<Offset>(queue, transposed.rowptr);
  column_ = gpu::uploaded<Index>(queue, transposed.column);
  source_ = gpu::uploaded<std::uint32_t>(queue, transposed.source);
  magnitude_ = gpu::DeviceBuffer<T>(queue.context(), lower.n);
  a_ = {lower.n, colptr_, rowind_, {}, rowptr_, column_, source_};
}

template <class T>
Offset DeviceRefinement<T>::bytes(Index n, Offset nnz, Index nrhs) {
  const Offset pointers = (Offset{n} + 1) * 2;
  const Offset indices = nnz * 3;  // rowind, column, source
  const Offset values = Offset{n} * (3 * Offset{nrhs} + 1) + Offset{kMaxima} * nrhs;
  return pointers * Offset{sizeof(Offset)} + indices * Offset{sizeof(Index)} +
         values * Offset{sizeof(T)};
}

template <class T>
void DeviceRefinement<T>::reserve(const gpu::Context& context, Index nrhs) {
  if (maxima_.size() >= Offset{kMaxima} * nrhs) return;
  for (gpu::DeviceBuffer<T>* buffer : {&r_, &z_, &previous_, &maxima_}) *buffer = {};
  for (gpu::DeviceBuffer<T>* buffer : {&r_, &z_, &previous_}) {
    *buffer = gpu::DeviceBuffer<T>(context, Offset{a_.n} * nrhs);
  }
  maxima_ = gpu::DeviceBuffer<T>(context, Offset{kMaxima} * nrhs);
}

/// Infinity norm of A: max_i sum_j |a_ij|.
template <class T>
double DeviceRefinement<T>::norm_of_a(gpu::Queue& queue) {
  const gpu::DeviceView<T> maxima = maxima_.part(0, kMaxima);
  residual_.row_sums(queue, a_, {}, magnitude_);
  // Only the first maximum is read; the other three vectors do not matter.
  residual_.error_maxima(queue, magnitude_, magnitude_, magnitude_, magnitude_, maxima);
  T norm{};
  gpu::download<T>(queue, maxima, std::span(&norm, 1));
  return static_cast<double>(norm);
}

template <class T>
void DeviceRefinement<T>::measure(gpu::Queue& queue, const gpu::DeviceColumns<const T>& b,
                                  const gpu::DeviceColumns<T>& x, const Columns& columns,
                                  double norm, std::vector<BackwardError>& errors) {
  for (const Index c : columns) {
    const auto bc = column_of(b, c, a_.n);
    const auto xc = column_of(x, c, a_.n);
    residual_.residual(queue, a_, bc, xc, column(r_, c), magnitude_);
    residual_.error_maxima(queue, column(r_, c), xc, bc, magnitude_,
                           maxima_.part(Offset{c} * kMaxima, kMaxima));
  }
  std::vector<T> maxima(static_cast<std::size_t>(x.num_columns) * kMaxima);
  gpu::download<T>(queue, maxima_, maxima);
  for (const Index c : columns) {
    errors[c] = error_of(maxima.data() + Offset{c} * kMaxima, norm);
  }
}

template <class T>
std::vector<RefineResult> DeviceRefinement<T>::refine(
    gpu::Queue& queue, gpu::DeviceView<const T> values, const gpu::DeviceColumns<const T>& b,
    const gpu::DeviceColumns<T>& x, const Solve& solve, const RefineOptions& options) {
  const Index nrhs = x.num_columns, n = a_.n;
  reserve(queue.context(), nrhs);
  a_.values = values;
  const double norm = norm_of_a(queue);
  const auto is_small = [&](const BackwardError& e) {
    return e.componentwise <= options.componentwise && e.normwise <= options.normwise;
  };
  std::vector<RefineResult> results(static_cast<std::size_t>(nrhs));
  std::vector<BackwardError> now(results.size());
  Columns active;
  for (Index c = 0; c < nrhs; ++c) active.push_back(c);
  measure(queue, b, x, active, norm, now);
  for (Index c = 0; c < nrhs; ++c) results[c].error = now[c];
  std::erase_if(active, [&](Index c) { return is_small(results[c].error); });
  for (int step = 1; step <= options.max_steps && !active.empty(); ++step) {
    solve({r_, nrhs, n}, {z_, nrhs, n});
    for (const Index c : active) {
      gpu::copy<T>(queue, column_of(x, c, n), column(previous_, c));
      axpy_.run(queue, T{1}, column(z_, c), column_of(x, c, n));
    }
    measure(queue, b, x, active, norm, now);
    std::erase_if(active, [&](Index c) {
      RefineResult& result = results[c];
      const BackwardError then = result.error;
      result.steps = step;
      if (now[c].componentwise < then.componentwise) {
        result.error = now[c];
      } else {
        gpu::copy<T>(queue, column(previous_, c), column_of(x, c, n));
      }
      return is_small(now[c]) || !(now[c].componentwise < 0.5 * then.componentwise);
    });
  }
  queue.finish();
  return results;
}

template class DeviceRefinement<double>;
template class DeviceRefinement<float>;

}  // namespace clchol::numeric
