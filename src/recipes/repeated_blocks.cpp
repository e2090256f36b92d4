#include "recipes/repeated_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cost/cheaper.h"
#include "cost/cost_model.h"
#include "ir/graph_copy.h"
#include "recipes/taso_language.h"
#include "rewrite/tensor_extract.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

using ir::ValueId;
using Copy = RepeatedBlocks::Copy;

constexpr uint32_t kNowhere = 0xFFFFFFFFu;

/// Tuples that only collect outputs.
std::vector<bool> collectors(const ir::Graph& graph) {
  std::vector<bool> out(graph.size()), used(graph.size());
  for (size_t i = graph.size(); i-- > 0;) {
    const ValueId v(i);
    out[i] = graph.def(v).is(ir::Core::kTuple) && !used[i];
    if (out[i]) continue;
    for (ValueId o : graph.operands(v)) used[o.index()] = true;
  }
  return out;
}

/// Cuts a program into parts and compares them.
class Parts {
 public:
  /// `leads`: the input that the values which lead on depend on, what does not lies beside; invalid: all that
  /// is computed leads on, and inputs lie beside.
  Parts(const ir::Graph& graph, const std::vector<bool>& known, const std::vector<bool>& collects,
        ValueId leads)
      : graph_(graph), known_(known), result_(graph.size()), place_(graph.size(), kNowhere) {
    for (ValueId o : graph.outputs()) result_[o.index()] = true;
    for (uint32_t i = 0; i < graph.size(); ++i) {
      const ValueId v(i);
      if (collects[i])
        for (ValueId o : graph.operands(v)) result_[o.index()] = true;
      if (known[i] || collects[i]) continue;
      const auto operands = graph.operands(v);
      const bool depends =
          leads.valid()
              ? v == leads ||
                    std::ranges::any_of(operands, [&](ValueId o) { return place_[o.index()] != kNowhere; })
              : std::ranges::find(graph.inputs(), v) == graph.inputs().end();
      if (!depends) continue;
      place_[i] = static_cast<uint32_t>(live_.size());
      live_.push_back(v);
    }
    cut();
  }

  /// The repetition that spares most, and how many values it spares.
  std::pair<size_t, RepeatedBlocks> longest() const {
    std::map<std::vector<uint64_t>, uint32_t> known;
    std::vector<uint32_t> kind;
    for (size_t p = 1; p < ends_.size(); ++p)
      kind.push_back(
          known.try_emplace(signature(p - 1, p), static_cast<uint32_t>(known.size())).first->second);
    std::pair<size_t, RepeatedBlocks> best{0, {}};
    for (size_t period = 1; period * 2 <= kind.size(); ++period)
      for (size_t begin = 0; begin + 2 * period <= kind.size();) {
        size_t end = begin;
        while (end + period < kind.size() && kind[end] == kind[end + period]) ++end;
        const size_t count = (end - begin) / period + 1;
        if (count >= 2) {
          RepeatedBlocks found = equal_parts(begin, period, count);
          if (found.copies.size() >= 2) {
            const size_t spared = (found.copies.size() - 1) * found.copies[0].values.size();
            if (spared > best.first) best = {spared, std::move(found)};
          }
        }
        begin = std::max(end, begin + 1);
      }
    return best;
  }

 private:
  void cut() {
    std::vector<uint32_t> last(live_.size(), 0);
    for (uint32_t p = 0; p < live_.size(); ++p)
      for (ValueId o : graph_.operands(live_[p]))
        if (place_[o.index()] != kNowhere) last[place_[o.index()]] = p;
    std::vector<uint32_t> closing(live_.size() + 1, 0);
    std::vector<uint64_t> closing_places(live_.size() + 1, 0);
    uint64_t open = 0, places = 0;
    for (uint32_t p = 0; p < live_.size(); ++p) {
      open -= closing[p];
      places -= closing_places[p];
      if (last[p] > p) {
        ++open;
        places += p;
        ++closing[last[p]];
        closing_places[last[p]] += p;
      }
      if (open == 1 && places == p) ends_.push_back(p);
    }
  }

  /// What parts have in common that are equal but for their weights.
  std::vector<uint64_t> signature(size_t begin, size_t end) const {
    std::vector<uint64_t> out;
    std::map<uint32_t, uint64_t> weights;
    for (uint32_t p = ends_[begin] + 1; p <= ends_[end]; ++p) {
      const ValueId v = live_[p];
      out.insert(out.end(),
                 {graph_.op(v).v, graph_.payload(v).v, graph_.type_id(v).v, graph_.operands(v).size()});
      for (ValueId o : graph_.operands(v)) {
        if (const uint32_t at = place_[o.index()]; at != kNowhere) {
          out.insert(out.end(), {1, at > ends_[begin] ? p - at : 0});
        } else if (known_[o.index()]) {
          out.insert(out.end(),
                     {3, weights.try_emplace(o.v, weights.size()).first->second, graph_.type_id(o).v});
        } else {
          out.insert(out.end(), {2, o.v});
        }
      }
    }
    return out;
  }

  RepeatedBlocks equal_parts(size_t begin, size_t period, size_t count) const {
    RepeatedBlocks out;
    std::vector<uint64_t> first;
    for (size_t c = 0; c < count; ++c) {
      const size_t from = begin + c * period, to = from + period;
      if (to >= ends_.size()) break;
      std::vector<uint64_t> kind = signature(from, to);
      if (c == 0)
        first = std::move(kind);
      else if (kind != first)
        break;
      Copy& copy = out.copies.emplace_back();
      copy.in = live_[ends_[from]];
      copy.out = live_[ends_[to]];
      if (graph_.type_id(copy.in) != graph_.type_id(out.copies[0].in)) {
        out.copies.pop_back();
        break;
      }
      for (uint32_t p = ends_[from] + 1; p <= ends_[to]; ++p) {
        const ValueId v = live_[p];
        copy.values.push_back(v);
        if (result_[v.index()] && v != copy.out) copy.results.push_back(v);
        for (ValueId o : graph_.operands(v)) {
          if (place_[o.index()] != kNowhere) continue;
          std::vector<ValueId>& list = known_[o.index()] ? copy.weights : out.beside;
          if (std::ranges::find(list, o) == list.end()) list.push_back(o);
        }
      }
    }
    return out;
  }

  const ir::Graph& graph_;
  const std::vector<bool>& known_;
  std::vector<bool> result_;     ///< by value: an output, or in one
  std::vector<uint32_t> place_;  ///< by value: among live_
  std::vector<ValueId> live_;
  std::vector<uint32_t> ends_;  ///< places of values that alone lead on
};

}  // namespace

std::optional<RepeatedBlocks> find_repeated_blocks(const ir::Graph& graph) {
  const std::vector<bool> known = cost::known_at_compile_time(graph);
  const std::vector<bool> collects = collectors(graph);
  std::pair<size_t, RepeatedBlocks> best = Parts(graph, known, collects, ValueId()).longest();
  for (ValueId input : graph.inputs()) {
    auto other = Parts(graph, known, collects, input).longest();
    if (other.first > best.first) best = std::move(other);
  }
  if (best.first == 0) return std::nullopt;
  return std::move(best.second);
}

Copy joined(const RepeatedBlocks& blocks, size_t count) {
  REQUIRE(count >= 1 && count <= blocks.copies.size(), "there are not so many copies");
  Copy out = blocks.copies[0];
  for (size_t c = 1; c < count; ++c) {
    const Copy& next = blocks.copies[c];
    out.values.insert(out.values.end(), next.values.begin(), next.values.end());
    for (ValueId w : next.weights)
      if (std::ranges::find(out.weights, w) == out.weights.end()) out.weights.push_back(w);
    out.results.insert(out.results.end(), next.results.begin(), next.results.end());
    out.out = next.out;
  }
  return out;
}

ir::Graph block_program(const ir::Graph& graph, const RepeatedBlocks& blocks, const Copy& copy) {
  ir::Builder b(graph.context(), graph.title());
  ir::GraphCopy now(b, graph, ir::GraphCopy::Names::kDropped);
  now[copy.in] = b.input("in", graph.type_id(copy.in));
  for (size_t i = 0; i < blocks.beside.size(); ++i)
    now[blocks.beside[i]] = b.input(fmt::format("beside{}", i), graph.type_id(blocks.beside[i]));
  for (ValueId w : copy.weights) now.add(w);
  for (ValueId v : copy.values) now.add(v);
  std::vector<ValueId> outputs{now[copy.out]};
  for (ValueId v : copy.results) outputs.push_back(now[v]);
  return b.finish(std::move(outputs));
}

ir::Graph with_blocks(const ir::Graph& graph, const RepeatedBlocks& blocks, const ir::Graph& block) {
  REQUIRE(block.inputs().size() == blocks.beside.size() + 1 &&
              block.outputs().size() == blocks.copies.at(0).results.size() + 1,
          "a block has inputs and outputs as block_program gives them");
  ir::Builder b(graph.context(), graph.title());
  ir::GraphCopy now(b, graph, ir::GraphCopy::Names::kDropped);
  std::vector<uint32_t> copy_of(graph.size(), kNowhere);
  for (uint32_t c = 0; c < blocks.copies.size(); ++c)
    for (ValueId v : blocks.copies[c].values) copy_of[v.index()] = c;
  // The first copy's weights by their payloads, which name them.
  std::map<std::pair<uint32_t, uint32_t>, size_t> weight;
  for (size_t w = 0; w < blocks.copies[0].weights.size(); ++w) {
    const ValueId v = blocks.copies[0].weights[w];
    weight.emplace(std::pair(graph.op(v).v, graph.payload(v).v), w);
  }
  now.inputs();
  const auto put = [&](const Copy& copy) {
    ir::GraphCopy inside(b, block, ir::GraphCopy::Names::kDropped);
    inside[block.inputs()[0]] = now[copy.in];
    for (size_t i = 0; i < blocks.beside.size(); ++i) inside[block.inputs()[i + 1]] = now[blocks.beside[i]];
    for (size_t i = 0; i < block.size(); ++i) {
      const ValueId v(i);
      const auto known = weight.find({block.op(v).v, block.payload(v).v});
      if (!inside[v].valid() && block.operands(v).empty() && known != weight.end())
        inside[v] = now[copy.weights[known->second]];
    }
    inside.rest();
    now[copy.out] = inside[block.outputs()[0]];
    for (size_t i = 0; i < copy.results.size(); ++i) now[copy.results[i]] = inside[block.outputs()[i + 1]];
  };
  // What collects outputs may stand before the end of a copy that it collects from.
  const std::vector<bool> collects = collectors(graph);
  for (size_t i = 0; i < graph.size(); ++i) {
    const ValueId v(i);
    if (now[v].valid() || collects[i]) continue;
    if (copy_of[i] == kNowhere)
      now.add(v);
    else if (v == blocks.copies[copy_of[i]].out)
      put(blocks.copies[copy_of[i]]);
  }
  for (size_t i = 0; i < graph.size(); ++i)
    if (collects[i]) now.add(ValueId(i));
  return ir::prune(b.finish(now.outputs()));
}

namespace {

/// The whole program after a sequence of rules that was found for two of its parts, again and again, until
/// the e-graph has `most` nodes.
rewrite::TensorExtraction apply_to_all(const ir::Graph& graph, const rewrite::RuleSet& rules,
                                       const MctsRunOptions& options, std::span<const uint32_t> actions,
                                       size_t parts, size_t most, const EGraphViewer& watch, double below) {
  const std::unique_ptr<cost::CostModel> model = cost::make_cost_model(options.cost);
  problems::BuildEGraphOptions building;
  building.node_limit = building.node_multi = most;
  building.extraction = options.main;
  problems::BuildEGraph problem(graph, rules, *model, building);
  rewrite::TensorEGraph program(graph);
  rewrite::Alternatives alternatives(program);
  // What goes on from part to part doubles its reach each time.
  for (size_t reach = 2; reach < 2 * parts; reach *= 2)
    for (size_t i = 0;
         i < actions.size() && program.graph().live_nodes() < most && !options.search.limits.stop.requested();
         ++i)
      problem.replay(actions.subspan(i, 1), alternatives);
  rewrite::TensorExtraction out = rewrite::extract(program, alternatives, *model, final_extraction(options));
  if (watch && out.found && out.cost < below) watch(program, out.nodes);
  return out;
}

void show(const EGraphViewer& watch, const ir::Graph& graph) {
  if (!watch) return;
  const rewrite::TensorEGraph program(graph);
  std::vector<egraph::NodeId> all;
  for (size_t i = 0; i < program.source_nodes(); ++i) all.emplace_back(static_cast<uint32_t>(i));
  watch(program, all);
}

}  // namespace

BlockSearchResult run_mcts_by_blocks(const ir::Graph& graph, const rewrite::RuleSet& rules,
                                     const MctsRunOptions& options) {
  const double begin = thread_cpu_seconds();
  const ir::Graph whole = weights_as_leaves(graph);
  const std::optional<RepeatedBlocks> blocks = find_repeated_blocks(whole);
  if (!blocks) return {.run = run_mcts(graph, rules, options)};
  const size_t copies = blocks->copies.size();
  const size_t values = blocks->copies[0].values.size() + blocks->copies[0].weights.size();
  BlockSearchResult out{
      .run = {.graph = whole}, .copies = copies, .block_values = values, .values = whole.size()};
  out.run.start_cost = out.run.cost = out.put_back = out.applied = first_costs(whole, options.cost).exact;
  out.run.rounds = 1;
  double watching = 0;
  const EGraphViewer watch = !options.watch ? EGraphViewer() : [&](const auto& program, auto picked) {
    const double seen = thread_cpu_seconds();
    options.watch(program, picked);
    watching += thread_cpu_seconds() - seen;
  };
  show(watch, whole);
  const auto search = [&](size_t parts) {
    constexpr size_t kLeastRoom = 8;  // times the part itself: e-graphs count attributes too
    MctsRunOptions o = options;
    o.rounds = 1;
    o.regions = 1;  // apply_to_all takes the steps by rule, wherever it matches
    o.watch = {};
    o.node_limit =
        std::min(options.node_limit, parts * std::max(2 * options.node_limit / copies, kLeastRoom * values));
    MctsRunResult found = run_mcts(block_program(whole, *blocks, joined(*blocks, parts)), rules, o);
    out.run.rollouts += found.rollouts;
    out.run.applications += found.applications;
    out.run.nodes = std::max(out.run.nodes, found.nodes);
    out.run.stop_reason = found.stop_reason;
    return found;
  };
  const auto take = [&](MctsRunResult& found, ir::Graph program, double cost) {
    if (!cost::is_cheaper(cost, out.run.cost)) return;
    out.run.cost = cost;
    out.run.graph = std::move(program);
    out.run.steps = std::move(found.steps);
    out.run.actions = std::move(found.actions);
  };
  MctsRunResult one = search(1);
  if (cost::is_cheaper(one.cost, one.start_cost)) {
    ir::Graph program = with_blocks(whole, *blocks, one.graph);
    out.put_back = first_costs(program, options.cost).exact;
    if (cost::is_cheaper(out.put_back, out.run.cost)) show(watch, program);
    take(one, std::move(program), out.put_back);
  }
  if (!options.search.limits.stop.requested()) {
    MctsRunResult two = search(2);
    if (cost::is_cheaper(two.cost, two.start_cost)) {
      rewrite::TensorExtraction all =
          apply_to_all(whole, rules, options, two.actions, copies, options.node_limit * (copies / 2 + 1),
                       watch, cost::surely_below(out.run.cost));
      out.applied = all.cost;
      take(two, std::move(all.graph), all.cost);
    }
  }
  out.run.search_seconds = thread_cpu_seconds() - begin - watching;
  return out;
}

}  // namespace isomer::recipes
