// Outcomes of a run of the command.  Each outcome has an exit code of the process and a word for
// the member `status` of the JSON output.  Exceptions are mapped to outcomes here.
#pragma once

#include <stdexcept>
#include <string>

#include "clchol/types.hpp"

namespace clchol::cli {

/// How a run of the command ended.
enum class Outcome {
  kOk,                   ///< Success; a solve has reached the requested accuracy.
  kUsage,                ///< Bad option, unknown device or ordering, or unwritable output.
  kBadInput,             ///< Unreadable or unsuitable file.
  kNotPositiveDefinite,  ///< A pivot or a diagonal entry was not > 0.
  kOutOfMemory,          ///< Predicted lack of memory, or a failed allocation.
  kDeviceFailure,        ///< A device or its driver failed.
  kFileFailure,          ///< The scratch file failed.
  kSingular,             ///< Solved, but the matrix is singular to working precision.
  kAccuracyNotReached,   ///< Solved, but not to the requested accuracy.
  kInterrupted,          ///< One of the signals of solver/cli/interrupt.hpp.
  kInternalError,        ///< An exception that no other outcome covers: a bug.
};

/// @return the exit code of the process.
int exit_code(Outcome outcome) noexcept;

/// @return the value of the member `status` of the JSON output: one lower-case word.
const char* status_word(Outcome outcome) noexcept;

/// Outcome of a run, with a message of one line for the user.
struct Verdict {
  Outcome outcome = Outcome::kOk;
  std::string message = {};  // Empty for kOk.
};

/// Exception that ends the command with the given outcome and message.  "Failure(kUsage)" in other
/// comments means a Failure with the outcome Outcome::kUsage.
class Failure : public std::runtime_error {
 public:
  Failure(Outcome outcome, const std::string& message)
      : std::runtime_error(message), outcome_(outcome) {}
  Outcome outcome() const { return outcome_; }

 private:
  Outcome outcome_;
};

/// Maps the exception that is being handled to an outcome and a message.  Must be called inside a
/// catch block.
Verdict verdict_of_current_exception();

/// @return `text` on one line: final line ends are removed, other control characters become blanks.
std::string one_line(const std::string& text);

}  // namespace clchol::cli
