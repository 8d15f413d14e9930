// Parses the words KEY=VALUE of clchol_device_factor_bench: parameters of the plan and the kernels
// (--set), and coefficients of the analysis' model of a front's time (--cost).
#pragma once

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>

#include "gpu_kernels/devices/tuning.hpp"
#include "gpu_kernels/fronts/front_solve.hpp"
#include "gpu_kernels/runtime/capabilities.hpp"
#include "numeric/device/factor.hpp"
#include "symbolic/front_cost.hpp"

namespace clchol::bench {

/// The numbers that --set or --cost gives, by parameter name.
using Values = std::map<std::string, Index>;

inline Values parse_values(const std::string& text) {
  Values values;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const std::size_t equals = item.find('=');
    if (equals != std::string::npos) {
      values[item.substr(0, equals)] = std::atoi(item.c_str() + equals + 1);
    }
    begin = end + 1;
  }
  return values;
}

inline std::string text_of(const Values& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(value);
  }
  return text;
}

/// Removes `name` from the values and returns its value; `otherwise` if it is not among them.
inline Index take(Values& values, const char* name, Index otherwise) {
  const auto found = values.find(name);
  if (found == values.end()) return otherwise;
  const Index value = found->second;
  values.erase(found);
  return value;
}

// ---- Shapes of the kernels

struct Variant {
  numeric::DevicePlanOptions plan;
  numeric::DeviceKernelParams kernels;
  // All values; kernels of solves are chosen from them once the right-hand sides are known.
  Values given;
  gpu::FrontSolveOptions solve_plan;
};

/// Doubles in `count` MiB; 0 stands for no limit.
inline Offset mebibytes(Index count) {
  if (count == 0) return std::numeric_limits<Offset>::max();
  return Offset{count} * (1 << 20) / static_cast<Offset>(sizeof(double));
}

/// Parameters of the solve kernels for nrhs right-hand sides, as the variant's values change them.
inline gpu::FrontSolveParams take_solve_params(Values& values, Index nrhs,
                                               const gpu::FrontSolveSizes& sizes = {}) {
  gpu::FrontSolveParams params = gpu::front_solve_params(take(values, "solve_rhs", nrhs), sizes);
  params.stages = take(values, "solve_stages", params.stages);
  params.registers = take(values, "solve_registers", params.registers);
  params.work_groups_per_unit = take(values, "solve_groups", params.work_groups_per_unit);
  return params;
}

inline void take_solve_plan(Values& values, Variant& v) {
  v.solve_plan.subtree_rows = take(values, "subtree_rows", v.solve_plan.subtree_rows);
  v.solve_plan.subtree_columns = take(values, "subtree_columns", v.solve_plan.subtree_columns);
  v.solve_plan.subtrees = take(values, "subtrees", v.solve_plan.subtrees);
  v.solve_plan.part_rows = take(values, "part_rows", v.solve_plan.part_rows);
  v.solve_plan.coupled_blocks = take(values, "coupled_blocks", v.solve_plan.coupled_blocks);
  v.solve_plan.spanned_blocks = take(values, "spanned_blocks", v.solve_plan.spanned_blocks);
  v.solve_plan.span = take(values, "span", v.solve_plan.span);
}

inline Variant variant_of(Values values, const gpu::Capabilities& can, const gpu::Tuning& tuning) {
  Variant v;
  v.plan.small_rows = take(values, "small_rows", v.plan.small_rows);
  v.plan.small_columns = take(values, "small_columns", v.plan.small_columns);
  v.plan.least_wave = take(values, "least_wave", v.plan.least_wave);
  v.plan.limits.updates = mebibytes(take(values, "updates_mib", 0));
  v.plan.limits.panels = mebibytes(take(values, "panels_mib", 0));
  v.kernels.least_launch = take(values, "least_launch", v.kernels.least_launch);
  gpu::FrontBatchParams& b = v.kernels.batch;
  b.tile_rows = take(values, "tile_rows", b.tile_rows);
  b.tile_k = take(values, "tile_k", b.tile_k);
  b.stages = take(values, "stages", b.stages);
  b.mma_k = take(values, "mma_k", b.mma_k);
  b.cached = take(values, "cached", b.cached);
  b.usual.registers = take(values, "registers", b.usual.registers);
  b.usual.per_unit = take(values, "groups", b.usual.per_unit);
  b.top_share = take(values, "top_share", b.top_share);
  b.top.registers = take(values, "top_registers", b.top.registers);
  b.top.per_unit = take(values, "top_work_groups", b.top.per_unit);
  b.tall_from = take(values, "tall_from", b.tall_from);
  b.tall.registers = take(values, "tall_registers", b.tall.registers);
  b.tall.per_unit = take(values, "tall_work_groups", b.tall.per_unit);
  v.given = values;
  take_solve_params(values, 1);
  take_solve_plan(values, v);
  if (take(values, "plain", 0) != 0) {
    const gpu::WorkGroupLimits limits{can.max_work_group_size, can.static_local_bytes};
    v.kernels.plain =
        numeric::PlainWavesParams{gpu::panel_params<double>(tuning, limits),
                                  {gpu::gemm_params<double>(tuning, "plain", limits),
                                   gpu::gemm_params<double>(tuning, "plain_small", limits)},
                                  {}};
  }
  if (take(values, "levels", 0) != 0) v.kernels.order = gpu::BatchOrder::kLevels;
  v.kernels.small_classes = gpu::small_front_classes(can, tuning, sizeof(double));
  if (!values.empty()) throw InvalidArgument("no such parameter: " + values.begin()->first);
  return v;
}

// ---- The model of a front's time

inline symbolic::FrontCost cost_of(Values values) {
  symbolic::FrontCost cost;
  const auto set = [&](double& coefficient, const char* name) {
    coefficient = take(values, name, static_cast<Index>(coefficient));
  };
  set(cost.front, "front");
  set(cost.small_front, "small_front");
  set(cost.small_rows, "small_rows");
  set(cost.column_block, "column_block");
  set(cost.panel_tile, "panel_tile");
  set(cost.update_tile, "update_tile");
  set(cost.block, "block");
  if (!values.empty()) throw InvalidArgument("no such cost: " + values.begin()->first);
  return cost;
}

}  // namespace clchol::bench
