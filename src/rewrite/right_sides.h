// What a match of a rule would put in place, before it is put anywhere: conditions, computed attributes, and
// the right sides dry run in types only (TENSAT's shape check). E-graphs and plain graphs share it.
#pragma once

#include <span>
#include <vector>

#include "rewrite/rule.h"
#include "rewrite/tensor_facts.h"

namespace isomer::rewrite {

struct CompiledRule;

/// Why a match was not applied.
enum class Applied : uint8_t { kNothingNew, kChanged, kCondition, kIllTyped, kNotFinite, kRefused };

/// One match at a time. The caller fills attributes (those that matching binds; `lets` follow), tensors and
/// roots; `prepare` then finds the rest.
class RightSides {
 public:
  explicit RightSides(TensorAnalysis& analysis) : analysis_(analysis) {}

  std::vector<ir::AttrId> attributes;
  std::vector<TensorFacts> tensors;
  std::vector<TensorFacts> roots;

  /// kChanged when the rule applies; else kCondition, kIllTyped or kNotFinite.
  Applied prepare(const CompiledRule& rule);
  /// Of the node of the right sides with this number; not of variables.
  uint32_t payload(size_t node) const { return payloads_[node]; }
  const TensorFacts& facts(size_t node) const { return facts_[node]; }
  /// What more is known of it than its operands tell: it lies between them and the roots. Invalid where
  /// ranges are not followed.
  ir::AttrId range(size_t node) const;

 private:
  bool conditions_hold(const CompiledRule& rule);
  bool find_payloads(const CompiledRule& rule);
  bool well_typed(const CompiledRule& rule);
  bool stays_finite(const CompiledRule& rule);
  std::span<const RangeRules::Operand> operands_of(const CompiledRule& rule, size_t node);
  bool root_is_safe(const CompiledRule& rule, size_t root);
  void look_back(const CompiledRule& rule);
  bool node_is_safe(const CompiledRule& rule, size_t node);

  TensorAnalysis& analysis_;
  std::vector<TensorFacts> facts_, operands_;
  std::vector<uint32_t> payloads_;
  std::vector<FloatRange> ranges_;  ///< by node of the right sides
  std::vector<RangeRules::Operand> range_operands_;
};

}  // namespace isomer::rewrite
