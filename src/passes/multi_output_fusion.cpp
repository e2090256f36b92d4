// XLA's GpuMultiOutputFusion: instructions that read the same array, or of which one reads the other, become
// one fusion of several results, so that what they share is read once. A proposal for each member, which is
// its part of the fusion; the others' stay right without it.
//
// The order and the heuristics are those of XLA's source of 2023, in one sweep: producers from the last to
// the first, of each first its users among themselves (of two of them one is a fusion already), then the
// producer into the first of its users, where it has several, fusions before others. What is joined has loops
// of equal sizes and layouts, nothing leads from one out and back into the other, and a kernel has at most so
// many parameters and results. Left out are XLA's model of times (what is fused here reads less, and writes
// the same), loops over what a reduction reads beside the reduction, and fusions that have several results
// already.
#include <algorithm>

#include "passes/fusions.h"
#include "passes/known_passes.h"

namespace isomer::passes {
namespace {

/// Of one producer so many users are looked at: pairs of them grow with the square.
constexpr size_t kMostSiblings = 64;

/// What a kernel runs over: the elements of its result, and for each what a reduction reads.
struct Loop {
  Dims sizes, layout, reduced;
  bool operator==(const Loop&) const = default;
};

class MultiOutputFuser {
 public:
  MultiOutputFuser(AlternativeGraph& graph, ComputationId home)
      : graph_(graph), m_(graph.module()), range_(m_[home].instructions), group_(range_.count, kNone) {}

  void propose() {
    for (uint32_t i = range_.count; i-- > 0;) {
      const InstructionId producer(range_.first + i);
      if (m_[producer].opcode == Opcode::kConstant) continue;
      const std::vector<InstructionId> users = different_users(graph_, producer);
      join_siblings(users);
      if (users.size() > 1) join_to_a_user(producer, users);
    }
    for (std::vector<InstructionId>& members : groups_) {
      if (members.empty()) continue;
      std::ranges::sort(members);
      propose_fusion_of_all(graph_, members, "one-of-several-results");
    }
  }

 private:
  static constexpr uint32_t kNone = ~0U;

  bool may_be_a_result(InstructionId id) const {
    if (!is_loop(m_, id) && m_[id].opcode != Opcode::kReduce) return false;
    return may_be_fused(m_, id) && m_[last_of(m_, id)].opcode != Opcode::kDynamicUpdateSlice;
  }

  Loop loop(InstructionId id) const {
    const auto copied = [](std::span<const int64_t> v) { return Dims(v.begin(), v.end()); };
    const InstructionId last = last_of(m_, id);
    const bool reduces = m_[last].opcode == Opcode::kReduce;
    const ShapeId over = m_.shape(reduces ? m_.operands(last)[0] : id);
    return {copied(m_.shapes.dims(over)), copied(m_.shapes.minor_to_major(over)),
            reduces ? copied(m_.list(last, AttributeName::kDimensions)) : Dims{}};
  }

  std::vector<InstructionId> members(InstructionId id) const {
    const uint32_t group = group_[id.v - range_.first];
    return group == kNone ? std::vector{id} : groups_[group];
  }
  bool are_joined(InstructionId a, InstructionId b) const {
    const uint32_t group = group_[a.v - range_.first];
    return group != kNone && group == group_[b.v - range_.first];
  }

  void join_siblings(std::vector<InstructionId> siblings) {
    if (siblings.size() > kMostSiblings) siblings.resize(kMostSiblings);
    std::ranges::stable_sort(siblings, std::greater(), [&](InstructionId id) { return priority(id); });
    for (size_t i = 0; i < siblings.size() && m_[siblings[i]].opcode == Opcode::kFusion; ++i)
      for (size_t j = i + 1; j < siblings.size(); ++j)
        if (may_join(siblings[i], siblings[j]) && !reads(siblings[i], siblings[j]) &&
            !reads(siblings[j], siblings[i]))
          join(siblings[i], siblings[j]);
  }
  /// Fusions of several results first, then fusions.
  int priority(InstructionId id) const {
    if (group_[id.v - range_.first] != kNone) return 2;
    return m_[id].opcode == Opcode::kFusion ? 1 : 0;
  }

  void join_to_a_user(InstructionId producer, std::vector<InstructionId> users) {
    if (!may_be_a_result(producer) || transposes(producer)) return;
    std::ranges::stable_sort(users, std::greater(), [&](InstructionId id) { return priority(id); });
    const auto user = std::ranges::find_if(users, [&](InstructionId id) { return may_join(producer, id); });
    if (user != users.end()) join(producer, *user);
  }
  bool transposes(InstructionId id) const {
    const InstructionId last = last_of(m_, id);
    return m_[last].opcode == Opcode::kTranspose || m_[last].opcode == Opcode::kCopy;
  }

  bool may_join(InstructionId a, InstructionId b) const {
    if (!may_be_a_result(a) || !may_be_a_result(b) || are_joined(a, b) || loop(a) != loop(b)) return false;
    std::vector<InstructionId> all = members(a);
    for (const InstructionId member : members(b)) all.push_back(member);
    uint32_t size = 0;
    for (const InstructionId member : all) size += body_size(m_, member);
    return size <= kMostFused && outside_operands(m_, all).size() + all.size() <= kMostOperandsAndResults &&
           !closes_a_cycle(all);
  }
  /// Whether one reads a result of the other's kernel.
  bool reads(InstructionId user, InstructionId producer) const {
    const std::vector<InstructionId> producers = members(producer);
    for (const InstructionId member : members(user))
      for (const InstructionId operand : m_.operands(member))
        if (std::ranges::find(producers, operand) != producers.end()) return true;
    return false;
  }

  /// Whether a way leads out of them and back, over kernels that were joined before as over one instruction.
  bool closes_a_cycle(const std::vector<InstructionId>& all) const {
    std::vector<bool> seen(range_.count, false);
    std::vector<InstructionId> open;
    const auto look = [&](InstructionId id) {
      for (const InstructionId member : members(id)) {
        if (seen[member.v - range_.first]) continue;
        seen[member.v - range_.first] = true;
        open.push_back(member);
      }
    };
    const auto is_member = [&](InstructionId id) { return std::ranges::find(all, id) != all.end(); };
    for (const InstructionId member : all)
      for (const InstructionId operand : m_.operands(member))
        if (!is_member(operand)) look(operand);
    while (!open.empty()) {
      const InstructionId at = open.back();
      open.pop_back();
      if (is_member(at)) return true;
      for (const InstructionId operand : m_.operands(at)) look(operand);
      for (const int64_t before : m_.list(at, AttributeName::kControlPredecessors))
        look(InstructionId(static_cast<uint32_t>(before)));
    }
    return false;
  }

  void join(InstructionId a, InstructionId b) {
    std::vector<InstructionId> all = members(a);
    for (const InstructionId member : members(b)) all.push_back(member);
    for (const InstructionId member : all)
      if (uint32_t& group = group_[member.v - range_.first]; group != kNone) groups_[group].clear();
    for (const InstructionId member : all)
      group_[member.v - range_.first] = static_cast<uint32_t>(groups_.size());
    groups_.push_back(std::move(all));
  }

  AlternativeGraph& graph_;
  const Module& m_;
  hlo::Range range_;
  std::vector<uint32_t> group_;                     ///< of each instruction; kNone: by itself
  std::vector<std::vector<InstructionId>> groups_;  ///< empty: part of a later one
};

class MultiOutputFusion : public Pass {
 public:
  std::string_view name() const override { return "multi_output_fusion"; }
  void propose(AlternativeGraph& graph) const override {
    const std::vector<bool> within = within_kernels(graph.module(), graph.originals());
    for (uint32_t c = 0; c < within.size(); ++c)
      if (!within[c] && graph.module().computations[c].instructions.first < graph.originals())
        MultiOutputFuser(graph, ComputationId(c)).propose();
  }
};

}  // namespace

std::shared_ptr<const Pass> multi_output_fusion() { return std::make_shared<MultiOutputFusion>(); }

}  // namespace isomer::passes
