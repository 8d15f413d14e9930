// How a run of the command ended: its exit code, JSON's `status`, and the exceptions that lead
// there.
#pragma once

#include <stdexcept>
#include <string>

#include "clchol/types.hpp"

namespace clchol::cli {

enum class Outcome {
  kOk,                   ///< Solved to the accuracy asked for.
  kUsage,                ///< Bad option, unknown device or ordering, unwritable output.
  kBadInput,             ///< Unreadable or unsuitable file.
  kNotPositiveDefinite,  ///< A pivot or a diagonal entry was not > 0.
  kOutOfMemory,          ///< Predicted, or an allocation that failed.
  kDeviceFailure,        ///< A device or its driver failed.
  kFileFailure,          ///< The scratch file failed.
  kSingular,             ///< Solved, but singular to working precision.
  kAccuracyNotReached,   ///< Solved, but not to the accuracy asked for.
  kInterrupted,          ///< SIGINT or SIGTERM.
  kInternalError,        ///< An exception that nothing above explains: a bug.
};

/// The process' exit code.
int exit_code(Outcome outcome) noexcept;

/// JSON's `status`: one lower-case word.
const char* status_word(Outcome outcome) noexcept;

/// Outcome and the one line that tells a person about it; empty when all is well.
struct Verdict {
  Outcome outcome = Outcome::kOk;
  std::string message = {};
};

/// Ends the command with a verdict of its own.
class Failure : public std::runtime_error {
 public:
  Failure(Outcome outcome, const std::string& message)
      : std::runtime_error(message), outcome_(outcome) {}
  Outcome outcome() const { return outcome_; }

 private:
  Outcome outcome_;
};

/// The verdict on the exception being handled: the one place where exceptions become exit codes.
/// To be called inside a catch block.
Verdict verdict_of_current_exception();

/// `text` on one line: control characters become blanks.
std::string one_line(const std::string& text);

}  // namespace clchol::cli
