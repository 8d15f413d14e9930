// Chooses the instruction sets ("targets" in Highway) that the dense kernels are compiled for, by
// defining Highway's macro HWY_DISABLED_TARGETS.  This file must be included before
// <hwy/highway.h> and <hwy/foreach_target.h>.
//
// The kernels are compiled for SSE4, AVX2, AVX3 (Highway's name for AVX-512) and the compiler's
// baseline on x86, and for NEON on ARM.  SSSE3 is left out because all x86 processors in use
// support newer instruction sets too.  SVE (ARM) and RVV (RISC-V) are left out because the sizes of
// their vector types are unknown at compile time, so that these types cannot be array elements.
#pragma once

#include <hwy/detect_compiler_arch.h>

#ifdef CLCHOL_NO_AVX3  // Defined when the CMake option CLCHOL_SIMD_TARGETS is AVX2.
#define CLCHOL_LEFT_OUT_TARGETS (HWY_AVX3 | HWY_AVX3_DL)
#else
#define CLCHOL_LEFT_OUT_TARGETS 0
#endif

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS                                                                 \
  (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_WASM_EMU256 | \
   CLCHOL_LEFT_OUT_TARGETS)
