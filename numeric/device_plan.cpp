#include "numeric/device_plan.hpp"

#include <algorithm>
#include <numeric>

#include "base/update_layout.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

/// Height of each small supernode over its leaves; kNone of the others.
std::vector<Index> small_heights(const SymbolicFactor& factor, const DevicePlanOptions& options) {
  std::vector<Index> height(static_cast<std::size_t>(factor.nsuper), 0);
  for (Index s = 0; s < factor.nsuper; ++s) {
    if (factor.nrow(s) > options.small_rows || factor.ncol(s) > options.small_columns) {
      height[s] = kNone;
    }
    const Index parent = factor.super_parent[s];
    if (parent == kNone) continue;
    const bool small = height[s] != kNone && height[parent] != kNone;
    height[parent] = small ? std::max(height[parent], height[s] + 1) : kNone;
  }
  return height;
}

/// Number of heights that have enough fronts.
Index count_waves(const std::vector<Index>& height, Index least_wave) {
  std::vector<Index> count;
  for (const Index h : height) {
    if (h == kNone) continue;
    if (h >= static_cast<Index>(count.size())) count.resize(static_cast<std::size_t>(h) + 1);
    ++count[h];
  }
  const auto few = [&](Index fronts) { return fronts < least_wave; };
  return static_cast<Index>(std::find_if(count.begin(), count.end(), few) - count.begin());
}

/// The wave of each supernode: as late as its parent allows.  kNone: it is not small.
std::vector<Index> small_waves(const SymbolicFactor& factor, const DevicePlanOptions& options) {
  std::vector<Index> wave = small_heights(factor, options);
  const Index waves = count_waves(wave, options.least_wave);
  for (Index s = factor.nsuper - 1; s >= 0; --s) {
    const Index parent = factor.super_parent[s];
    const bool is_top = parent == kNone || wave[parent] == kNone;
    if (wave[s] >= waves) {
      wave[s] = kNone;
    } else if (wave[s] != kNone) {
      wave[s] = is_top ? waves - 1 : wave[parent] - 1;
    }
  }
  return wave;
}

/// Height of each large supernode among large ones; kNone of the others.
std::vector<Index> large_heights(const SymbolicFactor& factor, const std::vector<Index>& wave) {
  std::vector<Index> height(wave.size(), kNone);
  for (Index s = 0; s < factor.nsuper; ++s) {
    if (wave[s] != kNone) continue;
    height[s] = std::max(height[s], 0);
    const Index parent = factor.super_parent[s];
    if (parent != kNone) height[parent] = std::max(height[parent], height[s] + 1);
  }
  return height;
}

/// The small ones, then the others by height; the order of the rest is kept.
std::vector<Index> number_fronts(const std::vector<Index>& wave, const std::vector<Index>& height,
                                 DevicePlan& plan) {
  plan.super.resize(wave.size());
  std::iota(plan.super.begin(), plan.super.end(), 0);
  const auto large = std::stable_partition(plan.super.begin(), plan.super.end(),
                                           [&](Index s) { return wave[s] != kNone; });
  std::stable_sort(large, plan.super.end(),
                   [&](Index a, Index b) { return height[a] < height[b]; });
  plan.num_small = static_cast<Index>(large - plan.super.begin());
  for (auto s = large; s != plan.super.end(); ++s) {
    if (s == large || height[*s] != height[s[-1]]) {
      plan.large_waves.push_back(static_cast<Index>(s - plan.super.begin()));
    }
  }
  plan.large_waves.push_back(static_cast<Index>(plan.super.size()));
  std::vector<Index> front_of(wave.size());
  for (Index f = 0; f < static_cast<Index>(wave.size()); ++f) front_of[plan.super[f]] = f;
  return front_of;
}

/// Grandparent of each supernode in the assembly tree, kNone where there is none.
std::vector<Index> grandparents(const SymbolicFactor& factor) {
  std::vector<Index> grandparent(static_cast<std::size_t>(factor.nsuper), kNone);
  for (Index s = 0; s < factor.nsuper; ++s) {
    const Index parent = factor.super_parent[s];
    if (parent != kNone) grandparent[s] = factor.super_parent[parent];
  }
  return grandparent;
}

/// Places of update matrices, by supernode, and how many entries they take in all.
struct UpdatePlaces {
  std::vector<Offset> begin;
  Offset entries = 0;
};

/// An update matrix is written after its front's children are done, and read by the parent alone:
/// its place may be that of its grandchildren's.  So the space of s holds the update of s, and in
/// the same place the spaces of its grandchildren, one after another:
///
///   space(s) = max(size(s), sum over grandchildren g of space(g))
UpdatePlaces place_updates(const SymbolicFactor& factor) {
  const std::vector<Index> grandparent = grandparents(factor);
  std::vector<Offset> space(static_cast<std::size_t>(factor.nsuper));
  std::vector<Offset> below(space.size(), 0);  // The sum over grandchildren.
  for (Index s = 0; s < factor.nsuper; ++s) {
    space[s] = std::max(update_size(factor.nupd(s)), below[s]);
    if (grandparent[s] != kNone) below[grandparent[s]] += space[s];
  }
  UpdatePlaces places;
  places.begin.resize(space.size());
  std::vector<Offset> next(space.size());  // Where the next grandchild's space begins.
  for (Index s = factor.nsuper - 1; s >= 0; --s) {
    Offset& end = grandparent[s] == kNone ? places.entries : next[grandparent[s]];
    places.begin[s] = next[s] = end;
    end += space[s];
  }
  return places;
}

/// Places of panels, updates, rows and entries.
void place_fronts(const SymbolicFactor& factor, const symbolic::ExecutionPlan& entries,
                  DevicePlan& plan) {
  const UpdatePlaces updates = place_updates(factor);
  plan.update_entries = updates.entries;
  plan.fronts.reserve(plan.super.size());
  for (const Index s : plan.super) {
    gpu::Front front{};
    front.nrow = factor.nrow(s);
    front.ncol = factor.ncol(s);
    front.ldp = (Offset{front.nrow} + 1) / 2 * 2;  // Copies of two values at once want it even.
    front.panel = plan.panel_entries;
    front.update = updates.begin[s];
    front.inverses = plan.inverse_entries;
    front.vector = plan.vector_rows;
    front.rows = factor.super_rowptr[s];
    front.first_column = factor.super_ptr[s];
    front.entry_begin = entries.entry_ptr[front.first_column];
    front.entry_end = entries.entry_ptr[front.first_column + front.ncol];
    plan.panel_entries += front.ldp * front.ncol;
    plan.inverse_entries += gpu::inverses_size(front.ncol, kSolveBlock);
    plan.vector_rows += front.nrow;
    plan.fronts.push_back(front);
  }
}

void list_children(const SymbolicFactor& factor, const std::vector<Index>& front_of,
                   DevicePlan& plan) {
  plan.children.reserve(factor.child.size());
  for (std::size_t f = 0; f < plan.super.size(); ++f) {
    plan.fronts[f].child_begin = static_cast<Index>(plan.children.size());
    for (const Index c : factor.children(plan.super[f])) {
      if (factor.nupd(c) == 0) continue;
      const gpu::Front& child = plan.fronts[front_of[c]];
      plan.children.push_back(
          {child.update, child.vector + child.ncol, factor.relind_begin(c), factor.nupd(c), 0});
    }
    plan.fronts[f].child_end = static_cast<Index>(plan.children.size());
  }
}

void list_small_waves(const std::vector<Index>& wave, DevicePlan& plan) {
  for (Index f = 0; f < plan.num_small; ++f) {
    const auto w = static_cast<std::size_t>(wave[plan.super[f]]);
    if (w >= plan.small_waves.size()) plan.small_waves.resize(w + 1);
    plan.small_waves[w].push_back(f);
  }
}

void list_batch(const SymbolicFactor& factor, const std::vector<Index>& front_of,
                DevicePlan& plan) {
  for (Index f = plan.num_small; f < static_cast<Index>(plan.super.size()); ++f) {
    const gpu::Front& front = plan.fronts[f];
    gpu::BatchFront batch{};
    batch.panel = front.panel;
    batch.ldp = front.ldp;
    batch.update = front.update;
    batch.nrow = front.nrow;
    batch.ncol = front.ncol;
    plan.batch.push_back(batch);
    plan.batch_first_column.push_back(front.first_column);
    for (const Index c : factor.children(plan.super[f])) {
      const Index child = front_of[c];
      if (factor.nupd(c) == 0) continue;
      plan.batch_children.push_back({f - plan.num_small, factor.nupd(c), plan.fronts[child].update,
                                     factor.relind_begin(c),
                                     child < plan.num_small ? kNone : child - plan.num_small});
    }
  }
}

}  // namespace

std::vector<std::vector<Index>> DevicePlan::waves() const {
  std::vector<std::vector<Index>> all = small_waves;
  for (std::size_t w = 0; w + 1 < large_waves.size(); ++w) {
    std::vector<Index>& wave = all.emplace_back(large_waves[w + 1] - large_waves[w]);
    std::iota(wave.begin(), wave.end(), large_waves[w]);
  }
  return all;
}

DevicePlan make_device_plan(const SymbolicFactor& factor, const symbolic::ExecutionPlan& entries,
                            const DevicePlanOptions& options) {
  DevicePlan plan;
  const std::vector<Index> wave = small_waves(factor, options);
  const std::vector<Index> front_of = number_fronts(wave, large_heights(factor, wave), plan);
  place_fronts(factor, entries, plan);
  list_children(factor, front_of, plan);
  list_small_waves(wave, plan);
  list_batch(factor, front_of, plan);
  plan.entry_place = gpu::make_entry_places(
      plan.fronts, {entries.entry_ptr.data(), entries.entry_ptr.size()},
      {entries.entry_row.data(), static_cast<std::size_t>(entries.entry_row.size())});
  return plan;
}

std::vector<gpu::SolveFrontInput> solve_fronts(const SymbolicFactor& factor,
                                               const DevicePlan& plan) {
  std::vector<Index> front_of(plan.super.size());
  for (std::size_t f = 0; f < plan.super.size(); ++f) {
    front_of[plan.super[f]] = static_cast<Index>(f);
  }
  std::vector<gpu::SolveFrontInput> fronts;
  fronts.reserve(plan.super.size());
  for (std::size_t f = 0; f < plan.super.size(); ++f) {
    const gpu::Front& front = plan.fronts[f];
    const Index s = plan.super[f], parent = factor.super_parent[s];
    fronts.push_back({front.panel, front.ldp, front.rows, factor.relind_begin(s), front.nrow,
                      front.ncol, front.first_column, parent == kNone ? kNone : front_of[parent]});
  }
  return fronts;
}

}  // namespace clchol::numeric
