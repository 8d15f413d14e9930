// Parts of one factor, each computed on its own device.  Contexts of one device stand in for
// several devices: they share nothing, as devices do.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <random>
#include <thread>

#include "numeric/device/hand_over.hpp"
#include "numeric/mapping.hpp"
#include "symbolic/factor_part.hpp"
#include "tests/numeric/device/team_support.hpp"

namespace clchol::numeric {
namespace {

using test::Analysed;
using test::analysed;

/// The entries of each front's panel, column by column from the diagonal down.
template <class T>
using Panels = std::vector<std::vector<T>>;

/// A device's share of a factor.
template <class T>
class Share {
 public:
  Share(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& factor,
        const symbolic::EntryMap& entries, DevicePlanOptions options,
        const DeviceKernelParams& params)
      : runtime_(runtime),
        factor_(runtime.programs(), factor, entries, make_device_plan(factor, entries, options),
                params),
        updates_(runtime.context(), std::max<Offset>(factor_.plan().update_entries, 1)),
        store_(factor_.plan().panels.slab_sizes, {}) {
    factor_.allocate(runtime.queue(), updates_, runtime.copy_queues());
    store_.allocate(runtime.context(), {}, {}, 1);
  }

  void connect(typename ShareExchange<T>::Updates imports,
               typename ShareExchange<T>::Updates exports) {
    exchange_.emplace(factor_.plan(), std::move(imports), std::move(exports),
                      runtime_.copy_queues());
  }

  void factorize(const std::vector<T>& values) {
    if (values_.size() == 0) {
      values_ = gpu::DeviceBuffer<T>(runtime_.context(), static_cast<Offset>(values.size()));
    }
    gpu::upload<T>(runtime_.queue(), values, values_);
    factor_.factorize(runtime_.queue(), values_, store_, {}, exchange_ ? &*exchange_ : nullptr);
    runtime_.queue().finish();
  }

  /// @param super  the supernode in the whole factor of each supernode of the share.
  void read_panels(const std::vector<Index>& super, Panels<T>& panels) {
    const DevicePlan& plan = factor_.plan();
    for (std::size_t slab = 0; slab < plan.slabs.size(); ++slab) {
      const std::vector<T> values = store_.read(static_cast<Index>(slab), runtime_.queue());
      for (Index f = plan.slabs[slab].begin; f < plan.slabs[slab].end; ++f) {
        const gpu::Front& front = plan.fronts[f];
        std::vector<T>& to = panels[super[plan.super[f]]];
        for (Index j = 0; j < front.ncol; ++j) {
          const auto column = values.begin() + front.panel + j * front.ldp;
          to.insert(to.end(), column + j, column + front.nrow);
        }
      }
    }
  }

  const DevicePlan& plan() const { return factor_.plan(); }
  gpu::DeviceRuntime& runtime() { return runtime_; }

 private:
  gpu::DeviceRuntime& runtime_;
  DeviceFactor<T> factor_;
  gpu::DeviceBuffer<T> updates_, values_;
  PanelStore<T> store_;
  std::optional<ShareExchange<T>> exchange_;
};

DevicePlanOptions plan_options(const DeviceKernelParams& params) {
  DevicePlanOptions options = device_plan_options(params);
  options.least_wave = 4;
  return options;
}

template <class T>
class FactorParts : public DeviceEngineTest<T> {
 protected:
  static DeviceKernelParams params() {
    DeviceKernelParams made = device_kernel_params<T>(*runtime());
    made.least_launch = 3;
    return made;
  }

  static Panels<T> whole_factor(const Analysed& p, const std::vector<T>& values) {
    Share<T> share(*runtime(), p.symbolic, p.entries, plan_options(params()), params());
    share.factorize(values);
    Panels<T> panels(static_cast<std::size_t>(p.symbolic.nsuper));
    std::vector<Index> super(panels.size());
    std::iota(super.begin(), super.end(), 0);
    share.read_panels(super, panels);
    return panels;
  }
};

/// All shares of a factor, connected by hand-overs.
template <class T>
class PartsTeam {
 public:
  using HandOvers = std::map<Index, std::shared_ptr<HandOver<T>>>;  // By supernode.

  PartsTeam(const Analysed& p, const std::vector<Index>& share_of, Index count,
            DeviceKernelParams params, Offset chunk, bool late_imports = false)
      : nsuper_(p.symbolic.nsuper) {
    DevicePlanOptions options = plan_options(params);
    options.limits.late_imports = late_imports;
    const std::vector<Index> waves = small_waves(p.symbolic, options);
    params.joined = joined_small_classes(p.symbolic, waves, params);
    for (Index k = 0; k < count; ++k) {
      parts_.push_back(symbolic::part_of_factor(p.symbolic, share_of, k));
      entries_.push_back(symbolic::part_of_entries(p.entries, parts_.back()));
    }
    for (Index k = 0; k < count; ++k) {
      const symbolic::FactorPart& part = parts_[k];
      options.imported = part.imported;
      options.exported = part.exported;
      options.level = part.level;
      options.waves.emplace();
      for (Index s = 0; s < part.factor.nsuper; ++s) {
        options.waves->push_back(part.is_imported(s) ? kNone : waves[part.super[s]]);
      }
      shares_.push_back(std::make_unique<Share<T>>(*runtime_of_share(k), part.factor,
                                                   entries_[k].map, options, params));
      for (const HandedUpdate& update : shares_.back()->plan().exported) {
        hand_overs_[part.super[update.super]] = std::make_shared<HandOver<T>>(
            shares_.back()->runtime().context(), update.entries, 1, chunk);
      }
    }
    for (Index k = 0; k < count; ++k) {
      shares_[k]->connect(of(k, parts_[k].imported), of(k, parts_[k].exported));
    }
  }

  void factorize(const std::vector<T>& values) {
    for (auto& [super, hand_over] : hand_overs_) hand_over->rewind();
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < shares_.size(); ++k) {
      threads.emplace_back([this, k, &values] {
        std::vector<T> own;
        for (const std::uint32_t e : entries_[k].values) own.push_back(values[e]);
        shares_[k]->factorize(own);
      });
    }
  }

  Panels<T> panels() {
    Panels<T> made(static_cast<std::size_t>(nsuper_));
    for (std::size_t k = 0; k < shares_.size(); ++k) {
      shares_[k]->read_panels(parts_[k].super, made);
    }
    return made;
  }
  std::size_t num_hand_overs() const { return hand_overs_.size(); }

 private:
  /// Hand-overs of these fronts of part k, by supernode in the part.
  HandOvers of(Index k, const std::vector<Index>& fronts) const {
    HandOvers made;
    for (const Index s : fronts) made[s] = hand_overs_.at(parts_[k].super[s]);
    return made;
  }

  Index nsuper_;
  std::vector<symbolic::FactorPart> parts_;
  std::vector<symbolic::PartEntries> entries_;
  std::vector<std::unique_ptr<Share<T>>> shares_;
  HandOvers hand_overs_;
};

TYPED_TEST_SUITE(FactorParts, Reals);

// Fronts have random shares; the chunks of hand-overs do not divide the updates.
TYPED_TEST(FactorParts, HaveTheBitsOfTheWhole) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(7, 7, 6));
  const std::vector<T> values = this->cast(p.a.values);
  const Panels<T> whole = this->whole_factor(p, values);
  std::mt19937 random(7);
  for (const Index count : {2, 4}) {
    SCOPED_TRACE(count);
    std::uniform_int_distribution<Index> any(0, count - 1);
    std::vector<Index> share_of(static_cast<std::size_t>(p.symbolic.nsuper));
    // Most fronts have the share of their parent.
    for (Index s = p.symbolic.nsuper - 1; s >= 0; --s) {
      const Index parent = p.symbolic.super_parent[s];
      const bool follows = parent != kNone && random() % 16 != 0;
      share_of[s] = follows ? share_of[parent] : any(random);
    }
    for (Index k = 0; k < count; ++k) share_of[k] = k;
    PartsTeam<T> team(p, share_of, count, this->params(), 100, count == 4);
    ASSERT_GT(team.num_hand_overs(), 3U);
    std::vector<T> others = values;
    for (T& value : others) value *= T{2};
    team.factorize(others);
    team.factorize(values);
    ASSERT_EQ(team.panels(), whole);
  }
}

TYPED_TEST(FactorParts, OfAMappingHaveTheBitsOfTheWhole) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(9, 8, 9));
  const std::vector<T> values = this->cast(p.a.values);
  const Panels<T> whole = this->whole_factor(p, values);
  for (const double faster : {1.0, 3.0}) {
    std::vector<ShareRates> rates(2, {.flops_per_s = 1e9});
    rates[1].flops_per_s *= faster;
    const Mapping mapping = map_fronts(p.symbolic, rates, {.begin_s = 1e-6, .entries_per_s = 1e9});
    ASSERT_EQ(mapping.num_used(), 2);
    PartsTeam<T> team(p, mapping.share, 2, this->params(), HandOver<T>::kChunk);
    team.factorize(values);
    ASSERT_EQ(team.panels(), whole);
  }
}

// If a sender fails, the receiver throws the sender's exception.
TYPED_TEST(FactorParts, AFailedHandOverIsThrownByTheReceiver) {
  using T = TypeParam;
  gpu::DeviceRuntime& from = *runtime_of_share(0);
  gpu::DeviceRuntime& to = *runtime_of_share(1);
  HandOver<T> hand_over(from.context(), 250, 1, 100);
  const gpu::DeviceBuffer<T> target(to.context(), 250);
  std::string caught;
  std::jthread receiver([&] {
    try {
      hand_over.receive(*to.copy_queues().to_device, target);
    } catch (const DeviceError& error) {
      caught = error.what();
    }
  });
  hand_over.fail(std::make_exception_ptr(DeviceError("lost")));
  receiver.join();
  EXPECT_EQ(caught, "lost");
  // The next hand-over works again.
  hand_over.rewind();
  std::vector<T> values(250);
  std::iota(values.begin(), values.end(), T{1});
  const gpu::DeviceBuffer<T> source(from.context(), 250);
  gpu::upload<T>(from.queue(), values, source);
  hand_over.send(*from.copy_queues().to_host, source);
  hand_over.receive(*to.copy_queues().to_device, target).wait();
  std::vector<T> received(250);
  gpu::download<T>(to.queue(), target, received);
  EXPECT_EQ(received, values);
}

}  // namespace
}  // namespace clchol::numeric
