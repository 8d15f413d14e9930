// Positions of a front's inverted diagonal blocks and couplings, which front_solve_args.h defines.
// Include solve_sides.cl first.
#define BLOCK 64
#define BLOCK_SIZE ((Offset)BLOCK * BLOCK)

// The spans of a front.  In the functions below, block numbers count in the front.
typedef struct Spans {
  Offset inverses, couplings;  // As in SolveFront.
  int span, blocks;            // Diagonal blocks of a span, and of the front.
} Spans;

INLINE int begin_of_span(__private const Spans* s, int block) { return block - block % s->span; }

// Returns the position of W(i, m), with i >= m in one span; W(i, i) is the inverse of L(i, i).
INLINE Offset inside_at(__private const Spans* s, int i, int m) {
  const int of_span = s->span * (s->span - 1) / 2, row = i % s->span;
  if (i == m) return s->inverses + i * BLOCK_SIZE;
  return s->couplings + (i / s->span * of_span + row * (row - 1) / 2 + m % s->span) * BLOCK_SIZE;
}
// Returns the position of the blocks C and D of two neighbouring spans, the second of which has
// block i.
INLINE Offset pair_at(__private const Spans* s, int i) {
  const int num_spans = (s->blocks + s->span - 1) / s->span;
  const int inside = num_spans * (s->span * (s->span - 1) / 2);
  return s->couplings + (inside + (i / s->span - 1) * 2 * s->span * s->span) * BLOCK_SIZE;
}
// Return the positions of C(i, j) and D(i, j), with j in the span before i's.
INLINE Offset before_at(__private const Spans* s, int i, int j) {
  return pair_at(s, i) + (i % s->span * s->span + j % s->span) * BLOCK_SIZE;
}
INLINE Offset behind_at(__private const Spans* s, int i, int j) {
  return before_at(s, i, j) + s->span * s->span * BLOCK_SIZE;
}
