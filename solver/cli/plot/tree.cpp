#include "solver/cli/plot/tree.hpp"

#include <algorithm>
#include <cmath>

#include "solver/cli/plot/colours.hpp"
#include "solver/cli/plot/svg.hpp"
#include "solver/cli/plot/ticks.hpp"
#include "solver/cli/plot/tree_layout.hpp"
#include "solver/cli/units.hpp"

namespace clchol::cli {
namespace {

constexpr Index kMostNodes = 500;
constexpr Box kPlot{46, 28, Svg::kWidth - 46 - 8, 300};

/// Maps a box of the unit square to the plot.
Box scaled(const Box& unit) {
  return {kPlot.x + unit.x * kPlot.width, kPlot.y + unit.y * kPlot.height, unit.width * kPlot.width,
          unit.height * kPlot.height};
}

class TreeDrawing {
 public:
  explicit TreeDrawing(const TreeInput& input)
      : input_(input),
        layout_(lay_out(input.tree, kMostNodes)),
        svg_("Assembly tree of " + input.matrix) {
    least_ = most_ = std::max<Index>(input.report.largest_front, 1);
    for (const TreeNode& node : layout_.nodes) {
      if (node.front != kNone) least_ = std::min(least_, node.nrow);
    }
  }

  std::string draw() {
    svg_.text({kPlot.x, 16}, fitted(input_.matrix, 13, kPlot.width), {.size = 13, .bold = true});
    for (const TreeNode& node : layout_.nodes) draw_node(node);
    for (const TreeNode& node : layout_.nodes) outline_critical(node);
    axis();
    const double y = legend(kPlot.bottom() + 14);
    return svg_.document(facts(y));
  }

 private:
  /// @return the position on the colour scale, linear in log(nrow).
  double share_of(Index nrow) const {
    if (most_ == least_) return 1;
    return std::log(double(nrow) / least_) / std::log(double(most_) / least_);
  }

  void draw_node(const TreeNode& node) {
    const Box box = scaled(node.box);
    const bool is_merged = node.front == kNone;
    const Rgb colour = is_merged ? kRest : kFrontScale.at(share_of(node.nrow));
    // A line as thick as the rectangle would hide the rectangle.
    const double line = std::clamp(std::min(box.width, box.height) / 8, 0.0, 0.7);
    svg_.rect(box, hex_of(colour), {"#ffffff", line});
    const std::string label = is_merged ? grouped(node.num_fronts) + " fronts"
                                        : grouped(node.nrow) + " \u00d7 " + grouped(node.ncol);
    if (box.height < kLabelText + 3 || text_width(label, kLabelText) > box.width - 6) return;
    svg_.text({box.x + box.width / 2, box.y + box.height / 2 + kLabelText * 0.36}, label,
              {.size = kLabelText, .colour = text_colour_on(colour), .anchor = Anchor::kMiddle});
  }

  void outline_critical(const TreeNode& node) {
    if (!node.is_critical) return;
    Box box = scaled(node.box);
    // The outline lies inside the rectangle and does not fill it.
    const double line = std::min({1.4, box.width / 4, box.height / 4});
    box = {box.x + line / 2, box.y + line / 2, box.width - line, box.height - line};
    svg_.rect(box, "none", {kAccent, line});
  }

  /// Draws the axis of the flops done, from the leaves at the bottom to the root at the top.
  void axis() {
    const double x = kPlot.x - 4;
    for (const double percent : nice_ticks(100, 5).values) {
      const double y = kPlot.bottom() - percent / 100 * kPlot.height;
      svg_.line({x, y}, {kPlot.x, y}, {kPencil, 0.8});
      svg_.text({x - 3, y + 4}, short_number(percent),
                {.size = kSmallText, .colour = kPencil, .anchor = Anchor::kEnd});
    }
    svg_.text({12, kPlot.y + kPlot.height / 2}, "flops done, %",
              {.size = kSmallText, .colour = kPencil, .anchor = Anchor::kMiddle, .upward = true});
  }

  /// Draws the legend.  @return its lower end.
  double legend(double y) {
    constexpr int kSteps = 24;
    constexpr double kStep = 4, kHeight = 10;
    double x = kPlot.x;
    const std::string least = grouped(least_), most = grouped(most_) + " rows";
    svg_.text({x, y + 9}, least, {.size = kSmallText});
    x += text_width(least, kSmallText) + 5;
    for (int k = 0; k < kSteps; ++k) {
      // Slightly wider than the step, to avoid seams.
      svg_.rect({x + k * kStep, y, kStep + (k + 1 < kSteps ? 0.5 : 0), kHeight},
                hex_of(kFrontScale.at(k / (kSteps - 1.0))));
    }
    x += kSteps * kStep + 5;
    svg_.text({x, y + 9}, most, {.size = kSmallText});
    x += text_width(most, kSmallText) + 22;
    svg_.rect({x, y, 16, kHeight}, hex_of(kRest));
    svg_.text({x + 21, y + 9}, "merged", {.size = kSmallText});
    x += 21 + text_width("merged", kSmallText) + 22;
    svg_.rect({x + 0.7, y + 0.7, 16, kHeight - 1.4}, "none", {kAccent, 1.4});
    svg_.text({x + 22, y + 9}, "critical path", {.size = kSmallText});
    return y + kHeight;
  }

  /// Writes the lines below the legend.  @return the height of the drawing.
  double facts(double y) {
    const AnalysisReport& r = input_.report;
    const double share =
        layout_.flops > 0 ? std::round(layout_.critical_flops / layout_.flops * 100) : 0;
    const std::string lines[] = {
        "n = " + grouped(r.n) + kMiddleDot + "nnz(L) = " + grouped(r.nnz_l) + kMiddleDot +
            flops_text(r.flops) + kMiddleDot + "order: " + to_string(r.ordering, r.ordering_effort),
        grouped(r.supernodes) + " fronts" + kMiddleDot + "height " + grouped(layout_.height) +
            kMiddleDot + "critical path: " + short_number(share) + " % of the flops",
        "Areas are flops of fronts. Children lie below their parent and",
        "share its width by the flops of their subtrees."};
    for (const std::string& line : lines) {
      y += 17;
      svg_.text({kPlot.x, y}, line, {.size = kSmallText, .colour = kPencil});
    }
    return y + 10;
  }

  const TreeInput& input_;
  TreeLayout layout_;
  Svg svg_;
  Index least_ = 1, most_ = 1;  // Numbers of rows of the smallest and the largest front drawn.
};

}  // namespace

std::string draw_tree(const TreeInput& input) { return TreeDrawing(input).draw(); }

}  // namespace clchol::cli
