#include "gpu_kernels/dense/potrf_plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/types.hpp"
#include "base/update_layout.hpp"

namespace clchol::gpu {
namespace {

void check_dense_front(const DenseFront& front, std::size_t place) {
  const FrontPanel& p = front.panel;
  const auto require = [&](bool holds, const char* what, Offset value) {
    if (!holds) {
      throw InvalidArgument("front " + std::to_string(place) + ": " + what + std::to_string(value));
    }
  };
  require(p.ncol >= 0, "ncol >= 0, but ncol = ", p.ncol);
  require(p.nrow >= p.ncol, "nrow >= ncol, but nrow - ncol = ", Offset{p.nrow} - p.ncol);
  require(p.ld >= p.nrow, "ld >= nrow, but ld = ", p.ld);
  require(p.panel >= 0, "positions >= 0, but panel = ", p.panel);
  require(front.update >= 0, "positions >= 0, but update = ", front.update);
  require(front.ldu == 0 || front.ldu >= p.nrow - p.ncol,
          "ldu >= nupd or 0, but ldu = ", front.ldu);
}

// Builds the lists step by step.
class Planner {
 public:
  Planner(std::span<const DenseFront> fronts, const PotrfShape& shape)
      : fronts_(fronts),
        shape_(shape),
        lists_{{}, {}, ProductList(shape.large), ProductList(shape.small), {}, {}} {
    for (const DenseFront& front : fronts) {
      lists_.fronts.push_back(front.panel);
      const FrontPanel& p = front.panel;
      if (p.ncol == 0) continue;
      most_columns_ = std::max(most_columns_, p.ncol);
      lists_.num_entries = std::max(lists_.num_entries, p.panel + (p.ncol - 1) * p.ld + p.nrow);
    }
  }

  PotrfLists plan(FrontUpdate update) {
    const Index block = shape_.panel.block;
    // The step after a front's last block copies that block's diagonal part from the workspace to
    // the panel, so the plan has one step more than blocks.
    const Offset end = most_columns_ == 0 ? 0 : Offset{most_columns_} + block;
    for (Offset column = 0; column < end; column += block) {
      PotrfStep step;
      step.panel_tiles = append_panels(column);
      if (column < most_columns_) step.update = append_products(products_after(column));
      lists_.steps.push_back(step);
    }
    if (update != FrontUpdate::kNone) lists_.updates = append_products(update_products(update));
    return std::move(lists_);
  }

 private:
  // Appends tiles for the block that begins at this column, and for fronts whose last block was in
  // the step before.
  TileRange append_panels(Offset column) {
    const auto begin = static_cast<Offset>(lists_.panel_tiles.size());
    for (std::size_t f = 0; f < fronts_.size(); ++f) append_panel(static_cast<Index>(f), column);
    return {begin, static_cast<Offset>(lists_.panel_tiles.size())};
  }

  void append_panel(Index f, Offset column) {
    const FrontPanel& p = lists_.fronts[static_cast<std::size_t>(f)];
    const Index block = shape_.panel.block;
    if (p.ncol == 0 || column >= Offset{p.ncol} + block) return;
    const auto begin = static_cast<Index>(std::min(column, Offset{p.ncol}));
    PanelTile tile{.front = f, .column = begin, .row = begin, .first = 1};
    tile.row += std::min(block, p.ncol - begin);
    lists_.panel_tiles.push_back(tile);
    if (begin == p.ncol) return;
    tile.first = 0;
    for (Offset row = Offset{tile.row} + shape_.panel.rows; row < p.nrow;
         row += shape_.panel.rows) {
      tile.row = static_cast<Index>(row);
      lists_.panel_tiles.push_back(tile);
    }
  }

  // Products that later columns get when the block that begins at `column` is done.
  std::vector<MatrixProduct> products_after(Offset column) const {
    const Index block = shape_.panel.block;
    const Offset done = column / block + 1;
    const Offset width = (done & -done) * block;
    std::vector<MatrixProduct> products;
    for (std::size_t f = 0; f < fronts_.size(); ++f) {
      const FrontPanel& p = lists_.fronts[f];
      const Offset begin = done * block;
      if (begin >= p.ncol) continue;
      const Offset from = p.panel + begin + (begin - width) * p.ld;
      products.push_back({.a = from,
                          .lda = p.ld,
                          .b = from,
                          .ldb = p.ld,
                          .c = p.panel + begin + begin * p.ld,
                          .ldc = p.ld,
                          .m = static_cast<Index>(p.nrow - begin),
                          .n = static_cast<Index>(std::min(width, p.ncol - begin)),
                          .k = static_cast<Index>(width),
                          .form = CLCHOL_SUBTRACT | CLCHOL_LOWER,
                          .front = static_cast<Index>(f),
                          .pivots = static_cast<Index>(begin)});
    }
    return products;
  }

  std::vector<MatrixProduct> update_products(FrontUpdate update) {
    std::vector<MatrixProduct> products;
    for (std::size_t f = 0; f < fronts_.size(); ++f) {
      const DenseFront& front = fronts_[f];
      const FrontPanel& p = front.panel;
      const Index nupd = p.nrow - p.ncol;
      if (nupd == 0) continue;
      const Index form = CLCHOL_LOWER | (update == FrontUpdate::kSubtract ? CLCHOL_SUBTRACT : 0) |
                         (front.ldu == 0 ? CLCHOL_UPDATE : 0);
      products.push_back({.a = p.panel + p.ncol,
                          .lda = p.ld,
                          .b = p.panel + p.ncol,
                          .ldb = p.ld,
                          .c = front.update,
                          .ldc = front.ldu,
                          .m = nupd,
                          .n = nupd,
                          .k = p.ncol,
                          .form = form,
                          .front = static_cast<Index>(f),
                          .pivots = p.ncol});
    }
    lists_.num_updates = extent_of(products).c;
    return products;
  }

  // Appends the products of one launch to one list: with large tiles, unless a launch of them
  // would have too few work-groups to fill a device.
  UpdateRange append_products(const std::vector<MatrixProduct>& products) {
    Offset tiles = 0;
    for (const MatrixProduct& p : products) tiles += num_tiles(p, shape_.large);
    UpdateRange range;
    range.small = tiles < shape_.panel.few_tiles;
    ProductList& list = range.small ? lists_.small : lists_.large;
    range.tiles.begin = list.num_tiles();
    for (const MatrixProduct& p : products) list.append(p);
    range.tiles.end = list.num_tiles();
    return range;
  }

  std::span<const DenseFront> fronts_;
  PotrfShape shape_;
  PotrfLists lists_;
  Index most_columns_ = 0;
};

}  // namespace

PotrfLists plan_potrf(std::span<const DenseFront> fronts, FrontUpdate update,
                      const PotrfShape& shape) {
  for (std::size_t f = 0; f < fronts.size(); ++f) check_dense_front(fronts[f], f);
  return Planner(fronts, shape).plan(update);
}

}  // namespace clchol::gpu
