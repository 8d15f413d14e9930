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

using DeviceRuntimes = std::vector<std::shared_ptr<gpu::DeviceRuntime>>;

/// What the mapping predicts a device's time from: row "rates" of its tuning data (stream_rates()).
/// @param memory  bytes of the device that may be used.
ShareRates share_rates(const gpu::Tuning& tuning, Offset memory, Offset value_bytes);
/// What hand-overs between such devices take: the slowest way to the host decides.
HandOverRates hand_over_rates(std::span<const gpu::Tuning* const> devices, Offset value_bytes);

/// Which fronts are whose, on these devices: shares by the positions of their devices.  A device
/// may be left without fronts where fewer devices are faster.
template <class T>
Mapping map_on_devices(const DeviceRuntimes& runtimes, const symbolic::SymbolicFactor& symbolic,
                       const DeviceTeamOptions& options);

/// For one thread at a time.  T: double, float.
template <class T>
class DeviceTeam {
 public:
  /// Builds kernels and makes lists, on the host.  The symbolic factor outlives the team.
  /// @param runtimes  one for each device, at least one.
  /// @param entries   is not read later.
  /// @param mapping   map_on_devices() of the same devices.
  /// Throws OutOfMemory when some device's part does not fit its memory; BuildError.
  DeviceTeam(DeviceRuntimes runtimes, const symbolic::SymbolicFactor& symbolic,
             const symbolic::EntryMap& entries, const DeviceTeamOptions& options, Mapping mapping);
  ~DeviceTeam();
  DeviceTeam(const DeviceTeam&) = delete;
  DeviceTeam& operator=(const DeviceTeam&) = delete;

  /// Allocates and uploads on all devices: once, before what follows.  Blocking.
  /// Throws DeviceError, std::bad_alloc.
  void allocate();

  /// Factors the matrix whose lower triangle has `values` in the order of the analysed pattern;
  /// returns when all devices are done, or it is cancelled: what is enqueued then runs to its end
  /// all the same.
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

  /// Diagonal of L, in the final numbering; after a factorization.  Throws DeviceError.
  std::vector<T> diagonal();

  const Mapping& mapping() const { return mapping_; }
  const DeviceRuntimes& runtimes() const { return runtimes_; }
  /// What a factorization and a solve with one right-hand side take of a device's memory: 0 for a
  /// device without fronts.
  Offset bytes(Index device) const;
  /// How the shares were made, side by side: kernels of the first one, seconds of the slowest.
  DeviceShareSetup setup() const;

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

  using Crossings = std::map<Index, Crossing>;

  void make_part(Member& member, const symbolic::EntryMap& entries,
                 const DeviceTeamOptions& options);
  Crossings make_crossings(const Member& member) const;
  void connect(Member& member);
  void rewind();
  gpu::DeviceRuntime& runtime_of(const Member& member) const;
  int threads_of_member() const;
  template <class Work>
  void for_members(const Work& work);
  FactorResult first_failure(Member& member);
  FactorResult factorize_part(Member& member, std::span<const T> values, const Control& control);
  void solve_part(Member& member, const RowsView<T>& x, bool forward, bool backward);

  DeviceRuntimes runtimes_;
  const symbolic::SymbolicFactor& symbolic_;
  int threads_;
  Mapping mapping_;
  std::vector<std::unique_ptr<Member>> members_;  // Devices that have fronts.
  Crossings crossings_;                           // By front of the whole factor.
};

}  // namespace clchol::numeric
