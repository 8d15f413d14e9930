#include "gpu_kernels/fronts/tensor_potrf.hpp"

#include <algorithm>
#include <string>

#include "gpu_kernels/dense/potrf.hpp"

namespace clchol::gpu {
namespace {

void check_params(const TensorPotrfParams& params) {
  if (!params.valid()) {
    throw InvalidArgument("tensor potrf: invalid blocks of " + std::to_string(params.block) +
                          " columns from order " + std::to_string(params.blocks_from) +
                          " on; multiples of 64, at least 0");
  }
}

// A(begin.., begin..end) := A - L(begin.., 0..begin) L(begin..end, 0..begin)'
MatrixProduct product_before(Index n, Offset ld, Index begin, Index end) {
  MatrixProduct p{};
  p.a = p.b = begin;
  p.c = begin + begin * ld;
  p.lda = p.ldb = p.ldc = ld;
  p.m = n - begin;
  p.n = end - begin;
  p.k = begin;
  p.form = CLCHOL_SUBTRACT | CLCHOL_LOWER | (end == n ? CLCHOL_SAME : 0);
  p.front = kNone;
  return p;
}

}  // namespace

bool TensorPotrfParams::valid() const {
  return block >= kBatchBlock && block % kBatchBlock == 0 && blocks_from >= 0;
}

TensorPotrfParams tensor_potrf_params(const Tuning& tuning, const WorkGroupLimits& limits) {
  TensorPotrfParams params;
  const Index n = params.blocks_from;
  params.products =
      tensor_params(tuning, product_before(n, n, params.block, 2 * params.block), limits);
  return params;
}

std::vector<WideBlock> wide_blocks(Index n, Offset ld, const TensorPotrfParams& params) {
  if (n < 1 || ld < n || ld % 2 != 0) {
    throw InvalidArgument("tensor potrf: order " + std::to_string(n) + ", leading dimension " +
                          std::to_string(ld) + "; at least 1, and even and no less");
  }
  check_params(params);
  const Index width = n < params.blocks_from ? n : params.block;
  std::vector<WideBlock> blocks;
  for (Index begin = 0; begin < n; begin += std::min(width, n - begin)) {
    const Index columns = std::min(width, n - begin), end = begin + columns;
    WideBlock& block = blocks.emplace_back();
    block.begin = begin;
    block.columns.panel = begin + begin * ld;
    block.columns.ldp = ld;
    block.columns.nrow = n - begin;
    block.columns.ncol = columns;
    block.columns.filled = block.columns.panel_only = 1;
    if (begin > 0) block.before = product_before(n, ld, begin, end);
  }
  return blocks;
}

TensorPotrf::TensorPotrf(ProgramCache& programs, const TensorPotrfParams& params, BatchOrder order)
    : params_(params),
      columns_(programs, params.columns, order),
      products_(programs, params.products),
      compute_units_(static_cast<Index>(programs.context().device().description.compute_units)) {
  check_params(params);
}

TensorPotrfPlan TensorPotrf::upload(Queue& queue, Index n, Offset ld) const {
  TensorPotrfPlan plan;
  for (WideBlock& block : wide_blocks(n, ld, params_)) {
    FrontBatchInput input;
    input.fronts = {&block.columns, 1};
    TensorPotrfPlan::Block& made = plan.blocks.emplace_back();
    made.begin = block.begin;
    made.columns = columns_.upload(queue, input, 1);
    if (block.before.m == 0) continue;
    ProductList list(products_.tile());
    list.append(block.before);
    made.before = {queue, list.products(), list.tiles()};
    made.slices = params_.products.slices(list.num_tiles(), block.before.k, compute_units_);
  }
  plan.size = (n - 1) * ld + n + n % 2;  // Kernels read pairs of rows.
  plan.status = {queue.context(), static_cast<Offset>(plan.blocks.size())};
  return plan;
}

void TensorPotrf::factor(Queue& queue, const TensorPotrfPlan& plan, DeviceView<double> a) {
  const DeviceView<double> matrix = a.part(0, plan.size);
  if (a.offset % 2 != 0) {
    throw InvalidArgument("tensor potrf: a matrix at " + std::to_string(a.offset) +
                          ", an even position");
  }
  reset_status<double>(queue, plan.status);
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    const TensorPotrfPlan::Block& block = plan.blocks[b];
    if (block.begin > 0) {
      products_.run(queue, block.before, {matrix, matrix, matrix, {}}, block.slices);
    }
    columns_.factor(queue, block.columns,
                    {{}, {}, matrix, {}, plan.status.part(static_cast<Offset>(b), 1)});
  }
}

BatchStatus TensorPotrf::failure(Queue& queue, const TensorPotrfPlan& plan) {
  std::vector<BatchStatus> status(plan.blocks.size());
  download<BatchStatus>(queue, plan.status, status);
  for (std::size_t b = 0; b < status.size(); ++b) {
    if (status[b].column == kNone) continue;
    status[b].column += plan.blocks[b].begin;
    return status[b];
  }
  return {kNone, 0, 0};
}

}  // namespace clchol::gpu
