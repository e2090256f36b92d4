// Rules compiled against a context, and as sources of alternatives: what right_sides.h asks of a match, then
// what alternative.h puts in place. Right sides must have exactly the type of what they replace, which is
// more than TENSAT asks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "egraph/multipattern.h"
#include "rewrite/alternative.h"
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

/// Of an operator of the right sides: its payload, or how it is found.
struct RightPayload {
  bool fixed = false;  ///< all attributes are literals: `payload` is known
  ir::PayloadId payload;
  std::vector<RightAttr> attrs;
};

/// A rule with its patterns numbered for the e-graph. Refers to the Rule, which must stay where it is.
struct CompiledRule {
  const Rule* rule = nullptr;
  uint32_t number = 0;
  std::vector<egraph::Pattern> left;   ///< one numbering for all
  Fragment right;                      ///< all right sides together
  std::vector<RightPayload> payloads;  ///< by its nodes
  uint32_t tensors = 0;
  uint32_t matched_attributes = 0;  ///< bound by matching; those of lets come after
  uint32_t attributes = 0;
};
CompiledRule compile(ir::Context& ctx, const Rule& rule, uint32_t number);

/// Both sides at an instance. Throws MisuseError when it does not fit the rule.
Equation equation(ir::Context& ctx, const CompiledRule& rule, const Instance& instance);

/// A rule as a source of alternatives: each of its matches is one.
class RuleSource final : public Source {
 public:
  explicit RuleSource(const CompiledRule& rule) : rule_(rule) {}
  const std::string& name() const override { return rule_.rule->name; }
  /// Its file; rules on several operators are one family, and groups of a kind, whatever their size.
  std::string family() const override;
  Equation equation(ir::Context& ctx, const Instance& instance) const override {
    return rewrite::equation(ctx, rule_, instance);
  }
  verify::Verdict check(ir::Context& ctx, const Instance& instance,
                        const verify::EquivalenceOptions& options) const override;
  std::string describe(ir::Context& ctx, const Instance& instance) const override;
  const CompiledRule* rule() const override { return &rule_; }

 private:
  const CompiledRule& rule_;
};

/// Turns matches of rules into alternatives.
class RuleApplier {
 public:
  explicit RuleApplier(Alternatives& alternatives)
      : alternatives_(alternatives), match_(alternatives.program().graph().analysis()) {}

  /// `roots`: the classes that the left sides matched in. `accept`, if any, is asked last, before anything is
  /// added. The rule's number is that of its source.
  Applied apply(const CompiledRule& rule, std::span<const egraph::ClassId> roots, const egraph::Subst& subst,
                const std::function<bool()>* accept = nullptr);
  /// What `apply` would say, without doing it. The e-graph must be clean.
  Applied outlook(const CompiledRule& rule, std::span<const egraph::ClassId> roots,
                  const egraph::Subst& subst);

 private:
  /// The match as the instance that is asked about.
  void take(const CompiledRule& rule, std::span<const egraph::ClassId> roots, const egraph::Subst& subst);
  /// Whether the right sides are in the roots' classes, as far as numbers of classes tell before congruence
  /// is restored. After RightSides::find.
  bool is_there(const CompiledRule& rule, std::span<const egraph::ClassId> roots);

  Alternatives& alternatives_;
  RightSides match_;
  std::vector<egraph::ClassId> variables_, made_;
  std::vector<ir::AttrId> ranges_;
};

/// The computed attributes of a right side as a payload; an invalid id if one has no value or not the kind
/// that the operator declares.
ir::PayloadId right_payload(const ir::OpDef& def, const RightPayload& of, const ExprScope& scope);
/// What the right sides make of the scope's tensors and attributes; nothing where an operator has no type.
std::optional<std::vector<TensorFacts>> right_roots(TensorAnalysis& analysis, const CompiledRule& rule,
                                                    const ExprScope& scope);

}  // namespace isomer::rewrite
