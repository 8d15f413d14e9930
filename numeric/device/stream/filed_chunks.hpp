// Writes slabs of panels that host memory has no room for to a scratch file, and reads the slabs
// back.  A slab is divided into chunks.  On its way between the device and the file, a chunk is in
// a slot: a range of host memory with room for one chunk.
//
//   device  <-- OpenCL transfers -->  slots, used in turn  <-- threads of SlabTransfers -->  file
//
// This class moves chunks between slots and file; the caller enqueues the transfers between slots
// and device.  A factorization fills one slot after another.  A chunk is written to the file as
// soon as the transfers from the device to the chunk's slot have ended:
//
//   filed.begin_writing();
//   for each chunk:
//     Index slot = filed.slot_to_fill(chunk);
//     ... enqueue transfers from the device to the slot ...
//     filed.write(event of the last transfer);
//   filed.finish_writing();
//
// A solve announces the order in which it will read chunks.  Threads prefetch the chunks in this
// order, at most one chunk for each slot ahead of the solve:
//
//   filed.begin_reading(order);
//   for each chunk of the order:
//     Index slot = filed.read(chunk);
//     ... enqueue transfers from the slot to the device ...
//     filed.give_back(event of the last transfer);
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu_kernels/runtime/event.hpp"
#include "numeric/file/slab_file.hpp"

namespace clchol::numeric {

/// A scratch file of chunks, and the slots through which the chunks go.  Not thread-safe: only one
/// host thread at a time may call member functions.
class FiledChunks {
 public:
  /// Makes the file and reserves disk space.
  /// @param bytes  Number of bytes of each chunk, a multiple of ScratchFile::kAlignment.  A chunk's
  ///               number is its index in `bytes`.
  /// @param calls  System calls by which the file is written and read.  Must outlive this object.
  /// @param watch  Function that is called each time that a block, a part of a chunk of at most
  ///               SlabFile::kBlockBytes, was written or read.  Several threads may call `watch` at
  ///               the same time.  Empty: nothing is called.
  /// Throws FileError, std::bad_alloc.
  FiledChunks(const std::string& directory, std::span<const Offset> bytes, const FileCalls& calls,
              SlabTransfers::Watch watch)
      : file_(directory, bytes, calls), watch_(std::move(watch)) {}

  /// Bytes that are reserved for the file: those of all chunks.
  Offset bytes() const { return file_.file().bytes(); }

  /// Sets the host memory of the slots.  Must be called once, before chunks are written or read.
  /// @param slots  Address of each slot, a multiple of ScratchFile::kAlignment.  Each slot must
  ///               have room for the largest chunk.
  void set_slots(std::vector<char*> slots);
  bool has_slots() const { return !slots_.empty(); }

  // A pass is either the writing of all chunks, which begin_writing() begins, or the reading of
  // chunks, which begin_reading() begins.  Each function below may throw std::bad_alloc and the
  // first error of any chunk of the pass: FileError, or DeviceError when a transfer between a slot
  // and the device has failed.

  /// Begins a pass in which all chunks are written.
  void begin_writing();
  /// Chooses the slot for the next chunk, and blocks until the earlier chunk in this slot has been
  /// written to the file.  Several calls with the same chunk before write() return the same slot.
  /// @return the number of the slot to which the caller must transfer the chunk.
  Index slot_to_fill(Index chunk);
  /// Lets threads write the chunk of the last call of slot_to_fill() to the file, as soon as the
  /// event `filled` is complete.  Does not block.
  /// @param filled  Event of the last transfer from the device to the slot.  The queue of this
  ///                transfer must have been flushed.
  void write(gpu::Event filled);
  /// Blocks until all chunks of the pass are in the file.
  void finish_writing();

  /// Begins a pass in which chunks are read, and lets threads prefetch the first chunks.
  /// @param order  Numbers of chunks, in the order in which read() will be called with them.
  void begin_reading(std::vector<Index> order);
  /// Blocks until the chunk is in a slot.  Skips all unread chunks that precede the chunk in the
  /// order of begin_reading().  If the chunk is not among the unread chunks of this order, begins a
  /// new pass for this chunk alone.
  /// @return the number of the slot that holds the chunk until give_back() is called.
  Index read(Index chunk);
  /// Allows the slot of the last call of read() to be overwritten as soon as the event `emptied` is
  /// complete.
  /// @param emptied  Event of the last transfer from the slot to the device.  The queue of this
  ///                 transfer must have been flushed.  Empty: the slot may be overwritten at once.
  void give_back(gpu::Event emptied);

 private:
  struct Slot {
    char* place = nullptr;  // Address of the slot.
    // In a pass that writes: chunk that is transferred to the slot, or that was transferred last
    // and may still be written to the file.  kNone: there is no such chunk.
    Index chunk = kNone;
    // Event of the last transfer from the slot to the device.  Null: the slot may be overwritten.
    std::shared_ptr<const gpu::Event> emptied;
  };

  void begin_pass();
  void read_ahead();
  /// Returns the slot of a chunk of the pass.
  /// @param turn  Number of chunks that precede the chunk in the pass.
  Slot& slot_of(std::size_t turn) { return slots_[turn % slots_.size()]; }

  SlabFile file_;
  SlabTransfers::Watch watch_;
  std::vector<Slot> slots_;
  // Number of chunks of the pass for which write() or give_back() was called, or that were skipped.
  std::size_t turn_ = 0;
  std::vector<Index> order_;  // Chunks in the order in which the pass reads them.
  // Number of chunks for which reading from the file was begun: the first `ahead_` of order_.
  std::size_t ahead_ = 0;
  std::unique_ptr<SlabTransfers> transfers_;  // Threads that write or read the chunks of the pass.
};

}  // namespace clchol::numeric
