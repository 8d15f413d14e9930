// The structs of clchol/clchol.h beside those of the C++ class: options and reports.
//
// A struct of a caller may be shorter than the library's (the caller was compiled with an older
// header) or longer (a newer header).  Only the first min(caller's, library's) bytes are read or
// written.  Bytes of a caller's options or matrix that the library does not know must be zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "clchol/clchol.h"
#include "clchol/clchol.hpp"

namespace clchol::solver {

/// Texts to which pointers in clchol_options point.
struct OptionTexts {
  std::string scratch_directory;
  std::string devices;

  friend bool operator==(const OptionTexts&, const OptionTexts&) = default;
};

/// The struct with the values of `options`.  Its texts point into `texts`.
clchol_options c_options(const Options& options, OptionTexts& texts);

/// Sets the members of `options` that clchol_options has.
void set_c_options(Options& options, const clchol_options& values);

clchol_analysis_report c_report(const AnalysisReport& report);
clchol_factor_report c_report(const FactorReport& report);
clchol_solve_report c_report(const SolveReport& report);

/// Throws InvalidArgument for a null pointer, and for a size that no version of the struct has.
/// @param name  name of the struct, for the message.
template <class S>
void check_struct(const S* caller, std::size_t size, const char* name) {
  if (caller == nullptr) throw InvalidArgument(std::string(name) + " is NULL");
  // No struct grows by a page: a larger size is that of a struct that nobody has initialized.  A
  // multiple of the alignment cuts no member.
  constexpr std::size_t kLeast = 2 * sizeof(std::size_t), kMost = sizeof(S) + 4096;
  if (size < kLeast || size > kMost || size % alignof(S) != 0) {
    throw InvalidArgument("the size of " + std::string(name) + " is " + std::to_string(size) +
                          ", must be sizeof(" + name + ") = " + std::to_string(sizeof(S)));
  }
}

/// A caller's struct, as the library knows it: members that the caller does not have are those of
/// `defaults`.
/// Throws as check_struct(), and for bytes that this version of the library does not know and that
/// are not zero.
template <class S>
S read_struct(const S* caller, const char* name, S defaults) {
  check_struct(caller, caller == nullptr ? 0 : caller->size, name);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(caller);
  const auto is_zero = [](unsigned char byte) { return byte == 0; };
  if (caller->size > sizeof(S) && !std::all_of(bytes + sizeof(S), bytes + caller->size, is_zero)) {
    throw InvalidArgument(std::string(name) +
                          " has members that this version of the library does not know");
  }
  std::memcpy(static_cast<void*>(&defaults), caller, std::min(caller->size, sizeof(S)));
  defaults.size = sizeof(S);
  return defaults;
}

/// Writes the library's struct into a caller's of `size` bytes, and `size` into its first member.
/// Members that the library does not know become zero.  Throws as check_struct().
template <class S>
void write_struct(const S& value, S* caller, const char* name, std::size_t size) {
  check_struct(caller, size, name);
  auto* const bytes = reinterpret_cast<unsigned char*>(caller);
  if (size > sizeof(S)) std::fill(bytes + sizeof(S), bytes + size, 0);
  std::memcpy(bytes, &value, std::min(size, sizeof(S)));
  caller->size = size;
}

}  // namespace clchol::solver
