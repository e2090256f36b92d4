#include "evaluation/hlo_exemplars.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>

#include "hlo/dag_hash.h"
#include "hlo/print.h"

namespace isomer::evaluation {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

/// Constants, and what only spreads one, have no box.
bool is_constant(const hlo::Module& m, InstructionId id) {
  if (m[id].opcode == Opcode::kConstant) return true;
  return m[id].opcode == Opcode::kBroadcast && is_constant(m, m.operands(id)[0]);
}

std::string shape_of(const hlo::Module& m, InstructionId id) { return m.shapes.print(m.shape(id), false); }

/// "fusion", with what is computed within it.
std::string op_of(const hlo::Module& m, InstructionId id) {
  const std::string_view op = hlo::name(m[id].opcode);
  if (m[id].opcode == Opcode::kParameter) return "input";
  std::vector<hlo::ComputationId> called;
  m.called(id, called);
  if (m[id].opcode != Opcode::kFusion || called.empty()) return std::string(op);
  std::vector<std::string_view> inside;
  const hlo::Range all = m[called[0]].instructions;
  for (uint32_t i = 0; i < all.count; ++i)
    if (const InstructionId at(all.first + i); m[at].opcode != Opcode::kParameter && !is_constant(m, at))
      inside.push_back(hlo::name(m[at].opcode));
  return fmt::format("fusion: {}", fmt::join(inside, ", "));
}

using State = report::Correspondence::State;

/// Of two results of one program: what both compute is kept; from the roots on what is the same by itself and
/// computes what its user takes at the same place is changed; all else is alone.
class Told {
 public:
  Told(const hlo::Module& a, const hlo::Module& b) : sides_{side_of(a), side_of(b)} {
    for (const int own : {0, 1}) {
      const std::unordered_set<uint64_t> others(sides_[1 - own].terms.begin(), sides_[1 - own].terms.end());
      for (size_t i = 0; i < sides_[own].terms.size(); ++i)
        if (others.contains(sides_[own].terms[i])) sides_[own].states[i] = State::kKept;
    }
    pair_up(a[a.entry].root, b[b.entry].root);
  }
  const std::vector<State>& of(int side) const { return sides_[side].states; }

 private:
  struct Side {
    const hlo::Module* module;
    std::vector<uint64_t> terms, own;
    std::vector<State> states;
  };
  static Side side_of(const hlo::Module& m) {
    return {&m, hlo::term_hashes(m), hlo::own_hashes(m),
            std::vector<State>(m.instructions.size(), State::kAlone)};
  }

  void pair_up(InstructionId a, InstructionId b) {
    std::vector<std::pair<InstructionId, InstructionId>> open = {{a, b}};
    while (!open.empty()) {
      const auto [x, y] = open.back();
      open.pop_back();
      State &of_x = sides_[0].states[x.v], &of_y = sides_[1].states[y.v];
      if (of_x != State::kAlone || of_y != State::kAlone || sides_[0].own[x.v] != sides_[1].own[y.v])
        continue;
      const auto in_x = sides_[0].module->operands(x), in_y = sides_[1].module->operands(y);
      if (in_x.size() != in_y.size()) continue;
      of_x = of_y = State::kChanged;
      for (size_t i = 0; i < in_x.size(); ++i) open.emplace_back(in_x[i], in_y[i]);
    }
  }

  std::array<Side, 2> sides_;
};

report::Drawing drawn(const hlo::Module& m, const std::vector<State>& states) {
  report::Drawing out;
  std::map<uint32_t, uint32_t> boxes;
  const hlo::Computation& entry = m[m.entry];
  for (uint32_t i = 0; i < entry.instructions.count; ++i) {
    const InstructionId id(entry.instructions.first + i);
    if (is_constant(m, id) && id != entry.root) continue;
    report::DrawnNode node;
    node.op = op_of(m, id);
    node.name = m.text(m[id].name);
    node.type = shape_of(m, id);
    node.attributes = hlo::print(m, id);
    node.state = states[id.v];
    for (const InstructionId operand : m.operands(id)) {
      const auto box = boxes.find(operand.v);
      if (box == boxes.end())
        node.constants.push_back(shape_of(m, operand));
      else if (std::ranges::find(node.operands, box->second) == node.operands.end())
        node.operands.push_back(box->second);
    }
    boxes[id.v] = static_cast<uint32_t>(out.nodes.size());
    out.nodes.push_back(std::move(node));
  }
  out.outputs = {{std::string(m.text(m[entry.root].name)), boxes.at(entry.root.v)}};
  return out;
}

report::ExemplarResult result_of(const HloResult& own, const std::vector<State>& states) {
  report::ExemplarResult out{own.cost, own.module->instructions.size(), drawn(*own.module, states), {}};
  for (const auto& step : own.way) {
    std::vector<std::string>& taken = out.steps.emplace_back();
    for (const problems::TakenDecision& d : step) taken.push_back(fmt::format("{}: {}", d.target, d.rule));
  }
  return out;
}

std::vector<report::Exemplar::Difference> differences(const problems::DecisionWay& ordinary,
                                                      const problems::DecisionWay& found) {
  std::map<std::string, report::Exemplar::Difference> by_rule;
  const auto count = [&](const problems::DecisionWay& way, size_t report::Exemplar::Difference::* times) {
    for (const auto& step : way)
      for (const problems::TakenDecision& d : step) {
        by_rule[d.rule].rule = d.rule;
        ++(by_rule[d.rule].*times);
      }
  };
  count(ordinary, &report::Exemplar::Difference::ordinary);
  count(found, &report::Exemplar::Difference::found);
  std::vector<report::Exemplar::Difference> out;
  for (auto& [rule, d] : by_rule)
    if (d.ordinary != d.found) out.push_back(std::move(d));
  return out;
}

double share(const report::Exemplar& e) { return e.found.cost / e.ordinary.cost; }

}  // namespace

report::Exemplar hlo_exemplar(const std::string& name, double start_cost, const HloResult& ordinary,
                              const HloResult& found) {
  const Told told(*ordinary.module, *found.module);
  return {name, start_cost, result_of(ordinary, told.of(0)), result_of(found, told.of(1)),
          differences(ordinary.way, found.way)};
}

void HloExemplars::add(const std::string& name, const recipes::HloSearchResult& result) {
  constexpr double kLess = 1 - 1e-9;
  ++searched_;
  if (const auto& confirmed = result.confirmed) {
    unconfirmed_ += !confirmed->is_complete();
    // Of what is not confirmed, what is returned may be cheaper by brief times: that is no win.
    if (!confirmed->speedup || confirmed->speedup->low <= 1) return;
  }
  if (!(result.cost_after < kLess * result.cost_pick_first)) return;
  ++won_;
  const recipes::HloSearchResult::Ways& ways = *result.ways;
  report::Exemplar one =
      hlo_exemplar(name, result.cost_before, {&ways.pick_first, result.cost_pick_first, ways.of_pick_first},
                   {&result.module, result.cost_after, ways.of_found});
  if (std::max(one.ordinary.graph.nodes.size(), one.found.graph.nodes.size()) > most_drawn_) {
    ++too_large_;
    return;
  }
  exemplars_.insert(std::ranges::upper_bound(exemplars_, share(one), {}, share), std::move(one));
  if (exemplars_.size() > most_) exemplars_.pop_back();
}

}  // namespace isomer::evaluation
