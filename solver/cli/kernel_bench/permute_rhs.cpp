// Measures copies of right-hand sides between the caller's order and the factor's: gather_rhs,
// scatter_rhs.
#include "gpu_kernels/dense/permute_rhs.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "gpu_kernels/reference/permute_rhs.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/values.hpp"

namespace clchol::cli {
namespace {

struct RhsShape {
  Index n;
  Index nrhs;
};
constexpr RhsShape kQuickRhsShapes[] = {{1003, 3}};
constexpr RhsShape kRhsShapes[] = {{1 << 22, 1}, {1 << 22, 16}};

enum class Direction { kGather, kScatter };

std::vector<Index> random_permutation(Index n) {
  std::vector<Index> perm(static_cast<std::size_t>(n));
  std::iota(perm.begin(), perm.end(), 0);
  std::mt19937 random(1);
  std::ranges::shuffle(perm, random);
  return perm;
}

template <class T>
class PermuteRhsExperiment : public Experiment {
 public:
  PermuteRhsExperiment(DeviceSession& session, Direction direction, const RhsShape& shape)
      : queue_(session.queue()),
        direction_(direction),
        shape_(shape),
        place_(random_permutation(shape.n)),
        scale_(positive_values<T>(shape.n, 1)),
        in_(positive_values<T>(Offset{shape.n} * shape.nrhs, 2)),
        kernel_(session.programs()),
        device_place_(on_device(queue_, place_)),
        device_scale_(on_device(queue_, scale_)),
        device_in_(on_device(queue_, in_)),
        out_(session.context(), device_in_.size()) {}

  void run() override {
    const Offset ld = shape_.n;
    if (direction_ == Direction::kGather) {
      kernel_.gather(queue_, device_place_, device_scale_, {device_in_, shape_.nrhs, ld}, out_);
    } else {
      kernel_.scatter(queue_, device_place_, device_scale_, device_in_, {out_, shape_.nrhs, ld});
    }
  }
  double max_error() override {
    const std::vector<double> scale = to_double(scale_);
    std::vector<double> in = to_double(in_), out(in.size());
    if (direction_ == Direction::kGather) {
      const DenseView<const double> b{in.data(), shape_.n, shape_.nrhs, shape_.n};
      gpu::reference::gather_rhs<double>(place_, scale, b, out);
    } else {
      const DenseView<double> b{out.data(), shape_.n, shape_.nrhs, shape_.n};
      gpu::reference::scatter_rhs<double>(place_, scale, in, b);
    }
    return max_relative_error(on_host(queue_, out_), out);
  }
  // Each entry is read, multiplied and written.  The permutation and D are read.
  Work work() const override {
    const double entries = static_cast<double>(in_.size());
    return {entries, 2 * entries * sizeof(T) + shape_.n * (sizeof(Index) + double{sizeof(T)})};
  }

 private:
  gpu::Queue& queue_;
  Direction direction_;
  RhsShape shape_;
  std::vector<Index> place_;
  std::vector<T> scale_, in_;
  gpu::PermuteRhs<T> kernel_;
  gpu::DeviceBuffer<Index> device_place_;
  gpu::DeviceBuffer<T> device_scale_, device_in_, out_;
};

template <class T>
Case permute_rhs_case(Direction direction, const RhsShape& shape) {
  Case c{direction == Direction::kGather ? "gather_rhs" : "scatter_rhs", "generic",
         precision_of<T>()};
  c.shape = "n=" + std::to_string(shape.n) + " nrhs=" + std::to_string(shape.nrhs);
  c.tolerance = 2 * eps<T>();  // One rounding, and one of the twin.
  c.prepare = [direction, shape](DeviceSession& session) {
    return std::make_unique<PermuteRhsExperiment<T>>(session, direction, shape);
  };
  return c;
}

}  // namespace

std::vector<Case> permute_rhs_cases(bool quick) {
  std::vector<Case> cases;
  for (const Direction direction : {Direction::kGather, Direction::kScatter}) {
    for (const RhsShape& shape : shapes_of<RhsShape>(quick, kQuickRhsShapes, kRhsShapes)) {
      cases.push_back(permute_rhs_case<double>(direction, shape));
      cases.push_back(permute_rhs_case<float>(direction, shape));
    }
  }
  return cases;
}

}  // namespace clchol::cli
