// Where the blocks lie that diagonal blocks of a front are coupled by: front_solve_args.h.  After
// solve_sides.cl.
#define BLOCK 64
#define BLOCK_SIZE ((Offset)BLOCK * BLOCK)

// Of a front with so many diagonal blocks, in spans of `span`; block numbers count in the front.
typedef struct Spans {
  Offset inverses, couplings;
  int span, blocks;
} Spans;

INLINE int begin_of_span(__private const Spans* s, int block) { return block - block % s->span; }

// W(i, m), i > m in one span; W(i, i), the inverse of L(i, i).
INLINE Offset inside_at(__private const Spans* s, int i, int m) {
  const int of_span = s->span * (s->span - 1) / 2, row = i % s->span;
  if (i == m) return s->inverses + i * BLOCK_SIZE;
  return s->couplings + (i / s->span * of_span + row * (row - 1) / 2 + m % s->span) * BLOCK_SIZE;
}
// What follows pair by pair of neighbouring spans: of the pair whose second span has block i.
INLINE Offset pair_at(__private const Spans* s, int i) {
  const int num_spans = (s->blocks + s->span - 1) / s->span;
  const int inside = num_spans * (s->span * (s->span - 1) / 2);
  return s->couplings + (inside + (i / s->span - 1) * 2 * s->span * s->span) * BLOCK_SIZE;
}
// C(i, j) of block i and one of the span before; D(i, j).
INLINE Offset before_at(__private const Spans* s, int i, int j) {
  return pair_at(s, i) + (i % s->span * s->span + j % s->span) * BLOCK_SIZE;
}
INLINE Offset behind_at(__private const Spans* s, int i, int j) {
  return before_at(s, i, j) + s->span * s->span * BLOCK_SIZE;
}
