// Padded index of element i of an array in local memory, with which a tree over 512 elements has no
// bank conflicts:
//
//   PADDED(i) = i + floor(i / banks) + floor(i / banks^2),  banks = 2^LOG_BANKS
//
// The text is valid C++ too: a test counts the conflicts of every level.
//
// Local memory has 32 banks of 4 bytes.  A warp reads 32 values of 4 bytes at once, or 32 values of
// 8 bytes in two turns of 16.  So values of 8 bytes have 16 banks of their own size.  One element
// is left free after every `banks` values, and one more after every `banks` such rows: strides of
// any power of two then go to different banks.  [HSO07, Sec. 39.2.3]
#ifndef LOG_BANKS
#define LOG_BANKS 4  // Logarithm of the number of banks: 4 for values of 8 bytes, 5 for 4 bytes.
#endif
// NOLINTNEXTLINE(readability-identifier-naming): the kernels' name.
#define PADDED(i) ((i) + ((i) >> LOG_BANKS) + ((i) >> (2 * LOG_BANKS)))
