#include "problems/module_egraph.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "egraph/egraph.h"
#include "egraph/flat_problem.h"
#include "extract/extract.h"
#include "hlo/dag_hash.h"
#include "passes/cse.h"
#include "passes/fusions.h"
#include "passes/rebuild.h"
#include "passes/rule_pass.h"
#include "support/hash.h"

namespace isomer::problems {
namespace {

using egraph::ClassId;
using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Opcode;

class ModuleEGraph {
 public:
  explicit ModuleEGraph(const passes::AlternativeGraph& graph)
      : graph_(graph),
        m_(graph.module()),
        homes_(m_.instructions.size()),
        classes_(m_.instructions.size()),
        egraph_(nothing_) {
    find_homes();
    add_instructions();
    for (const passes::Alternative& way : graph.alternatives())
      if (is_in(way.target)) egraph_.unite(classes_[way.target.v], classes_[way.value.v]);
    egraph_.rebuild();
  }

  ExtractedModule cheapest(const std::vector<double>& costs, const Limits& limits) const {
    std::vector<ClassId> roots = {classes_[m_[m_.entry].root.v]};
    for (const InstructionId effect : effects_) roots.push_back(classes_[effect.v]);
    const egraph::FlatProblem flat = egraph::flat_problem(
        egraph_, roots, [&](egraph::NodeId node) { return costs[first_term_[node.index()].v]; });
    const extract::Extraction found = extract::extract(flat.problem, extract::Extractor::kAuto, limits);
    if (!found.found) throw std::logic_error("an e-graph without its own module");
    const std::vector<egraph::NodeId> picked = flat.picked(found.selection);
    std::vector<InstructionId> term(egraph_.slots()), instead(m_.instructions.size());  // term: by class
    for (size_t c = 0; c < picked.size(); ++c)
      if (picked[c].valid()) term[flat.class_of[c].index()] = first_term_[picked[c].index()];
    for (uint32_t i = 0; i < instead.size(); ++i) {
      if (!is_in(InstructionId(i))) continue;
      const InstructionId other = term[egraph_.find(classes_[i]).index()];
      if (other.valid() && other.v != i) instead[i] = other;
    }
    return {passes::rebuilt(m_, instead), found.dag_cost, found.optimal};
  }

 private:
  /// Whether it is a kernel, or a value between kernels, and not part of one.
  bool is_in(InstructionId id) const { return homes_[id.v].valid(); }

  /// Of which computation each instruction is; none of those within kernels. What an alternative is made of
  /// is of its target's.
  void find_homes() {
    const std::vector<bool> within =
        passes::within_kernels(m_, static_cast<uint32_t>(m_.instructions.size()));
    for (uint32_t c = 0; c < within.size(); ++c) {
      const hlo::Range all = m_.computations[c].instructions;
      for (uint32_t i = 0; i < all.count && !within[c]; ++i) homes_[all.first + i] = ComputationId(c);
    }
    std::vector<InstructionId> open;
    for (const passes::Alternative& way : graph_.alternatives()) {
      if (!is_in(way.target)) continue;
      open = {way.value};
      while (!open.empty()) {
        const InstructionId at = open.back();
        open.pop_back();
        if (is_in(at)) continue;
        homes_[at.v] = homes_[way.target.v];
        for (const InstructionId operand : m_.operands(at)) open.push_back(operand);
      }
    }
  }

  /// By computation: whether constants in it, or in what it calls, have elements that nobody knows.
  std::vector<bool> unknown_computations() const {
    std::vector<bool> out(m_.computations.size(), false);
    std::vector<ComputationId> called;
    for (uint32_t c = 0; c < out.size(); ++c) {  // what is called stands before
      const hlo::Range all = m_.computations[c].instructions;
      for (uint32_t i = 0; i < all.count && !out[c]; ++i) {
        const InstructionId id(all.first + i);
        called.clear();
        m_.called(id, called);
        out[c] = (m_[id].opcode == Opcode::kConstant && m_.literal(id).elided) ||
                 std::ranges::any_of(called, [&](ComputationId callee) { return out[callee.v]; });
      }
    }
    return out;
  }

  /// What it reads, waits for, and, of control flow, what the computations that it calls come to. Those that
  /// kernels call as well count as a whole, by their hash.
  void find_children(InstructionId id, const std::vector<ComputationId>& called,
                     std::vector<ClassId>& out) const {
    out.clear();
    for (const InstructionId operand : m_.operands(id)) out.push_back(classes_[operand.v]);
    for (const int64_t before : m_.list(id, hlo::AttributeName::kControlPredecessors))
      if (const ClassId c = classes_[static_cast<size_t>(before)]; c.valid()) out.push_back(c);
    if (!hlo::is_control_flow(m_[id].opcode)) return;
    for (const ComputationId callee : called)
      if (const InstructionId root = m_.computations[callee.v].root; is_in(root))
        out.push_back(classes_[root.v]);
  }

  void add_instructions() {
    const std::vector<uint64_t> own = hlo::own_hashes(m_);
    const std::vector<bool> unknown = unknown_computations();
    std::unordered_map<uint64_t, uint32_t> ops;
    std::vector<ClassId> children;
    std::vector<ComputationId> called;
    for (uint32_t i = 0; i < m_.instructions.size(); ++i) {
      const InstructionId id(i);
      if (!is_in(id)) continue;
      called.clear();
      m_.called(id, called);
      const bool is_unknown = std::ranges::any_of(called, [&](ComputationId c) { return unknown[c.v]; });
      const bool is_effect = passes::has_side_effect(m_, id);
      uint64_t key = own[i];
      if (m_.operands(id).empty()) key = hash_combine(key, homes_[i].v);
      if (is_unknown || !passes::may_be_merged(m_, id) || !passes::may_be_replaced(m_, id))
        key = hash_combine(hash_combine(key, 1), i);
      find_children(id, called, children);
      const auto op = ops.try_emplace(key, static_cast<uint32_t>(ops.size())).first->second;
      const egraph::NodeId node = egraph_.add_node(op, 0, children);
      if (node.index() == first_term_.size()) first_term_.push_back(id);
      classes_[i] = egraph_.class_of(node);
      if (is_effect) effects_.push_back(id);
    }
  }

  const passes::AlternativeGraph& graph_;
  const hlo::Module& m_;
  std::vector<ComputationId> homes_;
  std::vector<ClassId> classes_;           ///< of instructions
  std::vector<InstructionId> first_term_;  ///< by node
  std::vector<InstructionId> effects_;
  egraph::NoAnalysis nothing_;
  egraph::EGraph<egraph::NoAnalysis> egraph_;
};

}  // namespace

ExtractedModule cheapest_module(const passes::AlternativeGraph& graph, const std::vector<double>& costs,
                                const Limits& limits) {
  return ModuleEGraph(graph).cheapest(costs, limits);
}

}  // namespace isomer::problems
