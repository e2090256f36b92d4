#include "recipes/hlo_rule_pass.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "formats/hlo_graph.h"
#include "ir/op_table.h"
#include "passes/fusions.h"
#include "passes/program_writer.h"
#include "passes/rule_pass.h"
#include "passes/site.h"
#include "recipes/rule_choice.h"
#include "rewrite/saturate.h"
#include "support/deadline.h"

namespace isomer::recipes {
namespace {

using egraph::ClassId;
using passes::AlternativeGraph;
using passes::InstructionId;

/// The matches of rules in one computation.
class Matches {
 public:
  Matches(AlternativeGraph& graph, const formats::HloValues& values, rewrite::Saturation& saturation)
      : graph_(graph), saturation_(saturation), program_(saturation.program()) {
    for (uint32_t i = 0; i < graph.originals(); ++i) {
      const ir::ValueId v = values.value_of[i];
      if (!v.valid() || !program_.first_class(v).valid()) continue;
      const ClassId c = program_.graph().find(program_.first_class(v));
      instructions_[c.v].push_back(InstructionId(i));
    }
  }

  void propose() {
    for (const rewrite::Application& a : saturation_.alternatives().applications()) propose(a);
  }

 private:
  ClassId class_of(uint32_t node) const { return program_.graph().find(ClassId(node)); }
  /// The first instruction with the value of a class; invalid where it is one of the steps between.
  InstructionId instruction_of(uint32_t node) const {
    const auto at = instructions_.find(class_of(node).v);
    return at == instructions_.end() ? InstructionId() : at->second[0];
  }

  void propose(const rewrite::Application& a) {
    const rewrite::Source& source = saturation_.alternatives().source_of(a);
    const rewrite::Equation equation = source.equation(program_.context(), a.instance);
    const size_t variables = equation.tensors.size();
    std::vector<InstructionId> inputs;
    for (size_t i = 0; i < variables; ++i) {
      inputs.push_back(instruction_of(a.nodes[i]));
      if (!inputs.back().valid()) return;
    }
    const ir::Graph right = as_programs(program_.context(), equation, rewrite::Splats::kVariables).second;
    const auto& roots = equation.after.fragment.roots;
    for (size_t r = 0; r < roots.size(); ++r)
      if (const auto at = instructions_.find(class_of(a.nodes[variables + roots[r]]).v);
          at != instructions_.end())
        for (const InstructionId target : at->second) write(target, r, right, inputs, source.name());
  }

  void write(InstructionId target, size_t root, const ir::Graph& right,
             const std::vector<InstructionId>& inputs, const std::string& rule) {
    const passes::Site site(graph_, target);  // what it writes is the target's computation's
    if (!passes::may_be_replaced(graph_.module(), target) || !site.has_static_shapes()) return;
    const passes::WrittenProgram written = passes::write_program(graph_.writer(), right, inputs);
    if (!written.why.empty() || written.outputs[root] == target) return;
    if (site.same_shape(target, written.outputs[root])) graph_.propose(target, written.outputs[root], rule);
  }

  AlternativeGraph& graph_;
  rewrite::Saturation& saturation_;
  rewrite::TensorEGraph& program_;
  std::unordered_map<uint32_t, std::vector<InstructionId>> instructions_;  ///< by class, in their order
};

class RuleFile : public passes::Pass {
 public:
  explicit RuleFile(const std::string& path) : name_(path) {
    constexpr double kSecondsToCheck = 60;
    ir::Context ctx(ir::standard_ops());
    RuleWishes wishes;
    wishes.files = {path};
    wishes.until = Deadline(kSecondsToCheck, steady_clock());
    choice_ = choose_rules(ctx, wishes);
  }
  std::string_view name() const override { return name_; }
  const RuleChoice& choice() const { return choice_; }

  /// In the entry, and in what loops, branches and calls run: what reduces, compares or is a kernel's stays.
  void propose(AlternativeGraph& graph) const override {
    const std::vector<bool> within = passes::within_kernels(graph.module(), graph.originals());
    for (uint32_t c = 0; c < within.size(); ++c)
      if (!within[c] && graph.module().computations[c].instructions.first < graph.originals())
        propose(graph, hlo::ComputationId(c));
  }

 private:
  /// E-nodes that all matches in a computation may make.
  static constexpr size_t kMostMade = 100'000;

  void propose(AlternativeGraph& graph, hlo::ComputationId computation) const {
    ir::Context ctx(ir::standard_ops());
    const formats::HloValues values = formats::hlo_values(ctx, graph.module(), computation);
    rewrite::TensorEGraph program(values.graph, FloatPromise::kFinite);
    rewrite::Saturation saturation(program, choice_.rules);
    rewrite::SaturateOptions once;
    once.limits.iterations = 1;
    once.limits.nodes = program.graph().slots() + kMostMade;
    once.node_multi = kMostMade;
    once.cycles = rewrite::CycleMode::kNone;
    saturation.run(once);
    Matches(graph, values, saturation).propose();
  }

  std::string name_;
  RuleChoice choice_;
};

/// The passes of files, as long as these do not change.
class RuleFiles {
 public:
  std::shared_ptr<const RuleFile> of(const std::string& path) {
    const std::lock_guard held(lock_);
    std::error_code none;
    const auto changed = std::filesystem::last_write_time(path, none);
    auto& [when, pass] = kept_[path];
    if (!pass || none || when != changed) {
      pass = std::make_shared<const RuleFile>(path);
      when = changed;
    }
    return pass;
  }

 private:
  std::mutex lock_;
  std::map<std::string, std::pair<std::filesystem::file_time_type, std::shared_ptr<const RuleFile>>> kept_;
};

RuleFiles& rule_files() {
  static RuleFiles all;
  return all;
}

}  // namespace

std::shared_ptr<const passes::Pass> hlo_rule_pass(const std::string& path) { return rule_files().of(path); }

std::vector<std::string> left_out_of(std::span<const std::shared_ptr<const passes::Pass>> passes) {
  std::vector<std::string> out;
  for (const auto& pass : passes)
    if (const auto* const file = dynamic_cast<const RuleFile*>(pass.get()))
      for (const auto& [reason, rules] : file->choice().left_out)
        out.push_back(fmt::format("{}: left out ({}): {}", file->name(), reason, fmt::join(rules, ", ")));
  return out;
}

bool is_hlo_rule_file(const std::string& name) { return name.ends_with(".rules"); }

std::shared_ptr<const passes::Pass> hlo_pass(const std::string& name) {
  return is_hlo_rule_file(name) ? hlo_rule_pass(name) : passes::find_pass(name);
}

std::vector<std::shared_ptr<const passes::Pass>> hlo_passes(std::span<const std::string> names) {
  std::vector<std::shared_ptr<const passes::Pass>> out;
  for (const std::string& name : names) out.push_back(hlo_pass(name));
  return out;
}

}  // namespace isomer::recipes
