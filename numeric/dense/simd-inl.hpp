// Included once per instruction set: vector operations that the tiles need beyond Highway's own,
// and the shape of the register tile.
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

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vector = hn::Vec<Tag<T>>;

/// Shape of the register tile: kVectors vectors of rows by kColumns columns of accumulators.  The
/// registers must also hold kVectors vectors of the left operand and one broadcast entry of the
/// right operand.  kRows is a multiple of kColumns, and kColumns divides kUpdateBlock.
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
  static constexpr int kVectors = 2, kColumns = 4;  // 16 registers, no fused product: 8 + 2 + 2.
#endif
  static constexpr int kRows = kVectors * kLanes;
  static_assert(kRows % kColumns == 0);
};

/// Keeps a loaded vector in a register.  Otherwise gcc folds the load into every product that uses
/// the vector: a 12 x 4 tile then has 16 loads for each k instead of 7, and a third less speed.
template <class V>
HWY_INLINE void keep_in_register(V& v) {
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  asm("" : "+v"(v.raw));
#else
  (void)v;
#endif
}

/// @return a vector with lane J of v in every lane.
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
    return hn::Set(d, hn::GetLane(hn::Broadcast<J>(v)));  // Cheaper than a shuffle across blocks.
  } else if constexpr (TileShape<T>::kLanes == 2 * kPerBlock) {
    return hn::Broadcast<J % kPerBlock>(hn::ConcatUpperUpper(d, v, v));
  } else {
    const hn::RebindToSigned<Tag<T>> di;
    return hn::TableLookupLanes(v, hn::IndicesFromVec(d, hn::Set(di, J)));
  }
#endif
}

/// @return v with lane J replaced by lane J of `lane`.
template <int J, class T>
HWY_INLINE Vector<T> replace_lane(Vector<T> v, Vector<T> lane) {
#if HWY_TARGET == HWY_SCALAR
  (void)v;
  return lane;
#else
  constexpr Tag<T> d;
  const hn::RebindToUnsigned<Tag<T>> du;
  using Bits = hn::TFromD<decltype(du)>;
  // A vector loaded at kWindow.bits + kLanes - J has all bits set in lane J and no others.
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

/// Stores the first `count` lanes of v, 1 <= count <= number of lanes.  Stores halves of v where
/// the target has no cheap masked store: AMD processors run AVX2's masked stores as microcode.
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
/// x[0] -= the sum of v's even lanes, x[1] -= the sum of v's odd lanes.
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

/// x[0] -= the sum of a's lanes, x[1] -= the sum of b's lanes.  Both sums need half the shuffles of
/// two single sums.
template <class T>
HWY_INLINE void subtract_sums(Vector<T> a, Vector<T> b, T* x) {
#if HWY_TARGET == HWY_SCALAR
  x[0] -= hn::GetLane(a);
  x[1] -= hn::GetLane(b);
#else
  constexpr Tag<T> d;
  // Even lanes are partial sums of a, odd lanes of b.  subtract_folded() adds the upper half to the
  // lower half until two lanes are left.
  const auto both = hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  subtract_folded(d, both, x);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#endif
