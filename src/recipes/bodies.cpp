#include "recipes/bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "cost/body_costs.h"
#include "cost/cheaper.h"
#include "cost/table.h"
#include "eval/size_values.h"
#include "formats/onnx_bodies.h"
#include "ir/dag_hash.h"
#include "ir/needed.h"
#include "ir/size_at.h"
#include "recipes/pricing.h"
#include "recipes/program_size.h"
#include "rewrite/rule_check.h"
#include "support/errors.h"
#include "support/run_record.h"
#include "verify/equivalence.h"

namespace isomer::recipes {
namespace {

/// Of the time for bodies that is left, for each.
constexpr double kShareOfBody = 0.5;

/// One side of the equation: the operator on some of the variables.
rewrite::ExactFragment on_variables(ir::OpId op, ir::PayloadId payload, const std::vector<size_t>& operands) {
  rewrite::ExactFragment side;
  rewrite::FragmentNode node;
  node.op = op;
  for (size_t variable : operands) {
    rewrite::FragmentNode leaf;
    leaf.is_variable = true;
    leaf.variable = static_cast<uint32_t>(variable);
    node.children.push_back(static_cast<uint32_t>(side.fragment.nodes.size()));
    side.fragment.nodes.push_back(std::move(leaf));
    side.payloads.emplace_back();
  }
  side.fragment.roots.push_back(static_cast<uint32_t>(side.fragment.nodes.size()));
  side.fragment.nodes.push_back(std::move(node));
  side.payloads.push_back(payload);
  return side;
}

/// As a price is known by, on some of the value's operands.
std::string signature_of(const ir::Graph& graph, ir::ValueId v, const formats::RewrittenNode& node) {
  ir::Context& ctx = graph.context();
  std::vector<ir::TypeId> types;
  for (size_t i : node.operands) types.push_back(graph.type_id(graph.operands(v)[i]));
  return cost::signature({ctx, ctx.ops().get(node.op), ctx.get(node.payload), types});
}

formats::RewrittenNode as_it_is(const ir::Graph& graph, ir::ValueId v) {
  formats::RewrittenNode out{graph.op(v), graph.payload(v), {}};
  for (size_t i = 0; i < graph.operands(v).size(); ++i) out.operands.push_back(i);
  return out;
}

rewrite::Equation equation_of(const ir::Graph& graph, ir::ValueId v, const formats::RewrittenNode& node) {
  rewrite::Equation out;
  out.title = kBodyRewrite;
  const formats::RewrittenNode before = as_it_is(graph, v);
  for (size_t i : before.operands) {
    out.names.push_back(fmt::format("x{}", i));
    out.tensors.emplace_back().type = graph.type_id(graph.operands(v)[i]);
  }
  out.before = on_variables(before.op, before.payload, before.operands);
  out.after = on_variables(node.op, node.payload, node.operands);
  return out;
}

/// Whether a size within is a formula of names that inputs of the program around have, and none of the
/// body's: it cannot be asked at run time.
bool lacks_sizes(const ir::Graph& body, const ir::Graph& around) {
  const ir::Context& ctx = body.context();
  std::set<ir::SymbolId> asked;
  for (size_t i = 0; i < body.size(); ++i)
    if (const ir::Type& type = body.type(ir::ValueId(i)); type.is_ranked_tensor())
      for (const ir::Dim d : type.shape) {
        if (!d.is_symbol()) continue;
        for (const ir::SymbolId name : ir::names_in(ctx, d)) asked.insert(name);
      }
  for (const ir::SymbolId has : ir::names_of_inputs(body)) asked.erase(has);
  return std::ranges::any_of(ir::names_of_inputs(around),
                             [&](ir::SymbolId name) { return asked.contains(name); });
}

class Bodies {
 public:
  /// `known`: conditions of this program's Ifs. `timed`: it runs where the whole program is timed.
  Bodies(const Program& program, const BodySearch& how, const SeenConditions& known, bool timed,
         cost::BodyPrices& prices, OptimisedBodies& out)
      : program_(program),
        graph_(program.graph),
        how_(how),
        known_(known),
        timed_(timed),
        prices_(prices),
        out_(out) {}

  void run() {
    const std::vector<bool> needed = ir::needed_values(graph_);
    for (size_t i = 0; i < graph_.size(); ++i)
      if (needed[i] && !how_.until.passed() && formats::is_control(graph_, ir::ValueId(i)))
        node(ir::ValueId(i));
  }

 private:
  void stays(const std::string& why) { ++out_.left[why]; }

  void node(ir::ValueId v) {
    std::string why;
    const std::vector<formats::NodeBody> bodies =
        formats::node_bodies(graph_, sizes_, v, *program_.envelope, program_.contrib, why);
    if (!why.empty()) stays(why);
    double before = 0, after = 0;
    std::vector<BodyRewrite::Pair> pairs;
    std::vector<const formats::NodeBody*> changed;
    for (const formats::NodeBody& body : bodies) {
      const double was = optimise(body, !how_.timed || is_timed(v, body.attribute), pairs);
      const bool better = pairs.size() > changed.size();
      if (better) changed.push_back(&body);
      before += body.runs * was;
      after += body.runs * (better ? cost::graph_cost(*how_.costs.model, pairs.back().after) : was);
    }
    if (why.empty()) prices_[signature_of(graph_, v, as_it_is(graph_, v))] = before;
    if (!pairs.empty()) put_back(v, changed, std::move(pairs), after);
  }

  /// Whether the body runs where the whole program is timed; a loop's is taken to where this program does.
  bool is_timed(ir::ValueId v, const std::string& attribute) const {
    if (!timed_) return false;
    const bool then = attribute == "then_branch";
    if (!then && attribute != "else_branch") return true;
    const auto condition = known_.find(graph_.operands(v)[0]);
    return condition != known_.end() && condition->second == then;
  }

  void put_back(ir::ValueId v, const std::vector<const formats::NodeBody*>& changed,
                std::vector<BodyRewrite::Pair> pairs, double cost) {
    std::vector<formats::NewBody> bodies;
    for (size_t i = 0; i < pairs.size(); ++i) bodies.push_back({changed[i], &pairs[i].after});
    std::string why;
    const auto made = formats::with_bodies(graph_, v, *program_.envelope, bodies, program_.contrib, why);
    if (!made) return stays(why);
    prices_[signature_of(graph_, v, *made)] = cost;
    out_.better += pairs.size();
    out_.rewrites.push_back(
        std::make_shared<BodyRewrite>(v, equation_of(graph_, v, *made), std::move(pairs)));
  }

  /// What it costs; where it can be had cheaper, that is another pair. Costs alone decide, or timing as well.
  double optimise(const formats::NodeBody& body, bool timing_decides, std::vector<BodyRewrite::Pair>& pairs) {
    ++out_.looked_at;
    if (lacks_sizes(body.program.graph, graph_)) {
      stays("a size of it is that of an input outside");
      return cost::graph_cost(*how_.costs.model, body.program.graph);
    }
    Program inner{body.program.graph, body.program.envelope};
    inner.contrib = false;  // a body imports no operator set of its own
    const Deadline until = how_.until.part(kShareOfBody);
    RunRecord record;
    Spine spine(record, how_.progress, how_.limits, until);
    Rewriting rewriting(inner.graph, how_.options, how_.ways, spine, inner.dialect());
    OptimisedBodies within;
    Bodies(inner, how_, {}, timing_decides, prices_, within).run();
    rewriting.offer(within.rewrites);
    add_up(within);
    if (!until.passed()) require_sound(rewriting.explore());
    bool priced = false;
    if (how_.costs.measured && !until.passed()) {
      const PricingReport report = price_lazily(rewriting, *how_.costs.measured, until, how_.progress);
      priced = report.complete;
    }
    const double was = cost::graph_cost(*how_.costs.model, inner.graph);
    std::string why;
    auto found = cheaper(rewriting, inner, was, until, why);
    const double least = was * (1 - kDoubtOfCosts);
    const auto measured = [&] {
      return priced && how_.costs.measured->knows(inner.graph) && how_.costs.measured->knows(*found);
    };
    if (found && !timing_decides &&
        !(measured() && cost::is_cheaper(cost::graph_cost(*how_.costs.model, *found), least))) {
      why =
          "it is not known to run where the program is timed, and costs alone are not sure of what was found";
      found.reset();
    }
    if (found) pairs.push_back({body.attribute, inner.graph, *std::move(found)});
    if (!why.empty()) stays(why);
    return was;
  }

  /// As it would be written, each rewrite that leads to it checked. Nothing where there is none, or, and
  /// `why`, none that can be taken.
  std::optional<ir::Graph> cheaper(const Rewriting& rewriting, const Program& inner, double than,
                                   const Deadline& until, std::string& why) {
    const rewrite::TensorExtraction best = rewriting.pick(*how_.costs.model);
    if (!best.found || !cost::is_cheaper(cost::graph_cost(*how_.costs.model, best.graph), than)) return {};
    FoldedProgram folded = rewriting.fold(best, weight_bytes(inner.graph), until);
    why = folded.why;
    if (!folded.graph) return {};
    if (const std::string bad = formats::unspellable(*folded.graph, inner.dialect()); !bad.empty())
      why = "what was found cannot be written as ONNX: " + bad;
    if (!why.empty()) return {};
    RewriteCheck check = rewriting.check_rewrites(best, until);
    if (!check.wrong.empty()) throw VerificationError(check.wrong);
    std::ranges::move(check.unknown, std::back_inserter(out_.not_evaluated));
    if (check.unsuited) why = "a rule does not suit its numbers: " + check.unsuited->rule;
    if (!check.all) why = "no time was left to check what was found";
    return why.empty() ? std::move(folded.graph) : std::nullopt;
  }

  void add_up(const OptimisedBodies& within) {
    out_.looked_at += within.looked_at;
    out_.better += within.better;
    for (const auto& [why, count] : within.left) out_.left[why] += count;
    out_.not_evaluated.insert(out_.not_evaluated.end(), within.not_evaluated.begin(),
                              within.not_evaluated.end());
  }

  const Program& program_;
  const ir::Graph& graph_;
  const BodySearch& how_;
  const SeenConditions& known_;
  bool timed_;
  cost::BodyPrices& prices_;
  OptimisedBodies& out_;
  eval::SizeValues sizes_{graph_};
};

}  // namespace

BodyRewrite::BodyRewrite(ir::ValueId value, rewrite::Equation equation, std::vector<Pair> bodies)
    : value_(value), equation_(std::move(equation)), bodies_(std::move(bodies)) {}

const std::string& BodyRewrite::name() const {
  static const std::string name = kBodyRewrite;
  return name;
}

verify::Verdict BodyRewrite::check(ir::Context&, const rewrite::Instance&,
                                   const verify::EquivalenceOptions& options) const {
  verify::Verdict weakest;
  weakest.kind = verify::VerdictKind::kProved;
  for (const Pair& pair : bodies_) {
    verify::Verdict verdict = verify::check_equivalent(pair.before, pair.after, options);
    if (weakest.method.empty() || rewrite::weakness(verdict) > rewrite::weakness(weakest))
      weakest = std::move(verdict);
  }
  return weakest;
}

std::string BodyRewrite::describe(ir::Context&, const rewrite::Instance&) const {
  std::string out;
  for (const Pair& pair : bodies_)
    out += fmt::format("{}{} {:016x} of {} operators as {:016x} of {}", out.empty() ? "" : ", ",
                       pair.attribute, ir::dag_hash(pair.before), size_of(pair.before).operators,
                       ir::dag_hash(pair.after), size_of(pair.after).operators);
  return out;
}

bool has_bodies(const ir::Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i)
    if (formats::is_control(graph, ir::ValueId(i))) return true;
  return false;
}

SeenConditions conditions_on(const ir::Graph& graph, const std::string& model, runtime::OnnxRuntime& runtime,
                             const runtime::InputSpec& inputs, const Deadline& until) {
  std::map<std::string, ir::ValueId> conditions;  // each once
  const std::vector<bool> needed = ir::needed_values(graph);
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    if (!needed[i] || !formats::is_control(graph, v) || graph.operands(v).empty()) continue;
    const ir::ValueId first = graph.operands(v)[0];  // of an If the condition
    const ir::Type& type = graph.type(first);
    if (type.is_tensor() && type.dtype == ir::DType::kBool && !graph.name(first).empty())
      conditions.emplace(graph.name(first), first);
  }
  SeenConditions out;
  const auto ask = [&](const std::vector<std::string>& names) {
    constexpr double kLongest = 20;  // seconds
    runtime::LoadOptions load;
    load.optimisation = "off";
    const auto seen = runtime.digests(model, names, inputs, load, runtime::wait_until(until, kLongest));
    for (size_t i = 0; seen && i < names.size(); ++i)
      if (const auto& digest = seen->at(i); digest.count == 1)
        out[conditions.at(names[i])] = digest.samples.at(0) != 0;
    return bool(seen);
  };
  std::vector<std::string> all;
  for (const auto& [name, v] : conditions) all.push_back(name);
  if (all.empty() || ask(all) || all.size() == 1) return out;
  for (const std::string& name : all) ask({name});  // one may be what the runtime cannot give
  return out;
}

BodiesAndCosts optimise_bodies(const Program& program, const BodySearch& how) {
  const auto prices = std::make_shared<cost::BodyPrices>();
  BodiesAndCosts out{{}, how.costs};
  for (auto* model : {&out.costs.model, &out.costs.roofline})
    if (*model) *model = std::make_shared<cost::BodyCosts>(std::move(*model), prices);
  const BodySearch knowing{how.options, how.ways, out.costs, how.limits, how.until, how.progress, how.timed};
  Bodies(program, knowing, how.timed.value_or(SeenConditions{}), true, *prices, out.bodies).run();
  return out;
}

std::vector<std::string> OptimisedBodies::warnings() const {
  std::vector<std::string> out;
  for (const auto& [why, count] : left)
    out.push_back(fmt::format("{} x bodies stay as they are: {}", count, why));
  for (const std::string& what : not_evaluated) out.push_back("not evaluated by itself: " + what);
  return out;
}

}  // namespace isomer::recipes
