// Writes drawings as SVG: one self-contained file without scripts and style sheets.
//
// Lengths are in CSS pixels.  All drawings have the width kWidth.  In a paper's column, which is
// about kWidth / 2 points wide, the text then is as large as a caption.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clchol::cli {

struct Point {
  double x = 0, y = 0;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

struct Stroke {
  std::string_view colour = {};  // Empty: no stroke.
  double width = 1;
};

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  double size = 12;
  std::string_view colour = "#222222";
  Anchor anchor = Anchor::kStart;
  bool bold = false;
  bool upward = false;  // The text is rotated to run upwards.
};

/// A drawing.  Elements are painted in the order in which they are added.
class Svg {
 public:
  static constexpr double kWidth = 480;

  /// @param title  description for screen readers.
  explicit Svg(std::string title) : title_(std::move(title)) {}

  void rect(const Box& box, std::string_view fill, const Stroke& stroke = {});
  void line(Point from, Point to, const Stroke& stroke);
  void polyline(const std::vector<Point>& points, const Stroke& stroke);
  void text(Point at, std::string_view words, const TextStyle& style = {});
  /// Adds the image of a PNG file, stretched over the box without smoothing.
  /// @param bytes  content of the PNG file.
  void png(const Box& box, std::string_view bytes);

  /// @return the content of the SVG file.
  std::string document(double height) const;

 private:
  std::string title_;
  std::string elements_;
};

/// @return the approximate width of text in the sans-serif face, from mean widths of classes of
///         characters.
double text_width(std::string_view words, double size);

/// @return `words`, truncated with an ellipsis if they exceed `width`; empty if no character fits.
std::string fitted(const std::string& words, double size, double width);

/// @return `text` with markup escaped; control characters and invalid UTF-8 become blanks.
std::string escaped(std::string_view text);

/// @return the number with at most two decimals and no trailing zeros: "12", "0.5", "-3.25".
std::string short_number(double value);

}  // namespace clchol::cli
