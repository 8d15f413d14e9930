#include "drop_in/cholmod/held_factor.hpp"

#define XXH_INLINE_ALL  // NOLINT(readability-identifier-naming)
#include <xxhash.h>

#include <unordered_map>
#include <utility>

namespace clchol::drop_in {
namespace {

struct Table {
  std::mutex mutex;
  std::unordered_map<const cholmod_factor*, HeldPointer> held;
  HeldPointer spare;
};

// Never destroyed: a program may free factors after the destructors of this library have run.
Table& table() {
  static Table& one = *new Table;  // NOLINT(bugprone-unhandled-exception-at-new)
  return one;
}

// Takes what clchol holds for L out of the table.
HeldPointer take_held(const cholmod_factor* l) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.held.find(l);
  if (found == all.held.end()) return nullptr;
  HeldPointer held = std::move(found->second);
  all.held.erase(found);
  return held;
}

HeldPointer exchange_spare(HeldPointer spare) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  return std::exchange(all.spare, std::move(spare));
}

}  // namespace

std::uint64_t hash_of(std::span<const std::byte> colptr, std::span<const std::byte> rowind) {
  const std::uint64_t columns = XXH3_64bits(colptr.data(), colptr.size());
  return XXH3_64bits_withSeed(rowind.data(), rowind.size(), columns);
}

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

// In this function and the next ones, a factor is destroyed outside the lock: a large one takes a
// while.
void drop_held(const cholmod_factor* l) { static_cast<void>(take_held(l)); }

void spare_held(const cholmod_factor* l) {
  HeldPointer held = take_held(l);
  if (!held) return;
  held->has_values = false;
  held->matrix = {};
  held->copied_analysis.clear();
  if (held->solver.analysis_report().n == 0) return;
  const HeldPointer former = exchange_spare(std::move(held));
}

HeldPointer take_spare(const Fingerprint& pattern, const AnalysisOptions& options) {
  HeldPointer spare = exchange_spare(nullptr);
  const bool fits =
      spare && spare->pattern == pattern && spare->solver.options().analysis == options;
  return fits ? spare : nullptr;
}

}  // namespace clchol::drop_in
