// XLA's AllReduceCombiner, AllGatherCombiner and ReduceScatterCombiner: collectives of the same replicas,
// none of which needs another, are one collective of several arrays. XLA combines up to a number of bytes;
// here all of them are, and each has its part as an alternative. Of those with channels the combined one has
// a channel of its own.
#include <algorithm>

#include "passes/collectives.h"
#include "passes/groups.h"
#include "passes/known_passes.h"

namespace isomer::passes {
namespace {

class Combiner : public Pass {
 public:
  Combiner(std::string_view name, Opcode opcode) : name_(name), opcode_(opcode) {}
  std::string_view name() const override { return name_; }

  void propose(AlternativeGraph& graph) const override {
    const Module& m = graph.module();
    for (const hlo::Computation& c : m.computations) {
      std::vector<InstructionId> candidates;
      for (uint32_t i = 0; i < c.instructions.count; ++i)
        if (const InstructionId id(c.instructions.first + i);
            id.v < graph.originals() && m[id].opcode == opcode_ && is_plain_collective(m, id))
          candidates.push_back(id);
      if (candidates.size() < 2) continue;
      found_in(graph, candidates);
    }
  }

 private:
  void found_in(AlternativeGraph& graph, const std::vector<InstructionId>& candidates) const {
    const Site s(graph, candidates[0]);
    const auto alike = [&](InstructionId a, InstructionId b) { return same_collective(s, a, b); };
    for (const auto& group : groups(graph.module(), candidates, alike)) {
      std::vector<InstructionId> operands;
      std::vector<ShapeId> shapes;
      for (const InstructionId one : group) {
        operands.push_back(s.in(one, 0));
        shapes.push_back(s.m.shape(one));
      }
      const InstructionId all = s.w.again(group[0], s.m.shapes.tuple(hlo::ShapeKind::kTuple, shapes),
                                          operands, channel_beside(s, group[0]));
      for (size_t i = 0; i < group.size(); ++i)
        graph.propose(group[i], s.w.part(all, static_cast<int64_t>(i)), "part-of-combined");
    }
  }

  std::string_view name_;
  Opcode opcode_;
};

}  // namespace

std::shared_ptr<const Pass> all_reduce_combiner() {
  static const auto kPass = std::make_shared<const Combiner>("all-reduce-combiner", Opcode::kAllReduce);
  return kPass;
}

std::shared_ptr<const Pass> all_gather_combiner() {
  static const auto kPass = std::make_shared<const Combiner>("all-gather-combiner", Opcode::kAllGather);
  return kPass;
}

std::shared_ptr<const Pass> reduce_scatter_combiner() {
  static const auto kPass =
      std::make_shared<const Combiner>("reduce-scatter-combiner", Opcode::kReduceScatter);
  return kPass;
}

}  // namespace isomer::passes
