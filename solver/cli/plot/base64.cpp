#include "solver/cli/plot/base64.hpp"

#include <cstdint>

namespace clchol::cli {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t group = 0;  // Three bytes, or zeros after the end; read as four 6-bit digits.
    for (std::size_t j = k; j < k + 3; ++j) {
      group = group << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U);
    }
    for (std::size_t digit = 0; digit < 4; ++digit) {
      const bool is_padding = k + digit > bytes.size();
      text += is_padding ? '=' : kDigits[group >> (18 - 6 * digit) & 63];
    }
  }
  return text;
}

}  // namespace clchol::cli
