// Tuning data in JSON files: parameters with which kernels were fastest on a device, and measured
// rates of the device, such as flops per second.
//
// A file has the data of one device and says how the data were measured:
//
//   {"format": 1, "device": "NVIDIA H200", "driver": "580.159", "date": "2026-11-22",
//    "command": "clchol tune --device 0",
//    "kernels": [{"kernel": "gemm", "variant": "plain", "precision": "double",
//                 "sizes": [2048, 8192], "params": {"tile_m": 64, ...}}, ...]}
//
// Each element of "kernels" is called a row.  When the library builds a kernel, it takes the
// parameters of the first row that has the kernel's name, variant and precision, and with which the
// device can run the kernel.  Files are searched in this order:
//
//   1. the user's file for the device, which `clchol tune` writes
//   2. the file for the device in data/tuning/, with which the library ships
//   3. data/tuning/default.json
//
// When the files have no such row, the library takes the default values of the structs below.  A
// file that cannot be parsed is ignored, and Tuning::notes() says why.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace clchol::gpu {

/// Map from the name of each parameter of a kernel to the parameter's value.
using TuningParams = std::map<std::string, Index>;

/// A row of a file: parameters for one kernel, variant and precision.
struct KernelTuning {
  std::string kernel;         // Name of the kernel: "gemm", "potrf", ...
  std::string variant;        // Name of the kernel's variant: "plain", "tensor", ...
  std::string precision;      // "double" or "single".
  std::vector<Offset> sizes;  // Orders of the matrices with which the times were measured.
  TuningParams params;        // Parameters of the kernel.
};

/// The data of one file.
struct DeviceTuning {
  std::string device;                 // Name of the device in its OpenCL driver, or "default".
  std::string driver;                 // Version of the driver.
  std::string date;                   // Date of the measurement, such as "2026-11-22".
  std::string command;                // Command that measured the data.
  std::vector<KernelTuning> kernels;  // Rows, in the order of the file.
};

/// Parses the text of a file and returns the data.  Unknown members of the JSON text are ignored.
/// Throws InvalidArgument for invalid JSON, an unknown format, a missing member or a member of the
/// wrong type.  The message says what is wrong.
DeviceTuning parse_tuning(std::string_view json);
/// Returns the text of a file that has the data of `tuning`, with each row on one line.
std::string to_json(const DeviceTuning& tuning);

/// Returns the name of a device's file, such as "nvidia-h200.json" for "NVIDIA H200": the letters
/// and digits of `device` in lower case, with one '-' in place of each sequence of other characters
/// between two letters or digits.
std::string tuning_file_name(std::string_view device);

/// Returns the folder of the user's files: "<cache>/tuning", or an empty path when `cache` is
/// empty.
/// @param cache  the library's cache folder, such as the result of default_cache_folder().
std::filesystem::path tuning_folder(const std::filesystem::path& cache);

/// The tuning data for one device, from up to three files: the user's file for the device, the
/// shipped file for the device, and default.json.  Does not change after construction, so several
/// host threads may use an object at the same time.
class Tuning {
 public:
  /// Makes an object without data.  find() then returns an empty map, so that the default values of
  /// the structs below are used.
  Tuning() = default;
  /// Reads the files for a device.
  /// @param device  name of the device in its OpenCL driver.
  /// @param folder  folder of the user's file: the result of tuning_folder().  Empty: the user's
  ///                file is ignored.
  Tuning(std::string_view device, const std::filesystem::path& folder);

  /// Returns the parameters of the first row for this kernel, variant and precision for which
  /// accept(row.params) returns true.  Returns an empty map when there is no such row.
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
  /// Returns one text for each file that could not be parsed: the file's name and the reason.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<DeviceTuning> files_;
  std::vector<std::string> notes_;
};

/// Parameters of the products C := C - A * B' in kernels/dense/gemm.cl and kernels/dense/trsm.cl.
/// kernels/dense/product_tile.cl explains the parameters.  A tile is the block of C that a
/// work-group computes.  A k-tile is the columns of A and B that one step of the kernel's loop
/// multiplies.  The work-items of a work-group form a grid of items_m() x items_n() over the tile
/// of C.  Consecutive work-items form blocks of warp_m x warp_n in this grid, so that the
/// work-items of a warp read few different entries of A and B.
struct GemmParams {
  Index tile_m = 64;    // Rows of C that a work-group computes.
  Index tile_n = 64;    // Columns of C that a work-group computes.
  Index tile_k = 8;     // Columns of A and B in a k-tile.
  Index item_m = 4;     // Rows of C that a work-item computes; divides tile_m.
  Index item_n = 4;     // Columns of C that a work-item computes; divides tile_n.
  Index warp_m = 8;     // Height of a block of work-items, in work-items; divides items_m().
  Index warp_n = 4;     // Width of a block of work-items, in work-items; divides items_n().
  Index vector = 2;     // Entries in one memory access: 1, 2 or 4; divides item_m and item_n.
  Index fragments = 1;  // 1: no prefetch.  2: prefetch from local memory into registers.
  Index buffers = 2;    // 1: no prefetch.  2: prefetch from global memory into a second k-tile.

  /// Returns the number of work-items among which the rows of a tile are divided.
  Index items_m() const { return tile_m / item_m; }
  /// Returns the number of work-items among which the columns of a tile are divided.
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

  /// Returns the default parameters, overwritten by those in `params`.  The result may be not
  /// valid().
  static GemmParams from(const TuningParams& params);
  /// Returns the names and values of all parameters.
  TuningParams to_params() const;
};

/// Division of a list of tiles of C into whole tiles and sliced tiles.  One work-group computes a
/// whole tile.  Several work-groups compute a sliced tile: each work-group multiplies one slice, a
/// range of the columns of A and B.
struct TileSlices {
  Offset whole = 0;  // Number of whole tiles.  They come first in the list.
  // Number of slices of each sliced tile.  The sliced tiles are all tiles after the first `whole`
  // tiles of the list.  1: no tile is sliced, and `whole` has no meaning.
  Index slices = 1;
};

/// Parameters of products on fp64 tensor cores (kernels/dense/tensor_gemm.cl), and conditions on
/// the products for which the parameters are good.  kernels/dense/tensor_product.cl explains the
/// parameters.  A warp is 32 work-items.  A tile is the block of C that a work-group computes, and
/// a k-tile is the columns of A and B that one step of the kernel's loop multiplies.  The warps of
/// a work-group form a grid of warps_m x warps_n over the tile of C, and each warp computes the
/// entries of C in its cell of the grid.
struct TensorParams {
  Index tile_m = 64;        // Rows of C that a work-group computes.
  Index tile_n = 64;        // Columns of C that a work-group computes.
  Index warps_m = 2;        // Rows of warps in the grid; 16 * warps_m divides tile_m.
  Index warps_n = 2;        // Columns of warps in the grid; 16 * warps_n divides tile_n.
  Index tile_k = 8;         // Columns of A and B in a k-tile.
  Index stages = 4;         // K-tiles in local memory, 3 or more: one in use, the rest prefetched.
  Index mma_k = 8;          // Columns of A and B in one instruction: 4, 8 or 16; divides tile_k.
  Index cached_copies = 1;  // Whether copies to local memory use the first-level cache: 1 or 0.
  // Whether loads and stores of C avoid evicting A and B from the caches: 1 or 0.
  Index streamed_c = 0;
  // Greatest number of registers that the compiler gives a work-item.  A limit lets more
  // work-groups run at the same time.  0: no limit.
  Index registers = 0;
  // Width, in tiles, of the bands of C.  The list of tiles takes one band after another
  // (TileShape::tile_columns, gpu_kernels/dense/product_list.hpp).
  Index tile_columns = 8;
  Index least_tiles = 0;  // The parameters are for products whose C has at least this many tiles.
  // The parameters are for products in which A and B have at least this number of columns.
  Index least_k = 0;
  Index resident = 3;  // Number of work-groups that a compute unit runs at the same time.
  Index slice_k = 0;   // Least number of columns of A and B in a slice.  0: no slices.

  /// Returns the number of work-items of a work-group.
  Index work_group_size() const { return 32 * warps_m * warps_n; }
  /// Returns the value for TileShape::joins_diagonals (gpu_kernels/dense/product_list.hpp): whether
  /// three work-groups can compute four diagonal tiles.  This is so if tiles are square, and all
  /// entries that a warp computes are in one quarter of the tile.
  bool joins_diagonals() const { return tile_m == tile_n && warps_m % 2 == 0 && warps_n % 2 == 0; }
  /// Returns the bytes of local memory of a work-group.
  /// @param value_bytes  bytes of a matrix entry: 8.
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  /// Returns whether the kernel can be built and launched with these parameters.  The parameters
  /// must meet the conditions in their comments; a work-group must have at most 256 work-items; and
  /// all work-items together must copy a k-tile by whole columns (tuning.cpp has all conditions).
  bool valid() const;
  /// Returns the compiler options that define the kernel's parameters as macros:
  /// "-DTILE_M=64 ...".
  std::string build_options() const;
  /// Returns the division of a product's tiles into whole and sliced tiles.  The device runs
  /// r = compute_units * resident work-groups at the same time.  As whole tiles, the last
  /// (tiles mod r) tiles would occupy only a part of the device.  These tiles are sliced if the
  /// predicted time then decreases; a slice has at least slice_k columns.
  /// @param tiles          number of tiles of the product.
  /// @param k              number of columns of A and B.
  /// @param compute_units  number of compute units of the device.
  TileSlices slices(Offset tiles, Index k, Index compute_units) const;

  /// Returns the default parameters, overwritten by those in `params`.  The result may be not
  /// valid().
  static TensorParams from(const TuningParams& params);
  /// Returns the names and values of all parameters.
  TuningParams to_params() const;
};

/// Parameters of the kernel that factors panels (kernels/dense/panel.cl).  The launches of this
/// kernel alternate with launches of gemm, for which few_tiles chooses large or small tiles.
struct PanelParams {
  Index block = 64;  // Pivot columns of each front that one launch factors; a multiple of 8.
  Index rows = 64;   // Rows below the diagonal block that one work-group solves for.
  // A launch of gemm uses large tiles (gemm's variant "plain") if it then has at least this number
  // of tiles.  Otherwise it uses small tiles (gemm's variant "plain_small").
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

  /// Returns the default parameters, overwritten by those in `params`.  The result may be not
  /// valid().
  static PanelParams from(const TuningParams& params);
  /// Returns the names and values of all parameters.
  TuningParams to_params() const;
};

/// Limits of a device on the size of a work-group.
struct WorkGroupLimits {
  std::uint64_t max_work_group_size = 0;  // Greatest number of work-items of a work-group.
  std::uint64_t local_bytes = 0;          // Greatest size of a work-group's local memory in bytes.
};

/// Returns whether the parameters are valid() and a work-group of the kernel is within the limits.
/// @param value_bytes  bytes of a matrix entry: 8 or 4.
bool fits(const GemmParams& params, std::size_t value_bytes, const WorkGroupLimits& limits);
/// Returns whether the parameters are valid() and a work-group of the kernel is within the limits.
bool fits(const TensorParams& params, const WorkGroupLimits& limits);

/// Returns the parameters for kernel "gemm", this variant and the precision of T: the parameters of
/// the first row for which fits() returns true.  When there is no such row, starts from the default
/// parameters and halves all parameters (but none below 1) until fits() returns true.  T is double
/// or float.
template <class T>
GemmParams gemm_params(const Tuning& tuning, std::string_view variant,
                       const WorkGroupLimits& limits);

/// Returns the parameters of the panel kernel (kernel "potrf", variant "plain") for the precision
/// of T: the parameters of the first row that are valid() and with which a work-group is within the
/// limits.  When there is no such row, returns the default parameters with block and rows halved as
/// often as needed to be within the limits.  The kernel needs at least 16 work-items: if the device
/// allows fewer work-items, the result exceeds the limits, and a launch with these parameters
/// throws InvalidArgument.  T is double or float.
template <class T>
PanelParams panel_params(const Tuning& tuning, const WorkGroupLimits& limits);

}  // namespace clchol::gpu
