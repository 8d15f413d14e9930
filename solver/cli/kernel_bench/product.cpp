// Products C := C - A * B': gemm, and syrk, its lower half with B = A.
#include "gpu_kernels/gemm.hpp"
#include "gpu_kernels/reference/gemm.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/searches.hpp"
#include "solver/cli/kernel_bench/values.hpp"

namespace clchol::cli {
namespace {

using gpu::GemmParams;
using gpu::GemmVariant;
using gpu::MatrixProduct;

struct Shape {
  Index order;  // Of C.
  Index k;
};
constexpr Shape kQuickShapes[] = {{97, 33}};
constexpr Shape kShapes[] = {{512, 512}, {2048, 2048}, {4096, 128}, {4096, 4096}};
constexpr Index kSample = 16;       // Order of the parts of large results that are checked.
constexpr Index kWholeOrder = 256;  // Results up to this are checked whole.

gpu::GroupLimits limits_of(const DeviceSession& session) {
  return {session.capabilities().max_work_group_size, session.capabilities().static_local_bytes};
}

/// What one case computes, and with what.
struct Setup {
  Shape shape{};
  bool lower = false;  // syrk
  GemmVariant variant = GemmVariant::kAll;
  GemmParams params;
};

template <class T>
class ProductExperiment : public Experiment {
 public:
  ProductExperiment(DeviceSession& session, const Setup& setup)
      : queue_(session.queue()),
        setup_(setup),
        product_(product(setup)),
        a_(positive_values<T>(entries(setup.shape.k), 1)),
        b_(setup.lower ? a_ : positive_values<T>(entries(setup.shape.k), 2)),
        c_(positive_values<T>(entries(setup.shape.order), 3)),
        gemm_(session.programs(), setup.params, setup.variant),
        device_a_(on_device(queue_, a_)),
        device_b_(on_device(queue_, b_)),
        c_before_(on_device(queue_, c_)),
        device_c_(session.context(), c_before_.size()) {
    gpu::ProductList list(gemm_.tile());
    list.append(product_);
    batch_ = gpu::ProductBatch(queue_, list.products(), list.tiles());
  }

  void reset() override { gpu::copy<T>(queue_, c_before_, device_c_); }
  void run() override { gemm_.run(queue_, batch_, {device_a_, device_b_, device_c_, {}}); }
  double max_error() override;
  Work work() const override {
    const auto n = static_cast<double>(setup_.shape.order);
    const auto k = static_cast<double>(setup_.shape.k);
    if (setup_.lower) return {n * (n + 1) * k, (n * k + n * (n + 1)) * sizeof(T)};
    return {2 * n * n * k, (2 * n * k + 2 * n * n) * sizeof(T)};
  }
  gpu::TuningParams params() const override { return gemm_.params().to_params(); }

 private:
  static MatrixProduct product(const Setup& setup) {
    MatrixProduct p{};
    p.m = p.n = setup.shape.order;
    p.k = setup.shape.k;
    p.lda = p.ldb = p.ldc = setup.shape.order;
    p.form = CLCHOL_SUBTRACT | (setup.lower ? CLCHOL_LOWER : 0);
    p.front = kNone;
    return p;
  }
  Offset entries(Index columns) const { return Offset{setup_.shape.order} * columns; }
  std::vector<MatrixProduct> samples() const;

  gpu::Queue& queue_;
  Setup setup_;
  MatrixProduct product_;
  std::vector<T> a_, b_, c_;
  gpu::Gemm<T> gemm_;
  gpu::DeviceBuffer<T> device_a_, device_b_, c_before_, device_c_;
  gpu::ProductBatch batch_;
};

// The whole product, or of a large one the parts at the ends and in the middle: of the lower half,
// one part lies across the diagonal and one below it.
template <class T>
std::vector<MatrixProduct> ProductExperiment<T>::samples() const {
  const Index order = setup_.shape.order;
  if (order <= kWholeOrder) return {product_};
  std::vector<MatrixProduct> parts;
  const Index places[] = {0, (order - kSample) / 2, order - kSample};
  for (const Index row : places) {
    for (const Index column : places) {
      if (setup_.lower && row < column) continue;
      MatrixProduct part = product_;
      part.m = part.n = kSample;
      part.a += row;
      part.b += column;
      part.c += row + column * part.ldc;
      if (row > column) part.form &= ~CLCHOL_LOWER;
      parts.push_back(part);
    }
  }
  return parts;
}

// The twin in double precision for both: in single it would err as much as the kernel.
template <class T>
double ProductExperiment<T>::max_error() {
  const std::vector<double> a = to_double(a_), b = to_double(b_);
  std::vector<double> c = to_double(c_);
  const std::vector<T> got = on_host(queue_, device_c_);
  std::vector<T> result;
  std::vector<double> twin;
  for (const MatrixProduct& part : samples()) {
    gpu::reference::gemm<double>(part, a, b, c);
    for (Index j = 0; j < part.n; ++j) {
      for (Index i = (part.form & CLCHOL_LOWER) != 0 ? j : 0; i < part.m; ++i) {
        const auto place = static_cast<std::size_t>(part.c + i + j * part.ldc);
        result.push_back(got[place]);
        twin.push_back(c[place]);
      }
    }
  }
  return max_relative_error(result, twin);
}

/// The case of a setup whose parameters the device decides.
template <class T, class Params>
Case product_case(const Setup& setup, const char* variant, const Params& params) {
  Case c{setup.lower ? "syrk" : "gemm", variant, precision_of<T>()};
  const std::string order = std::to_string(setup.shape.order);
  c.shape = "m=" + order + " n=" + order + " k=" + std::to_string(setup.shape.k);
  // (k + 1) roundings (gpu_kernels/gemm.hpp) of terms of one sign, but for C's own entry.
  c.tolerance = 4 * (setup.shape.k + 2) * eps<T>();
  c.prepare = [setup, params](DeviceSession& session) {
    Setup whole = setup;
    whole.params = params(session);
    return std::make_unique<ProductExperiment<T>>(session, whole);
  };
  return c;
}

template <class T>
Case ladder_case(const Setup& setup) {
  return product_case<T>(setup, name_of(setup.variant), [](const DeviceSession& session) {
    return gpu::gemm_params<T>(session.tuning(), "plain", limits_of(session));
  });
}

// ---- Tuning: data/tuning/ has rows for large products and for small ones.

constexpr Shape kSearchLarge[] = {{1024, 1024}, {4096, 256}};
constexpr Shape kSearchSmall[] = {{512, 64}};
constexpr Shape kSearchQuick[] = {{64, 32}};

gpu::TuningParams tiles(Index m, Index n, Index item_m, Index item_n) {
  return {{"tile_m", m}, {"tile_n", n}, {"item_m", item_m}, {"item_n", item_n}};
}

std::vector<Moves> gemm_moves(bool quick) {
  if (quick) return {{{{"buffers", 1}}, {{"buffers", 2}}}};
  return {{tiles(32, 32, 2, 2), tiles(32, 32, 4, 4), tiles(64, 32, 4, 4), tiles(64, 64, 4, 4),
           tiles(64, 64, 8, 4), tiles(128, 64, 8, 4), tiles(128, 64, 8, 8), tiles(128, 128, 8, 8)},
          {{{"tile_k", 4}}, {{"tile_k", 8}}, {{"tile_k", 16}}, {{"tile_k", 32}}},
          {{{"vector", 1}}, {{"vector", 2}}, {{"vector", 4}}},
          {{{"fragments", 1}}, {{"fragments", 2}}},
          {{{"buffers", 1}}, {{"buffers", 2}}},
          {{{"wave_m", 8}, {"wave_n", 4}},
           {{"wave_m", 4}, {"wave_n", 8}},
           {{"wave_m", 16}, {"wave_n", 2}}}};
}

template <class T>
Search gemm_search(const char* variant, std::span<const Shape> shapes, bool quick) {
  Search search{"gemm", variant, precision_of<T>()};
  for (const Shape& shape : shapes) search.sizes.push_back(shape.order);
  search.start = [variant](const DeviceSession& session) {
    return gpu::gemm_params<T>(session.tuning(), variant, limits_of(session)).to_params();
  };
  search.moves = gemm_moves(quick);
  search.fits = [](const DeviceSession& session, const gpu::TuningParams& params) {
    return fits(GemmParams::from(params), sizeof(T), limits_of(session));
  };
  search.cases = [shapes](const gpu::TuningParams& params) {
    std::vector<Case> cases;
    for (const Shape& shape : shapes) {
      const Setup setup{shape, false, GemmVariant::kAll, {}};
      cases.push_back(product_case<T>(
          setup, "all", [params](const DeviceSession&) { return GemmParams::from(params); }));
    }
    return cases;
  };
  return search;
}

template <class T>
void add_searches(bool quick, std::vector<Search>& searches) {
  const auto shapes = [quick](std::span<const Shape> usual) {
    return quick ? std::span<const Shape>(kSearchQuick) : usual;
  };
  searches.push_back(gemm_search<T>("plain", shapes(kSearchLarge), quick));
  searches.push_back(gemm_search<T>("plain_small", shapes(kSearchSmall), quick));
}

}  // namespace

std::vector<Case> product_cases(bool quick) {
  std::vector<Case> cases;
  const std::span<const Shape> shapes = quick ? std::span<const Shape>(kQuickShapes) : kShapes;
  for (const bool lower : {false, true}) {
    for (const GemmVariant variant : gpu::kGemmVariants) {
      for (const Shape& shape : shapes) {
        const Setup setup{shape, lower, variant, {}};
        cases.push_back(ladder_case<double>(setup));
        cases.push_back(ladder_case<float>(setup));
      }
    }
  }
  return cases;
}

std::vector<Search> all_searches(bool quick) {
  std::vector<Search> searches;
  add_searches<double>(quick, searches);
  add_searches<float>(quick, searches);
  return searches;
}

}  // namespace clchol::cli
