// Small Harwell-Boeing files, put together line by line.
#pragma once

#include <string>

namespace clchol::test {

/// The lines of a file.  The defaults are a file of the matrix
///   [4 1 .]
///   [1 5 2]
///   [. 2 6]
struct HarwellBoeingFile {
  std::string counts = "             4             1             1             2             0";
  std::string type = "RSA                        3             3             5             0";
  std::string formats = "(16I5)          (16I5)          (4E20.12)           (4E20.12)";
  std::string right_hand_side_line = "";  // Its line end included.
  std::string pointers = "    1    3    5    6";
  std::string indices = "    1    2    2    3    3";
  std::string values =
      "  4.000000000000E+00  1.000000000000E+00  5.000000000000E+00  2.000000000000E+00\n"
      "  6.000000000000E+00";
  std::string rest = "";

  std::string text() const {
    return "Three by three                                                          TINY    \n" +
           counts + "\n" + type + "\n" + formats + "\n" + right_hand_side_line + pointers + "\n" +
           indices + "\n" + values + "\n" + rest;
  }
};

}  // namespace clchol::test
