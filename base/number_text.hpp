// Text of numbers for messages and files, with equal characters under every locale.
//
// Streams follow the C++ locale of the host program, and printf follows its C locale: either may
// write a decimal comma and separators of thousands.  The functions here depend on no locale.  No
// other function of the library converts a floating-point number to text, and tests/locale_test.py
// checks this.  (std::to_string of an integer depends on no locale.)
// Infinite values and NaN become "inf", "-inf" and "nan".
#pragma once

#include <cstdint>
#include <string>

namespace clchol {

/// The shortest text that reads back to `value`: "0.1", "1e-300".
std::string shortest_text(double value);
std::string shortest_text(float value);

/// The text that printf writes for "%.*g" in the C locale: `digits` significant digits, 1 to 100,
/// without trailing zeros.
std::string general_text(double value, int digits);

/// The text that printf writes for "%.*f" in the C locale: `decimals` digits after the decimal
/// point, 0 to 100.
std::string fixed_text(double value, int decimals);

/// The text that printf writes for "%.*e" in the C locale: one digit before the decimal point and
/// `decimals` digits after it, 0 to 100.
std::string scientific_text(double value, int decimals);

/// A number of bytes in units of 1e9, with three significant digits: "1.25 GB".
std::string gigabytes_text(std::int64_t bytes);

}  // namespace clchol
