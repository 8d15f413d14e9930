#include "base/types.hpp"

namespace clchol {

// Key functions: the classes' type information is emitted here, once in the shared library.
InvalidArgument::~InvalidArgument() = default;
OutOfMemory::~OutOfMemory() = default;
DeviceError::~DeviceError() = default;
FileError::~FileError() = default;

const char* to_string(Status status) noexcept {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kNotPositiveDefinite:
      return "not_positive_definite";
    case Status::kAccuracyNotReached:
      return "accuracy_not_reached";
    case Status::kSingular:
      return "singular";
    case Status::kInterrupted:
      return "interrupted";
  }
  return "unknown";
}

}  // namespace clchol
