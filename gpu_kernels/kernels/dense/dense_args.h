// Structs that describe matrices and tiles, which the host passes to the dense kernels.  C++ and
// OpenCL C both compile this file.
//
// C++ code includes this file through gpu_kernels/dense/dense_args.hpp.  Kernel files include
// runtime/common.cl before this file.
//
// Matrices are column-major.  The position of a matrix is the number of entries before its entry
// (0, 0) in the operand of the kernel that holds the matrix.  An operand is a range of a buffer in
// device memory (DeviceView on the host), and may hold many matrices.  The members lda, ldb, ldc,
// ldx and ld are leading dimensions.  Rows and columns count from 0.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
#endif

// Bits of the member MatrixProduct::form, which is a sum of some of these bits.
#define CLCHOL_SUBTRACT 1  // C := C - A * B'.  Without this bit C := -A * B', and C is not read.
#define CLCHOL_LOWER 2     // Only entries (i, j) of C with i >= j are read and written.
// C is an update matrix of order m = n, stored as base/update_layout.hpp says; ldc is ignored.
// Requires CLCHOL_LOWER.
#define CLCHOL_UPDATE 4
#define CLCHOL_SAME 8  // B is the same matrix as A, in the same memory.  Requires CLCHOL_LOWER.

// One product: C (m x n) is computed from A (m x k) and B (n x k).
typedef struct MatrixProduct {
  Offset a, lda;  // Position and leading dimension of A.
  Offset b, ldb;  // Position and leading dimension of B.
  Offset c, ldc;  // Position and leading dimension of C.
  Index m, n, k;  // Sizes of the three matrices.
  Index form;     // Sum of the bits above.
  Index front;    // Index of the front whose columns of L are in A and B.  -1: no such front.
  // The product is skipped when one of the first `pivots` pivots of `front` has failed.
  Index pivots;
} MatrixProduct;

// One tile: the block of C that one work-group computes.
//
// A tile that lies above the diagonal of C occurs only in products with CLCHOL_SAME.  Such a tile
// stands for the parts of two diagonal tiles that TileShape::joins_diagonals describes.
typedef struct MatrixTile {
  Index matrix;  // Index of the product in the list of products.
  Index row;     // Row in C of the tile's first row.
  Index column;  // Column in C of the tile's first column.
} MatrixTile;

// The panel of a front, which is to be factored.  Entries above the diagonal are not accessed.
typedef struct FrontPanel {
  Offset panel, ld;  // Position and leading dimension of the panel.
  Index nrow, ncol;  // Number of rows, and number of pivot columns.
} FrontPanel;

// The part of a panel that one work-group computes in one step of the factorization.  A step solves
// a block of up to PanelParams::block pivot columns.  Each work-group of the step factors the
// diagonal block of these columns for itself, and solves for the tile: PanelParams::rows rows below
// the diagonal block.
typedef struct PanelTile {
  Index front;  // Index of the front in the list of fronts.
  // First pivot column of the block, numbered in the front.  Equal to ncol: the tile computes
  // nothing; the work-group copies the last diagonal block of L to the panel, from the workspace of
  // the factorization (PotrfOperands::workspace), where the step before has written it.
  Index column;
  Index row;    // First row of the tile in the front.  The first tile is next below the block.
  Index first;  // 1 for the first tile of a block of columns, otherwise 0.
} PanelTile;

// A lower triangle L, and the memory for the inverses of the diagonal blocks of L.  Each inverse is
// stored as BLOCK x BLOCK entries, column-major, with zeros above the diagonal (BLOCK: the kernel's
// macro, the order of a diagonal block).  The inverses lie one after another.
typedef struct LowerTriangle {
  Offset triangle, ld;  // Position and leading dimension of L.
  Offset inverses;      // Position of the inverse of diagonal block 0.
  Index order;          // Order of L.
  Index reserved;       // Not used.
} LowerTriangle;

// A diagonal block of a triangle, which one work-group inverts.
typedef struct TriangleBlock {
  Index triangle;  // Index of the triangle in the list of triangles.
  Index begin;  // Number in the triangle of the block's first row, which is its first column too.
} TriangleBlock;

// A triangular solve from the right: X := X * L^-T.  X has m rows, and a column for each row of L.
typedef struct RightSolve {
  Offset x, ldx;   // Position and leading dimension of X.
  Index m;         // Number of rows of X.
  Index triangle;  // Index of L in the list of triangles.
} RightSolve;

// The rows of X that one work-group solves for.
typedef struct SolveTile {
  Index solve;  // Index of the solve in the list of solves.
  Index row;    // Row in X of the tile's first row.
} SolveTile;

#ifdef __cplusplus
}  // namespace clchol::gpu
#endif
