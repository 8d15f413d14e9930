#include <cmath>

#include "base/rows_view.hpp"
#include "base/team.hpp"
#include "tests/numeric/dense/dense_support.hpp"

namespace clchol::numeric::dense {
namespace {

using test::GuardedArray;
using test::on_every_target;

/// A well-conditioned factored panel and right-hand sides; all other storage is NaN.
template <class T>
struct TestPanel {
  Index nrow, ncol, nrhs;
  Offset ldp, ldw;
  GuardedArray<T> panel, inv_diag, w;

  TestPanel(Index nrow, Index ncol, Index nrhs, Offset padding)
      : nrow(nrow),
        ncol(ncol),
        nrhs(nrhs),
        ldp(nrow + padding),
        ldw(row_length(nrhs)),
        panel(ldp * (ncol - 1) + nrow),
        inv_diag(ncol),
        w(ldw * nrow) {
    std::mt19937 random(test::kSeed);
    std::uniform_real_distribution<T> entry(T{-1}, T{1});
    for (Index j = 0; j < ncol; ++j) {
      for (Index i = j; i < nrow; ++i) panel[i + j * ldp] = entry(random) / (i == j ? 1 : ncol);
      panel[j + j * ldp] += T{2};
      inv_diag[j] = T{1} / panel[j + j * ldp];
    }
    for (Index i = 0; i < nrow; ++i) {
      for (Index r = 0; r < ldw; ++r) w[i * ldw + r] = r < nrhs ? entry(random) : T{0};
    }
  }

  struct Scattered;

  void forward(const Execution& execution = {}) {
    forward_front(panel.data(), ldp, nrow, ncol, inv_diag.data(), w.data(), ldw, execution);
  }
  void backward(const Execution& execution = {}) {
    backward_front(panel.data(), ldp, nrow, ncol, inv_diag.data(), w.data(), ldw, execution);
  }

  /// The forward solve with W2 scattered over two arrays, for many right-hand sides.
  void forward_at() {
    Scattered at(*this);
    forward_front_at(panel.data(), ldp, ncol, inv_diag.data(), w.data(), ldw,
                     {{at.first.data(), std::span(at.index).first(at.split)},
                      {at.second.data(), std::span(at.index).subspan(at.split)}});
    at.put_back(*this);
  }
  void backward_at() {
    Scattered at(*this);
    at.split = at.index.size();
    at.take(*this);
    GuardedArray<T> before = at.first;
    backward_front_at(panel.data(), ldp, ncol, inv_diag.data(), w.data(), ldw,
                      {at.first.data(), at.index});
    ASSERT_EQ(std::memcmp(at.first.data(), before.data(), sizeof(T) * before.size()), 0);
  }

  bool padding_intact() const {
    for (Index i = 0; i < nrow; ++i) {
      for (Offset r = nrhs; r < ldw; ++r) {
        if (w[i * ldw + r] != 0) return false;
      }
    }
    return w.guards_intact() && panel.guards_intact() && inv_diag.guards_intact();
  }
};

/// The rows of W2, in random order, between rows that stay unchanged.  The
/// first `split` rows of W2 lie in one array, the others in another.
template <class T>
struct TestPanel<T>::Scattered {
  std::vector<Index> index;
  std::size_t split;
  GuardedArray<T> first, second;

  explicit Scattered(const TestPanel& from)
      : split(static_cast<std::size_t>(from.nrow - from.ncol) / 3),
        first(places(from) * from.ldw),
        second(places(from) * from.ldw) {
    index.resize(static_cast<std::size_t>(from.nrow - from.ncol));
    for (std::size_t k = 0; k < index.size(); ++k) index[k] = static_cast<Index>(2 * k + 1);
    std::shuffle(index.begin(), index.end(), std::mt19937(test::kSeed));
    take(from);
  }
  void take(const TestPanel& from) {
    for_rows(from, [&](T* at, Offset row) { std::copy_n(&from.w[row], from.ldw, at); });
  }
  void put_back(TestPanel& to) {
    for_rows(to, [&](const T* at, Offset row) { std::copy_n(at, to.ldw, &to.w[row]); });
    for (Offset k = 0; k < first.size(); k += 2 * to.ldw) {
      for (Offset r = 0; r < to.ldw; ++r) {
        ASSERT_TRUE(first.is_canary(k + r) && second.is_canary(k + r)) << "row " << k / to.ldw;
      }
    }
    ASSERT_TRUE(first.guards_intact() && second.guards_intact());
  }

 private:
  static Offset places(const TestPanel& p) { return Offset{2} * (p.nrow - p.ncol) + 1; }
  template <class F>
  void for_rows(const TestPanel& p, const F& f) {
    for (std::size_t k = 0; k < index.size(); ++k) {
      GuardedArray<T>& array = k < split ? first : second;
      f(&array[index[k] * p.ldw], (p.ncol + static_cast<Offset>(k)) * p.ldw);
    }
  }
};

// Residuals are bounded entrywise by gamma(k) |L| |x| for a sum of k terms in any order
// [Higham, Theorem 8.5]; the reciprocal of the diagonal adds two roundings and w one.
template <class T>
double unit_bound(Index terms) {
  return (terms + 4) * double{std::numeric_limits<T>::epsilon()};
}

/// Greatest ratio of residual to bound of [L11; L21] x1 + [0; w2] = w for the computed x1 and w2.
template <class T>
double worst_forward(const TestPanel<T>& before, const TestPanel<T>& after) {
  double worst = 0;
  for (Index r = 0; r < after.nrhs; ++r) {
    for (Index i = 0; i < after.nrow; ++i) {
      const Offset p = i * after.ldw + r;
      long double residual = before.w[p];
      long double bound = std::abs(before.w[p]);
      if (i >= after.ncol) residual -= after.w[p];
      for (Index j = 0; j <= std::min(i, after.ncol - 1); ++j) {
        const long double term =
            static_cast<long double>(after.panel[i + j * after.ldp]) * after.w[j * after.ldw + r];
        residual -= term;
        bound += std::abs(term);
      }
      const double ratio = std::abs(residual) / (unit_bound<T>(after.ncol) * bound);
      if (!(ratio <= worst)) worst = ratio;
    }
  }
  return worst;
}

/// Greatest ratio of residual to bound of [L11; L21]' [x1; w2] = w1 for the computed x1.
template <class T>
double worst_backward(const TestPanel<T>& before, const TestPanel<T>& after) {
  double worst = 0;
  for (Index r = 0; r < after.nrhs; ++r) {
    for (Index j = 0; j < after.ncol; ++j) {
      long double residual = before.w[j * after.ldw + r];
      long double bound = std::abs(residual);
      for (Index i = j; i < after.nrow; ++i) {
        const long double term =
            static_cast<long double>(after.panel[i + j * after.ldp]) * after.w[i * after.ldw + r];
        residual -= term;
        bound += std::abs(term);
      }
      const double ratio = std::abs(residual) / (unit_bound<T>(after.nrow) * bound);
      if (!(ratio <= worst)) worst = ratio;
    }
  }
  return worst;
}

template <class T>
bool same_update_rows(const TestPanel<T>& a, const TestPanel<T>& b) {
  for (Index r = 0; r < a.nrhs; ++r) {
    for (Index i = a.ncol; i < a.nrow; ++i) {
      if (a.w[i * a.ldw + r] != b.w[i * a.ldw + r]) return false;
    }
  }
  return true;
}

template <class T>
void expect_solved(Index nrow, Index ncol, Index nrhs) {
  SCOPED_TRACE(testing::Message() << nrow << " x " << ncol << ", nrhs " << nrhs);
  const TestPanel<T> before(nrow, ncol, nrhs, (nrow + nrhs) % 3);
  TestPanel<T> forward = before, backward = before;

  forward.forward();
  backward.backward();

  ASSERT_LE(worst_forward(before, forward), 1.0);
  ASSERT_LE(worst_backward(before, backward), 1.0);
  ASSERT_TRUE(same_update_rows(before, backward));
  ASSERT_TRUE(forward.padding_intact() && backward.padding_intact());
  if (nrhs == 1) return;

  forward = before;
  backward = before;
  forward.forward_at();
  backward.backward_at();

  ASSERT_LE(worst_forward(before, forward), 1.0);
  ASSERT_LE(worst_backward(before, backward), 1.0);
  ASSERT_TRUE(forward.padding_intact() && backward.padding_intact());
}

template <class T>
class SolveFront : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SolveFront, Scalars, test::ScalarNames);

struct SolveShape {
  Index nrow, ncol;
};

// Sizes around blocks of 8 columns and of 64 columns, with every number of rows modulo a vector.
constexpr SolveShape kShapes[] = {{1, 1},   {2, 1},    {4, 4},    {9, 5},     {33, 15},  {36, 14},
                                  {60, 8},  {63, 8},   {63, 9},   {64, 17},   {80, 7},   {100, 64},
                                  {65, 65}, {129, 63}, {200, 65}, {257, 128}, {300, 129}};

TYPED_TEST(SolveFront, SolvesOneRightHandSide) {
  on_every_target([] {
    for (const SolveShape s : kShapes) expect_solved<TypeParam>(s.nrow, s.ncol, 1);
  });
}

TYPED_TEST(SolveFront, SolvesManyRightHandSides) {
  on_every_target([] {
    for (const SolveShape s : kShapes) {
      for (const Index nrhs : {2, 3, 4, 5, 8, 9, 16, 17, 24, 33}) {
        expect_solved<TypeParam>(s.nrow, s.ncol, nrhs);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

TYPED_TEST(SolveFront, SolvesWithALargePanel) {
  on_every_target([] {
    expect_solved<TypeParam>(1500, 131, 1);
    expect_solved<TypeParam>(1100, 130, 3);
  });
}

template <class T>
bool same_bits(TestPanel<T>& a, TestPanel<T>& b) {
  return std::memcmp(a.w.data(), b.w.data(), sizeof(T) * a.w.size()) == 0;
}

template <class T>
void expect_same_bits_for_any_team(Index nrow, Index ncol, Index nrhs) {
  const TestPanel<T> before(nrow, ncol, nrhs, 0);
  TestPanel<T> alone = before;
  alone.forward();
  alone.backward();
  for (int threads = 1; threads <= 4; ++threads) {
    SCOPED_TRACE(testing::Message() << threads << " threads, nrhs " << nrhs);
    TestPanel<T> team = before;
    run_in_team(threads, [&] {
      team.forward({.team = true, .cancel = nullptr});
      team.backward({.team = true, .cancel = nullptr});
    });

    ASSERT_TRUE(same_bits(alone, team));
  }
}

TYPED_TEST(SolveFront, HasTheSameBitsForAnyNumberOfThreads) {
  on_every_target([] {
    expect_same_bits_for_any_team<TypeParam>(3001, 150, 1);
    expect_same_bits_for_any_team<TypeParam>(2100, 140, 5);
  });
}

}  // namespace
}  // namespace clchol::numeric::dense
