// XLA's FusionMerger for graphics processors: a fusion goes into all of its users and is gone, or it stays;
// what it computes is then computed in each of them. A proposal for each user.
//
// XLA's heuristics, as its source of 2022 to 2023 has them: the producer is a loop; every user is one, or a
// reduction; no user is a mere change of type or shape that costs nothing by itself; a reduction does not
// come to read what its producer mostly transposes; fusions stay within the bounds of a kernel; merged is not
// slower. XLA asks a model of the device's times for the last. Ours counts what the two models agree on: no
// more bytes are moved than before, and what is computed again does not cost more operations a byte than a
// processor does beside its memory.
#include <algorithm>

#include "passes/fusions.h"
#include "passes/known_passes.h"

namespace isomer::passes {
namespace {

/// Operations a byte that is read or written, of what is computed by several users.
constexpr int64_t kMostOperationsAByte = 16;

class Merger {
 public:
  explicit Merger(AlternativeGraph& graph) : graph_(graph), m_(graph.module()) {}

  void propose() {
    const std::vector<bool> within = within_kernels(m_, graph_.originals());
    for (uint32_t i = 0; i < graph_.originals(); ++i) {
      const InstructionId producer(i);
      if (within[graph_.computation_of(producer).v] || !is_loop_fusion(m_, producer)) continue;
      const std::vector<InstructionId> users = different_users(graph_, producer);
      if (!goes_into_all(producer, users)) continue;
      for (const InstructionId user : users) propose_fusion_of_two(graph_, producer, user, "merge");
    }
  }

 private:
  bool goes_into_all(InstructionId producer, const std::vector<InstructionId>& users) const {
    if (users.empty() || graph_.is_root(producer) || !may_be_fused(m_, producer)) return false;
    const bool transposes = transposes_most(producer);
    for (const InstructionId user : users) {
      const Opcode opcode = m_[user].opcode;
      if (opcode == Opcode::kBitcast || !may_be_fused(m_, user)) return false;
      if (opcode != Opcode::kFusion && opcode != Opcode::kReduceWindow && !stands_in_a_loop(opcode))
        return false;
      if (transposes && m_[last_of(m_, user)].opcode == Opcode::kReduce) return false;
      if (body_size(m_, producer) + body_size(m_, user) > kMostFused) return false;
      const std::initializer_list<InstructionId> both = {producer, user};
      if (outside_operands(m_, both).size() + 1 > kMostOperandsAndResults) return false;
    }
    return bytes_after(producer, users) <= bytes_before(producer, users) &&
           (users.size() == 1 || operations(producer) <= kMostOperationsAByte * bytes_moved(producer));
  }

  bool transposes_most(InstructionId fusion) const {
    const auto body = m_[body_of(m_, fusion)].instructions;
    int64_t moved = 0;
    for (uint32_t i = 0; i < body.count; ++i)
      if (const InstructionId id(body.first + i);
          m_[id].opcode == Opcode::kTranspose || m_[id].opcode == Opcode::kCopy)
        moved += m_.shapes.elements(m_.shape(id));
    return 2 * moved >= m_.shapes.elements(m_.shape(fusion));
  }

  int64_t bytes_read(std::span<const InstructionId> members) const {
    int64_t out = 0;
    for (const InstructionId operand : outside_operands(m_, members)) out += bytes_of(m_, operand);
    return out;
  }
  int64_t bytes_moved(InstructionId id) const { return bytes_read(std::span(&id, 1)) + bytes_of(m_, id); }
  int64_t bytes_before(InstructionId producer, const std::vector<InstructionId>& users) const {
    int64_t out = bytes_moved(producer);
    for (const InstructionId user : users) out += bytes_read(std::span(&user, 1));
    return out;
  }
  /// Users write what they wrote.
  int64_t bytes_after(InstructionId producer, const std::vector<InstructionId>& users) const {
    int64_t out = 0;
    for (const InstructionId user : users)
      out += bytes_read(std::initializer_list<InstructionId>{producer, user});
    return out;
  }
  int64_t operations(InstructionId fusion) const {
    const auto body = m_[body_of(m_, fusion)].instructions;
    int64_t out = 0;
    for (uint32_t i = 0; i < body.count; ++i) {
      const InstructionId id(body.first + i);
      const Opcode opcode = m_[id].opcode;
      if (opcode == Opcode::kReduce)
        out += m_.shapes.elements(m_.shape(m_.operands(id)[0]));
      else if (hlo::is_elementwise(opcode))
        out += m_.shapes.elements(m_.shape(id));
    }
    return out;
  }

  AlternativeGraph& graph_;
  const Module& m_;
};

class FusionMerger : public Pass {
 public:
  std::string_view name() const override { return "fusion_merger"; }
  void propose(AlternativeGraph& graph) const override { Merger(graph).propose(); }
};

}  // namespace

std::shared_ptr<const Pass> fusion_merger() { return std::make_shared<FusionMerger>(); }

}  // namespace isomer::passes
