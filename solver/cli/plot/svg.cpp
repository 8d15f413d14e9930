#include "solver/cli/plot/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/number_text.hpp"
#include "solver/cli/plot/base64.hpp"

namespace clchol::cli {
namespace {

// Fonts of equal metrics; a viewer takes the first one that it has.
constexpr char kFonts[] = "Helvetica, Arial, 'Liberation Sans', 'Nimbus Sans', sans-serif";

std::string attribute(std::string_view name, std::string_view value) {
  std::string text = " ";
  return text.append(name).append("=\"").append(value).append("\"");
}

std::string attribute(std::string_view name, double value) {
  return attribute(name, short_number(value));
}

std::string attributes(const Stroke& stroke) {
  if (stroke.colour.empty()) return {};
  return attribute("stroke", stroke.colour) + attribute("stroke-width", stroke.width);
}

std::string attributes(const Box& box) {
  return attribute("x", box.x) + attribute("y", box.y) + attribute("width", box.width) +
         attribute("height", box.height);
}

const char* word_of(Anchor anchor) { return anchor == Anchor::kMiddle ? "middle" : "end"; }

/// @return the length in bytes of the UTF-8 character at the front of `text`; 0 if it is invalid.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7fU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0U) != 0x80) return 0;
    code = code << 6 | (byte(k) & 0x3fU);
  }
  // Overlong forms, surrogates, and codes that XML does not allow are invalid.
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_allowed = code >= kLeast[length] && code <= 0x10ffff &&
                          !(code >= 0xd800 && code < 0xe000) && code != 0xfffe && code != 0xffff;
  return is_allowed ? length : 0;
}

const char* entity_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return nullptr;
  }
}

}  // namespace

void Svg::rect(const Box& box, std::string_view fill, const Stroke& stroke) {
  elements_ += "<rect" + attributes(box) + attribute("fill", fill) + attributes(stroke) + "/>\n";
}

void Svg::line(Point from, Point to, const Stroke& stroke) {
  elements_ += "<line" + attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) +
               attribute("y2", to.y) + attributes(stroke) + "/>\n";
}

void Svg::polyline(const std::vector<Point>& points, const Stroke& stroke, std::string_view fill) {
  std::string list;
  for (const Point& p : points) {
    if (!list.empty()) list += ' ';
    list += short_number(p.x) + "," + short_number(p.y);
  }
  elements_ += "<polyline" + attribute("points", list) + attribute("fill", fill) +
               attributes(stroke) + attribute("stroke-linejoin", "round") + "/>\n";
}

void Svg::text(Point at, std::string_view words, const TextStyle& style) {
  elements_ += "<text" + attribute("x", at.x) + attribute("y", at.y) +
               attribute("font-size", style.size) + attribute("fill", style.colour);
  if (style.anchor != Anchor::kStart) elements_ += attribute("text-anchor", word_of(style.anchor));
  if (style.bold) elements_ += attribute("font-weight", "bold");
  if (style.upward) {
    elements_ +=
        attribute("transform", "rotate(-90 " + short_number(at.x) + " " + short_number(at.y) + ")");
  }
  elements_.append(">").append(escaped(words)).append("</text>\n");
}

void Svg::png(const Box& box, std::string_view bytes) {
  elements_ += "<image" + attributes(box) + attribute("preserveAspectRatio", "none") +
               attribute("style", "image-rendering:pixelated") +
               attribute("href", "data:image/png;base64," + base64(bytes)) + "/>\n";
}

std::string Svg::document(double height) const {
  const std::string size = short_number(kWidth) + " " + short_number(height);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<svg xmlns=\"http://www.w3.org/2000/svg\"" +
         attribute("width", kWidth) + attribute("height", height) +
         attribute("viewBox", "0 0 " + size) + attribute("font-family", kFonts) + ">\n<title>" +
         escaped(title_) + "</title>\n<rect" + attribute("width", kWidth) +
         attribute("height", height) + attribute("fill", "#ffffff") + "/>\n" + elements_ +
         "</svg>\n";
}

double text_width(std::string_view words, double size) {
  double ems = 0;
  for (const char c : words) {
    if ((static_cast<unsigned char>(c) & 0xc0U) == 0x80) continue;  // UTF-8 continuation byte.
    if (std::string_view("iIljt.,:;'| ()[]fr").find(c) != std::string_view::npos) {
      ems += 0.32;
    } else if (std::string_view("mwMW%@").find(c) != std::string_view::npos) {
      ems += 0.88;
    } else {
      ems += c >= 'A' && c <= 'Z' ? 0.69 : 0.56;
    }
  }
  return ems * size;
}

std::string fitted(const std::string& words, double size, double width) {
  if (text_width(words, size) <= width) return words;
  constexpr char kEllipsis[] = "\u2026";
  std::string start = words;
  while (!start.empty()) {
    // Remove a whole character with all its bytes.
    while (!start.empty() && (static_cast<unsigned char>(start.back()) & 0xc0U) == 0x80) {
      start.pop_back();
    }
    if (!start.empty()) start.pop_back();
    if (!start.empty() && text_width(start + kEllipsis, size) <= width) return start + kEllipsis;
  }
  return {};
}

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0 || first < 0x20 || first == 0x7f) {
      result += ' ';
    } else if (const char* entity = entity_of(text.front()); entity != nullptr) {
      result += entity;
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string short_number(double value) {
  std::string number = fixed_text(value, 2);
  while (number.back() == '0') number.pop_back();
  if (number.back() == '.') number.pop_back();
  return number == "-0" ? "0" : number;
}

}  // namespace clchol::cli
