#include "passes/cse.h"

#include <algorithm>
#include <unordered_map>

#include "passes/rebuild.h"
#include "support/hash.h"

namespace isomer::passes {
namespace {

/// Each instruction gets the number of the first one that is equal to it: same opcode, shape, attributes that
/// count, and operands of the same numbers.
class Numbering {
 public:
  explicit Numbering(const Module& module) : m_(module), first_(module.instructions.size()) {}

  InstructionId of(InstructionId id) {
    first_[id.v] = id;
    if (!may_be_merged(m_, id)) return id;
    const uint64_t key = hash(id);
    for (auto [at, end] = known_.equal_range(key); at != end; ++at)
      if (same(at->second, id)) return first_[id.v] = at->second;
    known_.emplace(key, id);
    return id;
  }
  void forget() { known_.clear(); }

 private:
  uint64_t hash(InstructionId id) const {
    const hlo::Instruction& i = m_[id];
    uint64_t out = hash_combine(static_cast<uint64_t>(i.opcode), m_.shapes[i.shape].hash);
    for (const InstructionId operand : m_.operands(id)) out = hash_combine(out, first_[operand.v].v);
    if (i.opcode == Opcode::kConstant) out = hash_combine(out, hash_bytes(m_.literal(id).bytes));
    uint64_t attributes = 0;
    for (const hlo::Attribute& a : m_.attributes_of(id)) {
      if (!hlo::row(a.name).semantic) continue;
      uint64_t one = static_cast<uint64_t>(a.name) + 1;
      for (const int64_t n : m_.value(a)) one = hash_combine(one, static_cast<uint64_t>(n));
      attributes += mix64(one);
    }
    return hash_combine(out, attributes);
  }

  bool same(InstructionId a, InstructionId b) const {
    const hlo::Instruction &x = m_[a], &y = m_[b];
    if (x.opcode != y.opcode || x.shape != y.shape) return false;
    const auto first = [&](InstructionId id) { return first_[id.v]; };
    if (!std::ranges::equal(m_.operands(a), m_.operands(b), {}, first, first)) return false;
    if (x.opcode == Opcode::kConstant && m_.literal(a).bytes != m_.literal(b).bytes) return false;
    return attributes_within(a, b) && attributes_within(b, a);
  }

  bool attributes_within(InstructionId a, InstructionId b) const {
    return std::ranges::all_of(m_.attributes_of(a), [&](const hlo::Attribute& one) {
      if (!hlo::row(one.name).semantic) return true;
      const auto other = m_.find(b, one.name);
      return other && std::ranges::equal(m_.value(one), *other);
    });
  }

  const Module& m_;
  std::vector<InstructionId> first_;
  std::unordered_multimap<uint64_t, InstructionId> known_;
};

class CommonSubexpressions : public Pass {
 public:
  std::string_view name() const override { return "cse"; }

  void propose(AlternativeGraph& graph) const override {
    const Module& module = graph.module();
    Numbering numbering(module);
    for (uint32_t i = 0; i < graph.originals(); ++i) {
      const InstructionId id(i);
      if (i == 0 || graph.computation_of(id) != graph.computation_of(InstructionId(i - 1)))
        numbering.forget();
      graph.propose(id, numbering.of(id), "equal-to-earlier");
    }
  }
};

}  // namespace

bool may_be_merged(const Module& module, InstructionId id) {
  const Opcode opcode = module[id].opcode;
  if (opcode == Opcode::kParameter || opcode == Opcode::kOptimizationBarrier) return false;
  if (opcode == Opcode::kConstant && module.literal(id).elided) return false;
  return !has_side_effect(module, id) && !module.find(id, AttributeName::kChannelId) &&
         !module.find(id, AttributeName::kControlPredecessors);
}

std::shared_ptr<const Pass> common_subexpressions() {
  static const auto kPass = std::make_shared<const CommonSubexpressions>();
  return kPass;
}

}  // namespace isomer::passes
