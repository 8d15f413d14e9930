#include "gpu_kernels/tensor_potrf.hpp"

#include <algorithm>
#include <string>

#include "gpu_kernels/potrf.hpp"

namespace clchol::gpu {
namespace {

void check(const TensorPotrfParams& params) {
  if (!params.valid()) {
    throw InvalidArgument("tensor potrf: invalid blocks of " + std::to_string(params.block) +
                          " columns from order " + std::to_string(params.blocks_from) +
                          " on; multiples of 64, at least 0");
  }
}

// What columns [end - width, end), block b, have for those behind them.
MatrixProduct product_after(Index n, Offset ld, Index end, Index width, Index b) {
  const Offset from = end + (end - width) * ld;
  MatrixProduct p{};
  p.a = p.b = from;
  p.c = end + end * ld;
  p.lda = p.ldb = p.ldc = ld;
  p.m = p.n = n - end;
  p.k = width;
  p.form = CLCHOL_SUBTRACT | CLCHOL_LOWER | CLCHOL_SAME;
  p.front = b;
  p.pivots = width;
  return p;
}

}  // namespace

bool TensorPotrfParams::valid() const {
  return block >= kBatchBlock && block % kBatchBlock == 0 && blocks_from >= 0;
}

TensorPotrfParams tensor_potrf_params(const Tuning& tuning, const GroupLimits& limits) {
  TensorPotrfParams params;
  const Index n = params.blocks_from;
  params.products =
      tensor_params(tuning, product_after(n, n, params.block, params.block, 0), limits);
  return params;
}

std::vector<WideBlock> wide_blocks(Index n, Offset ld, const TensorPotrfParams& params) {
  if (n < 1 || ld < n || ld % 2 != 0) {
    throw InvalidArgument("tensor potrf: order " + std::to_string(n) + ", leading dimension " +
                          std::to_string(ld) + "; at least 1, and even and no less");
  }
  check(params);
  const Index width = n < params.blocks_from ? n : params.block;
  std::vector<WideBlock> blocks;
  for (Index begin = 0; begin < n; begin += std::min(width, n - begin)) {
    const auto b = static_cast<Index>(blocks.size());
    const Index columns = std::min(width, n - begin), end = begin + columns;
    WideBlock& block = blocks.emplace_back();
    block.begin = begin;
    block.columns.panel = begin + begin * ld;
    block.columns.ldp = ld;
    block.columns.nrow = n - begin;
    block.columns.ncol = columns;
    block.columns.filled = block.columns.panel_only = 1;
    if (end < n) block.after = product_after(n, ld, end, columns, b);
  }
  return blocks;
}

TensorPotrf::TensorPotrf(ProgramCache& programs, const TensorPotrfParams& params, BatchOrder order)
    : params_(params),
      columns_(programs, params.columns, order),
      products_(programs, params.products),
      compute_units_(static_cast<Index>(programs.context().device().description.compute_units)) {
  check(params);
}

TensorPotrfPlan TensorPotrf::upload(Queue& queue, Index n, Offset ld) const {
  TensorPotrfPlan plan;
  for (WideBlock& block : wide_blocks(n, ld, params_)) {
    FrontBatchInput input;
    input.fronts = {&block.columns, 1};
    TensorPotrfPlan::Block& made = plan.blocks.emplace_back();
    made.begin = block.begin;
    made.columns = columns_.upload(queue, input, 1);
    if (block.after.m == 0) continue;
    ProductList list(products_.tile());
    list.append(block.after);
    made.after = {queue, list.products(), list.tiles()};
    made.slices = params_.products.slices(list.num_tiles(), block.after.k, compute_units_);
  }
  plan.size = (n - 1) * ld + n + n % 2;  // Rows come in pairs.
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
    columns_.factor(queue, block.columns,
                    {{}, {}, matrix, {}, plan.status.part(static_cast<Offset>(b), 1)});
    if (block.after.all().count() == 0) continue;
    products_.run(queue, block.after, {matrix, matrix, matrix, plan.status.view()}, block.slices);
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
