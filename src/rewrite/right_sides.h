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
enum class Applied : uint8_t { kNothingNew, kChanged, kCondition, kIllTyped, kRefused };

/// One match at a time. The caller fills attributes (those that matching binds; `lets` follow), tensors and
/// roots; `prepare` then finds the rest.
class RightSides {
 public:
  explicit RightSides(TensorAnalysis& analysis) : analysis_(analysis) {}

  std::vector<ir::AttrId> attributes;
  std::vector<TensorFacts> tensors;
  std::vector<TensorFacts> roots;

  /// kChanged when the rule applies; else kCondition or kIllTyped.
  Applied prepare(const CompiledRule& rule);
  /// Of the node of the right sides with this number; not of variables.
  uint32_t payload(size_t node) const { return payloads_[node]; }
  const TensorFacts& facts(size_t node) const { return facts_[node]; }

 private:
  bool conditions_hold(const CompiledRule& rule);
  bool find_payloads(const CompiledRule& rule);
  bool well_typed(const CompiledRule& rule);

  TensorAnalysis& analysis_;
  std::vector<TensorFacts> facts_, operands_;
  std::vector<uint32_t> payloads_;
};

}  // namespace isomer::rewrite
