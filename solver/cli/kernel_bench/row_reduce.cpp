// Measures weighted inner products of the rows of two dense matrices: row_reduce.
#include "gpu_kernels/dense/row_reduce.hpp"

#include "gpu_kernels/reference/residual.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/values.hpp"

namespace clchol::cli {
namespace {

using gpu::MatrixOrder;

struct MatrixShape {
  Index m;
  Index k;
};
constexpr MatrixShape kQuickMatrixShapes[] = {{101, 37}};
constexpr MatrixShape kMatrixShapes[] = {{1 << 22, 16}, {16384, 4096}};

struct MatrixForm {
  MatrixOrder order;
  const char* variant;
};
constexpr MatrixForm kMatrixForms[] = {{MatrixOrder::kColumnMajor, "column_major"},
                                       {MatrixOrder::kRowMajor, "row_major"}};

constexpr double kFactor = 0.5;  // s

template <class T>
class RowReduceExperiment : public Experiment {
 public:
  RowReduceExperiment(DeviceSession& session, MatrixOrder order, const MatrixShape& shape)
      : queue_(session.queue()),
        order_(order),
        shape_(shape),
        v_(positive_values<T>(shape.k, 1)),
        a_(positive_values<T>(Offset{shape.m} * shape.k, 2)),
        b_(positive_values<T>(Offset{shape.m} * shape.k, 3)),
        kernel_(session.programs()),
        device_v_(on_device(queue_, v_)),
        device_a_(on_device(queue_, a_)),
        device_b_(on_device(queue_, b_)),
        r_(session.context(), shape.m) {}

  void run() override {
    const Offset ld = order_ == MatrixOrder::kColumnMajor ? shape_.m : shape_.k;
    kernel_.run(queue_, order_, T{kFactor}, device_v_, {device_a_, ld}, {device_b_, ld}, r_);
  }
  double max_error() override {
    const std::vector<double> v = to_double(v_), a = to_double(a_), b = to_double(b_);
    const bool by_columns = order_ == MatrixOrder::kColumnMajor;
    const Offset to_row = by_columns ? 1 : shape_.k, stride = by_columns ? shape_.m : 1;
    std::vector<double> twin;
    twin.reserve(static_cast<std::size_t>(shape_.m));
    for (Offset i = 0; i < shape_.m; ++i) {
      twin.push_back(gpu::reference::row_reduce<double>(kFactor, v, a.data() + i * to_row, stride,
                                                        b.data() + i * to_row, stride));
    }
    return max_relative_error(on_host(queue_, r_), twin);
  }
  // Each pair of entries takes two multiplications and an addition.  A, B and v are read, r is
  // written.
  Work work() const override {
    const double m = shape_.m, k = shape_.k;
    return {3 * m * k, (2 * m * k + k + m) * sizeof(T)};
  }

 private:
  gpu::Queue& queue_;
  MatrixOrder order_;
  MatrixShape shape_;
  std::vector<T> v_, a_, b_;
  gpu::RowReduce<T> kernel_;
  gpu::DeviceBuffer<T> device_v_, device_a_, device_b_, r_;
};

template <class T>
Case row_reduce_case(const MatrixForm& form, const MatrixShape& shape) {
  Case c{"row_reduce", form.variant, precision_of<T>()};
  c.shape = "m=" + std::to_string(shape.m) + " k=" + std::to_string(shape.k);
  c.tolerance = 2 * (shape.k + 3) * eps<T>();  // Roundings of a sum of terms of one sign.
  c.prepare = [order = form.order, shape](DeviceSession& session) {
    return std::make_unique<RowReduceExperiment<T>>(session, order, shape);
  };
  return c;
}

}  // namespace

std::vector<Case> row_reduce_cases(bool quick) {
  std::vector<Case> cases;
  for (const MatrixForm& form : kMatrixForms) {
    for (const MatrixShape& shape :
         shapes_of<MatrixShape>(quick, kQuickMatrixShapes, kMatrixShapes)) {
      cases.push_back(row_reduce_case<double>(form, shape));
      cases.push_back(row_reduce_case<float>(form, shape));
    }
  }
  return cases;
}

}  // namespace clchol::cli
