// Drawings as SVG: one self-contained file, no scripts, no style sheets.
//
// Lengths are CSS pixels.  Drawings are kWidth wide, so that in a paper's column (about half of
// that in points) the text is as large as a caption.
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
  std::string_view colour = {};  // Empty: none.
  double width = 1;
};

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  double size = 12;
  std::string_view colour = "#222222";
  Anchor anchor = Anchor::kStart;
  bool bold = false;
  bool upward = false;  // Turned to be read from below to above.
};

/// Elements are drawn in the order in which they are added.
class Svg {
 public:
  static constexpr double kWidth = 480;

  /// @param title  told to who cannot see the drawing.
  explicit Svg(std::string title) : title_(std::move(title)) {}

  void rect(const Box& box, std::string_view fill, const Stroke& stroke = {});
  void line(Point from, Point to, const Stroke& stroke);
  void polyline(const std::vector<Point>& points, const Stroke& stroke);
  void text(Point at, std::string_view words, const TextStyle& style = {});
  /// A PNG file's bytes, stretched over the box without smoothing.
  void png(const Box& box, std::string_view bytes);

  /// The whole file.
  std::string document(double height) const;

 private:
  std::string title_;
  std::string elements_;
};

/// Width of text in the sans-serif face, about: mean widths of classes of characters.
double text_width(std::string_view words, double size);

/// `words`, with an ellipsis in place of what passes the width; empty where nothing is left.
std::string fitted(const std::string& words, double size, double width);

/// `text` with markup escaped; control characters and what is no UTF-8 become blanks.
std::string escaped(std::string_view text);

/// At most two decimals, no trailing zeros: "12", "0.5", "-3.25".
std::string short_number(double value);

}  // namespace clchol::cli
