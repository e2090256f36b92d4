#include "evaluation/hlo_exemplars.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

/// `others`: what the other side computes.
report::Drawing drawn(const hlo::Module& m, const std::unordered_set<uint64_t>& others) {
  using State = report::Correspondence::State;
  report::Drawing out;
  std::map<uint32_t, uint32_t> boxes;
  const std::vector<uint64_t> terms = hlo::term_hashes(m);
  const hlo::Computation& entry = m[m.entry];
  for (uint32_t i = 0; i < entry.instructions.count; ++i) {
    const InstructionId id(entry.instructions.first + i);
    if (is_constant(m, id) && id != entry.root) continue;
    report::DrawnNode node;
    node.op = op_of(m, id);
    node.name = m.text(m[id].name);
    node.type = shape_of(m, id);
    node.attributes = hlo::print(m, id);
    node.state = others.contains(terms[id.v]) ? State::kKept : State::kAlone;
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

std::unordered_set<uint64_t> terms_of(const hlo::Module& m) {
  const std::vector<uint64_t> all = hlo::term_hashes(m);
  return {all.begin(), all.end()};
}

report::ExemplarResult result_of(const hlo::Module& own, const hlo::Module& other, double cost,
                                 const problems::DecisionWay& way) {
  report::ExemplarResult out{cost, own.instructions.size(), drawn(own, terms_of(other)), {}};
  for (const auto& step : way) {
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

report::Exemplar exemplar(const std::string& name, const recipes::HloSearchResult& r) {
  const recipes::HloSearchResult::Ways& ways = *r.ways;
  return {name, r.cost_before, result_of(ways.pick_first, r.module, r.cost_pick_first, ways.of_pick_first),
          result_of(r.module, ways.pick_first, r.cost_after, ways.of_found),
          differences(ways.of_pick_first, ways.of_found)};
}

double share(const report::Exemplar& e) { return e.found.cost / e.ordinary.cost; }

}  // namespace

void HloExemplars::add(const std::string& name, const recipes::HloSearchResult& result) {
  constexpr double kLess = 1 - 1e-9;
  ++searched_;
  if (!(result.cost_after < kLess * result.cost_pick_first)) return;
  ++won_;
  report::Exemplar one = exemplar(name, result);
  if (std::max(one.ordinary.graph.nodes.size(), one.found.graph.nodes.size()) > most_drawn_) {
    ++too_large_;
    return;
  }
  exemplars_.insert(std::ranges::upper_bound(exemplars_, share(one), {}, share), std::move(one));
  if (exemplars_.size() > most_) exemplars_.pop_back();
}

}  // namespace isomer::evaluation
