// What the dense kernels are told about matrices and tiles: one text for C++ and OpenCL C.
//
// C++ includes it through gpu_kernels/dense/dense_args.hpp, kernels include common.cl first.
// Matrices are column-major; positions count entries from where the view of their buffer begins.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
#endif

// Bits of MatrixProduct.form.
#define CLCHOL_SUBTRACT 1  // C := C - A * B'.  Without it C := -A * B', and C is not read.
#define CLCHOL_LOWER 2     // Entries (i, j) of C with i >= j alone are read and written.
// C is an update matrix of order m = n, as base/update_layout.hpp stores it, and ldc means nothing.
// With CLCHOL_LOWER.
#define CLCHOL_UPDATE 4
#define CLCHOL_SAME 8  // B is A, also as buffers.  With CLCHOL_LOWER.

// One product: C (m x n) from A (m x k) and B (n x k).
typedef struct MatrixProduct {
  Offset a, lda;
  Offset b, ldb;
  Offset c, ldc;
  Index m, n, k;
  Index form;
  Index front;   // Whose pivots A and B depend on; -1: none.
  Index pivots;  // Nothing is done when one of the front's first `pivots` pivots has failed.
} MatrixProduct;

// What one work-group computes of a product: entry (row, column) of C and what follows.  In
// products with CLCHOL_SAME a tile above the diagonal is as TileShape::joins_diagonals says.
typedef struct MatrixTile {
  Index matrix;  // Place in the list of products.
  Index row;
  Index column;
} MatrixTile;

// The panel of a front (nrow x ncol, lower part), to be factored.
typedef struct FrontPanel {
  Offset panel, ld;
  Index nrow, ncol;
} FrontPanel;

// What one work-group does in a step of factoring panels: pivot columns from `column` on, and as
// many rows as a group has from `row` on.
typedef struct PanelTile {
  Index front;
  Index column;  // ncol where the front is done and only its last block has to be put back.
  Index row;     // The first tile of a column has the row below its diagonal block.
  Index first;   // 1 for the first tile of a column, otherwise 0.
} PanelTile;

// A lower triangle, and where the inverses of its diagonal blocks go: W(b) is stored square with
// zeros above its diagonal, leading dimension BLOCK, BLOCK * BLOCK entries after W(b - 1).
typedef struct LowerTriangle {
  Offset triangle, ld;
  Offset inverses;
  Index order;
  Index reserved;
} LowerTriangle;

// A diagonal block of a triangle, one work-group: rows and columns from `begin` on.
typedef struct TriangleBlock {
  Index triangle;  // Place in the list of triangles.
  Index begin;
} TriangleBlock;

// Rows X (m x order of the triangle), to be solved for: X := X * L^-T.
typedef struct RightSolve {
  Offset x, ldx;
  Index m;
  Index triangle;  // Place in the list of triangles.
} RightSolve;

// What one work-group solves for: rows from `row` on.
typedef struct SolveTile {
  Index solve;  // Place in the list of solves.
  Index row;
} SolveTile;

#ifdef __cplusplus
}  // namespace clchol::gpu
#endif
