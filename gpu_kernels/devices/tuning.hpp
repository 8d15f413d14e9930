// Tuning data: parameters of kernels and rates that were measured on devices, in JSON files.
//
// A file has the data of one device, and says how they were measured:
//
//   {"format": 1, "device": "NVIDIA H200", "driver": "580.159", "date": "2026-11-22",
//    "command": "clchol tune --device 0",
//    "kernels": [{"kernel": "gemm", "variant": "plain", "precision": "double",
//                 "sizes": [2048, 8192], "params": {"tile_m": 64, ...}}, ...]}
//
// The parameters of each kernel are looked up in the user's file for the device (written by
// `clchol tune`), then in the shipped file for the device (data/tuning/), then in
// data/tuning/default.json.  When no file has them, the structs' default values apply.  A file that
// cannot be parsed counts as absent, and Tuning::notes() says why.  Rows that do not fit the device
// are skipped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace clchol::gpu {

/// Values of a kernel's parameters, by the parameters' names.
using TuningParams = std::map<std::string, Index>;

/// Parameters for one kernel, variant and precision: a row of a file.
struct KernelTuning {
  std::string kernel;
  std::string variant;        // "plain", "mma", ...
  std::string precision;      // "double", "single"
  std::vector<Offset> sizes;  // Orders of the matrices that were measured.
  TuningParams params;
};

/// The data of one file.
struct DeviceTuning {
  std::string device;  // Name that the driver gives the device, or "default".
  std::string driver;
  std::string date;     // "2026-11-22"
  std::string command;  // Command that measured the data.
  std::vector<KernelTuning> kernels;
};

/// Parses the text of a file.  Unknown members are ignored.  Throws InvalidArgument, which says
/// what is wrong.
DeviceTuning parse_tuning(std::string_view json);
/// Returns the text of a file, with one row of `kernels` per line.
std::string to_json(const DeviceTuning& tuning);

/// Returns a device's file name, such as "nvidia-h200.json": letters and digits in lower case, with
/// one '-' for any other characters between them.
std::string tuning_file_name(std::string_view device);

/// Returns the folder of the user's files, "<cache>/tuning"; empty when `cache` is empty.
/// @param cache  default_cache_folder()
std::filesystem::path tuning_folder(const std::filesystem::path& cache);

/// The files that apply to one device, in the order of the lookup.  Immutable; safe to use
/// concurrently.
class Tuning {
 public:
  Tuning() = default;
  /// @param device  name that the driver gives the device.
  /// @param folder  tuning_folder(), or empty to ignore the user's files.
  Tuning(std::string_view device, const std::filesystem::path& folder);

  /// Returns the parameters of the first row for this kernel, variant and precision for which
  /// accept(row.params) holds, or no parameters.
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
  /// Why files could not be used, one text per file, for reports.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<DeviceTuning> files_;
  std::vector<std::string> notes_;
};

/// Parameters of products C := C - A * B' in kernels/dense/gemm.cl and kernels/dense/trsm.cl.
/// kernels/dense/product_tile.cl explains them.
struct GemmParams {
  Index tile_m = 64;    // Rows of C that a work-group computes.
  Index tile_n = 64;    // Columns of C that a work-group computes.
  Index tile_k = 8;     // Columns of A and B in a k-tile in local memory.
  Index item_m = 4;     // Rows of C that a work-item computes; divides tile_m.
  Index item_n = 4;     // Columns of C that a work-item computes; divides tile_n.
  Index warp_m = 8;     // Rows of a block of consecutive work-items; divides tile_m / item_m.
  Index warp_n = 4;     // Columns of a block of consecutive work-items; divides tile_n / item_n.
  Index vector = 2;     // Entries of a memory access: 1, 2 or 4; divides item_m and item_n.
  Index fragments = 1;  // 2: prefetch from local memory into registers.
  Index buffers = 2;    // 2: prefetch from global memory into a second k-tile.

  /// Work-items of a work-group along rows.
  Index items_m() const { return tile_m / item_m; }
  /// Work-items of a work-group along columns.
  Index items_n() const { return tile_n / item_n; }
  /// Work-items of a work-group.
  Index work_group_size() const { return items_m() * items_n(); }
  /// Bytes of local memory for the k-tiles of A and B.
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  /// Whether each parameter is positive, at most 1024, and in the stated relations to others.
  bool valid() const;
  /// Returns "-DTILE_M=64 ...".  No other function writes these options.
  std::string build_options() const;

  /// Returns the defaults, overwritten by the named values.  The result may be invalid.
  static GemmParams from(const TuningParams& params);
  TuningParams to_params() const;
};

/// How work-groups share the tiles of a product.
struct TileSlices {
  Offset whole = 0;  // The first `whole` tiles have one work-group each.
  Index slices = 1;  // Work-groups of each later tile; each takes a part of A's and B's columns.
};

/// Parameters of products on fp64 tensor cores (kernels/dense/tensor_gemm.cl), and the products
/// that they are for.  kernels/dense/tensor_product.cl explains them.
struct TensorParams {
  Index tile_m = 64;        // Rows of C that a work-group computes.
  Index tile_n = 64;        // Columns of C that a work-group computes.
  Index warps_m = 2;        // Warps of 32 work-items along rows; 16 * warps_m divides tile_m.
  Index warps_n = 2;        // Warps along columns; 16 * warps_n divides tile_n.
  Index tile_k = 8;         // Columns of A and B in a k-tile.
  Index stages = 4;         // K-tiles in local memory: one is multiplied, others are prefetched.
  Index mma_k = 8;          // Columns of A and B of one instruction: 4, 8 or 16; divides tile_k.
  Index cached_copies = 1;  // 1: copies go through the first-level cache.
  Index streamed_c = 0;     // 1: accesses to C evict nothing of A and B from the caches.
  Index registers = 0;      // Most registers of a work-item, for more work-groups at once; 0: any.
  Index tile_columns = 8;   // Columns of tiles that are listed together: TileShape::tile_columns.
  Index least_tiles = 0;    // Fewest tiles of a product that these parameters are for.
  Index least_k = 0;        // Fewest columns of A and B that these parameters are for.
  Index resident = 3;       // Work-groups that run on a compute unit at once.
  Index slice_k = 0;        // Fewest columns of A and B in a slice; 0: tiles have one slice.

  /// Work-items of a work-group.
  Index work_group_size() const { return 32 * warps_m * warps_n; }
  /// Whether each warp computes entries of one quarter of the tile: TileShape::joins_diagonals.
  bool joins_diagonals() const { return tile_m == tile_n && warps_m % 2 == 0 && warps_n % 2 == 0; }
  /// Bytes of local memory of a work-group.
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  /// Whether each parameter is at most 1024, in its range, and in the stated relations to others,
  /// and a work-group has at most 256 work-items.
  bool valid() const;
  /// Returns "-DTILE_M=64 ...".  No other function writes these options.
  std::string build_options() const;
  /// Chooses how work-groups share the tiles of a product.  Tiles that would leave a part of the
  /// device idle get slices of slice_k columns or more, if the product then takes less time.
  /// @param k  columns of A and B.
  TileSlices slices(Offset tiles, Index k, Index compute_units) const;

  /// Returns the defaults, overwritten by the named values.  The result may be invalid.
  static TensorParams from(const TuningParams& params);
  TuningParams to_params() const;
};

/// Parameters of the panel kernel (kernels/dense/panel.cl) and of the products between its steps.
struct PanelParams {
  Index block = 64;       // Pivot columns of a step; a multiple of 8.
  Index rows = 64;        // Rows below the diagonal block that a work-group solves for.
  Index few_tiles = 264;  // Launches with fewer tiles of "plain" have tiles of "plain_small".

  /// Work-items of a work-group.
  Index work_group_size() const { return block + rows; }
  /// Bytes of local memory of a work-group.
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  bool valid() const;
  /// Returns "-DBLOCK=64 -DROWS=64".
  std::string build_options() const;

  static PanelParams from(const TuningParams& params);
  TuningParams to_params() const;
};

/// A device's limits for a work-group.
struct WorkGroupLimits {
  std::uint64_t max_work_group_size = 0;  // Work-items.
  std::uint64_t local_bytes = 0;          // Bytes of local memory.
};

/// Whether the parameters are valid and a work-group is within the limits.
bool fits(const GemmParams& params, std::size_t value_bytes, const WorkGroupLimits& limits);
bool fits(const TensorParams& params, const WorkGroupLimits& limits);

/// Returns the parameters of the first row for gemm that is valid and fits the limits.  When there
/// is none, the defaults are halved until they fit.
template <class T>
GemmParams gemm_params(const Tuning& tuning, std::string_view variant,
                       const WorkGroupLimits& limits);

/// Returns the parameters of the first row for the panel kernel that is valid and fits the limits.
/// When there is none, the defaults are halved until they fit.  The kernel needs 16 work-items: on
/// a device that allows fewer, the result does not fit, and a launch throws.
template <class T>
PanelParams panel_params(const Tuning& tuning, const WorkGroupLimits& limits);

}  // namespace clchol::gpu
