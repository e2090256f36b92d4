// XLA's WhileLoopInvariantCodeMotion: what each turn of a loop computes anew from parts of the state that no
// turn changes is computed before the loop and carried in the state. As there, constants and what only names
// or moves values (broadcasts, slices, ...) stay in the body unless something dearer is computed of them. The
// loop has a wider one as its alternative, so that keeping the state small stays possible.
#include <algorithm>

#include "passes/known_passes.h"
#include "passes/wider_loop.h"

namespace isomer::passes {
namespace {

using enum Opcode;

/// Not worth a part of the state by itself.
bool is_cheap(Opcode opcode) {
  switch (opcode) {
    case kBitcast:
    case kBroadcast:
    case kConstant:
    case kCopy:
    case kGetTupleElement:
    case kIota:
    case kReshape:
    case kReverse:
    case kSlice:
    case kTranspose:
    case kTuple: return true;
    default: return false;
  }
}

/// Backwards from the body's end: what is computed in the body, up to what can be moved. In the body's order.
std::vector<InstructionId> to_move(const Site& s, const Loop& loop) {
  const hlo::Range all = s.m[loop.body].instructions;
  const std::vector<bool> invariant = invariants(s, loop);
  std::vector<bool> stays(all.count, false);
  std::vector<InstructionId> out;
  stays[s.m[loop.body].root.v - all.first] = true;
  for (uint32_t i = all.count; i-- > 0;) {
    const InstructionId id(all.first + i);
    if (!stays[i]) continue;
    if (invariant[i] && !is_cheap(s.op(id)) && s.is_array(id) && s.m[id].operands.count > 0) {
      out.push_back(id);
    } else {
      for (const InstructionId operand : s.m.operands(id)) stays[operand.v - all.first] = true;
    }
  }
  std::ranges::reverse(out);
  return out;
}

void propose_motion(const Site& s, const Loop& loop) {
  const std::vector<InstructionId> ids = to_move(s, loop);
  if (ids.empty()) return;
  Copies before = copies_before(s, loop);
  std::vector<Moved> moved;
  for (const InstructionId id : ids) moved.push_back({id, before.of(id), {}});
  s.graph.propose(loop.at, wider_loop(s, loop, moved), "computed-before-the-loop");
}

class LoopInvariantMotion : public Pass {
 public:
  std::string_view name() const override { return "while-loop-invariant-code-motion"; }

  void propose(AlternativeGraph& graph) const override { each_loop(graph, propose_motion); }
};

}  // namespace

std::shared_ptr<const Pass> loop_invariant_motion() {
  static const auto kPass = std::make_shared<const LoopInvariantMotion>();
  return kPass;
}

}  // namespace isomer::passes
