// Tile sizes of kernels, measured on devices, as data.
//
// A file holds what was found for one device, and where it comes from:
//
//   {"format": 1, "device": "NVIDIA H200", "driver": "580.159", "date": "2026-11-22",
//    "command": "clchol tune --device 0",
//    "kernels": [{"kernel": "gemm", "variant": "plain", "precision": "double",
//                 "sizes": [2048, 8192], "params": {"tile_m": 64, ...}}, ...]}
//
// Parameters are looked up in the user's file for the device (written by `clchol tune`), then in
// the shipped one (data/tuning/), then in data/tuning/default.json, then in the structs' own
// values; each kernel for itself.  A file or row that cannot be used counts as absent, and notes()
// says why.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace clchol::gpu {

/// Values of a kernel's parameters by name.
using TuningParams = std::map<std::string, Index>;

/// What was found for one kernel, variant and precision.
struct KernelTuning {
  std::string kernel;
  std::string variant;        // "plain", "mma", ...
  std::string precision;      // "double", "single"
  std::vector<Offset> sizes;  // Orders that it was measured at.
  TuningParams params;
};

/// One file.
struct DeviceTuning {
  std::string device;  // As the driver names it, or "default".
  std::string driver;
  std::string date;     // "2026-11-22"
  std::string command;  // That measured it.
  std::vector<KernelTuning> kernels;
};

/// Throws InvalidArgument naming what is wrong; unknown members are left aside.
DeviceTuning parse_tuning(std::string_view json);
/// The file's text, one kernel a line.
std::string to_json(const DeviceTuning& tuning);

/// "nvidia-h200.json": letters and digits in lower case, '-' for everything between them.
std::string tuning_file_name(std::string_view device);

/// All that applies to one device, best first.  Immutable; safe to use concurrently.
class Tuning {
 public:
  Tuning() = default;
  /// @param folder  of the user's files, "<default_cache_folder()>/tuning"; empty: none.
  Tuning(std::string_view device, const std::filesystem::path& folder);

  /// The best row for this kernel, variant and precision that `accept` takes, or no parameters.
  template <class Accept>
  TuningParams find(std::string_view kernel, std::string_view variant, std::string_view precision,
                    const Accept& accept) const {
    for (const DeviceTuning& file : files_) {
      for (const KernelTuning& row : file.kernels) {
        if (row.kernel == kernel && row.variant == variant && row.precision == precision &&
            accept(row.params)) {
          return row.params;
        }
      }
    }
    return {};
  }
  const std::vector<DeviceTuning>& files() const { return files_; }
  /// Why files were left aside: for reports.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<DeviceTuning> files_;
  std::vector<std::string> notes_;
};

/// Tiles of C := C - A * B' in kernels/gemm.cl, in entries.
struct GemmParams {
  Index tile_m = 64;  // Rows of C that a work-group computes.
  Index tile_n = 64;  // Columns.
  Index tile_k = 16;  // Columns of A and B that lie in local memory at once.
  Index item_m = 4;   // Rows that a work-item computes; divides tile_m.
  Index item_n = 4;   // Columns; divides tile_n.

  /// Work-items of a work-group.
  Index group_size() const { return (tile_m / item_m) * (tile_n / item_n); }
  /// Local memory of tiles of A and B, in bytes.
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  /// All sizes positive and at most 1024, items dividing tiles.
  bool valid() const;
  /// "-DTILE_M=64 ...": the only place that writes these options.
  std::string build_options() const;

  /// The named values over the defaults.  May be invalid.
  static GemmParams from(const TuningParams& params);
  TuningParams to_params() const;
};

/// What a device allows a work-group.
struct GroupLimits {
  std::uint64_t max_work_group_size = 0;
  std::uint64_t local_bytes = 0;
};

/// The best valid row for the device that fits into its limits; smaller and smaller tiles of the
/// defaults where none does.
template <class T>
GemmParams gemm_params(const Tuning& tuning, std::string_view variant, const GroupLimits& limits);

}  // namespace clchol::gpu
