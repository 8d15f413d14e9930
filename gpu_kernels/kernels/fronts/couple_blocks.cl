// Computes the couplings W, C and D of diagonal blocks of fronts, which front_solve_args.h defines,
// for front_solve.cl.  In the forward solve, with right-hand side v,
//
//   r(b) = v(b) - sum over k of L(b, k) y(k)          blocks k left of the span before b's span
//   y(b) = sum over m of W(b, m) r(m) - sum over j of C(b, j) y(j)
//
// with blocks m <= b of b's span and blocks j of the span before.  So when y(j) becomes final, only
// C(b, j) y(j) is left to compute.  The backward solve uses W', D' and the span after, likewise.
//
//   operand    shape                  storage                                     access
//   couplings  list of SolveCoupling  two work-groups each; INSIDE couplings in   read
//                                     launches by distance from the diagonal, the
//                                     others in a last launch
//   panels     of the fronts          column-major, at even positions             read
//   inverses   BLOCK x BLOCK each     column-major: inverses, couplings           read, written
//
// Work-groups of GROUP = 128 work-items, two for each coupling, with half of the columns each.
// Latency of chains of a few products dominates, so all loads of a product are in flight at once.
// Local memory: COLUMNS * LD values.
#include "fronts/solve_sides.cl"
// In this order: solve_spans.cl uses solve_sides.cl.
#include "fronts/solve_spans.cl"

#define STEPS (BLOCK / 8)
#define COLUMNS (BLOCK / 2)
// Entries of the right operand that a work-item copies to local memory, all of one row.
#define BROUGHT (BLOCK * COLUMNS / GROUP)
// Leading dimension in local memory, which avoids bank conflicts.
#define LD (BLOCK + 4)

// The warp's part of a product: 16 rows of the work-group's columns.
typedef struct Product {
  double c[COLUMNS / 8][4];
} Product;

// A block of order 64 or less, by columns.
typedef struct Operand {
  __global const double* from;
  Offset ld;
  int rows;
} Operand;

INLINE int rows_of(const SolveCoupling coupling, int block) {
  return min(BLOCK, coupling.ncol - block * BLOCK);
}
// Returns block L(i, t).
INLINE Operand of_panel(__global const double* panels, const SolveCoupling coupling, int i, int t) {
  const Operand operand = {
      panels + coupling.panel + i * BLOCK + (Offset)t * BLOCK * coupling.ldp, coupling.ldp,
      rows_of(coupling, i)};
  return operand;
}
// Returns block W(i, t).
INLINE Operand of_inverses(__global const double* inverses, __private const Spans* spans, int i,
                           int t) {
  const Operand operand = {inverses + inside_at(spans, i, t), BLOCK, BLOCK};
  return operand;
}

INLINE int own_warp_row(void) { return 16 * (int)(get_local_id(0) / 32); }
INLINE int own_column(void) { return (int)(get_group_id(0) % 2) * COLUMNS; }

INLINE void load_left(__private double a[STEPS][4], const Operand left) {
  const Source source =
      source_of(left.from, left.ld, own_warp_row(), left.rows, 0, BLOCK, false);
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
    a[s][0] = a[s][1] = a[s][2] = a[s][3] = 0;
    load_step(a[s], &source, s, false);
  }
}
// Loads the work-item's entries of the work-group's columns, with zeros past the last row.
INLINE void load_right(__private double brought[BROUGHT], const Operand right) {
  const int row = (int)get_local_id(0) % BLOCK;
  __global const double* const from = right.from + min(row, right.rows - 1) +
                                      (own_column() + (int)get_local_id(0) / BLOCK) * right.ld;
#pragma unroll
  for (int u = 0; u < BROUGHT; ++u) {
    const double value = from[u * (GROUP / BLOCK) * right.ld];
    brought[u] = row < right.rows ? value : 0.0;
  }
}
INLINE void show_right(__local double* room, __private const double brought[BROUGHT]) {
  __local double* const to =
      room + (int)get_local_id(0) % BLOCK + (int)get_local_id(0) / BLOCK * LD;
#pragma unroll
  for (int u = 0; u < BROUGHT; ++u) to[u * (GROUP / BLOCK) * LD] = brought[u];
}

// sum += a * room
INLINE void add_product(__private Product* sum, __private double a[STEPS][4],
                        __local const double* room) {
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
#pragma unroll
    for (int n = 0; n < COLUMNS / 8; ++n) {
      __local const double* const from = room + 8 * s + LANE_T + (8 * n + LANE_G) * LD;
      const double b[2] = {from[0], from[4]};
      multiply_loaded(sum->c[n], a[s], b, false);
    }
  }
}

INLINE void clear_product(__private Product* sum) {
#pragma unroll
  for (int n = 0; n < COLUMNS / 8; ++n) sum->c[n][0] = sum->c[n][1] = sum->c[n][2] = sum->c[n][3] = 0;
}

// Returns an entry of the product, or zero past `rows` rows, where the product is undefined.
INLINE double entry_of(__private const Product* sum, int n, int e, int rows) {
  return own_warp_row() + 2 * LANE_G + e / 2 < rows ? sum->c[n][e] : 0.0;
}

// sum := -W(row, row) sum
INLINE void solve_product(__private Product* sum, __local double* room, const Operand inverse,
                          int rows) {
  double a[STEPS][4];
  load_left(a, inverse);
  LOCAL_BARRIER();
#pragma unroll
  for (int n = 0; n < COLUMNS / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      room[own_warp_row() + 2 * LANE_G + e / 2 + (8 * n + 2 * LANE_T + e % 2) * LD] =
          -entry_of(sum, n, e, rows);
    }
  }
  LOCAL_BARRIER();
  clear_product(sum);
  add_product(sum, a, room);
}

__kernel WORK_GROUP(GROUP) void couple_blocks(__global const SolveCoupling* couplings,
                                              Offset couplings_offset,
                                              __global const double* panels, Offset panels_offset,
                                              __global double* inverses, Offset inverses_offset) {
  LOCAL_ARRAY(double, room, COLUMNS* LD);
  const SolveCoupling coupling = couplings[couplings_offset + get_group_id(0) / 2];
  __global const double* const own_panels = panels + panels_offset;
  __global double* const own = inverses + inverses_offset;
  const Spans spans = {coupling.inverses, coupling.couplings, coupling.span,
                       (coupling.ncol + BLOCK - 1) / BLOCK};
  const int i = coupling.row, j = coupling.column;
  // Range of block numbers t that the sum runs over.
  int begin = j, end = i;
  if (coupling.kind == CLCHOL_COUPLE_BEFORE) {
    begin = begin_of_span(&spans, i);
    end = i + 1;
  } else if (coupling.kind == CLCHOL_COUPLE_BEHIND) {
    end = begin_of_span(&spans, j) + coupling.span;
  }
  Product sum;
  clear_product(&sum);
#pragma unroll 1
  for (int t = begin; t < end; ++t) {
    Operand first = of_panel(own_panels, coupling, i, t), second = of_inverses(own, &spans, t, j);
    if (coupling.kind == CLCHOL_COUPLE_BEFORE) {
      first = of_inverses(own, &spans, i, t);
      second = of_panel(own_panels, coupling, t, j);
    }
    double a[STEPS][4], brought[BROUGHT];
    load_right(brought, second);
    load_left(a, first);
    LOCAL_BARRIER();
    show_right(room, brought);
    LOCAL_BARRIER();
    add_product(&sum, a, room);
  }
  const int rows = rows_of(coupling, i);
  Offset to = inside_at(&spans, i, j);
  if (coupling.kind == CLCHOL_COUPLE_INSIDE) {
    solve_product(&sum, room, of_inverses(own, &spans, i, i), rows);
  } else {
    to = coupling.kind == CLCHOL_COUPLE_BEFORE ? before_at(&spans, i, j) : behind_at(&spans, i, j);
  }

  // Two adjacent entries of a column are one store.
  const int r = own_warp_row() + 2 * LANE_G;
#pragma unroll
  for (int n = 0; n < COLUMNS / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      *(__global double2*)(own + to + r + (own_column() + 8 * n + 2 * LANE_T + e) * BLOCK) =
          pair(entry_of(&sum, n, e, rows), entry_of(&sum, n, 2 + e, rows));
    }
  }
}
