// XLA's SortSimplifier: an array that a sort of several carries along, whose sorted elements nobody uses and
// which the comparison does not look at, need not be sorted. Each part of the result that is used has the
// part of the smaller sort as an alternative.
#include <algorithm>

#include "passes/copies.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

ComputationId comparison(const Site& s) {
  return ComputationId(static_cast<uint32_t>(s.number(s.at, AttributeName::kToApply)));
}

/// Which arrays the result or the comparison needs; empty where the result is used as a whole.
std::vector<bool> needed(const Site& s) {
  const auto users = s.graph.users(s.at);
  if (s.graph.is_root(s.at) || users.empty()) return {};
  std::vector<bool> out(s.arity(s.at), false);
  for (const InstructionId user : users) {
    if (!s.is(user, Opcode::kGetTupleElement) || !may_be_replaced(s.m, user)) return {};
    out[static_cast<size_t>(s.number(user, AttributeName::kIndex))] = true;
  }
  const auto parameters = s.m.parameters_of(comparison(s));
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!s.graph.users(parameters[i]).empty() || s.graph.is_root(parameters[i])) out[i / 2] = true;
  return out;
}

/// The comparison without the parameters of what is not sorted any more.
ComputationId narrowed(const Site& s, const std::vector<bool>& kept) {
  const ComputationId of = comparison(s);
  const auto span = s.m.parameters_of(of);
  const std::vector<InstructionId> parameters(span.begin(), span.end());
  s.w.begin_computation();
  const auto first = static_cast<uint32_t>(s.m.instructions.size());
  Copies copies(s.w);
  std::vector<InstructionId> made;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (kept[i / 2]) {
      made.push_back(s.w.parameter(static_cast<int64_t>(made.size()), s.m.shape(parameters[i])));
      copies.put(parameters[i], made.back());
    }
  copies.of(s.m[of].root);
  return s.w.computation("comparison", first, made);
}

void simplify(const Site& s) {
  const std::vector<bool> kept = needed(s);
  if (std::ranges::count(kept, false) == 0 || !may_be_copied_beside(s.m, comparison(s))) return;
  // A comparison that is one of its parameters would not be the last instruction written.
  if (s.is(s.m[comparison(s)].root, Opcode::kParameter)) return;
  std::vector<InstructionId> operands;
  std::vector<ShapeId> shapes;
  std::vector<int64_t> place(kept.size(), -1);
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) {
      place[i] = static_cast<int64_t>(operands.size());
      operands.push_back(s.in(i));
      shapes.push_back(s.m.shapes.part(s.m.shape(s.at), i));
    }
  const AttributeValue instead[] = {{AttributeName::kToApply, {int64_t{narrowed(s, kept).v}}}};
  const bool one = operands.size() == 1;
  const ShapeId shape = one ? shapes[0] : s.m.shapes.tuple(hlo::ShapeKind::kTuple, shapes);
  const InstructionId sorted = s.w.again(s.at, shape, operands, instead);
  const auto span = s.graph.users(s.at);
  for (const InstructionId user : std::vector<InstructionId>(span.begin(), span.end())) {
    const int64_t part = place[static_cast<size_t>(s.number(user, AttributeName::kIndex))];
    s.graph.propose(user, one ? sorted : s.w.part(sorted, part), "sort-of-what-is-used");
  }
}

class SimplifySorts : public Pass {
 public:
  std::string_view name() const override { return "simplify-sorts"; }

  void propose(AlternativeGraph& graph) const override {
    for (uint32_t i = 0; i < graph.originals(); ++i) {
      const InstructionId at(i);
      const Module& m = graph.module();
      if (m[at].opcode != Opcode::kSort || m[at].operands.count < 2 || !may_be_replaced(m, at)) continue;
      if (is_static(m, m.shape(at))) simplify(Site(graph, at));
    }
  }
};

}  // namespace

std::shared_ptr<const Pass> simplify_sorts() {
  static const auto kPass = std::make_shared<const SimplifySorts>();
  return kPass;
}

}  // namespace isomer::passes
