// Writes slabs of panels that host memory has no room for to a scratch file, and reads the slabs
// back.  A slab is divided into chunks.  A chunk goes through a slot, a range of host memory for
// one chunk:
//
//   device  <-- OpenCL transfers -->  slots, used in turn  <-- threads of SlabTransfers -->  file
//
// This class moves chunks between slots and file; the caller enqueues the transfers between slots
// and device.  A factorization fills one slot after another.  A chunk is written to the file as
// soon as the transfers from the device to its slot have ended:
//
//   filed.begin_writing();
//   for each chunk:
//     Index slot = filed.slot_to_fill(chunk);
//     ... enqueue transfers from the device to the slot ...
//     filed.write(event of the last transfer);
//   filed.finish_writing();
//
// A solve announces the order in which it will read chunks.  As many chunks as there are slots are
// prefetched in this order:
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

/// A scratch file of chunks, and the slots through which they go.  Not thread-safe: one host thread
/// at a time may call member functions.
class FiledChunks {
 public:
  /// Makes the file and reserves disk space.
  /// @param bytes  Bytes of each chunk, multiples of ScratchFile::kAlignment.  Chunks are numbered
  ///               from 0 in this order.
  /// @param calls  Must outlive this object.
  /// @param watch  Called after each block of a chunk was written or read, by several threads at
  ///               the same time; may be empty.
  /// Throws FileError, std::bad_alloc.
  FiledChunks(const std::string& directory, std::span<const Offset> bytes, const FileCalls& calls,
              SlabTransfers::Watch watch)
      : file_(directory, bytes, calls), watch_(std::move(watch)) {}

  /// Sets the host memory of the slots.  Must be called once, before chunks are written or read.
  /// @param slots  Address of each slot, a multiple of ScratchFile::kAlignment.  Each slot must
  ///               have room for the longest chunk.
  void set_slots(std::vector<char*> slots);
  bool has_slots() const { return !slots_.empty(); }

  // A pass is the writing of chunks after begin_writing(), or their reading after begin_reading().
  // Each function below throws std::bad_alloc, and the first error of any chunk of the pass:
  // FileError, or DeviceError when a transfer between slot and device failed.

  /// Begins a pass in which all chunks are written.
  void begin_writing();
  /// Chooses the slot for the next chunk, and blocks until the chunk that was in the slot before is
  /// in the file.  Until write() is called, further calls with this chunk return the same slot.
  /// @return the number of the slot into which the caller transfers the chunk.
  Index slot_to_fill(Index chunk);
  /// Lets threads write the chunk of the last slot_to_fill() to the file when `filled` is complete.
  /// Does not block.
  /// @param filled  Event of the last transfer to the slot; its queue must have been flushed.
  void write(gpu::Event filled);
  /// Blocks until all chunks of the pass are in the file.
  void finish_writing();

  /// Begins a pass in which chunks are read, and lets threads prefetch the first chunks.
  /// @param order  The chunks in the order in which read() will be called.
  void begin_reading(std::vector<Index> order);
  /// Blocks until the chunk is in a slot.  Chunks before it in the order that were not read yet are
  /// skipped.  When the chunk is not among the chunks of the order that are still to be read,
  /// begins a new pass for this chunk alone.
  /// @return the number of the slot that holds the chunk until give_back() is called.
  Index read(Index chunk);
  /// Lets the slot of the last read() be overwritten when `emptied` is complete.
  /// @param emptied  Event of the last transfer from the slot; its queue must have been flushed.
  ///                 Empty: the slot may be overwritten at once.
  void give_back(gpu::Event emptied);

 private:
  struct Slot {
    char* place = nullptr;  // Address of the slot.
    // Chunk that is transferred to the slot, or written from the slot to the file; kNone: no chunk.
    Index chunk = kNone;
    // Event of the last transfer from the slot to the device; null: no transfer.
    std::shared_ptr<const gpu::Event> emptied;
  };

  void begin_pass();
  void read_ahead();
  /// Slot of the chunk that is the turn-th chunk, from 0, of the pass.
  Slot& slot_of(std::size_t turn) { return slots_[turn % slots_.size()]; }

  SlabFile file_;
  SlabTransfers::Watch watch_;
  std::vector<Slot> slots_;
  std::size_t turn_ = 0;  // Number of chunks of the pass that were written, given back or skipped.
  std::vector<Index> order_;  // Chunks in the order in which the pass reads them.
  std::size_t ahead_ = 0;     // Number of chunks of order_ that threads read or have read.
  std::unique_ptr<SlabTransfers> transfers_;  // Threads of the pass.
};

}  // namespace clchol::numeric
