#include "numeric/device/stream/groups.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/index_math.hpp"
#include "base/update_layout.hpp"
#include "gpu_kernels/fronts/front_solve_tiles.hpp"
#include "numeric/device/stream/wide_panels.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

constexpr Index kBlock = kUpdateBlock;  // Strips are whole blocks of columns.
// Rate of large fronts, relative to StreamRates::flops_per_s: measured in streamed factorizations
// of grid3d:100 on an H200.
constexpr double kRateOfFronts = 1.3;
// Subtrees take the time of their flops at this rate, and of kFlopsOfEntry flops for each entry of
// their panels: measured in streamed factorizations of grid2d:2000 and elast3d:60 on an H200.
constexpr double kRateOfSubtrees = 1.3, kFlopsOfEntry = 2000;

/// Entries that solves keep beside the panel of a front, about.  Solves by tickets keep none for a
/// small front.
Offset inverses_of(Index nrow, Index ncol, bool by_tickets) {
  constexpr gpu::FrontSolveOptions kTickets;
  if (!by_tickets) return Offset{ncol} * std::min<Index>((ncol + 15) / 16 * 16, 64);
  const bool is_small = nrow <= kTickets.subtree_rows && ncol <= kTickets.subtree_columns;
  return is_small ? 0 : gpu::front_solve_inverses(ncol, kTickets);
}

/// Flops of a front: sum over k < ncol of (nrow - k)^2.
double flops_of(double nrow, double ncol) {
  const double rest = nrow - ncol;
  return (nrow * (nrow + 1) * (2 * nrow + 1) - rest * (rest + 1) * (2 * rest + 1)) / 6;
}

// ---- Strips -------------------------------------------------------------------------------------

/// For each supernode, whether it is computed in strips: large fronts, and all their ancestors.
std::vector<char> fronts_in_strips(const SymbolicFactor& factor, const StreamCut& cut) {
  std::vector<char> strips(at(factor.nsuper), 0);
  if (cut.strip == 0) return strips;
  for (Index s = 0; s < factor.nsuper; ++s) {
    if (front_entries(factor, s) > cut.front) strips[at(s)] = 1;
    const Index parent = factor.super_parent[s];
    if (parent != kNone && strips[at(s)]) strips[at(parent)] = 1;
  }
  return strips;
}

/// The first column of each strip of front s, then nrow.  Strips are whole blocks of columns: of
/// the panel first, then of the update matrix, whose blocks begin at an even column.
/// @param entries  entries of update matrices that a strip reads and writes, about.
std::vector<Index> strip_columns(const SymbolicFactor& factor, Index s, Offset entries) {
  const Index nrow = factor.nrow(s), update = factor.ncol(s) / 2 * 2;
  Offset rows = nrow;  // Rows of a column of the front and of the children's columns added to it.
  for (const Index c : factor.children(s)) rows += factor.nupd(c);
  const Index width =
      static_cast<Index>(std::clamp<Offset>(entries / rows / kBlock, 1, nrow)) * kBlock;
  std::vector<Index> begin;
  for (Index c = 0; c < update; c += width) begin.push_back(c);
  // An odd last pivot column belongs to the first block of the update.  Without an update, it gets
  // a block of its own if the columns before it fill whole blocks; else it is in the last block.
  const bool has_more = factor.nupd(s) > 0 || update % kBlock == 0;
  for (Index c = update; c < nrow && has_more; c += width) begin.push_back(c);
  begin.push_back(nrow);
  return begin;
}

/// Replaces each group that is a front in strips by one group for each strip.
void cut_strips(const SymbolicFactor& factor, const std::vector<char>& strips, Offset entries,
                FrontGroups& groups) {
  FrontGroups cut;
  std::vector<Index> first;  // For each old group: its new number, or that of its first strip.
  cut.unit_ptr = {0};
  for (Index g = 0; g < groups.num_groups; ++g) {
    first.push_back(cut.num_groups);
    const std::span<const FrontUnit> units = groups.units_of(g);
    const Index root = units.front().root;
    std::vector<Index> columns{0, 0};
    if (strips[at(root)]) {
      columns = strip_columns(factor, root, entries);
      for (std::size_t k = 0; k + 1 < columns.size(); ++k) {
        cut.strips[cut.num_groups + static_cast<Index>(k)] = {
            .root = root, .begin = columns[k], .end = columns[k + 1], .is_first = k == 0};
      }
    }
    for (std::size_t k = 0; k + 1 < columns.size(); ++k) {
      cut.units.insert(cut.units.end(), units.begin(), units.end());
      cut.unit_ptr.push_back(static_cast<Index>(cut.units.size()));
      ++cut.num_groups;
    }
  }
  for (Index& group : groups.group) group = first[at(group)];
  groups.num_groups = cut.num_groups;
  groups.units = std::move(cut.units);
  groups.unit_ptr = std::move(cut.unit_ptr);
  groups.strips = std::move(cut.strips);
}

// ---- Time ---------------------------------------------------------------------------------------

/// Whether the group is made of subtrees: their small fronts take several launches of their own.
bool has_subtrees(const FrontGroups& groups, Index group) {
  return groups.units_of(group).front().is_subtree;
}

/// Predicts the seconds of each group.
void count_seconds(const SymbolicFactor& factor, const StreamRates& rates, StreamGroups& made) {
  const FrontGroups& groups = made.fronts;
  const auto num_groups = at(groups.num_groups);
  std::vector<double> work(num_groups, 0), way(num_groups, 0), entries(num_groups, 0);
  std::vector<double> columns(at(factor.nsuper), 0);
  for (Index s = 0; s < factor.nsuper; ++s) {
    const std::size_t g = at(groups.group[at(s)]);
    if (groups.strips.contains(groups.group[at(s)])) continue;
    work[g] += flops_of(factor.nrow(s), factor.ncol(s));
    entries[g] += static_cast<double>(panel_size(factor.nrow(s), factor.ncol(s)));
    columns[at(s)] += factor.ncol(s);
    way[g] = std::max(way[g], columns[at(s)]);
    const Index parent = factor.super_parent[s];
    if (parent != kNone && at(groups.group[at(parent)]) == g) {
      columns[at(parent)] = std::max(columns[at(parent)], columns[at(s)]);
    }
  }
  // Flops of a strip: entries below the diagonal in each column, times the pivot columns before it.
  for (const auto& [g, strip] : groups.strips) {
    const double nrow = factor.nrow(strip.root);
    const Index ncol = factor.ncol(strip.root);
    for (Index c = strip.begin; c < strip.end; c += kBlock) {
      const double width = std::min(kBlock, strip.end - c);
      work[at(g)] += 2 * width * (nrow - c) * std::min(c + kBlock / 2, ncol);
      if (c < ncol) way[at(g)] += width;
    }
  }
  for (std::size_t g = 0; g < num_groups; ++g) {
    const bool is_small = has_subtrees(groups, static_cast<Index>(g));
    const double path_s = way[g] * rates.column_s;
    const double launches_s = rates.group_s * (is_small ? 2 : 1);
    const double rate = rates.flops_per_s * (is_small ? kRateOfSubtrees : kRateOfFronts);
    const double flops = work[g] + (is_small ? kFlopsOfEntry * entries[g] : 0);
    const double work_s = flops / rate;
    const bool is_strip = groups.strips.contains(static_cast<Index>(g));
    const double both_s = is_strip ? work_s + path_s : std::max(work_s, path_s);
    made.seconds.push_back(both_s + launches_s);
    made.solve_s.push_back(path_s * (is_small ? 0.5 : 0.25));
  }
}

// ---- Slabs and units ----------------------------------------------------------------------------

/// Packs the panels of whole groups into slabs.  All strips of a front count as one group.
void make_slabs(const SymbolicFactor& factor, const StreamCut& cut, StreamGroups& made) {
  const FrontGroups& groups = made.fronts;
  std::vector<Offset> panels(at(groups.num_groups), 0), inverses(at(groups.num_groups), 0);
  made.not_moved.assign(at(groups.num_groups), 0);
  for (Index s = 0; s < factor.nsuper; ++s) {
    panels[at(groups.group[at(s)])] += panel_size(factor.nrow(s), factor.ncol(s));
    made.not_moved[at(groups.group[at(s)])] +=
        entries_not_moved(factor.ncol(s), factor.ncol(s), cut.transfer_block);
    inverses[at(groups.group[at(s)])] +=
        inverses_of(factor.nrow(s), factor.ncol(s), cut.by_tickets);
  }
  const auto continues = [&](Index g) {
    const auto strip = groups.strips.find(g);
    return strip != groups.strips.end() && !strip->second.is_first;
  };
  std::vector<Offset> sizes;
  // Whether a group opens a new slab: only slabs that are made of subtrees alone can be dropped.
  std::vector<char> opens;
  Offset before = 0;  // Entries of the earlier groups of the slab of single fronts.
  for (Index g = 0; g < groups.num_groups; ++g) {
    if (continues(g)) continue;
    const bool is_apart = cut.size.front_panels > 0, is_small = has_subtrees(groups, g);
    const bool differs = g > 0 && is_small != has_subtrees(groups, g - 1);
    const bool is_full = !is_small && before > cut.size.front_panels - panels[at(g)];
    sizes.push_back(panels[at(g)]);
    opens.push_back(is_apart && (differs || is_full) ? 1 : 0);
    before = is_small || is_full ? 0 : before;
    before += is_small ? 0 : panels[at(g)];
  }
  const gpu::SlabPlan slabs = gpu::plan_slabs(
      sizes, {.max_slab = cut.largest, .usual = cut.size.panels, .alignment = kPanelAlignment},
      opens);
  made.slabs.slab_sizes = slabs.slab_sizes;
  made.slab_end.assign(slabs.slab_sizes.size(), 0);
  made.inverses.assign(slabs.slab_sizes.size(), 0);
  std::size_t next = 0;
  for (Index g = 0; g < groups.num_groups; ++g) {
    if (!continues(g)) ++next;
    made.slabs.places.push_back(slabs.places[next - 1]);
    made.slab_end[at(made.slab_of(g))] = g + 1;
    made.inverses[at(made.slab_of(g))] += inverses[at(g)];
  }
}

/// Counts rows of vectors that only their own slab reads, and that other slabs read, and finds
/// which slabs read which.  In solves by tickets a front's vector has only the rows of its update.
void count_vectors(const SymbolicFactor& factor, bool by_tickets, StreamGroups& made) {
  const auto slab_of = [&](Index s) { return made.slab_of(made.fronts.group[at(s)]); };
  made.inner_rows.assign(made.slabs.slab_sizes.size(), 0);
  made.outer_rows.assign(made.slabs.slab_sizes.size(), 0);
  made.below.resize(made.slabs.slab_sizes.size());
  for (Index s = 0; s < factor.nsuper; ++s) {
    const Index parent = factor.super_parent[s];
    const bool is_read_later = parent != kNone && slab_of(parent) != slab_of(s);
    if (is_read_later) {
      std::vector<Index>& below = made.below[at(slab_of(parent))];
      if (below.empty() || below.back() != slab_of(s)) below.push_back(slab_of(s));
    }
    std::vector<Offset>& rows = is_read_later ? made.outer_rows : made.inner_rows;
    rows[at(slab_of(s))] += by_tickets ? factor.nupd(s) : factor.nrow(s);
  }
}

void make_units(const SymbolicFactor& factor, StreamGroups& made) {
  const FrontGroups& groups = made.fronts;
  made.unit_of.assign(at(factor.nsuper), kNone);
  // Last group of each supernode: that of its last strip.
  std::vector<Index> last = groups.group;
  for (const auto& [g, strip] : groups.strips) {
    last[at(strip.root)] = std::max(last[at(strip.root)], g);
  }
  for (Index g = 0; g < groups.num_groups; ++g) {
    for (const FrontUnit& fronts : groups.units_of(g)) {
      const Index root = fronts.root, parent = factor.super_parent[root];
      StreamUnit unit{.fronts = fronts, .group = g, .last_group = last[at(root)]};
      unit.update = update_size(factor.nupd(root));
      if (parent != kNone) {
        unit.parent_group = groups.group[at(parent)];
        unit.parent_last = last[at(parent)];
      }
      if (const auto strip = groups.strips.find(g); strip != groups.strips.end()) {
        unit.column = strip->second.begin;
        unit.columns = strip->second.end - strip->second.begin;
      }
      if (made.unit_of[at(root)] == kNone) {
        made.unit_of[at(root)] = static_cast<Index>(made.units.size());
      }
      made.units.push_back(unit);
    }
  }
}

}  // namespace

Offset front_entries(const SymbolicFactor& factor, Index s) {
  Offset sum = panel_size(factor.nrow(s), factor.ncol(s)) + update_size(factor.nupd(s));
  for (const Index c : factor.children(s)) sum += update_size(factor.nupd(c));
  return sum;
}

StreamGroups make_stream_groups(const SymbolicFactor& factor, const StreamCut& cut,
                                const StreamRates& rates) {
  StreamGroups made;
  made.transfer_block = cut.transfer_block;
  const std::vector<char> strips = fronts_in_strips(factor, cut);
  made.fronts = make_groups_of_size(factor, cut.size, strips);
  cut_strips(factor, strips, cut.strip, made.fronts);
  make_slabs(factor, cut, made);
  make_units(factor, made);
  count_vectors(factor, cut.by_tickets, made);
  count_seconds(factor, rates, made);
  return made;
}

bool StreamGroups::is_made_of_subtrees(Index slab) const {
  const auto [first, last] = groups_of(slab);
  for (Index g = first; g < last; ++g) {
    const auto units_of_group = fronts.units_of(g);
    if (!std::ranges::all_of(units_of_group, &FrontUnit::is_subtree)) return false;
  }
  return true;
}

Offset StreamGroups::moved_entries(Index slab) const {
  const auto [first, last] = groups_of(slab);
  return std::accumulate(not_moved.begin() + first, not_moved.begin() + last,
                         slabs.slab_sizes[at(slab)], std::minus<>());
}

Offset StreamGroups::space_of(Index group) const {
  Offset sum = 0;
  for (const FrontUnit& unit : fronts.units_of(group)) sum += unit.space;
  return sum;
}

Offset StreamGroups::vector_rows(Index first_on_device) const {
  Offset outer = 0, inner = 0;
  for (Index s = first_on_device; s < num_slabs(); ++s) {
    outer += outer_rows[at(s)];
    inner = std::max(inner, inner_rows[at(s)]);
  }
  return outer + inner;
}

SolveOrder StreamGroups::solve_order(Index first_on_device) const {
  SolveOrder order;
  std::vector<Index> above;
  std::vector<char> waits(at(num_slabs()), 0);  // For each slab: whether it depends on the CPU.
  for (Index s = 0; s < num_slabs(); ++s) {
    waits[at(s)] = s < first_on_device ||
                   std::ranges::any_of(below[at(s)], [&](Index b) { return waits[at(b)] != 0; });
    if (s >= first_on_device) (waits[at(s)] != 0 ? above : order.slabs).push_back(s);
  }
  order.num_free = static_cast<Index>(order.slabs.size());
  order.slabs.insert(order.slabs.end(), above.begin(), above.end());
  return order;
}

std::vector<char> StreamGroups::part_before(Index first_on_device) const {
  std::vector<char> is_part;
  is_part.reserve(fronts.group.size());
  for (const Index g : fronts.group) is_part.push_back(slab_of(g) < first_on_device ? 1 : 0);
  return is_part;
}

double StreamGroups::sum_of(const std::vector<double>& of_groups, Index slab) const {
  const auto [first, last] = groups_of(slab);
  return std::accumulate(of_groups.begin() + first, of_groups.begin() + last, 0.0);
}

UpdateWindow written_window(const SymbolicFactor& factor, const StreamUnit& strip) {
  const Index root = strip.fronts.root, ncol = factor.ncol(root), nupd = factor.nupd(root);
  const auto begin_of = [&](Index column) {
    return update_column_begin(nupd, std::clamp(column - ncol, 0, nupd));
  };
  const Index end = strip.column + strip.columns;
  if (end <= ncol) return {};
  return {begin_of(strip.column), begin_of(end)};
}

UpdateWindow read_window(const SymbolicFactor& factor, const StreamUnit& strip, Index child) {
  const Index nupd = factor.nupd(child);
  const Index* const rows = factor.relind.data() + factor.relind_begin(child);
  const auto begin_of = [&](Index column) {
    const auto j = static_cast<Index>(std::lower_bound(rows, rows + nupd, column) - rows);
    return update_column_begin(nupd, j);
  };
  // The last strip of the panel also reads the entries for an odd last pivot column, although the
  // first block of the update contains that column.
  const Index ncol = factor.ncol(strip.fronts.root), end = strip.column + strip.columns;
  return {begin_of(strip.column), begin_of(end == ncol / 2 * 2 ? ncol : end)};
}

}  // namespace clchol::numeric
