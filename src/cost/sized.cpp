#include "cost/sized.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "cost/nominal.h"

namespace isomer::cost {

struct SizedQueries::Memo {
  std::unordered_map<uint32_t, ir::TypeId> types;
  /// Operators by definition and ids of attributes, operands and result.
  std::map<std::pair<const ir::OpDef*, std::vector<uint32_t>>, std::unique_ptr<NominalInstance>> instances;
  std::vector<OperandFacts> operands;

  ir::TypeId type(ir::Context& ctx, ir::TypeId id, const SymbolSizes& sizes) {
    const auto [at, fresh] = types.try_emplace(id.v);
    if (fresh) at->second = sized_type(ctx, id, {&sizes, 0});
    return at->second;
  }
};

SizedQueries::SizedQueries(SymbolSizes sizes) : sizes_(std::move(sizes)), memo_(std::make_unique<Memo>()) {}
SizedQueries::~SizedQueries() = default;
SizedQueries::SizedQueries(SizedQueries&&) noexcept = default;
SizedQueries& SizedQueries::operator=(SizedQueries&&) noexcept = default;

NodeCostQuery SizedQueries::sized(const NodeCostQuery& query) {
  if (sizes_.empty()) return query;
  const ir::OpInstance& op = query.op;
  bool changes = memo_->type(op.ctx, op.output, sizes_) != op.output;
  for (ir::TypeId input : op.inputs) changes = changes || memo_->type(op.ctx, input, sizes_) != input;
  if (!changes) return query;
  std::vector<uint32_t> key;
  for (ir::AttrId a : op.attrs) key.push_back(a.v);
  for (ir::TypeId t : op.inputs) key.push_back(t.v);
  key.push_back(op.output.v);
  const auto [at, fresh] = memo_->instances.try_emplace({&op.op, std::move(key)});
  if (fresh) at->second = std::make_unique<NominalInstance>(op, Replacement{&sizes_, 0});
  memo_->operands.assign(query.operands.begin(), query.operands.end());
  for (OperandFacts& operand : memo_->operands)
    if (operand.narrow.valid()) operand.narrow = memo_->type(op.ctx, operand.narrow, sizes_);
  return {at->second->op(), query.operands_are_weights, memo_->operands};
}

std::unique_ptr<CostModel> SizedCost::fork() const {
  std::unique_ptr<CostModel> inner = inner_->fork();
  return inner ? std::make_unique<SizedCost>(std::move(inner), queries_.sizes()) : nullptr;
}

}  // namespace isomer::cost
