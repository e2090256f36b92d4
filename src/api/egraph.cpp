#include "api/egraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "egraph/cycles.h"
#include "extract/egraph_json.h"
#include "ir/print.h"
#include "recipes/choices.h"
#include "recipes/egraph_file.h"
#include "recipes/explore.h"
#include "rewrite/saturate.h"
#include "support/errors.h"

namespace isomer::api {

using egraph::ClassId;
using egraph::NodeId;

std::vector<ClassId> Matches::roots(size_t m) const {
  std::vector<ClassId> out;
  for (size_t i = 0; i < rule_of(m).left.size(); ++i) out.emplace_back(values[first[m] + i]);
  return out;
}

egraph::Subst Matches::subst(size_t m) const {
  const size_t begin = first[m] + rule_of(m).left.size();
  return {std::span(values).subspan(begin, first[m + 1] - begin), rule_of(m).tensors};
}

EGraph::EGraph(Graph graph, const std::string& floats)
    : source_(std::move(graph)),
      program_([&] {
        const auto lock = source_.workspace()->lock();
        return rewrite::TensorEGraph(source_.ir(), recipes::float_promise(floats));
      }()),
      names_(std::make_shared<std::vector<std::string>>(1)) {}

std::unique_ptr<EGraph> EGraph::clone() const {
  const auto lock = workspace()->lock();
  std::unique_ptr<EGraph> out(new EGraph(*this));
  out->readers_ = 0;
  return out;
}

std::unique_ptr<EGraph> EGraph::load(const std::string& path, Graph graph, const std::string& floats) {
  const extract::SerializedEGraph file = extract::read_egraph_json(path);
  auto out = std::make_unique<EGraph>(std::move(graph), floats);
  const auto lock = out->workspace()->lock();
  recipes::rebuild(out->program_, file, path);
  out->settle();
  return out;
}

std::vector<uint32_t> EGraph::roots() const {
  std::vector<uint32_t> out;
  for (ClassId c : program_.roots()) out.push_back(c.v);
  return out;
}

rewrite::EGraph& EGraph::changing() {
  if (readers_ > 0)
    throw UsageError("the e-graph is being extracted from: a cost or an extractor cannot change it");
  index_.reset();
  return program_.graph();
}

void EGraph::settle() {
  program_.graph().rebuild();
  egraph::break_cycles(program_.graph(), program_.roots(), program_.source_nodes());
}

void EGraph::note_origins(size_t from, const rewrite::Alternatives& alternatives) {
  std::map<std::string, uint32_t> numbers;
  origin_.resize(from);
  for (size_t i = from; i < e().slots(); ++i) {
    const uint32_t maker = alternatives.maker(NodeId(static_cast<uint32_t>(i)));
    if (maker == rewrite::Alternatives::kNone) {
      origin_.push_back(0);
      continue;
    }
    const std::string& name = alternatives.source_of(alternatives.applications()[maker]).name();
    const auto [known, fresh] = numbers.try_emplace(name, 0);
    if (fresh) {
      const auto at = std::ranges::find(*names_, name) - names_->begin();
      known->second = static_cast<uint32_t>(at);
      if (known->second == names_->size()) names_->push_back(name);
    }
    origin_.push_back(known->second);
  }
}

const std::string& EGraph::origin(NodeId n) const {
  return (*names_)[n.index() < origin_.size() ? origin_[n.index()] : 0];
}

GrowReport EGraph::run(const RuleSet& rules, const GrowOptions& o, const StopToken& stop) {
  const auto lock = workspace()->lock();
  const size_t before = changing().slots();
  const uint64_t contradictions = program_.analysis().contradictions();
  rewrite::SaturateOptions saturate;
  saturate.limits.iterations = o.iterations;
  saturate.limits.nodes = o.node_limit;
  saturate.limits.seconds = o.seconds;
  saturate.limits.stop = stop;
  saturate.scheduler.kind = recipes::scheduler_kind(o.scheduler);
  saturate.cycles = egraph::cycle_mode(o.cycles);
  saturate.grouping = o.grouping;
  saturate.k_multi = o.multi_steps;
  saturate.allow_unstable = o.allow_unstable;
  saturate.threads = std::max(1U, o.threads);
  rewrite::Saturation saturation(program_, *rules.rules());
  const rewrite::SaturateReport report = saturation.run(saturate);
  note_origins(before, saturation.alternatives());
  if (program_.analysis().contradictions() > contradictions)
    throw VerificationError("rules joined values of different types: one of them is wrong");
  GrowReport out{std::string(to_string(report.stop_reason)),
                 report.iterations,
                 report.e_nodes,
                 report.e_classes,
                 report.matches,
                 report.matches_applied,
                 report.cpu_seconds,
                 {}};
  for (size_t i = 0; i < report.rules.size(); ++i)
    if (report.rules[i].applied > 0)
      out.rules[saturation.alternatives().source(static_cast<uint32_t>(i)).name()] += report.rules[i].applied;
  return out;
}

std::shared_ptr<const Matches> EGraph::matches(const RuleSet& rules, bool only_new, size_t most) {
  const auto lock = workspace()->lock();
  auto out = std::make_shared<Matches>();
  out->workspace = workspace();
  out->matcher = workspace()->matcher(rules.rules());
  if (!index_) index_.emplace().build(e());
  rewrite::Alternatives none(program_);
  rewrite::RuleApplier applier(none);
  for (uint32_t r = 0; r < out->matcher->size() && out->size() < most; ++r) {
    const rewrite::CompiledRule& rule = out->matcher->rule(r);
    out->matcher->find(e(), *index_, r);
    out->matcher->for_each(
        r, egraph::MultiPattern::All(),
        [&](std::span<const ClassId> roots, const egraph::Subst& subst, auto&&) {
          if (only_new && applier.outlook(rule, roots, subst) != rewrite::Applied::kChanged) return true;
          for (ClassId c : roots) out->values.push_back(c.v);
          out->values.insert(out->values.end(), subst.values.begin(), subst.values.end());
          out->first.push_back(out->values.size());
          out->rule.push_back(r);
          return out->size() < most;
        });
  }
  return out;
}

size_t EGraph::apply(const Matches& matches, const std::vector<size_t>& numbers) {
  if (matches.workspace != workspace()) throw UsageError("matches in an e-graph of another file");
  const auto lock = workspace()->lock();
  const size_t before = changing().slots();
  rewrite::Alternatives alternatives(program_);
  std::vector<rewrite::RuleSource> sources;
  for (uint32_t r = 0; r < matches.matcher->size(); ++r) sources.emplace_back(matches.matcher->rule(r));
  for (const rewrite::RuleSource& source : sources) alternatives.add_source(source);
  rewrite::RuleApplier applier(alternatives);
  size_t changed = 0;
  for (size_t m : numbers) {
    if (m >= matches.size())
      throw UsageError(fmt::format("there are {} matches, no number {}", matches.size(), m));
    const auto there = [&](uint32_t c) { return c == egraph::kUnbound || c < before; };
    const egraph::Subst subst = matches.subst(m);
    const std::vector<ClassId> roots = matches.roots(m);
    if (!std::ranges::all_of(subst.values.first(subst.class_variables), there) ||
        !std::ranges::all_of(roots, [&](ClassId c) { return there(c.v); }))
      throw UsageError("a match in another e-graph, with classes that this one does not have");
    changed += applier.apply(matches.rule_of(m), roots, subst) == rewrite::Applied::kChanged;
  }
  note_origins(before, alternatives);
  settle();
  return changed;
}

MatchInfo EGraph::info(const Matches& matches, size_t m) const {
  if (m >= matches.size())
    throw UsageError(fmt::format("there are {} matches, no number {}", matches.size(), m));
  const rewrite::CompiledRule& compiled = matches.rule_of(m);
  const rewrite::Rule& rule = *compiled.rule;
  MatchInfo out;
  out.rule = rule.name;
  for (ClassId c : matches.roots(m)) out.roots.push_back(c.v);
  const egraph::Subst subst = matches.subst(m);
  for (uint32_t i = 0; i < compiled.tensors; ++i) out.tensors.emplace(rule.tensors[i], subst.class_at(i).v);
  const ir::Context& ctx = program_.context();
  for (uint32_t i = 0; i < compiled.matched_attributes; ++i)
    if (const ir::AttrId id(subst.attr_at(i)); id.valid())
      out.attributes.emplace(rule.attributes[i], describe(ctx, ir::AttrSpec{}, id));
  return out;
}

std::vector<uint32_t> EGraph::add(const Graph& graph) {
  if (graph.workspace() != workspace())
    throw UsageError("a graph that was read apart: Graph.parse it beside this one");
  const auto lock = workspace()->lock();
  changing();
  std::vector<uint32_t> out;
  for (ClassId c : program_.add(graph.ir())) out.push_back(c.v);
  settle();
  for (uint32_t& c : out) c = find(c);
  return out;
}

ClassId EGraph::at(uint32_t eclass) const {
  if (eclass >= e().slots()) throw UsageError(fmt::format("there is no e-class {}", eclass));
  return e().find(ClassId(eclass));
}

uint32_t EGraph::class_of(uint32_t node) const {
  if (node >= source_.size()) throw UsageError(fmt::format("the program has no node {}", node));
  const ClassId c = program_.first_class(ir::ValueId(node));
  if (!c.valid()) throw UsageError(fmt::format("no output needs node {}: it is not in the e-graph", node));
  return e().find(c).v;
}

EClass EGraph::eclass(uint32_t id) const {
  const ClassId c = at(id);
  EClass out{c.v, describe(program_.context(), e().data(c).type), e().data(c).is_weight, {}};
  for (NodeId n : e().nodes_in(c))
    if (e().usable(n)) out.nodes.push_back(n.v);
  return out;
}

ENode EGraph::enode(uint32_t id) const {
  if (id >= e().slots() || e().dead(NodeId(id))) throw UsageError(fmt::format("there is no e-node {}", id));
  const auto lock = workspace()->lock();
  const NodeId n(id);
  ir::Context& ctx = program_.context();
  const ir::OpId op(e().op(n));
  const ir::PayloadId payload(e().payload(n));
  std::vector<ir::TypeId> types;
  std::vector<uint32_t> children;
  for (ClassId c : e().children(n)) {
    types.push_back(e().data(c).type);
    children.push_back(e().find(c).v);
  }
  const ClassId home = e().class_of(n);
  const ir::OpInstance instance(ctx, ctx.ops().get(op), ctx.get(payload), types, e().data(home).type);
  return {describe(instance), id, home.v, std::move(children), ir::print(ctx, op, payload), origin(n)};
}

std::vector<uint32_t> EGraph::class_ids() const {
  std::vector<uint32_t> out;
  e().for_each_class([&](ClassId c) { out.push_back(c.v); });
  return out;
}

std::vector<uint32_t> EGraph::node_ids() const {
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < e().slots(); ++i)
    if (e().usable(NodeId(i))) out.push_back(i);
  return out;
}

}  // namespace isomer::api
