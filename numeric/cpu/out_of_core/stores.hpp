// Stores of an out-of-core factor, for a factorization and for solves.  A store provides the panels
// of each group of fronts to a walk over the groups (numeric/cpu/group_store.hpp).  During the walk
// it moves slabs and spilled update matrices (numeric/cpu/out_of_core/plan.hpp) to the file and
// back.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "numeric/cpu/factorize.hpp"
#include "numeric/cpu/out_of_core/plan.hpp"
#include "numeric/file/slab_file.hpp"

namespace clchol::numeric {

/// @return bytes of each slab of the file: first the factor's slabs that are not kept, then one
///         slab for each of plan.spilled.  Length plan.first_kept + plan.spilled.size().
std::vector<Offset> file_slabs(const OutOfCorePlan& plan, Offset entry_bytes);

/// The store of a factorization.  close(g) begins to write slab g and the spilled update matrices
/// of group g to the file.  Later groups are computed meanwhile, as far as they do not overwrite
/// memory that is being written.
template <class T>
class SendingStore final : public FactorStore<T> {
 public:
  /// All arguments must outlive the store.
  /// @param threads   OutOfCoreRequest::threads of the plan.
  /// @param buffer    plan.size entries, page-aligned.
  /// @param file      a file made for the sizes file_slabs(plan, sizeof(T)).
  /// @param factor    its panel table must be the plan's `panels`; open() sets its slab addresses.
  /// @param diagonal  close(g) writes L(j,j) of the columns of group g here.  Length n.
  SendingStore(const OutOfCorePlan& plan, int threads, T* buffer, SlabFile& file,
               NumericFactor<T>& factor, T* diagonal);

  void open(Index g) override;
  void close(Index g) override;
  GroupArenas<T> arenas() const override;
  T* outside(Index s) const override;
  /// Waits until all slabs that are not kept are in the file.  To be called after the last close().
  /// Throws FileError.
  void finish();

 private:
  /// @return number of the file's slab that holds plan_.spilled[k].
  Index spill_slab(std::size_t k) const { return plan_.first_kept + static_cast<Index>(k); }
  /// A write to the file that has begun and that nobody has waited for.
  struct Moving {
    Index slab;                  // Slab of the file that is written.
    OutOfCorePlan::Range range;  // Range of the buffer that is written to the file.
  };

  /// Waits until the file has all data in the ranges of the buffer that plan_.written() gives for
  /// group g.
  void wait_for_room(Index g);
  /// Begins to write entries [begin, begin + size) of the buffer to a slab of the file.
  void send(Index slab, Offset begin, Offset size);
  char* bytes_at(Offset begin) const { return reinterpret_cast<char*>(buffer_ + begin); }

  const OutOfCorePlan& plan_;
  const int threads_;
  T* const buffer_;
  NumericFactor<T>& factor_;
  T* const diagonal_;
  std::vector<Moving> moving_;
  Index group_ = 0;   // Group of the last call of open().
  Index closed_ = 0;  // Number of calls of close().
  SlabTransfers transfers_;
};

/// The store of a solve.  Slabs that are not kept are read from the file ahead of their use, in the
/// order of the walk.  The buffer behind the kept slabs is a ring: each slab is read to the
/// range behind the preceding slab, or to the ring's start when the ring's end is too near.
template <class T>
class FetchingStore final : public GroupStore {
 public:
  /// Begins to read the first slabs.  Parameters as for SendingStore.
  /// @param order  the groups in the order in which the walk opens them, or the order of a forward
  ///               and then of a backward walk.
  FetchingStore(const OutOfCorePlan& plan, T* buffer, SlabFile& file, NumericFactor<T>& factor,
                std::vector<Index> order);

  void open(Index g) override;
  void close(Index g) override;

 private:
  /// A slab that is in the ring, or is being read into the ring.
  struct Fetched {
    Index slab;
    Offset begin, end;  // Memory range of the slab in the buffer, in entries.
    int uses;           // Number of close() calls after which the slab may be overwritten: 1, or
                        // 2 for the slab that ends a forward walk and begins a backward walk.
  };

  /// Begins to read the next slabs of order_, until the ring has no room for the next slab.
  void fetch();
  /// @return offset in the buffer, in entries, of a free range of `size` entries; -1 when the slabs
  ///         of ring_ leave no such range.
  Offset find_room(Offset size) const;

  const OutOfCorePlan& plan_;
  T* const buffer_;
  NumericFactor<T>& factor_;
  std::vector<Index> order_;  // Slabs that are not kept, in the order in which they are opened.
  std::size_t next_ = 0;      // Position in order_ of the first slab whose read has not begun.
  std::deque<Fetched> ring_;  // Slabs in the ring, in the order of order_; the first slab
                              // is open or will be opened next.
  SlabTransfers transfers_;
};

}  // namespace clchol::numeric
