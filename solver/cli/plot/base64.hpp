// Bytes as text, for images inside a drawing.
#pragma once

#include <string>
#include <string_view>

namespace clchol::cli {

/// RFC 4648, section 4, padded.
std::string base64(std::string_view bytes);

}  // namespace clchol::cli
