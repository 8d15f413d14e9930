// A scratch file that holds slabs of a factor, and host threads that write and read slabs while the
// factor is computed or used.  Slabs are moved in blocks, and each block has a checksum.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "numeric/file/scratch_file.hpp"

namespace clchol::numeric {

/// A scratch file in which slabs of given sizes lie one behind another.
class SlabFile {
 public:
  /// Bytes of a block.  The last block of a slab may be shorter.
  static constexpr Offset kBlockBytes = Offset{1} << 22;

  /// Makes the file and reserves its disk space.
  /// @param bytes  Bytes of each slab, multiples of ScratchFile::kAlignment.
  /// @param calls  System calls.  They must outlive this object.
  /// Throws FileError, std::bad_alloc.
  SlabFile(const std::string& directory, std::span<const Offset> bytes,
           const FileCalls& calls = system_file_calls());

  const ScratchFile& file() const { return file_; }
  Index num_slabs() const { return static_cast<Index>(begin_.size()) - 1; }
  Offset slab_bytes(Index s) const { return begin_[s + 1] - begin_[s]; }
  Index num_blocks(Index s) const { return first_block_[s + 1] - first_block_[s]; }

  /// Writes block b of slab s to the file and stores the block's checksum.  Several threads may
  /// write and read different blocks at the same time.  Throws FileError.
  /// @param slab  Address of the whole slab in memory, not of the block.
  void write_block(Index s, Index b, const char* slab);
  /// Reads block b of slab s from the file to its position in the slab at `slab`.  Throws
  /// FileError, also when the block's checksum is not that of the block written.
  void read_block(Index s, Index b, char* slab) const;

 private:
  Offset block_bytes(Index s, Index b) const;

  // Offset of each slab in the file, in bytes.  Length num_slabs() + 1.
  std::vector<Offset> begin_;
  // Number of each slab's first block, counted over all slabs.  Length num_slabs() + 1.
  std::vector<Index> first_block_;
  std::vector<std::uint64_t> checksums_;  // Checksum of each block as written, slab by slab.
  ScratchFile file_;
};

/// Host threads that write or read the slabs of a SlabFile during one pass over a factor.  Only one
/// thread may call member functions.
class SlabTransfers {
 public:
  /// Report about one block that was written or read.
  struct Moved {
    using Clock = std::chrono::steady_clock;
    int thread;  ///< Number of the thread that moved the block, from 0.
    bool is_write;
    Clock::time_point begin, end;  ///< Times at which the block's transfer began and ended.
  };
  /// A function that receives the reports.
  using Watch = std::function<void(const Moved&)>;

  /// Starts the threads.  If the system refuses all threads, wait() moves the slabs itself.
  /// @param file   Must outlive this object.
  /// @param watch  Called after the transfer of each block, by several threads at the same time.
  ///               Empty: no reports.
  explicit SlabTransfers(SlabFile& file, Watch watch = {});
  /// Waits until blocks that are being moved have been moved.  Other blocks are not moved any more.
  ~SlabTransfers();
  SlabTransfers(const SlabTransfers&) = delete;
  SlabTransfers& operator=(const SlabTransfers&) = delete;

  /// Begins to write slab s to the file.  If slab s was written or read before, wait(s) must have
  /// returned.
  /// @param slab   Address of the slab in memory, which must not change until wait(s) has returned.
  /// @param ready  Called once, by one of the threads, before any thread reads the memory.  It must
  ///               block until the slab's entries are complete.  If it throws, the transfer of the
  ///               slab has failed with this exception.  Empty: the entries are complete.
  /// Throws std::bad_alloc; the exception of the first failed transfer of any slab.
  void write(Index s, char* slab, std::function<void()> ready = {}) {
    begin(s, slab, true, std::move(ready));
  }
  /// Begins to read slab s from the file to the memory at `slab`, which must not be used until
  /// wait(s) has returned.  Other conditions and exceptions are those of write(), but `ready` must
  /// block until the memory may be overwritten.
  void read(Index s, char* slab, std::function<void()> ready = {}) {
    begin(s, slab, false, std::move(ready));
  }
  /// Blocks until slab s has been written or read.  Throws the exception of the first failed
  /// transfer of any slab: FileError, or what `ready` has thrown.  After a failure, all calls of
  /// write(), read() and wait() throw this exception.
  void wait(Index s);

 private:
  static constexpr int kThreads = 4;

  /// Calls the function `ready` of a slab once.  The first thread that moves a block of the slab
  /// makes the call; other threads wait until the call has returned.
  struct Gate {
    std::once_flag once;
    std::function<void()> ready;
  };
  /// One block to write or read.
  struct Job {
    Index slab, block;
    char* place;  // Address of the slab in memory.
    bool is_write;
    std::shared_ptr<Gate> gate;  // Gate of the slab.  Null: there is no function `ready`.
  };

  void begin(Index s, char* slab, bool is_write, std::function<void()> ready);
  void move(const Job& job, int thread);
  void work(int thread);

  SlabFile& file_;
  Watch watch_;
  std::mutex mutex_;  // Guards all members below except threads_.
  std::condition_variable has_jobs_, has_moved_;
  std::deque<Job> jobs_;        // Blocks that no thread has begun to move.
  std::vector<Index> left_;     // For each slab: number of blocks that are still to be moved.
  std::exception_ptr failure_;  // Exception of the first failed transfer.  Null: none has failed.
  bool is_over_ = false;        // Whether the threads must end.
  std::vector<std::thread> threads_;
};

}  // namespace clchol::numeric
