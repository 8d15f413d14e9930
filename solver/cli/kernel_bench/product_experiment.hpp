// Base class of the experiments of the kernel benchmark (case.hpp) that measure matrix products
// C := C - A * B'.  The base class makes the operands and checks the result; derived classes launch
// the kernels.
#pragma once

#include <vector>

#include "gpu_kernels/dense/gemm.hpp"
#include "gpu_kernels/reference/gemm.hpp"
#include "solver/cli/kernel_bench/case.hpp"
#include "solver/cli/kernel_bench/values.hpp"

namespace clchol::cli {

/// Sizes of a product with a square C.
struct ProductShape {
  Index order;  // Order of C; number of rows of A and of B.
  Index k;      // Number of columns of A and of B.
};

/// The product of one case.
struct ProductSetup {
  ProductShape shape{};
  bool lower = false;  // true: syrk, that is B = A, and only the lower triangle of C is computed.
  /// Leading dimension of A, B and C.  Even, because the tensor-core kernel copies pairs of rows.
  Index ld() const { return shape.order + shape.order % 2; }
  /// Number of entries of memory that `columns` columns of A, B or C take.
  Offset entries(Index columns) const { return Offset{ld()} * columns; }
};

/// Describes the product for the kernels.  Each matrix is at offset 0 of its buffer.
inline gpu::MatrixProduct product_of(const ProductSetup& setup) {
  gpu::MatrixProduct p{};
  p.m = p.n = setup.shape.order;
  p.k = setup.shape.k;
  p.lda = p.ldb = p.ldc = setup.ld();
  p.form = CLCHOL_SUBTRACT | (setup.lower ? CLCHOL_LOWER | CLCHOL_SAME : 0);
  p.front = kNone;
  return p;
}

/// Makes the operands of a product in device memory and checks the result.  A derived class
/// implements run(), which launches the kernel.
template <class T>
class ProductExperiment : public Experiment {
 public:
  ProductExperiment(DeviceSession& session, const ProductSetup& setup)
      : queue_(session.queue()),
        setup_(setup),
        a_(setup.entries(setup.shape.k), 1),
        b_(setup.entries(setup.shape.k), setup.lower ? 1 : 2),
        c_(setup.entries(setup.shape.order), 3),
        device_a_(a_.on_device(queue_)),
        device_b_(setup.lower ? gpu::DeviceBuffer<T>() : b_.on_device(queue_)),
        c_before_(c_.on_device(queue_)),
        device_c_(session.context(), c_before_.size()) {}

  void reset() override { gpu::copy<T>(queue_, c_before_, device_c_); }
  double max_error() override;
  Work work() const override {
    const auto n = static_cast<double>(setup_.shape.order);
    const auto k = static_cast<double>(setup_.shape.k);
    if (setup_.lower) return {n * (n + 1) * k, (n * k + n * (n + 1)) * sizeof(T)};
    return {2 * n * n * k, (2 * n * k + 2 * n * n) * sizeof(T)};
  }

 protected:
  gpu::Queue& queue() { return queue_; }
  gpu::ProductOperands<T> operands() const {
    return {device_a_, setup_.lower ? device_a_ : device_b_, device_c_, {}};
  }
  gpu::ProductBatch batch_of(gpu::TileShape tile) {
    gpu::ProductList list(tile);
    list.append(product_of(setup_));
    return {queue_, list.products(), list.tiles()};
  }

 private:
  /// Order of each part that is checked of a C of order greater than kWholeOrder.
  static constexpr Index kSample = 16;
  /// Greatest order of a C of which all entries are checked.  Of a larger C, parts are checked.
  static constexpr Index kWholeOrder = 256;

  /// A square part of C: `order` rows from `row` on, and `order` columns from `column` on.
  struct Part {
    Index row, column, order;
  };
  std::vector<Part> parts() const;
  /// Appends the part's entries as the kernel has computed them to `result`, and the same entries
  /// as the reference computes them to `twin`.
  void compare(const Part& part, std::vector<T>& result, std::vector<double>& twin);

  gpu::Queue& queue_;
  ProductSetup setup_;
  PeriodicValues<T> a_, b_, c_;
  // A and B, C before the product (reset() copies it), and C, which the kernel overwrites.  With
  // setup_.lower, device_b_ is empty.
  gpu::DeviceBuffer<T> device_a_, device_b_, c_before_, device_c_;
};

// Returns the parts of C that are checked: C as a whole if its order is at most kWholeOrder, else
// nine parts, in the first, middle and last rows and in the first, middle and last columns.  For
// syrk, parts above the diagonal are left out.
template <class T>
auto ProductExperiment<T>::parts() const -> std::vector<Part> {
  const Index order = setup_.shape.order;
  if (order <= kWholeOrder) return {{0, 0, order}};
  std::vector<Part> parts;
  const Index places[] = {0, (order - kSample) / 2, order - kSample};
  for (const Index row : places) {
    for (const Index column : places) {
      if (!setup_.lower || row >= column) parts.push_back({row, column, kSample});
    }
  }
  return parts;
}

// The reference computes in double precision, also for kernels in single precision.  In single
// precision, the error of the reference would be as large as the kernel's error.
template <class T>
void ProductExperiment<T>::compare(const Part& part, std::vector<T>& result,
                                   std::vector<double>& twin) {
  const Index order = part.order, k = setup_.shape.k;
  const auto rows_of = [&](const PeriodicValues<T>& values, Index row, Index column,
                           Index columns) {
    std::vector<double> rows;
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < order; ++i) {
        rows.push_back(values[setup_.entries(column + j) + row + i]);
      }
    }
    return rows;
  };
  gpu::MatrixProduct p = product_of(setup_);
  p.m = p.n = order;
  p.lda = p.ldb = p.ldc = order;
  if (part.row != part.column) p.form &= ~(CLCHOL_LOWER | CLCHOL_SAME);
  std::vector<double> c = rows_of(c_, part.row, part.column, order);
  gpu::reference::gemm<double>(p, rows_of(a_, part.row, 0, k), rows_of(b_, part.column, 0, k), c);

  std::vector<T> got(static_cast<std::size_t>(order));
  for (Index j = 0; j < order; ++j) {
    const Offset begin = setup_.entries(part.column + j) + part.row;
    gpu::download<T>(queue_, device_c_.part(begin, order), got);
    const Index first = (p.form & CLCHOL_LOWER) != 0 ? j : 0;
    result.insert(result.end(), got.begin() + first, got.end());
    const auto column = c.begin() + Offset{j} * order;
    twin.insert(twin.end(), column + first, column + order);
  }
}

template <class T>
double ProductExperiment<T>::max_error() {
  std::vector<T> result;
  std::vector<double> twin;
  for (const Part& part : parts()) compare(part, result, twin);
  return max_relative_error(result, twin);
}

}  // namespace clchol::cli
