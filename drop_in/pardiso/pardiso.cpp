// The functions of the library, by their names in C and Fortran.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "clchol/types.hpp"
#include "drop_in/pardiso/call.hpp"
#include "drop_in/pardiso/phases.hpp"

using clchol::drop_in::Call;
using clchol::drop_in::Error;
using clchol::drop_in::Parameters;

namespace {

/// The type of pardiso() (I is int32) and of pardiso_64() (int64).
template <class I>
using Function = void(void* pt, const I* maxfct, const I* mnum, const I* mtype, const I* phase,
                      const I* n, const void* a, const I* ia, const I* ja, I* perm, const I* nrhs,
                      I* iparm, const I* msglvl, void* b, void* x, I* error);
using Init = void(void* pt, const std::int32_t* mtype, std::int32_t* iparm);

template <class I>
void run(void* pt, const I* maxfct, const I* mnum, const I* mtype, const I* phase, const I* n,
         const void* a, const I* ia, const I* ja, I* perm, const I* nrhs, I* iparm, const I* msglvl,
         void* b, void* x, I* error) {
  // A number that is missing becomes 0, which none but msglvl may be.
  const auto value_of = [](const I* argument) { return argument == nullptr ? I{0} : *argument; };
  Error ended = Error::kInconsistentInput;
  if (pt != nullptr && phase != nullptr && iparm != nullptr) {
    ended = clchol::drop_in::run(Call<I>{pt, value_of(maxfct), value_of(mnum), value_of(mtype),
                                         *phase, value_of(n), a, ia, ja, perm, value_of(nrhs),
                                         Parameters<I>(iparm), value_of(msglvl), b, x});
  }
  if (error != nullptr) *error = static_cast<I>(ended);
}

}  // namespace

extern "C" {

CLCHOL_EXPORT void pardiso(void* pt, const std::int32_t* maxfct, const std::int32_t* mnum,
                           const std::int32_t* mtype, const std::int32_t* phase,
                           const std::int32_t* n, const void* a, const std::int32_t* ia,
                           const std::int32_t* ja, std::int32_t* perm, const std::int32_t* nrhs,
                           std::int32_t* iparm, const std::int32_t* msglvl, void* b, void* x,
                           std::int32_t* error) {
  run(pt, maxfct, mnum, mtype, phase, n, a, ia, ja, perm, nrhs, iparm, msglvl, b, x, error);
}

CLCHOL_EXPORT void pardiso_64(void* pt, const std::int64_t* maxfct, const std::int64_t* mnum,
                              const std::int64_t* mtype, const std::int64_t* phase,
                              const std::int64_t* n, const void* a, const std::int64_t* ia,
                              const std::int64_t* ja, std::int64_t* perm, const std::int64_t* nrhs,
                              std::int64_t* iparm, const std::int64_t* msglvl, void* b, void* x,
                              std::int64_t* error) {
  run(pt, maxfct, mnum, mtype, phase, n, a, ia, ja, perm, nrhs, iparm, msglvl, b, x, error);
}

CLCHOL_EXPORT void pardisoinit(void* pt, const std::int32_t* mtype, std::int32_t* iparm) {
  constexpr std::size_t kWords = 64;  // Length of pt.
  static_cast<void>(mtype);           // The defaults are those of positive definite matrices.
  if (pt != nullptr) std::fill_n(static_cast<std::int64_t*>(pt), kWords, 0);
  if (iparm != nullptr) Parameters<std::int32_t>(iparm).set_defaults();
}

// NOLINTBEGIN(readability-identifier-naming): the names are PARDISO's.
CLCHOL_EXPORT Function<std::int32_t> PARDISO __attribute__((alias("pardiso")));
CLCHOL_EXPORT Function<std::int32_t> pardiso_ __attribute__((alias("pardiso")));
CLCHOL_EXPORT Function<std::int64_t> PARDISO_64 __attribute__((alias("pardiso_64")));
CLCHOL_EXPORT Function<std::int64_t> pardiso_64_ __attribute__((alias("pardiso_64")));
CLCHOL_EXPORT Init PARDISOINIT __attribute__((alias("pardisoinit")));
CLCHOL_EXPORT Init pardisoinit_ __attribute__((alias("pardisoinit")));

// What Fortran's module MKL_PARDISO calls for PARDISO and PARDISO_64, by the type and the rank of
// b.
CLCHOL_EXPORT Function<std::int32_t> pardiso_d_ __attribute__((alias("pardiso")));
CLCHOL_EXPORT Function<std::int32_t> pardiso_d_2d_ __attribute__((alias("pardiso")));
CLCHOL_EXPORT Function<std::int32_t> pardiso_s_ __attribute__((alias("pardiso")));
CLCHOL_EXPORT Function<std::int32_t> pardiso_s_2d_ __attribute__((alias("pardiso")));
CLCHOL_EXPORT Function<std::int64_t> pardiso_d_64_ __attribute__((alias("pardiso_64")));
CLCHOL_EXPORT Function<std::int64_t> pardiso_d_64_2d_ __attribute__((alias("pardiso_64")));
CLCHOL_EXPORT Function<std::int64_t> pardiso_s_64_ __attribute__((alias("pardiso_64")));
CLCHOL_EXPORT Function<std::int64_t> pardiso_s_64_2d_ __attribute__((alias("pardiso_64")));
// NOLINTEND(readability-identifier-naming)

}  // extern "C"
