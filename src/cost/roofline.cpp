#include "cost/roofline.h"

#include <algorithm>
#include <unordered_map>

#include "cost/table.h"

namespace isomer::cost {
namespace {

// What a call costs depends on its region, whose number says nothing outside its context; the rest is cheap.
bool worth_remembering(const ir::OpDef& op) {
  return op.kind != ir::MeaningKind::kOpaque && !op.has_region();
}

}  // namespace

struct RooflineCost::Memo {
  std::unordered_map<std::string, double> cost;
};

RooflineCost::RooflineCost(DeviceProfile profile, RooflineOptions options)
    : profile_(std::move(profile)), options_(options), memo_(std::make_unique<Memo>()) {}
RooflineCost::~RooflineCost() = default;

double RooflineCost::cost(const NodeCostQuery& query) {
  if (options_.fold_weights && query.operands_are_weights) return 0;
  const ir::OpDef& def = query.op.op;
  if (def.kind == ir::MeaningKind::kLeaf || def.kind == ir::MeaningKind::kTuple || is_view(def)) return 0;
  if (!worth_remembering(def)) return compute(query.op);
  const std::string key = signature(query.op) + " -> " + ir::print(query.op.ctx, query.op.output);
  if (const auto found = memo_->cost.find(key); found != memo_->cost.end()) return found->second;
  return memo_->cost[key] = compute(query.op);
}

double RooflineCost::compute(const ir::OpInstance& op) const {
  const Work work = work_of(op, options_.nominal_size);
  if (work.free) return 0;
  // A movement with many operands or results (concat, split) is a copy for each.
  const size_t results = op.ctx.get(op.output).elements.size();
  const auto copies = static_cast<double>(
      op.op.kind == ir::MeaningKind::kMovement ? std::max({results, op.inputs.size(), size_t{1}}) : 1);
  return profile_.overhead_ms * copies +
         1e3 * std::max(work.flops / profile_.flops_per_second, work.bytes() / profile_.bytes_per_second);
}

}  // namespace isomer::cost
