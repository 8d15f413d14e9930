// Entries in any order, compared with a plain map, for any number of threads and blocks.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "solver/matrix_market.hpp"
#include "solver/matrix_market/assemble.hpp"
#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

/// A reference for assemble_columns(), by a map from positions to sums.
AssembledColumns assemble_by_map(Index n, const std::vector<Entry>& entries) {
  std::map<std::pair<Index, Index>, double> sums;
  AssembledColumns out;
  for (const Entry& entry : entries) {
    const auto [place, is_first] = sums.insert({{entry.col, entry.row}, entry.value});
    if (!is_first) {
      place->second += entry.value;
      ++out.duplicates;
    }
  }
  out.pattern.n = n;
  out.pattern.colptr.assign(static_cast<std::size_t>(n) + 1, 0);
  for (const auto& [at, value] : sums) {
    ++out.pattern.colptr[at.first + 1];
    out.pattern.rowind.push_back(at.second);
    out.values.push_back(value);
  }
  for (Index j = 0; j < n; ++j) out.pattern.colptr[j + 1] += out.pattern.colptr[j];
  return out;
}

/// The entries, cut into runs of `length` entries.
std::vector<EntryRun> runs_of(const std::vector<Entry>& entries, std::size_t length) {
  const std::shared_ptr<Entry[]> storage(new Entry[entries.size()]);
  std::copy(entries.begin(), entries.end(), storage.get());
  std::vector<EntryRun> runs;
  for (std::size_t k = 0; k < entries.size(); k += length) {
    runs.push_back({storage, {storage.get() + k, std::min(length, entries.size() - k)}});
  }
  return runs;
}

std::vector<Entry> random_entries(Index n, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<Index> index(0, n - 1);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<Entry> entries(count);
  for (Entry& entry : entries) entry = {index(random), index(random), value(random)};
  return entries;
}

void expect_equals_map(Index n, const std::vector<Entry>& entries, std::size_t run_length) {
  const AssembledColumns expected = assemble_by_map(n, entries);
  for (int threads = 1; threads <= 4; ++threads) {
    const AssembledColumns got = assemble_columns(n, runs_of(entries, run_length), threads);
    EXPECT_EQ(got.pattern.colptr, expected.pattern.colptr);
    EXPECT_EQ(got.pattern.rowind, expected.pattern.rowind);
    EXPECT_TRUE(test::identical(got.values, expected.values));
    EXPECT_EQ(got.duplicates, expected.duplicates);
  }
}

TEST(AssembleColumns, EqualsMapForManyBuckets) {
  constexpr unsigned kSeed = 1;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  expect_equals_map(5000, random_entries(5000, 100000, kSeed), 777);
}

TEST(AssembleColumns, EqualsMapForLongColumns) {
  constexpr unsigned kSeed = 2;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  expect_equals_map(3, random_entries(3, 1000, kSeed), 10);
  std::vector<Entry> column = random_entries(400, 3000, kSeed);
  for (Entry& entry : column) entry.col = 17;
  expect_equals_map(400, column, 100);
}

TEST(AssembleColumns, EqualsMapForColumnsByRows) {
  std::vector<Entry> entries;
  for (Index i = 0; i < 300; ++i) {
    for (Index j = std::max(0, i - 3); j <= i; ++j) entries.push_back({i, j, 1.0 / (1 + i + j)});
  }
  expect_equals_map(300, entries, 50);
}

TEST(AssembleColumns, EqualsMapForSortedEntries) {
  std::vector<Entry> entries;
  for (Index j = 0; j < 300; ++j) {
    for (Index i = j; i < std::min(300, j + 4); ++i) entries.push_back({i, j, 1.0 / (1 + i + j)});
  }
  expect_equals_map(300, entries, 50);
}

TEST(AssembleColumns, SeesDisorderBetweenRuns) {
  expect_equals_map(4, {{2, 1, 1.0}, {3, 1, 2.0}, {1, 1, 3.0}, {3, 3, 4.0}}, 2);
  expect_equals_map(4, {{2, 1, 1.0}, {3, 1, 2.0}, {3, 1, 3.0}, {3, 3, 4.0}}, 2);
}

TEST(AssembleColumns, TakesNoEntries) { expect_equals_map(7, {}, 1); }

RC_GTEST_PROP(AssembleColumns, EqualsMap, ()) {
  const Index n = *rc::gen::inRange(1, 40);
  const auto entries = *rc::gen::container<std::vector<Entry>>(rc::gen::construct<Entry>(
      rc::gen::inRange(0, n), rc::gen::inRange(0, n), rc::gen::arbitrary<double>()));
  const auto run_length = static_cast<std::size_t>(*rc::gen::inRange(1, 20));
  const int threads = *rc::gen::inRange(1, 5);
  const AssembledColumns expected = assemble_by_map(n, entries);
  const AssembledColumns got = assemble_columns(n, runs_of(entries, run_length), threads);
  RC_ASSERT(got.pattern.colptr == expected.pattern.colptr);
  RC_ASSERT(got.pattern.rowind == expected.pattern.rowind);
  RC_ASSERT(test::identical(got.values, expected.values));
  RC_ASSERT(got.duplicates == expected.duplicates);
}

/// A symmetric file with entries in random order, in both triangles, and with some positions twice.
std::string shuffled_file(unsigned seed) {
  constexpr Index kOrder = 3000;
  std::vector<Entry> entries = random_entries(kOrder, 40000, seed);
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n" + std::to_string(kOrder) +
                     " " + std::to_string(kOrder) + " " + std::to_string(entries.size()) + "\n";
  for (const Entry& entry : entries) {
    char value[32];
    *std::to_chars(value, value + 31, entry.value).ptr = '\0';
    text +=
        std::to_string(entry.row + 1) + " " + std::to_string(entry.col + 1) + " " + value + "\n";
  }
  return text;
}

TEST(ReadSymmetricMatrix, GivesTheSameBitsForAnyThreadsAndBlocks) {
  constexpr unsigned kSeed = 3;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  const std::string text = shuffled_file(kSeed);
  const SymmetricMatrix expected = parse_symmetric_matrix(text, "a.mtx", {.threads = 1});
  ASSERT_GT(expected.notes.duplicates_summed, 0);
  for (int threads = 1; threads <= 4; ++threads) {
    for (std::size_t block_bytes : {100, 5000, 1 << 18}) {
      const ReadOptions options = {.threads = threads, .block_bytes = block_bytes};
      EXPECT_TRUE(test::identical(parse_symmetric_matrix(text, "a.mtx", options), expected));
    }
  }
}

}  // namespace
}  // namespace clchol::solver
