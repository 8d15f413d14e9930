// Exceptions in tests.
#pragma once

#include <string>

namespace clchol {

/// What a refusal or failure of type E says; "none" without one.
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
