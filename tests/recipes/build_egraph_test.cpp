// The problem of growing an e-graph: what it carries along from step to step is what is found from nothing.
#include "problems/build_egraph.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cost/runtime_fusion.h"
#include "egraph/order.h"
#include "extract/extract.h"
#include "extract/sharing_greedy.h"
#include "formats/sexpr/sexpr.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "recipes/rule_files.h"
#include "recipes/tensat.h"
#include "rewrite/rule_parser.h"
#include "search/mcts.h"
#include "support/hash.h"

namespace isomer::problems {
namespace {

static_assert(search::Problem<BuildEGraph> && search::GrowsInPlace<BuildEGraph>);

struct Start {
  explicit Start(const std::string& model, BuildEGraphOptions options = {}, const char* cost = "anchor")
      : graph(formats::read_sexpr_file(
            ctx, fmt::format("{}/tests/data/tensat/models/dag/{}.dag", ISOMER_SOURCE_DIR, model))),
        rules(recipes::tensat_rules(ctx.ops(), std::string(ISOMER_SOURCE_DIR) + "/rules",
                                    recipes::GroupedConvolutions::kAsTensat)),
        prices(cost::make_cost_model(cost)),
        problem(graph, rules, *prices, options) {}
  ir::Context ctx{ir::standard_ops()};
  ir::Graph graph;
  rewrite::RuleSet rules;
  std::unique_ptr<cost::CostModel> prices;
  BuildEGraph problem;
};

constexpr const char* kModels[] = {"bert",      "nasrnn",      "inceptionv3", "squeezenet",
                                   "resnext50", "mobilenetv2", "nasneta"};

/// Random walks to the limit.
template <class Look>
void walk(Start& s, uint64_t seed, int steps, Look&& look) {
  Rng rng(seed);
  BuildEGraph::State state = s.problem.initial();
  std::vector<BuildEGraph::Action> taken;
  look(state, taken);
  for (int i = 0; i < steps && !s.problem.ended(state); ++i) {
    const auto actions = s.problem.actions(state);
    if (actions.empty()) break;
    const auto a = actions[rng.below(actions.size())];
    s.problem.advance(state, a);
    taken.push_back(a);
    look(state, taken);
  }
}

TEST(BuildEGraph, AStepLeavesAnEGraphInOrderAndCountsLikeTensat) {
  for (const char* model : kModels) {
    Start s(model);
    walk(s, 1, 25, [&](const BuildEGraph::State& state, const auto& taken) {
      SCOPED_TRACE(fmt::format("{} after {} steps", model, taken.size()));
      ASSERT_EQ(state.graph.check_invariants(), "");
      EXPECT_FALSE(egraph::has_cycle(state.graph, s.problem.roots(state.graph)));
      rewrite::TensorEGraph program(s.graph);
      program.graph() = state.graph;
      EXPECT_EQ(state.nodes, rewrite::tensat_count(program));
    });
  }
}

// A step into a state of before, of any size: what it leaves there is the step in place; nothing, where the
// rule changes nothing.
TEST(BuildEGraph, AStepIntoOtherMemoryIsTheSameStep) {
  for (const char* model : {"bert", "nasrnn", "squeezenet"}) {
    Start s(model);
    BuildEGraph::State memory = s.problem.initial();
    int changes = 0, voids = 0;
    walk(s, 4, 12, [&](const BuildEGraph::State& state, const auto&) {
      for (const BuildEGraph::Action a : s.problem.actions(state)) {
        BuildEGraph::State in_place = state;
        const bool changed = s.problem.advance(in_place, a);
        const uint64_t version = memory.version;
        ASSERT_EQ(s.problem.advance(state, a, memory), changed);
        ++(changed ? changes : voids);
        if (!changed) {
          EXPECT_EQ(memory.version, version);
          EXPECT_EQ(in_place.version, state.version);
          continue;
        }
        ASSERT_EQ(memory.graph.check_invariants(), "");
        ASSERT_EQ(memory.graph.slots(), in_place.graph.slots());
        EXPECT_EQ(memory.key, in_place.key);
        EXPECT_EQ(memory.cost, in_place.cost);
        EXPECT_EQ(memory.nodes, in_place.nodes);
      }
    });
    EXPECT_GT(changes, 0);
    EXPECT_GT(voids, 0);
  }
}

TEST(BuildEGraph, ReplayMakesTheSameNodes) {
  for (const char* model : {"bert", "nasrnn", "squeezenet"}) {
    Start s(model);
    walk(s, 2, 12, [&](const BuildEGraph::State& state, const auto& taken) {
      rewrite::TensorEGraph program(s.graph);
      rewrite::Alternatives alternatives(program);
      s.problem.replay(taken, alternatives);
      const rewrite::EGraph& a = state.graph;
      const rewrite::EGraph& b = program.graph();
      ASSERT_EQ(a.slots(), b.slots()) << model << " " << taken.size();
      for (uint32_t i = 0; i < a.slots(); ++i) {
        const egraph::NodeId n(i);
        ASSERT_EQ(a.op(n), b.op(n));
        ASSERT_EQ(a.payload(n), b.payload(n));
        ASSERT_EQ(a.class_of(n), b.class_of(n));
        ASSERT_EQ(a.usable(n), b.usable(n));
      }
    });
  }
}

/// Asks for all that a question may hold.
class Curious final : public cost::CostModel {
 public:
  std::string name() const override { return "curious"; }
  double cost(const cost::NodeCostQuery& query) override {
    uint64_t h = hash_combine(hash_string(query.op.op.name), query.op.output.v);
    for (const cost::OperandFacts& o : query.operands)
      h = hash_combine(hash_combine(h, o.narrow.v),
                       uint64_t{o.weight} | uint64_t{o.blocked} << 1 | static_cast<uint64_t>(o.stage) << 2);
    of_sum += cost::takes_sum(query);
    after_convolution += !query.operands.empty() && query.operands[0].stage == cost::Stage::kConvolution;
    return 1 + static_cast<double>(h % 1000) / 1000;
  }
  size_t of_sum = 0, after_convolution = 0;
};

constexpr const char* kNormalised = R"(graph g {
  %0 = input{name="x"} : f32[1,4,8]
  %1 = input{name="y"} : f32[1,4,8]
  %2 = weight{name="g"} : f32[8]
  %3 = weight{name="w"} : f32[1,8,8]
  %4 = matmul(%0, %3) : f32[1,4,8]
  %5 = add(%4, %1) : f32[1,4,8]
  %6 = layer_norm{axis=2, epsilon=0.5}(%5, %2) : f32[1,4,8]
  %7 = matmul(%6, %3) : f32[1,4,8]
  %8 = mul(%7, %1) : f32[1,4,8]
  %9 = mul(%7, %0) : f32[1,4,8]
  %10 = add(%8, %9) : f32[1,4,8]
  %11 = layer_norm{axis=2, epsilon=0.5}(%10, %2) : f32[1,4,8]
  return %11
})";

constexpr const char* kConvolved = R"(graph g {
  %0 = input{name="x"} : f32[1,8,6,6]
  %1 = weight{name="w"} : f32[8,8,3,3]
  %2 = weight{name="b"} : f32[8,1,1]
  %3 = conv{strides=[1,1], pads=[1,1,1,1], dilations=[1,1], group=1}(%0, %1) : f32[1,8,6,6]
  %4 = broadcast{shape=[1,8,6,6]}(%2) : f32[1,8,6,6]
  %5 = add(%3, %4) : f32[1,8,6,6]
  %6 = add(%5, %0) : f32[1,8,6,6]
  %7 = relu(%6) : f32[1,8,6,6]
  %8 = conv{strides=[1,1], pads=[1,1,1,1], dilations=[1,1], group=1}(%7, %1) : f32[1,8,6,6]
  %9 = mul(%8, %4) : f32[1,8,6,6]
  %10 = add(%9, %5) : f32[1,8,6,6]
  return %10
})";

// A search is after what the extraction that follows charges, whatever the cost model asks of operands.
TEST(BuildEGraph, PricesAreTheExtractionsNodeForNode) {
  for (const char* text : {kNormalised, kConvolved}) {
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = ir::parse_graph(ctx, text);
    rewrite::RuleSet rules;
    for (const std::string& file : recipes::default_rule_files())
      rules.append(rewrite::load_rules(ctx.ops(), file));
    Curious of_search, of_extraction;
    BuildEGraphOptions options;
    options.limit_by_tensat_count = false;
    rewrite::ExtractOptions extraction;
    options.prices = extraction.prices = rewrite::kSmallConstantsFirst;
    BuildEGraph problem(graph, rules, of_search, options);
    size_t states = 0, nodes = 0;
    Rng rng(5);
    for (int walk = 0; walk < 24; ++walk) {
      BuildEGraph::State state = problem.initial();
      for (int step = 0; step < 30 && !problem.ended(state); ++step, ++states) {
        rewrite::TensorEGraph program(graph);
        program.graph() = state.graph;
        const egraph::FlatProblem flat = rewrite::flat_problem(program, of_extraction, extraction);
        for (size_t n = 0; n < flat.node_of.size(); ++n, ++nodes)
          ASSERT_EQ(state.prices[flat.node_of[n].index()], flat.problem.cost(extract::NodeId(n)))
              << ctx.ops().get(ir::OpId(state.graph.op(flat.node_of[n]))).name << " after " << step;
        const auto actions = problem.actions(state);
        if (actions.empty()) break;
        problem.advance(state, actions[rng.below(actions.size())]);
      }
      // As a program: where classes hold one node each, nodes cost what they cost in a graph.
      if (walk == 0) {
        rewrite::TensorEGraph program(graph);
        const egraph::FlatProblem flat = rewrite::flat_problem(program, of_extraction);
        double sum = 0;
        for (size_t n = 0; n < flat.node_of.size(); ++n) sum += flat.problem.cost(extract::NodeId(n));
        const std::vector<double> of_graph = cost::node_costs(of_extraction, graph);
        double expected = 0;
        for (size_t i = 0; i < graph.size(); ++i) {
          const bool folded = cost::known_at_compile_time(graph)[i];
          if (!folded && !graph.def(ir::ValueId(i)).is(ir::Core::kInput)) expected += of_graph[i];
        }
        EXPECT_NEAR(sum, expected, 1e-9);
      }
    }
    EXPECT_GT(states, 50u);
    EXPECT_GT(nodes, 2000u);
    EXPECT_GT(of_search.of_sum + of_search.after_convolution, 0u);
  }
}

// Prices as rewrite::flat_problem has them; costs as from nothing; the cost of the start what the extractors
// say.
TEST(BuildEGraph, CostsCarriedAlongAreThoseFromNothing) {
  for (const Extraction extraction :
       {Extraction::kTree, Extraction::kSharing, Extraction::kSharingCorrected}) {
    for (const char* model : kModels) {
      BuildEGraphOptions options;
      options.extraction = extraction;
      Start s(model, options);
      walk(s, 3, 15, [&](const BuildEGraph::State& state, const auto& taken) {
        SCOPED_TRACE(fmt::format("{} after {} steps", model, taken.size()));
        rewrite::TensorEGraph program(s.graph);
        program.graph() = state.graph;
        const egraph::FlatProblem flat = rewrite::flat_problem(program, *s.prices);
        for (size_t n = 0; n < flat.node_of.size(); ++n)
          ASSERT_EQ(state.prices[flat.node_of[n].index()], flat.problem.cost(extract::NodeId(n)));
        ProgramCost fresh(extraction);
        Costs costs;
        fresh.begin(state.graph, egraph::children_first(state.graph).classes, state.prices, costs);
        const double again = fresh.total(s.problem.roots(state.graph), state.prices, costs);
        if (extraction == Extraction::kTree) {
          EXPECT_NEAR(state.cost, again, 1e-9 * again);
          const auto e = extract::extract(flat.problem, extract::Extractor::kTreeGreedy);
          EXPECT_NEAR(state.cost, e.tree_cost, 1e-9 * e.tree_cost);
        }
        if (extraction == Extraction::kSharingCorrected && taken.size() % 4 == 0) {
          const double exact = extract::extract(flat.problem, extract::Extractor::kAuto).dag_cost;
          EXPECT_GE(state.cost, exact * (1 - 1e-9));
          EXPECT_LE(state.cost, 1.15 * exact);
          EXPECT_LE(again, 1.15 * exact);
        }
        if (taken.empty() && extraction != Extraction::kTree) {
          const auto version = extraction == Extraction::kSharing ? extract::SharingCost::kPublished
                                                                  : extract::SharingCost::kCorrected;
          const auto batch = extract::sharing_greedy(flat.problem, version);
          EXPECT_NEAR(state.cost, batch.cost[0], 1e-9 * batch.cost[0]);
        }
      });
    }
  }
}

/// For each class of one e-graph that of another that has a term of it; empty where some node has no like.
std::vector<egraph::ClassId> find_in(const rewrite::EGraph& a, const rewrite::EGraph& b) {
  std::vector<egraph::ClassId> found(a.slots());
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 0; i < a.slots(); ++i) {
      const egraph::NodeId n(i);
      egraph::ClassId& mine = found[a.class_of(n).index()];
      if (a.dead(n) || mine.valid()) continue;
      std::vector<egraph::ClassId> children;
      for (egraph::ClassId c : a.children(n)) children.push_back(found[c.index()]);
      if (std::ranges::any_of(children, [](egraph::ClassId c) { return !c.valid(); })) continue;
      const egraph::NodeId like = b.lookup(a.op(n), a.payload(n), children);
      if (!like.valid()) continue;
      mine = b.class_of(like);
      again = true;
    }
  }
  return found;
}

/// Nodes of an e-graph that another does not have, or has elsewhere.
size_t missing(const rewrite::EGraph& a, const rewrite::EGraph& b) {
  const std::vector<egraph::ClassId> found = find_in(a, b);
  size_t count = 0;
  for (uint32_t i = 0; i < a.slots(); ++i) {
    const egraph::NodeId n(i);
    if (a.dead(n)) continue;
    std::vector<egraph::ClassId> children;
    for (egraph::ClassId c : a.children(n)) children.push_back(found[c.index()]);
    const bool known = std::ranges::all_of(children, [](egraph::ClassId c) { return c.valid(); });
    const egraph::NodeId like = known ? b.lookup(a.op(n), a.payload(n), children) : egraph::NodeId();
    count += !like.valid() || b.class_of(like) != found[a.class_of(n).index()];
  }
  return count;
}

// A rule in a part of the program does what the rule does, and only that; in all parts, one after the other,
// all of it: matches that parts before made new may be there too.
TEST(Regions, PartsOfAStepMakeTheStep) {
  constexpr uint32_t kParts = 4;
  for (const char* model : {"bert", "nasrnn", "squeezenet", "nasneta"}) {
    BuildEGraphOptions options;
    options.node_limit = options.node_multi = 100'000;
    Start whole(model, options);
    options.regions = kParts;
    Start parts(model, options);
    const auto rules = static_cast<uint32_t>(whole.rules.rules.size());
    ASSERT_EQ(parts.problem.all_actions().size(), kParts * whole.problem.all_actions().size());
    size_t smaller = 0, changing = 0, lost = 0, made = 0;
    for (uint32_t rule : whole.problem.all_actions()) {
      BuildEGraph::State all = whole.problem.initial();
      const size_t start = all.graph.live_nodes();
      if (!whole.problem.may_apply(all, rule) || !whole.problem.advance(all, rule)) continue;
      ++changing;
      BuildEGraph::State one_by_one = parts.problem.initial();
      bool any = false;
      for (uint32_t part = 0; part < kParts; ++part) {
        const BuildEGraph::Action a = part * rules + rule;
        EXPECT_EQ(parts.problem.rule_number(a), rule);
        EXPECT_EQ(parts.problem.region(a), part);
        BuildEGraph::State alone = parts.problem.initial();
        const bool may = parts.problem.may_apply(alone, a);
        const bool changed = parts.problem.advance(alone, a);
        EXPECT_TRUE(may || !changed) << model << " rule " << rule << " in part " << part;
        any = any || changed;
        ASSERT_EQ(alone.graph.check_invariants(), "");
        EXPECT_EQ(missing(alone.graph, all.graph), 0u) << model << " rule " << rule << " in part " << part;
        smaller += changed && alone.graph.live_nodes() < all.graph.live_nodes();
        parts.problem.advance(one_by_one, a);
      }
      EXPECT_TRUE(any);
      made += all.graph.live_nodes() - start;
      // Which pairs would close a cycle is asked again in each part.
      const size_t gone = missing(all.graph, one_by_one.graph);
      if (!whole.rules.rules[rule].is_multi()) {
        EXPECT_EQ(gone, 0u) << model << " rule " << rule;
      }
      lost += gone;
    }
    EXPECT_GT(changing, 1u) << model;
    EXPECT_GT(smaller, 0u) << model;
    EXPECT_LE(lost, made / 20) << model;
  }
}

TEST(Regions, ReplayMakesTheSameNodesAndWalksRepeatThemselves) {
  BuildEGraphOptions options;
  options.regions = 3;
  for (const char* model : {"bert", "nasrnn", "squeezenet"}) {
    Start s(model, options), again(model, options);
    std::vector<uint64_t> keys;
    std::vector<uint32_t> path;
    walk(s, 2, 25, [&](const BuildEGraph::State& state, const auto& taken) {
      keys.push_back(state.key);
      path = taken;
      if (taken.size() % 6 != 0) return;
      rewrite::TensorEGraph program(s.graph);
      rewrite::Alternatives alternatives(program);
      s.problem.replay(taken, alternatives);
      ASSERT_EQ(state.graph.slots(), program.graph().slots()) << model << " " << taken.size();
      for (uint32_t i = 0; i < state.graph.slots(); ++i) {
        const egraph::NodeId n(i);
        ASSERT_EQ(state.graph.op(n), program.graph().op(n));
        ASSERT_EQ(state.graph.class_of(n), program.graph().class_of(n));
      }
    });
    std::vector<uint64_t> repeated;
    walk(again, 2, 25, [&](const BuildEGraph::State& state, const auto&) { repeated.push_back(state.key); });
    EXPECT_EQ(repeated, keys);
    EXPECT_TRUE(std::ranges::any_of(path, [&](uint32_t a) { return s.problem.region(a) > 0; }));
  }
}

// Rules that do not touch each other's ground lead to the same state in either order.
TEST(BuildEGraph, KeysDoNotDependOnTheOrderOfIndependentSteps) {
  int same = 0, pairs = 0;
  for (const char* model : {"bert", "nasrnn", "squeezenet"}) {
    Start s(model);
    const BuildEGraph::State start = s.problem.initial();
    const auto actions = s.problem.actions(start);
    for (size_t i = 0; i < actions.size(); ++i)
      for (size_t j = i + 1; j < actions.size(); ++j) {
        const auto ab = s.problem.step(s.problem.step(start, actions[i]), actions[j]);
        const auto ba = s.problem.step(s.problem.step(start, actions[j]), actions[i]);
        ++pairs;
        same += ab.key == ba.key;
        if (ab.key == ba.key) {
          EXPECT_EQ(ab.nodes, ba.nodes);
        }
      }
    for (auto a : actions) {
      const auto once = s.problem.step(start, a);
      EXPECT_EQ(once.key == start.key, once.version == start.version);
    }
  }
  EXPECT_GT(same, pairs / 2);
  EXPECT_LT(same, pairs);  // some do touch
}

}  // namespace
}  // namespace isomer::problems
