#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/session.h"
#include "cli/commands.h"
#include "cli/plain_numbers.h"
#include "cli/print_json.h"
#include "cli/standard_output.h"
#include "egraph/equations.h"
#include "ir/op_table.h"
#include "recipes/judge_rule.h"
#include "recipes/known_verdicts.h"
#include "recipes/rule_files.h"
#include "recipes/shipped_arithmetic.h"
#include "rewrite/axiom_check.h"
#include "rewrite/generate_rules.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_parser.h"
#include "rewrite/rule_print.h"
#include "rewrite/rule_stability.h"
#include "rewrite/taso_rules.h"
#include "support/atomic_file.h"
#include "support/deadline.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/outputs.h"
#include "support/rng.h"
#include "support/units.h"
#include "verify/verdict.h"

namespace isomer::cli {
namespace {

using Json = nlohmann::ordered_json;

struct RulesArgs {
  std::vector<std::string> files, names;
  std::string equations, axioms, output, compare;
  rewrite::GenerateOptions generate;
  bool json = false, dot = false;
  int instances = 512;
  int sample = 0;
  double seconds = std::numeric_limits<double>::infinity();
  uint64_t seed = 1;
};

std::vector<std::string> files_or_default(const std::vector<std::string>& files) {
  return files.empty() ? recipes::all_rule_files() : files;
}

std::vector<rewrite::Rule> chosen_rules(const RulesArgs& args) {
  rewrite::RuleSet set;
  for (const std::string& file : files_or_default(args.files))
    set.append(rewrite::load_rules(ir::standard_ops(), file));
  if (!args.names.empty()) {
    for (const std::string& name : args.names) set.require(name);
    std::erase_if(set.rules, [&](const rewrite::Rule& r) {
      return std::ranges::find(args.names, r.name) == args.names.end();
    });
  }
  if (args.sample > 0) {
    Rng rng(args.seed);
    while (set.rules.size() > static_cast<size_t>(args.sample))
      set.rules.erase(set.rules.begin() + static_cast<std::ptrdiff_t>(rng.below(set.rules.size())));
  }
  return std::move(set.rules);
}

recipes::JudgedRule judge(ir::Context& ctx, const rewrite::Rule& rule, const RulesArgs& args,
                          const Deadline& until = {}) {
  return recipes::judge(ctx, rule, {args.seed, args.instances, until});
}

/// Nothing is said of sides that are not equal.
nlohmann::json arithmetic_of(const recipes::JudgedRule& judged) {
  if (!judged.verdict.verdict.equivalent()) return nullptr;
  return rewrite::arithmetic_of(judged.stability);
}

/// What was said of the rules that were checked.
struct Tally {
  std::array<size_t, 5> kinds{};
  size_t checked = 0, unstable = 0, overstated = 0;
  double error = 0;  ///< the largest of an identity
  Json list = Json::array();

  void add(const rewrite::Rule& rule, const recipes::JudgedRule& judged) {
    const verify::Verdict& v = judged.verdict.verdict;
    ++checked;
    ++kinds[static_cast<size_t>(v.kind)];
    if (v.kind == verify::VerdictKind::kProved) error = std::max(error, v.error_probability());
    unstable += judged.stability.measured == rewrite::Stability::kUnstable;
    overstated += judged.overstated;
    list.push_back({{"rule", rule.name},
                    {"verdict", rewrite::to_string(judged.verdict)},
                    {"how", verify::summary(v)},
                    {"error_probability", error_probability(v)},
                    {"instances", judged.verdict.instances},
                    {"drawn", judged.verdict.drawn},
                    {"other_type", judged.verdict.other_type},
                    {"screened", judged.verdict.screened},
                    {"swept", judged.verdict.swept},
                    {"scope", rewrite::summary(judged.verdict.scope)},
                    {"stability", rewrite::to_string(rule.stability)},
                    {"measured_stability", rewrite::to_string(judged.stability.measured)},
                    {"stability_reason", judged.stability.reason},
                    {"arithmetic", arithmetic_of(judged)}});
  }
  size_t count(verify::VerdictKind kind) const { return kinds[static_cast<size_t>(kind)]; }
  /// Sampled: equal over the field, but integers among the inputs, which no probability can be stated for.
  size_t tested() const { return count(verify::VerdictKind::kTested) + count(verify::VerdictKind::kSampled); }
};

Json json_of(const Tally& tally, size_t rules, StopReason stop) {
  using Kind = verify::VerdictKind;
  return {{"rules", rules},
          {"checked", tally.checked},
          {"stop_reason", to_string(stop)},
          {"proved", 0},  // for all ranks and sizes
          {"identities", tally.count(Kind::kProved)},
          {"tested", tally.tested()},
          {"refuted", tally.count(Kind::kRefuted)},
          {"unknown", tally.count(Kind::kUnknown)},
          {"sampled", tally.count(Kind::kSampled)},
          {"error_probability", tally.count(Kind::kProved) > 0 ? Json(tally.error) : Json(nullptr)},
          {"unstable", tally.unstable},
          {"stability_overstated", tally.overstated},
          {"list", tally.list}};
}

std::string text_of(const Tally& tally, size_t rules, StopReason stop) {
  using Kind = verify::VerdictKind;
  std::string out = fmt::format("{} rules, each at its instances: {} are identities", tally.checked,
                                tally.count(Kind::kProved));
  if (tally.error > 0) out += fmt::format(" (error < 2^{:.0f})", std::ceil(std::log2(tally.error)));
  out += fmt::format(", {} tested, {} refuted, {} unknown; {} unstable, {} less stable than declared",
                     tally.tested(), tally.count(Kind::kRefuted), tally.count(Kind::kUnknown), tally.unstable,
                     tally.overstated);
  if (tally.checked < rules)
    out += fmt::format("; {} before the other {}", to_string(stop), rules - tally.checked);
  return out + "\n";
}

std::string text_of(const rewrite::Rule& rule, const recipes::JudgedRule& judged) {
  const auto measured = rewrite::to_string(judged.stability.measured);
  std::string out = fmt::format("{:<40} {}; {}\n", rule.name, rewrite::summary(judged.verdict), measured);
  if (judged.verdict.verdict.equivalent())
    out += fmt::format("    {}; {}\n", rewrite::summary(judged.verdict.scope),
                       rewrite::arithmetic_of(judged.stability));
  else
    out += fmt::format("    at {}\n", judged.verdict.instance);
  if (!judged.stability.reason.empty()) out += fmt::format("    unstable: {}\n", judged.stability.reason);
  if (judged.overstated)
    out += fmt::format("    the file says {}, measured {}\n", rewrite::to_string(rule.stability), measured);
  return out;
}

/// Says on the progress line which of the rules is at work.
void tell(const RunHooks& hooks, std::string_view phase, size_t done, size_t all, double left,
          const std::string& rule) {
  if (hooks.progress)
    hooks.progress(std::string(phase), static_cast<double>(done) / static_cast<double>(all), std::nan(""),
                   left, fmt::format("rule {} of {}: {}", done + 1, all, rule));
}

/// A verdict for every rule of the files, or for those that the time allows; refuted ones, and ones less
/// stable than they say, make exit status 4, an interrupt before the last of them 130.
void check(const RulesArgs& args, Session& session) {
  const RunHooks hooks = terminal_hooks(session);
  const api::StopRelay relay(session.stop);
  const Deadline until(args.seconds, steady_clock(), relay.token());
  const std::vector<rewrite::Rule> rules = chosen_rules(args);
  Tally tally;
  for (size_t i = 0; i < rules.size() && !until.passed(); ++i) {
    tell(hooks, "check", i, rules.size(), until.remaining(), rules[i].name);
    ir::Context ctx(ir::standard_ops());
    const recipes::JudgedRule judged = judge(ctx, rules[i], args, until);
    if (judged.cut) break;
    tally.add(rules[i], judged);
    if (args.json) continue;
    if (!session.quiet) end_progress();
    fmt::print("{}", text_of(rules[i], judged));
  }
  if (!session.quiet) end_progress();
  const StopReason stop = tally.checked == rules.size() ? StopReason::kSaturated : until.reason();
  if (args.json)
    print_json(json_of(tally, rules.size(), stop));
  else
    fmt::print("{}", text_of(tally, rules.size(), stop));
  if (tally.count(verify::VerdictKind::kRefuted) > 0 || tally.overstated > 0)
    session.status = static_cast<int>(ExitStatus::kVerificationFailed);
  else if (stop == StopReason::kInterrupted)
    session.status = static_cast<int>(ExitStatus::kInterrupted);
}

void show(const RulesArgs& args) {
  for (const rewrite::Rule& rule : chosen_rules(args)) {
    if (args.dot) {
      fmt::print("{}", rewrite::to_dot(ir::standard_ops(), rule));
      continue;
    }
    ir::Context ctx(ir::standard_ops());
    const recipes::JudgedRule judged = judge(ctx, rule, args);
    fmt::print("{}\n  {}\n  instances: {}\n  its two sides are {}\n  measured: {}{}\n",
               rewrite::draw(ir::standard_ops(), rule), rewrite::summary(judged.verdict),
               rewrite::summary(judged.verdict.scope),
               judged.verdict.verdict.equivalent() ? rewrite::arithmetic_of(judged.stability) : "not equal",
               rewrite::to_string(judged.stability.measured),
               judged.stability.reason.empty() ? "" : ": " + judged.stability.reason);
    if (!judged.verdict.instance.empty()) fmt::print("  for example at {}\n", judged.verdict.instance);
  }
}

/// What was measured before a Ctrl-C is kept.
void list(const RulesArgs& args, Session& session) {
  const RunHooks hooks = terminal_hooks(session);
  recipes::KnownVerdicts known = recipes::KnownVerdicts::of_user();
  std::vector<rewrite::RuleSet> sets;
  const std::vector<std::string> files = files_or_default(args.files);
  size_t all = 0, listed = 0;
  for (const std::string& file : files)
    all += sets.emplace_back(rewrite::load_rules(ir::standard_ops(), file)).rules.size();
  Json out = Json::array();
  for (size_t f = 0; f < files.size() && !*session.stop; ++f) {
    if (!args.json) fmt::print("{}: {} rules\n", files[f], sets[f].rules.size());
    Json rows = Json::array();
    for (const rewrite::Rule& r : sets[f].rules) {
      if (*session.stop) break;
      tell(hooks, "measure", listed, all, std::numeric_limits<double>::infinity(), r.name);
      const std::string arithmetic = known.arithmetic(known.statement(ir::standard_ops(), r), r);
      if (!session.quiet && !args.json) end_progress();
      const std::string_view kind = r.is_multi() ? "multi" : "single";
      const std::string_view stability = rewrite::to_string(r.stability);
      if (args.json)
        rows.push_back({{"rule", r.name},
                        {"kind", kind},
                        {"stability", stability},
                        {"origin", r.origin},
                        {"arithmetic", arithmetic}});
      else
        fmt::print("  {:<40} {:<7} {:<13} {}; {}\n", r.name, kind, stability, r.origin, arithmetic);
      ++listed;
    }
    out.push_back({{"file", files[f]},
                   {"hash", fmt::format("{:016x}", recipes::rule_file_hash(files[f]))},
                   {"rules", std::move(rows)}});
  }
  known.keep();
  if (!session.quiet) end_progress();
  const StopReason stop = listed == all ? StopReason::kSaturated : StopReason::kInterrupted;
  if (args.json)
    print_json({{"rules", all}, {"listed", listed}, {"stop_reason", to_string(stop)}, {"files", out}});
  else if (listed < all)
    fmt::print("interrupted before the other {}\n", all - listed);
  if (listed < all) session.status = static_cast<int>(ExitStatus::kInterrupted);
}

/// Equations by axioms, each axiom with its own verdict; what is open, or a refuted axiom, makes exit
/// status 4.
void prove(const RulesArgs& args, Session& session) {
  const std::string file = args.axioms.empty() ? recipes::rules_folder() + "/taso_axioms.txt" : args.axioms;
  egraph::SymbolTable symbols;
  const std::vector<egraph::Rewrite> axioms = egraph::parse_rules(read_file(file), symbols, file);
  const std::vector<egraph::Equation> equations =
      egraph::parse_equations(read_file(args.equations), symbols, args.equations);
  rewrite::AxiomCheckOptions options;
  options.seed = args.seed;
  options.instances = args.instances;
  std::array<size_t, 5> kinds{};
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  size_t stated = 0;
  for (const egraph::Rewrite& axiom : axioms) {
    if (*session.stop) break;
    if (axiom.name.ends_with("reversed")) continue;
    ++stated;
    const rewrite::AxiomVerdict v = rewrite::check_axiom(symbols, axiom.left, axiom.right, options);
    ++kinds[static_cast<size_t>(v.verdict.kind)];
    if (args.json) {
      list.push_back({{"line", std::stoi(axiom.name)},
                      {"verdict", verify::to_string(v.verdict.kind)},
                      {"how", verify::summary(v.verdict)},
                      {"instances", v.instances}});
    } else {
      fmt::print("axiom of line {:<4} {}\n", axiom.name, verify::summary(v.verdict));
      if (!v.verdict.equivalent()) fmt::print("    at {}\n", v.instance);
    }
  }
  const StopReason stop = *session.stop ? StopReason::kInterrupted : StopReason::kSaturated;
  const egraph::Proofs proofs = egraph::prove(equations, axioms);
  std::vector<size_t> open;
  for (size_t i = 0; i < equations.size(); ++i)
    if (!proofs.proved[i]) open.push_back(i + 1);
  const auto count = [&](verify::VerdictKind kind) { return kinds[static_cast<size_t>(kind)]; };
  using Kind = verify::VerdictKind;
  if (args.json) {
    const nlohmann::ordered_json out = {{"equations", equations.size()},
                                        {"proved", proofs.count()},
                                        {"open", open},
                                        {"axioms", stated},
                                        {"axioms_proved", count(Kind::kProved)},
                                        {"axioms_tested", count(Kind::kTested) + count(Kind::kSampled)},
                                        {"axioms_refuted", count(Kind::kRefuted)},
                                        {"axioms_unknown", count(Kind::kUnknown)},
                                        {"stop_reason", to_string(stop)},
                                        {"cpu_seconds", proofs.cpu_seconds},
                                        {"list", list}};
    print_json(out);
  } else {
    if (!open.empty()) fmt::print("open: equations {}\n", fmt::join(open, ", "));
    fmt::print(
        "{} of {} equations proved in {:.4f} CPU s, from {} axioms: {} proved, {} tested, {} refuted, {} "
        "unknown\n",
        proofs.count(), equations.size(), proofs.cpu_seconds, stated, count(Kind::kProved),
        count(Kind::kTested) + count(Kind::kSampled), count(Kind::kRefuted), count(Kind::kUnknown));
    if (stop == StopReason::kInterrupted) fmt::print("interrupted before the other axioms were checked\n");
  }
  if (stop == StopReason::kInterrupted) session.status = static_cast<int>(ExitStatus::kInterrupted);
  if (!open.empty() || count(Kind::kRefuted) > 0) session.status = 4;
}

constexpr const char *kSingle = "_single.txt", *kMulti = "_multi.txt";

std::string one_line(const std::vector<std::string>& arrows) {
  return fmt::format("{}", fmt::join(arrows, "; "));
}

/// Rules from the operators' definitions, and what became of TASO's own among them.
void generate(const RulesArgs& args, Session& session) {
  rewrite::GenerateOptions options = args.generate;
  options.seed = args.seed;
  options.instances = args.instances;
  const api::StopRelay relay(session.stop);
  options.limits.stop = relay.token();
  options.limits.seconds = args.seconds;
  if (!session.quiet) options.note = note;
  const std::string other = args.compare.empty() ? recipes::rules_folder() + "/graph_subst.pb" : args.compare;
  if (!args.output.empty())
    check_outputs(
        std::array<NamedFile, 2>{{{"--output", args.output + kSingle}, {"--output", args.output + kMulti}}},
        std::array<NamedFile, 1>{{{"--compare", other}}});
  const rewrite::GeneratedRules made = rewrite::generate_rules(ir::standard_ops(), options);
  std::string single, multi;
  for (const rewrite::GeneratedRule& rule : made.rules) {
    std::string& out = rule.arrows.size() == 1 ? single : multi;
    out += fmt::format("# {}\n{}\n", verify::summary(rule.verdict), fmt::join(rule.arrows, "\n"));
  }
  if (!args.output.empty())
    for (const auto& [suffix, text] : {std::pair(kSingle, &single), std::pair(kMulti, &multi)})
      write_file(args.output + suffix, *text);
  const bool stopped =
      made.stop_reason == StopReason::kInterrupted || made.stop_reason == StopReason::kTimeLimit;
  if (made.stop_reason == StopReason::kInterrupted)
    session.status = static_cast<int>(ExitStatus::kInterrupted);
  std::vector<std::vector<std::string>> others;  // what is cut short is not compared
  if (!stopped)
    for (rewrite::TasoRule& rule : rewrite::read_taso_rules(read_file(other), other))
      others.push_back(std::move(rule.arrows));
  const rewrite::Coverage coverage =
      stopped ? rewrite::Coverage() : rewrite::cover(others, made.rules, options);
  using How = rewrite::CoveredRule::How;
  const auto count = [&](How how) {
    return std::ranges::count(coverage.rules, how, &rewrite::CoveredRule::how);
  };
  const auto fresh = std::ranges::count(coverage.follows_there, false);
  if (args.json) {
    nlohmann::ordered_json missed = nlohmann::ordered_json::array(), news = nlohmann::ordered_json::array();
    for (size_t i = 0; i < others.size(); ++i)
      if (coverage.rules[i].how == How::kMissed)
        missed.push_back({{"rule", i + 1}, {"arrows", others[i]}, {"reason", coverage.rules[i].reason}});
    for (size_t i = 0; i < coverage.follows_there.size(); ++i)
      if (!coverage.follows_there[i]) news.push_back(made.rules[i].arrows);
    const nlohmann::ordered_json out = {{"rules", made.rules.size()},
                                        {"terms", made.terms},
                                        {"distinct", made.distinct},
                                        {"candidates", made.candidates},
                                        {"follow", made.follow},
                                        {"refuted", made.refuted},
                                        {"unknown", made.unknown},
                                        {"stop_reason", to_string(made.stop_reason)},
                                        {"cpu_seconds", made.cpu_seconds},
                                        {"compared", others.size()},
                                        {"same", count(How::kSame)},
                                        {"derived", count(How::kFollows)},
                                        {"missed", missed},
                                        {"new", news}};
    print_json(out);
    return;
  }
  for (size_t i = 0; i < others.size(); ++i)
    if (coverage.rules[i].how == How::kMissed)
      fmt::print("missed: rule {}, {}\n    {}\n", i + 1, coverage.rules[i].reason, one_line(others[i]));
  for (size_t i = 0; i < coverage.follows_there.size(); ++i)
    if (!coverage.follows_there[i]) fmt::print("new: {}\n", one_line(made.rules[i].arrows));
  fmt::print(
      "{} terms, {} results, {} candidates: {} follow from others, {} rules refuted at other shapes, {} "
      "without an "
      "instance, {} rules kept, in {:.1f} CPU s ({})\n",
      made.terms, made.distinct, made.candidates, made.follow, made.refuted, made.unknown, made.rules.size(),
      made.cpu_seconds, to_string(made.stop_reason));
  if (stopped) return;
  fmt::print("of {} rules of {}: {} are among them, {} follow, {} missed; {} of ours do not follow from it\n",
             others.size(), other.substr(other.find_last_of('/') + 1), count(How::kSame),
             count(How::kFollows), count(How::kMissed), fresh);
}

void add_time_limit(CLI::App& command, const std::shared_ptr<RulesArgs>& args) {
  command.add_option_function<std::string>(
      "--time-limit", [args](const std::string& t) { args->seconds = parse_seconds(t); },
      "for all of it, for example 60s: what is known by then is said");
}

}  // namespace

void add_rules(CLI::App& app, Session& session) {
  CLI::App* rules = app.add_subcommand("rules", "Look at rule sets: list, show, check, prove, generate");
  rules->require_subcommand(1);
  auto args = std::make_shared<RulesArgs>();
  constexpr const char* kFiles = "rule files (default: all that are shipped for ONNX models)";
  CLI::App* names = rules->add_subcommand(
      "list", "names, kinds, stability, origins of the rules, and their arithmetic if they hold");
  names->add_option("files", args->files, kFiles);
  names->add_flag("--json", args->json, "print one JSON object on standard output");
  names->callback([args, &session] { list(*args, session); });

  CLI::App* drawn = rules->add_subcommand("show", "one rule, drawn, with its verdict");
  drawn->add_option("name", args->names, "its name")->required()->expected(1);
  drawn->add_option("--rules", args->files, kFiles);
  drawn->add_flag("--dot", args->dot, "as a graph for dot");
  drawn->callback([args] { show(*args); });

  CLI::App* verdicts =
      rules->add_subcommand("check", "a verdict for each rule by the verifier, and its stability, measured");
  verdicts->add_option("files", args->files, kFiles);
  verdicts->add_option("--rule", args->names, "only this rule (may be repeated)")->allow_extra_args(false);
  verdicts->add_option("--instances", args->instances, "types and attributes that each rule is checked at")
      ->check(at_least_one())
      ->capture_default_str();
  verdicts->add_option("--sample", args->sample, "check so many rules, drawn at random (0: all)")
      ->capture_default_str();
  verdicts->add_option("--seed", args->seed, "seed of every random choice")->capture_default_str();
  add_time_limit(*verdicts, args);
  verdicts->add_flag("--json", args->json, "print one JSON object on standard output");
  verdicts->callback([args, &session] { check(*args, session); });

  CLI::App* made = rules->add_subcommand(
      "generate", "rules from the operators' definitions alone, with verdicts, compared with TASO's own");
  made->add_option("--operators", args->generate.operators, "most on a side")->capture_default_str();
  made->add_option("--variables", args->generate.variables, "most tensors in a rule")
      ->capture_default_str()
      ->check(CLI::Range(1, 8));
  made->add_flag("!--no-matrices", args->generate.matrices, "leave out products of matrices");
  made->add_flag("!--no-images", args->generate.images, "leave out convolutions");
  made->add_option("--term-limit", args->generate.limits.nodes, "terms to look at, for each kind of tensor");
  made->add_option("--compare", args->compare, "TASO's file (default: graph_subst.pb)");
  made->add_option("-o,--output", args->output, "writes NAME_single.txt and NAME_multi.txt");
  made->add_option("--instances", args->instances, "shapes that each rule is checked at")
      ->check(at_least_one())
      ->capture_default_str();
  add_time_limit(*made, args);
  made->add_option("--seed", args->seed, "seed of every random choice")->capture_default_str();
  made->add_flag("--json", args->json, "print one JSON object on standard output");
  made->callback([args, &session] { generate(*args, session); });

  CLI::App* proved = rules->add_subcommand(
      "prove", "equations f(a,b)==g(c) by operator axioms, and a verdict for each axiom by the verifier");
  proved->add_option("equations", args->equations, "their file, in the notation of TASO's verifier")
      ->required();
  proved->add_option("--axioms", args->axioms,
                     "LEFT=>RIGHT or LEFT<=>RIGHT a line (default: taso_axioms.txt)");
  proved->add_option("--instances", args->instances, "shapes that each axiom is checked at")
      ->check(at_least_one())
      ->capture_default_str();
  proved->add_option("--seed", args->seed, "seed of every random choice")->capture_default_str();
  proved->add_flag("--json", args->json, "print one JSON object on standard output");
  proved->callback([args, &session] { prove(*args, session); });
}

}  // namespace isomer::cli
