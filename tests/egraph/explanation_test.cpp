#include "egraph/explanation.h"

#include <gtest/gtest.h>

#include "egraph/check_explanation.h"
#include "egraph/symbols.h"
#include "support/rng.h"

namespace isomer::egraph {
namespace {

/// An e-graph over symbols that can say why.
class Session {
 public:
  explicit Session(std::vector<std::string> rules) : texts_(std::move(rules)), g_(none_) {
    for (const std::string& text : texts_)
      for (Rewrite& r : parse_rule(text, symbols_)) rules_.push_back(std::move(r));
    g_.record_derivation();
  }
  NodeId add(const std::string& text) {
    std::vector<std::string> variables;
    return add_pattern(g_, parse_pattern(text, symbols_, variables), Subst{}, nullptr);
  }
  void run(uint64_t iterations) {
    RunOptions options;
    options.limits.iterations = iterations;
    egraph::run(g_, rules_, options);
  }
  std::string text(const Explainer& e, TermId t) const {
    const auto children = e.bank().children(t);
    std::string out = symbols_.name(e.bank().op(t));
    if (children.empty()) return out;
    for (TermId c : children) out += " " + text(e, c);
    return "(" + out + ")";
  }
  std::vector<check::Step> steps(const Explainer& e, const std::vector<ExplanationStep>& chain) const {
    std::vector<check::Step> out;
    for (const ExplanationStep& s : chain) out.push_back({texts_[s.rule], s.backward, text(e, s.after)});
    return out;
  }
  EGraph<NoAnalysis>& graph() { return g_; }
  const std::vector<Rewrite>& rules() const { return rules_; }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  SymbolTable symbols_;
  std::vector<Rewrite> rules_;
  NoAnalysis none_;
  EGraph<NoAnalysis> g_;
};

TEST(Explanation, TheHalfOfTheDouble) {
  Session s({"(/ (* ?x ?y) ?z)=>(* ?x (/ ?y ?z))", "(/ ?x ?x)=>1", "(* ?x 1)=>?x"});
  const NodeId start = s.add("(+ (/ (* a 2) 2) b)"), end = s.add("(+ a b)");
  s.run(5);
  Explainer e(s.graph(), s.rules());
  const auto chain = e.explain(e.term(start), e.term(end));
  ASSERT_TRUE(chain);
  std::vector<std::string> terms;
  for (const check::Step& step : s.steps(e, *chain)) terms.push_back(step.after);
  EXPECT_EQ(terms, (std::vector<std::string>{"(+ (* a (/ 2 2)) b)", "(+ (* a 1) b)", "(+ a b)"}));
  EXPECT_EQ(check::explanation("(+ (/ (* a 2) 2) b)", "(+ a b)", s.steps(e, *chain)), "");
  const auto back = e.explain(e.term(end), e.term(start));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), 3u);
  EXPECT_TRUE(back->front().backward);
  EXPECT_EQ(check::explanation("(+ a b)", "(+ (/ (* a 2) 2) b)", s.steps(e, *back)), "");
  EXPECT_FALSE(e.explain(e.term(start), e.term(s.add("b"))));
  EXPECT_TRUE(e.explain(e.term(start), e.term(start))->empty());
  EXPECT_FALSE(e.explain(e.term(start), e.term(end), 2));
}

TEST(Explanation, StatedEquationsAndTermsOfOnesOwn) {
  Session s({});
  const NodeId a = s.add("a"), b = s.add("b"), c = s.add("c");
  s.graph().unite(as_class(a), as_class(b));
  s.graph().unite(as_class(c), as_class(b), {7, Justification::kNone});
  s.graph().rebuild();
  const uint32_t f = s.graph().op(s.add("f"));
  Explainer e(s.graph(), s.rules());
  const TermId of_a[] = {e.term(a)}, of_c[] = {e.term(c)};
  const auto chain = e.explain(e.term(f, of_a), e.term(f, of_c));
  ASSERT_TRUE(chain);
  ASSERT_EQ(chain->size(), 2u);
  EXPECT_EQ((*chain)[0].rule, Justification::kNone);
  EXPECT_EQ((*chain)[1].rule, 7u);
  EXPECT_EQ((*chain)[1].after, e.term(f, of_c));
}

std::string random_term(Rng& rng, int depth, const std::vector<std::string>& leaves) {
  if (depth == 0 || rng.chance(0.25)) return leaves[rng.below(leaves.size())];
  if (rng.chance(0.3)) return "(g " + random_term(rng, depth - 1, leaves) + ")";
  return "(f " + random_term(rng, depth - 1, leaves) + " " + random_term(rng, depth - 1, leaves) + ")";
}

// Whatever random rules make equal has a proof that the checker accepts, and one that has been tampered with
// is refused.
TEST(Explanation, OfEverythingThatRandomRulesMakeEqual) {
  size_t proofs = 0, steps = 0, refused = 0, tampered = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    std::vector<std::string> rules;
    while (rules.size() < 4) {
      const std::string left = random_term(rng, 2, {"?x", "?y", "a", "?x"});
      std::vector<std::string> in_left{"a"};
      for (const char* v : {"?x", "?y"})
        if (left.find(v) != std::string::npos) in_left.push_back(v);
      if (left[0] == '(') rules.push_back(left + "=>" + random_term(rng, 2, in_left));
    }
    Session s(rules);
    for (int i = 0; i < 3; ++i) s.add(random_term(rng, 3, {"a", "b", "c"}));
    s.run(3);
    if (s.graph().slots() > 400) continue;
    Explainer e(s.graph(), s.rules());
    // The closure of what was recorded is the e-graph's equality, no less and no more.
    for (int i = 0; i < 200; ++i) {
      const NodeId a(rng.below(s.graph().slots())), b(rng.below(s.graph().slots()));
      const bool same = s.graph().same(as_class(a), as_class(b));
      ASSERT_EQ(e.equal(e.term(a), e.term(b)), same);
      if (!same) continue;
      const auto chain = e.explain(e.term(a), e.term(b));
      if (!chain || chain->size() > 200) continue;  // terms grow with their number of steps
      const std::string from = s.text(e, e.term(a)), to = s.text(e, e.term(b));
      std::vector<check::Step> proof = s.steps(e, *chain);
      ASSERT_EQ(check::explanation(from, to, proof), "") << from << " to " << to;
      ++proofs;
      steps += proof.size();
      if (proof.empty()) continue;
      ++tampered;
      proof.erase(proof.begin() + static_cast<long>(rng.below(proof.size())));
      refused += !check::explanation(from, to, proof).empty();
    }
  }
  EXPECT_GT(proofs, 500u);
  EXPECT_GT(steps, 1000u);
  EXPECT_GT(refused, tampered / 2);  // some terms come out of one rule in two ways
}

TEST(Explanation, TheCheckerRefusesWhatIsNotAProof) {
  const std::string rule = "(f ?x ?y)=>(f ?y ?x)";
  using check::explanation;
  EXPECT_EQ(explanation("(g (f a b))", "(g (f b a))", {{rule, false, "(g (f b a))"}}), "");
  EXPECT_NE(explanation("(g (f a b))", "(g (f b c))", {{rule, false, "(g (f b c))"}}), "");
  EXPECT_NE(explanation("(h (f a b) (f a b))", "(h (f b a) (f b a))", {{rule, false, "(h (f b a) (f b a))"}}),
            "");  // two places in one step
  EXPECT_NE(explanation("(f a b)", "(f a b)", {{rule, false, "(f b a)"}}), "");
  EXPECT_NE(explanation("(f a a)", "a", {{"(f ?x ?x)=>?x", true, "a"}}), "");
  EXPECT_NE(explanation("a", "b", {}), "");
}

}  // namespace
}  // namespace isomer::egraph
