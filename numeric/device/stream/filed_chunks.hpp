// Writes slabs of panels that host memory has no room for to a scratch file, and reads them back,
// chunk by chunk, through slots in host memory.
//
//   device  <-- OpenCL transfers -->  slots, used in turn  <-- threads of SlabFile -->  file
//
// A factorization fills one slot after another.  A slot is written to the file as soon as the
// transfers from the device to the slot have ended:
//
//   filed.begin_writing();
//   for each chunk:
//     Index slot = filed.slot_to_fill(chunk);
//     ... enqueue transfers from the device to the slot ...
//     filed.write(event of the last of them);
//   filed.finish_writing();
//
// A solve announces the order in which it will read the chunks.  Chunks are prefetched in this
// order, one into each slot:
//
//   filed.begin_reading(order);
//   for each chunk of the order:
//     Index slot = filed.read(chunk);
//     ... enqueue transfers from the slot to the device ...
//     filed.give_back(event of the last of them);
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu_kernels/runtime/event.hpp"
#include "numeric/file/slab_file.hpp"

namespace clchol::numeric {

/// For one thread at a time.
class FiledChunks {
 public:
  /// Makes the file and reserves its space.
  /// @param bytes  bytes of each chunk: multiples of ScratchFile::kAlignment.
  /// @param calls  must outlive this object.
  /// @param watch  called for each block that was moved, as by SlabTransfers.
  /// Throws FileError, std::bad_alloc.
  FiledChunks(const std::string& directory, std::span<const Offset> bytes, const FileCalls& calls,
              SlabTransfers::Watch watch)
      : file_(directory, bytes, calls), watch_(std::move(watch)) {}

  /// Must be called once, before chunks are written or read.
  /// @param slots  address of each slot, a multiple of ScratchFile::kAlignment.  Each slot must
  ///               have room for the longest chunk.
  void set_slots(std::vector<char*> slots);
  bool has_slots() const { return !slots_.empty(); }

  // Each of the functions below throws the FileError of any chunk, DeviceError, std::bad_alloc.

  void begin_writing();
  /// Waits until the slot's earlier chunk is in the file.  Until write() is called, further calls
  /// for the same chunk return the same slot.
  /// @return the number of the slot that the caller fills with the chunk.
  Index slot_to_fill(Index chunk);
  /// Begins to write the chunk of slot_to_fill() to the file, once the event `filled` is complete.
  /// @param filled  event of the last transfer to the slot; its queue must have been flushed.
  void write(gpu::Event filled);
  /// Blocks until all chunks are in the file.
  void finish_writing();

  /// Begins to prefetch chunks in this order.
  void begin_reading(std::vector<Index> order);
  /// Blocks until the chunk is in a slot.  Skips chunks that precede it in the order.  A chunk that
  /// is not in the rest of the order begins a new order of this chunk alone.
  /// @return the number of the slot that holds the chunk until give_back().
  Index read(Index chunk);
  /// Lets the slot that read() returned last be overwritten, once `emptied` is complete.
  /// @param emptied  event of the last transfer from the slot; its queue must have been flushed.
  ///                 Empty: the slot may be overwritten at once.
  void give_back(gpu::Event emptied);

 private:
  struct Slot {
    char* place = nullptr;  // Address of the slot.
    Index chunk = kNone;    // Chunk that is filled into the slot or written from it to the file.
    // End of the last transfer from the slot to the device.  Null: none.
    std::shared_ptr<const gpu::Event> emptied;
  };

  void begin_pass();
  void read_ahead();
  Slot& slot_of(std::size_t turn) { return slots_[turn % slots_.size()]; }

  SlabFile file_;
  SlabTransfers::Watch watch_;
  std::vector<Slot> slots_;
  std::size_t turn_ = 0;      // Chunks of this pass that were written, given back or skipped.
  std::vector<Index> order_;  // Chunks in the order in which they will be read.
  std::size_t ahead_ = 0;     // Chunks of order_ whose transfer from the file has begun.
  std::unique_ptr<SlabTransfers> transfers_;
};

}  // namespace clchol::numeric
