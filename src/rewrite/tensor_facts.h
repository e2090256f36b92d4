// The analysis of tensor e-graphs: type, splat value, and whether a class is known at compile time. TENSAT
// keeps, when classes merge, whatever shape it met first; here the join is a true one, in which
// contradictions are counted.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "egraph/pattern.h"
#include "ir/op_table.h"
#include "rewrite/float_range.h"
#include "rewrite/rule_expr.h"
#include "support/float_promise.h"
#include "support/sequences.h"

namespace isomer::rewrite {

/// Payloads of the context as sequences of attribute slots.
class TensorLanguage final : public egraph::Language {
 public:
  explicit TensorLanguage(ir::Context& ctx) : ctx_(ctx) {}
  std::span<const uint32_t> slots(uint32_t payload) const override;
  uint32_t payload(uint32_t op, std::span<const uint32_t> slots) override;

 private:
  ir::Context& ctx_;
};

class TensorAnalysis {
 public:
  using Data = TensorFacts;

  /// Ranges are followed where the promise needs them: under kFinite.
  explicit TensorAnalysis(ir::Context& ctx, FloatPromise promise = FloatPromise::kFast)
      : ctx_(ctx), promise_(promise), range_rules_(ctx.ops()) {}

  Data make(uint32_t op, uint32_t payload, std::span<const Data> children);
  /// Types meet dimension by dimension (an unknown dimension gives way to a symbol, a symbol to a size); a
  /// splat value or a compile-time value of one term holds for the class.
  Data join(const Data& a, const Data& b);
  /// Type of a node by its operands' types, remembered; invalid where the operator does not take them.
  ir::TypeId infer(uint32_t op, uint32_t payload, std::span<const ir::TypeId> operands);
  /// How many joins met types that contradict each other: a wrong rule, or a bug.
  uint64_t contradictions() const { return contradictions_; }
  ir::Context& context() const { return ctx_; }
  FloatPromise promise() const { return promise_; }
  const RangeRules& range_rules() const { return range_rules_; }

 private:
  ir::TypeId meet(ir::TypeId a, ir::TypeId b);
  ir::AttrId splat_of(const ir::OpDef& def, uint32_t payload, std::span<const Data> children,
                      ir::TypeId type);
  ir::AttrId constant_splat(uint32_t id);
  ir::AttrId range_of(uint32_t op, uint32_t payload, std::span<const Data> children, ir::TypeId type);

  ir::Context& ctx_;
  FloatPromise promise_;
  RangeRules range_rules_;
  std::vector<RangeRules::Operand> operands_;
  Sequences questions_;  // operator, payload, types of operands
  std::vector<uint32_t> words_;
  std::vector<ir::TypeId> answers_;
  std::unordered_map<uint32_t, ir::AttrId> splats_;
  uint64_t contradictions_ = 0;
};

}  // namespace isomer::rewrite
