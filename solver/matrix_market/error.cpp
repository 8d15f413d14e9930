#include "solver/matrix_market/error.hpp"

#include <system_error>

namespace clchol::solver {
namespace {

constexpr std::size_t kLongestQuote = 40;

}  // namespace

void refuse(const std::string& name, Offset line, const std::string& reason) {
  const std::string place = line > 0 ? ", line " + std::to_string(line) : "";
  throw InvalidArgument(name + place + ": " + reason);
}

void refuse_system(const std::string& name, const char* action, int error) {
  throw InvalidArgument(name + ": cannot " + action + ": " +
                        std::generic_category().message(error));
}

std::string in_quotes(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "'";
  for (char c : text.substr(0, kLongestQuote)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  if (text.size() > kLongestQuote) out += "...";
  return out + "'";
}

std::string position(Index row, Index col) {
  return std::string("(") + std::to_string(Offset{row} + 1) + ", " +
         std::to_string(Offset{col} + 1) + ")";
}

}  // namespace clchol::solver
