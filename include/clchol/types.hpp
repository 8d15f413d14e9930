// The words that the library shares with its callers: integer types, status, exceptions.
//
// This is the lowest header of the project: base/ takes its types from here so that a type is
// declared once, and clchol.hpp hands the same types to callers.
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

/// Counts rows, columns, supernodes.  A matrix has at most 2^31 - 2 rows.
using Index = std::int32_t;
/// A position or a size inside the factor, an update matrix or an index list; colptr and xadj too.
using Offset = std::int64_t;
/// "No such index": a root's parent, an unset entry.
inline constexpr Index kNone = -1;

/// A column-major dense matrix, not owned: nrow x ncol entries at data[i + j * ld], ld >= nrow.
/// T may be const.
template <class T>
struct DenseView {
  DenseView() = default;
  /// @param leading  distance of neighbouring entries of a row.  0: nrow.
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

/// How a call ended.  The command's exit codes and JSON's `status` follow from it.
enum class [[nodiscard]] Status{
    kOk,                   ///< Done, to the accuracy asked for.
    kNotPositiveDefinite,  ///< A pivot was not > 0; the report names row, pivot and diagonal.
    kAccuracyNotReached,   ///< Solved, but the backward error asked for was not reached.
    kSingular,             ///< Factored, but the estimated condition is below 2 eps; solves work.
    kInterrupted,          ///< The caller's cancel flag was seen.
};

/// A short lower-case word for a status: "ok", "not_positive_definite", ...
CLCHOL_EXPORT const char* to_string(Status status) noexcept;

/// A bad argument or unsuitable input; thrown before any work, naming argument, value and bound.
class CLCHOL_EXPORT InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
  ~InvalidArgument() override;
};

/// A memory budget that the plan exceeds (predicted, nothing allocated), or a failed allocation.
class CLCHOL_EXPORT OutOfMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~OutOfMemory() override;
};

/// A device or its driver failed: call, symbolic code and device are in the message.
class CLCHOL_EXPORT DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~DeviceError() override;
};

/// A scratch file failed, or what was read from it is damaged: directory, byte and the system's
/// words are in the message.
class CLCHOL_EXPORT FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~FileError() override;
};

}  // namespace clchol
