// Simulates the plan of a streamed factor: the content of the arena and of host memory at every
// step, for the earliest and for the latest transfers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/update_layout.hpp"
#include "numeric/device/stream/plan.hpp"

namespace clchol::numeric {

inline std::size_t at(Offset i) { return static_cast<std::size_t>(i); }

/// The time of transfers that nothing waits for yet.
enum class Copies : unsigned char { kAtOnce, kAsLateAsMayBe };

/// Simulates a plan.  Each entry holds a name instead of a number: an entry of an update or slab.
class PlanSimulation {
 public:
  PlanSimulation(const symbolic::SymbolicFactor& factor, const StreamPlan& plan, Copies copies)
      : factor_(factor), plan_(plan), copies_(copies), arena_(at(plan.arena), kNothing) {
    host_shared_.assign(at(plan.host_shared), kNothing);
    for (Index s = 0; s < plan.first_resident; ++s) {
      host_.emplace_back(at(plan.slabs.slab_sizes[at(s)]), kNothing);
    }
    done_.assign(plan.transfers.size(), false);
  }

  void run() {
    for (Index g = 0; g < plan_.groups.num_groups; ++g) {
      for (const Index t : plan_.waits[at(g)]) {
        ASSERT_LT(plan_.transfers[at(t)].after, g);
        finish(t);
      }
      compute(g);
      if (testing::Test::HasFatalFailure()) return;
      if (copies_ == Copies::kAsLateAsMayBe) continue;
      for (Index t = plan_.transfer_ptr[at(g)]; t < plan_.transfer_ptr[at(g + 1)]; ++t) finish(t);
    }
    for (Index t = 0; t < static_cast<Index>(done_.size()); ++t) finish(t);
    for (Index s = 0; s < plan_.first_resident; ++s) {
      if (plan_.is_dropped(s)) continue;
      const Name* const host =
          plan_.shares_host(s) ? &host_shared_[at(plan_.host_places[at(s)])] : host_[at(s)].data();
      for (std::size_t e = 0; e < host_[at(s)].size(); ++e) {
        if (holes_.contains({s, static_cast<Offset>(e)})) continue;
        ASSERT_EQ(host[e], panel_entry(s, static_cast<Offset>(e))) << "slab " << s;
      }
    }
    for (Index s = plan_.first_resident; s < plan_.first_apart; ++s) {
      expect_panels(s, 0, plan_.slabs.slab_sizes[at(s)]);
    }
  }

 private:
  using Name = std::int64_t;
  static constexpr Name kNothing = -1, kScratch = -2;
  static constexpr Name kOf = Name{1} << 32;  // Larger than the entries of any update or slab.

  Name update_entry(Index s, Offset e) const { return (Name{s} + 1) * kOf + e; }
  Name panel_entry(Index slab, Offset e) const { return -(Name{slab} + 1) * kOf - e; }

  /// Does transfer t, after earlier transfers of its direction and those that it follows.
  void finish(Index t) {
    if (done_[at(t)]) return;
    const StreamTransfer& transfer = plan_.transfers[at(t)];
    for (Index before = t - 1; before >= 0; --before) {
      if (plan_.transfers[at(before)].to_host == transfer.to_host) {
        finish(before);
        break;
      }
    }
    for (const Index f : transfer.follows) {
      ASSERT_LT(f, t);
      finish(f);
    }
    done_[at(t)] = true;
    const bool is_update = transfer.what == StreamTransfer::What::kUpdate;
    const bool is_shared = is_update || plan_.shares_host(transfer.of);
    std::vector<Name>& host = is_shared ? host_shared_ : host_[at(transfer.of)];
    const Offset host_begin =
        transfer.host + (is_shared && !is_update ? plan_.host_places[at(transfer.of)] : 0);
    ASSERT_LE(at(host_begin + transfer.entries), host.size());
    ASSERT_LE(at(transfer.device + transfer.entries), arena_.size());
    const auto on_host = host.begin() + host_begin;
    const auto on_device = arena_.begin() + transfer.device;
    if (transfer.to_host) {
      std::copy_n(on_device, transfer.entries, on_host);
    } else {
      std::copy_n(on_host, transfer.entries, on_device);
    }
  }

  void compute(Index g) {
    const auto strip = plan_.groups.strips.find(g);
    if (strip != plan_.groups.strips.end()) return compute_strip(g, strip->second);
    for (int again = 0; again < 2; ++again) {  // Checks before and after the group's writes.
      for (const FrontUnit& unit : plan_.groups.units_of(g)) {
        if (!unit.is_subtree) expect_children(g, unit.root, again == 0);
      }
      if (again > 0) break;
      for (const FrontUnit& unit : plan_.groups.units_of(g)) {
        const Offset begin = plan_.groups.update[at(unit.root)];
        write(begin, unit.space, [](Offset) { return kScratch; });
        write_update(unit.root, begin, 0, update_size(factor_.nupd(unit.root)));
      }
    }
    write_panels(g, 0, panels_of(g));
  }

  /// Expects the children's updates; those of the same group do not exist before its writes.
  void expect_children(Index g, Index s, bool before) {
    for (const Index c : factor_.children(s)) {
      if (before && plan_.groups.group[at(c)] == g) continue;
      expect_update(c, plan_.groups.read[at(c)], 0, update_size(factor_.nupd(c)));
    }
  }

  void compute_strip(Index g, const FrontStrip& strip) {
    const Index s = strip.root, ncol = factor_.ncol(s), nupd = factor_.nupd(s);
    // An odd last pivot column is computed with its block of columns.
    const Index end = strip.end == ncol / 2 * 2 ? ncol : strip.end;
    const Offset ld = panel_ld(factor_.nrow(s));
    const auto columns = [&](Index c) { return ld * std::min(c, ncol); };
    const auto of_update = [&](Index c) {
      return update_column_begin(nupd, std::clamp(c - ncol, 0, nupd));
    };
    for (int again = 0; again < 2; ++again) {
      std::size_t k = 0;
      for (const Index c : factor_.children(s)) {
        if (factor_.nupd(c) == 0) continue;
        ASSERT_LT(k, strip.read.size());
        const Index* const rows = factor_.relind.data() + factor_.relind_begin(c);
        Index first = 0, last = 0;
        while (first < factor_.nupd(c) && rows[first] < strip.begin) ++first;
        for (last = first; last < factor_.nupd(c) && rows[last] < end;) ++last;
        expect_update(c, strip.read[k++], update_column_begin(factor_.nupd(c), first),
                      update_column_begin(factor_.nupd(c), last));
      }
      expect_panels(plan_.slabs.places[at(g)].slab, plan_.slabs.places[at(g)].offset,
                    plan_.slabs.places[at(g)].offset + columns(strip.begin));
      if (again > 0) break;
      write_panels(g, columns(strip.begin), columns(end));
      if (strip.end > ncol) {
        ASSERT_EQ(strip.update % 8, 0);
        write_update(s, strip.update, of_update(strip.begin), of_update(strip.end));
      }
    }
  }

  Offset panels_of(Index g) const {
    Offset sum = 0;
    for (Index s = 0; s < factor_.nsuper; ++s) {
      if (plan_.groups.group[at(s)] == g) sum += panel_size(factor_.nrow(s), factor_.ncol(s));
    }
    return sum;
  }

  template <class NameOf>
  void write(Offset begin, Offset size, const NameOf& name) {
    ASSERT_GE(begin, 0);
    ASSERT_LE(begin + size, plan_.arena);
    for (Offset e = 0; e < size; ++e) arena_[at(begin + e)] = name(e);
  }
  void write_update(Index s, Offset place, Offset begin, Offset end) {
    ASSERT_EQ(place % 8, 0);
    write(place + begin, end - begin, [&](Offset e) { return update_entry(s, begin + e); });
  }
  /// Writes entries [begin, end) of the group's panels.  Gaps between two groups' panels are holes.
  void write_panels(Index g, Offset begin, Offset end) {
    const auto [slab, offset] = plan_.slabs.places[at(g)];
    for (Offset e = known_[slab]; e < offset; ++e) holes_[{slab, e}] = true;
    known_[slab] = std::max(known_[slab], offset + end);
    if (slab >= plan_.first_apart) return;
    const Offset first = offset + begin;
    write(plan_.panels[at(slab)] + first, end - begin,
          [&, s = slab](Offset e) { return panel_entry(s, first + e); });
  }
  void expect_update(Index s, Offset place, Offset begin, Offset end) {
    for (Offset e = begin; e < end; ++e) {
      ASSERT_GE(place + e, 0);
      ASSERT_LT(place + e, plan_.arena);
      ASSERT_EQ(arena_[at(place + e)], update_entry(s, e)) << "update of " << s << " at " << e;
    }
  }
  void expect_panels(Index slab, Offset begin, Offset end) {
    if (slab >= plan_.first_apart) return;
    for (Offset e = begin; e < end; ++e) {
      if (holes_.contains({slab, e})) continue;
      ASSERT_EQ(arena_[at(plan_.panels[at(slab)] + e)], panel_entry(slab, e)) << "slab " << slab;
    }
  }

  const symbolic::SymbolicFactor& factor_;
  const StreamPlan& plan_;
  Copies copies_;
  std::vector<Name> arena_, host_shared_;
  std::vector<std::vector<Name>> host_;
  std::vector<bool> done_;
  std::map<Index, Offset> known_;  // End of the panels written so far, by slab.
  std::map<std::pair<Index, Offset>, bool> holes_;
};

}  // namespace clchol::numeric
