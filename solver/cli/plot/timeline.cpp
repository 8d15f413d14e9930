#include "solver/cli/plot/timeline.hpp"

#include <algorithm>
#include <cmath>

#include "solver/cli/plot/colours.hpp"
#include "solver/cli/plot/svg.hpp"
#include "solver/cli/plot/ticks.hpp"
#include "solver/cli/plot/timeline_layout.hpp"
#include "solver/cli/units.hpp"

namespace clchol::cli {
namespace {

// Colours of names, distinguishable for the colour-blind.  Names are in descending order of time.
constexpr Rgb kNameColours[] = {{68, 119, 170}, {204, 102, 119}, {68, 170, 153}, {221, 204, 119},
                                {136, 34, 85},  {136, 204, 238}, {17, 119, 51},  {153, 153, 51},
                                {170, 68, 153}, {51, 34, 136},   {228, 156, 84}, {110, 140, 160},
                                {165, 120, 90}};
constexpr Index kMostNames = std::size(kNameColours);
constexpr double kRight = 12, kTop = 28;
constexpr double kRow = 16, kLaneGap = 6, kHeading = 15;
constexpr double kLeastBar = 0.35;  // Smallest visible width of a bar, in pixels.
constexpr double kMostLabels = 120;
// Height of an area with its budget's label, and of the area alone.
constexpr double kAreaRow = 58, kAreaHeight = 42;
// Ratio of the budget to the peak from which the budget's line is not drawn: the area would be
// flat.
constexpr double kMostBudget = 5;
constexpr Rgb kAreaColour = {170, 196, 214};

class TimelineDrawing {
 public:
  TimelineDrawing(const std::string& name, const TimelineLayout& layout)
      : name_(name), layout_(layout), svg_("Timeline of " + name) {
    double widest = 0;
    for (const TimelineLane& lane : layout.lanes) {
      widest = std::max(widest, text_width(lane.track.name, kSmallText));
    }
    for (const TimelineArea& area : layout.areas) {
      widest = std::max(
          {widest, text_width(area.name, kSmallText), text_width(peak_of(area), kLabelText)});
    }
    left_ = std::min(widest, kMostLabels) + 14;
    ticks_ = nice_ticks(layout.span_s * 1e3, 6);
  }

  /// Upper bound of the width of the lanes, in pixels.
  static constexpr double kMostWidth = Svg::kWidth - kRight;

  std::string draw() {
    svg_.text({6, 16}, fitted(name_, 13, Svg::kWidth - 12), {.size = 13, .bold = true});
    const double bottom = kTop + lanes_height() + areas_height();
    grid(bottom);
    double y = kTop;
    for (std::size_t k = 0; k < layout_.lanes.size(); ++k) {
      if (begins_process(k)) y = heading(y, layout_.lanes[k].track.process);
      y = lane(y, layout_.lanes[k]);
    }
    for (std::size_t k = 0; k < layout_.areas.size(); ++k) {
      if (area_begins_process(k)) y = heading(y, layout_.areas[k].process);
      y = area(y, layout_.areas[k]);
    }
    axis(bottom);
    return svg_.document(legend(bottom + 48));
  }

 private:
  double width() const { return Svg::kWidth - kRight - left_; }
  double x_of(double seconds) const {
    return left_ + (layout_.span_s > 0 ? seconds / layout_.span_s : 0) * width();
  }
  bool begins_process(std::size_t k) const {
    return k == 0 || layout_.lanes[k].track.process != layout_.lanes[k - 1].track.process;
  }
  bool area_begins_process(std::size_t k) const {
    const std::string& before =
        k == 0 ? layout_.lanes.back().track.process : layout_.areas[k - 1].process;
    return layout_.areas[k].process != before;
  }
  static std::string bytes_of(Offset bytes) { return bytes_text(static_cast<double>(bytes)); }
  static std::string peak_of(const TimelineArea& area) { return "peak " + bytes_of(area.peak); }
  static Rgb colour_of(Index name) { return name < kMostNames ? kNameColours[name] : kRest; }

  double lanes_height() const {
    double height = 0;
    for (std::size_t k = 0; k < layout_.lanes.size(); ++k) {
      height += layout_.lanes[k].depth * kRow + kLaneGap + (begins_process(k) ? kHeading : 0);
    }
    return height;
  }

  double areas_height() const {
    double height = 0;
    for (std::size_t k = 0; k < layout_.areas.size(); ++k) {
      height += kAreaRow + kLaneGap + (area_begins_process(k) ? kHeading : 0);
    }
    return height;
  }

  void grid(double bottom) {
    for (const double value : ticks_.values) {
      svg_.line({x_of(value / 1e3), kTop}, {x_of(value / 1e3), bottom}, {kGrid, 0.8});
    }
  }

  double heading(double y, const std::string& process) {
    svg_.text({6, y + 10}, fitted(process, kSmallText, Svg::kWidth - 12),
              {.size = kSmallText, .colour = kPencil});
    return y + kHeading;
  }

  double lane(double y, const TimelineLane& lane) {
    svg_.text({left_ - 6, y + 12}, fitted(lane.track.name, kSmallText, kMostLabels),
              {.size = kSmallText, .anchor = Anchor::kEnd});
    const std::vector<double> ends = drawn_ends(lane);
    for (std::size_t k = 0; k < ends.size(); ++k) {
      bar(y + lane.bars[k].depth * kRow, lane.bars[k], ends[k]);
    }
    return y + lane.depth * kRow + kLaneGap;
  }

  /// @return the right ends of the bars, in pixels.  A bar that touches the next bar of its row
  ///         ends under that bar, so that no background shows between them.
  std::vector<double> drawn_ends(const TimelineLane& lane) const {
    std::vector<double> ends(lane.bars.size());
    // Start of the next bar of each row, in pixels.
    std::vector<double> next(static_cast<std::size_t>(lane.depth), HUGE_VAL);
    for (std::size_t k = ends.size(); k-- > 0;) {
      const TimelineBar& b = lane.bars[k];
      const double x = x_of(b.start_s);
      ends[k] = std::max(x_of(b.end_s), x + kLeastBar);
      if (next[b.depth] - ends[k] < kLeastBar)
        ends[k] = std::max(ends[k], next[b.depth] + kLeastBar);
      next[b.depth] = x;
    }
    return ends;
  }

  void bar(double y, const TimelineBar& b, double end) {
    const double x = x_of(b.start_s);
    const double length = end - x;
    const Rgb colour = colour_of(b.name);
    svg_.rect({x, y, length, kRow - 1}, hex_of(colour));
    const std::string& name = layout_.names[b.name].name;
    if (text_width(name, kLabelText) > length - 4) return;
    svg_.text({x + length / 2, y + 11.5}, name,
              {.size = kLabelText, .colour = text_colour_on(colour), .anchor = Anchor::kMiddle});
  }

  /// Draws the bytes in use in one kind of memory, and its budget.  The scale ends at the peak or,
  /// if the budget's line is drawn, at the greater of peak and budget.
  double area(double y, const TimelineArea& of) {
    const double base = y + kAreaRow;
    const auto peak = static_cast<double>(of.peak);
    const auto budget = static_cast<double>(of.budget.value_or(0));
    const bool has_line = of.budget && budget <= kMostBudget * peak;
    const double most = std::max({peak, has_line ? budget : 0, 1.0});
    const auto y_of = [&](double bytes) {
      return base - std::clamp(bytes / most, 0.0, 1.0) * kAreaHeight;
    };
    if (!of.steps.empty()) {
      std::vector<Point> outline{{x_of(of.steps.front().start_s), base}};
      for (const TimelineStep& step : of.steps) {
        const double x = x_of(step.start_s);
        outline.push_back({x, outline.back().y});
        outline.push_back({x, y_of(static_cast<double>(step.bytes))});
      }
      outline.push_back({x_of(layout_.span_s), outline.back().y});
      outline.push_back({x_of(layout_.span_s), base});
      svg_.polyline(outline, {}, hex_of(kAreaColour));
    }
    svg_.line({left_, base}, {Svg::kWidth - kRight, base}, {kPencil, 0.5});
    const TextStyle remark{.size = kLabelText, .colour = kPencil, .anchor = Anchor::kEnd};
    svg_.text({left_ - 6, base - kAreaHeight / 2 - 2}, fitted(of.name, kSmallText, kMostLabels),
              {.size = kSmallText, .anchor = Anchor::kEnd});
    svg_.text({left_ - 6, base - kAreaHeight / 2 + 11},
              fitted(peak_of(of), kLabelText, kMostLabels), remark);
    if (of.budget) {
      const double line = has_line ? y_of(budget) : base - kAreaHeight;
      if (has_line) svg_.line({left_, line}, {Svg::kWidth - kRight, line}, {kAccent, 0.8});
      svg_.text({Svg::kWidth - kRight, line - 3}, "budget " + bytes_of(*of.budget),
                {.size = kLabelText, .colour = kAccent, .anchor = Anchor::kEnd});
    }
    return base + kLaneGap;
  }

  void axis(double bottom) {
    svg_.line({left_, bottom}, {Svg::kWidth - kRight, bottom}, {kPencil, 0.8});
    for (const double value : ticks_.values) {
      const double x = x_of(value / 1e3);
      svg_.line({x, bottom}, {x, bottom + 4}, {kPencil, 0.8});
      svg_.text({x, bottom + 16}, ticks_.label(value),
                {.size = kSmallText, .colour = kPencil, .anchor = Anchor::kMiddle});
    }
    svg_.text({left_ + width() / 2, bottom + 31}, "time, ms",
              {.size = kSmallText, .colour = kPencil, .anchor = Anchor::kMiddle});
  }

  /// Draws two columns of names with their times.  @return the height of the drawing.
  double legend(double y) {
    std::vector<TimelineName> rows(
        layout_.names.begin(),
        layout_.names.begin() + std::min<std::ptrdiff_t>(kMostNames, std::ssize(layout_.names)));
    TimelineName rest;
    for (std::size_t k = rows.size(); k < layout_.names.size(); ++k) {
      rest.seconds += layout_.names[k].seconds;
      rest.count += layout_.names[k].count;
    }
    if (rest.count > 0) {
      rest.name = grouped(std::ssize(layout_.names) - kMostNames) + " other names";
      rows.push_back(rest);
    }
    const std::size_t half = (rows.size() + 1) / 2;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      legend_row({k < half ? 6 : Svg::kWidth / 2 + 4, y + 17 * static_cast<double>(k % half)},
                 rows[k], hex_of(colour_of(static_cast<Index>(k))));
    }
    return y + 17 * static_cast<double>(half) + 4;
  }

  /// Draws a row of the legend: colour, name, total time, number of events.
  void legend_row(Point at, const TimelineName& row, const std::string& colour) {
    svg_.rect({at.x, at.y, 10, 10}, colour);
    svg_.text({at.x + 15, at.y + 9}, fitted(row.name, kSmallText, 95), {.size = kSmallText});
    const TextStyle number{.size = kSmallText, .anchor = Anchor::kEnd};
    svg_.text({at.x + 168, at.y + 9}, seconds_text(row.seconds), number);
    svg_.text({at.x + 222, at.y + 9}, "\u00d7 " + grouped(row.count),
              {.size = kSmallText, .colour = kPencil, .anchor = Anchor::kEnd});
  }

  const std::string& name_;
  const TimelineLayout& layout_;
  Svg svg_;
  double left_;  // Left end of the lanes, in pixels.
  Ticks ticks_;  // Ticks in milliseconds.
};

}  // namespace

std::string draw_timeline(const std::string& name, const solver::TraceData& trace) {
  if (trace.events.empty()) throw InvalidArgument(name + ": the trace has no complete events");
  return TimelineDrawing(name, lay_out(trace, kLeastBar / TimelineDrawing::kMostWidth)).draw();
}

}  // namespace clchol::cli
