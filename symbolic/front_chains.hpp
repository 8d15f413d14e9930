// Divides large fronts of a symbolic factor into chains of fronts, for an engine that has no memory
// for the panel of a large front as a whole.
//
// A front with ncol pivot columns becomes a chain of fronts, its links.  Each link has some of the
// pivot columns, and its update matrix covers all later rows.  Each link is the only child of the
// next link.
//
//   front                  chain of three links
//   +--------+             +--+
//   |        |             |  |            +--+
//   | ncol   +-----+       |1 |.....       |  |           +--+
//   |        |     |       |  |    .       |2 |....       |3 |
//   | panel  |  U  |       |  | U1 .       |  | U2.       |  | U
//   +--------+-----+       +--+.....       +--+....       +--+-----+
//
// The factor L has the same bits in both forms, if an engine adds the products to each entry in the
// order of the columns: to store an entry in an update matrix and to load it again is exact.  For
// this purpose, the first link adds A's entries in all columns of the chain
// (ChainedFactor::entry_columns), because the engine adds A's entries before all products.
#pragma once

#include <vector>

#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

/// A symbolic factor in which large fronts are divided into chains.
struct ChainedFactor {
  /// The factor with the links as fronts.  n, the columns and the permutation are those of the
  /// undivided factor, so that the undivided factor's entry map is valid for the first link of each
  /// chain, with A's entries in all columns of the chain.  All children of an undivided front are
  /// children of the chain's first link, although some may have no update row among the first
  /// link's columns.  Of `info`, the members that count fronts, entries and flops are set.
  SymbolicFactor factor;
  /// For each front of `factor`: supernode of the undivided factor that has the front's columns.
  /// Length factor.nsuper.
  std::vector<Index> super;
  /// For each front of `factor`: number of its first pivot column, and thus of its first row,
  /// within the front of the undivided factor.  0 unless the front is a later link of a chain.
  /// Length factor.nsuper.
  std::vector<Index> column;
  /// For each front of `factor`: number of columns of the front, from its first column on, to which
  /// the engine adds A's entries.  For the first link of a chain, all pivot columns of the chain;
  /// for a later link, 0; for an undivided front, its number of pivot columns.
  /// Length factor.nsuper.
  std::vector<Index> entry_columns;
};

/// Divides each front whose panel, of nrow * ncol entries, has more than `most` entries.  The panel
/// of a link has at most `most` entries, unless `block` columns have more entries already.
/// @param factor  A whole factor: every front has pivot columns.
/// @param block   All links except for the last link of a chain have a multiple of `block` columns.
/// Cost O(n + length of the row lists, those of the links included).
ChainedFactor divide_fronts(const SymbolicFactor& factor, Offset most, Index block);

}  // namespace clchol::symbolic
