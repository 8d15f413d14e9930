// Where element i of an array in local memory goes, so that a tree over 512 elements meets no bank
// twice.  Valid C++ too: a test counts the conflicts of every level.
//
// Memory has 32 banks of 4 bytes; a warp reads 32 values of 4 bytes at once, or 16 of 8 bytes in
// each of two turns.  So values of 8 bytes have 16 banks of their own size.  One place is left free
// after as many values as there are banks, and one more after as many such rows: strides by any
// power of two then run over different banks.  [HSO07, Sec. 39.2.3]
#ifndef LOG_BANKS
#define LOG_BANKS 4  // Of the value's size: 4 for 8 bytes, 5 for 4 bytes.
#endif
// NOLINTNEXTLINE(readability-identifier-naming): the kernels' name.
#define PADDED(i) ((i) + ((i) >> LOG_BANKS) + ((i) >> (2 * LOG_BANKS)))
