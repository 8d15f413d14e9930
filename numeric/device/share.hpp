// A device's share of a factorization: the plan of its fronts, their memory, numeric phase and
// solves.  Everything is enqueued; nothing goes to the host.
//
// What it takes of memory is known before anything is allocated.  Where that exceeds the device's
// budget, fronts are factored depth first (groups.hpp); where it still does, panels are streamed:
// the last ones stay on the device, earlier ones go to host memory and come back for solves
// (panel_store.hpp).
#pragma once

#include <memory>
#include <string>

#include "numeric/device/factor.hpp"
#include "numeric/device/panel_store.hpp"
#include "numeric/device/solve.hpp"
#include "numeric/memory_plan.hpp"

namespace clchol::numeric {

struct DeviceShareOptions {
  int threads = 1;     ///< Of the host, that make lists.
  Offset memory = 0;   ///< Bytes of the device's memory that may be used; 0: 19/20 of it all.
  Offset largest = 0;  ///< Bytes of a buffer at most; 0: what the device allows.
  /// Bytes of host memory that panels may take; 0: nine tenths of what is free.
  Offset host_memory = 0;
  /// Bytes of the device's memory that a streamed factor leaves to its caller, if it can.
  Offset spare = 0;
};

/// How a share was made.
struct DeviceShareSetup {
  std::string kernels;         ///< "tensor cores" or "plain".
  std::string solve_kernels;   ///< "tickets" or "waves".
  std::string kernels_reason;  ///< Why they are plain, if they are.
  double plan_s = 0;           ///< Kernels, and lists on the host.
  double upload_s = 0;         ///< Buffers, and lists into them.
  double pin_s = 0;            ///< Pinned buffers of transfers.
};

/// For one thread at a time.  T: double, float.
template <class T>
class DeviceShare {
 public:
  /// Builds kernels and makes lists, on the host.  The runtime, the symbolic factor and `entries`
  /// outlive the share.  Where a kernel for the device's own instructions does not build, all are
  /// plain.  Throws OutOfMemory when the budget does not do, or a buffer would be larger than the
  /// device allows; BuildError.
  DeviceShare(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
              const symbolic::EntryMap& entries, const DeviceShareOptions& options);

  /// Allocates and uploads: once, before what follows.  Blocking.  Throws DeviceError.
  void allocate();

  /// Enqueues the factorization of the matrix whose lower triangle has `values` on the device, in
  /// the order of the analysed pattern, and what solves want of it.
  /// Throws DeviceError.
  void factorize(gpu::DeviceView<const T> values);
  /// Room for the values of A.  Taken when it is first asked for.  Throws DeviceError.
  gpu::DeviceView<T> values();

  /// Makes room for a solve with up to columns() right-hand sides.  Throws DeviceError, OutOfMemory
  /// where kernels do not build whose substitutes need more than the budget has left.
  /// @return X, row-major, in the factor's order.
  gpu::DeviceView<T> reserve(Index nrhs);
  /// Enqueues x := L^-1 x and x := L^-T x, x as reserve() returned it.  Throws DeviceError.
  void forward(gpu::DeviceView<T> x, Index nrhs);
  void backward(gpu::DeviceView<T> x, Index nrhs);

  const DeviceFactor<T>& factor() const { return *made_.factor; }
  PanelStore<T>& panels() { return *panels_; }
  /// DeviceSolve::order(), or "" after kernels did not build.
  const char* solve_order() const { return made_.solve ? made_.solve->order() : ""; }
  const DeviceShareSetup& setup() const { return setup_; }
  DeviceShareSetup& setup() { return setup_; }
  Offset num_values() const { return num_values_; }

  /// What a factorization and a solve with one right-hand side take of the device's memory, values
  /// of A included: predicted.
  Offset bytes() const { return bytes_with(1); }
  /// What panels take of the host's memory: 0 where all stay on the device.
  Offset host_bytes() const { return made_.memory.plan.bytes(Tier::kHost); }
  /// Bytes of the budget that are left with columns() right-hand sides.
  Offset bytes_left() const { return budget_ - bytes_with(columns_); }
  /// Right-hand sides that a solve may take at once.
  Index columns() const { return columns_; }

 private:
  using Place = MemoryPlan::Place;

  /// Memory of everything but solves: steps 0 to G - 1 are the groups of fronts, step G is a solve.
  struct Layout {
    MemoryPlan plan;
    Index updates = kNone, room = kNone;  // Buffers: of update matrices, and of solves.
    Place inverses;
  };
  /// The same with so many right-hand sides.
  struct SolveLayout {
    MemoryPlan plan;
    Place x, workspace;
  };
  struct Made {
    std::unique_ptr<DeviceFactor<T>> factor;
    std::unique_ptr<DeviceSolve<T>> solve;
    PanelPlaces panels;
    // Where inverted blocks of each place of panels begin, among all; one more than there are.
    std::vector<Offset> inverses;
    Layout memory;
  };

  void make(const symbolic::EntryMap& entries, const DeviceShareOptions& options);
  void make_in_core(const symbolic::EntryMap& entries, const DeviceKernelParams& params);
  void make_streamed(const symbolic::EntryMap& entries, const DeviceKernelParams& params);
  bool move_slabs(Index columns, Offset spare);
  Made make_groups(const symbolic::EntryMap& entries, const DeviceKernelParams& params,
                   const GroupLimits& limits) const;
  void place_panels(Index first_resident, Made& made) const;
  enum class Inverses : unsigned char { kApart, kInUpdates };
  Layout lay_out(const Made& made, Inverses inverses) const;
  Layout best_layout(const Made& made) const;
  SolveLayout with_solve(const Made& made, const Layout& memory, Index nrhs) const;
  Offset bytes_of(const Made& made, const Layout& memory, Index nrhs) const;
  Offset bytes_with(Index nrhs) const { return bytes_of(made_, made_.memory, nrhs); }
  void choose_columns();
  gpu::DeviceView<T> view(const Place& place);
  void invert_resident();
  template <class Use>
  void with_range(Index slab, const Use& use);
  DeviceSolve<T>& solve() const;
  void solve_by_waves();

  gpu::DeviceRuntime& runtime_;
  const symbolic::SymbolicFactor& symbolic_;
  Offset num_values_;
  int threads_;
  Offset budget_ = 0;       // Bytes of the device that the share may take.
  Offset largest_ = 0;      // Bytes that one buffer may have.
  Offset host_budget_ = 0;  // Bytes of the host that panels may take.
  Offset spare_ = 0;        // Bytes of the device that are better left.
  Index columns_ = 1;
  DeviceShareSetup setup_;
  Made made_;
  std::optional<PanelStore<T>> panels_;
  std::vector<Index> inverted_;  // Slab whose inverted blocks are at hand, by place of panels.
  Index laid_out_columns_ = 0;   // Right-hand sides that reserve() was last called for.
  SolveLayout layout_;           // Memory with laid_out_columns_ right-hand sides.
  gpu::DeviceBuffer<T> updates_, inverses_, values_, room_;  // The plan's.
};

}  // namespace clchol::numeric
