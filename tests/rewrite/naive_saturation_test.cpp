// Saturation of tensor programs against its definition (naive_saturation.h): conditions, computed attributes,
// types, multi-patterns, backoff and cycle filters, on random programs under random choices of rules, few of
// them true: what is compared is which matches are applied, not whether they should be. After each iteration
// both must hold the same terms in the same classes; what the filter leaves out is judged by its definition
// and then taken over.
#include "rewrite/naive_saturation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/print.h"
#include "rewrite/rule_parser.h"
#include "rewrite/saturate.h"
#include "support/rng.h"

namespace isomer::rewrite {
namespace {

constexpr const char* kSingles[] = {
    "rule swap { (add ?x ?y) => (add ?y ?x); }",
    "rule turn { (add (add ?x ?y) ?z) => (add ?x (add ?y ?z)); }",
    "rule negated-twice { (neg (neg ?x)) => ?x; }",
    "rule wide { (relu ?x) => (neg ?x); if dim(?x, 1) > dim(?x, 0); }",
    "rule narrow { (neg ?x) => (relu (neg ?x)); if dim(?x, 1) < dim(?x, 0), dim(?x, 0) == 3; }",
    "rule transposes { (transpose{perm=?p} (transpose{perm=?q} ?x)) => (transpose{perm=compose(?q, ?p)} ?x); "
    "}",
    "rule no-transpose { (transpose{perm=?p} ?x) => ?x; if is_identity(?p); }",
    "rule square { (transpose{perm=?p} ?x) => ?x; if dim(?x, 0) == dim(?x, 1), !is_identity(?p); }",
    "rule into-sum { (transpose{perm=?p} (add ?x ?y)) => (add (transpose{perm=?p} ?x) (transpose{perm=?p} "
    "?y)); }",
    "rule same-transpose { (add (transpose{perm=?p} ?x) (transpose{perm=?p} ?y)) => (transpose{perm=?p} (mul "
    "?x ?y)); }",
    "rule fixed-transpose { (relu (transpose{perm=[1, 0]} ?x)) => (transpose{perm=[1, 0]} (relu ?x)); }",
    "rule swapped-product { (matmul ?x ?y) => (matmul ?y ?x); }",
    "rule distribute { (mul ?x (add ?y ?z)) => (add (mul ?x ?y) (mul ?x ?z)); }",
    "rule squared { (mul ?x ?x) => (neg ?x); }",
    "rule twice-as-wide { (matmul ?x ?y) => (slice{axes=[1], starts=[0], ends=[?n], steps=[1]} (matmul ?x "
    "(concat{axis=1} "
    "?y ?y))); let ?n = dim(?y, 1); if ?n < 3; }",
    "rule within { (relu ?x) => (add ?x (relu ?x)); }",
};
constexpr const char* kMultis[] = {
    "rule products { ordered; (matmul ?x ?y) => (slice{axes=[1], starts=[0], ends=[?n], steps=[1]} (matmul "
    "?x "
    "(concat{axis=1} ?y ?z))); (matmul ?x ?z) => (slice{axes=[1], starts=[?n], ends=[?m], steps=[1]} (matmul "
    "?x "
    "(concat{axis=1} ?y ?z))); let ?n = dim(?y, 1); let ?m = dim(?y, 1) + dim(?z, 1); }",
    "rule crossed { (add ?x ?y) => (mul ?x ?z); (mul ?x ?z) => (add ?y ?x); }",
    "rule three { (neg ?x) => (add ?x ?y); (relu ?x) => (relu (neg ?y)); (add ?x ?y) => (add ?y ?x); }",
    "rule apart { (relu ?x) => (relu ?y); (neg ?y) => (neg (mul ?x ?y)); if dim(?x, 0) == dim(?y, 0), "
    "dim(?x, 1) > 2; }",
    "rule of-one-axis { (transpose{perm=?p} ?x) => (transpose{perm=?p} (neg ?x)); (neg ?x) => (add ?x ?x); "
    "if "
    "!is_identity(?p); }",
    "rule sums { ordered; (add ?x ?y) => (add ?x (neg ?z)); (add ?x ?z) => (add ?x (neg ?y)); }",
};

/// A program in which every value is an output, so that all of it is below a root.
std::string random_program(Rng& rng) {
  struct Value {
    int64_t rows, columns;
  };
  std::vector<Value> values{{2, 3}, {3, 3}, {2, 2}};
  std::string text = "graph g {\n";
  for (size_t i = 0; i < values.size(); ++i)
    text +=
        fmt::format("%{} = input{{name=\"x{}\"}} : f32[{},{}]\n", i, i, values[i].rows, values[i].columns);
  const auto any = [&] { return rng.below(values.size()); };
  while (values.size() < 14) {
    const size_t a = any(), b = any(), at = values.size();
    const Value &x = values[a], &y = values[b];
    std::string node;
    Value made = x;
    switch (rng.below(6)) {
      case 0: node = fmt::format("neg(%{})", a); break;
      case 1: node = fmt::format("relu(%{})", a); break;
      case 2: {
        const bool identity = rng.chance(0.3);
        node = fmt::format("transpose{{perm=[{}]}}(%{})", identity ? "0,1" : "1,0", a);
        if (!identity) made = {x.columns, x.rows};
        break;
      }
      case 3:
        if (x.columns != y.rows) continue;
        node = fmt::format("matmul(%{}, %{})", a, b);
        made = {x.rows, y.columns};
        break;
      default:
        if (x.rows != y.rows || x.columns != y.columns) continue;
        node = fmt::format("{}(%{}, %{})", rng.chance(0.6) ? "add" : "mul", a, b);
    }
    text += fmt::format("%{} = {} : f32[{},{}]\n", at, node, made.rows, made.columns);
    values.push_back(made);
  }
  text += "return ";
  for (size_t i = 0; i < values.size(); ++i) text += fmt::format("{}%{}", i == 0 ? "" : ", ", i);
  return text + "\n}";
}

template <size_t N>
std::string some_rules(Rng& rng, const char* const (&pool)[N], size_t count) {
  std::set<size_t> chosen;
  while (chosen.size() < count) chosen.insert(rng.below(N));
  std::string text;
  for (size_t i : chosen) text += std::string(pool[i]) + "\n";
  return text;
}

RuleSet only(const RuleSet& rules, bool multi) {
  RuleSet out = rules;
  std::erase_if(out.rules, [&](const Rule& r) { return r.is_multi() != multi; });
  return out;
}

struct Setting {
  CycleMode cycles = CycleMode::kNone;
  size_t limit = 0;  ///< of backoff; 0: the simple scheduler
};

/// What a program is after so many iterations, and, if asked for, one more multi-pattern step.
struct Engine {
  Engine(const ir::Graph& graph, const RuleSet& rules, const RuleSet& multis, const Setting& setting,
         uint64_t iterations, bool half)
      : program(graph) {
    SaturateOptions options;
    options.cycles = setting.cycles;
    options.k_multi = 2;
    options.scheduler = {setting.limit > 0 ? egraph::SchedulerKind::kBackoff : egraph::SchedulerKind::kSimple,
                         setting.limit, 1};
    options.limits.iterations = iterations;
    if (iterations > 0) Saturation(program, rules).run(options);
    options.limits.iterations = 1;
    if (half) Saturation(program, multis).run(options);
    program.graph().rebuild();
  }
  TensorEGraph program;
};

class Comparison {
 public:
  Comparison(const ir::Graph& graph, NaiveSaturation& naive) : graph_(graph), naive_(naive) {
    std::vector<uint32_t> term;
    for (size_t i = 0; i < graph.size(); ++i) {
      const ir::ValueId v(i);
      if (graph.operands(v).empty()) {
        NaiveSaturation::Shape shape;
        for (const auto& dim : graph.type(v).shape) shape.push_back(dim.size());
        term.push_back(naive.add_leaf(graph.op(v), graph.payload(v), shape));
        continue;
      }
      std::vector<uint32_t> children;
      for (ir::ValueId c : graph.operands(v)) children.push_back(term[c.index()]);
      term.push_back(*naive.add(graph.op(v), graph.payload(v), children));
    }
    for (ir::ValueId v : graph.outputs()) roots_.push_back(term[v.index()]);
  }

  /// Terms and classes are the same; every usable term of the engine is one of the other's, too.
  void expect_same(const EGraph& g) {
    ASSERT_EQ(g.check_invariants(), "");
    ASSERT_EQ(g.live_nodes(), naive_.terms().nodes());
    ASSERT_EQ(g.live_classes(), naive_.terms().classes());
    std::map<uint32_t, egraph::ClassId> like;  // by naive class
    const std::vector<egraph::NodeId> node = nodes(g);
    for (uint32_t t = 0; t < node.size(); ++t) {
      ASSERT_TRUE(node[t].valid()) << t;
      const auto [it, fresh] = like.try_emplace(naive_.terms().class_of(t), g.class_of(node[t]));
      ASSERT_EQ(it->second, g.class_of(node[t])) << t;
    }
  }

  /// What is equal in the engine is equal in the other.
  void expect_no_more_equal(const EGraph& g) {
    std::map<egraph::ClassId, uint32_t> like;
    const std::vector<egraph::NodeId> node = nodes(g);
    for (uint32_t t = 0; t < node.size(); ++t)
      if (node[t].valid()) {
        const uint32_t c = naive_.terms().class_of(t);
        EXPECT_EQ(like.try_emplace(g.class_of(node[t]), c).first->second, c) << t;
      }
  }

  /// The filter by its definition: nothing cyclic is left below the roots, and no class has lost its last
  /// finite term. Then it is the other's, too.
  void judge_filter(const EGraph& g, bool filters) {
    const std::set<uint32_t> before = naive_.finite();
    std::set<uint32_t> filtered;
    const std::vector<egraph::NodeId> node = nodes(g);
    for (uint32_t t = 0; t < node.size(); ++t)
      if (g.filtered(node[t])) filtered.insert(t);
    naive_.set_filtered(filtered);
    if (!filters) {
      EXPECT_TRUE(filtered.empty());
      return;
    }
    EXPECT_FALSE(naive_.cyclic(roots_));
    EXPECT_EQ(naive_.finite(), before);
    filtered_ += filtered.size();
  }
  size_t filtered() const { return filtered_; }

 private:
  std::vector<egraph::NodeId> nodes(const EGraph& g) const {
    std::vector<egraph::NodeId> out;
    for (uint32_t t = 0; t < naive_.terms().size(); ++t) {
      std::vector<egraph::ClassId> children;
      bool known = true;
      for (uint32_t c : naive_.terms().term(t).children) {
        known = known && out[c].valid();
        children.push_back(known ? g.class_of(out[c]) : egraph::ClassId());
      }
      const auto [op, payload] = naive_.spelled(naive_.terms().term(t).op);
      out.push_back(known ? g.lookup(op.v, payload.v, children) : egraph::NodeId());
    }
    return out;
  }

  const ir::Graph& graph_;
  NaiveSaturation& naive_;
  std::vector<uint32_t> roots_;
  size_t filtered_ = 0;
};

struct Seen {
  size_t conditions = 0, types = 0, cycles = 0, joined = 0, bans = 0, filtered = 0, grown = 0, undecided = 0;
};

void compare(uint64_t seed, const Setting& setting, Seen& seen) {
  constexpr size_t kMostTerms = 100;
  Rng rng(seed);
  ir::Context ctx(ir::standard_ops());
  const std::string text = random_program(rng);
  const ir::Graph graph = ir::parse_graph(ctx, text);
  const std::string rule_text = some_rules(rng, kSingles, 6) + some_rules(rng, kMultis, rng.below(4));
  SCOPED_TRACE(text + "\n" + rule_text);
  const RuleSet rules = parse_rules(ctx.ops(), rule_text, "random"), multis = only(rules, true);
  NaiveSaturation naive(ctx);
  Comparison both(graph, naive);
  const bool filters = setting.cycles != CycleMode::kNone;
  for (uint64_t i = 0; i < 3 && naive.terms().size() < kMostTerms; ++i) {
    SCOPED_TRACE(fmt::format("iteration {}", i + 1));
    naive.iteration_begins();
    if (i < 2 && !multis.rules.empty()) {
      // The map of descendants is exact where there are no cycles, also none that no root reaches.
      if (setting.cycles == CycleMode::kEfficient && naive.cyclic({})) {
        ++seen.undecided;
        break;
      }
      naive.multi_step(rules, setting.cycles == CycleMode::kEfficient ? NaiveSaturation::Refuse::kCyclic
                                                                      : NaiveSaturation::Refuse::kNothing);
      const Engine half(graph, rules, multis, setting, i, true);
      both.expect_same(half.program.graph());
      if (testing::Test::HasFatalFailure()) return;
      both.judge_filter(half.program.graph(), filters);
    }
    naive.single_step(rules, i, setting.limit, 1);
    const Engine whole(graph, rules, multis, setting, i + 1, false);
    both.expect_same(whole.program.graph());
    if (testing::Test::HasFatalFailure()) return;
    both.judge_filter(whole.program.graph(), filters);
  }
  seen.conditions += naive.condition_refused;
  seen.types += naive.type_refused;
  seen.cycles += naive.cycle_refused;
  seen.joined += naive.joined;
  seen.bans += naive.bans;
  seen.filtered += both.filtered();
  seen.grown += naive.terms().size() > graph.size();
}

class NaiveEngine : public testing::TestWithParam<Setting> {};

TEST_P(NaiveEngine, HoldsTheSameAfterEachIteration) {
  const Setting& setting = GetParam();
  Seen seen;
  for (uint64_t seed = 1; seed <= 150 && !HasFailure(); ++seed) compare(seed, setting, seen);
  EXPECT_GT(seen.grown, 30u);
  EXPECT_GT(seen.conditions, 50u);
  EXPECT_GT(seen.types, 10u);
  EXPECT_GT(seen.joined, 50u);
  EXPECT_LT(seen.undecided, 10u);
  EXPECT_EQ(seen.bans > 0, setting.limit > 0);
  EXPECT_EQ(seen.cycles > 0, setting.cycles == CycleMode::kEfficient);
  EXPECT_EQ(seen.filtered > 0, setting.cycles != CycleMode::kNone);
}

INSTANTIATE_TEST_SUITE_P(Settings, NaiveEngine,
                         testing::Values(Setting{}, Setting{CycleMode::kNone, 2},
                                         Setting{CycleMode::kEfficient}, Setting{CycleMode::kEfficient, 3},
                                         Setting{CycleMode::kOnline}));

// The vanilla filters look at the e-graph as it is before each match, so what they refuse depends on the
// order of matches: never more than without a filter, and nothing cyclic.
TEST(VanillaFilters, AreBoundedByTheNaiveEngine) {
  size_t refused = 0;
  for (const CycleMode mode : {CycleMode::kVanilla, CycleMode::kVanillaMulti})
    for (uint64_t seed = 1; seed <= 100; ++seed) {
      Rng rng(seed);
      ir::Context ctx(ir::standard_ops());
      const ir::Graph graph = ir::parse_graph(ctx, random_program(rng));
      const RuleSet rules =
          parse_rules(ctx.ops(), some_rules(rng, kSingles, 6) + some_rules(rng, kMultis, 2), "random");
      NaiveSaturation naive(ctx);
      Comparison both(graph, naive);
      naive.multi_step(rules, NaiveSaturation::Refuse::kNothing);
      naive.single_step(rules, 0, 0, 0);
      TensorEGraph program(graph);
      SaturateOptions options;
      options.cycles = mode;
      options.scheduler.kind = egraph::SchedulerKind::kSimple;
      options.limits.iterations = 1;
      const SaturateReport report = Saturation(program, rules).run(options);
      const EGraph& g = program.graph();
      for (const RuleStatistics& r : report.rules) refused += r.cyclic;
      both.expect_no_more_equal(g);
      EXPECT_FALSE(egraph::has_cycle(g, program.roots()));
      EXPECT_EQ(g.check_invariants(), "");
    }
  EXPECT_GT(refused, 20u);
}

}  // namespace
}  // namespace isomer::rewrite
