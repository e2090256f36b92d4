// Bodies of If, Loop and Scan are optimised, too: a body is a program of its own, what it captures being
// inputs. The same engine grows an e-graph of it, prices it, extracts and checks every rewrite; bodies within
// bodies come first. A node with better bodies is an alternative to the node as it was
// (rewrite/alternative.h), so that extraction, timing, explanation and the comparison of whole programs treat
// it as any rewrite. PyTorch's and XLA's compilers run their passes on nested computations as well; that the
// result is one alternative among others, checked by itself, is ours.
//
// What a body costs is what its nodes cost, a branch taken every other time, a loop's body as often as it is
// known to run. Sizes that have a name have it within as well. Nothing moves across a body's border.
//
// Timing decides what is written, but runs one branch of an If. Another branch, what is within it, or a
// branch of an If within a body, is rewritten only where costs alone are sure: all measured, and lower by
// more than what is doubted of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "recipes/choices.h"
#include "recipes/cost_choice.h"
#include "recipes/load.h"
#include "recipes/rewriting.h"
#include "recipes/rule_choice.h"
#include "rewrite/alternative.h"
#include "runtime/onnxruntime.h"
#include "support/deadline.h"
#include "support/limits.h"
#include "support/progress.h"

namespace isomer::recipes {

/// A node with other bodies stands for the node as it was.
class BodyRewrite final : public rewrite::Source {
 public:
  struct Pair {
    std::string attribute;
    ir::Graph before, after;
  };
  BodyRewrite(ir::ValueId value, rewrite::Equation equation, std::vector<Pair> bodies);

  ir::ValueId value() const { return value_; }  ///< of the program
  const std::string& name() const override;
  std::string family() const override { return "bodies"; }
  /// Over the operands of the value.
  rewrite::Equation equation(ir::Context&, const rewrite::Instance&) const override { return equation_; }
  const rewrite::Equation& equation() const { return equation_; }
  /// The bodies, pair by pair; the verdict is the weakest.
  verify::Verdict check(ir::Context& ctx, const rewrite::Instance& instance,
                        const verify::EquivalenceOptions& options) const override;
  /// "then_branch 3f..: 12 operators, 9 now".
  std::string describe(ir::Context& ctx, const rewrite::Instance& instance) const override;

 private:
  ir::ValueId value_;
  rewrite::Equation equation_;
  std::vector<Pair> bodies_;
};

/// What conditions of a program's Ifs are in the run that is timed, as far as it is known.
using SeenConditions = std::map<ir::ValueId, bool>;
/// As the runtime says on these inputs of the program's file.
SeenConditions conditions_on(const ir::Graph& graph, const std::string& model, runtime::OnnxRuntime& runtime,
                             const runtime::InputSpec& inputs, const Deadline& until);

/// What the engine is run with.
struct BodySearch {
  const OptimizeOptions& options;
  const Ways& ways;
  const CostChoice& costs;
  Limits limits;  ///< of each search
  Deadline until;
  ProgressSink& progress;
  std::optional<SeenConditions> timed = {};  ///< nothing: nothing is timed, costs decide
};

struct OptimisedBodies {
  BodyRewrites rewrites;
  size_t looked_at = 0, better = 0;        ///< bodies, those within bodies included
  std::map<std::string, size_t> left;      ///< why bodies stay as they are: how many nodes
  std::vector<std::string> not_evaluated;  ///< as RewriteCheck::unknown

  /// What of this is to be said.
  std::vector<std::string> warnings() const;
};

/// Whether a node of it is an If, a Loop or a Scan.
bool has_bodies(const ir::Graph& graph);

struct BodiesAndCosts {
  OptimisedBodies bodies;
  CostChoice costs;  ///< that know what bodies cost, too
};

/// Of the program's nodes. Where the deadline comes first, the rest stays as it is.
BodiesAndCosts optimise_bodies(const Program& program, const BodySearch& how);

}  // namespace isomer::recipes
