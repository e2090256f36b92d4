#include "recipes/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "egraph/explanation.h"
#include "egraph/flat_problem.h"
#include "egraph/symbols.h"
#include "extract/egraph_json.h"
#include "extract/extract.h"
#include "formats/onnx_external.h"
#include "ir/op_table.h"
#include "isomer/isomer.h"
#include "recipes/chain_entry.h"
#include "recipes/check_options.h"
#include "recipes/cost_choice.h"
#include "recipes/egraph_file.h"
#include "recipes/load.h"
#include "recipes/rule_choice.h"
#include "recipes/tensat.h"
#include "rewrite/explain_chain.h"
#include "rewrite/rule_parser.h"
#include "rewrite/tensor_extract.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/outputs.h"
#include "support/unknown_word.h"

namespace isomer::recipes {
namespace {

egraph::SchedulerOptions scheduler(egraph::SchedulerKind kind) { return {kind, 1000, 5}; }

Limits limits_of(const ExploreOptions& o, const StopToken& stop) {
  Limits limits;
  limits.seconds = o.time_limit;
  if (o.memory_limit > 0) limits.memory_bytes = o.memory_limit;
  limits.nodes = o.node_limit;
  limits.iterations = o.iterations;
  limits.stop = stop;
  return limits;
}

bool is_kept(const ExploreOptions& o) { return !o.output.empty() || !o.page.empty(); }

void keep(const ExploreOptions& o, extract::SerializedEGraph egraph, ExploreResult& out) {
  if (!o.output.empty()) write_file(o.output, extract::write_egraph_json(egraph));
  if (!o.page.empty()) out.egraph.emplace(std::move(egraph));
}

/// Symbols have nothing but names.
extract::SerializedEGraph serialize_symbols(const egraph::FlatProblem& flat,
                                            const egraph::EGraph<egraph::NoAnalysis>& g,
                                            const egraph::SymbolTable& symbols) {
  extract::SerializedEGraph out;
  out.problem = flat.problem;
  for (egraph::ClassId c : flat.class_of) out.class_names.push_back(std::to_string(c.v));
  for (egraph::NodeId n : flat.node_of) {
    out.node_names.push_back("n" + std::to_string(n.v));
    out.ops.push_back(symbols.name(g.op(n)));
  }
  return out;
}

/// What the reports of both engines have in common.
template <class Report>
ExploreResult result_of(const Report& report) {
  ExploreResult r;
  r.e_nodes = report.e_nodes;
  r.e_classes = report.e_classes;
  r.hashcons_size = report.hashcons_size;
  r.iterations = report.iterations;
  r.matches = report.matches;
  r.matches_applied = report.matches_applied;
  r.stop_reason = to_string(report.stop_reason);
  r.cpu_seconds = report.cpu_seconds;
  r.search_seconds = report.search_seconds;
  r.apply_seconds = report.apply_seconds;
  r.rebuild_seconds = report.rebuild_seconds;
  r.memory_bytes = report.memory_bytes;
  return r;
}

/// The smallest term that was found, and how the rules lead to it.
void explain(const egraph::EGraph<egraph::NoAnalysis>& g, const std::vector<egraph::Rewrite>& rules,
             const egraph::SymbolTable& symbols, egraph::NodeId root, ExploreResult& out) {
  const egraph::ClassId roots[] = {g.class_of(root)};
  const egraph::FlatProblem flat = egraph::flat_problem(g, roots, [](egraph::NodeId) { return 1.0; });
  Limits limits;
  limits.seconds = 10;
  const extract::Extraction found = extract::extract(flat.problem, extract::Extractor::kAuto, limits);
  egraph::Explainer explainer(g, rules);
  std::vector<egraph::TermId> made(flat.problem.classes());
  const std::function<egraph::TermId(extract::ClassId)> term = [&](extract::ClassId c) {
    egraph::TermId& t = made[c.index()];
    if (t.valid()) return t;
    const extract::NodeId n = found.selection[c];
    std::vector<egraph::TermId> children;
    for (extract::ClassId child : flat.problem.children(n)) children.push_back(term(child));
    return made[c.index()] = explainer.term(g.op(flat.node_of[n.index()]), children);
  };
  const egraph::TermId from = explainer.term(root), to = term(flat.problem.roots().front());
  const auto chain = explainer.explain(from, to);
  if (!chain) {
    out.no_chain = "it would be too long";
    return;
  }
  const auto cost = [&](egraph::TermId t) {
    std::set<egraph::TermId> seen{t};
    std::vector<egraph::TermId> open{t};
    while (!open.empty()) {
      const egraph::TermId top = open.back();
      open.pop_back();
      for (egraph::TermId c : explainer.bank().children(top))
        if (seen.insert(c).second) open.push_back(c);
    }
    return static_cast<double>(seen.size());
  };
  // As a tree, cut where it becomes longer than anybody reads: what terms share would be written each time.
  constexpr size_t kLongest = 2000;
  const auto write = [&](const auto& self, egraph::TermId t, std::string& s) -> void {
    if (s.size() > kLongest) {
      s += "...";
      return;
    }
    const std::span<const egraph::TermId> children = explainer.bank().children(t);
    s += (children.empty() ? "" : "(") + symbols.name(explainer.bank().op(t));
    for (egraph::TermId c : children) self(self, c, s += " ");
    if (!children.empty()) s += ")";
  };
  const auto text = [&](egraph::TermId t) {
    std::string s;
    write(write, t, s);
    return s;
  };
  out.cost_before = cost(from);
  out.cost_after = cost(to);
  for (const egraph::ExplanationStep& s : *chain)
    out.chain.push_back(
        {"line " + rules[s.rule].name, s.backward, {}, text(s.from), text(s.to), "", cost(s.after)});
}

ExploreResult explore_symbols(const ExploreOptions& o, const StopToken& stop) {
  egraph::SymbolTable symbols;
  std::vector<egraph::Rewrite> rules;
  std::vector<std::string> files = o.rules;
  files.insert(files.end(), o.add_rules.begin(), o.add_rules.end());
  for (const std::string& file : files)
    for (egraph::Rewrite& rule : egraph::parse_rules(read_file(file), symbols, file))
      rules.push_back(std::move(rule));
  if (rules.empty()) throw UsageError("--language symbols needs --rules FILE");

  egraph::NoAnalysis analysis;
  egraph::EGraph<egraph::NoAnalysis> g(analysis);
  if (o.explain) g.record_derivation();
  egraph::ClassId root;
  if (o.file.ends_with(".dag")) {
    root = egraph::add_dag(g, egraph::parse_dag(read_file(o.file), symbols, o.file));
  } else {
    std::vector<std::string> variables;
    std::string text = read_file(o.file);
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    root = egraph::add_term(g, egraph::parse_pattern(text, symbols, variables, o.file));
    if (!variables.empty())
      throw InputError({o.file, 1, 0}, "expected a term without variables, found ?" + variables[0]);
  }
  egraph::RunOptions run;
  run.limits = limits_of(o, stop);
  run.scheduler = scheduler(o.scheduler);
  run.threads = o.threads;
  std::vector<egraph::ClassId> held = {root};
  run.held = &held;
  const egraph::RunReport report = egraph::run(g, rules, run);
  root = held.front();

  ExploreResult r = result_of(report);
  r.rules_used = rules.size();
  for (size_t i = 0; i < rules.size(); ++i)
    if (report.rules[i].matches_applied > 0)
      r.rules.emplace_back(rules[i].name, report.rules[i].matches_applied);
  if (o.explain) explain(g, rules, symbols, egraph::as_node(root), r);
  if (is_kept(o)) {
    const egraph::ClassId roots[] = {g.find(root)};
    const egraph::FlatProblem flat = egraph::flat_problem(g, roots, [](egraph::NodeId) { return 1.0; });
    keep(o, serialize_symbols(flat, g, symbols), r);
  }
  return r;
}

/// Of the nodes that are written, and of programs; `why_not`: where they would have to be measured.
CostChoice unmeasured(const CostSource& cost, const char* why_not, const StopToken& stop,
                      ProgressSink& progress) {
  if (cost.is_measured())
    throw UsageError(fmt::format("--cost {}: {}; try roofline:local", cost.name, why_not));
  return choose_cost(cost, 1, formats::Dialect(0), 0, Deadline().with(stop), progress);
}

/// The cheapest program that was found, and how the rules lead to it.
void explain(const ExploreOptions& o, const CostSource& cost, rewrite::TensorEGraph& eg,
             const rewrite::Saturation& saturation, const StopToken& stop, ProgressSink& progress,
             ExploreResult& out) {
  const CostChoice costs = unmeasured(cost, "only programs are measured, not e-graphs", stop, progress);
  rewrite::ExtractOptions options;
  options.prices = rewrite::kSmallConstantsFirst;
  options.limits.seconds = o.time_limit;
  const rewrite::TensorExtraction found =
      rewrite::extract(eg, saturation.alternatives(), *costs.model, options);
  if (!found.found) {
    out.no_chain = "nothing could be extracted";
    return;
  }
  out.cost_before = cost::graph_cost(*costs.model, eg.source());
  out.cost_after = cost::graph_cost(*costs.model, found.graph);
  const auto chain = rewrite::explain_chain(saturation, found, out.no_chain);
  if (!chain) return;
  for (const rewrite::ChainStep& step : chain->steps) out.chain.push_back(chain_entry(saturation, step));
  for (size_t i = 0; i < out.chain.size(); ++i)
    out.chain[i].cost = cost::graph_cost(*costs.model, chain->program(i + 1));
}

/// TENSAT's own formats; they have its rules.
bool is_taso(const std::string& file) { return !file.ends_with(".onnx") && !file.ends_with(".graph"); }

RuleChoice tensat_choice(ir::Context& ctx, const ExploreOptions& o) {
  RuleChoice out;
  if (o.rules.empty()) out.rules = tensat_rules(ctx.ops(), rules_folder());
  std::vector<std::string> files = o.rules;
  files.insert(files.end(), o.add_rules.begin(), o.add_rules.end());
  if (o.layouts) files.push_back(rules_folder() + "/layouts.rules");
  for (const std::string& file : files) out.rules.append(rewrite::load_rules(ctx.ops(), file));
  disable_rules(out, o.disable_rules);
  return out;
}

/// As the main job's: with its rules for costs that are measured unless a cost is named.
RuleChoice isomer_choice(ir::Context& ctx, const ExploreOptions& o, const CostSource& cost,
                         const Program& program, const StopToken& stop) {
  // The textual form has no operator set: nothing is too new for it.
  const formats::Dialect dialect(program.envelope ? program.envelope->opset() : kFirstOpsetWithAttention);
  RuleWishes wishes{
      o.rules,         o.add_rules,
      o.disable_rules, needs_of(o.cost.empty() ? cost_source(OptimizeOptions().cost) : cost, dialect),
      o.floats,        Deadline(o.time_limit, steady_clock(), stop)};
  if (o.layouts && !o.rules.empty()) wishes.more.push_back(rules_folder() + "/layouts.rules");
  wishes.needs.layouts |= o.layouts;
  return choose_rules(ctx, wishes);
}

ExploreResult explore_tensors(const ExploreOptions& o, const StopToken& stop, ProgressSink& progress) {
  const CostSource cost = cost_source(o.cost.empty() ? "ast-size" : o.cost);
  ir::Context ctx(ir::standard_ops());
  const Program program = load_program(ctx, o.file, parse_dims(o.dims));
  if (program.envelope != nullptr) {
    std::vector<NamedFile> weights;
    for (const std::string& file : formats::data_files(*program.envelope))
      weights.push_back({"the model's weights", file});
    require_apart(std::array<NamedFile, 2>{{{"--output", o.output}, {"--html", o.page}}}, weights);
  }
  const bool taso = is_taso(o.file);
  const RuleChoice choice = taso ? tensat_choice(ctx, o) : isomer_choice(ctx, o, cost, program, stop);
  const rewrite::RuleSet& rules = choice.rules;

  rewrite::TensorEGraph eg(program.graph, taso ? FloatPromise::kFast : o.floats);
  rewrite::Saturation saturation(eg, rules);
  rewrite::SaturateOptions saturate;
  saturate.limits = limits_of(o, stop);
  saturate.scheduler = scheduler(o.scheduler);
  saturate.k_multi = static_cast<uint32_t>(std::max(0, o.k_multi));
  saturate.cycles = o.cycles;
  saturate.threads = o.threads;
  saturate.limit_by_tensat_count = taso;
  saturate.grouping = !taso;
  saturate.allow_unstable = !taso;  // what may not be used is no longer among the rules
  LimitWatch watch(saturate.limits);
  saturate.progress = [&](uint64_t iteration, size_t e_nodes, size_t) {
    progress.update(
        {"explore", static_cast<double>(iteration) / static_cast<double>(std::max<uint64_t>(1, o.iterations)),
         Progress().best, watch.remaining(), fmt::format("{} e-nodes", e_nodes)});
    return true;
  };
  const rewrite::SaturateReport report = saturation.run(saturate);

  ExploreResult r = result_of(report);
  r.rules_used = rules.rules.size();
  r.rules_left_out = choice.left_out;
  r.tensat_nodes = report.tensat_nodes;
  r.filtered = report.filtered;
  r.multi_seconds = report.multi_seconds;
  r.cycle_seconds = report.cycle_seconds;
  for (size_t i = 0; i < report.rules.size(); ++i)
    if (report.rules[i].applied > 0)
      r.rules.emplace_back(saturation.alternatives().source(static_cast<uint32_t>(i)).name(),
                           report.rules[i].applied);
  if (o.explain) explain(o, cost, eg, saturation, stop, progress, r);
  if (is_kept(o)) {
    const CostChoice costs = unmeasured(
        cost, "the file has costs of all nodes, and only those of programs are measured", stop, progress);
    const egraph::FlatProblem flat = rewrite::flat_problem(eg, *costs.model);
    const rewrite::Alternatives& applied = saturation.alternatives();
    for (egraph::NodeId n : flat.node_of) {
      const uint32_t maker = applied.maker(n);
      r.makers.push_back(maker == rewrite::Alternatives::kNone
                             ? ""
                             : applied.source_of(applied.applications()[maker]).name());
    }
    keep(o, serialize(eg, flat), r);
  }
  return r;
}

}  // namespace

ExploredLanguage explored_language(std::string_view word) {
  return choose<ExploredLanguage>(
      "--language", word, {{"tensor", ExploredLanguage::kTensor}, {"symbols", ExploredLanguage::kSymbols}});
}

egraph::SchedulerKind scheduler_kind(std::string_view word) {
  return choose<egraph::SchedulerKind>(
      "--scheduler", word,
      {{"simple", egraph::SchedulerKind::kSimple}, {"backoff", egraph::SchedulerKind::kBackoff}});
}

ExploreResult explore(const ExploreOptions& options, const StopToken& stop, ProgressSink& progress) {
  require_at_least("--k-multi", options.k_multi, 0);
  std::vector<NamedFile> read = {{"FILE", options.file}};
  for (const std::string& file : options.rules) read.push_back({"--rules", file});
  for (const std::string& file : options.add_rules) read.push_back({"--add-rules", file});
  check_outputs(std::array<NamedFile, 2>{{{"--output", options.output}, {"--html", options.page}}}, read);
  return options.language == ExploredLanguage::kSymbols ? explore_symbols(options, stop)
                                                        : explore_tensors(options, stop, progress);
}

}  // namespace isomer::recipes
