// Slabs of panels that leave host memory too: chunk by chunk they go through slots of host memory
// to a scratch file, and come back.
//
// A factorization fills one slot after another.  A slot is written to the file when the transfers
// from the device to it have ended:
//
//   filed.begin_writing();
//   for each chunk:
//     Index slot = filed.slot_to_fill(chunk);
//     ... enqueue transfers from the device to the slot ...
//     filed.write(event of the last of them);
//   filed.finish_writing();
//
// A solve takes chunks in an order that it tells beforehand: they are read ahead, as many as there
// are slots.
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
  /// Reserves the file.
  /// @param bytes  of each chunk: multiples of ScratchFile::kAlignment.
  /// @param calls  outlives the object.
  /// @param watch  as of SlabTransfers.
  /// Throws FileError, std::bad_alloc.
  FiledChunks(const std::string& directory, std::span<const Offset> bytes, const FileCalls& calls,
              SlabTransfers::Watch watch)
      : file_(directory, bytes, calls), watch_(std::move(watch)) {}

  /// Before the rest, once.
  /// @param slots  where each begins, as long as the longest chunk and aligned as ScratchFile wants
  ///               it.
  void set_slots(std::vector<char*> slots);
  bool has_slots() const { return !slots_.empty(); }

  // Each of what follows throws the FileError of any chunk, DeviceError, std::bad_alloc.

  void begin_writing();
  /// Waits for the chunk that was in the slot before.  The same slot until write().
  Index slot_to_fill(Index chunk);
  /// @param filled  its queue has been flushed.
  void write(gpu::Event filled);
  /// Returns when all chunks are in the file.
  void finish_writing();

  void begin_reading(std::vector<Index> order);
  /// Waits until the chunk is in its slot.  Chunks of the order before this one are passed over; a
  /// chunk that is not in the order begins another order.
  Index read(Index chunk);
  /// @param emptied  of the chunk that was read last; its queue has been flushed.  Empty: at once.
  void give_back(gpu::Event emptied);

 private:
  struct Slot {
    char* place = nullptr;
    Index chunk = kNone;  // The chunk that is being written to the file from this slot.
    std::shared_ptr<const gpu::Event> emptied;
  };

  void begin_pass();
  void read_ahead();
  Slot& slot_of(std::size_t turn) { return slots_[turn % slots_.size()]; }

  SlabFile file_;
  SlabTransfers::Watch watch_;
  std::vector<Slot> slots_;
  std::size_t turn_ = 0;      // Chunks that have been written, or given back.
  std::vector<Index> order_;  // Chunks to be read,
  std::size_t ahead_ = 0;     // and how many of them are or have been under way.
  std::unique_ptr<SlabTransfers> transfers_;
};

}  // namespace clchol::numeric
