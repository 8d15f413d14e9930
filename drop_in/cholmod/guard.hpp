// How exceptions become CHOLMOD's statuses.
#pragma once

#include <exception>
#include <new>

#include "drop_in/cholmod/real_library.hpp"
#include "drop_in/environment.hpp"

namespace clchol::drop_in {

inline constexpr const char* kLibrary = "clchol_cholmod";

/// Runs `work` and returns its result.  Memory that does not suffice sets common->status to
/// CHOLMOD_OUT_OF_MEMORY, and zero is returned.  After any other exception, CHOLMOD does the work:
/// the result of `otherwise` is returned.
template <class Int, class Work, class Otherwise>
auto guarded(cholmod_common* common, Work work, Otherwise otherwise) -> decltype(work()) {
  try {
    return work();
  } catch (const OutOfMemory& error) {
    report<Int>(CHOLMOD_OUT_OF_MEMORY, error.what(), common);
  } catch (const std::bad_alloc&) {
    report<Int>(CHOLMOD_OUT_OF_MEMORY, "out of memory", common);
  } catch (const std::exception& error) {
    say(kLibrary, std::string("CHOLMOD does what clchol does not: ") + error.what());
    return otherwise();
  }
  return {};
}

}  // namespace clchol::drop_in
