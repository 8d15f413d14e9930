// Numbers as text, in messages and files: the same characters under every locale.
//
// Streams follow the C++ locale of the host and printf follows its C locale: both may write a comma
// for the point and separate thousands.  These functions follow neither.  They are the only place
// of the library that turns a floating-point number into text (std::to_string of an integer knows
// no locale); tests/locale_test.py looks for others.
// Infinite and undefined values read "inf", "-inf" and "nan".
#pragma once

#include <cstdint>
#include <string>

namespace clchol {

/// The shortest digits that read back to the same value: 0.1, 1e-300.
std::string shortest_text(double value);
std::string shortest_text(float value);

/// `digits` significant digits, 1 to 100, without trailing zeros: printf's "%.*g".
std::string general_text(double value, int digits);

/// `decimals` digits behind the point, 0 to 100: printf's "%.*f".
std::string fixed_text(double value, int decimals);

/// One digit before the point and `decimals` behind it, 0 to 100: printf's "%.*e".
std::string scientific_text(double value, int decimals);

/// Bytes in units of 1e9, three digits: "1.25 GB".
std::string gigabytes_text(std::int64_t bytes);

}  // namespace clchol
