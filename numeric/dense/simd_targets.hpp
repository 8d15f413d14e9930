// Chooses the instruction sets ("targets" in Highway) that the dense kernels are compiled for, by
// the macro HWY_DISABLED_TARGETS.  Must be included before <hwy/highway.h> and
// <hwy/foreach_target.h>.
//
// x86: SSE4, AVX2, AVX3 (Highway's name for AVX-512) and the compiler's baseline.  ARM: NEON.
// SSSE3 is left out because every processor in use has more than SSSE3.  SVE and RVV are left out
// because their vector types have no size at compile time and so cannot be array elements.
#pragma once

#include <hwy/detect_compiler_arch.h>

#ifdef CLCHOL_NO_AVX3  // Defined by the CMake option CLCHOL_SIMD_TARGETS=AVX2.
#define CLCHOL_LEFT_OUT_TARGETS (HWY_AVX3 | HWY_AVX3_DL)
#else
#define CLCHOL_LEFT_OUT_TARGETS 0
#endif

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS                                                                 \
  (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_WASM_EMU256 | \
   CLCHOL_LEFT_OUT_TARGETS)
