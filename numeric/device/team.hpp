// Several devices that make one factor: each its part, in a share of its own, side by side.
//
// A mapping (numeric/mapping.hpp) says which fronts are whose, by the devices' rates and memory.
// Each share has a context, queues and, while it works, a host thread of its own; update matrices
// cross between them through pinned host memory (hand_over.hpp).  L has the bits of one device's
// factor where the devices are of one kind.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/rows_view.hpp"
#include "gpu_kernels/fronts/first_failure.hpp"
#include "gpu_kernels/runtime/staging.hpp"
#include "numeric/control.hpp"
#include "numeric/device/share.hpp"
#include "numeric/factor_result.hpp"
#include "numeric/mapping.hpp"
#include "symbolic/factor_part.hpp"

namespace clchol::numeric {

struct DeviceTeamOptions {
  int threads = 1;             ///< Of the host, that make lists and move values.
  std::vector<Offset> memory;  ///< Bytes of each device that may be used; empty or 0: most of all.
};

/// For one thread at a time.  T: double, float.
template <class T>
class DeviceTeam {
 public:
  /// Maps the fronts, makes the shares, allocates; blocking.  The symbolic factor outlives the
  /// team.
  /// @param runtimes  one for each device, at least one.
  /// @param entries   is not read later.
  /// Throws OutOfMemory when some device's part does not fit its memory; DeviceError; BuildError.
  DeviceTeam(std::vector<std::shared_ptr<gpu::DeviceRuntime>> runtimes,
             const symbolic::SymbolicFactor& symbolic, const symbolic::EntryMap& entries,
             const DeviceTeamOptions& options = {});
  ~DeviceTeam();
  DeviceTeam(const DeviceTeam&) = delete;
  DeviceTeam& operator=(const DeviceTeam&) = delete;

  /// Factors the matrix whose lower triangle has `values` in the order of the analysed pattern;
  /// returns when all devices are done, or it is cancelled.
  /// Throws DeviceError, the first of any device; the factor is void then.
  FactorResult factorize(std::span<const T> values, const Control& control = {});

  /// X := (L L')^-1 X, or one half of it, after a factorization; X in the final numbering, on the
  /// host.  Blocking.  columns() right-hand sides go through all devices at once.
  /// Throws DeviceError, the first of any device; X is void then.
  void solve(const RowsView<T>& x, bool forward, bool backward);
  /// Right-hand sides that are solved for at once.
  Index columns() const;

  /// Calls visit(s, panel, ld) for each supernode s with its panel of L on the host, above the
  /// panel's diagonal undefined; after a factorization.  Throws DeviceError.
  void visit_panels(const std::function<void(Index, const T*, Offset)>& visit);

  /// Which fronts are whose: shares by the positions of their devices.
  const Mapping& mapping() const { return mapping_; }
  /// What a factorization and a solve with one right-hand side take of a device's memory: 0 for a
  /// device without fronts.
  Offset bytes(Index device) const;

 private:
  struct Member;
  /// What crosses of one front.
  struct Crossing {
    std::shared_ptr<HandOver<T>> update;      // In a factorization,
    typename SolveExchange<T>::Ways vectors;  // and in solves.

    template <class Use>
    void for_each(const Use& use) const {
      for (HandOver<T>* hand_over : {update.get(), vectors.sums.get(), vectors.x.get()}) {
        use(*hand_over);
      }
    }
  };

  void make_members(const symbolic::EntryMap& entries, const DeviceTeamOptions& options);
  void make_crossings();
  void connect(Member& member);
  void rewind();
  gpu::DeviceRuntime& runtime_of(const Member& member) const;
  int staging_threads() const;
  template <class Work>
  void for_members(const Work& work);
  FactorResult first_failure(Member& member);
  FactorResult factorize_part(Member& member, std::span<const T> values, const Control& control);
  void solve_part(Member& member, const RowsView<T>& x, bool forward, bool backward);

  std::vector<std::shared_ptr<gpu::DeviceRuntime>> runtimes_;
  const symbolic::SymbolicFactor& symbolic_;
  int threads_;
  Mapping mapping_;
  std::vector<std::unique_ptr<Member>> members_;  // Devices that have fronts.
  std::map<Index, Crossing> crossings_;           // By front of the whole factor.
};

}  // namespace clchol::numeric
