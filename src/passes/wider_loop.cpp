#include "passes/wider_loop.h"

#include <algorithm>

namespace isomer::passes {
namespace {

using enum Opcode;

class Wider {
 public:
  Wider(const Site& s, const Loop& loop, std::span<const Moved> moved) : s_(s), loop_(loop), moved_(moved) {}

  InstructionId write() {
    std::vector<InstructionId> state;
    std::vector<ShapeId> shapes;
    for (size_t i = 0; i < loop_.parts(); ++i) {
      state.push_back(initial_part(s_, loop_, i));
      shapes.push_back(s_.m.shapes.part(s_.m.shape(loop_.at), i));
    }
    for (const Moved& one : moved_) {
      state.push_back(one.before);
      shapes.push_back(s_.m.shape(one.before));
    }
    shape_ = s_.m.shapes.tuple(hlo::ShapeKind::kTuple, shapes);
    const InstructionId operands[] = {s_.w.add(kTuple, shape_, state)};
    const ComputationId condition = this->condition(), body = this->body();
    const AttributeValue instead[] = {{AttributeName::kCondition, {int64_t{condition.v}}},
                                      {AttributeName::kBody, {int64_t{body.v}}}};
    const InstructionId wide = s_.w.again(loop_.at, shape_, operands, instead);
    std::vector<InstructionId> parts;
    for (size_t i = 0; i < loop_.parts(); ++i) parts.push_back(s_.w.part(wide, static_cast<int64_t>(i)));
    return s_.w.add(kTuple, s_.m.shape(loop_.at), parts);
  }

 private:
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
      copies.put(moved_[i].id, moved_[i].use ? moved_[i].use(carried[i], copies) : carried[i]);
    }
    for (const InstructionId id : loop_.next) next.push_back(copies.of(id));
    next.insert(next.end(), carried.begin(), carried.end());
    s_.w.add(kTuple, shape_, next);
    return s_.w.computation("body", first, made);
  }

  const Site& s_;
  const Loop& loop_;
  std::span<const Moved> moved_;
  ShapeId shape_;
};

}  // namespace

std::vector<bool> invariants(const Site& s, const Loop& loop) {
  const hlo::Range all = s.m[loop.body].instructions;
  std::vector<bool> out(all.count, false);
  for (uint32_t i = 0; i < all.count; ++i) {
    const InstructionId id(all.first + i);
    if (const auto part = part_of_state(s, loop, id)) {
      out[i] = passes_through(s, loop, *part);
    } else {
      out[i] = !s.is(id, kParameter) && std::ranges::all_of(s.m.operands(id), [&](InstructionId operand) {
        return out[operand.v - all.first];
      });
    }
  }
  return out;
}

Copies copies_before(const Site& s, const Loop& loop) {
  Copies out(s.w);
  for (const InstructionId user : s.graph.users(loop.body_parameter))
    if (const auto part = *part_of_state(s, loop, user); passes_through(s, loop, part))
      out.put(user, initial_part(s, loop, part));
  return out;
}

InstructionId wider_loop(const Site& s, const Loop& loop, std::span<const Moved> moved) {
  return Wider(s, loop, moved).write();
}

}  // namespace isomer::passes
