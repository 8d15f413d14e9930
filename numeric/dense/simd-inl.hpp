// Vector operations that the dense kernels need in addition to those of the Highway library, and
// the shape of the register tile (tile-inl.hpp).  This file is included once per instruction set.
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

/// Highway's descriptor of a full vector with lanes of type T.
template <class T>
using Tag = hn::ScalableTag<T>;
/// A full vector with lanes of type T.
template <class T>
using Vector = hn::Vec<Tag<T>>;

/// Shape of the register tile, the block of a product that is accumulated in registers: kRows rows,
/// which are kVectors vectors, by kColumns columns.  The registers must hold the accumulators, then
/// kVectors vectors of the left operand, and one broadcast entry of the right operand: the comments
/// in the struct count registers in this order.  kRows must be a multiple of kColumns, and kColumns
/// must divide kUpdateBlock.
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
  // 16 registers: 8 + 2 + 1, and 1 for a product, because there is no fused multiply-add.
  static constexpr int kVectors = 2, kColumns = 4;
#endif
  static constexpr int kRows = kVectors * kLanes;
  static_assert(kRows % kColumns == 0);
};

/// Forces gcc to keep the loaded vector v in a register.  Otherwise gcc repeats the load as a
/// memory operand of every product that uses v: a 12 x 4 tile then has 16 loads per column of the
/// operands instead of 7, and is a third slower.
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

/// Stores the first `count` lanes of v, 1 <= count <= number of lanes, and writes no memory behind
/// them.  Without AVX3 it stores halves of v, and halves of halves, because masked stores are slow:
/// AMD processors run AVX2's masked stores as microcode.
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
/// Subtracts the sum of v's even lanes from x[0], and the sum of v's odd lanes from x[1].
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

/// Subtracts the sum of a's lanes from x[0], and the sum of b's lanes from x[1].  Two sums at once
/// need half as many shuffles as two separate sums.
template <class T>
HWY_INLINE void subtract_sums(Vector<T> a, Vector<T> b, T* x) {
#if HWY_TARGET == HWY_SCALAR
  x[0] -= hn::GetLane(a);
  x[1] -= hn::GetLane(b);
#else
  constexpr Tag<T> d;
  // Even lanes of `both` are partial sums of a, and odd lanes are partial sums of b.
  // subtract_folded() adds the upper half to the lower half until two lanes are left.
  const auto both = hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  subtract_folded(d, both, x);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#endif
