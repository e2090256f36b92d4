#include "passes/rebuild.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "passes/alternatives.h"

namespace isomer::passes {
namespace {

using hlo::Attribute;
using hlo::AttributeKind;
using hlo::Computation;
using hlo::Instruction;

InstructionId resolve(std::span<const InstructionId> instead, InstructionId id) {
  // A chain of replacements ends: each leads to a value that is computed before, unless it is a cycle.
  for (size_t steps = 0; id.v < instead.size() && instead[id.v].valid(); ++steps) {
    if (steps > instead.size()) break;
    id = instead[id.v];
  }
  return id;
}

/// Walks over operands, each first; `emit` is called once for each instruction that is needed.
class Walk {
 public:
  enum State : uint8_t { kNew, kOpen, kDone };

  Walk(const Module& module, std::span<const InstructionId> instead)
      : m_(module), instead_(instead), state_(module.instructions.size(), kNew) {}

  /// Not more than once on a cycle; returns whether there was none.
  template <class Emit>
  bool from(InstructionId start, Emit&& emit) {
    push(resolve(instead_, start));
    while (!stack_.empty()) {
      auto& [id, next] = stack_.back();
      const auto operands = m_.operands(id);
      if (next < operands.size() + extra(id).size()) {
        const size_t at = next++;
        const InstructionId wanted =
            at < operands.size() ? operands[at]
                                 : InstructionId(static_cast<uint32_t>(extra(id)[at - operands.size()]));
        const InstructionId other = resolve(instead_, wanted);
        if (state_[other.v] == kOpen) return false;
        push(other);
        continue;
      }
      state_[id.v] = kDone;
      emit(id);
      stack_.pop_back();
    }
    return true;
  }
  bool done(InstructionId id) const { return state_[id.v] == kDone; }

  /// After from() found a cycle.
  std::vector<InstructionId> open() const {
    std::vector<InstructionId> out;
    for (const auto& [id, next] : stack_) out.push_back(id);
    return out;
  }

 private:
  void push(InstructionId id) {
    if (state_[id.v] != kNew) return;
    state_[id.v] = kOpen;
    stack_.push_back({id, 0});
  }
  std::span<const int64_t> extra(InstructionId id) const {
    return m_[id].attributes.count == 0 ? std::span<const int64_t>{}
                                        : m_.list(id, AttributeName::kControlPredecessors);
  }

  const Module& m_;
  std::span<const InstructionId> instead_;
  std::vector<State> state_;
  std::vector<std::pair<InstructionId, uint32_t>> stack_;
};

/// Where walks start: parameters, effects, the root.
std::vector<InstructionId> needed(const Module& module, const Computation& c) {
  const auto parameters = std::span(module.parameters).subspan(c.parameters.first, c.parameters.count);
  std::vector<InstructionId> out(parameters.begin(), parameters.end());
  for (uint32_t i = 0; i < c.instructions.count; ++i)
    if (const InstructionId one(c.instructions.first + i); has_side_effect(module, one)) out.push_back(one);
  out.push_back(c.root);
  return out;
}

class Rebuild {
 public:
  Rebuild(const Module& module, std::span<const InstructionId> instead)
      : m_(module),
        instead_(instead),
        walk_(module, instead),
        place_(module.instructions.size()),
        computation_(module.computations.size()) {}

  Module run() {
    out_.file = m_.file;
    out_.name = m_.name;
    out_.stack_frames = m_.stack_frames;
    out_.texts = m_.texts;
    out_.shapes = m_.shapes;
    out_.line_starts = m_.line_starts;
    out_.instructions.reserve(m_.instructions.size());
    out_.entry = computation(m_.entry);
    out_.header = attributes(m_.attributes_of(m_.header));
    return std::move(out_);
  }

 private:
  /// Callees first; nested no deeper than computations are.
  ComputationId computation(ComputationId id) {
    if (computation_[id.v].valid()) return computation_[id.v];
    const Computation& c = m_[id];
    std::vector<InstructionId> order;
    for (const InstructionId start : needed(m_, c))
      walk_.from(start, [&](InstructionId i) { order.push_back(i); });
    std::vector<ComputationId> callees;
    for (const InstructionId i : order) m_.called(i, callees);
    for (const ComputationId callee : callees) computation(callee);

    Computation made;
    made.name = c.name;
    made.instructions = {static_cast<uint32_t>(out_.instructions.size()),
                         static_cast<uint32_t>(order.size())};
    made.attributes = attributes(m_.attributes_of(c.attributes));
    for (const InstructionId i : order) instruction(i);
    made.root = place_[resolve(instead_, c.root).v];
    made.parameters = {static_cast<uint32_t>(out_.parameters.size()), c.parameters.count};
    for (const InstructionId p : m_.parameters_of(id)) out_.parameters.push_back(place_[p.v]);
    out_.computations.push_back(made);
    return computation_[id.v] = ComputationId(out_.computations.size() - 1);
  }

  void instruction(InstructionId id) {
    Instruction i = m_[id];
    const auto operands = m_.operands(id);
    const auto first = static_cast<uint32_t>(out_.operand_ids.size());
    for (const InstructionId operand : operands)
      out_.operand_ids.push_back(place_[resolve(instead_, operand).v]);
    i.operands = {first, static_cast<uint32_t>(operands.size())};
    i.attributes = attributes(m_.attributes_of(id));
    if (!i.name.valid()) i.name = free_name(i.opcode);
    if (i.opcode == Opcode::kConstant) i.value = literal(i.value);
    place_[id.v] = InstructionId(out_.instructions.size());
    out_.instructions.push_back(i);
  }

  hlo::TextId free_name(Opcode opcode) {
    uint32_t& number = numbers_[static_cast<size_t>(opcode)];
    for (;;) {
      const std::string name = fmt::format("{}.{}", hlo::name(opcode), ++number);
      if (!out_.texts.find(name).valid()) return out_.texts.intern(name);
    }
  }

  uint32_t literal(uint32_t id) {
    out_.literals.push_back(m_.literals[id]);
    return static_cast<uint32_t>(out_.literals.size() - 1);
  }

  hlo::Range attributes(std::span<const Attribute> all) {
    const hlo::Range range = {static_cast<uint32_t>(out_.attributes.size()),
                              static_cast<uint32_t>(all.size())};
    for (const Attribute& a : all) {
      const auto value = m_.value(a);
      out_.attributes.push_back(
          {a.name, {static_cast<uint32_t>(out_.numbers.size()), static_cast<uint32_t>(value.size())}});
      for (const int64_t n : value) out_.numbers.push_back(number(a.name, n));
    }
    return range;
  }

  int64_t number(AttributeName name, int64_t n) {
    switch (hlo::row(name).kind) {
      case AttributeKind::kComputation:
      case AttributeKind::kComputations: return computation_[static_cast<size_t>(n)].v;
      case AttributeKind::kInstructions:
        return place_[resolve(instead_, InstructionId(static_cast<uint32_t>(n))).v].v;
      case AttributeKind::kLiteral: return literal(static_cast<uint32_t>(n));
      default: return n;
    }
  }

  const Module& m_;
  std::span<const InstructionId> instead_;
  Module out_;
  Walk walk_;
  std::vector<InstructionId> place_;
  std::vector<ComputationId> computation_;
  std::array<uint32_t, hlo::kOpcodeCount> numbers_{};
};

}  // namespace

bool acts(const Module& module, InstructionId id) {
  switch (module[id].opcode) {
    case Opcode::kCustomCall: return module.number(id, AttributeName::kCustomCallHasSideEffect) != 0;
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState: return true;
    default: return false;
  }
}

bool has_side_effect(const Module& module, InstructionId id) {
  if (acts(module, id)) return true;
  std::vector<ComputationId> reached;
  module.called(id, reached);
  if (reached.empty()) return false;
  std::vector<bool> seen(module.computations.size());  // each once, however many call it
  while (!reached.empty()) {
    const ComputationId callee = reached.back();
    reached.pop_back();
    if (seen[callee.v]) continue;
    seen[callee.v] = true;
    const hlo::Range all = module[callee].instructions;
    for (uint32_t i = 0; i < all.count; ++i) {
      const InstructionId inner(all.first + i);
      if (acts(module, inner)) return true;
      module.called(inner, reached);
    }
  }
  return false;
}

std::vector<InstructionId> find_cycle(const Module& module, std::span<const InstructionId> instead) {
  Walk walk(module, instead);
  // A chain of replacements may be a cycle by itself.
  for (uint32_t i = 0; i < instead.size(); ++i) {
    const InstructionId last = resolve(instead, InstructionId(i));
    if (last.v >= instead.size() || !instead[last.v].valid()) continue;
    std::vector<InstructionId> out = {last};
    for (InstructionId at = instead[last.v]; at != last; at = instead[at.v]) out.push_back(at);
    return out;
  }
  for (const Computation& c : module.computations) {
    if (c.instructions.first >= instead.size()) break;  // from there on nothing is replaced
    for (const InstructionId start : needed(module, c)) {
      if (walk.from(start, [](InstructionId) {})) continue;
      std::vector<InstructionId> out = walk.open();
      for (uint32_t i = 0; i < instead.size(); ++i)
        if (instead[i].valid() && std::ranges::find(out, resolve(instead, InstructionId(i))) != out.end())
          out.emplace_back(i);
      return out;
    }
  }
  return {};
}

hlo::Module rebuilt(const Module& module, std::span<const InstructionId> instead) {
  return Rebuild(module, instead).run();
}

}  // namespace isomer::passes
