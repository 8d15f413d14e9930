// Several devices compute one factor: each device computes its part, in a share of its own, at the
// same time as the others.
//
// A mapping (numeric/mapping.hpp) assigns the fronts to the devices by the devices' rates and
// memory.  Each share has a context and queues of its own and, while it works, a host thread of its
// own.  Update matrices cross between shares through pinned host memory (hand_over.hpp).  If all
// devices are of one kind, L has the same bits as on one device.
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
  int threads = 1;  ///< Host threads that make lists and move values.
  /// Bytes of memory that may be used, for each device.  Empty or 0: 19/20 of the device's memory.
  std::vector<Offset> memory;
};

/// The runtime of each device.
using DeviceRuntimes = std::vector<std::shared_ptr<gpu::DeviceRuntime>>;

/// Rates from which the mapping predicts a device's time, by its tuning data: stream_rates().
/// @param memory       Bytes of the device's memory that may be used.
/// @param value_bytes  Bytes of a value of the scalar type.
ShareRates share_rates(const gpu::Tuning& tuning, Offset memory, Offset value_bytes);
/// Rates of hand-overs between these devices.  The device with the slowest transfers decides.
HandOverRates hand_over_rates(std::span<const gpu::Tuning* const> devices, Offset value_bytes);

/// Assigns the fronts to these devices.  Share d is the device of runtimes[d].  Devices may be left
/// without fronts, where fewer devices are faster.
template <class T>
Mapping map_on_devices(const DeviceRuntimes& runtimes, const symbolic::SymbolicFactor& symbolic,
                       const DeviceTeamOptions& options);

/// For one thread at a time.  T: double, float.
template <class T>
class DeviceTeam {
 public:
  /// Builds kernels and makes lists on the host.  The symbolic factor must outlive the team.
  /// @param runtimes  One runtime for each device, at least one.
  /// @param entries   Not read after the constructor.
  /// @param mapping   map_on_devices() for the same devices.
  /// Throws OutOfMemory when the part of a device does not fit its memory; BuildError.
  DeviceTeam(DeviceRuntimes runtimes, const symbolic::SymbolicFactor& symbolic,
             const symbolic::EntryMap& entries, const DeviceTeamOptions& options, Mapping mapping);
  ~DeviceTeam();
  DeviceTeam(const DeviceTeam&) = delete;
  DeviceTeam& operator=(const DeviceTeam&) = delete;

  /// Allocates memory and uploads lists on all devices.  Must be called once, before any function
  /// below.  Blocking.
  /// Throws DeviceError, std::bad_alloc.
  void allocate();

  /// Factors the matrix whose lower triangle has `values` in the order of the analysed pattern.
  /// Returns when all devices are done, or when the call is cancelled; commands that are enqueued
  /// then still run to their end.
  /// Throws the first DeviceError of any device; the factor is void then.
  FactorResult factorize(std::span<const T> values, const Control& control = {});

  /// X := (L L')^-1 X, or one half of it: X := L^-1 X or X := L^-T X.  After a factorization.  X is
  /// in host memory and has the final numbering.  Blocking.  The devices solve for columns()
  /// right-hand sides at once.
  /// Throws the first DeviceError of any device; X is void then.
  void solve(const RowsView<T>& x, bool forward, bool backward);
  /// Right-hand sides that the devices solve for at once, at most.
  Index columns() const;

  /// Calls visit(s, panel, ld) for each supernode s, with its panel of L in host memory.  Entries
  /// above the panel's diagonal are undefined.  After a factorization.  Throws DeviceError.
  void visit_panels(const std::function<void(Index, const T*, Offset)>& visit);

  /// Diagonal of L, in the final numbering.  After a factorization.  Throws DeviceError.
  std::vector<T> diagonal();

  const Mapping& mapping() const { return mapping_; }
  const DeviceRuntimes& runtimes() const { return runtimes_; }
  /// Predicted bytes of a device's memory for a factorization and a solve with one right-hand side.
  /// 0 for a device without fronts.
  Offset bytes(Index device) const;
  /// How the shares were made: kernels of the first share, and seconds of the slowest.
  DeviceShareSetup setup() const;

 private:
  struct Member;
  /// The hand-overs of one front.
  struct Crossing {
    std::shared_ptr<HandOver<T>> update;      // Update matrix, in factorizations.
    typename SolveExchange<T>::Ways vectors;  // Vectors, in solves.

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
  std::vector<std::unique_ptr<Member>> members_;  // The devices that have fronts.
  Crossings crossings_;                           // Key: the front's number in the whole factor.
};

}  // namespace clchol::numeric
