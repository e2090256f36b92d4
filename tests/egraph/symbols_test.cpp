#include "egraph/symbols.h"

#include <gtest/gtest.h>

#include "egraph/flat_problem.h"
#include "egraph/tensat_data.h"
#include "extract/extract.h"
#include "support/errors.h"

namespace isomer::egraph {
namespace {

std::string message_of(const std::string& rule) {
  SymbolTable symbols;
  try {
    parse_rules(rule, symbols, "rules.txt");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Symbols, BadRulesSayWhereAndWhat) {
  EXPECT_NE(message_of("(f ?x)=>?x\n(f ?x=>?x").find("rules.txt:2:"), std::string::npos);
  EXPECT_NE(message_of("(f ?x=>?x").find("expected"), std::string::npos);
  EXPECT_NE(message_of("(f ?x)=>(f ?y)").find("found ?y"), std::string::npos);
  EXPECT_NE(message_of("(f ?x ?y)<=>(f ?x ?x)").find("?y is on the left only"), std::string::npos);
  EXPECT_NE(message_of("(f ?x)").find("=> or <=>"), std::string::npos);
  EXPECT_NE(message_of("(f ?)=>x").find("variable's name"), std::string::npos);
  EXPECT_NE(message_of("f=>g h").find("end of the line"), std::string::npos);
  EXPECT_NE(message_of("()=>x").find("expected a name"), std::string::npos);
  EXPECT_NE(message_of(std::string(5000, '(')).find("expected"), std::string::npos);
  std::string deep = "x";
  for (int i = 0; i < 2000; ++i) deep = "(f " + deep + ")";
  EXPECT_NE(message_of(deep + "=>x").find("nested"), std::string::npos);
  EXPECT_EQ(message_of("# a comment\n\n(f ?x ?y)<=>(f ?y ?x)\r\n; another"), "");
}

TEST(Symbols, BadDagsSayWhereAndWhat) {
  SymbolTable symbols;
  for (const char* text : {"f 0", "x\nf 1", "x\nf 0 y", "x\nf -1", "", "x\nf 0 99999999999"}) {
    EXPECT_THROW(parse_dag(text, symbols, "a.dag"), InputError) << text;
  }
  EXPECT_EQ(parse_dag("x\n\nf 0 0\n", symbols).size(), 2u);
}

TEST(Symbols, ADagHasAsManyNodesAsLines) {
  SymbolTable symbols;
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  add_dag(g, parse_dag(read_test_file("tensat/models/dag/nasneta.dag"), symbols));
  g.rebuild();
  EXPECT_EQ(g.live_nodes(), 806u);
}

/// Whether saturation proves two terms equal.
bool proves(const std::string& rules, const std::string& from, const std::string& to,
            RunOptions options = {}) {
  SymbolTable symbols;
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  std::vector<std::string> no_variables;
  const ClassId a = add_term(g, parse_pattern(from, symbols, no_variables));
  const ClassId b = add_term(g, parse_pattern(to, symbols, no_variables));
  if (options.limits.iterations > 100) options.limits.iterations = 12;
  options.limits.nodes = 20000;
  run(g, parse_rules(rules, symbols), options);
  EXPECT_EQ(g.check_invariants(), "");
  return g.same(a, b);
}

// In the manner of egg's math tests: start, goal.
constexpr const char* kMath =
    "(+ ?a ?b)=>(+ ?b ?a)\n"
    "(* ?a ?b)=>(* ?b ?a)\n"
    "(+ ?a (+ ?b ?c))<=>(+ (+ ?a ?b) ?c)\n"
    "(* ?a (* ?b ?c))<=>(* (* ?a ?b) ?c)\n"
    "(+ ?a 0)=>?a\n"
    "(* ?a 0)=>0\n"
    "(* ?a 1)=>?a\n"
    "(- ?a ?b)=>(+ ?a (* -1 ?b))\n"
    "(- ?a ?a)=>0\n"
    "(* ?a (+ ?b ?c))=>(+ (* ?a ?b) (* ?a ?c))\n"
    "(+ (* ?a ?b) (* ?a ?c))=>(* ?a (+ ?b ?c))\n"
    "(d ?x ?x)=>1\n"
    "(d ?x (+ ?a ?b))=>(+ (d ?x ?a) (d ?x ?b))\n"
    "(d ?x (* ?a ?b))=>(+ (* ?a (d ?x ?b)) (* ?b (d ?x ?a)))\n";

TEST(Run, SimplifiesAndDifferentiates) {
  RunOptions backoff;
  backoff.scheduler.kind = SchedulerKind::kBackoff;
  EXPECT_TRUE(proves(kMath, "(+ 1 (* 0 (- a b)))", "1"));
  EXPECT_TRUE(proves(kMath, "(* (+ x 3) 0)", "0"));
  EXPECT_TRUE(proves(kMath, "(+ x (+ y (+ z w)))", "(+ w (+ x (+ y z)))", backoff));
  EXPECT_TRUE(
      proves(kMath, "(+ (* y (+ x y)) (* -1 (* y (+ x y))))", "(- (* y (+ x y)) (* y (+ x y)))", backoff));
  EXPECT_TRUE(proves(kMath, "(d x (* x x))", "(+ x x)", backoff));
  EXPECT_FALSE(proves(kMath, "(+ x y)", "(* x y)", backoff));
}

// The two examples that every paper on e-graphs has.
TEST(Run, CancelsAndClosesCongruence) {
  constexpr const char* kHalf =
      "(* ?x 2)=>(<< ?x 1)\n(/ (* ?x ?y) ?z)=>(* ?x (/ ?y ?z))\n(/ 2 2)=>1\n(* ?x 1)=>?x\n";
  EXPECT_TRUE(proves(kHalf, "(/ (* a 2) 2)", "a"));
  // Ground rules: f(b, a) is c once a is b, although no term f(a, b) was there to begin with.
  EXPECT_TRUE(proves("(f a b)=>c\na=>b\n", "(f b a)", "c"));
}

TEST(Run, ReportsWhyItStopped) {
  SymbolTable symbols;
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  std::vector<std::string> no_variables;
  add_term(g, parse_pattern("(f x)", symbols, no_variables));
  const std::vector<Rewrite> grow = parse_rules("(f ?x)=>(f (g ?x))", symbols);
  RunOptions options;
  options.limits.iterations = 3;
  EGraph<NoAnalysis> h = g;
  RunReport report = run(h, grow, options);
  EXPECT_EQ(report.stop_reason, StopReason::kIterationLimit);
  EXPECT_EQ(report.iterations, 3u);
  EXPECT_EQ(report.e_nodes, h.live_nodes());
  options = {};
  options.limits.nodes = 50;
  h = g;
  report = run(h, grow, options);
  EXPECT_EQ(report.stop_reason, StopReason::kNodeLimit);
  EXPECT_GT(report.e_nodes, 50u);
  options = {};
  options.limits.stop.request();
  h = g;
  report = run(h, grow, options);
  EXPECT_EQ(report.stop_reason, StopReason::kInterrupted);
  EXPECT_EQ(report.iterations, 0u);
}

std::vector<uint32_t> state_of(const EGraph<NoAnalysis>& g) {
  std::vector<uint32_t> state;
  for (uint32_t n = 0; n < g.slots(); ++n) {
    state.push_back(g.op(NodeId(n)));
    state.push_back(g.class_of(NodeId(n)).v);
    for (ClassId c : g.children(NodeId(n))) state.push_back(c.v);
  }
  return state;
}

// Each time, in a copy, and with any number of threads.
TEST(Run, IsTheSameEveryTime) {
  SymbolTable symbols;
  const std::vector<Rewrite> rules =
      parse_rules(read_test_file("tensat/rules/single_converted.txt"), symbols);
  NoAnalysis none;
  EGraph<NoAnalysis> start(none);
  add_dag(start, parse_dag(read_test_file("tensat/models/dag/squeezenet.dag"), symbols));
  start.rebuild();
  RunOptions options;
  options.limits.iterations = 8;
  std::vector<std::vector<uint32_t>> states;
  for (unsigned threads : {1u, 1u, 2u, 4u}) {
    EGraph<NoAnalysis> g = start;
    options.threads = threads;
    run(g, rules, options);
    states.push_back(state_of(g));
    EXPECT_GT(g.live_nodes(), 5000u);
    EXPECT_EQ(states.back(), states.front()) << threads;
  }
  // A copy of the middle of a run goes on as the original does.
  EGraph<NoAnalysis> original = start;
  options.limits.iterations = 4;
  run(original, rules, options);
  EGraph<NoAnalysis> copy = original;
  run(original, rules, options);
  run(copy, rules, options);
  EXPECT_EQ(state_of(copy), state_of(original));
}

TEST(Run, IncrementalSearchArrivesAtTheSame) {
  SymbolTable symbols;
  const std::vector<Rewrite> rules =
      parse_rules(read_test_file("tensat/rules/single_converted.txt"), symbols);
  for (const char* model : {"bert", "mobilenetv2", "squeezenet"}) {
    for (SchedulerKind kind : {SchedulerKind::kSimple, SchedulerKind::kBackoff}) {
      SCOPED_TRACE(model);
      NoAnalysis none;
      EGraph<NoAnalysis> start(none);
      add_dag(start, parse_dag(read_test_file(std::string("tensat/models/dag/") + model + ".dag"), symbols));
      RunOptions options;
      options.limits.iterations = 8;
      options.scheduler.kind = kind;
      options.scheduler.match_limit = 200;  // low enough for bans
      EGraph<NoAnalysis> a = start, b = start;
      const RunReport fast = run(a, rules, options);
      options.incremental = false;
      const RunReport full = run(b, rules, options);
      EXPECT_EQ(fast.e_nodes, full.e_nodes);
      EXPECT_EQ(fast.e_classes, full.e_classes);
      EXPECT_EQ(fast.iterations, full.iterations);
      EXPECT_LT(fast.matches, full.matches);
      EXPECT_EQ(a.check_invariants(), "");
      for (size_t r = 0; r < rules.size(); ++r) EXPECT_EQ(fast.rules[r].bans, full.rules[r].bans);
    }
  }
}

TEST(Flatten, ExtractsTheSmallestTerm) {
  SymbolTable symbols;
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  std::vector<std::string> no_variables;
  const ClassId root = add_term(g, parse_pattern("(/ (* a 2) 2)", symbols, no_variables));
  run(g, parse_rules("(/ (* ?x ?y) ?z)=>(* ?x (/ ?y ?z))\n(/ 2 2)=>1\n(* ?x 1)=>?x\n", symbols), {});
  const auto one = [](NodeId) { return 1.0; };
  const FlatProblem flat = flat_problem(g, std::vector{root}, one);
  const extract::Extraction e = extract::extract(flat.problem, extract::Extractor::kIlp);
  ASSERT_TRUE(e.found);
  EXPECT_EQ(e.dag_cost, 1);
  const std::vector<NodeId> picked = flat.picked(e.selection);
  const NodeId top = picked[flat.problem.roots()[0].index()];
  EXPECT_EQ(symbols.name(g.op(top)), "a");
  // Filtered nodes and nodes of infinite cost are not in the problem.
  g.filter(top);
  EXPECT_GT(
      extract::extract(flat_problem(g, std::vector{root}, one).problem, extract::Extractor::kIlp).dag_cost,
      1);
  const FlatProblem without = flat_problem(g, std::vector{root}, [&](NodeId n) {
    return g.children(n).empty() ? std::numeric_limits<double>::infinity() : 1.0;
  });
  EXPECT_FALSE(extract::extract(without.problem, extract::Extractor::kTreeGreedy).found);
}

}  // namespace
}  // namespace isomer::egraph
