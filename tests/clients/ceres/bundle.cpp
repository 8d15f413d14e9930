// Minimizes a generated bundle adjustment with Ceres, SPARSE_SCHUR by SuiteSparse.
//
//   bundle CAMERAS POINTS_PER_CAMERA
//
// Cameras stand on a circle and look outward; a point before camera k is seen by cameras
// k - 3 .. k + 3.  A camera has a rotation, a translation, a focal length and two coefficients of
// radial distortion (9 parameters); the reduced matrix joins cameras that see a point together.
#include <ceres/rotation.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "tests/clients/ceres/solve.hpp"

namespace {

using Camera = std::array<double, 9>;
using Point = std::array<double, 3>;

constexpr int kReach = 3;

template <class T>
void project(const T* camera, const T* point, T* image) {
  T p[3];
  ceres::AngleAxisRotatePoint(camera, point, p);
  for (int k = 0; k < 3; ++k) p[k] += camera[3 + k];
  const T u = p[0] / p[2];
  const T v = p[1] / p[2];
  const T square = u * u + v * v;
  const T factor = camera[6] * (1.0 + square * (camera[7] + square * camera[8]));
  image[0] = factor * u;
  image[1] = factor * v;
}

struct Reprojection {
  double seen[2];

  template <class T>
  bool operator()(const T* camera, const T* point, T* residuals) const {
    project(camera, point, residuals);
    residuals[0] -= seen[0];
    residuals[1] -= seen[1];
    return true;
  }
};

struct Scene {
  std::vector<Camera> cameras;
  std::vector<Point>
      points;  // points_per_camera in a row belong to camera 0, then to camera 1, ...
};

// Camera k looks along d = (cos a, sin a, 0) from 50 d; up is z.
Scene true_scene(int cameras, int points_per_camera, std::mt19937_64& random) {
  constexpr double kPi = 3.14159265358979323846;
  std::uniform_real_distribution<double> uniform(-1, 1);
  Scene scene;
  for (int k = 0; k < cameras; ++k) {
    const double a = 2 * kPi * k / cameras;
    const double d[3] = {std::cos(a), std::sin(a), 0};
    // Rows: right, down, forward.
    const double rotation[9] = {d[1], -d[0], 0, 0, 0, -1, d[0], d[1], 0};
    Camera camera{};
    ceres::RotationMatrixToAngleAxis(ceres::RowMajorAdapter3x3(rotation), camera.data());
    camera[5] = -50;  // Translation is -R * (50 d) = (0, 0, -50).
    camera[6] = 500;
    camera[7] = 0.01;
    camera[8] = 0.001;
    scene.cameras.push_back(camera);
    for (int j = 0; j < points_per_camera; ++j) {
      const double far = 70 + 10 * uniform(random);
      const double aside = 4 * uniform(random);
      scene.points.push_back(
          {far * d[0] - aside * d[1], far * d[1] + aside * d[0], 8 * uniform(random)});
    }
  }
  return scene;
}

}  // namespace

int main(int argc, char** argv) {
  const int cameras = argc == 3 ? std::atoi(argv[1]) : 0;
  const int points_per_camera = argc == 3 ? std::atoi(argv[2]) : 0;
  if (cameras < 60 || points_per_camera < 10) {
    std::fprintf(stderr, "usage: bundle CAMERAS (from 60) POINTS_PER_CAMERA (from 10)\n");
    return 2;
  }
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const Scene truth = true_scene(cameras, points_per_camera, random);
  Scene start = truth;
  for (Camera& camera : start.cameras) {
    for (int k = 0; k < 3; ++k) camera[static_cast<std::size_t>(k)] += 0.002 * normal(random);
    for (int k = 3; k < 6; ++k) camera[static_cast<std::size_t>(k)] += 0.1 * normal(random);
  }
  for (Point& point : start.points) {
    for (double& x : point) x += 0.2 * normal(random);
  }

  Scene now = start;
  ceres::Problem problem;
  for (std::size_t j = 0; j < now.points.size(); ++j) {
    const int before = static_cast<int>(j) / points_per_camera;
    for (int reach = -kReach; reach <= kReach; ++reach) {
      const auto k = static_cast<std::size_t>((before + reach + cameras) % cameras);
      Reprojection seen{};
      project(truth.cameras[k].data(), truth.points[j].data(), seen.seen);
      for (double& x : seen.seen) x += 0.5 * normal(random);
      problem.AddResidualBlock(
          new ceres::AutoDiffCostFunction<Reprojection, 2, 9, 3>(new Reprojection(seen)), nullptr,
          now.cameras[k].data(), now.points[j].data());
    }
  }
  const std::string name = "bundle " + std::string(argv[1]);
  return solve_twice(name, ceres::SPARSE_SCHUR, problem,
                     [&] {
                       for (std::size_t k = 0; k < now.cameras.size(); ++k)
                         now.cameras[k] = start.cameras[k];
                       for (std::size_t j = 0; j < now.points.size(); ++j)
                         now.points[j] = start.points[j];
                     })
             ? 0
             : 1;
}
