// What the two Ceres programs have in common: options, two solves, and what they print.
#pragma once

#include <ceres/ceres.h>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>

/// Solves the problem twice from the same start and prints what the second solve found.
/// @param start  sets the problem's parameters to their first values.
/// Returns whether the second solve ended with a usable solution.
inline bool solve_twice(const std::string& name, ceres::LinearSolverType type,
                        ceres::Problem& problem, const std::function<void()>& start) {
  ceres::Solver::Options options;
  options.linear_solver_type = type;
  options.sparse_linear_algebra_library_type = ceres::SUITE_SPARSE;
  options.num_threads = 2;
  options.max_num_iterations = 100;
  // Tighter than Ceres' default, so that both libraries' runs end at the minimum itself.
  options.function_tolerance = 1e-10;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  for (int run = 0; run < 2; ++run) {
    start();
    ceres::Solve(options, &problem, &summary);
  }
  std::printf("case %s\n", name.c_str());
  std::printf("value initial_cost %.17g\n", summary.initial_cost);
  std::printf("value final_cost %.17g\n", summary.final_cost);
  std::printf("note iterations %zu\n", summary.iterations.size());
  std::printf("note parameters %d\n", summary.num_effective_parameters_reduced);
  std::printf("time linear_solver %.6g\n", summary.linear_solver_time_in_seconds);
  std::printf("time all %.6g\n", summary.total_time_in_seconds);
  if (!summary.IsSolutionUsable()) std::fprintf(stderr, "%s\n", summary.message.c_str());
  return summary.IsSolutionUsable();
}
