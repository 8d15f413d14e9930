// Vector operations that the dense kernels need in addition to the operations of the Highway
// library, and the shape of the register tile (tile-inl.hpp).  This file is compiled once for each
// instruction set.
#if defined(CLCHOL_NUMERIC_DENSE_SIMD_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CLCHOL_NUMERIC_DENSE_SIMD_INL_HPP
#undef CLCHOL_NUMERIC_DENSE_SIMD_INL_HPP
#else
#define CLCHOL_NUMERIC_DENSE_SIMD_INL_HPP
#endif

#include <hwy/highway.h>

#include "base/types.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric::dense {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Highway's descriptor of a full vector register with lanes of type T.
template <class T>
using Tag = hn::ScalableTag<T>;
/// A full vector register with lanes of type T.
template <class T>
using Vector = hn::Vec<Tag<T>>;

/// Shape of the register tile, the block of a product C - A B' that is accumulated in registers.
/// The tile has kRows x kColumns entries.  Each column of the tile is kVectors vectors of kLanes
/// entries.  The registers must hold kVectors * kColumns vectors of C, kVectors vectors of A, and
/// one broadcast entry of B.  The comments in the struct give the numbers of registers for these
/// three purposes, in this order.  kRows must be a multiple of kColumns, and kColumns must divide
/// kUpdateBlock (base/update_layout.hpp).
///
/// Highway gives better instruction sets of x86 smaller numbers, so HWY_TARGET <= HWY_AVX3 means
/// AVX3 or better.
template <class T>
struct TileShape {
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag<T>()));
#if HWY_TARGET <= HWY_AVX3
  static constexpr int kVectors = 3, kColumns = 8;  // 32 registers: 24 + 3 + 1.
#elif HWY_TARGET == HWY_AVX2
  static constexpr int kVectors = 3, kColumns = 4;  // 16 registers: 12 + 3 + 1.
#elif HWY_TARGET == HWY_NEON || HWY_TARGET == HWY_SCALAR
  static constexpr int kVectors = 4, kColumns = 4;  // 32 registers (NEON): 16 + 4 + 1.
#else
  // 16 registers: 8 + 2 + 1, and 1 register for a product, because there is no fused multiply-add.
  static constexpr int kVectors = 2, kColumns = 4;
#endif
  static constexpr int kRows = kVectors * kLanes;
  static_assert(kRows % kColumns == 0);
};

/// Forces gcc to keep the loaded vector v in a register.  Otherwise gcc loads v again, as a memory
/// operand, for every product that uses v.  A tile of 12 x 4 doubles (AVX2) then makes 16 loads for
/// each column of A and B (3 * 4 of A, 4 of B) instead of 7 (3 of A, 4 of B), and is a third
/// slower.
template <class V>
HWY_INLINE void keep_in_register(V& v) {
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  asm("" : "+v"(v.raw));
#else
  (void)v;
#endif
}

/// @return a vector whose lanes are all equal to lane J of v.
template <int J, class T>
HWY_INLINE Vector<T> broadcast_lane(Vector<T> v) {
#if HWY_TARGET == HWY_SCALAR
  return v;
#else
  constexpr Tag<T> d;
  constexpr int kPerBlock = 16 / sizeof(T);
  if constexpr (TileShape<T>::kLanes <= kPerBlock) {
    return hn::Broadcast<J>(v);
  } else if constexpr (J == 0) {
    return hn::Set(d, hn::GetLane(v));
  } else if constexpr (J < kPerBlock) {
    // Cheaper than a shuffle across 16-byte blocks.
    return hn::Set(d, hn::GetLane(hn::Broadcast<J>(v)));
  } else if constexpr (TileShape<T>::kLanes == 2 * kPerBlock) {
    return hn::Broadcast<J % kPerBlock>(hn::ConcatUpperUpper(d, v, v));
  } else {
    const hn::RebindToSigned<Tag<T>> di;
    return hn::TableLookupLanes(v, hn::IndicesFromVec(d, hn::Set(di, J)));
  }
#endif
}

/// @return a vector with lane J of the vector `lane`, and with all other lanes of v.
template <int J, class T>
HWY_INLINE Vector<T> replace_lane(Vector<T> v, Vector<T> lane) {
#if HWY_TARGET == HWY_SCALAR
  (void)v;
  return lane;
#else
  constexpr Tag<T> d;
  const hn::RebindToUnsigned<Tag<T>> du;
  using Bits = hn::TFromD<decltype(du)>;
  // A vector loaded from kWindow.bits + kLanes - J has all bits of lane J set, and all other bits
  // clear.
  constexpr int kLanes = TileShape<T>::kLanes;
  struct Window {
    Bits bits[2 * kLanes] = {};
    constexpr Window() { bits[kLanes] = ~Bits{0}; }
  };
  static constexpr Window kWindow;
  const auto mask = hn::MaskFromVec(hn::BitCast(d, hn::LoadU(du, kWindow.bits + kLanes - J)));
  return hn::IfThenElse(mask, lane, v);
#endif
}

/// Stores the first `count` lanes of v at `to`, and writes nothing after them.  Without AVX3 the
/// function stores halves of v, then halves of a half, and so on, because masked stores are slow:
/// AMD processors run AVX2's masked stores as microcode.
/// @param count  1 <= count <= number of lanes.
template <class D>
HWY_INLINE void store_first(D d, hn::Vec<D> v, hn::TFromD<D>* to, Index count) {
#if HWY_TARGET == HWY_SCALAR
  (void)count;
  hn::StoreU(v, d, to);
#elif HWY_TARGET <= HWY_AVX3
  hn::BlendedStore(v, hn::FirstN(d, static_cast<size_t>(count)), d, to);
#else
  constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(d));
  if (count == kLanes) {
    hn::StoreU(v, d, to);
  } else if constexpr (kLanes > 1) {
    const hn::Half<D> half;
    const auto low = hn::LowerHalf(half, v);
    if (count < kLanes / 2) {
      store_first(half, low, to, count);
      return;
    }
    hn::StoreU(low, half, to);
    if (count > kLanes / 2) {
      store_first(half, hn::UpperHalf(half, v), to + kLanes / 2, count - kLanes / 2);
    }
  }
#endif
}

#if HWY_TARGET != HWY_SCALAR
/// Subtracts the sum of v's lanes 0, 2, 4, ... from x[0], and the sum of v's lanes 1, 3, 5, ...
/// from x[1].
template <class D>
HWY_INLINE void subtract_folded(D d, hn::Vec<D> v, hn::TFromD<D>* x) {
  if constexpr (hn::MaxLanes(D()) == 2) {
    hn::StoreU(hn::Sub(hn::LoadU(d, x), v), d, x);
  } else {
    const hn::Half<D> half;
    subtract_folded(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), x);
  }
}
#endif

/// Subtracts the sum of a's lanes from x[0], and the sum of b's lanes from x[1].  Computing the two
/// sums together takes half as many shuffles as computing two separate sums.
template <class T>
HWY_INLINE void subtract_sums(Vector<T> a, Vector<T> b, T* x) {
#if HWY_TARGET == HWY_SCALAR
  x[0] -= hn::GetLane(a);
  x[1] -= hn::GetLane(b);
#else
  constexpr Tag<T> d;
  // Lanes 0, 2, ... of `both` are partial sums of a, and lanes 1, 3, ... are partial sums of b.
  // subtract_folded() adds the upper half of the lanes to the lower half until two lanes are left.
  const auto both = hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  subtract_folded(d, both, x);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#endif
