// XLA's ConditionalSimplifier: a branch that is known, or the only one, or equal to all others, is written
// out; two branches that only move or name values are both written out, and what they give is selected;
// results that nobody uses are not made. XLA also drops operands that no branch uses; that is not here.
#include <algorithm>

#include "passes/copies.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

using enum Opcode;

ComputationId id_of(int64_t n) { return ComputationId(static_cast<uint32_t>(n)); }

/// In the order of the operands: of a truth the true one first.
std::vector<ComputationId> branches(const Site& s) {
  std::vector<ComputationId> out;
  for (const AttributeName name : {AttributeName::kTrueComputation, AttributeName::kFalseComputation,
                                   AttributeName::kBranchComputations})
    for (const int64_t n : s.m.list(s.at, name)) out.push_back(id_of(n));
  return out;
}

bool is_plain(const Site& s) { return is_static(s.m, s.m.shape(s.at)); }

InstructionId written_branch(const Site& s, size_t branch) {
  const InstructionId argument[] = {s.in(branch + 1)};
  return written_out(s.w, branches(s)[branch], argument);
}

/// Numbers that name no branch name the last.
std::optional<size_t> known_branch(const Site& s) {
  const size_t count = s.arity(s.at) - 1;
  if (count == 1) return 0;
  if (!s.is_constant(s.in(0))) return std::nullopt;
  const int64_t number = hlo::whole_value(s.element(s.in(0)), s.m.literal(s.in(0)).bytes.data());
  if (s.element(s.in(0)) == Primitive::kPred) return number != 0 ? 0 : 1;
  const auto last = static_cast<int64_t>(count) - 1;
  return static_cast<size_t>(number < 0 || number > last ? last : number);
}

InstructionId branch_is_known(const Site& s) {
  const auto branch = known_branch(s);
  if (!branch || !is_plain(s) || !may_be_copied(s.graph, branches(s)[*branch])) return {};
  return written_branch(s, *branch);
}

/// Instruction by instruction.
bool are_equal(const Module& m, ComputationId a, ComputationId b) {
  const hlo::Range x = m[a].instructions, y = m[b].instructions;
  if (a == b) return true;
  if (x.count != y.count || m[a].root.v - x.first != m[b].root.v - y.first) return false;
  for (uint32_t i = 0; i < x.count; ++i) {
    const InstructionId p(x.first + i), q(y.first + i);
    if (m[p].opcode != m[q].opcode || m[p].shape != m[q].shape) return false;
    if (m[p].opcode == kConstant ? m.literal(p).elided || m.literal(p).bytes != m.literal(q).bytes
                                 : m[p].value != m[q].value)
      return false;
    const auto place = [&](uint32_t first) { return [first](InstructionId id) { return id.v - first; }; };
    if (!std::ranges::equal(m.operands(p), m.operands(q), {}, place(x.first), place(y.first))) return false;
    const auto within = [&](InstructionId one, InstructionId other) {
      return std::ranges::all_of(m.attributes_of(one), [&](const hlo::Attribute& attribute) {
        if (!hlo::row(attribute.name).semantic) return true;
        const auto value = m.find(other, attribute.name);
        return value && std::ranges::equal(*value, m.value(attribute));
      });
    };
    if (!within(p, q) || !within(q, p)) return false;
  }
  return true;
}

InstructionId branches_are_equal(const Site& s) {
  const std::vector<ComputationId> all = branches(s);
  if (all.size() < 2 || !is_plain(s) || !may_be_copied(s.graph, all[0])) return {};
  for (size_t i = 1; i < all.size(); ++i)
    if (s.in(i + 1) != s.in(1) || !are_equal(s.m, all[0], all[i])) return {};
  return written_branch(s, 0);
}

bool costs_little(const Site& s, ComputationId branch) {
  const hlo::Range all = s.m[branch].instructions;
  for (uint32_t i = 0; i < all.count; ++i) switch (s.op(InstructionId(all.first + i))) {
      case kParameter:
      case kConstant:
      case kGetTupleElement:
      case kTuple:
      case kBroadcast:
      case kReshape:
      case kSlice: break;
      default: return false;
    }
  return may_be_copied(s.graph, branch);
}

/// Leaf by leaf.
InstructionId selected(const Site& s, InstructionId condition, InstructionId a, InstructionId b) {
  const ShapeId shape = s.m.shape(a);
  if (s.m.shapes[shape].kind != hlo::ShapeKind::kTuple) {
    const Dims dims = s.dims(a);
    return s.w.select(dims.empty() ? condition : s.w.splat(condition, dims), a, b);
  }
  std::vector<InstructionId> parts;
  const auto part = [&](InstructionId of, size_t i) {
    return s.is(of, kTuple) ? s.in(of, i) : s.w.part(of, static_cast<int64_t>(i));
  };
  for (size_t i = 0; i < s.m.shapes[shape].count; ++i) {
    const InstructionId x = part(a, i), y = part(b, i);
    parts.push_back(selected(s, condition, x, y));
  }
  return s.w.tuple(parts);
}

InstructionId branches_cost_little(const Site& s) {
  const std::vector<ComputationId> all = branches(s);
  if (all.size() != 2 || s.element(s.in(0)) != Primitive::kPred || !is_plain(s)) return {};
  if (known_branch(s) || !costs_little(s, all[0]) || !costs_little(s, all[1])) return {};
  const InstructionId a = written_branch(s, 0), b = written_branch(s, 1);
  return selected(s, s.in(0), a, b);
}

constexpr Rule kSimplifyConditionalRules[] = {
    {kConditional, "branch-is-known", branch_is_known},
    {kConditional, "branches-are-equal", branches_are_equal},
    {kConditional, "branches-cost-little", branches_cost_little},
};

/// A branch that gives some parts of its result alone.
ComputationId narrowed(const Site& s, ComputationId branch, const std::vector<int64_t>& kept, ShapeId shape) {
  const InstructionId parameter = s.m.parameters_of(branch)[0], root = s.m[branch].root;
  s.w.begin_computation();
  const auto first = static_cast<uint32_t>(s.m.instructions.size());
  const InstructionId made[] = {s.w.parameter(0, s.m.shape(parameter))};
  Copies copies(s.w);
  copies.put(parameter, made[0]);
  std::vector<InstructionId> parts;
  for (const int64_t i : kept)
    parts.push_back(s.is(root, kTuple) ? copies.of(s.in(root, static_cast<size_t>(i)))
                                       : s.w.part(copies.of(root), i));
  s.w.add(kTuple, shape, parts);
  return s.w.computation("branch", first, made);
}

/// Each used part of the result by a conditional that gives the used ones.
void leave_out_unused(const Site& s) {
  const auto span = s.graph.users(s.at);
  const std::vector<InstructionId> users(span.begin(), span.end());
  if (s.graph.is_root(s.at) || users.empty() || !is_plain(s)) return;
  Dims kept;
  for (const InstructionId user : users) {
    if (!s.is(user, kGetTupleElement) || !may_be_replaced(s.m, user)) return;
    kept.push_back(s.number(user, AttributeName::kIndex));
  }
  std::ranges::sort(kept);
  const auto repeated = std::ranges::unique(kept);
  kept.erase(repeated.begin(), repeated.end());
  if (kept.size() == s.m.shapes[s.m.shape(s.at)].count) return;
  const std::vector<ComputationId> all = branches(s);
  if (!std::ranges::all_of(all, [&](ComputationId c) { return may_be_copied_beside(s.m, c); })) return;
  std::vector<ShapeId> shapes;
  for (const int64_t i : kept) shapes.push_back(s.m.shapes.part(s.m.shape(s.at), static_cast<size_t>(i)));
  const ShapeId shape = s.m.shapes.tuple(hlo::ShapeKind::kTuple, shapes);
  Dims made;
  for (const ComputationId branch : all) made.push_back(narrowed(s, branch, kept, shape).v);
  std::vector<AttributeValue> instead;
  if (s.m.find(s.at, AttributeName::kBranchComputations))
    instead.push_back({AttributeName::kBranchComputations, made});
  else
    instead = {{AttributeName::kTrueComputation, {made[0]}}, {AttributeName::kFalseComputation, {made[1]}}};
  const auto operands = s.m.operands(s.at);
  const InstructionId narrow =
      s.w.again(s.at, shape, std::vector<InstructionId>(operands.begin(), operands.end()), instead);
  for (const InstructionId user : users) {
    const auto place = std::ranges::find(kept, s.number(user, AttributeName::kIndex)) - kept.begin();
    s.graph.propose(user, s.w.part(narrow, place), "results-that-are-used");
  }
}

class SimplifyConditional : public RulePass {
 public:
  SimplifyConditional() : RulePass("simplify-conditional", kSimplifyConditionalRules) {}

  void propose(AlternativeGraph& graph) const override {
    RulePass::propose(graph);
    for (uint32_t i = 0; i < graph.originals(); ++i)
      if (const InstructionId at(i);
          graph.module()[at].opcode == kConditional && may_be_replaced(graph.module(), at))
        leave_out_unused(Site(graph, at));
  }
};

}  // namespace

std::shared_ptr<const Pass> simplify_conditional() {
  static const auto kPass = std::make_shared<const SimplifyConditional>();
  return kPass;
}

}  // namespace isomer::passes
