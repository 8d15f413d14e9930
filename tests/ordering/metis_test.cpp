// Compares the flops of nested dissection with METIS_NodeND's, counted by CHOLMOD, for random
// normal equations of linear programs, whose separators are large.  For larger problems run
// clchol_ordering_bench --normal-equations.
#include <cholmod.h>
#include <gtest/gtest.h>
#include <metis.h>

#include <string>
#include <vector>

#include "ordering/ordering.hpp"
#include "tests/support/normal_equations.hpp"

namespace clchol::ordering {
namespace {

double flops_of(const CscPattern& lower, std::vector<int> perm) {
  std::vector<int> colptr(lower.colptr.begin(), lower.colptr.end());
  std::vector<int> rowind(lower.rowind.begin(), lower.rowind.end());
  cholmod_common common;
  cholmod_start(&common);
  common.nmethods = 1;
  common.method[0].ordering = CHOLMOD_GIVEN;
  common.supernodal = CHOLMOD_SIMPLICIAL;
  cholmod_sparse s{};
  s.nrow = s.ncol = perm.size();
  s.nzmax = rowind.size();
  s.p = colptr.data();
  s.i = rowind.data();
  s.stype = -1;
  s.itype = CHOLMOD_INT;
  s.xtype = CHOLMOD_PATTERN;
  s.dtype = CHOLMOD_DOUBLE;
  s.sorted = 1;
  s.packed = 1;
  cholmod_factor* factor = cholmod_analyze_p(&s, perm.data(), nullptr, 0, &common);
  const double flops = common.fl;
  cholmod_free_factor(&factor, &common);
  cholmod_finish(&common);
  return flops;
}

std::vector<int> order_by_metis(const Graph& graph) {
  int n = graph.n;
  std::vector<int> xadj(graph.xadj.begin(), graph.xadj.end());
  std::vector<int> adjncy(graph.adjncy.begin(), graph.adjncy.end());
  std::vector<int> perm(n), iperm(n);
  METIS_NodeND(&n, xadj.data(), adjncy.data(), nullptr, nullptr, perm.data(), iperm.data());
  return perm;
}

OrderingResult dissect(const CscPattern& lower, const Graph& graph, int threads) {
  OrderingOptions options;
  options.method = Method::kNestedDissection;
  options.threads = threads;
  // For a single factorization of a small problem a search would not pay.
  options.choice.factorizations = 100;
  options.cost = [&](const OrderingResult& made) { return flops_of(lower, made.permutation.perm); };
  return compute_ordering(graph, options);
}

class SmallNormalEquations : public testing::TestWithParam<test::NormalEquations> {};

TEST_P(SmallNormalEquations, TakeAtMostAThirdMoreFlopsThanByMetis) {
  const CscPattern lower = GetParam().make();
  const Graph graph = make_graph(lower.view());

  const OrderingResult result = dissect(lower, graph, 1);

  const double ours = flops_of(lower, result.permutation.perm);
  const double theirs = flops_of(lower, order_by_metis(graph));
  EXPECT_LE(ours, 1.3 * theirs) << result.reason;
  EXPECT_EQ(dissect(lower, graph, 3).permutation.perm, result.permutation.perm);
}

INSTANTIATE_TEST_SUITE_P(
    Oracle, SmallNormalEquations,
    testing::Values(
        test::NormalEquations{"zero_one",
                              [] {
                                return test::zero_one({2500, 6000, 3, 5, 150}, 1);
                              }},
        test::NormalEquations{"set_cover",
                              [] {
                                return test::set_cover({3000, 3000, 1.5, 100, 0.9, 100}, 1);
                              }},
        test::NormalEquations{"block_angular",
                              [] {
                                return test::block_angular({4, 500, 1000, 3, 700, 0.5}, 1);
                              }},
        test::NormalEquations{"large_separator",
                              [] {
                                return test::block_angular({4, 600, 1800, 3, 900, 1}, 1);
                              }},
        test::NormalEquations{"four_dimensions",
                              [] {
                                return test::local_columns({4, 8, 1.5, 6, 1, 5, 50}, 1);
                              }},
        test::NormalEquations{"five_dimensions",
                              [] {
                                return test::local_columns({5, 5, 1.5, 4, 1, 0, 0}, 1);
                              }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace clchol::ordering
