// Encodes bytes as text, for images inside a drawing.
#pragma once

#include <string>
#include <string_view>

namespace clchol::cli {

/// @return the base64 encoding of `bytes` by RFC 4648, section 4, with padding.
std::string base64(std::string_view bytes);

}  // namespace clchol::cli
