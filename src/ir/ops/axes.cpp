#include "ir/ops/axes.h"

#include <algorithm>
#include <utility>

#include "ir/ops/declare.h"
#include "support/errors.h"

namespace isomer::ir::ops {

AxisRole kept(size_t count, std::vector<size_t> operands) {
  return {count, true, {}, [operands = std::move(operands)](const Axis& axis, std::vector<Read>& reads) {
            for (const size_t o : operands) reads[o].index.push_back(axis.at);
          }};
}

AxisRole summed(std::vector<Size> extents, std::vector<size_t> operands) {
  const size_t count = extents.size();
  return {count, false, std::move(extents),
          [operands = std::move(operands)](const Axis& axis, std::vector<Read>& reads) {
            for (const size_t o : operands) reads[o].index.push_back(axis.step);
          }};
}

bool is_among(const std::vector<int64_t>& axes, size_t dim) {
  return std::ranges::find(axes, static_cast<int64_t>(dim)) != axes.end();
}

std::vector<AxisRole> summed_over(const std::vector<int64_t>& axes, std::span<const Size> extents,
                                  const std::vector<size_t>& operands, bool stay_as_one) {
  std::vector<AxisRole> out;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (!is_among(axes, i)) {
      out.push_back(kept(1, operands));
      continue;
    }
    out.push_back(summed({extents[i]}, operands));
    out.back().stays = stay_as_one;
  }
  return out;
}

LoopNest nest_of(const OpInstance& op, std::span<const AxisRole> roles) {
  LoopNest nest;
  nest.space = op.out_extents();
  for (size_t i = 0; i < op.inputs.size(); ++i) nest.reads.push_back(read_at(static_cast<int>(i), {}));
  const int rank = static_cast<int>(nest.space.size());
  int at = 0, step = rank;
  for (const AxisRole& role : roles)
    for (size_t i = 0; i < role.count; ++i) {
      Axis axis{i, {}, {}};
      if (role.stays) axis.at = IndexExpr::var(at++);
      if (!role.summed.empty()) {
        nest.reduce.push_back(role.summed[i]);
        axis.step = IndexExpr::var(step++);
      }
      if (role.along) role.along(axis, nest.reads);
    }
  REQUIRE(at == rank, "the roles of its axes make another rank than its type: " + op.op.name);
  return nest;
}

LoopNest product_nest(const OpInstance& op, std::span<const AxisRole> roles) {
  LoopNest nest = nest_of(op, roles);
  nest.accumulators = {{scalar::read(0) * scalar::read(1), Combiner::kSum}};
  nest.result = scalar::acc(0);
  return nest;
}

}  // namespace isomer::ir::ops
