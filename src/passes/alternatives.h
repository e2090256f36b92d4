// A module and, for some of its instructions, other ways to compute them: what passes propose in dry mode
// instead of rewriting. HloEnv (section 3) adds a node per choice whose operand 0 is the original; here the
// choices are a list beside the module, fragments stand behind its instructions, and nothing of the module
// itself changes, so that several passes propose at once.
//
// A decision says for each choice which way is taken: 0 is the original, k the k-th alternative. `apply`
// makes the module of a decision: users are rerouted, what nobody needs is left out. Alternatives whose
// fragments use only what their target is computed from can be taken in any combination. One that uses more
// (a fusion of several outputs) may close a cycle with others: the one that does is refused, and the reason
// is given.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "passes/writer.h"

namespace isomer::passes {

struct Alternative {
  InstructionId target, value;
  uint32_t rule = 0;  ///< index in AlternativeGraph::rules
};

struct Choice {
  InstructionId target;
  std::span<const Alternative> ways;  ///< at least one
};

struct Refusal {
  uint32_t choice;
  std::string reason;
};

struct Applied {
  Module module;
  std::vector<Refusal> refused;  ///< their originals stand
};

class AlternativeGraph {
 public:
  explicit AlternativeGraph(Module module);
  AlternativeGraph(AlternativeGraph&&) = default;

  const Module& module() const { return *module_; }
  /// Instructions of the module itself are those below it.
  uint32_t originals() const { return originals_; }
  /// Which instructions use an original one, in the module itself; a root counts as used by nobody.
  std::span<const InstructionId> users(InstructionId id) const {
    return std::span(users_).subspan(first_user_[id.v], first_user_[id.v + 1] - first_user_[id.v]);
  }
  ComputationId computation_of(InstructionId original) const { return homes_[original.v]; }
  bool is_root(InstructionId id) const { return roots_[id.v]; }
  /// Used once, and no result of its computation.
  bool has_one_user(InstructionId id) const {
    return id.v < originals_ && !roots_[id.v] && users(id).size() == 1;
  }

  /// For passes. A proposal of other elements or sizes than its target's is a fault of the pass (throws
  /// std::logic_error); layouts may differ. The same proposal twice is one.
  Writer& writer() { return writer_; }
  void propose(InstructionId target, InstructionId value, std::string_view rule);

  /// In the order of the module; ways in the order in which they were proposed.
  const std::vector<Choice>& choices() const;
  const std::vector<Alternative>& alternatives() const { return alternatives_; }
  std::string_view rule(const Alternative& way) const { return rules_[way.rule]; }

  /// Of each choice the number of decisions: its ways, and to leave it as it is.
  std::vector<uint32_t> factors() const;
  /// One number a choice, at most its number of ways.
  Applied apply(std::span<const uint32_t> decisions) const;
  /// The first way of each choice, of those by rules that `taken` has (empty: all).
  std::vector<uint32_t> first_of_each(const std::function<bool(std::string_view)>& taken = {}) const;

 private:
  static constexpr uint32_t kNone = ~0U;
  void find_users();

  std::unique_ptr<Module> module_;  ///< the writer refers to it
  uint32_t originals_ = 0;
  Writer writer_;
  std::vector<uint32_t> first_user_;
  std::vector<InstructionId> users_;
  std::vector<ComputationId> homes_;
  std::vector<bool> roots_;
  std::vector<std::string> rules_;
  std::vector<Alternative> alternatives_;
  std::vector<uint32_t> last_way_, way_before_;  ///< of a target, of an alternative; kNone: none
  mutable std::vector<Alternative> sorted_;
  mutable std::vector<Choice> choices_;
  mutable bool fresh_ = false;
};

/// Whether it must stay though nothing uses its result.
bool has_side_effect(const Module& module, InstructionId id);

}  // namespace isomer::passes
