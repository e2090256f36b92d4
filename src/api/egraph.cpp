#include "api/egraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
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

namespace {

uint64_t fresh_token() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

/// What an attribute variable of a rule stands for: the attribute that binds it.
ir::AttrSpec spec_of(const ir::Context& ctx, const rewrite::Rule& rule, uint32_t variable) {
  for (const rewrite::Term& left : rule.left)
    for (const rewrite::TermNode& n : left.nodes)
      for (size_t a = 0; a < n.attrs.size(); ++a)
        if (n.attrs[a].kind == rewrite::Expr::Kind::kAttr && n.attrs[a].index == variable)
          return ctx.ops().get(n.op).attrs[a];
  return {};
}

}  // namespace

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
      names_(std::make_shared<std::vector<std::string>>(1)),
      history_{fresh_token()} {}

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

size_t EGraph::size() const {
  const auto lock = workspace()->lock();
  return e().live_nodes();
}

size_t EGraph::classes() const {
  const auto lock = workspace()->lock();
  return e().live_classes();
}

std::string EGraph::check_invariants() const {
  const auto lock = workspace()->lock();
  return e().check_invariants();
}

std::vector<uint32_t> EGraph::roots() const {
  const auto lock = workspace()->lock();
  std::vector<uint32_t> out;
  for (ClassId c : program_.roots()) out.push_back(c.v);
  return out;
}

rewrite::EGraph& EGraph::changing() {
  if (readers_ > 0)
    throw UsageError("the e-graph is being extracted from: a cost or an extractor cannot change it");
  index_.reset();
  history_.push_back(fresh_token());
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
  refuse_contradictions(contradictions);
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
  out->rules = rules.rules();
  out->moment = history_.back();
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

void EGraph::require(const Matches& matches, size_t m) const {
  if (!std::ranges::binary_search(history_, matches.moment))
    throw UsageError("a match in another e-graph, or in a copy that grew apart");
  if (m >= matches.size())
    throw UsageError(fmt::format("there are {} matches, no number {}", matches.size(), m));
}

size_t EGraph::apply(const Matches& matches, const std::vector<size_t>& numbers) {
  const auto lock = workspace()->lock();
  for (size_t m : numbers) require(matches, m);
  const size_t before = changing().slots();
  const uint64_t contradictions = program_.analysis().contradictions();
  rewrite::Alternatives alternatives(program_);
  std::vector<rewrite::RuleSource> sources;
  for (uint32_t r = 0; r < matches.matcher->size(); ++r) sources.emplace_back(matches.matcher->rule(r));
  for (const rewrite::RuleSource& source : sources) alternatives.add_source(source);
  rewrite::RuleApplier applier(alternatives);
  size_t changed = 0;
  for (size_t m : numbers)
    changed +=
        applier.apply(matches.rule_of(m), matches.roots(m), matches.subst(m)) == rewrite::Applied::kChanged;
  note_origins(before, alternatives);
  settle();
  refuse_contradictions(contradictions);
  return changed;
}

void EGraph::refuse_contradictions(uint64_t before) const {
  if (program_.analysis().contradictions() > before)
    throw VerificationError("rules joined values of different types: one of them is wrong");
}

MatchInfo EGraph::info(const Matches& matches, size_t m) const {
  const auto lock = workspace()->lock();
  require(matches, m);
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
      out.attributes.emplace(rule.attributes[i], describe(ctx, spec_of(ctx, rule, i), id));
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

uint32_t EGraph::find(uint32_t eclass) const {
  const auto lock = workspace()->lock();
  return at(eclass).v;
}

bool EGraph::equal(uint32_t a, uint32_t b) const {
  const auto lock = workspace()->lock();
  return at(a) == at(b);
}

uint32_t EGraph::class_of(uint32_t node) const {
  const auto lock = workspace()->lock();
  if (node >= source_.size()) throw UsageError(fmt::format("the program has no node {}", node));
  const ClassId c = program_.first_class(ir::ValueId(node));
  if (!c.valid()) throw UsageError(fmt::format("no output needs node {}: it is not in the e-graph", node));
  return e().find(c).v;
}

EClass EGraph::eclass(uint32_t id) const {
  const auto lock = workspace()->lock();
  const ClassId c = at(id);
  EClass out{c.v, describe(program_.context(), e().data(c).type), e().data(c).is_weight, {}};
  for (NodeId n : e().nodes_in(c))
    if (e().usable(n)) out.nodes.push_back(n.v);
  return out;
}

ENode EGraph::enode(uint32_t id) const {
  const auto lock = workspace()->lock();
  if (id >= e().slots() || e().dead(NodeId(id))) throw UsageError(fmt::format("there is no e-node {}", id));
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
  const auto lock = workspace()->lock();
  std::vector<uint32_t> out;
  e().for_each_class([&](ClassId c) { out.push_back(c.v); });
  return out;
}

std::vector<uint32_t> EGraph::node_ids() const {
  const auto lock = workspace()->lock();
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < e().slots(); ++i)
    if (e().usable(NodeId(i))) out.push_back(i);
  return out;
}

}  // namespace isomer::api
