// Assembly of a tile in local memory, from A's entries and the children's pieces,
//
//   sums(i, j) := A's entry + sum over pieces, in their order, of the entries at (i, j) of the tile
//
// and moves of tiles between local memory and registers: the warps have other entries in products
// than in solves.  Include front_batch_tile.cl first.
//
// The cost is latency.  Therefore the description of a piece is loaded while the piece before is
// added, and all entries of a piece are in flight at once.  A warp has tile columns of its own, so
// there is no work-group barrier between pieces.
#define OWN_COLUMNS (BLOCK / WARPS)
#define ROW_GROUPS (TILE_M / 32)
#if OWN_COLUMNS != 16
#error "pieces are divided among four warps"
#endif

// The lane's part of a piece: rows lane + 32 h in the warp's columns.
typedef struct Piece {
  __global const double* from;  // Row `lane` of the first of the warp's columns.
  int ld, first_columns;        // As in BatchPiece.
  int begin, count;             // First of the warp's columns in the piece, and their number.
  int entries[ROW_GROUPS];      // Number of the warp's columns with an entry in row lane + 32 h.
  int to_row[ROW_GROUPS];       // Row of the tile for row lane + 32 h; TILE_M: no such row.
  int to_columns[2];            // Columns of the tile for columns lane and lane + 32 of the piece.
} Piece;

// Returns the offset of column q of a piece.  Columns of the second block column are 64 entries
// shorter.
INLINE Offset column_of_piece(int ld, int first_columns, int q) {
  return (Offset)q * ld - BLOCK * max(0, q - first_columns + 1);
}

INLINE Piece load_piece(__private const Batch* batch, const BatchTile tile, Index p) {
  const int lane = get_local_id(0) % 32, warp = get_local_id(0) / 32;
  __global const BatchPiece* const piece = batch->pieces + p;
  Piece out;
  out.ld = piece->ld;
  out.first_columns = piece->first_columns;
  out.begin = piece->begin[warp];
  const int end = piece->begin[warp + 1];
  out.count = end - out.begin;
  out.from = batch->updates + piece->from + lane +
             column_of_piece(out.ld, out.first_columns, out.begin);
  __global const Index* const rows = batch->relind + piece->rows + lane;
  const int num_rows = piece->num_rows, num_columns = piece->begin[4];
  const int diagonal = piece->diagonal;
#pragma unroll
  for (int h = 0; h < ROW_GROUPS; ++h) {
    const int row = lane + 32 * h;
    out.entries[h] = row < num_rows ? min(row - diagonal + 1, end) - out.begin : 0;
    out.to_row[h] = TILE_M;
    if (row < num_rows) out.to_row[h] = rows[32 * h] - tile.row;
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    out.to_columns[h] = 0;
    if (lane + 32 * h < num_columns) out.to_columns[h] = rows[diagonal + 32 * h] - tile.column;
  }
  return out;
}

INLINE void load_entries(double value[OWN_COLUMNS][ROW_GROUPS], __private const Piece* piece) {
  __global const double* column = piece->from;
  const int long_columns = piece->first_columns - piece->begin;
#pragma unroll
  for (int c = 0; c < OWN_COLUMNS; ++c) {
#pragma unroll
    for (int h = 0; h < ROW_GROUPS; ++h) {
      value[c][h] = 0;
      if (c < piece->entries[h]) value[c][h] = column[32 * h];
    }
    column += piece->ld - (c + 1 < long_columns ? 0 : BLOCK);
  }
}

// Columns whose old sums are read before the new sums are stored.
#define COLUMNS_AT_A_TIME 4
INLINE void add_entries(__local double* sums, double value[OWN_COLUMNS][ROW_GROUPS],
                        __private const Piece* piece) {
  const int spare = BLOCK + (int)get_local_id(0) / 32;
#pragma unroll
  for (int first = 0; first < OWN_COLUMNS; first += COLUMNS_AT_A_TIME) {
    if (first < piece->count) {
      __local double* to[COLUMNS_AT_A_TIME];
      double sum[COLUMNS_AT_A_TIME][ROW_GROUPS];
#pragma unroll
      for (int c = 0; c < COLUMNS_AT_A_TIME; ++c) {
        const int q = piece->begin + first + c;
        const int own = shuffle_int(q < 32 ? piece->to_columns[0] : piece->to_columns[1], q % 32);
        to[c] = sums + (first + c < piece->count ? own : spare) * CHILDREN_LD;
#pragma unroll
        for (int h = 0; h < ROW_GROUPS; ++h) sum[c][h] = to[c][piece->to_row[h]];
      }
#pragma unroll
      for (int c = 0; c < COLUMNS_AT_A_TIME; ++c) {
#pragma unroll
        for (int h = 0; h < ROW_GROUPS; ++h) {
          to[c][piece->to_row[h]] = sum[c][h] + value[first + c][h];
        }
      }
    }
  }
}

INLINE void add_matrix_entries(__local double* sums, __private const Batch* batch,
                               const BatchTile tile) {
  __global const BatchEntry* const entries = batch->entries + tile.entry_begin;
#pragma unroll 2
  for (int e = get_local_id(0); e < tile.num_entries; e += GROUP) {
    const BatchEntry entry = entries[e];
    sums[entry.place / CLCHOL_PLACE_COLUMN * CHILDREN_LD + entry.place % CLCHOL_PLACE_COLUMN] =
        batch->values[entry.source];
  }
}

// sums := the panel's entries in the tile's first `rows` rows, zeros outside of the panel.  The
// spare row and columns are left undefined.
INLINE void take_panel(__local double* sums, const Place at, int rows) {
  const int row = 2 * (get_local_id(0) % (TILE_M / 2));
  const LocalAddress to = local_address(sums + row);
  __global const double* const from = at.panel + at.row + row + at.column * at.ldp;
  for (int c = get_local_id(0) / (TILE_M / 2); c < BLOCK; c += GROUP / (TILE_M / 2)) {
    copy_async_16(to + 8 * c * CHILDREN_LD, from + c * at.ldp,
                  row < rows && at.row + row < at.nrow && at.column + c < at.ncol);
  }
  copy_commit();
  COPY_WAIT(0);
}

// sums := A's entries, from the panel with `filled`, otherwise from the list of entries.
INLINE void begin_sums(__local double* sums, __private const Batch* batch, const BatchTile tile,
                       const Place at, bool filled) {
  if (filled) {
    take_panel(sums, at, tile.kind == CLCHOL_DIAGONAL_TILE ? BLOCK : TILE_M);
  } else {
    for (int e = 2 * get_local_id(0); e < ROOM_FOR_CHILDREN; e += 2 * GROUP) {
      *(__local double2*)(sums + e) = pair(0.0, 0.0);
    }
  }
  LOCAL_BARRIER();
  if (tile.num_entries > 0) {
    add_matrix_entries(sums, batch, tile);
    LOCAL_BARRIER();
  }
}

// sums := A's entries + the children's entries.
INLINE void assemble(__local double* sums, __private const Batch* batch, const BatchTile tile,
                     const Place at, bool filled) {
  if (tile.piece_begin == tile.piece_end) {
    begin_sums(sums, batch, tile, at, filled);
    return;
  }
  Piece piece = load_piece(batch, tile, tile.piece_begin);
  begin_sums(sums, batch, tile, at, filled);
#pragma unroll 1
  for (Index p = tile.piece_begin; p < tile.piece_end; ++p) {
    double value[OWN_COLUMNS][ROW_GROUPS];
    load_entries(value, &piece);
    const Piece next = load_piece(batch, tile, min(p + 1, tile.piece_end - 1));
    add_entries(sums, value, &piece);
    warp_barrier();
    piece = next;
  }
  LOCAL_BARRIER();
}

// acc := -sums, or zero without `has_sums`.
INLINE void take_sums(__private Accumulators* acc, __local const double* sums, bool has_sums) {
  __local const double* const own = sums + own_column() * CHILDREN_LD + own_row();
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i) {
#pragma unroll
    for (int j = 0; j < COLUMN_BLOCKS; ++j) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        double2 sum = pair(0.0, 0.0);
        if (has_sums) sum = *(__local const double2*)(own + column_of(j, e) * CHILDREN_LD + 16 * i);
        set_negated_pair(acc, i, j, e, sum);
      }
    }
  }
}

// sums := -acc
INLINE void put_sums(__local double* sums, __private const Accumulators* acc) {
  __local double* const own = sums + own_column() * CHILDREN_LD + own_row();
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i) {
#pragma unroll
    for (int j = 0; j < COLUMN_BLOCKS; ++j) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        *(__local double2*)(own + column_of(j, e) * CHILDREN_LD + 16 * i) =
            negated_pair(acc, i, j, e);
      }
    }
  }
}

// block := -sums, for the 16 x 16 entries from (row, column) on.
INLINE void take_block(__private Block* block, __local const double* sums, int row, int column) {
  const int lane = get_local_id(0) % 32, g = lane / 4, t = lane % 4;
  __local const double* const own = sums + (column + 4 * t) * CHILDREN_LD + row + 2 * g;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const double2 sum = *(__local const double2*)(own + (2 * e + j) * CHILDREN_LD);
      block->at[j][e] = -sum.x;
      block->at[j][2 + e] = -sum.y;
    }
  }
}

// acc := -sums, for the warp's rows of a panel tile.
INLINE void take_rows(__private Rows* acc, __local const double* sums) {
  const int row = (int)get_local_id(0) / 32 * (TILE_M / WARPS);
#pragma unroll
  for (int i = 0; i < BLOCK_ROWS; ++i) {
#pragma unroll
    for (int q = 0; q < BLOCK_COLUMNS; ++q) {
      take_block(&acc->at[i][q], sums, row + SMALL * i, SMALL * q);
    }
  }
}
