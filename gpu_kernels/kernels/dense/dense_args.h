// Descriptions of matrices and tiles that the host passes to the dense kernels: one text for C++
// and OpenCL C.
//
// C++ includes it through gpu_kernels/dense/dense_args.hpp; kernels include common.cl first.
// Matrices are column-major.  Offsets count entries from the begin of the view of their buffer.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
#endif

// Bits of MatrixProduct.form.
#define CLCHOL_SUBTRACT 1  // C := C - A * B'.  Without this bit C := -A * B', and C is not read.
#define CLCHOL_LOWER 2     // Only entries (i, j) of C with i >= j are read and written.
// C is an update matrix of order m = n, stored as base/update_layout.hpp says; ldc is ignored.
// Requires CLCHOL_LOWER.
#define CLCHOL_UPDATE 4
#define CLCHOL_SAME 8  // B is A, in the same buffer.  Requires CLCHOL_LOWER.

// One product: C (m x n) from A (m x k) and B (n x k).
typedef struct MatrixProduct {
  Offset a, lda;
  Offset b, ldb;
  Offset c, ldc;
  Index m, n, k;
  Index form;    // Sum of the bits above.
  Index front;   // Front whose pivots A and B depend on; -1: none.
  Index pivots;  // The product is skipped when one of the front's first `pivots` pivots failed.
} MatrixProduct;

// The tile of C that one work-group computes; its first entry is (row, column).  In products with
// CLCHOL_SAME, TileShape::joins_diagonals says which entries a tile above the diagonal has.
typedef struct MatrixTile {
  Index matrix;  // Index of the product in the list of products.
  Index row;
  Index column;
} MatrixTile;

// The panel of a front (nrow x ncol, lower part), to be factored.
typedef struct FrontPanel {
  Offset panel, ld;
  Index nrow, ncol;
} FrontPanel;

// The part of a panel that one work-group computes in a step of the factorization: a block of pivot
// columns, and PanelParams::rows rows below their diagonal block.
typedef struct PanelTile {
  Index front;
  Index column;  // First pivot column.  ncol: the front is done, and its last block is copied back.
  Index row;     // First row of the tile.  The column's first tile begins below the diagonal block.
  Index first;   // 1 for the first tile of a block of columns, otherwise 0.
} PanelTile;

// A lower triangle, and the position of the inverses W of its diagonal blocks.  W(b) is stored
// square with zeros above its diagonal, leading dimension BLOCK, and begins BLOCK * BLOCK entries
// after W(b - 1).
typedef struct LowerTriangle {
  Offset triangle, ld;
  Offset inverses;
  Index order;
  Index reserved;
} LowerTriangle;

// A diagonal block of a triangle, which one work-group inverts.
typedef struct TriangleBlock {
  Index triangle;  // Index of the triangle in the list of triangles.
  Index begin;     // First row and column of the block.
} TriangleBlock;

// A solve for the rows of X (m x order of the triangle): X := X * L^-T.
typedef struct RightSolve {
  Offset x, ldx;
  Index m;
  Index triangle;  // Index of the triangle in the list of triangles.
} RightSolve;

// The rows of X that one work-group solves for.
typedef struct SolveTile {
  Index solve;  // Index of the solve in the list of solves.
  Index row;    // First row of the tile.
} SolveTile;

#ifdef __cplusplus
}  // namespace clchol::gpu
#endif
