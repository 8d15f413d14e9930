// Measures kernels for dense lower triangles: trinv, which inverts their diagonal blocks, and trsm,
// X := X * L^-T.
#include "gpu_kernels/dense/trinv.hpp"
#include "gpu_kernels/dense/trsm.hpp"
#include "gpu_kernels/reference/trsm.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/values.hpp"

namespace clchol::cli {
namespace {

using gpu::LowerTriangle;

struct TrinvShape {
  Index order;
  Index count;  // Triangles in one launch.
};
constexpr TrinvShape kQuickTrinv[] = {{75, 3}};
constexpr TrinvShape kTrinv[] = {{64, 16384}, {1024, 256}, {8192, 1}};

struct TrsmShape {
  Index m;
  Index order;
};
constexpr TrsmShape kQuickTrsm[] = {{97, 75}};
constexpr TrsmShape kTrsm[] = {{4096, 64}, {4096, 512}, {16384, 1024}};
constexpr Index kSample = 16;  // Rows of each part of X that is checked.

template <class T>
gpu::GemmParams tiles(const DeviceSession& session) {
  return gpu::gemm_params<T>(session.tuning(), "plain", session.work_group_limits());
}

/// Returns triangles whose diagonal entries dominate their rows.  No solution is larger than its
/// right-hand side, so errors do not grow.  Entries above the diagonal are never read.
template <class T>
std::vector<T> dominant_triangles(Index order, Index count) {
  const Offset square = Offset{order} * order;
  std::vector<T> l = positive_values<T>(square * count, 1);
  for (Offset t = 0; t < count; ++t) {
    for (Offset i = 0; i < order; ++i) {
      l[static_cast<std::size_t>(t * square + i * (order + 1))] = static_cast<T>(order + 1);
    }
  }
  return l;
}

gpu::TriangleList list_of(Index order, Index count, Index block) {
  gpu::TriangleList list(block);
  for (Offset t = 0; t < count; ++t) {
    LowerTriangle triangle{};
    triangle.triangle = t * order * order;
    triangle.ld = triangle.order = order;
    triangle.inverses = t * gpu::inverses_size(order, block);
    list.append(triangle);
  }
  return list;
}

/// Triangles on the device and the inverses of their diagonal blocks, which run() computes.
template <class T>
class Inverses {
 public:
  Inverses(DeviceSession& session, Index order, Index count, Index block)
      : list_(list_of(order, count, block)),
        host_(dominant_triangles<T>(order, count)),
        trinv_(session.programs(), block),
        batch_(session.queue(), list_.triangles(), list_.blocks()),
        l_(on_device(session.queue(), host_)),
        inverses_(session.context(), list_.extent().inverses) {
    gpu::check_extent<T>(list_.extent(), l_, inverses_);
  }

  void run(gpu::Queue& queue) { trinv_.run(queue, batch_, l_, inverses_); }

  const gpu::TriangleList& list() const { return list_; }
  const gpu::TriangleBatch& batch() const { return batch_; }
  const std::vector<T>& host() const { return host_; }
  const gpu::DeviceBuffer<T>& l() const { return l_; }
  const gpu::DeviceBuffer<T>& inverses() const { return inverses_; }
  Index block() const { return trinv_.block(); }

 private:
  gpu::TriangleList list_;
  std::vector<T> host_;
  gpu::Trinv<T> trinv_;
  gpu::TriangleBatch batch_;
  gpu::DeviceBuffer<T> l_, inverses_;
};

template <class T>
class TrinvExperiment : public Experiment {
 public:
  TrinvExperiment(DeviceSession& session, const TrinvShape& shape)
      : queue_(session.queue()),
        shape_(shape),
        inverses_(session, shape.order, shape.count, tiles<T>(session).tile_n) {}

  void run() override { inverses_.run(queue_); }
  double max_error() override {
    const std::vector<double> l = to_double(inverses_.host());
    std::vector<double> twin(static_cast<std::size_t>(inverses_.list().extent().inverses));
    for (const LowerTriangle& triangle : inverses_.list().triangles()) {
      gpu::reference::trinv<double>(triangle, inverses_.block(), l, twin);
    }
    return max_relative_error(on_host(queue_, inverses_.inverses()), twin);
  }
  // A block of order b takes substitutions for columns of r = 1, ..., b rows, of r^2 flops each: in
  // sum b (b + 1) (2 b + 1) / 6.  Its b (b + 1) / 2 entries are read.  The inverse, of equal size,
  // is written.
  Work work() const override {
    Work work;
    for (Index begin = 0; begin < shape_.order; begin += inverses_.block()) {
      const double b = std::min(inverses_.block(), shape_.order - begin);
      work.flops += shape_.count * (b * (b + 1) * (2 * b + 1) / 6);
      work.bytes += shape_.count * b * (b + 1) * sizeof(T);
    }
    return work;
  }
  gpu::TuningParams params() const override { return {{"block", inverses_.block()}}; }

 private:
  gpu::Queue& queue_;
  TrinvShape shape_;
  Inverses<T> inverses_;
};

template <class T>
class TrsmExperiment : public Experiment {
 public:
  TrsmExperiment(DeviceSession& session, const TrsmShape& shape)
      : queue_(session.queue()),
        shape_(shape),
        params_(tiles<T>(session)),
        inverses_(session, shape.order, 1, params_.tile_n),
        trsm_(session.programs(), params_),
        x_(positive_values<T>(Offset{shape.m} * shape.order, 2)),
        before_(on_device(queue_, x_)),
        device_x_(session.context(), before_.size()) {
    gpu::SolveList solves(trsm_.rows());
    solves.append(rows(0, shape.m));
    solves_ = gpu::SolveBatch(queue_, solves.solves(), solves.tiles());
    gpu::check_extent<T>(gpu::extent_of(inverses_.list(), solves), operands());
    inverses_.run(queue_);
  }

  void reset() override { gpu::copy<T>(queue_, before_, device_x_); }
  void run() override { trsm_.run(queue_, inverses_.batch(), solves_, operands()); }
  double max_error() override;
  // The substitution of a row takes order^2 flops.  L is read.  X is read and written.
  Work work() const override {
    const double m = shape_.m, order = shape_.order;
    return {m * order * order, (order * (order + 1) / 2 + 2 * m * order) * sizeof(T)};
  }
  gpu::TuningParams params() const override { return params_.to_params(); }

 private:
  /// The solve for `count` rows of X from row `begin` on.
  gpu::RightSolve rows(Index begin, Index count) const {
    return {.x = begin, .ldx = shape_.m, .m = count, .triangle = 0};
  }
  gpu::TrsmOperands<T> operands() const { return {inverses_.l(), inverses_.inverses(), device_x_}; }

  gpu::Queue& queue_;
  TrsmShape shape_;
  gpu::GemmParams params_;
  Inverses<T> inverses_;
  gpu::Trsm<T> trsm_;
  std::vector<T> x_;
  gpu::DeviceBuffer<T> before_, device_x_;
  gpu::SolveBatch solves_;
};

// Checks first, middle and last rows.  The solve of a row does not depend on other rows.
template <class T>
double TrsmExperiment<T>::max_error() {
  const std::vector<double> l = to_double(inverses_.host());
  std::vector<double> x = to_double(x_), twin;
  const std::vector<T> got = on_host(queue_, device_x_);
  std::vector<T> result;
  const Index sample = std::min(kSample, shape_.m);
  for (const Index begin : {0, (shape_.m - sample) / 2, shape_.m - sample}) {
    // Parts may overlap, so each starts from a copy of X.
    std::vector<double> part = x;
    gpu::reference::trsm<double>(rows(begin, sample), inverses_.list().triangles()[0], l, part);
    for (Index j = 0; j < shape_.order; ++j) {
      for (Index i = begin; i < begin + sample; ++i) {
        const auto place = static_cast<std::size_t>(i + Offset{j} * shape_.m);
        result.push_back(got[place]);
        twin.push_back(part[place]);
      }
    }
  }
  return max_relative_error(result, twin);
}

// Substitutions sum up to `order` terms, and dominance keeps their errors from growing.  The
// inverses of the kernel's diagonal blocks add the errors of up to `order` more terms.
template <class T>
double tolerance(Index order) {
  return 4 * (order + 2.0) * eps<T>();
}

template <class T>
Case trinv_case(const TrinvShape& shape) {
  Case c{"trinv", "generic", precision_of<T>()};
  c.shape = "n=" + std::to_string(shape.order) + " count=" + std::to_string(shape.count);
  c.tolerance = tolerance<T>(shape.order);
  c.prepare = [shape](DeviceSession& session) {
    return std::make_unique<TrinvExperiment<T>>(session, shape);
  };
  return c;
}

template <class T>
Case trsm_case(const TrsmShape& shape) {
  Case c{"trsm", "generic", precision_of<T>()};
  c.shape = "m=" + std::to_string(shape.m) + " n=" + std::to_string(shape.order);
  c.tolerance = tolerance<T>(shape.order);
  c.prepare = [shape](DeviceSession& session) {
    return std::make_unique<TrsmExperiment<T>>(session, shape);
  };
  return c;
}

}  // namespace

std::vector<Case> triangle_cases(bool quick) {
  std::vector<Case> cases;
  for (const TrsmShape& shape : shapes_of<TrsmShape>(quick, kQuickTrsm, kTrsm)) {
    cases.push_back(trsm_case<double>(shape));
    cases.push_back(trsm_case<float>(shape));
  }
  for (const TrinvShape& shape : shapes_of<TrinvShape>(quick, kQuickTrinv, kTrinv)) {
    cases.push_back(trinv_case<double>(shape));
    cases.push_back(trinv_case<float>(shape));
  }
  return cases;
}

}  // namespace clchol::cli
