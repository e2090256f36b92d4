// XLA's WhileLoopSimplifier: a loop that is known to run never or once is written out; a part of the state
// that no turn changes is what it was at the beginning, and a constant in the body where it was one; parts
// that nothing needs are left out of the state. XLA finds trip counts by patterns and by trying many turns;
// here the first two are computed from what the state begins with. XLA also merges equal parts, flattens
// nested states and drops indices that only count; those are not here.
#include <algorithm>

#include "passes/known_passes.h"
#include "passes/loops.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

using enum Opcode;

std::optional<bool> truth(const std::optional<Bytes>& bytes) {
  if (!bytes || bytes->empty()) return std::nullopt;
  return (*bytes)[0] != std::byte{0};
}

InstructionId runs_never_or_once(const Site& s) {
  const auto condition = ComputationId(static_cast<uint32_t>(s.number(s.at, AttributeName::kCondition)));
  const auto body = ComputationId(static_cast<uint32_t>(s.number(s.at, AttributeName::kBody)));
  if (!may_be_copied_beside(s.m, condition) || !is_static(s.m, s.m.shape(s.at))) return {};
  const Known::State first = known_state(s.m, s.in(0));
  const auto goes_on = [&](const Known::State& state) {
    return truth(Known(s.m, condition, state).of(s.m[condition].root));
  };
  const auto begins = goes_on(first);
  if (!begins) return {};
  if (!*begins) return s.in(0);
  const Known::State second = Known(s.m, body, first).state(s.m[body].root);
  if (goes_on(second) != false || !may_be_copied(s.graph, body)) return {};
  const InstructionId argument[] = {s.in(0)};
  return written_out(s.w, body, argument);
}

/// A part of the result that no turn changes.
InstructionId part_that_stays(const Site& s) {
  if (!s.is(s.in(0), kWhile) || !may_be_replaced(s.m, s.in(0))) return {};
  const Site loop_site(s.graph, s.in(0));
  const auto loop = Loop::of(loop_site);
  const auto part = static_cast<size_t>(s.number(s.at, AttributeName::kIndex));
  if (!loop || !passes_through(loop_site, *loop, part)) return {};
  return initial_part(loop_site, *loop, part);
}

constexpr Rule kSimplifyWhileLoopsRules[] = {
    {kWhile, "loop-runs-never-or-once", runs_never_or_once},
    {kGetTupleElement, "part-that-stays", part_that_stays},
};

/// In a condition and a body that this loop alone calls.
void propagate_constants(const Site& s, const Loop& loop) {
  if (!s.is(loop.initial, kTuple)) return;
  if (callers(s.graph, loop.condition) != 1 || callers(s.graph, loop.body) != 1) return;
  for (const InstructionId parameter : {loop.condition_parameter, loop.body_parameter}) {
    const auto span = s.graph.users(parameter);
    for (const InstructionId user : std::vector<InstructionId>(span.begin(), span.end())) {
      const auto part = static_cast<size_t>(s.number(user, AttributeName::kIndex));
      const InstructionId initial = s.in(loop.initial, part);
      if (!passes_through(s, loop, part) || !s.is_constant(initial)) continue;
      // The body's end does not use it: a part that passes through is seen to.
      const auto users = s.graph.users(user);
      if (std::ranges::all_of(users, [&](InstructionId u) { return u == s.m[loop.body].root; })) continue;
      s.w.write_for(s.graph.computation_of(user));
      std::vector<std::byte> bytes = s.m.literal(initial).bytes;
      s.graph.propose(user, s.w.constant(s.m.shape(initial), std::move(bytes)), "part-is-a-constant");
    }
  }
  s.w.write_for(s.graph.computation_of(s.at));
}

/// Which parts an instruction is computed from.
void find_parts(const Site& s, const Loop& loop, InstructionId from, std::vector<bool>& out) {
  std::vector<InstructionId> open = {from};
  std::unordered_map<uint32_t, bool> seen;
  while (!open.empty()) {
    const InstructionId at = open.back();
    open.pop_back();
    if (!seen.emplace(at.v, true).second) continue;
    if (const auto part = part_of_state(s, loop, at)) {
      out[*part] = true;
      continue;
    }
    for (const InstructionId operand : s.m.operands(at)) open.push_back(operand);
  }
}

/// Those that the result, the condition or another needed part needs; empty where the result is used whole.
std::vector<bool> needed(const Site& s, const Loop& loop) {
  std::vector<bool> out(loop.parts(), false), done(loop.parts(), false);
  if (s.graph.is_root(s.at) || s.graph.users(s.at).empty()) return {};
  for (const InstructionId user : s.graph.users(s.at)) {
    if (!s.is(user, kGetTupleElement) || !may_be_replaced(s.m, user)) return {};
    out[static_cast<size_t>(s.number(user, AttributeName::kIndex))] = true;
  }
  find_parts(s, loop, s.m[loop.condition].root, out);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < loop.parts(); ++i)
      if (out[i] && !done[i]) {
        find_parts(s, loop, loop.next[i], out);
        done[i] = changed = true;
      }
  }
  return out;
}

class Narrowed {
 public:
  Narrowed(const Site& s, const Loop& loop, const std::vector<bool>& kept) : s_(s), loop_(loop) {
    std::vector<ShapeId> shapes;
    for (size_t i = 0; i < kept.size(); ++i) {
      place_.push_back(static_cast<int64_t>(kept_.size()));
      if (!kept[i]) continue;
      kept_.push_back(i);
      shapes.push_back(s.m.shapes.part(s.m.shape(loop.at), i));
    }
    shape_ = s.m.shapes.tuple(hlo::ShapeKind::kTuple, shapes);
  }

  InstructionId write() {
    std::vector<InstructionId> initial;
    for (const size_t i : kept_) initial.push_back(initial_part(s_, loop_, i));
    const InstructionId state[] = {s_.w.add(kTuple, shape_, initial)};
    const ComputationId condition = computation(loop_.condition_parameter, false);
    const ComputationId body = computation(loop_.body_parameter, true);
    const AttributeValue instead[] = {{AttributeName::kCondition, {int64_t{condition.v}}},
                                      {AttributeName::kBody, {int64_t{body.v}}}};
    return s_.w.again(loop_.at, shape_, state, instead);
  }
  int64_t place(size_t part) const { return place_[part]; }

 private:
  ComputationId computation(InstructionId parameter, bool body) {
    const auto users = s_.graph.users(parameter);
    s_.w.begin_computation();
    const auto first = static_cast<uint32_t>(s_.m.instructions.size());
    const InstructionId made[] = {s_.w.parameter(0, shape_)};
    Copies copies(s_.w);
    for (const InstructionId user : users)
      if (const auto part = *part_of_state(s_, loop_, user); std::ranges::count(kept_, part) > 0)
        copies.put(user, s_.w.part(made[0], place_[part]));
    if (body) {
      std::vector<InstructionId> next;
      for (const size_t i : kept_) next.push_back(copies.of(loop_.next[i]));
      s_.w.add(kTuple, shape_, next);
    } else if (const InstructionId root = copies.of(s_.m[loop_.condition].root);
               root.v + 1 != s_.m.instructions.size()) {
      // The last instruction is the root.
      s_.w.unary(kCopy, root);
    }
    return s_.w.computation(body ? "body" : "condition", first, made);
  }

  const Site& s_;
  const Loop& loop_;
  std::vector<size_t> kept_;
  std::vector<int64_t> place_;
  ShapeId shape_;
};

void leave_out_unneeded(const Site& s, const Loop& loop) {
  const std::vector<bool> kept = needed(s, loop);
  if (std::ranges::count(kept, false) == 0) return;
  Narrowed narrowed(s, loop, kept);
  const InstructionId made = narrowed.write();
  const auto span = s.graph.users(s.at);
  for (const InstructionId user : std::vector<InstructionId>(span.begin(), span.end())) {
    const auto part = static_cast<size_t>(s.number(user, AttributeName::kIndex));
    s.graph.propose(user, s.w.part(made, narrowed.place(part)), "parts-that-are-needed");
  }
}

class SimplifyWhileLoops : public RulePass {
 public:
  SimplifyWhileLoops() : RulePass("simplify-while-loops", kSimplifyWhileLoopsRules) {}

  void propose(AlternativeGraph& graph) const override {
    RulePass::propose(graph);
    each_loop(graph, [](const Site& s, const Loop& loop) {
      propagate_constants(s, loop);
      leave_out_unneeded(s, loop);
    });
  }
};

}  // namespace

std::shared_ptr<const Pass> simplify_while_loops() {
  static const auto kPass = std::make_shared<const SimplifyWhileLoops>();
  return kPass;
}

}  // namespace isomer::passes
