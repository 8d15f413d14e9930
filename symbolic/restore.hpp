// Completes a symbolic factor from the members that were saved in a file.
#pragma once

#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

/// Checks the saved members and computes the other members from them.  If restore() returns, the
/// factor is safe to use whatever the file held: every index is in range, and the members agree.
///
/// The caller fills n, nsuper, permutation.perm, colcount, super_ptr, super_parent, super_rowptr
/// and super_rowind, and of info exact_supernodes, dynamic_supernodes and backward_search.
/// symbolic_factor.hpp says how long each vector must be.  The checks are:
///
///   * perm is a permutation, and every column is in exactly one supernode;
///   * the assembly tree is numbered in a postorder;
///   * each row list begins with the supernode's own columns and ascends;
///   * the update rows of a front are rows of its parent, the first update row is a pivot column of
///     the parent, and roots have no update rows (so that a factorization causes no fill outside
///     the structure);
///   * no column count exceeds the number of rows of the front from the column's own row on.
///
/// restore() does not check that the structure contains the pattern of a matrix; make_entry_map()
/// does.
/// Throws InvalidArgument, which names the fault; std::bad_alloc.
/// Cost O(n + length of the row lists); workspace n indices per thread.
void restore(SymbolicFactor& factor, int threads);

}  // namespace clchol::symbolic
