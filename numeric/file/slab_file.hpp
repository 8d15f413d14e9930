// A scratch file that holds slabs of a factor, and host threads that write and read slabs while the
// factor is computed or used.  A slab here is any contiguous range of bytes that is written as a
// whole, and is read as a whole or in blocks.  Slabs are moved in blocks of 4 MiB.  The checksums
// of the blocks stay in memory, and are compared when the blocks are read.
//
// SlabFile writes and reads one block at a time.  SlabTransfers has threads that call SlabFile:
//
//   transfers.write(s, address);   // returns at once
//   ... other work ...
//   transfers.wait(s);             // blocks until slab s is in the file
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

#include "base/host_log.hpp"
#include "base/types.hpp"
#include "numeric/file/scratch_file.hpp"

namespace clchol::numeric {

/// A scratch file that holds slabs of given sizes, one after another.
class SlabFile {
 public:
  /// Bytes of a block.  The last block of a slab may be shorter.
  static constexpr Offset kBlockBytes = Offset{1} << 22;

  /// Makes the file in `directory` and reserves its disk space.
  /// @param bytes  Bytes of each slab, multiples of ScratchFile::kAlignment.  Indexed by slab.
  /// @param calls  System calls.  They must outlive this object.
  /// Throws FileError, std::bad_alloc.
  SlabFile(const std::string& directory, std::span<const Offset> bytes,
           const FileCalls& calls = system_file_calls());

  const ScratchFile& file() const { return file_; }
  Index num_slabs() const { return static_cast<Index>(begin_.size()) - 1; }
  Offset slab_bytes(Index s) const { return begin_[s + 1] - begin_[s]; }
  Index num_blocks(Index s) const { return first_block_[s + 1] - first_block_[s]; }
  /// @return number of blocks of all slabs before slab s.  s may be num_slabs().
  Index blocks_before(Index s) const { return first_block_[s]; }
  /// @return number of bytes of block b of slab s.
  Offset block_bytes(Index s, Index b) const;

  /// Writes block b of slab s to the file and stores the block's checksum.  Several threads may
  /// write and read different blocks at the same time.  Throws FileError.
  /// @param block  Address of the block in memory.
  void write_block(Index s, Index b, const char* block);
  /// Reads block b of slab s from the file.  Several threads may write and read different blocks at
  /// the same time.  Throws FileError, also when the checksum of the block read differs from the
  /// checksum that write_block() has stored.
  /// @param block  Address of the block in memory.
  void read_block(Index s, Index b, char* block) const;

 private:
  // Byte offset of each slab in the file; then the bytes of the file.  Length num_slabs() + 1.
  std::vector<Offset> begin_;
  // Index in checksums_ of each slab's first block; then the number of all blocks.  Length
  // num_slabs() + 1.
  std::vector<Index> first_block_;
  std::vector<std::uint64_t> checksums_;  // Checksum of each block as written, slab by slab.
  ScratchFile file_;
};

/// Host threads that write or read the slabs of a SlabFile during one pass over a factor.
/// Blocks to read go before blocks to write, because the computation waits for what is read.
/// Several threads may call write_blocks().  Only one thread may call the other member functions.
class SlabTransfers {
 public:
  /// Report about one block that was written or read.
  struct Moved {
    using Clock = std::chrono::steady_clock;
    int thread;  ///< Number of the thread that moved the block: 0, 1, ...
    Index slab;  ///< Number of the block's slab.
    bool is_write;
    Offset bytes;                  ///< Bytes of the block.
    Clock::time_point begin, end;  ///< Times at which the block's transfer began and ended.
  };
  /// A function that receives the reports.
  using Watch = std::function<void(const Moved&)>;
  /// @return a report as a piece of work of the host, "read" or "write", in the row of its thread.
  static HostWork work_of(const Moved& block);

  /// Starts the threads.  If the system refuses all threads, the thread that calls wait() moves the
  /// slabs.
  /// @param file   Must outlive this object.
  /// @param watch  Called after the transfer of each block, by several threads at the same time.
  ///               Empty: no reports.
  explicit SlabTransfers(SlabFile& file, Watch watch = {});
  /// Cancels the blocks whose transfer no thread has begun, waits until the transfers that were
  /// begun have ended, and ends the threads.
  ~SlabTransfers();
  SlabTransfers(const SlabTransfers&) = delete;
  SlabTransfers& operator=(const SlabTransfers&) = delete;

  /// Begins to write slab s to the file.  If slab s was written or read before, wait(s) must have
  /// returned.
  /// @param slab   Address of the slab in memory, which must not change until wait(s) has returned.
  /// @param ready  Called by one of the threads before any thread reads the slab's memory.  The
  ///               function must block until the slab's entries in memory are complete.  If the
  ///               function throws, the transfer of the slab has failed with this exception.
  ///               Empty: the entries are complete when write() is called.
  /// Throws std::bad_alloc; or, if an earlier transfer of any slab has failed, the exception of
  /// that transfer (see wait()).
  void write(Index s, char* slab, std::function<void()> ready = {}) {
    begin(s, {0, file_.num_blocks(s)}, slab, true, std::move(ready));
  }
  /// Begins to read slab s from the file.  If slab s was written or read before, wait(s) must have
  /// returned.
  /// @param slab   Address of the memory for the slab.  The memory must not be used until wait(s)
  ///               has returned.
  /// @param ready  Called by one of the threads before any thread writes to the memory.  The
  ///               function must block until the memory may be overwritten.  If the function
  ///               throws, the transfer of the slab has failed with this exception.
  ///               Empty: the memory may be overwritten when read() is called.
  /// Throws the exceptions of write().
  void read(Index s, char* slab, std::function<void()> ready = {}) {
    begin(s, {0, file_.num_blocks(s)}, slab, false, std::move(ready));
  }
  /// Blocks [first, last) of a slab.
  struct Blocks {
    Index first, last;
  };
  /// Begins to read some blocks of slab s from the file.  If the blocks were written or read
  /// before, wait(s) must have returned.
  /// @param to  Address of the memory for the first of the blocks.  The memory must not be used
  ///            until wait(s) has returned.
  /// Throws the exceptions of write().
  void read_blocks(Index s, const Blocks& blocks, char* to) { begin(s, blocks, to, false, {}); }
  /// Begins to write some blocks of slab s to the file.  If the blocks were written or read before,
  /// wait(s) must have returned.  Several threads may call this function at the same time.
  /// @param from  Address of the first of the blocks in memory, which must not change until wait(s)
  ///              has returned.
  /// Throws the exceptions of write().
  void write_blocks(Index s, const Blocks& blocks, char* from) { begin(s, blocks, from, true, {}); }
  /// Blocks until slab s, or what was begun of it, has been written or read.
  /// Throws the exception of the first failed transfer of any slab: FileError, or an exception that
  /// a function `ready` has thrown.  After a failure, all calls of write(), read() and wait() throw
  /// this exception.
  void wait(Index s) { wait_blocks(s, {0, file_.num_blocks(s)}); }
  /// Blocks until the transfers that were begun for some blocks of slab s have ended.
  /// Throws the exceptions of wait().
  void wait_blocks(Index s, const Blocks& blocks);

 private:
  static constexpr int kThreads = 4;

  /// The function `ready` of one transfer of a slab.  The first thread that moves a block of the
  /// slab calls the function; other threads wait until the call has returned.
  struct Gate {
    std::once_flag once;
    std::function<void()> ready;
  };
  /// A block that a thread will write or read.
  struct Job {
    Index slab, block;
    char* place;  // Address of the block in memory.
    bool is_write;
    std::shared_ptr<Gate> gate;  // Gate of the slab.  Null: there is no function `ready`.
  };

  void begin(Index s, const Blocks& blocks, char* place, bool is_write,
             std::function<void()> ready);
  bool has_job() const { return !reads_.empty() || !writes_.empty(); }
  Job take_job();
  void move(const Job& job, int thread);
  void work(int thread);

  SlabFile& file_;
  Watch watch_;
  std::mutex mutex_;  // Guards all members below except threads_.
  // `has_jobs_`: notified when reads_, writes_ or is_over_ changes.
  // `has_moved_`: notified when a thread has moved a block.
  std::condition_variable has_jobs_, has_moved_;
  // Blocks that no thread has begun to move: first those to read, then those to write.
  std::deque<Job> reads_, writes_;
  // For each block of each slab, slab by slab: number of transfers that have not ended.
  std::vector<unsigned char> left_;
  std::exception_ptr failure_;  // Exception of the first failed transfer.  Null: none has failed.
  bool is_over_ = false;        // Whether the threads must end.
  std::vector<std::thread> threads_;
};

}  // namespace clchol::numeric
