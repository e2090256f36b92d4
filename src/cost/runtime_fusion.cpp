#include "cost/runtime_fusion.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cost/flops.h"

namespace isomer::cost {
namespace {

bool is_activation(std::string_view op) {
  static constexpr std::array<std::string_view, 6> kActivations = {"relu",         "clip",    "leaky_relu",
                                                                   "hard_sigmoid", "sigmoid", "tanh"};
  return std::ranges::find(kActivations, op) != kActivations.end();
}

/// Elements of the operand as it is before any broadcast.
int64_t elements(const NodeCostQuery& query, size_t operand) {
  const ir::TypeId narrow = query.operands[operand].narrow;
  const ir::Type& type = query.op.ctx.get(narrow.valid() ? narrow : query.op.inputs[operand]);
  return type.is_static_tensor() ? ir::element_count(type.shape) : -1;
}

bool within_convolution(const NodeCostQuery& query, size_t producer) {
  const std::string& op = query.op.op.name;
  if (is_activation(op) || op == "batch_norm" || op == "add") return true;
  return (op == "mul" || op == "sub") && query.operands.size() == 2 && query.operands[1 - producer].weight;
}

bool within_product(const NodeCostQuery& query, size_t producer) {
  const std::string& op = query.op.op.name;
  if (query.operands.size() != 2 || !query.operands[1 - producer].weight) return false;
  const int64_t count = elements(query, 1 - producer);
  if (op == "mul" || (op == "div" && producer == 0)) return count == 1;
  if (op != "add") return false;
  const ir::Type& type = query.op.out_type();
  return type.is_static_tensor() && !type.shape.empty() && count == type.shape.back().size();
}

}  // namespace

double converted_bytes(const NodeCostQuery& query) {
  constexpr int64_t kBlock = 8;
  const std::string& op = query.op.op.name;
  const bool wants_blocks = is_windowed(query.op.op);
  const bool takes_both =
      is_blocked(query.op.op, query.operands) || op == "global_avg_pool" || op == "global_max_pool";
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
  if (query.op.op.name != "layer_norm" || query.operands.empty()) return false;
  const ir::Type& type = query.op.type(0);
  return query.operands[0].stage == Stage::kSum && type.is_ranked_tensor() && type.shape.size() == 3;
}

bool is_absorbed(const NodeCostQuery& query) {
  for (size_t i = 0; i < query.operands.size(); ++i) {
    if (query.operands[i].narrow.valid()) continue;  // a product that is spread out comes in by itself
    if (query.operands[i].stage == Stage::kConvolution && within_convolution(query, i)) return true;
    if (query.operands[i].stage == Stage::kProduct && within_product(query, i)) return true;
  }
  return false;
}

}  // namespace isomer::cost
