// Rules compiled against a context, and the application of one match: what right_sides.h asks, then insertion
// and union. Right sides must have exactly the type of what they replace, which is more than TENSAT asks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "egraph/multipattern.h"
#include "rewrite/right_sides.h"
#include "rewrite/rule.h"
#include "rewrite/tensor_egraph.h"

namespace isomer::rewrite {

/// An attribute of a right side: interned, bound by the match, or computed.
struct RightAttr {
  enum class Kind : uint8_t { kLiteral, kVariable, kComputed };
  Kind kind = Kind::kLiteral;
  ir::AttrId literal;
  uint32_t variable = 0;
  const Expr* expr = nullptr;
};

struct RightNode {
  bool is_variable = false;
  uint32_t variable = 0;
  ir::OpId op;
  bool fixed = false;  ///< all attributes are literals: `payload` is known
  ir::PayloadId payload;
  std::vector<RightAttr> attrs;
  std::vector<uint32_t> children;
};

/// A rule with its patterns numbered for the e-graph. Refers to the Rule, which must stay where it is.
struct CompiledRule {
  const Rule* rule = nullptr;
  uint32_t number = 0;
  std::vector<egraph::Pattern> left;  ///< one numbering for all
  std::vector<RightNode> right;       ///< of all right sides together, children first
  std::vector<uint32_t> right_roots;
  uint32_t tensors = 0;
  uint32_t matched_attributes = 0;  ///< bound by matching; those of lets come after
  uint32_t attributes = 0;
};
CompiledRule compile(ir::Context& ctx, const Rule& rule, uint32_t number);

/// One application that changed the e-graph: enough to state it again as two graphs.
struct RuleInstance {
  uint32_t rule = 0;
  std::vector<ir::AttrId> attributes;  ///< lets included
  std::vector<TensorFacts> tensors;
  std::vector<TensorFacts> roots;
  /// E-nodes that stood for the class variables, then those of the right side, in order
  /// (CompiledRule::right).
  std::vector<uint32_t> nodes{};
};

class RuleApplier {
 public:
  explicit RuleApplier(TensorEGraph& program) : program_(program), match_(program.graph().analysis()) {}

  /// `roots`: the classes that the left sides matched in. `accept`, if any, is asked last, before anything is
  /// added.
  Applied apply(const CompiledRule& rule, std::span<const egraph::ClassId> roots, const egraph::Subst& subst,
                const std::function<bool()>* accept = nullptr);

  const std::vector<RuleInstance>& instances() const { return instances_; }
  /// Number of the instance that made the e-node; kNone for the program's own.
  uint32_t maker(egraph::NodeId n) const { return n.index() < maker_.size() ? maker_[n.index()] : kNone; }
  static constexpr uint32_t kNone = 0xFFFFFFFFu;

 private:
  TensorEGraph& program_;
  RightSides match_;
  std::vector<RuleInstance> instances_;
  std::vector<uint32_t> maker_;

  std::vector<egraph::ClassId> made_, children_;
};

/// The computed attributes of a right side as a payload; an invalid id if one has no value or not the kind
/// that the operator declares.
ir::PayloadId right_payload(const ir::OpDef& def, const RightNode& node, const ExprScope& scope);

}  // namespace isomer::rewrite
