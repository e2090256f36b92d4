// The steps of the main job that need the e-graph: exploring, extracting, and checking what was applied.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cost/cost_model.h"
#include "eval/fold.h"
#include "formats/onnx.h"
#include "ir/graph.h"
#include "isomer/isomer.h"
#include "recipes/blame.h"
#include "recipes/choices.h"
#include "recipes/spine.h"
#include "rewrite/tensor_extract.h"
#include "support/deadline.h"
#include "verify/equivalence.h"

namespace isomer::recipes {

struct PickOptions {
  bool greedy = false;                                       ///< instead of the extractor that was chosen
  double seconds = std::numeric_limits<double>::infinity();  ///< at most; the time limit holds as well
  std::function<bool(egraph::NodeId)> allowed;               ///< nodes that may be picked; all without one
  std::span<const egraph::NodeId> start = {};                ///< of a program that is known already
};

class BodyRewrite;  // recipes/bodies.h
using BodyRewrites = std::vector<std::shared_ptr<const BodyRewrite>>;

/// An e-graph that was grown.
struct Growth {
  uint64_t e_nodes = 0, e_classes = 0;
  uint64_t iterations = 0;  ///< of a search its steps
  StopReason stop_reason = StopReason::kRunning;
  std::string wrong = {};  ///< rewrites joined values of different types: nothing may be made of it

  bool saturated() const { return stop_reason == StopReason::kSaturated; }
};

/// Throws VerificationError for one that is wrong.
void require_sound(const Growth& growth);

struct FoldedProgram {
  std::optional<ir::Graph> graph;
  std::string why;                             ///< where there is none
  StopReason ended_by = StopReason::kRunning;  ///< kTimeLimit, kInterrupted: where that is why
};

/// A rule that holds in exact arithmetic, but not on the numbers of this model.
struct UnsuitedRule {
  std::string rule;
  std::string why;
};
/// After so many of them no other program is looked for.
inline constexpr size_t kMostUnsuited = 4;

struct RewriteCheck {
  bool all = true;    ///< false: the deadline came before
  std::string wrong;  ///< a rule or an application that does not hold, and why; nothing may be written
  std::optional<UnsuitedRule> unsuited;
  std::map<std::string, std::string> arithmetic;  ///< by rule: in which its sides are equal
  std::map<std::string, bool> identities;         ///< by rule: all that was checked of it are some
  std::vector<std::string> unknown;  ///< rules and applications that nothing is known of, and why
};

/// How a program that was extracted came about, as far as a chain of rewrites was found.
struct Explained {
  std::string outcome;  ///< in words, for the log
  /// The applications that its chain needs; where there is none, all that made nodes of it.
  std::vector<uint32_t> instances;
};

class Rewriting {
 public:
  /// Reads the rule files that the options name (default: the shipped ones). `ways`: of the options that
  /// are words. `dialect`: what the result may be written in.
  Rewriting(const ir::Graph& original, const OptimizeOptions& options, const Ways& ways, Spine& spine,
            const formats::Dialect& dialect);
  ~Rewriting();

  /// Puts nodes with better bodies in place, of this program.
  void offer(const BodyRewrites& rewrites);
  size_t rules_used() const;
  /// Names by why.
  const std::map<std::string, std::vector<std::string>>& rules_left_out() const;
  /// Saturates.
  [[nodiscard]] Growth explore();
  /// The same without a limit on iterations, for at most so many seconds.
  [[nodiscard]] Growth explore_to_the_end(double seconds);
  /// What the last of these took goes into the record; nothing where there was none.
  void file_growth() const;
  /// Saturated, and no rule was left out of it: rules have nothing to add.
  bool closed() const;
  /// The e-graph, as it is, is grown on by Monte Carlo tree search (recipes/mcts.h), with rewards by this
  /// cost, for at most so many seconds.
  [[nodiscard]] Growth search(cost::CostModel& model, double seconds);
  /// In e-nodes: an e-graph as large is not grown by a search.
  uint64_t most_nodes_of_search() const;
  /// The cheapest program. Once the time limit is met or the user has interrupted, a greedy one.
  rewrite::TensorExtraction pick(cost::CostModel& model, const PickOptions& options = {}) const;
  /// The time for searching is over, or the user has interrupted.
  bool out_of_time() const;
  /// Asks about e-nodes as `pick` does.
  void ask(std::span<const egraph::NodeId> nodes,
           const std::function<void(const cost::NodeCostQuery&)>& question) const;
  /// The same of all e-nodes that may be picked: `shared` of those that every program in the e-graph has,
  /// `open` of those that are a choice.
  using Question = std::function<void(const cost::NodeCostQuery&)>;
  void ask_apart(cost::CostModel& model, const Question& shared, const Question& open) const;
  /// Families of the rules that made nodes of it: a file of rules by its name, each kind of merged operators
  /// by its own.
  std::vector<std::string> families(const rewrite::TensorExtraction& extraction) const;
  /// Nodes that no rule of the family made.
  std::function<bool(egraph::NodeId)> without(const std::string& family) const;
  /// The original's nodes, and those of a share of all applications that the seed picks.
  std::function<bool(egraph::NodeId)> at_random(double share, uint64_t seed) const;
  /// With constants folded, and these checked (VerificationError). Where the weights would grow too much, or
  /// the memory limit is in the way, less is folded; nothing, and why, when they grow too much even so, or
  /// when that is not done by the deadline.
  /// `weight_bytes`: the original's.
  FoldedProgram fold(const rewrite::TensorExtraction& extraction, uint64_t weight_bytes,
                     const Deadline& until) const;
  /// What `fold` would leave, without computing it.
  eval::FoldPlan plan_fold(const rewrite::TensorExtraction& extraction, uint64_t weight_bytes) const;
  /// How often each rule is applied on the way to it.
  std::map<std::string, uint64_t> rules_applied(const rewrite::TensorExtraction& extraction) const;
  const ir::Graph& original() const;

  /// The chain of rule applications that leads to it goes into the record, with what groups of its steps are
  /// worth ("saved: AIM" among the numbers). `model`, if any, prices the programs on the way. Where the
  /// deadline comes before there is a chain, none is filed.
  Explained explain(const rewrite::TensorExtraction& extraction, cost::CostModel* model,
                    const Deadline& until) const;
  /// Every rule that was used has a verdict, every applied instance is checked again at its own types. One
  /// that is wrong or does not suit ends the check.
  [[nodiscard]] RewriteCheck check_rewrites(const rewrite::TensorExtraction& extraction,
                                            const Deadline& until) const;
  /// By name, as --disable-rule takes it; rules that are made for groups of operators are not among them.
  bool has_rule(const std::string& name) const;
  /// Whether the rule may round otherwise, and the check found it and each of its applications to be
  /// identities over the field: where it breaks a program, numbers may be why.
  bool may_not_suit(const std::string& rule, const RewriteCheck& check) const;
  /// The smallest step of the chain to it that breaks it.
  Blame blame(const rewrite::TensorExtraction& extraction, const Breaks& breaks, const Deadline& until) const;
  /// Both whole programs in the interpreter, where no runtime can run them.
  verify::Verdict check_whole(const ir::Graph& candidate, const Deadline& until) const;

 private:
  Growth saturate(const Limits& limits);
  void file_savings(double found, cost::CostModel& model, const Deadline& until) const;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isomer::recipes
