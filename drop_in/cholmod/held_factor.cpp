#include "drop_in/cholmod/held_factor.hpp"

#include <unordered_map>

namespace clchol::drop_in {
namespace {

struct Table {
  std::mutex mutex;
  std::unordered_map<const cholmod_factor*, HeldPointer> held;
};

// Never destroyed: a program may free factors after the destructors of this library have run.
Table& table() {
  static Table& one = *new Table;  // NOLINT(bugprone-unhandled-exception-at-new)
  return one;
}

}  // namespace

bool is_hollow(HeldFactor& held, const cholmod_factor& l) {
  const std::lock_guard lock(held.mutex);
  return held.has_values && l.x == nullptr;
}

HeldPointer find_held(const cholmod_factor* l) {
  if (l == nullptr) return nullptr;
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.held.find(l);
  return found == all.held.end() ? nullptr : found->second;
}

void keep_held(const cholmod_factor* l, HeldPointer held) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  all.held.insert_or_assign(l, std::move(held));
}

void drop_held(const cholmod_factor* l) {
  HeldPointer last;  // Destroyed after the lock: a large factor takes a while.
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.held.find(l);
  if (found == all.held.end()) return;
  last = std::move(found->second);
  all.held.erase(found);
}

}  // namespace clchol::drop_in
