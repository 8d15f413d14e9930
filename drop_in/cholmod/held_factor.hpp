// What clchol holds for a cholmod_factor that it has analysed.
//
// To its caller, L is a factor in one of three states:
//
//   symbolic   L->xtype is CHOLMOD_PATTERN: Perm and ColCount alone, as of a simplicial factor.
//   hollow     L->xtype is CHOLMOD_REAL, but L has no array of values: clchol has the factor, and
//              solves.  All functions of CHOLMOD that take a factor are defined here, so that none
//              reads the missing arrays.
//   filled     L has arrays of values: CHOLMOD's functions and the caller may read L.  L is
//              supernodal now if CHOLMOD would have made a supernodal factor.
//
// Some callers order A themselves, and ask for exactly that order.  Solutions of A x = b do not
// show the order: clchol factors in an order of its own, while L is CHOLMOD's own symbolic factor,
// which CHOLMOD fills if it must be filled.
//
// A function that changes values of L fills L first, and the values are CHOLMOD's from then on.
#pragma once

#include <cholmod.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "clchol/clchol.hpp"

namespace clchol::drop_in {

/// A matrix, A + beta I, as it was passed.
struct KeptMatrix {
  std::vector<SuiteSparse_long> colptr, rowind;
  std::vector<double> values;
  int stype = 0;
  double beta = 0;
};

/// What tells one pattern from another: two that have equal fingerprints differ with a probability
/// of 2^-64, and then a factorization, which compares the patterns, analyses again.
struct Fingerprint {
  std::uint64_t hash = 0;
  std::size_t rows = 0, entries = 0;
  int stype = 0;

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

std::uint64_t hash_of(std::span<const std::byte> colptr, std::span<const std::byte> rowind);

struct HeldFactor {
  explicit HeldFactor(Options options) : solver(std::move(options)) {}

  SparseCholesky<double> solver;
  // An analysis for the next factorization, of the factor that this one is a copy of.
  std::vector<std::byte> copied_analysis;
  Fingerprint pattern;  // Fingerprint of the pattern that the solver has analysed.
  // Whether CHOLMOD, by Common's options at the analysis, would have made a supernodal factor.
  bool is_supernodal = false;
  // Whether L is filled as a supernodal factor.
  bool fills_supernodal = false;
  // Whether L is CHOLMOD's own symbolic factor, in the order that the caller asked for.
  bool has_exact_order = false;
  // The matrix that was factored, where CHOLMOD is to fill L.
  KeptMatrix matrix;
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

// ---- The factor that was freed last
// --------------------------------------------------------------
//
// Programs often free a factor and analyse the same pattern again, in each time step.  The factor
// that was freed last is kept for this, with its analysis and its memory, until another pattern is
// analysed or cholmod_finish() is called.  Some programs call cholmod_finish() in each step, too:
// the bytes of the saved analysis outlive it, or with CLCHOL_KEEP=1 the whole factor does.

/// From now on L is CHOLMOD's own.  What clchol held for L becomes the spare factor.
void spare_held(const cholmod_factor* l);
/// Makes a saved analysis of the spare factor, and frees the factor.  Where memory does not
/// suffice, nothing is saved.
void save_spare() noexcept;
/// Returns the spare factor if it is one of this pattern, analysed with these options; otherwise
/// null.  There is no spare factor afterwards.
HeldPointer take_spare(const Fingerprint& pattern, const AnalysisOptions& options);
/// Returns the saved analysis if it is one of this pattern, made with these options; otherwise no
/// bytes.  There is no saved analysis afterwards.
std::vector<std::byte> take_saved(const Fingerprint& pattern, const AnalysisOptions& options);

}  // namespace clchol::drop_in
