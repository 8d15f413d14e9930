// A program of someone who has nothing of clchol but the installed headers and the library.
#if __has_include(<clchol/clchol.hpp>)
#include <clchol/clchol.hpp>
#else
#include <clchol/types.hpp>
#endif

#include <cstdio>
#include <string>

int main() {
  // An exception type is one type on both sides of the library's boundary.
  try {
    throw clchol::InvalidArgument("n is -1, must be at least 1");
  } catch (const std::invalid_argument&) {
    const std::string word = clchol::to_string(clchol::Status::kOk);
    std::printf("%s\n", word.c_str());
    return word == "ok" ? 0 : 1;
  }
}
