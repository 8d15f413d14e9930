#include "gpu_kernels/fronts/list_schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>

#include "base/assert.hpp"

namespace clchol::gpu {
namespace {

// For each stage s, the stages whose member `leader` names s: list[ptr[s]] .. list[ptr[s + 1] - 1].
struct Followers {
  std::vector<Index> ptr, list;

  Followers(std::span<const TileStage> stages, Index TileStage::*leader)
      : ptr(stages.size() + 1, 0), list(stages.size()) {
    for (const TileStage& stage : stages) {
      if (stage.*leader != kNone) ++ptr[static_cast<std::size_t>(stage.*leader) + 1];
    }
    for (std::size_t s = 0; s < stages.size(); ++s) ptr[s + 1] += ptr[s];
    std::vector<Index> next(ptr.begin(), ptr.end() - 1);
    for (std::size_t s = 0; s < stages.size(); ++s) {
      if (stages[s].*leader == kNone) continue;
      list[static_cast<std::size_t>(next[static_cast<std::size_t>(stages[s].*leader)]++)] =
          static_cast<Index>(s);
    }
  }
  std::span<const Index> of(Index s) const {
    const auto first = static_cast<std::size_t>(ptr[static_cast<std::size_t>(s)]);
    const auto last = static_cast<std::size_t>(ptr[static_cast<std::size_t>(s) + 1]);
    return std::span(list).subspan(first, last - first);
  }
};

class Simulation {
 public:
  explicit Simulation(std::span<const TileStage> stages)
      : stages_(stages),
        after_(stages, &TileStage::after),
        early_(stages, &TileStage::early),
        states_(stages.size()),
        ready_(Later{stages}),
        waiting_(Later{stages}) {
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const TileStage& stage = stages[s];
      CLCHOL_ASSERT(stage.num_tiles > 0);
      work_ += stage.num_tiles * stage.duration;
      states_[s].children = stage.num_children;
      if (stage.after == kNone && stage.num_children == 0) {
        make_ready(static_cast<Index>(s));
      } else if (stage.early_at_once) {
        waiting_.push(static_cast<Index>(s));
      }
    }
  }

  std::vector<Index> run(Index workers) {
    workers = std::max(workers, 1);
    for (;;) {
      while (busy_ < workers) {
        const Index s = next_stage(workers);
        if (s == kNone) break;
        begin_tile(s);
      }
      if (running_.empty() && latest_.count == 0) break;
      end_tile();
    }
    return std::move(order_);
  }

 private:
  struct State {
    Index children = 0;     // Stages with this one as `parent` that have not ended.
    Index begun = 0;        // Tiles of the stage that have begun.
    Index ended = 0;        // Tiles of the stage that have ended.
    bool ready = false;     // All that the stage waits for has ended.
    double ready_time = 0;  // Time at which the stage became ready.
    // Tiles that began before the stage was ready: when each would end if it did not wait.
    std::vector<double> held;
  };
  /// `count` tiles of one stage that end at the same time.
  struct Running {
    double end = 0;
    Index stage = kNone;
    Index count = 0;
    bool operator>(const Running& other) const {
      return end != other.end ? end > other.end : stage > other.stage;
    }
  };
  struct Later {
    std::span<const TileStage> stages;
    bool operator()(Index a, Index b) const {
      const double pa = stages[static_cast<std::size_t>(a)].priority;
      const double pb = stages[static_cast<std::size_t>(b)].priority;
      return pa != pb ? pa < pb : a > b;
    }
  };
  using Heap = std::priority_queue<Index, std::vector<Index>, Later>;

  const TileStage& stage(Index s) const { return stages_[static_cast<std::size_t>(s)]; }
  State& state(Index s) { return states_[static_cast<std::size_t>(s)]; }
  bool has_tiles(Index s) { return state(s).begun < stage(s).num_tiles; }

  void make_ready(Index s) {
    State& of = state(s);
    of.ready = true;
    of.ready_time = now_;
    for (const double end : of.held) let_run(s, std::max(end, now_ + stage(s).tail));
    of.held.clear();
    if (has_tiles(s)) ready_.push(s);
  }

  // The stage of the largest priority among those that are not ready but whose tiles may begin.
  Index top_waiting() {
    while (!waiting_.empty() && (state(waiting_.top()).ready || !has_tiles(waiting_.top()))) {
      waiting_.pop();
    }
    return waiting_.empty() ? kNone : waiting_.top();
  }

  Index next_stage(Index workers) {
    while (!ready_.empty() && !has_tiles(ready_.top())) ready_.pop();
    const Index ready = ready_.empty() ? kNone : ready_.top();
    const Index waiting = top_waiting();
    if (waiting == kNone || ready == kNone) return ready == kNone ? waiting : ready;
    const double priority = stage(waiting).priority;
    const bool is_critical = priority > stage(ready).priority && priority * workers > work_;
    return is_critical ? waiting : ready;
  }

  void begin_tile(Index s) {
    State& of = state(s);
    order_.push_back(stage(s).first_tile + of.begun);
    work_ -= stage(s).duration;
    ++busy_;
    const double end = now_ + stage(s).duration;
    if (of.ready) {
      let_run(s, std::max(end, of.ready_time + stage(s).tail));
    } else {
      of.held.push_back(end);
    }
    if (++of.begun == 1) make_early(s, true);
  }

  // Most tiles begin and end together with others of their stage, so the heap has one element for
  // them all.
  void let_run(Index s, double end) {
    if (latest_.count > 0 && latest_.stage == s && latest_.end == end) {
      ++latest_.count;
      return;
    }
    if (latest_.count > 0) {
      running_.push_back(latest_);
      std::push_heap(running_.begin(), running_.end(), std::greater<>());
    }
    latest_ = {end, s, 1};
  }

  // Removes and returns one of the tiles that end first.
  Running take_first() {
    const bool is_latest = latest_.count > 0 && (running_.empty() || running_.front() > latest_);
    Running& first = is_latest ? latest_ : running_.front();
    const Running tile = first;
    if (--first.count == 0 && !is_latest) {
      std::pop_heap(running_.begin(), running_.end(), std::greater<>());
      running_.pop_back();
    }
    return tile;
  }

  void end_tile() {
    const Running tile = take_first();
    --busy_;
    now_ = tile.end;
    const Index ended = ++state(tile.stage).ended;
    const bool all = ended == stage(tile.stage).num_tiles;
    if (ended == 1) make_early(tile.stage, false);
    for (const Index follower : after_.of(tile.stage)) {
      if (stage(follower).after_all ? all : ended == 1) make_ready(follower);
    }
    const Index parent = stage(tile.stage).parent;
    if (all && parent != kNone && --state(parent).children == 0) make_ready(parent);
  }

  void make_early(Index s, bool at_begin) {
    for (const Index follower : early_.of(s)) {
      if (stage(follower).early_at_begin == at_begin) waiting_.push(follower);
    }
  }

  std::span<const TileStage> stages_;
  Followers after_, early_;
  std::vector<State> states_;
  Heap ready_, waiting_;
  std::vector<Running> running_;  // Running tiles but `latest_`: a heap, first end on top.
  Running latest_;                // The tiles that began last; not in the heap.
  std::vector<Index> order_;
  Index busy_ = 0;
  double now_ = 0;
  double work_ = 0;  // Sum of the durations of tiles that have not begun.
};

}  // namespace

std::vector<Index> list_schedule(std::span<const TileStage> stages, Index workers) {
  return Simulation(stages).run(workers);
}

}  // namespace clchol::gpu
