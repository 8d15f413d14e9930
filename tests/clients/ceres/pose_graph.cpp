// Minimizes pose graphs with Ceres, SPARSE_NORMAL_CHOLESKY by SuiteSparse.
//
//   pose_graph [2d FILE.g2o | 3d FILE.g2o | sphere N | torus N | city N]...
//
// For each: the costs before and after, and the seconds of the second of two runs.
//
// Residuals of an edge, weighted by the root of its information matrix:
//
//   plane:  R(from)' * (p(to) - p(from)) - p(measured),   angle difference in (-pi, pi]
//   space:  the same, and twice the vector part of q(measured)^-1 * q(from)^-1 * q(to)
//
// The first pose is held.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "tests/clients/ceres/graph.hpp"
#include "tests/clients/ceres/solve.hpp"

namespace {

class PlaneResidual {
 public:
  explicit PlaneResidual(const Edge<Pose2>& edge) : edge_(edge) {}

  template <class T>
  bool operator()(const T* from, const T* to, T* residuals) const {
    using Vector2 = Eigen::Matrix<T, 2, 1>;
    const Vector2 apart(to[0] - from[0], to[1] - from[1]);
    const Vector2 seen = Eigen::Rotation2D<T>(-from[2]) * apart;
    Eigen::Matrix<T, 3, 1> error;
    error.template head<2>() = seen - edge_.measured.p.cast<T>();
    const T turn = to[2] - from[2] - edge_.measured.angle;
    constexpr double kTurn = 6.28318530717958647692;
    error[2] = turn - kTurn * ceres::floor((turn + 0.5 * kTurn) / kTurn);
    Eigen::Map<Eigen::Matrix<T, 3, 1>>{residuals} = edge_.sqrt_information.cast<T>() * error;
    return true;
  }

 private:
  Edge<Pose2> edge_;
};

class SpaceResidual {
 public:
  explicit SpaceResidual(const Edge<Pose3>& edge) : edge_(edge) {}

  // Parameters: position (3), quaternion (x, y, z, w), of each pose.
  template <class T>
  bool operator()(const T* from_p, const T* from_q, const T* to_p, const T* to_q,
                  T* residuals) const {
    using Vector3 = Eigen::Matrix<T, 3, 1>;
    const Eigen::Quaternion<T> back = Eigen::Map<const Eigen::Quaternion<T>>(from_q).conjugate();
    const Vector3 apart = Eigen::Map<const Vector3>(to_p) - Eigen::Map<const Vector3>(from_p);
    const Eigen::Quaternion<T> turn = edge_.measured.q.conjugate().cast<T>() *
                                      (back * Eigen::Map<const Eigen::Quaternion<T>>(to_q));
    Eigen::Matrix<T, 6, 1> error;
    error.template head<3>() = back * apart - edge_.measured.p.cast<T>();
    error.template tail<3>() = T(2) * turn.vec();
    Eigen::Map<Eigen::Matrix<T, 6, 1>>{residuals} = edge_.sqrt_information.cast<T>() * error;
    return true;
  }

 private:
  Edge<Pose3> edge_;
};

bool minimize(const std::string& name, const Graph<Pose2>& graph) {
  std::vector<Eigen::Vector3d> x(graph.poses.size());
  ceres::Problem problem;
  for (const Edge<Pose2>& edge : graph.edges) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<PlaneResidual, 3, 3, 3>(new PlaneResidual(edge)), nullptr,
        x[edge.from].data(), x[edge.to].data());
  }
  problem.SetParameterBlockConstant(x.front().data());
  return solve_twice(name, ceres::SPARSE_NORMAL_CHOLESKY, problem, [&] {
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] << graph.poses[k].p, graph.poses[k].angle;
    }
  });
}

bool minimize(const std::string& name, const Graph<Pose3>& graph) {
  std::vector<Pose3> x(graph.poses.size());
  ceres::Problem problem;
  for (const Edge<Pose3>& edge : graph.edges) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<SpaceResidual, 6, 3, 4, 3, 4>(new SpaceResidual(edge)),
        nullptr, x[edge.from].p.data(), x[edge.from].q.coeffs().data(), x[edge.to].p.data(),
        x[edge.to].q.coeffs().data());
  }
  for (Pose3& pose : x) {
    problem.SetManifold(pose.q.coeffs().data(), new ceres::EigenQuaternionManifold);
  }
  problem.SetParameterBlockConstant(x.front().p.data());
  problem.SetParameterBlockConstant(x.front().q.coeffs().data());
  return solve_twice(name, ceres::SPARSE_NORMAL_CHOLESKY, problem, [&] { x = graph.poses; });
}

bool run(const std::string& kind, const std::string& what) {
  const std::string file = what.substr(what.rfind('/') + 1);
  if (kind == "2d") return minimize(file, read_g2o<Pose2>(what));
  if (kind == "3d") return minimize(file, read_g2o<Pose3>(what));
  const std::size_t n = std::stoul(what);
  const auto ring = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  if (kind == "sphere") return minimize("sphere " + what, generate_rings(n, ring, false));
  if (kind == "torus") return minimize("torus " + what, generate_rings(n, ring, true));
  if (kind == "city") return minimize("city " + what, generate_city(n));
  throw std::runtime_error("unknown kind of graph: " + kind);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    bool usable = argc > 2 && argc % 2 == 1;
    for (int k = 1; k + 1 < argc; k += 2) usable = run(argv[k], argv[k + 1]) && usable;
    return usable ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pose_graph: %s\n", error.what());
    return 1;
  }
}
