// Pose graphs in the plane and in space: read from g2o files, or generated.
//
// A pose is a position and a rotation; an edge measures pose `to` in the frame of pose `from`:
//
//   measured = from^-1 * to,   with information matrix = inverse of the measurement's covariance
//
// Generated graphs are those of the public data sets' construction and size, with random noise of
// their own: the sphere and the torus are walked along in rings, and each pose is also measured
// from the one beside it in the ring before; in the city a robot walks along the edges of a square
// grid and measures earlier poses at the same corner.  The estimates are the odometry's.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Pose2 {
  static constexpr int kDof = 3;
  Eigen::Vector2d p = Eigen::Vector2d::Zero();
  double angle = 0;

  Pose2 operator*(const Pose2& b) const {
    return {p + Eigen::Rotation2Dd(angle) * b.p, angle + b.angle};
  }
  Pose2 inverse() const { return {-(Eigen::Rotation2Dd(-angle) * p), -angle}; }
};

struct Pose3 {
  static constexpr int kDof = 6;
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();

  Pose3 operator*(const Pose3& b) const { return {p + q * b.p, (q * b.q).normalized()}; }
  Pose3 inverse() const { return {-(q.conjugate() * p), q.conjugate()}; }
};

template <class Pose>
struct Edge {
  std::size_t from;
  std::size_t to;
  Pose measured;
  // sqrt_information' * sqrt_information = information matrix.
  Eigen::Matrix<double, Pose::kDof, Pose::kDof> sqrt_information;
};

template <class Pose>
struct Graph {
  std::vector<Pose> poses;
  std::vector<Edge<Pose>> edges;
};

// --- g2o files ------------------------------------------------------------------------------

inline void read_pose(std::istream& in, Pose2& pose) {
  in >> pose.p.x() >> pose.p.y() >> pose.angle;
}

inline void read_pose(std::istream& in, Pose3& pose) {
  in >> pose.p.x() >> pose.p.y() >> pose.p.z();
  in >> pose.q.x() >> pose.q.y() >> pose.q.z() >> pose.q.w();
  pose.q.normalize();
}

// The upper triangle, by rows.
template <int kDof>
Eigen::Matrix<double, kDof, kDof> read_information(std::istream& in) {
  Eigen::Matrix<double, kDof, kDof> information;
  for (int i = 0; i < kDof; ++i) {
    for (int j = i; j < kDof; ++j) {
      in >> information(i, j);
      information(j, i) = information(i, j);
    }
  }
  return information;
}

inline bool is_vertex(const std::string& word, const Pose2&) { return word == "VERTEX_SE2"; }
inline bool is_vertex(const std::string& word, const Pose3&) { return word == "VERTEX_SE3:QUAT"; }
inline bool is_edge(const std::string& word, const Pose2&) { return word == "EDGE_SE2"; }
inline bool is_edge(const std::string& word, const Pose3&) { return word == "EDGE_SE3:QUAT"; }

/// Returns the vertices and edges of this kind of pose; other lines are left out.  A vertex that
/// the file does not estimate is where the first edge that leads to it says.
template <class Pose>
Graph<Pose> read_g2o(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  Graph<Pose> graph;
  std::map<long, std::size_t> places;  // From a vertex's number in the file.
  const auto place_of = [&](long id, const Pose& otherwise) {
    const auto [found, is_new] = places.emplace(id, graph.poses.size());
    if (is_new) graph.poses.push_back(otherwise);
    return found->second;
  };
  for (std::string text; std::getline(file, text);) {
    std::istringstream line(text);
    std::string word;
    line >> word;
    long id = 0;
    if (is_vertex(word, Pose{})) {
      line >> id;
      read_pose(line, graph.poses[place_of(id, {})]);
    } else if (is_edge(word, Pose{})) {
      long to = 0;
      line >> id >> to;
      Edge<Pose> edge;
      read_pose(line, edge.measured);
      edge.sqrt_information = read_information<Pose::kDof>(line).llt().matrixU();
      edge.from = place_of(id, {});
      edge.to = place_of(to, graph.poses[edge.from] * edge.measured);
      graph.edges.push_back(edge);
    }
    if (line.fail()) throw std::runtime_error(path + ": cannot read '" + text + "'");
  }
  return graph;
}

// --- Generated graphs -----------------------------------------------------------------------

// Standard deviations of the measurements, in the unit of length and in radians.
constexpr double kSigmaPosition = 0.05;
constexpr double kSigmaAngle = 0.01;

class Noise {
 public:
  Pose2 disturb(const Pose2& pose) {
    const Pose2 error{{kSigmaPosition * normal(), kSigmaPosition * normal()},
                      kSigmaAngle * normal()};
    return pose * error;
  }
  Pose3 disturb(const Pose3& pose) {
    Pose3 error;
    for (int k = 0; k < 3; ++k) error.p[k] = kSigmaPosition * normal();
    for (int k = 0; k < 3; ++k) error.q.vec()[k] = 0.5 * kSigmaAngle * normal();
    error.q.normalize();
    return pose * error;
  }
  // A number of [0, limit).
  std::size_t below(std::size_t limit) { return generator_() % limit; }

 private:
  double normal() { return normal_(generator_); }

  std::mt19937_64 generator_{1};
  std::normal_distribution<double> normal_;
};

/// Returns the graph that measures the pairs of `truth`, first to second, with noise.  Pairs (k -
/// 1, k) come first, in order: the odometry.
template <class Pose>
Graph<Pose> measure(const std::vector<Pose>& truth,
                    const std::vector<std::pair<std::size_t, std::size_t>>& pairs, Noise& noise) {
  Eigen::Matrix<double, Pose::kDof, 1> weights;
  constexpr int kPositions = Pose::kDof == 3 ? 2 : 3;
  weights.setConstant(1 / kSigmaAngle);
  weights.template head<kPositions>().setConstant(1 / kSigmaPosition);
  Graph<Pose> graph;
  graph.poses.push_back(truth.front());
  for (const auto& pair : pairs) {
    const Pose measured = noise.disturb(truth[pair.first].inverse() * truth[pair.second]);
    if (pair.second == graph.poses.size()) graph.poses.push_back(graph.poses.back() * measured);
    graph.edges.push_back({pair.first, pair.second, measured, weights.asDiagonal()});
  }
  return graph;
}

inline std::vector<std::pair<std::size_t, std::size_t>> odometry_of(std::size_t n) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t k = 1; k < n; ++k) pairs.emplace_back(k - 1, k);
  return pairs;
}

/// Returns a walk of n poses in rings of `ring`, with a measurement of each pose from the one in
/// the ring before; where `closed`, also from the last ring to the first.
inline Graph<Pose3> generate_rings(std::size_t n, std::size_t ring, bool closed) {
  constexpr double kPi = 3.14159265358979323846;
  std::vector<Pose3> truth(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double u = 2 * kPi * static_cast<double>(k) / static_cast<double>(ring);
    const double s = static_cast<double>(k) / static_cast<double>(n);
    // The torus closes; the sphere goes from one pole to the other.
    const double v = closed ? 2 * kPi * s : kPi * (s - 0.5);
    const double out = closed ? 30 + 10 * std::cos(u) : 50 * std::cos(v);
    const double turn = closed ? v : u;
    const double height = closed ? 10 * std::sin(u) : 50 * std::sin(v);
    truth[k].p = {out * std::cos(turn), out * std::sin(turn), height};
    truth[k].q = Eigen::AngleAxisd(turn, Eigen::Vector3d::UnitZ()) *
                 Eigen::AngleAxisd(closed ? u : v, Eigen::Vector3d::UnitY());
  }
  auto pairs = odometry_of(n);
  for (std::size_t k = ring; k < n; ++k) pairs.emplace_back(k - ring, k);
  for (std::size_t k = 0; closed && k < ring; ++k) pairs.emplace_back(n - ring + k, k);
  Noise noise;
  return measure(truth, pairs, noise);
}

/// Returns a walk of n poses along the edges of a square grid of sqrt(n) corners a side: a corner
/// is passed about once, and what was there before is measured.
inline Graph<Pose2> generate_city(std::size_t n) {
  constexpr double kQuarter = 1.57079632679489661923;
  const long side = std::max(2L, std::lround(std::sqrt(static_cast<double>(n))));
  Noise noise;
  std::vector<Pose2> truth(1);
  auto pairs = odometry_of(n);
  std::map<std::pair<long, long>, std::size_t> last_at = {{{0, 0}, 0}};
  long x = 0;
  long y = 0;
  std::size_t heading = 0;
  while (truth.size() < n) {
    const std::size_t die = noise.below(8);
    std::size_t next = die < 6 ? heading : (die == 6 ? heading + 1 : heading + 3);
    constexpr long kStepX[] = {1, 0, -1, 0};
    constexpr long kStepY[] = {0, 1, 0, -1};
    const auto inside = [&](std::size_t h) {
      const long a = x + kStepX[h % 4];
      const long b = y + kStepY[h % 4];
      return a >= 0 && a < side && b >= 0 && b < side;
    };
    while (!inside(next)) ++next;
    heading = next % 4;
    x += kStepX[heading];
    y += kStepY[heading];
    truth.push_back({{static_cast<double>(x), static_cast<double>(y)},
                     kQuarter * static_cast<double>(heading)});
    const std::size_t now = truth.size() - 1;
    const auto before = last_at.find({x, y});
    if (before != last_at.end()) pairs.emplace_back(before->second, now);
    last_at[{x, y}] = now;
  }
  return measure(truth, pairs, noise);
}
