// Records, for a timeline, what the stores of an out-of-core factor do: reads and writes of the
// scratch file, waits for them, and the bytes in use in host memory and in the file.
#pragma once

#include <functional>
#include <vector>

#include "base/host_log.hpp"
#include "numeric/cpu/out_of_core/plan.hpp"
#include "numeric/file/slab_file.hpp"

namespace clchol::numeric {

/// A StoreLog names the log in which a store records its reads, its writes and its waits.
struct StoreLog {
  HostLog* log = nullptr;  ///< The log.  Null: nothing is recorded.
  /// Bytes of host memory in use beside the plan's buffer, for example by the analysis.
  Offset other_bytes = 0;

  /// @return a function that records each block that is written or read.  A block that was written
  ///         is in use in the file, and its host memory is free, unless stays(block) is true.
  ///         Empty without a log.
  SlabTransfers::Watch watch(std::function<bool(const SlabTransfers::Moved&)> stays = {}) const;
  /// Records that `bytes` bytes of host memory come into use; negative: become free.  Does nothing
  /// without a log.
  void change(Offset bytes) const;
  /// Records that `buffer_bytes` bytes of the plan's buffer are in use, and nothing in the file.
  /// Does nothing without a log.
  void begin(Offset buffer_bytes) const;
  /// Calls transfers.wait(slab), and records the time that this takes.
  void wait(SlabTransfers& transfers, Index slab) const {
    log_work(log, "wait for the file", [&] { transfers.wait(slab); });
  }
  /// Calls transfers.wait_blocks(slab, blocks), and records the time that this takes.
  void wait(SlabTransfers& transfers, Index slab, const SlabTransfers::Blocks& blocks) const {
    log_work(log, "wait for the file", [&] { transfers.wait_blocks(slab, blocks); });
  }
};

/// Entries of the buffer that come into use and become free during a factorization.  The entries
/// that become free when a slab has been written to the file are not counted here.
struct BufferUse {
  /// Entries that come into use when group g is opened: slab g, the arenas, the slots, update
  /// matrices that the group computes for later groups, and spilled update matrices whose reads
  /// begin.  Length: number of groups.
  std::vector<Offset> taken;
  /// Entries that become free when group g is closed: the arenas, the slots, and update matrices
  /// that the group has assembled.  Length: number of groups.
  std::vector<Offset> freed;
};

/// @param threads  the value of OutOfCoreRequest::threads with which the plan was made.
/// Cost O(nsuper + groups).
BufferUse buffer_use(const OutOfCorePlan& plan, const symbolic::SymbolicFactor& factor,
                     int threads);

}  // namespace clchol::numeric
