// XLA's DotMerger: dots of one operand and of others that differ in one free dimension alone are parts of a
// dot of the others' concatenation. XLA merges two at a time where one is small; here all that share an
// operand are merged at once, of any size, and each dot has its part as an alternative. What it costs is
// decided elsewhere. The same dot twice is one by `cse` and not merged.
#include <algorithm>
#include <map>

#include "passes/copies.h"
#include "passes/dots.h"
#include "passes/groups.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

/// Which operand is shared; the other ones are concatenated.
struct Side {
  size_t shared;
  size_t other() const { return 1 - shared; }
};

/// The free dimension of the operand that is not shared, where there is one alone.
std::optional<size_t> free_dim(const Site& s, InstructionId dot, Side side) {
  const DotDims d = dot_dims(s, dot);
  const size_t rank = s.rank(s.in(dot, side.other()));
  const Dims dims = side.other() == 0 ? free_dims(rank, d.left_batch, d.left_contracting)
                                      : free_dims(rank, d.right_batch, d.right_contracting);
  if (dims.size() != 1) return std::nullopt;
  return static_cast<size_t>(dims[0]);
}

bool is_mergeable(const Module& m, InstructionId id) {
  if (m[id].opcode != Opcode::kDot || !may_be_replaced(m, id) || !is_static(m, m.shape(id))) return false;
  return std::ranges::all_of(m.operands(id), [&](InstructionId a) { return is_static(m, m.shape(a)); });
}

bool alike(const Site& s, InstructionId a, InstructionId b, Side side) {
  const InstructionId x = s.in(a, side.other()), y = s.in(b, side.other());
  if (x == y || s.element(a) != s.element(b) || s.element(x) != s.element(y)) return false;
  if (!same_attributes(s, a, b)) return false;
  return free_dim(s, a, side) == free_dim(s, b, side);
}

void merge(const Site& s, const std::vector<InstructionId>& dots, Side side) {
  const auto along = static_cast<int64_t>(*free_dim(s, dots[0], side));
  std::vector<InstructionId> others;
  for (const InstructionId dot : dots) others.push_back(s.in(dot, side.other()));
  // The free dimension of the result: behind the batch, or the last one.
  const size_t place = side.other() == 0 ? dot_dims(s, dots[0]).left_batch.size() : s.rank(dots[0]) - 1;
  Dims wide = s.dims(dots[0]);
  wide[place] = 0;
  for (const InstructionId dot : dots) wide[place] += s.dims(dot)[place];

  InstructionId operands[2];
  operands[side.shared] = s.in(dots[0], side.shared);
  operands[side.other()] = s.w.concatenate(others, along);
  const InstructionId merged = s.w.again(dots[0], s.w.array(s.element(dots[0]), wide), operands);
  Dims starts(wide.size(), 0), limits = wide;
  const Dims ones(wide.size(), 1);
  for (const InstructionId dot : dots) {
    limits[place] = starts[place] + s.dims(dot)[place];
    s.graph.propose(dot, s.w.slice(merged, starts, limits, ones), "part-of-wider-dot");
    starts[place] = limits[place];
  }
}

class DotMerger : public Pass {
 public:
  std::string_view name() const override { return "dot-merger"; }

  void propose(AlternativeGraph& graph) const override {
    for (const Side side : {Side{0}, Side{1}}) {
      std::map<uint32_t, std::vector<InstructionId>> by_shared;
      for (uint32_t i = 0; i < graph.originals(); ++i)
        if (const InstructionId dot(i); is_mergeable(graph.module(), dot))
          if (free_dim(Site(graph, dot), dot, side))
            by_shared[graph.module().operands(dot)[side.shared].v].push_back(dot);
      for (const auto& [shared, dots] : by_shared) {
        const Site s(graph, dots[0]);
        const auto same = [&](InstructionId a, InstructionId b) { return alike(s, a, b, side); };
        for (const auto& group : groups(graph.module(), dots, same)) merge(s, group, side);
      }
    }
  }
};

}  // namespace

std::shared_ptr<const Pass> dot_merger() {
  static const auto kPass = std::make_shared<const DotMerger>();
  return kPass;
}

}  // namespace isomer::passes
