// Compares orderings with those of SuiteSparse and METIS: fill, flops and time.  The program prints
// one JSON line for each matrix and method.
//
//   clchol_ordering_bench [--repeat K] [--threads N] [--seed S]
//                         [--methods amd,md,mmd,nd,nd:fast,nd:best,natural]
//                         [--beside METHOD] [--normal-equations] A.mtx[.gz] | grid2d:N |
//                         grid3d:N | grid3d27:N | elast3d:N ...
//
// Each library gets the pattern in memory in the form that it takes: clchol the lower triangle (its
// time includes building the graph, compression, ordering and expansion), amd_order the lower
// triangle, METIS_NodeND both halves.  The methods take turns in one process; the least time of
// each counts.  nnz(L) and flops (sums of the column counts and of their squares) come from
// CHOLMOD's symbolic analysis.  amd, md and mmd are compared with SuiteSparse AMD, the others with
// METIS.  If --beside is given, all methods are compared with METHOD, which must be one of the
// methods, metis or suitesparse_amd.  The last lines hold geometric means over the matrices whose
// factorization in the peer's order takes more than kLargeFlops.  --normal-equations adds the
// thirty random normal equations of linear programs (tests/support/normal_equations.hpp).
#include <amd.h>
#include <cholmod.h>
#include <metis.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/csc.hpp"
#include "base/timer.hpp"
#include "ordering/ordering.hpp"
#include "solver/load_matrix.hpp"
#include "symbolic/analyze.hpp"
#include "tests/support/normal_equations.hpp"

namespace {

using clchol::CscPattern;
using clchol::Index;
using clchol::Offset;
using clchol::ordering::Method;
using clchol::ordering::OrderingOptions;

constexpr double kLargeFlops = 1e6;

struct Arguments {
  int repeat = 3;
  int threads = 1;
  std::uint64_t seed = 1;
  std::vector<std::string> methods = {"amd", "nd"};
  std::string beside;  // Method to compare with; empty: the peer of the same kind.
  bool normal_equations = false;
  std::vector<std::string> matrices;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    auto value = [&] { return std::string(k + 1 < argc ? argv[++k] : ""); };
    if (word == "--repeat") {
      a.repeat = std::max(1, std::atoi(value().c_str()));
    } else if (word == "--threads") {
      a.threads = std::max(1, std::atoi(value().c_str()));
    } else if (word == "--seed") {
      a.seed = std::strtoull(value().c_str(), nullptr, 10);
    } else if (word == "--methods") {
      a.methods = split(value());
    } else if (word == "--beside") {
      a.beside = value();
    } else if (word == "--normal-equations") {
      a.normal_equations = true;
    } else {
      a.matrices.push_back(word);
    }
  }
  return a;
}

struct Fill {
  double nnz_l = 0;
  double flops = 0;
};

/// The pattern with the index types of the peers.
struct Pattern {
  std::string name;
  CscPattern lower;
  std::vector<int> colptr;        // Column pointers of the lower triangle.
  std::vector<int> xadj, adjncy;  // The graph: both halves, no diagonal.
};

Pattern make_pattern(std::string name, CscPattern lower) {
  Pattern p;
  p.name = std::move(name);
  p.lower = std::move(lower);
  p.colptr.assign(p.lower.colptr.begin(), p.lower.colptr.end());
  const auto graph = clchol::ordering::make_graph(p.lower.view());
  p.xadj.assign(graph.xadj.begin(), graph.xadj.end());
  p.adjncy.assign(graph.adjncy.begin(), graph.adjncy.end());
  return p;
}

Pattern load(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  return make_pattern(name.substr(0, name.find(".mtx")), clchol::solver::load_matrix(path).lower);
}

Fill count_fill(Pattern& a, std::vector<int> perm) {
  cholmod_common common;
  cholmod_start(&common);
  common.nmethods = 1;
  common.method[0].ordering = CHOLMOD_GIVEN;
  common.postorder = 1;
  common.supernodal = CHOLMOD_SIMPLICIAL;
  cholmod_sparse s{};
  s.nrow = s.ncol = perm.size();
  s.nzmax = a.lower.rowind.size();
  s.p = a.colptr.data();
  s.i = a.lower.rowind.data();
  s.stype = -1;
  s.itype = CHOLMOD_INT;
  s.xtype = CHOLMOD_PATTERN;
  s.dtype = CHOLMOD_DOUBLE;
  s.sorted = 1;
  s.packed = 1;
  cholmod_factor* factor = cholmod_analyze_p(&s, perm.data(), nullptr, 0, &common);
  if (factor == nullptr) throw std::runtime_error("cholmod_analyze_p failed");
  const Fill fill{common.lnz, common.fl};
  cholmod_free_factor(&factor, &common);
  cholmod_finish(&common);
  return fill;
}

/// An ordering method that is measured.
struct Contender {
  std::string name;
  std::function<std::vector<int>(Pattern&)> order;
  double seconds = 1e300;
  Fill fill;
};

std::vector<int> order_by_metis(Pattern& a) {
  int n = a.lower.n;
  std::vector<int> perm(n), iperm(n);
  METIS_NodeND(&n, a.xadj.data(), a.adjncy.data(), nullptr, nullptr, perm.data(), iperm.data());
  return perm;
}

std::vector<int> order_by_suitesparse(Pattern& a) {
  std::vector<int> perm(a.lower.n);
  amd_order(a.lower.n, a.colptr.data(), a.lower.rowind.data(), perm.data(), nullptr, nullptr);
  return perm;
}

Method method_of(const std::string& name) {
  static const std::map<std::string, Method> kMethods = {{"amd", Method::kAmd},
                                                         {"md", Method::kMinimumDegree},
                                                         {"mmd", Method::kMultipleMinimumDegree},
                                                         {"nd", Method::kNestedDissection},
                                                         {"nd:fast", Method::kNestedDissection},
                                                         {"nd:best", Method::kNestedDissection},
                                                         {"natural", Method::kNatural}};
  const auto found = kMethods.find(name);
  if (found == kMethods.end()) throw std::invalid_argument("unknown method '" + name + "'");
  return found->second;
}

OrderingOptions options_of(const std::string& method, const Arguments& arguments) {
  OrderingOptions options;
  options.method = method_of(method);
  using clchol::ordering::Effort;
  options.effort = method == "nd:fast"   ? Effort::kFast
                   : method == "nd:best" ? Effort::kBest
                                         : Effort::kBalanced;
  options.seed = arguments.seed;
  options.threads = arguments.threads;
  return options;
}

std::vector<Contender> contenders(const Arguments& arguments) {
  std::vector<Contender> result = {{"metis", order_by_metis, 1e300, {}},
                                   {"suitesparse_amd", order_by_suitesparse, 1e300, {}}};
  for (const std::string& method : arguments.methods) {
    const OrderingOptions options = options_of(method, arguments);
    auto order = [options](Pattern& a) {
      const auto graph = clchol::ordering::make_graph(a.lower.view());
      OrderingOptions comparing = options;
      comparing.cost = [&](const clchol::ordering::OrderingResult& made) {
        return clchol::symbolic::predicted_cycles(graph, made.permutation,
                                                  clchol::symbolic::with_order({}, made));
      };
      return clchol::ordering::compute_ordering(graph, comparing).permutation.perm;
    };
    result.push_back({method, order, 1e300, {}});
  }
  return result;
}

/// The method that `ours` is compared with.
const Contender& peer_of(const Contender& ours, const std::vector<Contender>& all,
                         const Arguments& arguments) {
  const bool bottom_up = ours.name == "amd" || ours.name == "md" || ours.name == "mmd";
  const std::string name = !arguments.beside.empty() ? arguments.beside
                           : bottom_up               ? "suitesparse_amd"
                                                     : "metis";
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Contender& c) { return c.name == name; });
  if (found == all.end()) throw std::invalid_argument("--beside '" + name + "' does not take part");
  return *found;
}

/// Geometric means of the ratios of clchol's method to its peer.
struct Mean {
  double log_nnz_l = 0, log_flops = 0, log_seconds = 0, worst_flops = 0;
  int count = 0;
};

void compare(Pattern a, const Arguments& arguments, std::map<std::string, Mean>& means) {
  std::vector<Contender> all = contenders(arguments);
  for (int k = 0; k < arguments.repeat; ++k) {
    for (Contender& c : all) {
      const clchol::Timer timer;
      const std::vector<int> perm = c.order(a);
      c.seconds = std::min(c.seconds, timer.seconds());
      if (k == 0) c.fill = count_fill(a, perm);
    }
  }
  for (std::size_t k = 2; k < all.size(); ++k) {
    const Contender& ours = all[k];
    const Contender& peer = peer_of(ours, all, arguments);
    const double nnz_l = ours.fill.nnz_l / peer.fill.nnz_l;
    const double flops = ours.fill.flops / peer.fill.flops;
    const double seconds = ours.seconds / peer.seconds;
    std::printf(
        "{\"matrix\":\"%s\",\"method\":\"%s\",\"peer\":\"%s\",\"n\":%d,\"nnz\":%lld,"
        "\"nnz_l\":%.0f,\"flops\":%.4g,\"seconds\":%.6f,\"peer_seconds\":%.6f,"
        "\"nnz_l_ratio\":%.4f,\"flops_ratio\":%.4f,\"seconds_ratio\":%.4f}\n",
        a.name.c_str(), ours.name.c_str(), peer.name.c_str(), a.lower.n,
        static_cast<long long>(a.lower.view().nnz()), ours.fill.nnz_l, ours.fill.flops,
        ours.seconds, peer.seconds, nnz_l, flops, seconds);
    std::fflush(stdout);
    if (peer.fill.flops <= kLargeFlops) continue;
    Mean& mean = means[ours.name];
    mean.log_nnz_l += std::log(nnz_l);
    mean.log_flops += std::log(flops);
    mean.log_seconds += std::log(seconds);
    mean.worst_flops = std::max(mean.worst_flops, flops);
    ++mean.count;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  std::map<std::string, Mean> means;
  for (const std::string& name : arguments.matrices) {
    try {
      compare(load(name), arguments, means);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
      return 1;
    }
  }
  if (arguments.normal_equations) {
    for (const auto& problem : clchol::test::thirty_normal_equations()) {
      compare(make_pattern(problem.name, problem.make()), arguments, means);
    }
  }
  for (const auto& [method, m] : means) {
    std::printf(
        "{\"mean\":\"%s\",\"threads\":%d,\"seed\":%llu,\"matrices\":%d,\"nnz_l_ratio\":%.4f,"
        "\"flops_ratio\":%.4f,\"flops_worst\":%.3f,\"seconds_ratio\":%.4f}\n",
        method.c_str(), arguments.threads, static_cast<unsigned long long>(arguments.seed), m.count,
        std::exp(m.log_nnz_l / m.count), std::exp(m.log_flops / m.count), m.worst_flops,
        std::exp(m.log_seconds / m.count));
  }
  return 0;
}
