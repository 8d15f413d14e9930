#include "gpu_kernels/dense/tensor_gemm.hpp"

#include <algorithm>

namespace clchol::gpu {
namespace {

std::string build_options(const TensorParams& params) {
  std::string options = params.build_options() + " -cl-std=CL3.0";  // `asm` needs OpenCL C 2.0.
  if (params.registers > 0) {
    options += " -cl-nv-maxrregcount=" + std::to_string(params.registers);
  }
  return options;
}

Offset even(Offset size) { return size + size % 2; }

}  // namespace

const Capability& tensor_cores(const Capabilities& capabilities) {
  return capabilities.async_copy.present ? capabilities.mma_m16n8k16 : capabilities.async_copy;
}

std::string tensor_obstacle(const MatrixProduct& product) {
  const std::pair<const char*, Offset> numbers[] = {{"A's position", product.a},
                                                    {"lda", product.lda},
                                                    {"B's position", product.b},
                                                    {"ldb", product.ldb}};
  for (const auto& [name, number] : numbers) {
    if (number % 2 != 0) return std::string(name) + " is odd: " + std::to_string(number);
  }
  return {};
}

TensorParams tensor_params(const Tuning& tuning, const MatrixProduct& product,
                           const WorkGroupLimits& limits) {
  const char* const variant = (product.form & CLCHOL_LOWER) != 0 ? "tensor_lower" : "tensor";
  return TensorParams::from(tuning.find("gemm", variant, "double", [&](const TuningParams& row) {
    const TensorParams params = TensorParams::from(row);
    return fits(params, limits) && product.k >= params.least_k &&
           num_tiles(product, {params.tile_m, params.tile_n}) >= params.least_tiles;
  }));
}

ProductExtent tensor_extent_of(const std::vector<MatrixProduct>& products) {
  const ProductExtent exact = extent_of(products);
  return {even(exact.a), even(exact.b), exact.c};
}

TensorGemm::TensorGemm(ProgramCache& programs, const TensorParams& params) : params_(params) {
  if (!params_.valid()) throw InvalidArgument("tensor gemm: invalid " + params_.build_options());
  const std::string options = build_options(params_);
  gemm_ = programs.program("tensor_gemm.cl", options).kernel("tensor_gemm");
}

void TensorGemm::run(Queue& queue, const ProductBatch& batch, const TileRange& tiles,
                     const ProductOperands<double>& operands, TileSlices slices) {
  const Offset whole = slices.slices == 1 ? tiles.count() : slices.whole;
  const Offset sliced = tiles.count() - whole;
  if (slices.slices < 1 || whole < 0 || sliced < 0) {
    throw InvalidArgument("tensor gemm: " + std::to_string(slices.slices) +
                          " slices, at least 1; " + std::to_string(whole) + " whole tiles of " +
                          std::to_string(tiles.count()));
  }
  if (sliced > 0) reserve(queue, sliced, slices.slices);
  launch(queue, gemm_, work_groups_of(params_.work_group_size(), whole + sliced * slices.slices),
         batch.tiles(tiles), batch.items(), operands.a, operands.b, operands.c, operands.status,
         static_cast<Index>(whole), slices.slices, partials_, arrivals_);
}

void TensorGemm::reserve(Queue& queue, Offset sliced_tiles, Index slices) {
  const Offset values = sliced_tiles * slices * params_.tile_m * params_.tile_n;
  if (partials_.size() < values) partials_ = DeviceBuffer<double>(queue.context(), values);
  if (arrivals_.size() < sliced_tiles) {
    arrivals_ = DeviceBuffer<Index>(queue.context(), sliced_tiles);
    fill(queue, arrivals_.view(), Index{0});
  }
}

}  // namespace clchol::gpu
