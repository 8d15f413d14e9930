#include "tests/gpu_kernels/fronts/front_forest.hpp"

#include <algorithm>

namespace clchol::gpu {
namespace {

/// `count` random numbers below `end`, ascending.
std::vector<Index> choose(Index count, Index end, std::mt19937& random) {
  std::vector<Index> numbers(static_cast<std::size_t>(end));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<Index> chosen;
  std::ranges::sample(numbers, std::back_inserter(chosen), count, random);
  return chosen;
}

void append_children(FrontForest& forest, const FrontSpec& spec, std::mt19937& random) {
  for (const Index nupd : spec.children) {
    Child child{};
    child.update = forest.child_entries;
    child.vector = forest.child_rows;
    child.relind = static_cast<Offset>(forest.relind.size());
    child.nupd = nupd;
    forest.children.push_back(child);
    forest.child_entries += update_size(nupd) + 5;
    forest.child_rows += nupd + 1;
    const std::vector<Index> places = choose(nupd, spec.nrow, random);
    forest.relind.insert(forest.relind.end(), places.begin(), places.end());
  }
}

void append_entries(FrontForest& forest, const FrontSpec& spec, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  for (Index j = 0; j < spec.ncol; ++j) {
    forest.entry_ptr.push_back(static_cast<Offset>(forest.entry_row.size()));
    for (Index i = j; i < spec.nrow; ++i) {
      if (i == j || uniform(random) < spec.density) forest.entry_row.push_back(i);
    }
  }
}

void append_front(FrontForest& forest, const FrontSpec& spec, Index block, std::mt19937& random) {
  Front front{};
  front.panel = forest.panel_entries + 2;
  front.ldp = spec.nrow + static_cast<Offset>(random() % 3);
  front.update = forest.update_entries + 1;
  front.rows = static_cast<Offset>(forest.rowind.size());
  front.inverses = forest.inverse_entries;
  front.vector = forest.vector_rows;
  front.nrow = spec.nrow;
  front.ncol = spec.ncol;
  front.first_column = forest.n;
  front.child_begin = static_cast<Index>(forest.children.size());
  append_children(forest, spec, random);
  front.child_end = static_cast<Index>(forest.children.size());
  front.entry_begin = static_cast<Offset>(forest.entry_row.size());
  append_entries(forest, spec, random);
  front.entry_end = static_cast<Offset>(forest.entry_row.size());

  forest.panel_entries = front.panel + front.ldp * spec.ncol;
  forest.update_entries = front.update + update_size(spec.nrow - spec.ncol);
  forest.inverse_entries += Offset{(spec.ncol + block - 1) / block} * block * block;
  forest.vector_rows += spec.nrow + 1;
  forest.n += spec.ncol;
  forest.fronts.push_back(front);
  forest.rowind.resize(forest.rowind.size() + spec.nrow);
}

/// Numbers the rows: update rows are random rows after the front's own columns.
void number_rows(FrontForest& forest, std::mt19937& random) {
  for (const Front& front : forest.fronts) {
    const Index behind = front.first_column + front.ncol;
    const std::vector<Index> updates = choose(front.nrow - front.ncol, forest.n - behind, random);
    for (Index i = 0; i < front.nrow; ++i) {
      forest.rowind[front.rows + i] =
          i < front.ncol ? front.first_column + i : behind + updates[i - front.ncol];
    }
  }
}

}  // namespace

FrontForest make_forest(const std::vector<FrontSpec>& specs, unsigned seed, Index block) {
  std::mt19937 random(seed);
  FrontForest forest;
  Index largest = 0;
  for (const FrontSpec& spec : specs) {
    append_front(forest, spec, block, random);
    largest = std::max(largest, spec.nrow);
  }
  forest.entry_ptr.push_back(static_cast<Offset>(forest.entry_row.size()));
  forest.n += largest;
  number_rows(forest, random);
  forest.entry_source.resize(forest.entry_row.size());
  std::iota(forest.entry_source.begin(), forest.entry_source.end(), 0);
  std::ranges::shuffle(forest.entry_source, random);
  forest.entry_place = make_entry_places(forest.fronts, forest.entry_ptr, forest.entry_row);
  return forest;
}

}  // namespace clchol::gpu
