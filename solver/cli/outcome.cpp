#include "solver/cli/outcome.hpp"

#include <exception>
#include <new>

#include "ordering/elimination/amd.hpp"
#include "solver/matrix_market.hpp"

namespace clchol::cli {

int exit_code(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::kOk:
      return 0;
    case Outcome::kInternalError:
      return 1;
    case Outcome::kUsage:
      return 2;
    case Outcome::kBadInput:
      return 3;
    case Outcome::kNotPositiveDefinite:
      return 4;
    case Outcome::kOutOfMemory:
    case Outcome::kDeviceFailure:
    case Outcome::kFileFailure:
      return 5;
    case Outcome::kSingular:
    case Outcome::kAccuracyNotReached:
      return 6;
    case Outcome::kInterrupted:
      return 7;
  }
  return 1;
}

const char* status_word(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::kOk:
      return to_string(Status::kOk);
    case Outcome::kUsage:
      return "usage";
    case Outcome::kBadInput:
      return "bad_input";
    case Outcome::kNotPositiveDefinite:
      return to_string(Status::kNotPositiveDefinite);
    case Outcome::kOutOfMemory:
      return "out_of_memory";
    case Outcome::kDeviceFailure:
      return "device_failure";
    case Outcome::kFileFailure:
      return "file_failure";
    case Outcome::kSingular:
      return to_string(Status::kSingular);
    case Outcome::kAccuracyNotReached:
      return to_string(Status::kAccuracyNotReached);
    case Outcome::kInterrupted:
      return to_string(Status::kInterrupted);
    case Outcome::kInternalError:
      break;
  }
  return "internal_error";
}

Verdict verdict_of_current_exception() {
  try {
    throw;
  } catch (const Failure& e) {
    return {e.outcome(), e.what()};
  } catch (const InvalidArgument& e) {
    return {Outcome::kBadInput, e.what()};
  } catch (const OutOfMemory& e) {
    return {Outcome::kOutOfMemory, e.what()};
  } catch (const std::bad_alloc&) {
    return {Outcome::kOutOfMemory, "out of memory: an allocation failed"};
  } catch (const std::length_error&) {
    return {Outcome::kOutOfMemory, "out of memory: an array would exceed the address space"};
  } catch (const DeviceError& e) {
    return {Outcome::kDeviceFailure, e.what()};
  } catch (const FileError& e) {
    return {Outcome::kFileFailure, e.what()};
  } catch (const solver::Interrupted&) {
    return {Outcome::kInterrupted, "interrupted"};
  } catch (const ordering::Interrupted&) {
    return {Outcome::kInterrupted, "interrupted"};
  } catch (const std::exception& e) {
    return {Outcome::kInternalError, std::string("internal error: ") + e.what()};
  } catch (...) {
    return {Outcome::kInternalError, "internal error"};
  }
}

std::string one_line(const std::string& text) {
  std::string line = text;
  while (!line.empty() && line.back() == '\n') line.pop_back();
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return line;
}

}  // namespace clchol::cli
