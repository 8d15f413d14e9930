// Factors and solves on several devices at the same time.  Each device owns some fronts, which are
// its *part* of the factor.  The device's *share* carries out the work of the part: it has the
// part's plan, device memory, kernels and queues, an OpenCL context and, during a call, a host
// thread of its own.
//
// A mapping (numeric/mapping.hpp) assigns each front to a device, by the devices' speed and memory.
// If a front and its parent are in different parts, the front's update matrix (in factorizations)
// and vectors (in solves) go from one share to the other through pinned host memory
// (hand_over.hpp).  If all devices are of one kind, L has the same bits as on one device.
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
#include "numeric/panel_table.hpp"
#include "symbolic/factor_part.hpp"

namespace clchol::numeric {

/// Budgets of memory and host threads of a team of devices.
struct DeviceTeamOptions {
  /// Number of host threads of all shares together.  They make lists and copy values of A and X.
  int threads = 1;
  /// Bytes of device memory that may be used on each device.  0, or no element for a device: 19/20
  /// of the device's memory.
  std::vector<Offset> memory;
};

/// One runtime (context, queues and programs) for each device.
using DeviceRuntimes = std::vector<std::shared_ptr<gpu::DeviceRuntime>>;

/// Returns the rates from which map_fronts() predicts the time of a device's share.
/// @param tuning       Tuning data of the device.
/// @param memory       Bytes of the device's memory that may be used.
/// @param value_bytes  Bytes of one entry of the scalar type.
ShareRates share_rates(const gpu::Tuning& tuning, Offset memory, Offset value_bytes);
/// Returns the rates of hand-overs between devices.  Entries per second are those of the device
/// with the slowest transfers.
/// @param devices      Tuning data of each device.
/// @param value_bytes  Bytes of one entry of the scalar type.
HandOverRates hand_over_rates(std::span<const gpu::Tuning* const> devices, Offset value_bytes);

/// Assigns each front to a device by map_fronts(), with the rates of share_rates() and
/// hand_over_rates().  Share d of the mapping is the share of the device of runtimes[d].  Some
/// devices have no fronts if fewer devices are predicted to take less time.  Cost of map_fronts().
template <class T>
Mapping map_on_devices(const DeviceRuntimes& runtimes, const symbolic::SymbolicFactor& symbolic,
                       const DeviceTeamOptions& options);

/// A numeric factor on several devices.  Not thread-safe.  T: double, float.
template <class T>
class DeviceTeam {
 public:
  /// Builds kernels and makes lists on the host.
  /// @param runtimes  One runtime for each device, at least one.
  /// @param symbolic  The whole factor.  It must outlive the team.
  /// @param entries   Map from the entries of A to the whole factor's panels.  Not read after the
  ///                  constructor.
  /// @param mapping   Result of map_on_devices() for the same runtimes.
  /// Throws OutOfMemory when a device's part does not fit into the device's memory; BuildError.
  DeviceTeam(DeviceRuntimes runtimes, const symbolic::SymbolicFactor& symbolic,
             const symbolic::EntryMap& entries, const DeviceTeamOptions& options, Mapping mapping);
  ~DeviceTeam();
  DeviceTeam(const DeviceTeam&) = delete;
  DeviceTeam& operator=(const DeviceTeam&) = delete;

  /// Allocates memory and uploads lists on all devices.  Must be called once, before any function
  /// below.  Blocking.
  /// Throws DeviceError, std::bad_alloc.
  void allocate();

  /// Factors A.  Blocks until all devices are done or `control` cancels the call.  After a
  /// cancellation, commands that were enqueued before the cancellation still run to their end.
  /// @param values  Values of A's lower triangle, in the order of the analysed pattern.
  /// @return kOk, kInterrupted (cancelled), or kNotPositiveDefinite with the failed pivot of the
  ///         smallest column of L.
  /// Throws DeviceError: the first one if several devices fail.  The factor is void then.
  FactorResult factorize(std::span<const T> values, const Control& control = {});

  /// Solves with L: first X := L^-1 X if `forward` is true, then X := L^-T X if `backward` is true.
  /// Must be called after a factorization.  Blocking.  The devices solve for columns() right-hand
  /// sides at a time.
  /// @param x  X in host memory, with any number of right-hand sides.  Rows in the order of L's
  ///           rows.
  /// Throws DeviceError: the first one if several devices fail.  X is void then.
  void solve(const RowsView<T>& x, bool forward, bool backward);
  /// Greatest number of right-hand sides that the devices solve for at the same time.
  Index columns() const;

  /// Downloads L and calls visit() for the panel of each supernode of the whole factor.  Must be
  /// called after a factorization.
  /// Throws DeviceError.
  void visit_panels(const VisitColumns<T>& visit);

  /// Downloads and returns the diagonal of L.  Length n.  Must be called after a factorization.
  /// Throws DeviceError.
  std::vector<T> diagonal();

  const Mapping& mapping() const { return mapping_; }
  const DeviceRuntimes& runtimes() const { return runtimes_; }
  /// Returns the predicted bytes of device memory that one device's share needs for a factorization
  /// and a solve with one right-hand side.  0 for a device without fronts.
  /// @param device  Index of the device in runtimes().
  Offset bytes(Index device) const;
  /// Returns a description of all shares together.  Its kernels are those of the first share that
  /// has fronts.  Each of its times (plan_s, upload_s, pin_s) is the longest time of any share.
  /// Its solve_columns is columns().
  DeviceShareSetup setup() const;

 private:
  /// One device that has fronts, with its part, its share and its buffers.
  struct Member;
  /// The hand-overs of one front whose parent is in another part.
  struct Crossing {
    std::shared_ptr<HandOver<T>> update;      // Hand-over of the front's update matrix.
    typename SolveExchange<T>::Ways vectors;  // Two hand-overs of the front's vectors in solves.

    /// Calls use(hand_over) for each of the three hand-overs: `update` and the two in `vectors`.
    template <class Use>
    void for_each(const Use& use) const {
      for (HandOver<T>* hand_over : {update.get(), vectors.sums.get(), vectors.x.get()}) {
        use(*hand_over);
      }
    }
  };

  /// Map from a front's supernode number in the whole factor to the front's crossing.
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
  std::vector<std::unique_ptr<Member>> members_;  // Devices that have fronts, in ascending order.
  Crossings crossings_;  // Crossings of all fronts whose parent is in another part.
};

}  // namespace clchol::numeric
