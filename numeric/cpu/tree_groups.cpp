#include "numeric/cpu/tree_groups.hpp"

#include <algorithm>
#include <numeric>

#include "base/update_layout.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

class GroupMaker {
 public:
  GroupMaker(const SymbolicFactor& factor, const SubtreeTasks& tasks,
             const TreeGroupRequest& request)
      : factor_(factor), tasks_(tasks), request_(request), striped_(request.striped.begin()) {
    groups_.top_ptr = groups_.task_ptr = {0};
    groups_.of_top.assign(factor.nsuper, kNone);
    groups_.of_task.assign(tasks.size(), kNone);
    if (!request.gathers.empty()) groups_.gathers.assign(factor.nsuper, 0);
  }

  TreeGroups run() {
    // Supernodes are numbered in postorder, so a group's fronts are consecutive in `top`.
    auto first = request_.top.begin();  // First front of the next group.
    for (auto s = request_.top.begin(); s != request_.top.end(); ++s) {
      const Index p = factor_.super_parent[*s];
      const bool is_group = is_split(*s) || p == kNone || is_split(p);
      if (!is_group) continue;
      if (is_split(*s) && !request_.gathers.empty() && request_.gathers[*s] != 0) gather(*s);
      for (; first <= s; ++first) add_top(*first);
      close();
      add_strips(*s);
    }
    std::vector<Index> free;
    for (Index t = 0; t < tasks_.size(); ++t) {
      if (factor_.super_parent[tasks_.roots(t).front()] == kNone) free.push_back(t);
    }
    group_tasks(free);
    return std::move(groups_);
  }

 private:
  bool is_split(Index s) const { return request_.is_split[s] != 0; }

  void add_task(Index t) {
    groups_.task.push_back(t);
    groups_.of_task[t] = groups_.size();
  }
  std::vector<Index> tasks_of(Index s) const {
    std::vector<Index> list(request_.num_tasks[s]);
    std::iota(list.begin(), list.end(), request_.first_task[s]);
    return list;
  }
  void add_top(Index s) {
    if (!groups_.is_gathering(s)) {
      for (const Index t : tasks_of(s)) add_task(t);
    }
    groups_.top.push_back(s);
    groups_.of_top[s] = groups_.size();
  }
  /// Gives each strip of front s a group, if s is striped.  The group of the first strip is the
  /// last group so far.
  void add_strips(Index s) {
    if (striped_ == request_.striped.end() || striped_->front != s) return;
    Strip strip;
    for (const Index end : striped_->ends) {
      strip = {strip.end, end};
      if (strip.begin > 0) {
        groups_.top.push_back(s);
        close();
      }
      groups_.strip.back() = strip;
    }
    ++striped_;
  }
  void close() {
    if (!request_.striped.empty()) groups_.strip.emplace_back();
    groups_.top_ptr.push_back(static_cast<Index>(groups_.top.size()));
    groups_.task_ptr.push_back(static_cast<Index>(groups_.task.size()));
  }

  /// @return entries of the task's panels, and of the update matrices that its roots leave.
  Offset entries_of(Index t) const {
    Offset entries = 0;
    for (const Index root : tasks_.roots(t)) {
      entries += update_size(factor_.nupd(root));
      for (Index s = factor_.first_descendant[root]; s <= root; ++s) {
        entries += Offset{factor_.nrow(s)} * factor_.ncol(s);
      }
    }
    return entries;
  }

  /// Front s gathers: the tasks whose parent it is form groups of their own.
  void gather(Index s) {
    groups_.gathers[s] = 1;
    group_tasks(tasks_of(s));
  }

  /// Makes groups of tasks alone.  A group takes tasks up to most_entries entries, but at least one
  /// task.
  void group_tasks(std::span<const Index> tasks) {
    Offset entries = 0;
    for (const Index t : tasks) {
      const Offset more = entries_of(t);
      if (entries > 0 && entries + more > request_.most_entries) {
        close();
        entries = 0;
      }
      add_task(t);
      entries += more;
    }
    if (entries > 0) close();
  }

  const SymbolicFactor& factor_;
  const SubtreeTasks& tasks_;
  const TreeGroupRequest& request_;
  std::span<const StripedFront>::iterator striped_;  // The next striped front.
  TreeGroups groups_;
};

}  // namespace

TreeGroups one_group(std::span<const Index> top, const SubtreeTasks& tasks) {
  TreeGroups groups;
  groups.top.assign(top.begin(), top.end());
  groups.task.resize(tasks.size());
  std::iota(groups.task.begin(), groups.task.end(), 0);
  groups.top_ptr = {0, static_cast<Index>(groups.top.size())};
  groups.task_ptr = {0, tasks.size()};
  return groups;
}

TreeGroups merge_groups(TreeGroups groups, Index g) {
  groups.top_ptr.erase(groups.top_ptr.begin() + g + 1);
  groups.task_ptr.erase(groups.task_ptr.begin() + g + 1);
  if (!groups.strip.empty()) groups.strip.erase(groups.strip.begin() + g + 1);
  for (const auto list : {&groups.of_top, &groups.of_task}) {
    for (Index& group : *list) group -= group > g ? 1 : 0;
  }
  return groups;
}

TreeGroups make_tree_groups(const SymbolicFactor& factor, const SubtreeTasks& tasks,
                            const TreeGroupRequest& request) {
  return GroupMaker(factor, tasks, request).run();
}

}  // namespace clchol::numeric
