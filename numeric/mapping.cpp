#include "numeric/mapping.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/index_math.hpp"
#include "base/update_layout.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

/// Work of a front or of a subtree.
struct Work {
  double flops = 0;
  Offset entries = 0;  // Entries of panels.
  double moved = 0;    // Values that a solve reads and writes.

  void operator+=(const Work& other) {
    flops += other.flops;
    entries += other.entries;
    moved += other.moved;
  }
};

/// Work of each front and of each subtree.  Length nsuper.
struct TreeWork {
  std::vector<Work> front, subtree;

  explicit TreeWork(const SymbolicFactor& factor) : front(at(factor.nsuper)) {
    for (Index s = 0; s < factor.nsuper; ++s) {
      front[at(s)].flops = front_flops(factor.nrow(s), factor.ncol(s));
      front[at(s)].entries = Offset{factor.nrow(s)} * factor.ncol(s);
      front[at(s)].moved = solve_values(factor.nrow(s), factor.ncol(s));
    }
    subtree = front;
    for (Index s = 0; s < factor.nsuper; ++s) {
      const Index parent = factor.super_parent[s];
      if (parent != kNone) subtree[at(parent)] += subtree[at(s)];
    }
  }
};

/// A layer of subtrees, and the fronts above them.
struct Layer {
  std::vector<Index> roots;  // Roots of the subtrees; the flops of the subtrees descend.
  std::vector<Index> above;  // Fronts above all subtrees, ascending.
};

/// Cost of a mapping: entries of panels that no memory is left for, then seconds.
using Cost = std::pair<Offset, double>;

class Mapper {
 public:
  Mapper(const SymbolicFactor& factor, const std::vector<ShareRates>& shares,
         const HandOverRates& hand_over)
      : factor_(factor), shares_(shares), hand_over_(hand_over), work_(factor) {}

  Mapping run() {
    use_one_share();
    Layer layer;
    for (Index s = 0; s < factor_.nsuper; ++s) {
      if (factor_.super_parent[s] == kNone) add_root(s, layer);
    }
    if (shares_.size() == 1) return std::move(best_);
    consider(layer);
    // Tries every layer while layers are small, then only layers that are a tenth larger than the
    // last one tried: layers of similar size hardly differ.
    for (std::size_t next = 0; refine(layer);) {
      if (layer.roots.size() < next) continue;
      next = layer.roots.size() + layer.roots.size() / 10;
      consider(layer);
    }
    return std::move(best_);
  }

 private:
  // Most moves of subtrees from one share to another, per layer.
  static constexpr Index kMostMoves = 12;
  /// Solves that the cost of a mapping includes beside one factorization.  Of mappings with about
  /// the same time of the factorization, one may solve in half the time of another.
  static constexpr double kSolves = 2;
  /// A subtree is not replaced by its children when it has less than this part of a share's average
  /// flops.
  static constexpr double kLeastSubtree = 1.0 / 16;

  Index num_shares() const { return static_cast<Index>(shares_.size()); }
  double seconds(Index share, const Work& work) const {
    const ShareRates& rates = shares_[at(share)];
    return work.flops / rates.flops_per_s + static_cast<double>(work.entries) * rates.entry_s;
  }

  // ---- Layers ----

  /// Whether the subtree of s, a child of a front above the layer, is too small to be worth a
  /// hand-over.  It then belongs to the front's share and is no subtree of the layer.
  bool is_small(Index s) const {
    return work_.subtree[at(s)].flops < kLeastSubtree / 4 * all_flops_ / num_shares();
  }
  void add_root(Index s, Layer& layer) const {
    const auto flops = [this](Index r) { return work_.subtree[at(r)].flops; };
    const auto place = std::ranges::upper_bound(layer.roots, flops(s), std::greater<>(), flops);
    layer.roots.insert(place, s);
  }
  /// Replaces the largest subtree of the layer by the subtrees of its root's children.
  /// @return false where the largest subtree is too small or is a single front.
  bool refine(Layer& layer) const {
    const Index largest = layer.roots.front();
    if (work_.subtree[at(largest)].flops < kLeastSubtree * all_flops_ / num_shares()) return false;
    if (factor_.children(largest).empty()) return false;
    layer.roots.erase(layer.roots.begin());
    for (const Index c : factor_.children(largest)) {
      if (!is_small(c)) add_root(c, layer);
    }
    layer.above.insert(std::ranges::upper_bound(layer.above, largest), largest);
    return true;
  }

  // ---- One layer ----

  void use_one_share() {
    Work all;
    for (const Work& work : work_.front) all += work;
    all_flops_ = all.flops;
    for (Index p = 0; p < num_shares(); ++p) {
      const double solve_s = all.moved * shares_[at(p)].moved_s;
      const Cost cost(std::max<Offset>(all.entries - shares_[at(p)].panels, 0),
                      seconds(p, all) + kSolves * solve_s);
      if (p > 0 && cost >= best_cost_) continue;
      best_cost_ = cost;
      best_ = {.share = std::vector<Index>(at(factor_.nsuper), p),
               .busy_s = std::vector<double>(shares_.size(), 0),
               .seconds = seconds(p, all),
               .solve_s = solve_s,
               .handed_over = 0};
      best_.busy_s[at(p)] = best_.seconds;
    }
  }

  /// Deals the layer's subtrees to the shares.  Keeps the mapping if its cost is the least so far.
  void consider(const Layer& layer) {
    std::vector<Index> dealt = deal(layer);
    Cost cost = cost_of(layer, dealt);
    for (Index moves = 0; moves < kMostMoves && improve(layer, dealt, cost); ++moves) continue;
    if (cost >= best_cost_) return;
    best_cost_ = cost;
    keep(layer, dealt);
  }

  /// Deals the subtrees to the shares, the longest first: each goes to the share that finishes it
  /// first among the shares with memory for it.
  /// @return share of each root of the layer.
  std::vector<Index> deal(const Layer& layer) const {
    std::vector<double> busy(shares_.size(), 0);
    std::vector<Offset> panels(shares_.size(), 0);
    std::vector<Index> dealt;
    dealt.reserve(layer.roots.size());
    for (const Index root : layer.roots) {
      const Work& work = work_.subtree[at(root)];
      const auto cost = [&](Index p) {
        const Offset excess = panels[at(p)] + work.entries - shares_[at(p)].panels;
        return Cost(std::max<Offset>(excess, 0), busy[at(p)] + seconds(p, work));
      };
      Index best = 0;
      for (Index p = 1; p < num_shares(); ++p) {
        if (cost(p) < cost(best)) best = p;
      }
      busy[at(best)] += seconds(best, work);
      panels[at(best)] += work.entries;
      dealt.push_back(best);
    }
    return dealt;
  }

  /// Makes the move of one subtree to another share that lowers the cost most.
  /// @return false where no move lowers the cost.
  bool improve(const Layer& layer, std::vector<Index>& dealt, Cost& cost) {
    constexpr double kPays = 1 - 1e-6;
    Cost best = cost;
    std::size_t moved = 0;
    Index to = kNone;
    for (std::size_t k = 0; k < dealt.size(); ++k) {
      const Index from = dealt[k];
      for (Index p = 0; p < num_shares(); ++p) {
        if (p == from) continue;
        dealt[k] = p;
        const Cost moved_cost = cost_of(layer, dealt);
        if (moved_cost.first < best.first ||
            (moved_cost.first == best.first && moved_cost.second < best.second * kPays)) {
          best = moved_cost;
          moved = k;
          to = p;
        }
      }
      dealt[k] = from;
    }
    if (to == kNone) return false;
    dealt[moved] = to;
    cost = best;
    return true;
  }

  /// @return cost of the mapping.  Simulates the factorization; sets share_of_ and ready_ for the
  /// layer's roots and for the fronts above.
  Cost cost_of(const Layer& layer, const std::vector<Index>& dealt) {
    share_of_.resize(at(factor_.nsuper));
    ready_.resize(at(factor_.nsuper));
    subtrees_s_.assign(shares_.size(), 0);
    subtree_panels_.assign(shares_.size(), 0);
    for (std::size_t k = 0; k < dealt.size(); ++k) {
      const Index root = layer.roots[k], p = dealt[k];
      share_of_[at(root)] = p;
      subtrees_s_[at(p)] += seconds(p, work_.subtree[at(root)]);
      subtree_panels_[at(p)] += work_.subtree[at(root)].entries;
    }
    // A share factors those subtrees first whose update matrices other shares wait for.  Which
    // subtrees these are depends on the shares of their parents.  A first guess at the parents'
    // shares assumes that an update matrix is ready when all subtrees of its share are factored.
    for (const Index root : layer.roots) ready_[at(root)] = subtrees_s_[at(share_of_[at(root)])];
    give_above(layer);
    std::vector<double>& early_s = clock_;
    early_s.assign(shares_.size(), 0);
    for (const Index root : layer.roots) {
      if (!is_handed_over(root)) continue;
      early_s[at(share_of_[at(root)])] += seconds(share_of_[at(root)], work_.subtree[at(root)]);
    }
    for (const Index root : layer.roots) {
      if (is_handed_over(root)) ready_[at(root)] = early_s[at(share_of_[at(root)])];
    }
    give_above(layer);
    Offset excess = 0;
    for (std::size_t p = 0; p < shares_.size(); ++p) {
      excess += std::max<Offset>(panels_[p] - shares_[p].panels, 0);
    }
    time_levels(layer, dealt);
    return {excess, factor_seconds() + kSolves * solve_seconds()};
  }

  /// Predicts the time of a solve.  Shares solve level by level (symbolic::FactorPart).  A level
  /// takes as long as the share that reads and writes most.
  void time_levels(const Layer& layer, const std::vector<Index>& dealt) {
    const std::size_t num_shares = shares_.size();
    level_.resize(at(factor_.nsuper));
    moved_.assign(num_shares, 0);  // Index: level * shares + share.
    for (std::size_t k = 0; k < dealt.size(); ++k) {
      level_[at(layer.roots[k])] = 0;
      moved_[at(dealt[k])] += work_.subtree[at(layer.roots[k])].moved;
    }
    for (const Index s : layer.above) {
      double moved = work_.front[at(s)].moved;
      Index level = 0;
      for (const Index c : factor_.children(s)) {
        if (is_small(c)) {
          moved += work_.subtree[at(c)].moved;
        } else {
          level = std::max(level, level_[at(c)] + (is_handed_over(c) ? 1 : 0));
        }
      }
      level_[at(s)] = level;
      const std::size_t place = at(level) * num_shares + at(share_of_[at(s)]);
      if (place >= moved_.size()) moved_.resize((at(level) + 1) * num_shares, 0);
      moved_[place] += moved;
    }
    level_s_.assign(moved_.size() / num_shares, 0);
    for (std::size_t k = 0; k < moved_.size(); ++k) {
      double& level_s = level_s_[k / num_shares];
      level_s = std::max(level_s, moved_[k] * shares_[k % num_shares].moved_s);
    }
  }

  /// Predicted seconds for the mapping that cost_of() was called for last.
  double factor_seconds() const { return *std::ranges::max_element(clock_); }
  double solve_seconds() const { return std::accumulate(level_s_.begin(), level_s_.end(), 0.0); }

  bool is_handed_over(Index s) const {
    const Index parent = factor_.super_parent[s];
    return parent != kNone && share_of_[at(parent)] != share_of_[at(s)];
  }

  /// Gives all fronts above the layer to shares.  The shares factor their subtrees first.
  void give_above(const Layer& layer) {
    clock_ = subtrees_s_;
    panels_ = subtree_panels_;
    left_.assign(shares_.size(), 0);
    for (const Index s : layer.above) give_to_soonest(s);
  }

  /// Gives a front above the layer to the share that finishes it first.
  void give_to_soonest(Index s) {
    Work work = work_.front[at(s)];
    for (const Index c : factor_.children(s)) {
      if (is_small(c)) work += work_.subtree[at(c)];
    }
    const auto end = [&](Index p) {
      sent_.assign(left_.begin(), left_.end());
      double begin = clock_[at(p)];
      for (const Index c : factor_.children(s)) {
        if (!is_small(c)) begin = std::max(begin, arrives(c, p));
      }
      const double columns_s = factor_.ncol(s) * shares_[at(p)].column_s;
      return begin + shares_[at(p)].group_s + std::max(seconds(p, work), columns_s);
    };
    const auto cost = [&](Index p) {
      const Offset excess = panels_[at(p)] + work.entries - shares_[at(p)].panels;
      return Cost(std::max<Offset>(excess, 0), end(p));
    };
    Index best = 0;
    for (Index p = 1; p < num_shares(); ++p) {
      if (cost(p) < cost(best)) best = p;
    }
    const double ends = end(best);
    left_ = sent_;
    share_of_[at(s)] = best;
    clock_[at(best)] = ready_[at(s)] = ends;
    panels_[at(best)] += work.entries;
  }

  /// @return time at which the update matrix of c is available to share `to`.  A share sends one
  /// update matrix after another.
  double arrives(Index c, Index to) {
    const Index from = share_of_[at(c)];
    if (from == to) return ready_[at(c)];
    const auto entries = static_cast<double>(update_size(factor_.nupd(c)));
    double& sent = sent_[at(from)];
    sent = std::max(ready_[at(c)], sent) + entries / hand_over_.entries_per_s;
    return sent + hand_over_.begin_s;
  }

  void keep(const Layer& layer, const std::vector<Index>& dealt) {
    static_cast<void>(cost_of(layer, dealt));
    best_.seconds = factor_seconds();
    best_.solve_s = solve_seconds();
    best_.share.assign(at(factor_.nsuper), kNone);
    for (const Index s : layer.roots) best_.share[at(s)] = share_of_[at(s)];
    for (const Index s : layer.above) best_.share[at(s)] = share_of_[at(s)];
    best_.busy_s.assign(shares_.size(), 0);
    best_.handed_over = 0;
    for (Index s = factor_.nsuper - 1; s >= 0; --s) {
      const Index parent = factor_.super_parent[s];
      Index& share = best_.share[at(s)];
      if (share == kNone) share = best_.share[at(parent)];
      best_.busy_s[at(share)] += seconds(share, work_.front[at(s)]);
      if (parent != kNone && best_.share[at(parent)] != share) {
        best_.handed_over += update_size(factor_.nupd(s));
      }
    }
  }

  const SymbolicFactor& factor_;
  const std::vector<ShareRates>& shares_;
  HandOverRates hand_over_;
  TreeWork work_;
  double all_flops_ = 0;
  Mapping best_;
  Cost best_cost_;
  // Share of each root of the layer and of each front above; other elements are not used.  Length
  // nsuper.
  std::vector<Index> share_of_;
  // Time at which the front's update matrix is ready, for the same fronts as share_of_.  Length
  // nsuper.
  std::vector<double> ready_;
  // Seconds of each share's subtrees, and time at which each share has finished its fronts so far.
  // Length: shares.
  std::vector<double> subtrees_s_, clock_;
  // Time at which the last transfer of each share ends: before the front that give_to_soonest()
  // places, and with that front's children.  Length: shares.
  std::vector<double> left_, sent_;
  // Entries of panels of each share's subtrees, and of all its fronts so far.  Length: shares.
  std::vector<Offset> subtree_panels_, panels_;
  // Level of each root of the layer and of each front above.  Length nsuper.
  std::vector<Index> level_;
  // Values that each share reads and writes in each level of a solve, and seconds of each level.
  std::vector<double> moved_, level_s_;
};

}  // namespace

Index Mapping::num_used() const {
  return static_cast<Index>(std::ranges::count_if(busy_s, [](double s) { return s > 0; }));
}

double solve_values(Index nrow, Index ncol) {
  // Values per row and direction: 16 right-hand sides, read and written, and 16 entries of a vector
  // of updates.
  constexpr double kMovedOfRow = 3 * 16;
  return 2 * (static_cast<double>(nrow) * ncol + kMovedOfRow * nrow);
}

double front_flops(Index nrow, Index ncol) {
  const double n = nrow, rest = n - ncol;
  return (n * (n + 1) * (2 * n + 1) - rest * (rest + 1) * (2 * rest + 1)) / 6;
}

Mapping map_fronts(const SymbolicFactor& factor, const std::vector<ShareRates>& shares,
                   const HandOverRates& hand_over) {
  return Mapper(factor, shares, hand_over).run();
}

}  // namespace clchol::numeric
