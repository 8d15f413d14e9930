#include "gpu_kernels/dense/gemm.hpp"

#include <algorithm>
#include <string>

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

// Tiles of 16 x 16 entries or fewer, in which each work-item computes one entry.  A smaller
// work-group of the given parameters bounds the work-group here too.
GemmParams one_entry_each(const GemmParams& params) {
  GemmParams result;
  result.tile_m = std::min(params.items_m(), 16);
  result.tile_n = std::min(params.items_n(), 16);
  result.tile_k = std::min(params.tile_k, 16);
  result.item_m = result.item_n = 1;
  result.warp_m = result.tile_m;
  result.warp_n = 1;
  return result;
}

std::string build_options(GemmVariant variant, const GemmParams& params) {
  return params.build_options() + (variant == GemmVariant::kNaive ? " -DNAIVE=1" : "");
}

void require_entries(const char* operand, Offset has, Offset needs) {
  if (has < needs) {
    throw InvalidArgument(std::string("product: ") + operand + " has " + std::to_string(has) +
                          " entries, at least " + std::to_string(needs) + " are used");
  }
}

}  // namespace

const char* name_of(GemmVariant variant) {
  switch (variant) {
    case GemmVariant::kNaive:
      return "naive";
    case GemmVariant::kLocal:
      return "local";
    case GemmVariant::kRegister:
      return "register";
    case GemmVariant::kVector:
      return "vector";
    case GemmVariant::kPrefetch:
      return "prefetch";
    case GemmVariant::kDoubleBuffer:
      return "double_buffer";
    case GemmVariant::kAll:
      return "all";
  }
  return "";
}

GemmParams variant_params(GemmVariant variant, const GemmParams& params, std::size_t value_bytes) {
  if (variant == GemmVariant::kAll) return params;
  const bool one_entry = variant == GemmVariant::kNaive || variant == GemmVariant::kLocal;
  GemmParams result = one_entry ? one_entry_each(params) : params;
  result.vector = result.fragments = result.buffers = 1;
  const Index wide = value_bytes == 8 ? 2 : 4;
  if (variant == GemmVariant::kVector && result.item_m % wide == 0 && result.item_n % wide == 0) {
    result.vector = wide;
  }
  if (variant == GemmVariant::kPrefetch) result.fragments = 2;
  if (variant == GemmVariant::kDoubleBuffer) result.buffers = 2;
  return result;
}

template <class T>
Gemm<T>::Gemm(ProgramCache& programs, const GemmParams& params, GemmVariant variant)
    : params_(variant_params(variant, params, sizeof(T))) {
  if (!params_.valid()) throw InvalidArgument("gemm: invalid " + params_.build_options());
  const std::string options = real_options<T>() + " " + build_options(variant, params_);
  gemm_ = programs.program("gemm.cl", options).kernel("gemm");
}

template <class T>
void Gemm<T>::run(Queue& queue, const ProductBatch& batch, const TileRange& tiles,
                  const ProductOperands<T>& operands) {
  launch(queue, gemm_, work_groups_of(params_.work_group_size(), tiles.count()), batch.tiles(tiles),
         batch.items(), operands.a, operands.b, operands.c, operands.status);
}

template <class T>
void check_extent(const ProductExtent& extent, const ProductOperands<T>& operands) {
  require_entries("A", operands.a.size, extent.a);
  require_entries("B", operands.b.size, extent.b);
  require_entries("C", operands.c.size, extent.c);
}

#define CLCHOL_INSTANTIATE(T) \
  template class Gemm<T>;     \
  template void check_extent<T>(const ProductExtent&, const ProductOperands<T>&)
CLCHOL_INSTANTIATE(double);
CLCHOL_INSTANTIATE(float);
#undef CLCHOL_INSTANTIATE

}  // namespace clchol::gpu
