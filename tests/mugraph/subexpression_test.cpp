#include "mugraph/subexpression.h"

#include <gtest/gtest.h>

#include <set>

#include "ir/op_table.h"
#include "mugraph/programs.h"
#include "support/rng.h"

namespace isomer::mugraph {
namespace {

struct Built {
  Terms terms;
  TermId x = terms.variable(0), y = terms.variable(1), z = terms.variable(2);
  TermId add(TermId a, TermId b) { return terms.add({"+", 0, {a, b}}); }
  TermId mul(TermId a, TermId b) { return terms.add({"*", 0, {a, b}}); }
  TermId div(TermId a, TermId b) { return terms.add({"/", 0, {a, b}}); }
  TermId exp(TermId a) { return terms.add({"exp", 0, {a}}); }
};

TEST(AbstractExpressions, AreDerivedFromThePrograms) {
  const auto text = [](const char* name, Extents at) {
    ir::Context ctx(ir::standard_ops());
    Terms terms;
    std::vector<TermId> in;
    for (size_t i = 0; i < program(name).inputs.size(); ++i) in.push_back(terms.variable(i));
    return print(terms, abstract(terms, program(name).graph(ctx, at), in).value()[0]);
  };
  EXPECT_EQ(text("gated_mlp", {{"m", 2}, {"k", 4}, {"n", 8}}),
            "*(silu(sum(4, *(x0, x1))), sum(4, *(x0, x2)))");
  EXPECT_EQ(text("lora", {{"m", 2}, {"k", 4}, {"n", 8}, {"r", 3}}),
            "+(sum(4, *(x0, x1)), sum(3, *(x3, sum(4, *(x0, x2)))))");
  EXPECT_EQ(text("rmsnorm", {{"m", 2}, {"k", 4}, {"n", 8}}),
            "sum(4, *(x1, /(x0, sqrt(/(sum(4, *(x0, x0)), #4)))))");
}

TEST(Subexpressions, FollowTheAxioms) {
  Built b;
  // sum(12, x * y / z)
  const TermId target = b.terms.sum(12, b.div(b.mul(b.x, b.y), b.z));
  SubexpressionOracle oracle(b.terms, std::span(&target, 1));
  ASSERT_TRUE(oracle.saturated());
  EXPECT_TRUE(oracle.equals_target(b.div(b.terms.sum(12, b.mul(b.y, b.x)), b.z)));
  EXPECT_TRUE(oracle.equals_target(b.mul(b.terms.sum(4, b.x), b.terms.sum(3, b.div(b.y, b.z)))));
  EXPECT_TRUE(oracle.equals_target(b.terms.sum(2, b.terms.sum(6, b.div(b.mul(b.x, b.y), b.z)))));
  EXPECT_TRUE(oracle.may_occur(b.terms.sum(3, b.y)));
  EXPECT_TRUE(oracle.may_occur(b.div(b.x, b.z)));
  EXPECT_FALSE(oracle.may_occur(b.terms.sum(5, b.y)));
  EXPECT_FALSE(oracle.may_occur(b.terms.sum(24, b.y)));
  EXPECT_FALSE(oracle.may_occur(b.mul(b.x, b.x)));
  EXPECT_FALSE(oracle.may_occur(b.mul(b.x, b.z)));
  EXPECT_FALSE(oracle.may_occur(b.div(b.z, b.x)));
  EXPECT_FALSE(oracle.may_occur(b.exp(b.x)));
}

TEST(Subexpressions, ProductsOfExponentialsAreExponentialsOfSums) {
  Built b;
  const TermId target = b.exp(b.add(b.x, b.y));
  SubexpressionOracle oracle(b.terms, std::span(&target, 1));
  EXPECT_TRUE(oracle.equals_target(b.mul(b.exp(b.y), b.exp(b.x))));
  EXPECT_TRUE(oracle.may_occur(b.exp(b.x)));
  EXPECT_FALSE(oracle.may_occur(b.mul(b.x, b.y)));
}

/// Rewrites a random place of a term by a random axiom; what comes out is equal to the term.
TermId rewrite(Terms& terms, TermId id, Rng& rng) {
  const Term t = terms.get(id);
  const auto is = [&](TermId c, const char* s) { return terms.get(c).symbol == s; };
  if (!t.children.empty() && rng.chance(0.5)) {
    Term next = t;
    TermId& c = next.children[rng.below(next.children.size())];
    c = rewrite(terms, c, rng);
    return terms.add(next);
  }
  const auto child = [&](TermId c, size_t i) { return terms.get(c).children[i]; };
  if (t.symbol == "sum" && t.degree % 2 == 0 && rng.chance(0.3))
    return terms.sum(2, terms.sum(t.degree / 2, t.children[0]));
  if (t.symbol == "sum" && (is(t.children[0], "*") || is(t.children[0], "/"))) {  // into the first factor
    const Term inner = terms.get(t.children[0]);
    return terms.add({inner.symbol, 0, {terms.sum(t.degree, inner.children[0]), inner.children[1]}});
  }
  if (t.symbol == "sum" && is(t.children[0], "+")) {
    const Term inner = terms.get(t.children[0]);
    return terms.add(
        {"+", 0, {terms.sum(t.degree, inner.children[0]), terms.sum(t.degree, inner.children[1])}});
  }
  for (size_t i = 0; t.symbol == "*" && i < 2; ++i) {
    const TermId c = t.children[i], other = t.children[1 - i];
    if (is(c, "*")) return terms.add({"*", 0, {child(c, 0), terms.add({"*", 0, {child(c, 1), other}})}});
    if (is(c, "/")) return terms.add({"/", 0, {terms.add({"*", 0, {child(c, 0), other}}), child(c, 1)}});
    if (is(c, "+"))
      return terms.add(
          {"+", 0, {terms.add({"*", 0, {child(c, 0), other}}), terms.add({"*", 0, {child(c, 1), other}})}});
    if (is(c, "sum")) return terms.sum(terms.get(c).degree, terms.add({"*", 0, {child(c, 0), other}}));
  }
  if (t.symbol == "/" && is(t.children[0], "*")) {
    const TermId c = t.children[0];
    return terms.add({"*", 0, {child(c, 0), terms.add({"/", 0, {child(c, 1), t.children[1]}})}});
  }
  return id;
}

// Whatever the axioms make of a program, with all its parts, must not be pruned.
TEST(Subexpressions, PartsOfEqualTermsAreNeverPruned) {
  Rng rng(11);
  for (const char* name : {"rmsnorm", "gated_mlp", "lora", "gqa", "mlp", "moe"}) {
    ir::Context ctx(ir::standard_ops());
    Extents at = program(name).extents;
    for (auto& [dim, size] : at) size = 12;
    Terms terms;
    std::vector<TermId> in;
    for (size_t i = 0; i < program(name).inputs.size(); ++i) in.push_back(terms.variable(i));
    const auto target = abstract(terms, program(name).graph(ctx, at), in).value();
    SubexpressionOracle oracle(terms, target);
    ASSERT_TRUE(oracle.saturated()) << name;
    std::set<TermId> seen;
    TermId term = target[0];
    for (int i = 0; i < 2000; ++i) {
      if (i % 50 == 0) term = target[0];
      term = rewrite(terms, term, rng);
      seen.insert(term);
      EXPECT_TRUE(oracle.equals_target(term)) << name << ": " << print(terms, term);
    }
    EXPECT_GT(seen.size(), 10) << name;
  }
}

}  // namespace
}  // namespace isomer::mugraph
