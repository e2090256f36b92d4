#include "passes/subgraphs.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "passes/copies.h"
#include "passes/rebuild.h"

namespace isomer::passes {
namespace {

constexpr uint32_t kMostDraws = 1000;

bool may_be_inside(const Module& m, InstructionId id) {
  switch (m[id].opcode) {
    case Opcode::kParameter:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kCall:
    case Opcode::kCustomCall:
    case Opcode::kFusion: return false;
    default: return may_be_copied(m, id, false) && is_static(m, m.shape(id));
  }
}

bool is_array(const Module& m, InstructionId id) {
  return m.shapes[m.shape(id)].kind == hlo::ShapeKind::kArray && is_static(m, m.shape(id));
}

/// A sub-graph that grows from its result towards the parameters.
class Growth {
 public:
  Growth(const Module& module, InstructionId root) : m_(module) { take(root); }

  size_t size() const { return inside_.size() + border_.size(); }
  const std::vector<InstructionId>& border() const { return border_; }

  /// Takes in one of the border, so that the size is at most `most`; false where there is none such.
  bool grow(uint32_t most, Rng& rng) {
    std::vector<InstructionId> open;
    for (const InstructionId id : border_)
      if (may_be_inside(m_, id) && size() + fresh(id) <= most) open.push_back(id);
    if (open.empty()) return false;
    const InstructionId chosen = open[rng.below(open.size())];
    border_.erase(std::ranges::find(border_, chosen));
    take(chosen);
    return true;
  }

  bool has_arrays_at_its_border() const {
    return std::ranges::all_of(border_, [&](InstructionId id) { return is_array(m_, id); });
  }

 private:
  bool has(InstructionId id) const {
    return inside_.contains(id.v) || std::ranges::find(border_, id) != border_.end();
  }
  /// By how much it would grow.
  size_t fresh(InstructionId id) const {
    std::unordered_set<uint32_t> out;
    for (const InstructionId operand : m_.operands(id))
      if (!has(operand)) out.insert(operand.v);
    return out.size();
  }
  void take(InstructionId id) {
    inside_.insert(id.v);
    for (const InstructionId operand : m_.operands(id)) {
      if (has(operand)) continue;
      if (m_[operand].opcode == Opcode::kConstant)
        inside_.insert(operand.v);
      else
        border_.push_back(operand);
    }
  }

  const Module& m_;
  std::unordered_set<uint32_t> inside_;
  std::vector<InstructionId> border_;
};

/// The root as the result of a module whose parameters stand for the border.
Module cut_out(const Module& module, InstructionId root, const std::vector<InstructionId>& border) {
  Module out = module;
  Writer w(out);
  w.begin_computation();
  const auto first = static_cast<uint32_t>(out.instructions.size());
  Copies copies(w);
  std::vector<InstructionId> parameters;
  for (const InstructionId id : border) {
    parameters.push_back(w.parameter(static_cast<int64_t>(parameters.size()), out.shape(id)));
    copies.put(id, parameters.back());
  }
  copies.of(root);
  out.entry = w.computation("subgraph", first, parameters);
  out.header = {};
  return rebuilt(out, {});
}

}  // namespace

std::optional<Module> random_subgraph(const Module& module, SubgraphSize size, Rng& rng) {
  const hlo::Range entry = module[module.entry].instructions;
  const auto wanted = static_cast<uint32_t>(rng.between(size.least, size.most));
  for (uint32_t draw = 0; draw < kMostDraws; ++draw) {
    const InstructionId root(entry.first + static_cast<uint32_t>(rng.below(entry.count)));
    if (module[root].opcode == Opcode::kConstant || !is_array(module, root) || !may_be_inside(module, root))
      continue;
    Growth growth(module, root);
    while (growth.size() < wanted && growth.grow(size.most, rng)) {
    }
    if (growth.size() < size.least || growth.size() > size.most) return std::nullopt;
    if (!growth.has_arrays_at_its_border()) return std::nullopt;
    Module out = cut_out(module, root, growth.border());
    const uint32_t many = out[out.entry].instructions.count;
    return many >= size.least && many <= size.most ? std::optional(std::move(out)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace isomer::passes
