// A symbolic factor made whole again from the members that were saved.
#pragma once

#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

/// Checks the saved members and fills the others from them, so that a factor of any origin is safe
/// to work with: every index is in range, and the members agree.
///
/// Saved are n, nsuper, permutation.perm, colcount, super_ptr, super_parent, super_rowptr,
/// super_rowind, and of info exact_supernodes, dynamic_supernodes and backward_search; the vectors
/// have the lengths that symbolic_factor.hpp names.  Checked is
///
///   * that perm is a permutation, and that the supernodes divide the columns between them;
///   * that the assembly tree is numbered in a postorder;
///   * that each row list begins with the supernode's own columns and ascends; that the update rows
///     stand among the parent's rows, the first of them among its columns; that roots have none:
///     the structure is closed under elimination;
///   * that no column count exceeds what the row list leaves room for.
///
/// Whether the structure holds a matrix' pattern is not known here; make_entry_map() finds out.
/// Throws InvalidArgument naming what is wrong, std::bad_alloc.
/// Cost O(n + length of the row lists); workspace n indices a thread.
void restore(SymbolicFactor& factor, int threads);

}  // namespace clchol::symbolic
