#include "gpu_kernels/fronts/front_batch_pieces.hpp"

#include <algorithm>

#include "base/update_layout.hpp"

namespace clchol::gpu {
namespace {

static_assert(kBatchBlock == kUpdateBlock);

// The piece of rows [i, i_end) and columns [j, j_end) of a child's update matrix, without `begin`.
BatchPiece piece_of(const BatchChild& child, Index i, Index i_end, Index j, Index j_end) {
  const Index block = j / kUpdateBlock;
  BatchPiece piece{};
  piece.from = child.update + update_column_offset(child.nupd, j) + i;
  piece.rows = child.relind + i;
  piece.ld = static_cast<Index>(update_ld(child.nupd, block));
  piece.first_columns = std::min(j_end - j, (block + 1) * kUpdateBlock - j);
  piece.diagonal = j - i;
  piece.num_rows = static_cast<unsigned char>(i_end - i);
  return piece;
}

}  // namespace

ChildRows::ChildRows(std::span<const Index> rows, Index origin, Index end)
    : rows_(rows), origin_(origin) {
  const auto num_rows = static_cast<Index>(rows.size());
  before_.reserve(static_cast<std::size_t>(end - origin) / kStep + 2);
  Index i = 0;
  for (Index row = origin; row < end; row += kStep) {
    while (i < num_rows && rows[static_cast<std::size_t>(i)] < row) ++i;
    before_.push_back(i);
  }
  before_.push_back(num_rows);
}

Index ChildRows::before(Index row) const {
  const auto step = static_cast<std::size_t>((row - origin_) / kStep);
  if (step + 1 >= before_.size()) return before_.back();
  auto i = static_cast<std::size_t>(before_[step]);
  while (i < rows_.size() && rows_[i] < row) ++i;
  return static_cast<Index>(i);
}

FrontPieces::FrontPieces(const BatchFront& front, std::span<const BatchChild* const> children,
                         std::span<const Index> relind)
    : ncol_(front.ncol) {
  children_.reserve(children.size());
  for (const BatchChild* const child : children) {
    const auto rows = relind.subspan(static_cast<std::size_t>(child->relind),
                                     static_cast<std::size_t>(child->nupd));
    children_.push_back({child, {rows, 0, front.nrow}, {rows, front.ncol / 2 * 2, front.nrow}});
  }
}

void FrontPieces::append(const BatchTile& tile, Index end,
                         UninitializedVector<BatchPiece>& pieces) const {
  // Columns [first, last) of the front are those that the tile stores.
  const bool is_update = tile.kind == CLCHOL_UPDATE_TILE;
  const Index tile_end = tile.column + kBatchBlock;
  const Index first = is_update ? std::max(tile.column, ncol_) : tile.column;
  const Index last = is_update ? tile_end : std::min(tile_end, ncol_);
  for (const Child& child : children_) {
    const ChildRows& rows = is_update ? child.in_update : child.in_panel;
    const Index i = rows.before(tile.row), i_end = rows.before(end);
    const Index j = rows.before(first), j_end = rows.before(last);
    // Nothing to add; i_end <= j: the whole block is above the diagonal.
    if (i >= i_end || j >= j_end || i_end <= j) continue;
    BatchPiece piece = piece_of(*child.of, i, i_end, j, j_end);
    for (Index w = 0; w < 4; ++w) {
      const Index begin = std::clamp(rows.before(tile.column + 16 * w), j, j_end);
      piece.begin[w] = static_cast<unsigned char>(begin - j);
    }
    piece.begin[4] = static_cast<unsigned char>(j_end - j);
    pieces.push_back(piece);
  }
}

}  // namespace clchol::gpu
