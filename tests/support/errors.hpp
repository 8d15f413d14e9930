// Messages of exceptions, for tests.
#pragma once

#include <string>

namespace clchol {

/// The message of the exception of type E that f throws; "none" if f throws none.
template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "none";
}

}  // namespace clchol
