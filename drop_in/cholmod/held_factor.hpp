// What clchol holds for a cholmod_factor that it has analysed.
//
// To its caller, L is a simplicial factor in one of three states:
//
//   symbolic   L->xtype is CHOLMOD_PATTERN: Perm and ColCount alone.
//   hollow     L->xtype is CHOLMOD_REAL, but L has no arrays of values: clchol has the factor, and
//              solves.  All functions of CHOLMOD that take a factor are defined here, so that none
//              reads the missing arrays.
//   filled     L has arrays of values: CHOLMOD's functions and the caller may read L.
//
// A function that changes values of L fills L first, and the values are CHOLMOD's from then on.
#pragma once

#include <cholmod.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "clchol/clchol.hpp"

namespace clchol::drop_in {

struct HeldFactor {
  explicit HeldFactor(Options options) : solver(std::move(options)) {}

  SparseCholesky<double> solver;
  // An analysis for the next factorization, of the factor that this one is a copy of.
  std::vector<std::byte> copied_analysis;
  // Whether CHOLMOD, by Common's options at the analysis, would have made a supernodal factor.
  bool is_supernodal = false;
  // Whether the solver has the factor that L is to hold.
  bool has_values = false;
  // Guards has_values and what L points to: several threads may solve with one factor, and the
  // first one that needs its values fills it.
  std::mutex mutex;
};

using HeldPointer = std::shared_ptr<HeldFactor>;

/// Returns whether L is hollow.
bool is_hollow(HeldFactor& held, const cholmod_factor& l);

/// Returns what clchol holds for L; null where L is CHOLMOD's own.
HeldPointer find_held(const cholmod_factor* l);
/// From now on clchol holds `held` for L.
void keep_held(const cholmod_factor* l, HeldPointer held);
/// From now on L is CHOLMOD's own.
void drop_held(const cholmod_factor* l);

}  // namespace clchol::drop_in
