#include "gpu_kernels/fronts/extend_add.hpp"

#include <algorithm>

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

// A front's rows or columns cut into ranges, and which of each child's update rows fall into which
// range.
struct Cut {
  std::vector<Index> begin;  // First row of each range, then the end.  Length parts() + 1.
  // border[child][k]: the child's first update row whose relative index is begin[k] or larger.
  std::vector<std::vector<Index>> border;

  Index parts() const { return static_cast<Index>(begin.size()) - 1; }
};

class FrontTiles {
 public:
  FrontTiles(const FrontLists& lists, Index f, const ExtendAddParams& params)
      : lists_(lists), f_(f), front_(lists.fronts[f]) {
    cut(rows_, 0, front_.nrow, params.tile_rows);
    // No tile has columns of both the panel and the update matrix.
    cut(columns_, 0, front_.ncol, params.tile_columns);
    cut(columns_, front_.ncol, front_.nrow, params.tile_columns);
    for (Cut* of : {&rows_, &columns_}) {
      of->begin.push_back(front_.nrow);
      set_borders(*of);
    }
  }

  void append_to(ExtendAddLists& out) const {
    for (Index c = 0; c < columns_.parts(); ++c) {
      for (Index r = 0; r < rows_.parts(); ++r) {
        if (rows_.begin[r + 1] > columns_.begin[c]) append_tile(r, c, out);
      }
    }
  }

 private:
  static void cut(Cut& of, Index begin, Index end, Index width) {
    for (Index at = begin; at < end; at += width) of.begin.push_back(at);
  }

  void set_borders(Cut& of) const {
    for (Index k = front_.child_begin; k < front_.child_end; ++k) {
      const Child& child = lists_.children[k];
      const auto places = lists_.relind.subspan(static_cast<std::size_t>(child.relind),
                                                static_cast<std::size_t>(child.nupd));
      std::vector<Index>& border = of.border.emplace_back();
      for (const Index at : of.begin) {
        border.push_back(static_cast<Index>(std::ranges::lower_bound(places, at) - places.begin()));
      }
    }
  }

  void append_tile(Index r, Index c, ExtendAddLists& out) const {
    const Index first = static_cast<Index>(out.pieces.size());
    for (std::size_t k = 0; k < rows_.border.size(); ++k) {
      const ExtendAddPiece piece{front_.child_begin + static_cast<Index>(k), rows_.border[k][r],
                                 rows_.border[k][r + 1], columns_.border[k][c],
                                 columns_.border[k][c + 1]};
      const bool empty = piece.row_begin == piece.row_end ||
                         piece.column_begin == piece.column_end ||
                         piece.row_end <= piece.column_begin;
      if (!empty) out.pieces.push_back(piece);
    }
    const Index last = static_cast<Index>(out.pieces.size());
    if (first == last) return;
    out.tiles.push_back({f_, rows_.begin[r], columns_.begin[c],
                         columns_.begin[c + 1] - columns_.begin[c], first, last});
  }

  const FrontLists& lists_;
  Index f_;
  const Front& front_;
  Cut rows_, columns_;
};

void require_valid(const ExtendAddParams& params) {
  if (!params.valid()) {
    throw InvalidArgument("extend_add: no such tiles: " + params.build_options());
  }
}

}  // namespace

bool ExtendAddParams::valid() const {
  return tile_rows > 0 && tile_columns > 0 && group > 0 && group <= 1024 &&
         group % tile_rows == 0 && tile_columns <= (1 << 16) / tile_rows;
}

std::string ExtendAddParams::build_options() const {
  return "-DTILE_ROWS=" + std::to_string(tile_rows) +
         " -DTILE_COLUMNS=" + std::to_string(tile_columns) + " -DGROUP=" + std::to_string(group);
}

ExtendAddLists make_extend_add_lists(const FrontLists& lists, std::span<const Index> listed,
                                     const ExtendAddParams& params) {
  require_valid(params);
  ExtendAddLists out;
  for (const Index f : listed) FrontTiles(lists, f, params).append_to(out);
  return out;
}

template <class T>
ExtendAdd<T>::ExtendAdd(ProgramCache& programs, const ExtendAddParams& params) : params_(params) {
  require_valid(params);
  kernel_ = programs.program("extend_add.cl", real_options<T>() + " " + params.build_options())
                .kernel("extend_add");
}

template <class T>
void ExtendAdd<T>::run(Queue& queue, const FrontViews& lists, DeviceView<const ExtendAddTile> tiles,
                       DeviceView<const ExtendAddPiece> pieces, DeviceView<const T> from_updates,
                       DeviceView<T> panels, DeviceView<T> updates) {
  launch(queue, kernel_, work_groups_of(params_.group, tiles.size), tiles, pieces, lists.fronts,
         lists.children, lists.relind, from_updates, panels, updates);
}

template class ExtendAdd<double>;
template class ExtendAdd<float>;

}  // namespace clchol::gpu
