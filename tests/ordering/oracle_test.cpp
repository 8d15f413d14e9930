// Compares amd's fill with SuiteSparse AMD's, counted by CHOLMOD.  Tests with real matrices look
// for them in the folder $CLCHOL_MATRICES; without that variable these tests are skipped.
#include <amd.h>
#include <cholmod.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "ordering/ordering.hpp"
#include "tests/support/builders.hpp"

namespace clchol::ordering {
namespace {

struct PeerMatrix {
  std::vector<int> colptr;
  UninitializedVector<int> rowind;
  explicit PeerMatrix(const CscPattern& lower)
      : colptr(lower.colptr.begin(), lower.colptr.end()), rowind(lower.rowind) {}
};

double factor_entries(PeerMatrix& a, std::vector<int> perm) {
  cholmod_common common;
  cholmod_start(&common);
  common.nmethods = 1;
  common.method[0].ordering = CHOLMOD_GIVEN;
  common.supernodal = CHOLMOD_SIMPLICIAL;
  cholmod_sparse s{};
  s.nrow = s.ncol = perm.size();
  s.nzmax = a.rowind.size();
  s.p = a.colptr.data();
  s.i = a.rowind.data();
  s.stype = -1;
  s.itype = CHOLMOD_INT;
  s.xtype = CHOLMOD_PATTERN;
  s.dtype = CHOLMOD_DOUBLE;
  s.sorted = 1;
  s.packed = 1;
  cholmod_factor* factor = cholmod_analyze_p(&s, perm.data(), nullptr, 0, &common);
  const double entries = common.lnz;
  cholmod_free_factor(&factor, &common);
  cholmod_finish(&common);
  return entries;
}

// nnz(L) by clchol's amd over nnz(L) by SuiteSparse AMD.
double fill_ratio(const CscPattern& lower) {
  PeerMatrix peer(lower);
  std::vector<int> theirs(lower.n);
  amd_order(lower.n, peer.colptr.data(), peer.rowind.data(), theirs.data(), nullptr, nullptr);
  const OrderingResult ours = compute_ordering(make_graph(lower.view()));
  return factor_entries(peer, ours.permutation.perm) / factor_entries(peer, theirs);
}

TEST(OracleSmall, FillsNoMoreThanATenthAboveSuiteSparse) {
  EXPECT_LT(fill_ratio(test::grid2d(60, 50).pattern), 1.1);
  EXPECT_LT(fill_ratio(test::grid3d(14, 13, 12).pattern), 1.1);
  EXPECT_LT(fill_ratio(test::random_spd(2000, 5.0, 3).pattern), 1.1);
  EXPECT_LT(fill_ratio(test::two_grids(30, 20, 10).pattern), 1.1);
}

// Lower triangle of a gzipped symmetric coordinate file; empty when it cannot be read.
CscPattern read_lower(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  char line[1024];
  while (gzgets(file, line, sizeof line) != nullptr && line[0] == '%') {
  }
  const Index n = static_cast<Index>(std::strtol(line, nullptr, 10));
  std::vector<test::Triplet> triplets;
  while (gzgets(file, line, sizeof line) != nullptr) {
    char* rest = nullptr;
    const Index i = static_cast<Index>(std::strtol(line, &rest, 10)) - 1;
    const Index j = static_cast<Index>(std::strtol(rest, nullptr, 10)) - 1;
    triplets.push_back({std::max(i, j), std::min(i, j), 1.0});
  }
  gzclose(file);
  return test::from_triplets(n, std::move(triplets)).pattern;
}

class SharedMatrix : public ::testing::TestWithParam<const char*> {};

TEST_P(SharedMatrix, FillsNoMoreThanAQuarterAboveSuiteSparse) {
  const char* folder = std::getenv("CLCHOL_MATRICES");
  if (folder == nullptr) GTEST_SKIP() << "CLCHOL_MATRICES is not set";
  const std::string path = std::string(folder) + "/" + GetParam() + ".mtx.gz";
  const CscPattern lower = read_lower(path);
  ASSERT_GT(lower.n, 0) << "cannot read " << path;

  EXPECT_LE(fill_ratio(lower), 1.25);
}

INSTANTIATE_TEST_SUITE_P(Oracle, SharedMatrix,
                         ::testing::Values("bcsstk01", "bcsstk16", "bcsstk18", "nos3", "msc01050",
                                           "ex15", "lap_4elt", "bodyy4", "maxwell_edge",
                                           "power_se_activsg10k", "pdn_real1", "slam_city10000",
                                           "lp_dfl001_aat", "qp_cvxqp1_l", "tucker21935"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace clchol::ordering
