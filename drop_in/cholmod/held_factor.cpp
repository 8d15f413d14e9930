#include "drop_in/cholmod/held_factor.hpp"

#define XXH_INLINE_ALL  // NOLINT(readability-identifier-naming)
#include <xxhash.h>

#include <unordered_map>
#include <utility>

namespace clchol::drop_in {
namespace {

struct SavedAnalysis {
  std::vector<std::byte> bytes;
  Fingerprint pattern;
  AnalysisOptions options;
};

struct Table {
  std::mutex mutex;
  std::unordered_map<const cholmod_factor*, HeldPointer> held;
  HeldPointer spare;
  SavedAnalysis saved;
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

SavedAnalysis exchange_saved(SavedAnalysis saved) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  return std::exchange(all.saved, std::move(saved));
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

void save_spare() noexcept {
  const HeldPointer spare = exchange_spare(nullptr);
  if (!spare) return;
  SavedAnalysis saved;
  try {
    saved = {spare->solver.save_analysis(), spare->pattern, spare->solver.options().analysis};
  } catch (const std::exception&) {
    saved = {};
  }
  exchange_saved(std::move(saved));
}

HeldPointer take_spare(const Fingerprint& pattern, const AnalysisOptions& options) {
  HeldPointer spare = exchange_spare(nullptr);
  const bool fits =
      spare && spare->pattern == pattern && spare->solver.options().analysis == options;
  return fits ? spare : nullptr;
}

std::vector<std::byte> take_saved(const Fingerprint& pattern, const AnalysisOptions& options) {
  SavedAnalysis saved = exchange_saved({});
  const bool fits = saved.pattern == pattern && saved.options == options;
  return fits ? std::move(saved.bytes) : std::vector<std::byte>();
}

}  // namespace clchol::drop_in
