// Measures products C := C - A * B': gemm, and syrk, the lower triangle of C with B = A.  Lists the
// searches of `clchol tune` for their parameters.
#include <algorithm>
#include <iterator>

#include "gpu_kernels/dense/tensor_gemm.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/product_experiment.hpp"
#include "solver/cli/kernel_bench/searches.hpp"
#include "solver/cli/kernel_bench/values.hpp"

namespace clchol::cli {
namespace {

using gpu::GemmParams;
using gpu::GemmVariant;
using Shape = ProductShape;
using Setup = ProductSetup;

constexpr Shape kQuickShapes[] = {{97, 33}};
constexpr Shape kShapes[] = {{512, 512}, {2048, 2048}, {4096, 128}, {4096, 4096}};
// Orders of C, and columns of A and B, of the further products that the library's goals name.
constexpr Index kGoalSquares[] = {8192, 16384};
constexpr Index kGoalOrders[] = {1000, 2000, 4000, 10000, 20000, 40000};
constexpr Index kGoalDepths[] = {64, 128, 256, 512};

template <class T>
class GemmExperiment : public ProductExperiment<T> {
 public:
  GemmExperiment(DeviceSession& session, const Setup& setup, GemmVariant variant,
                 const GemmParams& params)
      : ProductExperiment<T>(session, setup),
        gemm_(session.programs(), params, variant),
        batch_(this->batch_of(gemm_.tile())) {}

  void run() override { gemm_.run(this->queue(), batch_, this->operands()); }
  gpu::TuningParams params() const override { return gemm_.params().to_params(); }

 private:
  gpu::Gemm<T> gemm_;
  gpu::ProductBatch batch_;
};

class TensorExperiment : public ProductExperiment<double> {
 public:
  TensorExperiment(DeviceSession& session, const Setup& setup, const gpu::TensorParams& params)
      : ProductExperiment(session, setup),
        gemm_(session.programs(), params),
        batch_(batch_of(gemm_.tile())),
        slices_(params.slices(batch_.all().count(), setup.shape.k,
                              static_cast<Index>(session.device().description.compute_units))) {}

  void run() override { gemm_.run(queue(), batch_, operands(), slices_); }
  gpu::TuningParams params() const override {
    gpu::TuningParams params = gemm_.params().to_params();
    params["slices"] = slices_.slices;
    return params;
  }

 private:
  gpu::TensorGemm gemm_;
  gpu::ProductBatch batch_;
  gpu::TileSlices slices_;
};

/// Throws Unsupported when the device's memory cannot hold A, B, C and a copy of C.
template <class T>
void require_room(const DeviceSession& session, const Setup& setup) {
  const std::uint64_t c_bytes =
      static_cast<std::uint64_t>(setup.entries(setup.shape.order)) * sizeof(T);
  const std::uint64_t a_bytes =
      static_cast<std::uint64_t>(setup.entries(setup.shape.k)) * sizeof(T);
  const gpu::DeviceDescription& device = session.device().description;
  if (2 * (a_bytes + c_bytes) > device.global_memory_bytes / 10 * 9 ||
      std::max(a_bytes, c_bytes) > device.max_allocation_bytes) {
    throw Unsupported("needs " + std::to_string(2 * (a_bytes + c_bytes)) + " bytes");
  }
}

/// Makes a case without its `prepare`.
template <class T>
Case product_case(const Setup& setup, const char* variant) {
  Case c{setup.lower ? "syrk" : "gemm", variant, precision_of<T>()};
  const std::string order = std::to_string(setup.shape.order);
  c.shape = "m=" + order + " n=" + order + " k=" + std::to_string(setup.shape.k);
  // An entry has (k + 1) roundings (gpu_kernels/dense/gemm.hpp).  All its terms but C's have one
  // sign.
  c.tolerance = 4 * (setup.shape.k + 2) * eps<T>();
  return c;
}

/// Makes a case of a variant of gemm.
/// @param params  function that returns the GemmParams for a DeviceSession.
template <class T, class Params>
Case gemm_case(const Setup& setup, GemmVariant variant, const Params& params) {
  Case c = product_case<T>(setup, name_of(variant));
  c.prepare = [setup, variant, params](DeviceSession& session) {
    require_room<T>(session, setup);
    return std::make_unique<GemmExperiment<T>>(session, setup, variant, params(session));
  };
  return c;
}

/// Makes a case with the parameters that are tuned for the device.
template <class T>
Case ladder_case(const Setup& setup, GemmVariant variant) {
  return gemm_case<T>(setup, variant, [](const DeviceSession& session) {
    return gpu::gemm_params<T>(session.tuning(), "plain", session.work_group_limits());
  });
}

/// Makes a case on tensor cores.
/// @param params  function that returns the TensorParams for a DeviceSession.
template <class Params>
Case tensor_case(const Setup& setup, const Params& params) {
  Case c = product_case<double>(setup, "tensor");
  c.peak = PeakKind::kTensor;
  c.prepare = [setup, params](DeviceSession& session) {
    require(gpu::tensor_cores(session.capabilities()));
    require_room<double>(session, setup);
    return std::make_unique<TensorExperiment>(session, setup, params(session));
  };
  return c;
}

gpu::TensorParams tuned(const Setup& setup, const DeviceSession& session) {
  return gpu::tensor_params(session.tuning(), product_of(setup), session.work_group_limits());
}

Case tensor_case(const Setup& setup) {
  return tensor_case(setup,
                     [setup](const DeviceSession& session) { return tuned(setup, session); });
}

void add_ladder(const Setup& setup, std::vector<Case>& cases) {
  for (const GemmVariant variant : gpu::kGemmVariants) {
    cases.push_back(ladder_case<double>(setup, variant));
    cases.push_back(ladder_case<float>(setup, variant));
  }
  cases.push_back(tensor_case(setup));
}

// Adds cases of further shapes, with the fastest variants alone and for GPUs alone, because a CPU
// would take hours.
void add_goal(const Setup& setup, std::vector<Case>& cases) {
  for (Case c : {ladder_case<double>(setup, GemmVariant::kAll), tensor_case(setup)}) {
    c.on_request = true;
    c.prepare = [prepare = std::move(c.prepare)](DeviceSession& session) {
      if (session.device().description.kind != gpu::DeviceKind::kGpu) {
        throw Unsupported("measured on GPUs alone");
      }
      return prepare(session);
    };
    cases.push_back(std::move(c));
  }
}

// ---- Searches for parameters

// Plain OpenCL has a row for large products and a row for small ones.
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
          {{{"warp_m", 8}, {"warp_n", 4}},
           {{"warp_m", 4}, {"warp_n", 8}},
           {{"warp_m", 16}, {"warp_n", 2}}}};
}

template <class T>
Search gemm_search(const char* variant, std::span<const Shape> shapes, bool quick) {
  Search search{"gemm", variant, precision_of<T>()};
  for (const Shape& shape : shapes) search.sizes.push_back(shape.order);
  search.start = [variant](const DeviceSession& session) {
    return gpu::gemm_params<T>(session.tuning(), variant, session.work_group_limits()).to_params();
  };
  search.moves = gemm_moves(quick);
  search.fits = [](const DeviceSession& session, const gpu::TuningParams& params) {
    return fits(GemmParams::from(params), sizeof(T), session.work_group_limits());
  };
  search.cases = [shapes](const gpu::TuningParams& params) {
    std::vector<Case> cases;
    for (const Shape& shape : shapes) {
      cases.push_back(
          gemm_case<T>({shape, false}, GemmVariant::kAll,
                       [params](const DeviceSession&) { return GemmParams::from(params); }));
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

// A class of products with a row of its own on tensor cores: C has least_order or more rows, and A
// has least_k or more columns.
struct TensorClass {
  Index least_order, least_k;
  std::vector<Shape> measured;  // Products of the class that are measured.
};

// Returns the classes in the order of their rows: a product takes the first row that is for it.
std::vector<TensorClass> tensor_classes(bool quick) {
  if (quick) return {{0, 0, {{64, 32}}}};
  return {{2048, 1024, {{2048, 2048}, {8192, 2048}}},
          {1000, 1024, {{1500, 2048}}},
          {3000, 192, {{4000, 256}, {10000, 512}}},
          {3000, 0, {{4000, 64}, {10000, 128}}},
          {1500, 400, {{2000, 512}}},
          {1500, 0, {{2000, 128}}},
          {700, 400, {{1000, 512}}},
          {700, 0, {{1000, 128}}},
          {0, 0, {{500, 128}}}};
}

gpu::TuningParams tensor_tiles(Index m, Index n, Index warps_m, Index warps_n, Index registers,
                               Index resident) {
  return {{"tile_m", m},
          {"tile_n", n},
          {"warps_m", warps_m},
          {"warps_n", warps_n},
          {"registers", registers},
          {"resident", resident}};
}

Moves moves_of(const char* param, std::initializer_list<Index> values) {
  Moves moves;
  for (const Index value : values) moves.push_back({{param, value}});
  return moves;
}

// K-tiles come first, because most tiles are valid with only two of them.
std::vector<Moves> tensor_moves(bool quick) {
  if (quick) return {moves_of("stages", {3, 4})};
  return {{{{"tile_k", 8}, {"mma_k", 8}}, {{"tile_k", 16}, {"mma_k", 16}}},
          {tensor_tiles(128, 128, 2, 4, 0, 1), tensor_tiles(128, 64, 2, 2, 0, 2),
           tensor_tiles(64, 128, 1, 4, 0, 2), tensor_tiles(64, 64, 2, 2, 0, 3),
           tensor_tiles(64, 64, 2, 2, 128, 4), tensor_tiles(64, 64, 1, 2, 0, 4),
           tensor_tiles(32, 64, 1, 2, 0, 6), tensor_tiles(32, 32, 1, 1, 0, 12)},
          {{{"tile_k", 8}, {"mma_k", 8}},
           {{"tile_k", 16}, {"mma_k", 8}},
           {{"tile_k", 16}, {"mma_k", 16}}},
          moves_of("stages", {3, 4, 5}),
          moves_of("tile_columns", {4, 8, 16}),
          moves_of("streamed_c", {0, 1}),
          moves_of("cached_copies", {0, 1}),
          moves_of("slice_k", {0, 32, 64, 128})};
}

Search tensor_search(bool lower, const TensorClass& of, bool quick) {
  Search search{"gemm", lower ? "tensor_lower" : "tensor", precision_of<double>()};
  for (const Shape& shape : of.measured) search.sizes.push_back(shape.order);
  search.applies = [](const DeviceSession& session) {
    return gpu::tensor_cores(session.capabilities()).present;
  };
  search.start = [lower, first = of.measured.front()](const DeviceSession& session) {
    return tuned({first, lower}, session).to_params();
  };
  search.moves = tensor_moves(quick);
  search.fits = [](const DeviceSession& session, const gpu::TuningParams& params) {
    return fits(gpu::TensorParams::from(params), session.work_group_limits());
  };
  search.cases = [lower, of](const gpu::TuningParams& params) {
    std::vector<Case> cases;
    cases.reserve(of.measured.size());
    for (const Shape& shape : of.measured) {
      cases.push_back(tensor_case({shape, lower}, [params](const DeviceSession&) {
        return gpu::TensorParams::from(params);
      }));
    }
    return cases;
  };
  search.row = [lower, of](gpu::TuningParams params) {
    const gpu::TensorParams tensor = gpu::TensorParams::from(params);
    const Setup least{{of.least_order, of.least_k}, lower};
    params["least_k"] = of.least_k;
    params["least_tiles"] =
        static_cast<Index>(num_tiles(product_of(least), {tensor.tile_m, tensor.tile_n}));
    return params;
  };
  return search;
}

void add_tensor_searches(bool quick, std::vector<Search>& searches) {
  const std::vector<TensorClass> classes = tensor_classes(quick);
  for (const bool lower : {false, true}) {
    std::transform(classes.begin(), classes.end(), std::back_inserter(searches),
                   [&](const TensorClass& of) { return tensor_search(lower, of, quick); });
  }
}

}  // namespace

std::vector<Case> product_cases(bool quick) {
  std::vector<Case> cases;
  const std::span<const Shape> shapes = quick ? std::span<const Shape>(kQuickShapes) : kShapes;
  for (const bool lower : {false, true}) {
    for (const Shape& shape : shapes) add_ladder({shape, lower}, cases);
    if (quick) continue;
    for (const Index order : kGoalSquares) add_goal({{order, order}, lower}, cases);
    for (const Index order : kGoalOrders) {
      for (const Index k : kGoalDepths) add_goal({{order, k}, lower}, cases);
    }
  }
  return cases;
}

std::vector<Search> all_searches(bool quick) {
  std::vector<Search> searches;
  add_searches<double>(quick, searches);
  add_searches<float>(quick, searches);
  add_tensor_searches(quick, searches);
  return searches;
}

}  // namespace clchol::cli
