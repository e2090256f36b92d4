// XLA's WhileLoopInvariantCodeMotion: what each turn of a loop computes anew from parts of the state that no
// turn changes is computed before the loop and carried in the state. As there, constants and what only names
// or moves values (broadcasts, slices, ...) stay in the body unless something dearer is computed of them. The
// loop has a wider one as its alternative, so that keeping the state small stays possible.
#include <algorithm>

#include "passes/known_passes.h"
#include "passes/loops.h"
#include "passes/rule_pass.h"

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

class Motion {
 public:
  Motion(const Site& s, const Loop& loop) : s_(s), loop_(loop) { find(); }

  void propose() {
    if (moved_.empty()) return;
    std::vector<InstructionId> state;
    std::vector<ShapeId> shapes;
    Copies before(s_.w);
    for (size_t i = 0; i < loop_.parts(); ++i) state.push_back(initial_part(s_, loop_, i));
    const auto users = s_.graph.users(loop_.body_parameter);
    for (const InstructionId user : users)
      if (const auto part = *part_of_state(s_, loop_, user); passes_through(s_, loop_, part))
        before.put(user, state[part]);
    for (size_t i = 0; i < loop_.parts(); ++i) shapes.push_back(s_.m.shapes.part(s_.m.shape(loop_.at), i));
    for (const InstructionId id : moved_) {
      state.push_back(before.of(id));
      shapes.push_back(s_.m.shape(id));
    }
    shape_ = s_.m.shapes.tuple(hlo::ShapeKind::kTuple, shapes);
    const InstructionId operands[] = {s_.w.add(kTuple, shape_, state)};
    const ComputationId condition = this->condition(), body = this->body();
    const AttributeValue instead[] = {{AttributeName::kCondition, {int64_t{condition.v}}},
                                      {AttributeName::kBody, {int64_t{body.v}}}};
    const InstructionId wide = s_.w.again(loop_.at, shape_, operands, instead);
    std::vector<InstructionId> parts;
    for (size_t i = 0; i < loop_.parts(); ++i) parts.push_back(s_.w.part(wide, static_cast<int64_t>(i)));
    s_.graph.propose(loop_.at, s_.w.add(kTuple, s_.m.shape(loop_.at), parts), "computed-before-the-loop");
  }

 private:
  /// Backwards from the body's end: what is computed in the body, up to what can be moved.
  void find() {
    const hlo::Range all = s_.m[loop_.body].instructions;
    std::vector<bool> invariant(all.count, false), stays(all.count, false);
    for (uint32_t i = 0; i < all.count; ++i) {
      const InstructionId id(all.first + i);
      if (const auto part = part_of_state(s_, loop_, id)) {
        invariant[i] = passes_through(s_, loop_, *part);
      } else {
        invariant[i] =
            !s_.is(id, kParameter) && std::ranges::all_of(s_.m.operands(id), [&](InstructionId operand) {
              return invariant[operand.v - all.first];
            });
      }
    }
    stays[s_.m[loop_.body].root.v - all.first] = true;
    for (uint32_t i = all.count; i-- > 0;) {
      const InstructionId id(all.first + i);
      if (!stays[i]) continue;
      if (invariant[i] && !is_cheap(s_.op(id)) && s_.is_array(id) && s_.m[id].operands.count > 0) {
        moved_.push_back(id);
      } else {
        for (const InstructionId operand : s_.m.operands(id)) stays[operand.v - all.first] = true;
      }
    }
    std::ranges::reverse(moved_);
  }

  /// A parameter of the wide state, and its parts for those of the narrow one.
  InstructionId parameter(InstructionId old, Copies& copies) {
    const InstructionId made = s_.w.parameter(0, shape_);
    for (const InstructionId user : s_.graph.users(old))
      copies.put(user, s_.w.part(made, s_.number(user, AttributeName::kIndex)));
    return made;
  }

  ComputationId condition() {
    s_.w.begin_computation();
    const auto first = static_cast<uint32_t>(s_.m.instructions.size());
    Copies copies(s_.w);
    const InstructionId made[] = {parameter(loop_.condition_parameter, copies)};
    const InstructionId root = copies.of(s_.m[loop_.condition].root);
    // The last instruction is the root.
    if (root.v + 1 != s_.m.instructions.size()) s_.w.unary(kCopy, root);
    return s_.w.computation("condition", first, made);
  }

  ComputationId body() {
    s_.w.begin_computation();
    const auto first = static_cast<uint32_t>(s_.m.instructions.size());
    Copies copies(s_.w);
    const InstructionId made[] = {parameter(loop_.body_parameter, copies)};
    std::vector<InstructionId> next, carried;
    for (size_t i = 0; i < moved_.size(); ++i) {
      carried.push_back(s_.w.part(made[0], static_cast<int64_t>(loop_.parts() + i)));
      copies.put(moved_[i], carried[i]);
    }
    for (const InstructionId id : loop_.next) next.push_back(copies.of(id));
    next.insert(next.end(), carried.begin(), carried.end());
    s_.w.add(kTuple, shape_, next);
    return s_.w.computation("body", first, made);
  }

  const Site& s_;
  const Loop& loop_;
  std::vector<InstructionId> moved_;  ///< in the order of the body
  ShapeId shape_;
};

class LoopInvariantMotion : public Pass {
 public:
  std::string_view name() const override { return "while-loop-invariant-code-motion"; }

  void propose(AlternativeGraph& graph) const override {
    for (uint32_t i = 0; i < graph.originals(); ++i) {
      const InstructionId at(i);
      if (graph.module()[at].opcode != kWhile || !may_be_replaced(graph.module(), at)) continue;
      const Site s(graph, at);
      if (const auto loop = Loop::of(s)) Motion(s, *loop).propose();
    }
  }
};

}  // namespace

std::shared_ptr<const Pass> loop_invariant_motion() {
  static const auto kPass = std::make_shared<const LoopInvariantMotion>();
  return kPass;
}

}  // namespace isomer::passes
