// What a caller's pt stands for: one analysis, and factors of several matrices of its pattern.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "clchol/clchol.hpp"

namespace clchol::drop_in {

/// Factors by their number mnum.  The first one takes the analysis over; each further one gets a
/// copy of it.  The analysis outlives the factors.
template <class T>
class FactorSet {
 public:
  explicit FactorSet(Options options) : options_(std::move(options)) {}

  /// Analyses the pattern: once, before all other calls.
  template <class View>
  void analyze(const View& a) {
    SparseCholesky<T> solver(options_);
    static_cast<void>(solver.analyze(a));  // kOk: nothing cancels it.
    report_ = solver.analysis_report();
    analyzed_.emplace(std::move(solver));
  }

  /// Factors matrix number mnum.  Throws InvalidArgument where its pattern is not the analysed one.
  template <class View>
  Status factorize(std::int64_t mnum, const View& a) {
    std::optional<SparseCholesky<T>>& slot = factors_[mnum];
    if (!slot) slot = new_solver(a);
    return slot->refactorize(a);
  }

  /// Returns the solver of matrix number mnum; null: it has never been factored, or was released.
  SparseCholesky<T>* solver(std::int64_t mnum) {
    const auto found = factors_.find(mnum);
    return found == factors_.end() || !found->second ? nullptr : &*found->second;
  }

  /// Frees factor number mnum, if there is one.  The analysis stays.
  void release(std::int64_t mnum) {
    if (solver(mnum) == nullptr) return;
    save_analysis();
    factors_.erase(mnum);
  }

  const AnalysisReport& analysis_report() const { return report_; }

  /// permutation[new] = old.  To be called before a factorization.
  std::vector<Index> permutation() const { return analyzed_->permutation(); }
  /// Modes of a factorization on the CPU.  To be called before a factorization.
  std::vector<HostMode> host_modes() const { return analyzed_->host_modes(); }

 private:
  /// Returns a solver with the analysis and no factor.
  template <class View>
  SparseCholesky<T> new_solver(const View& a) {
    if (analyzed_) {
      SparseCholesky<T> solver = std::move(*analyzed_);
      analyzed_.reset();
      return solver;
    }
    save_analysis();
    SparseCholesky<T> solver(options_);
    static_cast<void>(solver.load_analysis(a, saved_));
    return solver;
  }

  void save_analysis() {
    const auto is_full = [](const auto& entry) { return entry.second.has_value(); };
    if (saved_.empty()) saved_ = std::ranges::find_if(factors_, is_full)->second->save_analysis();
  }

  // The analysis is in at least one of analyzed_, factors_ and saved_.
  Options options_;
  AnalysisReport report_;
  std::optional<SparseCholesky<T>> analyzed_;  // Until the first factorization.
  std::map<std::int64_t, std::optional<SparseCholesky<T>>> factors_;
  std::vector<std::byte> saved_;  // Once a second solver wants it, or a factor is released.
};

struct Handle {
  std::int64_t mtype;
  std::variant<FactorSet<double>, FactorSet<float>> factors;
};

/// Returns the handle in pt; null where pt holds zeros.  Throws Refusal where pt holds what is
/// neither: the first word is the handle's address, and the second one depends on it.
Handle* handle_in(const void* pt);

/// Puts a handle, or for null zeros, into pt, and frees the handle that was there.
/// Throws what handle_in() throws.
void put_handle(void* pt, std::unique_ptr<Handle> handle);

}  // namespace clchol::drop_in
