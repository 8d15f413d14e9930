// Tile sizes of kernels and costs of fronts, measured on devices, as data.
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

/// Of the user's files, "<cache>/tuning"; empty without a cache.
/// @param cache  default_cache_folder()
std::filesystem::path tuning_folder(const std::filesystem::path& cache);

/// All that applies to one device, best first.  Immutable; safe to use concurrently.
class Tuning {
 public:
  Tuning() = default;
  /// @param folder  of the user's files: tuning_folder(); empty: none.
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

/// Tiles of C := C - A * B' in kernels/dense/gemm.cl and kernels/dense/trsm.cl, in entries.
/// kernels/dense/product_tile.cl says what each does.
struct GemmParams {
  Index tile_m = 64;    // Rows of C that a work-group computes.
  Index tile_n = 64;    // Columns.
  Index tile_k = 8;     // Columns of A and B that lie in local memory at once.
  Index item_m = 4;     // Rows that a work-item computes; divides tile_m.
  Index item_n = 4;     // Columns; divides tile_n.
  Index warp_m = 8;     // Neighbouring work-items along rows; divides tile_m / item_m.
  Index warp_n = 4;     // Along columns; divides tile_n / item_n.
  Index vector = 2;     // Entries of a memory access: 1, 2 or 4; divides item_m and item_n.
  Index fragments = 1;  // 2: local memory is read ahead into registers.
  Index buffers = 2;    // 2: global memory is read ahead into a second k-tile.

  /// Work-items along rows and columns, and of a work-group.
  Index items_m() const { return tile_m / item_m; }
  Index items_n() const { return tile_n / item_n; }
  Index group_size() const { return items_m() * items_n(); }
  /// Local memory of tiles of A and B, in bytes.
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  /// All sizes positive and at most 1024, and dividing what they must.
  bool valid() const;
  /// "-DTILE_M=64 ...": the only place that writes these options.
  std::string build_options() const;

  /// The named values over the defaults.  May be invalid.
  static GemmParams from(const TuningParams& params);
  TuningParams to_params() const;
};

/// How tiles of a product are shared out: the first `whole` have one work-group each, the others as
/// many as slices, each with a part of k.
struct TileSlices {
  Offset whole = 0;
  Index slices = 1;
};

/// Tiles of the same products on fp64 tensor cores (kernels/dense/tensor_gemm.cl), in entries, and
/// which products they are for.  kernels/dense/tensor_product.cl says what each does.
struct TensorParams {
  Index tile_m = 64;        // Rows of C that a work-group computes.
  Index tile_n = 64;        // Columns.
  Index warps_m = 2;        // Warps of 32 work-items along rows; 16 * warps_m divides tile_m.
  Index warps_n = 2;        // Along columns; 16 * warps_n divides tile_n.
  Index tile_k = 8;         // Columns of A and B that lie in local memory at once.
  Index stages = 4;         // K-tiles there: one is multiplied, others are on their way.
  Index mma_k = 8;          // Depth of the instruction: 4, 8 or 16; divides tile_k.
  Index cached_copies = 1;  // 1: copies go through the first cache.
  Index streamed_c = 0;     // 1: C leaves the caches to A and B.
  Index registers = 0;      // Most of a work-item, so that several work-groups run at once; 0: any.
  Index strip = 8;          // Tile columns that are gone down together.
  Index least_tiles = 0;    // For products that have as many tiles of this shape,
  Index least_k = 0;        // and as many columns of A and B.
  Index resident = 3;       // Work-groups that a compute unit runs at once.
  Index slice_k = 0;        // Fewest columns of a slice of k; 0: k is not cut.

  Index group_size() const { return 32 * warps_m * warps_n; }
  /// Whether a quarter of a tile is a whole number of warps': TileShape::joins_diagonals.
  bool joins_diagonals() const { return tile_m == tile_n && warps_m % 2 == 0 && warps_n % 2 == 0; }
  /// Local memory of k-tiles, in bytes.
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  /// Whether sizes are positive and at most 1024, and divide what they must, and a work-group has
  /// at most 256 work-items.
  bool valid() const;
  /// "-DTILE_M=64 ...": the only place that writes these options.
  std::string build_options() const;
  /// For a product with k columns: slices of slice_k columns or more of those tiles that would
  /// leave a part of the device without work, if that is sooner done.
  TileSlices slices(Offset tiles, Index k, Index compute_units) const;

  /// The named values over the defaults.  May be invalid.
  static TensorParams from(const TuningParams& params);
  TuningParams to_params() const;
};

/// Shape of the panel kernel (kernels/dense/panel.cl) and of the updates between panels.
struct PanelParams {
  Index block = 64;       // Pivot columns of a step; a multiple of 8.
  Index rows = 64;        // Rows below the diagonal block that a work-group solves for.
  Index few_tiles = 264;  // Updates with fewer of gemm's tiles take the tiles of "plain_small".

  Index group_size() const { return block + rows; }
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  bool valid() const;
  /// "-DBLOCK=64 -DROWS=64"
  std::string build_options() const;

  static PanelParams from(const TuningParams& params);
  TuningParams to_params() const;
};

/// What a device allows a work-group.
struct WorkGroupLimits {
  std::uint64_t max_work_group_size = 0;
  std::uint64_t local_bytes = 0;
};

/// Whether the parameters are valid and within the limits.
bool fits(const GemmParams& params, std::size_t value_bytes, const WorkGroupLimits& limits);
bool fits(const TensorParams& params, const WorkGroupLimits& limits);

/// The best valid row for the device that fits into its limits; smaller and smaller tiles of the
/// defaults where none does.
template <class T>
GemmParams gemm_params(const Tuning& tuning, std::string_view variant,
                       const WorkGroupLimits& limits);

/// The same for the panel kernel.  At least 16 work-items are needed: with fewer the result does
/// not fit, and its launch is refused.
template <class T>
PanelParams panel_params(const Tuning& tuning, const WorkGroupLimits& limits);

}  // namespace clchol::gpu
