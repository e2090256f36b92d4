#include "egraph/ematch.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "egraph/multipattern.h"
#include "egraph/symbols.h"
#include "support/rng.h"

namespace isomer::egraph {
namespace {

// Payload p has slots {p / 10, p % 10}; ops below 10 have none.
class TwoDigits : public Language {
 public:
  TwoDigits() {
    for (uint32_t p = 0; p < 100; ++p) digits_.push_back({p / 10, p % 10});
  }
  std::span<const uint32_t> slots(uint32_t payload) const override { return digits_[payload]; }
  uint32_t payload(uint32_t, std::span<const uint32_t> slots) override { return slots[0] * 10 + slots[1]; }

 private:
  std::vector<std::array<uint32_t, 2>> digits_;
};

using Bindings = std::vector<uint32_t>;
using Found = std::set<std::pair<uint32_t, Bindings>>;

// The definition of a match, by trying every usable node of every class.
void naive_match(const Store& store, const Language& language, const Pattern& pattern, uint32_t at, ClassId c,
                 Bindings bindings, const std::function<void(const Bindings&)>& then) {
  const PatternNode& node = pattern.nodes[at];
  if (node.is_variable) {
    uint32_t& bound = bindings[node.variable];
    if (bound != kUnbound && bound != c.v) return;
    bound = c.v;
    then(bindings);
    return;
  }
  const auto try_node = [&](NodeId n) {
    if (!store.usable(n) || store.op(n) != node.op || store.children(n).size() != node.children.size())
      return;
    if (node.payload != PatternNode::kAnyPayload && node.payload != store.payload(n)) return;
    Bindings next = bindings;
    if (!node.attrs.empty()) {
      const auto slots = language.slots(store.payload(n));
      if (slots.size() != node.attrs.size()) return;
      for (size_t s = 0; s < slots.size(); ++s) {
        const AttrPattern& a = node.attrs[s];
        if (a.kind == AttrPattern::Kind::kLiteral && slots[s] != a.value) return;
        if (a.kind != AttrPattern::Kind::kVariable) continue;
        uint32_t& bound = next[pattern.class_variables + a.value];
        if (bound != kUnbound && bound != slots[s]) return;
        bound = slots[s];
      }
    }
    const std::function<void(size_t, const Bindings&)> child = [&](size_t k, const Bindings& b) {
      if (k == node.children.size()) return then(b);
      naive_match(store, language, pattern, node.children[k], store.find(store.children(n)[k]), b,
                  [&, k](const Bindings& deeper) { child(k + 1, deeper); });
    };
    child(0, next);
  };
  for (uint32_t n = 0; n < store.slots(); ++n)
    if (store.class_of(NodeId(n)) == c) try_node(NodeId(n));
}

Found naive_matches(const Store& store, const Language& language, const Pattern& pattern) {
  Found found;
  store.for_each_class([&](ClassId c) {
    naive_match(store, language, pattern, static_cast<uint32_t>(pattern.nodes.size() - 1), c,
                Bindings(pattern.class_variables + pattern.attr_variables, kUnbound),
                [&](const Bindings& b) { found.emplace(c.v, b); });
  });
  return found;
}

Found as_set(const Matches& matches) {
  Found found;
  for (size_t i = 0; i < matches.size(); ++i) {
    const Subst s = matches.subst(i);
    found.emplace(matches.root(i).v, Bindings(s.values.begin(), s.values.end()));
  }
  return found;
}

// Operators 0..2 are leaves, 3 and 4 unary and binary, 5 binary with two attribute slots.
EGraph<NoAnalysis> random_egraph(NoAnalysis& none, Rng& rng) {
  EGraph<NoAnalysis> g(none);
  std::vector<ClassId> classes;
  for (uint32_t op = 0; op < 3; ++op) classes.push_back(g.add(op, 0, {}));
  const auto any = [&] { return classes[rng.below(classes.size())]; };
  for (int i = 0; i < 40; ++i) {
    switch (rng.below(4)) {
      case 0: classes.push_back(g.add(3, 0, {any()})); break;
      case 1: classes.push_back(g.add(4, 0, {any(), any()})); break;
      case 2:
        classes.push_back(
            g.add(5, static_cast<uint32_t>(10 * (1 + rng.below(2)) + 1 + rng.below(2)), {any(), any()}));
        break;
      default: g.unite(any(), any());
    }
  }
  for (uint32_t n = 0; n < g.slots(); ++n) {
    if (rng.chance(0.1)) g.filter(NodeId(n));
  }
  g.rebuild();
  return g;
}

uint32_t random_term(Pattern& p, Rng& rng, int depth) {
  const auto attr = [&] {
    const uint64_t kind = rng.below(3);
    if (kind == 0) return AttrPattern::any();
    if (kind == 1) return AttrPattern::literal(1 + static_cast<uint32_t>(rng.below(2)));
    return AttrPattern::variable(static_cast<uint32_t>(rng.below(2)));
  };
  const uint64_t kind = depth == 0 ? rng.below(2) : rng.below(6);
  if (kind == 0) return p.variable(static_cast<uint32_t>(rng.below(3)));
  if (kind == 1) return p.apply(static_cast<uint32_t>(rng.below(3)), {}, {}, 0);
  if (kind == 2) {
    const uint32_t child = random_term(p, rng, depth - 1);
    return p.apply(3, {child}, {}, 0);
  }
  const uint32_t left = random_term(p, rng, depth - 1);
  const uint32_t right = random_term(p, rng, depth - 1);
  if (kind == 3) return p.apply(4, {left, right}, {}, 0);
  if (kind == 4) return p.apply(5, {left, right}, {attr(), attr()});
  return p.apply(5, {left, right}, {}, 10 + 1 + static_cast<uint32_t>(rng.below(2)));
}

Pattern random_pattern(Rng& rng, int depth = 3) {
  while (true) {
    Pattern p;
    const uint32_t root = random_term(p, rng, depth);
    if (root + 1 == p.nodes.size()) return p;
  }
}

TEST(EMatch, AgreesWithTheDefinitionOnRandomPatterns) {
  TwoDigits language;
  size_t matched = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    Rng rng(seed);
    NoAnalysis none;
    const EGraph<NoAnalysis> g = random_egraph(none, rng);
    for (int i = 0; i < 8; ++i) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", pattern " << i);
      const Pattern p = random_pattern(rng);
      CodeTree tree;
      tree.add(p);
      const Found expected = naive_matches(g, language, p);
      ASSERT_EQ(as_set(match(g, &language, tree).found[0]), expected);
      matched += expected.size();
      // Class by class gives the same.
      Found by_class;
      g.for_each_class([&](ClassId c) { by_class.merge(as_set(match_class(g, &language, tree, c)[0])); });
      ASSERT_EQ(by_class, expected);
    }
  }
  EXPECT_GT(matched, 3000u);
}

TEST(EMatch, StopsAtItsLimit) {
  SymbolTable symbols;
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  std::vector<ClassId> leaves;
  for (int i = 0; i < 5; ++i) leaves.push_back(g.add(symbols.intern("x" + std::to_string(i)), 0, {}));
  for (ClassId a : leaves) g.add(symbols.intern("f"), 0, {a});
  g.rebuild();
  std::vector<std::string> variables;
  CodeTree tree;
  tree.add(parse_pattern("(f ?a)", symbols, variables));
  MatchOptions options;
  options.limits = {4};
  MatchResult result = match(g, nullptr, tree, options);
  EXPECT_TRUE(result.exceeded[0]);
  EXPECT_EQ(result.found[0].size(), 4u);
  options.limits = {5};
  result = match(g, nullptr, tree, options);
  EXPECT_FALSE(result.exceeded[0]);
  EXPECT_EQ(result.found[0].size(), 5u);
}

// Many patterns in one tree find what each finds alone, and later searches find what is new: everything that
// matches now matched before (under what its classes are called now) or is among the fresh matches.
TEST(EMatch, ManyPatternsAndLaterSearches) {
  TwoDigits language;
  size_t fresh = 0, old = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    NoAnalysis none;
    EGraph<NoAnalysis> g = random_egraph(none, rng);
    CodeTree tree;
    std::vector<Pattern> patterns;
    for (int i = 0; i < 12; ++i) {
      patterns.push_back(random_pattern(rng));
      tree.add(patterns.back());
    }
    std::vector<Found> before;
    const auto first = match(g, &language, tree).found;
    for (size_t p = 0; p < patterns.size(); ++p) {
      before.push_back(naive_matches(g, language, patterns[p]));
      ASSERT_EQ(as_set(first[p]), before.back());
    }
    g.clear_fresh();
    const auto any = [&] { return ClassId(rng.below(g.slots())); };
    for (uint64_t i = rng.below(6); i > 0; --i) {
      const NodeId n(rng.below(g.slots()));
      switch (rng.below(5)) {
        case 0: g.unite(any(), any()); break;
        case 1: g.add(4, 0, {any(), any()}); break;
        case 2: g.add_equal(3, 0, std::vector{any()}, any()); break;
        case 3: g.unfilter(n); break;
        default: g.filter(n);
      }
      if (rng.chance(0.3)) g.rebuild();
    }
    g.rebuild();
    MatchOptions options;
    options.modes.assign(tree.size(), SearchMode::kFresh);
    const auto second = match(g, &language, tree, options).found;
    for (size_t p = 0; p < patterns.size(); ++p) {
      const Found now = naive_matches(g, language, patterns[p]);
      const Found found = as_set(second[p]);
      EXPECT_TRUE(std::ranges::includes(now, found));
      Found known = found;
      for (auto [root, bindings] : before[p]) {
        for (uint32_t v = 0; v < patterns[p].class_variables; ++v)
          if (bindings[v] != kUnbound) bindings[v] = g.find(ClassId(bindings[v])).v;
        known.emplace(g.find(ClassId(root)).v, bindings);
      }
      EXPECT_TRUE(std::ranges::includes(known, now)) << "pattern " << p;
      fresh += found.size();
      old += now.size() - found.size();
    }
  }
  EXPECT_GT(fresh, 1000u);
  EXPECT_GT(old, 500u);  // not everything was searched again
}

TEST(EMatch, ThreadsFindTheSameInTheSameOrder) {
  SymbolTable symbols;
  std::vector<std::string> variables;
  CodeTree tree;
  for (const char* text : {"(f ?a ?b)", "(f ?a (f ?b ?a))", "?a", "(f (f ?a ?b) (f ?c ?d))"})
    tree.add(parse_pattern(text, symbols, variables));
  Rng rng(3);
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  std::vector<ClassId> classes{g.add(symbols.intern("x"), 0, {}), g.add(symbols.intern("y"), 0, {})};
  for (int i = 0; i < 20000; ++i) {
    const ClassId a = classes[rng.below(classes.size())];
    classes.push_back(g.add(symbols.intern("f"), 0, {a, classes[rng.below(classes.size())]}));
  }
  g.rebuild();
  const auto found = [&](unsigned threads) {
    MatchOptions options;
    options.threads = threads;
    std::vector<std::vector<uint32_t>> all;
    for (const Matches& m : match(g, nullptr, tree, options).found) {
      all.emplace_back();
      for (size_t i = 0; i < m.size(); ++i) {
        all.back().push_back(m.root(i).v);
        all.back().insert(all.back().end(), m.subst(i).values.begin(), m.subst(i).values.end());
      }
    }
    return all;
  };
  const auto one = found(1);
  EXPECT_GT(one[0].size(), 10000u);
  EXPECT_EQ(found(2), one);
  EXPECT_EQ(found(4), one);
}

TEST(Pattern, CanonicalFormForgetsNames) {
  SymbolTable symbols;
  std::vector<std::string> v;
  const Pattern p = parse_pattern("(f ?a (g ?b ?a))", symbols, v);
  std::vector<std::string> w{"z"};
  const Pattern q = parse_pattern("(f ?x (g ?y ?x))", symbols, w);
  std::vector<std::string> u;
  const Pattern r = parse_pattern("(f ?x (g ?x ?y))", symbols, u);
  EXPECT_EQ(canonical(p).pattern, canonical(q).pattern);
  EXPECT_NE(canonical(p).pattern, canonical(r).pattern);
  EXPECT_EQ(canonical(q).class_variable, (std::vector<uint32_t>{1, 2}));
}

// All pairs (triples) of naive matches that agree on shared variables.
TEST(MultiPattern, JoinsAsNestedLoopsDo) {
  TwoDigits language;
  size_t joined = 0;
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    NoAnalysis none;
    const EGraph<NoAnalysis> g = random_egraph(none, rng);
    std::vector<Pattern> sides;
    const uint64_t parts = 2 + rng.below(2);
    while (sides.size() < parts) {
      Pattern p = random_pattern(rng, 1);
      if (!p.root().is_variable && p.nodes.size() > 1) sides.push_back(std::move(p));
    }
    if (rng.chance(0.3)) sides[1] = sides[0];
    const MultiPatternOptions options{.unordered_if_same = false, .distinct_roots = rng.chance(0.5)};
    PatternSet set;
    const MultiPattern multi(sides, set, options);
    using Row = std::pair<std::vector<uint32_t>, Bindings>;
    std::multiset<Row> found;
    EXPECT_TRUE(multi.join(match(g, &language, set.tree()).found,
                           [&](std::span<const ClassId> roots, const Subst& s) {
                             std::vector<uint32_t> r;
                             for (ClassId c : roots) r.push_back(c.v);
                             found.emplace(r, Bindings(s.values.begin(), s.values.end()));
                             return true;
                           }));

    const uint32_t width = multi.class_variables() + multi.attr_variables();
    std::set<Row> expected;
    const std::function<void(size_t, Row)> extend = [&](size_t p, Row row) {
      if (p == sides.size()) {
        expected.insert(std::move(row));
        return;
      }
      for (const auto& [root, bindings] : naive_matches(g, language, sides[p])) {
        if (options.distinct_roots && std::ranges::find(row.first, root) != row.first.end()) continue;
        Row next = row;
        next.first.push_back(root);
        bool agrees = true;
        for (uint32_t i = 0; i < bindings.size(); ++i) {
          if (bindings[i] == kUnbound) continue;
          const uint32_t place =
              i < sides[p].class_variables ? i : multi.class_variables() + (i - sides[p].class_variables);
          if (next.second[place] != kUnbound && next.second[place] != bindings[i]) agrees = false;
          next.second[place] = bindings[i];
        }
        if (agrees) extend(p + 1, next);
      }
    };
    extend(0, {{}, Bindings(width, kUnbound)});
    EXPECT_EQ(std::set<Row>(found.begin(), found.end()), expected);
    joined += expected.size();
  }
  EXPECT_GT(joined, 1000u);
}

TEST(MultiPattern, EqualLeftSidesAreTakenAsUnorderedPairs) {
  SymbolTable symbols;
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  const ClassId x = g.add(symbols.intern("x"), 0, {});
  const ClassId y = g.add(symbols.intern("y"), 0, {});
  for (int i = 0; i < 4; ++i)
    g.add(symbols.intern("mul"), 0, {x, g.add(symbols.intern(std::to_string(i)), 0, {})});
  g.add(symbols.intern("mul"), 0, {y, g.add(symbols.intern("0"), 0, {})});
  g.rebuild();
  std::vector<std::string> variables;
  const std::vector<Pattern> sides{parse_pattern("(mul ?a ?b)", symbols, variables),
                                   parse_pattern("(mul ?a ?c)", symbols, variables)};
  PatternSet set;
  const MultiPattern multi(sides, set);
  EXPECT_EQ(set.size(), 1u);
  const auto found = match(g, nullptr, set.tree()).found;
  size_t pairs = 0;
  multi.join(found, [&](std::span<const ClassId> roots, const Subst& s) {
    EXPECT_NE(roots[0], roots[1]);
    EXPECT_NE(s.class_at(1), s.class_at(2));
    EXPECT_EQ(s.class_at(0), x);
    ++pairs;
    return true;
  });
  EXPECT_EQ(pairs, 6u);
  pairs = 0;
  EXPECT_FALSE(multi.join(found, [&](std::span<const ClassId>, const Subst&) { return ++pairs < 2; }));
  EXPECT_EQ(pairs, 2u);
}

}  // namespace
}  // namespace isomer::egraph
