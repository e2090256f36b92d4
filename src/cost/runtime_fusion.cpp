#include "cost/runtime_fusion.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "cost/flops.h"

namespace isomer::cost {
namespace {

/// What a convolution before the operator takes of it.
enum class Joins : uint8_t {
  kNot,
  kLast,          ///< an activation
  kGoesOn,        ///< more may follow
  kWeightGoesOn,  ///< the same if the other operand is a weight
};
/// What a matrix product before the operator takes of it, if the other operand is a weight.
enum class WithProduct : uint8_t { kNot, kScale, kQuotient, kBias };
/// Of the runtime's own layout for convolutions.
enum class InBlocks : uint8_t {
  kNot,
  kIfOperands,  ///< its result is in that layout if its operands are
  kTakes,       ///< it reads the layout; its result has none
};

struct RuntimeRow {
  std::string_view op;
  Stage starts = Stage::kOther;
  Joins joins = Joins::kNot;
  WithProduct with_product = WithProduct::kNot;
  InBlocks blocks = InBlocks::kNot;
  bool takes_sum = false;
};

/// All that is known of what runtimes compute together. Pointwise operators go along with any layout,
/// windowed ones ask for the blocks; the others are listed.
constexpr RuntimeRow kRows[] = {
    {.op = "conv", .starts = Stage::kConvolution},
    {.op = "taso.conv2d", .starts = Stage::kConvolution},
    {.op = "matmul", .starts = Stage::kProduct},
    {.op = "taso.matmul", .starts = Stage::kProduct},
    {.op = "add", .starts = Stage::kSum, .joins = Joins::kGoesOn, .with_product = WithProduct::kBias},
    {.op = "sub", .joins = Joins::kWeightGoesOn},
    {.op = "mul", .joins = Joins::kWeightGoesOn, .with_product = WithProduct::kScale},
    {.op = "div", .with_product = WithProduct::kQuotient},
    {.op = "batch_norm", .joins = Joins::kGoesOn, .blocks = InBlocks::kIfOperands},
    {.op = "relu", .joins = Joins::kLast},
    {.op = "clip", .joins = Joins::kLast},
    {.op = "leaky_relu", .joins = Joins::kLast},
    {.op = "hard_sigmoid", .joins = Joins::kLast},
    {.op = "sigmoid", .joins = Joins::kLast},
    {.op = "tanh", .joins = Joins::kLast},
    {.op = "concat", .blocks = InBlocks::kIfOperands},
    {.op = "taso.concat", .blocks = InBlocks::kIfOperands},
    {.op = "global_avg_pool", .blocks = InBlocks::kTakes},
    {.op = "global_max_pool", .blocks = InBlocks::kTakes},
    {.op = "layer_norm", .takes_sum = true},
};

const RuntimeRow& row_of(const ir::OpDef& op) {
  static const std::unordered_map<std::string_view, const RuntimeRow*> rows = [] {
    std::unordered_map<std::string_view, const RuntimeRow*> out;
    for (const RuntimeRow& row : kRows) out.emplace(row.op, &row);
    return out;
  }();
  static constexpr RuntimeRow kNothing = {};
  const auto found = rows.find(op.name);
  return found == rows.end() ? kNothing : *found->second;
}

/// Of the operand as it is before any broadcast.
const ir::Type& narrow_type(const NodeCostQuery& query, size_t operand) {
  const ir::TypeId narrow = query.operands[operand].narrow;
  return query.op.ctx.get(narrow.valid() ? narrow : query.op.inputs[operand]);
}

int64_t elements(const NodeCostQuery& query, size_t operand) {
  const ir::Type& type = narrow_type(query, operand);
  return type.is_static_tensor() ? ir::element_count(type.shape) : -1;
}

/// Whether the other operand of a sum or product is a number for each channel, or, of a product, one without
/// dimensions. One of shape [1] is not taken in, nor what lies along another dimension and is as long.
bool by_channel(const NodeCostQuery& query, size_t other) {
  constexpr size_t kChannels = 1;
  const ir::Type& type = narrow_type(query, other);
  const ir::Type& out = query.op.out_type();
  if (!type.is_static_tensor() || !out.is_static_tensor() || out.shape.size() < 2) return true;
  if (type.shape.empty()) return row_of(query.op.op).with_product == WithProduct::kScale;
  const size_t rank = out.shape.size(), missing = rank - std::min(rank, type.shape.size());
  if (type.shape.size() < 2 || missing > kChannels) return false;
  return type.shape[kChannels - missing].size() == out.shape[kChannels].size() &&
         ir::element_count(type.shape) == out.shape[kChannels].size();
}

bool within_convolution(const NodeCostQuery& query, size_t producer) {
  const bool two = query.operands.size() == 2, by_weight = two && query.operands[1 - producer].weight;
  switch (row_of(query.op.op).joins) {
    case Joins::kNot: return false;
    case Joins::kLast: return true;
    case Joins::kGoesOn: return !by_weight || by_channel(query, 1 - producer);
    case Joins::kWeightGoesOn: return by_weight && by_channel(query, 1 - producer);
  }
  return false;
}

bool within_product(const NodeCostQuery& query, size_t producer) {
  const WithProduct how = row_of(query.op.op).with_product;
  if (how == WithProduct::kNot || query.operands.size() != 2 || !query.operands[1 - producer].weight)
    return false;
  const int64_t count = elements(query, 1 - producer);
  if (how != WithProduct::kBias) return count == 1 && (how == WithProduct::kScale || producer == 0);
  const ir::Type& type = query.op.out_type();
  return type.is_static_tensor() && !type.shape.empty() && count == type.shape.back().size();
}

}  // namespace

Stage stage_of(const ir::OpDef& op, std::span<const OperandFacts> operands) {
  const RuntimeRow& row = row_of(op);
  if (row.starts == Stage::kConvolution || row.starts == Stage::kProduct) return row.starts;
  const auto is_convolution = [](const OperandFacts& o) { return o.stage == Stage::kConvolution; };
  const auto is_weight = [](const OperandFacts& o) { return o.weight; };
  const bool goes_on = row.joins == Joins::kGoesOn ||
                       (row.joins == Joins::kWeightGoesOn && std::ranges::any_of(operands, is_weight));
  if (goes_on && std::ranges::any_of(operands, is_convolution)) return Stage::kConvolution;
  const auto computed = [](const OperandFacts& o) { return !o.weight && !o.narrow.valid(); };
  return std::ranges::all_of(operands, computed) ? row.starts : Stage::kOther;
}

bool is_blocked(const ir::OpDef& op, std::span<const OperandFacts> operands) {
  if (op.windowed) return true;
  bool some = false;
  for (const OperandFacts& o : operands) {
    if (!o.weight && !o.blocked) return false;
    some = some || o.blocked;
  }
  return some && (op.kind == ir::MeaningKind::kPointwise || row_of(op).blocks == InBlocks::kIfOperands);
}

double converted_bytes(const NodeCostQuery& query) {
  constexpr int64_t kBlock = 8;
  const bool wants_blocks = query.op.op.windowed;
  const bool takes_both =
      is_blocked(query.op.op, query.operands) || row_of(query.op.op).blocks == InBlocks::kTakes;
  double bytes = 0;
  for (size_t i = 0; i < query.operands.size(); ++i) {
    const ir::Type& type = query.op.type(i);
    if (query.operands[i].weight || !type.is_static_tensor() || type.shape.size() != 4 ||
        type.dtype != ir::DType::kF32 || type.shape[1].size() % kBlock != 0)
      continue;
    const bool converted =
        wants_blocks ? i == 0 && !query.operands[i].blocked : query.operands[i].blocked && !takes_both;
    if (converted) bytes += bytes_of(query.op.ctx, query.op.inputs[i]);
  }
  return bytes;
}

bool takes_sum(const NodeCostQuery& query) {
  if (!row_of(query.op.op).takes_sum || query.operands.empty()) return false;
  const ir::Type& type = query.op.type(0);
  return query.operands[0].stage == Stage::kSum && type.is_ranked_tensor() && type.shape.size() == 3;
}

bool may_take_sum(const ir::OpDef& op) { return row_of(op).takes_sum; }

bool is_absorbed(const NodeCostQuery& query) {
  for (size_t i = 0; i < query.operands.size(); ++i) {
    if (query.operands[i].narrow.valid()) continue;  // a product that is spread out comes in by itself
    if (query.operands[i].stage == Stage::kConvolution && within_convolution(query, i)) return true;
    if (query.operands[i].stage == Stage::kProduct && within_product(query, i)) return true;
  }
  return false;
}

}  // namespace isomer::cost
