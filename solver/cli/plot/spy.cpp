#include "solver/cli/plot/spy.hpp"

#include "solver/cli/plot/colours.hpp"
#include "solver/cli/plot/density.hpp"
#include "solver/cli/plot/svg.hpp"
#include "solver/cli/plot/ticks.hpp"
#include "solver/cli/units.hpp"

namespace clchol::cli {
namespace {

constexpr Index kMostCells = 400;
constexpr int kShades = 6;
// Minimum pixels per side of an image, so that smoothing viewers do not blur cells.
constexpr int kLeastPixels = 800;
constexpr double kSpyLeft = 46, kGap = 14, kSpyRight = 8, kSpyTop = 44;
constexpr double kSide = (Svg::kWidth - kSpyLeft - kGap - kSpyRight) / 2;

/// @return white as colour 0, then kShades shades of the fill, then kShades shades of A.
std::vector<Rgb> palette() {
  std::vector<Rgb> colours = {{255, 255, 255}};
  for (const ColourScale& scale : {kFillScale, kEntryScale}) {
    for (int k = 0; k < kShades; ++k) colours.push_back(scale.at(k / (kShades - 1.0)));
  }
  return colours;
}

/// Paints the entries of A over the fill of L.  @param fill  null: no fill.
IndexedImage image_of(const DensityGrid& entries, const DensityGrid* fill) {
  const Index size = entries.size();
  const Index zoom = (kLeastPixels + size - 1) / size;
  const Offset most_entries = entries.greatest();
  const Offset most_fill = fill == nullptr ? 0 : fill->greatest();
  IndexedImage image{size * zoom, size * zoom, palette(), {}};
  for (Index row = 0; row < size; ++row) {
    std::vector<std::uint8_t> line;
    for (Index col = 0; col < size; ++col) {
      int colour = fill == nullptr ? 0 : shade_of(fill->at(row, col), most_fill, kShades);
      if (const int shade = shade_of(entries.at(row, col), most_entries, kShades); shade > 0) {
        colour = kShades + shade;
      }
      line.insert(line.end(), static_cast<std::size_t>(zoom), static_cast<std::uint8_t>(colour));
    }
    for (Index k = 0; k < zoom; ++k) {
      image.pixels.insert(image.pixels.end(), line.begin(), line.end());
    }
  }
  return image;
}

/// @return a short label for an axis whose largest value is `largest`: "20,000", "200k", "3M".
std::string row_label(double value, double largest) {
  const auto whole = static_cast<std::int64_t>(value);
  if (whole == 0 || largest < 1e5) return grouped(whole);
  return largest < 1e7 ? grouped(whole / 1000) + "k" : short_number(value / 1e6) + "M";
}

/// @return ticks for [0, n], except close to n, where a label would run into the next panel.
Ticks inner_ticks(Index n) {
  Ticks ticks = nice_ticks(n, 4, 1);
  while (ticks.values.back() > 0.92 * n) ticks.values.pop_back();
  return ticks;
}

class SpyDrawing {
 public:
  explicit SpyDrawing(const SpyInput& input)
      : input_(input), svg_("Pattern of " + input.matrix + " and of its factor") {}

  std::string draw() {
    std::vector<Index> iperm(input_.permutation.size());
    for (std::size_t k = 0; k < iperm.size(); ++k) {
      iperm[input_.permutation[k]] = static_cast<Index>(k);
    }
    const DensityGrid given = matrix_density(input_.lower, {}, kMostCells);
    const DensityGrid ordered = matrix_density(input_.lower, iperm, kMostCells);
    const DensityGrid fill =
        factor_density(input_.lower, input_.permutation, input_.tree, kMostCells);
    svg_.text({kSpyLeft, 16}, fitted(input_.matrix, 13, Svg::kWidth - kSpyLeft - kSpyRight),
              {.size = 13, .bold = true});
    panel(kSpyLeft, "A as given", given, nullptr);
    panel(kSpyLeft + kSide + kGap,
          std::string("A reordered (") +
              to_string(input_.report.ordering, input_.report.ordering_effort) + ") over L",
          ordered, &fill);
    row_labels();
    const double y = legend(std::max(given.greatest(), ordered.greatest()), fill.greatest());
    facts(y);
    return svg_.document(y + (input_.lower.n > kMostCells ? 47 : 30));
  }

 private:
  void panel(double x, const std::string& title, const DensityGrid& entries,
             const DensityGrid* fill) {
    const Box box{x, kSpyTop, kSide, kSide};
    svg_.text({x + kSide / 2, kSpyTop - 8}, title, {.anchor = Anchor::kMiddle});
    svg_.png(box, png_bytes(image_of(entries, fill)));
    svg_.rect(box, "none", {kPencil, 0.8});
    for (const double value : ticks_.values) {
      const double at = x + value / input_.lower.n * kSide;
      svg_.line({at, box.bottom()}, {at, box.bottom() + 4}, {kPencil, 0.8});
      svg_.text({at, box.bottom() + 16}, row_label(value, ticks_.values.back()),
                {.size = kSmallText, .colour = kPencil, .anchor = Anchor::kMiddle});
    }
  }

  void row_labels() {
    for (const double value : ticks_.values) {
      const double at = kSpyTop + value / input_.lower.n * kSide;
      svg_.line({kSpyLeft - 4, at}, {kSpyLeft, at}, {kPencil, 0.8});
      svg_.text({kSpyLeft - 6, at + 4}, row_label(value, ticks_.values.back()),
                {.size = kSmallText, .colour = kPencil, .anchor = Anchor::kEnd});
    }
  }

  /// Draws the legend.  @return its lower end.
  double legend(Offset most_entries, Offset most_fill) {
    const double y = kSpyTop + kSide + 30;
    swatches(kSpyLeft, y, kEntryScale, "entries of A", most_entries);
    swatches(kSpyLeft + kSide + kGap, y, kFillScale, "stored in L", most_fill);
    return y + 12;
  }

  /// Draws a row of the legend: "[shades] 1 to 123 entries of A".
  void swatches(double x, double y, const ColourScale& scale, const std::string& what,
                Offset most) {
    constexpr double kSwatch = 10;
    if (most <= 1) {  // All cells have the same shade.
      svg_.rect({x, y, kSwatch, kSwatch}, hex_of(scale.at(1)));
      svg_.text({x + kSwatch + 6, y + 9}, what, {.size = kSmallText});
      return;
    }
    for (int k = 0; k < kShades; ++k) {
      svg_.rect({x + k * kSwatch, y, kSwatch, kSwatch}, hex_of(scale.at(k / (kShades - 1.0))));
    }
    svg_.text({x + kShades * kSwatch + 6, y + 9}, "1 to " + grouped(most) + " " + what,
              {.size = kSmallText});
  }

  void facts(double y) {
    const AnalysisReport& r = input_.report;
    const double ratio = r.nnz > 0 ? static_cast<double>(r.nnz_l) / static_cast<double>(r.nnz) : 0;
    const TextStyle style{.size = kSmallText, .colour = kPencil};
    svg_.text({kSpyLeft, y + 20},
              "n = " + grouped(r.n) + kMiddleDot + "nnz = " + grouped(r.nnz) + " (one triangle)" +
                  kMiddleDot + "nnz(L) = " + grouped(r.nnz_l) + " (" + short_number(ratio) +
                  " times)",
              style);
    if (r.n <= kMostCells) return;
    const std::string side = short_number(static_cast<double>(r.n) / kMostCells);
    svg_.text({kSpyLeft, y + 37},
              "Shades count entries in cells of " + side + " \u00d7 " + side + " positions.",
              style);
  }

  const SpyInput& input_;
  Svg svg_;
  Ticks ticks_ = inner_ticks(input_.lower.n);
};

}  // namespace

std::string draw_spy(const SpyInput& input) { return SpyDrawing(input).draw(); }

}  // namespace clchol::cli
