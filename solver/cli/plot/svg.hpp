// Writes drawings as SVG: one self-contained file without scripts and style sheets.
//
// Coordinates and lengths are in CSS pixels.  x counts from the left edge of the drawing to the
// right, y from the upper edge downwards.  All drawings are Svg::kWidth pixels wide.  In a paper's
// column, which is about kWidth / 2 points wide, the text is then as large as a caption.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clchol::cli {

/// A point of the drawing.
struct Point {
  double x = 0, y = 0;
};

/// A rectangle, whose upper left corner is (x, y).
struct Box {
  double x = 0, y = 0, width = 0, height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

/// How a line or the border of a rectangle is drawn.
struct Stroke {
  std::string_view colour = {};  // Colour as SVG writes it.  Empty: no line is drawn.
  double width = 1;              // Width of the line.
};

/// Which point of a text lies at the given position: its start, its middle or its end.
enum class Anchor { kStart, kMiddle, kEnd };

/// Sizes of the font of small texts and of labels.
inline constexpr double kSmallText = 11, kLabelText = 10;

/// Separates the parts of a caption.
inline constexpr char kMiddleDot[] = " \u00b7 ";

/// How a text is drawn.
struct TextStyle {
  double size = 12;                     // Size of the font.
  std::string_view colour = "#222222";  // Colour as SVG writes it.
  Anchor anchor = Anchor::kStart;       // Point of the text that lies at the given position.
  bool bold = false;
  bool upward = false;  // true: the text is rotated, and runs from bottom to top.
};

/// A drawing.  The functions rect() to png() add one element each.  A later element is painted over
/// earlier elements.
class Svg {
 public:
  static constexpr double kWidth = 480;

  /// @param title  description of the drawing, which screen readers read to the user.
  explicit Svg(std::string title) : title_(std::move(title)) {}

  /// @param fill  colour of the area, as SVG writes it; "none": the area is not painted.
  void rect(const Box& box, std::string_view fill, const Stroke& stroke = {});
  void line(Point from, Point to, const Stroke& stroke);
  /// @param fill  colour of the area between the line and the straight line from its end to its
  ///              start; "none": the area is not painted.
  void polyline(const std::vector<Point>& points, const Stroke& stroke,
                std::string_view fill = "none");
  /// @param at  position of the text: a point of the text's base line, as style.anchor says.
  void text(Point at, std::string_view words, const TextStyle& style = {});
  /// Adds the image of a PNG file, stretched over the box without smoothing.
  /// @param bytes  content of the PNG file.
  void png(const Box& box, std::string_view bytes);

  /// @return the content of the SVG file.
  /// @param height  height of the drawing.
  std::string document(double height) const;

 private:
  std::string title_;
  std::string elements_;
};

/// @return the approximate width of a text in a sans-serif font of the given size: a sum of mean
///         widths of characters.
double text_width(std::string_view words, double size);

/// @return `words` if they are at most `width` wide in a font of the given size.  Otherwise as many
///         characters as fit, with an ellipsis at the end; empty if no character fits.
std::string fitted(const std::string& words, double size, double width);

/// @return `text` for use inside an SVG file: the characters of markup (such as < and &) are
///         escaped; control characters and invalid UTF-8 become blanks.
std::string escaped(std::string_view text);

/// @return the number with at most two decimals and no trailing zeros: "12", "0.5", "-3.25".
std::string short_number(double value);

}  // namespace clchol::cli
