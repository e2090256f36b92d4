// What a match of a rule would put in place, before it is put anywhere: conditions, computed attributes, and
// the right sides dry run in types only (TENSAT's shape check). E-graphs and plain graphs share it.
#pragma once

#include <span>
#include <vector>

#include "rewrite/alternative.h"
#include "rewrite/rule.h"
#include "rewrite/tensor_facts.h"

namespace isomer::rewrite {

/// One match at a time. The caller fills the instance (of attributes those that matching binds; `lets`
/// follow); `prepare` then finds the rest.
class RightSides {
 public:
  explicit RightSides(TensorAnalysis& analysis) : analysis_(analysis) {}

  Instance instance;

  /// kChanged when the rule applies; else kCondition, kIllTyped or kNotFinite.
  Applied prepare(const CompiledRule& rule);
  /// Its two parts: what decides on kCondition, after which `payload` is known, and on the others.
  Applied find(const CompiledRule& rule);
  Applied type(const CompiledRule& rule);
  /// Of the node of the right sides with this number; not of variables.
  ir::PayloadId payload(size_t node) const { return payloads_[node]; }
  std::span<const ir::PayloadId> payloads() const { return payloads_; }
  const TensorFacts& facts(size_t node) const { return facts_[node]; }
  bool follows_ranges() const { return analysis_.promise() == FloatPromise::kFinite; }
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
  std::vector<TensorFacts> facts_;
  std::vector<ir::PayloadId> payloads_;
  std::vector<FloatRange> ranges_;  ///< by node of the right sides
  std::vector<RangeRules::Operand> range_operands_;
};

}  // namespace isomer::rewrite
