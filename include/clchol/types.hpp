// Types that the library shares with its callers: integers, the view of a dense matrix, status,
// exceptions.
//
// This is the lowest header of the project: it includes no other header of the project.  base/
// takes its types from here, and clchol.hpp hands the same types to callers.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#if defined(__GNUC__) || defined(__clang__)
#define CLCHOL_EXPORT __attribute__((visibility("default")))
#define CLCHOL_HIDDEN __attribute__((visibility("hidden")))  // Private parts of exported classes.
#else
#define CLCHOL_EXPORT
#define CLCHOL_HIDDEN
#endif

namespace clchol {

/// Type of numbers and counts of rows, columns and supernodes.  A matrix has at most 2^31 - 2 rows.
using Index = std::int32_t;
/// Type of positions and sizes in the factor, in an update matrix or in an index list.
using Offset = std::int64_t;
/// The value that means "no such index", such as the parent of a root.
inline constexpr Index kNone = -1;

/// A column-major dense matrix, not owned: nrow x ncol entries at data[i + j * ld], ld >= nrow.
/// T may be const.
template <class T>
struct DenseView {
  DenseView() = default;
  /// @param leading  leading dimension: from a column to the next, in entries.  0 means `rows`.
  DenseView(T* entries, Index rows, Index columns, Offset leading = 0)
      : data(entries), nrow(rows), ncol(columns), ld(leading == 0 ? Offset{rows} : leading) {}

  T* data = nullptr;
  Index nrow = 0;
  Index ncol = 0;
  Offset ld = 0;  ///< Leading dimension, in entries.

  T& operator()(Index i, Index j) const { return data[i + Offset{j} * ld]; }
  T* column(Index j) const { return data + Offset{j} * ld; }
  operator DenseView<const T>() const { return {data, nrow, ncol, ld}; }
};

/// How a call ended.  The exit code of the command, and `status` in its JSON, follow from this.
enum class [[nodiscard]] Status{
    kOk,                   ///< Done, to the accuracy asked for.
    kNotPositiveDefinite,  ///< A pivot was not > 0; the report names row, pivot and diagonal.
    kAccuracyNotReached,   ///< Solved, but the backward error asked for was not reached.
    kSingular,             ///< Factored, and solves work, but the estimated reciprocal condition is
                           ///< below 2 eps.
    kInterrupted,          ///< The call ended early, because *Options::cancel was true.
};

/// Returns the name of a status in lower case: "ok", "not_positive_definite", ...
CLCHOL_EXPORT const char* to_string(Status status) noexcept;

/// A bad argument or unsuitable input.  It is thrown before any work; the message names argument,
/// value and bound.
class CLCHOL_EXPORT InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
  ~InvalidArgument() override;
};

/// Not enough memory: the plan would exceed a budget (then nothing has been allocated), or an
/// allocation has failed.
class CLCHOL_EXPORT OutOfMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~OutOfMemory() override;
};

/// A device or its driver failed.  The message names the OpenCL call, the error code and the
/// device.
class CLCHOL_EXPORT DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~DeviceError() override;
};

/// A scratch file failed, or bytes that were read from it are damaged.  The message has the
/// directory, the position in the file in bytes, and the system's error text.
class CLCHOL_EXPORT FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~FileError() override;
};

}  // namespace clchol
