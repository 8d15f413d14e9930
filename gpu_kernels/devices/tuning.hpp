// Tuning data in JSON files: the best parameters of kernels, and rates such as flops per second, as
// measured on devices.
//
// A file has the data of one device and says how the data were measured:
//
//   {"format": 1, "device": "NVIDIA H200", "driver": "580.159", "date": "2026-11-22",
//    "command": "clchol tune --device 0",
//    "kernels": [{"kernel": "gemm", "variant": "plain", "precision": "double",
//                 "sizes": [2048, 8192], "params": {"tile_m": 64, ...}}, ...]}
//
// Each element of "kernels" is called a row.  The parameters of a kernel are those of the first row
// for this kernel that suits the device, in this order of files:
//
//   1. the user's file for the device, which `clchol tune` writes
//   2. the file for the device that the library ships with, in data/tuning/
//   3. data/tuning/default.json
//
// When no file has such a row, the default values of the structs below apply.  A file that cannot
// be parsed is ignored, and Tuning::notes() says why.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace clchol::gpu {

/// Maps the names of a kernel's parameters to their values.
using TuningParams = std::map<std::string, Index>;

/// A row of a file: parameters for one kernel, variant and precision.
struct KernelTuning {
  std::string kernel;         // "gemm", "potrf", ...
  std::string variant;        // "plain", "tensor", ...
  std::string precision;      // "double" or "single".
  std::vector<Offset> sizes;  // Orders of the matrices with which the parameters were measured.
  TuningParams params;
};

/// The data of one file.
struct DeviceTuning {
  std::string device;   // Name of the device in its OpenCL driver, or "default".
  std::string driver;   // Version of the driver.
  std::string date;     // Date of the measurement, such as "2026-11-22".
  std::string command;  // Command that measured the data.
  std::vector<KernelTuning> kernels;
};

/// Parses the text of a file.  Unknown members are ignored.  Throws InvalidArgument for invalid
/// JSON, an unknown format or a missing member, and says what is wrong.
DeviceTuning parse_tuning(std::string_view json);
/// Returns the text of a file, with one row of `kernels` per line.
std::string to_json(const DeviceTuning& tuning);

/// Returns the name of a device's file, such as "nvidia-h200.json" for "NVIDIA H200": the letters
/// and digits of `device` in lower case, with one '-' for each run of other characters in between.
std::string tuning_file_name(std::string_view device);

/// Returns the folder of the user's files: "<cache>/tuning", or an empty path when `cache` is
/// empty.
/// @param cache  the library's cache folder, such as default_cache_folder().
std::filesystem::path tuning_folder(const std::filesystem::path& cache);

/// The tuning data that apply to one device: the user's file, the shipped file for the device, and
/// default.json.  Immutable after construction, and safe to use concurrently.
class Tuning {
 public:
  /// Without data: default values apply to all kernels.
  Tuning() = default;
  /// Reads the files for a device.
  /// @param device  name of the device in its OpenCL driver.
  /// @param folder  tuning_folder(), or empty to ignore the user's file.
  Tuning(std::string_view device, const std::filesystem::path& folder);

  /// Returns the parameters of the first row for this kernel, variant and precision for which
  /// accept(row.params) is true.  Returns an empty map when there is no such row.
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
  /// Returns the data of the files that could be parsed, in the order in which find() searches
  /// them.
  const std::vector<DeviceTuning>& files() const { return files_; }
  /// Returns, for each file that could not be parsed, a text for reports that says why.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<DeviceTuning> files_;
  std::vector<std::string> notes_;
};

/// Parameters of the products C := C - A * B' in kernels/dense/gemm.cl and kernels/dense/trsm.cl.
/// kernels/dense/product_tile.cl explains them.  Consecutive work-items form blocks of
/// warp_m x warp_n, so that a warp reads few different entries of A and B.
struct GemmParams {
  Index tile_m = 64;    // Rows of C that a work-group computes.
  Index tile_n = 64;    // Columns of C that a work-group computes.
  Index tile_k = 8;     // Columns of A and B in a k-tile.
  Index item_m = 4;     // Rows of C that a work-item computes; divides tile_m.
  Index item_n = 4;     // Columns of C that a work-item computes; divides tile_n.
  Index warp_m = 8;     // Rows of work-items in a block of work-items; divides items_m().
  Index warp_n = 4;     // Columns of work-items in a block of work-items; divides items_n().
  Index vector = 2;     // Entries in one memory access: 1, 2 or 4; divides item_m and item_n.
  Index fragments = 1;  // 1: no prefetch.  2: prefetch from local memory into registers.
  Index buffers = 2;    // 1: no prefetch.  2: prefetch from global memory into a second k-tile.

  /// Returns the work-items of a work-group along the rows of C.
  Index items_m() const { return tile_m / item_m; }
  /// Returns the work-items of a work-group along the columns of C.
  Index items_n() const { return tile_n / item_n; }
  /// Returns the number of work-items of a work-group.
  Index work_group_size() const { return items_m() * items_n(); }
  /// Returns the bytes of local memory of a work-group.
  /// @param value_bytes  bytes of a matrix entry: 8 or 4.
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  /// Returns whether each parameter is from 1 to 1024 and meets the conditions in its comment.
  bool valid() const;
  /// Returns the compiler options that define the parameters as macros: "-DTILE_M=64 ...".
  std::string build_options() const;

  /// Returns the default parameters, overwritten by the values in `params`.  The result may be
  /// invalid.
  static GemmParams from(const TuningParams& params);
  TuningParams to_params() const;
};

/// Says which tiles of C one work-group computes alone, and which tiles several work-groups share.
struct TileSlices {
  Offset whole = 0;  // Number of tiles, from the first on, that have one work-group each.
  Index slices = 1;  // Number of work-groups of each later tile.  Each work-group multiplies a part
                     // (slice) of the columns of A and B.
};

/// Parameters of products on fp64 tensor cores (kernels/dense/tensor_gemm.cl), and which products
/// they suit.  kernels/dense/tensor_product.cl explains them.
struct TensorParams {
  Index tile_m = 64;        // Rows of C that a work-group computes.
  Index tile_n = 64;        // Columns of C that a work-group computes.
  Index warps_m = 2;        // Warps of 32 work-items along rows of C; 16 * warps_m divides tile_m.
  Index warps_n = 2;        // Warps along columns of C; 16 * warps_n divides tile_n.
  Index tile_k = 8;         // Columns of A and B in a k-tile.
  Index stages = 4;         // K-tiles in local memory, 3 or more; all but one are prefetched.
  Index mma_k = 8;          // Columns of A and B in one instruction: 4, 8 or 16; divides tile_k.
  Index cached_copies = 1;  // 1: copies to local memory go through the first-level cache.
  Index streamed_c = 0;     // 1: loads and stores of C do not evict A and B from the caches.
  // Greatest number of registers of a work-item, so that more work-groups can run at once.  0: no
  // limit.
  Index registers = 0;
  Index tile_columns = 8;  // Order of the list of tiles: TileShape::tile_columns.
  Index least_tiles = 0;   // The parameters suit products with at least this many tiles.
  Index least_k = 0;   // The parameters suit products with at least this many columns of A and B.
  Index resident = 3;  // Work-groups that a compute unit runs at the same time.
  Index slice_k = 0;   // Least number of columns of A and B in a slice.  0: no slices.

  /// Returns the number of work-items of a work-group.
  Index work_group_size() const { return 32 * warps_m * warps_n; }
  /// Returns TileShape::joins_diagonals for these parameters: whether tiles are square, and each
  /// warp computes entries of only one quarter of a tile.
  bool joins_diagonals() const { return tile_m == tile_n && warps_m % 2 == 0 && warps_n % 2 == 0; }
  /// Returns the bytes of local memory of a work-group.
  /// @param value_bytes  bytes of a matrix entry: 8.
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  /// Returns whether the kernel can be built and launched with these parameters.  For example, a
  /// work-group must have at most 256 work-items.
  bool valid() const;
  /// Returns the compiler options that define the kernel's parameters as macros:
  /// "-DTILE_M=64 ...".
  std::string build_options() const;
  /// Returns how work-groups should share the tiles of a product.  The device runs
  /// compute_units * resident work-groups at a time.  If the number of tiles is not a multiple of
  /// this, the last tiles, which occupy only a part of the device, are divided into slices of at
  /// least slice_k columns, provided that the predicted time decreases.
  /// @param tiles          number of tiles of the product.
  /// @param k              columns of A and B.
  /// @param compute_units  compute units of the device.
  TileSlices slices(Offset tiles, Index k, Index compute_units) const;

  /// Returns the default parameters, overwritten by the values in `params`.  The result may be
  /// invalid.
  static TensorParams from(const TuningParams& params);
  TuningParams to_params() const;
};

/// Parameters of the kernel that factors panels (kernels/dense/panel.cl), and of the choice between
/// two tile sizes for the products between its launches.
struct PanelParams {
  Index block = 64;  // Pivot columns that one launch factors in each front; a multiple of 8.
  Index rows = 64;   // Rows below the diagonal block that one work-group solves for.
  // Least number of tiles in a launch of gemm with large tiles (gemm's variant "plain").  A launch
  // that would have fewer large tiles uses small tiles (variant "plain_small") instead.
  Index few_tiles = 264;

  /// Returns the number of work-items of a work-group.
  Index work_group_size() const { return block + rows; }
  /// Returns the bytes of local memory of a work-group.
  /// @param value_bytes  bytes of a matrix entry: 8 or 4.
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  /// Returns whether block and rows are from 1 to 1024, block is a multiple of 8, and few_tiles is
  /// not negative.
  bool valid() const;
  /// Returns the compiler options that define block and rows as macros: "-DBLOCK=64 -DROWS=64".
  std::string build_options() const;

  /// Returns the default parameters, overwritten by the values in `params`.  The result may be
  /// invalid.
  static PanelParams from(const TuningParams& params);
  TuningParams to_params() const;
};

/// What a device allows a work-group.
struct WorkGroupLimits {
  std::uint64_t max_work_group_size = 0;  // Greatest number of work-items.
  std::uint64_t local_bytes = 0;          // Greatest size of local memory in bytes.
};

/// Returns whether the parameters are valid() and a work-group is within the limits.
/// @param value_bytes  bytes of a matrix entry: 8 or 4.
bool fits(const GemmParams& params, std::size_t value_bytes, const WorkGroupLimits& limits);
bool fits(const TensorParams& params, const WorkGroupLimits& limits);

/// Returns the parameters of the first row for gemm, this variant and the precision of T that are
/// valid and fit the limits.  When there is no such row, returns the default parameters, all halved
/// as often as needed to fit.  T is double or float.
template <class T>
GemmParams gemm_params(const Tuning& tuning, std::string_view variant,
                       const WorkGroupLimits& limits);

/// Returns the parameters of the first row for the panel kernel ("potrf", "plain") and the
/// precision of T that are valid and fit the limits.  When there is no such row, returns the
/// default parameters with block and rows halved as often as needed to fit.  The kernel needs at
/// least 16 work-items: on a device that allows fewer, the result does not fit, and its launch
/// throws InvalidArgument.  T is double or float.
template <class T>
PanelParams panel_params(const Tuning& tuning, const WorkGroupLimits& limits);

}  // namespace clchol::gpu
