// A global C++ locale with a decimal comma and groups of thousands: 1.234.567,5.
#pragma once

#include <locale>
#include <string>

namespace clchol::test {

/// Sets the global locale during its lifetime.  Not for tests whose threads have streams of their
/// own.
class CommaLocale {
 public:
  CommaLocale() : previous_(std::locale::global({std::locale::classic(), new Comma})) {}
  ~CommaLocale() { std::locale::global(previous_); }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

 private:
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };

  std::locale previous_;
};

}  // namespace clchol::test
