#include "egraph/equations.h"

#include <gtest/gtest.h>

#include "egraph/tensat_data.h"
#include "support/errors.h"

namespace isomer::egraph {
namespace {

std::vector<Rewrite> rules_of(const std::string& text, SymbolTable& symbols) {
  return parse_rules(text, symbols);
}

TEST(Equations, AreProvedOnlyWhereTheAxiomsSay) {
  SymbolTable symbols;
  const auto equations =
      parse_equations("f(a,b)==f(b,a) f(a,f(b,c))==f(c,f(a,b))\ng(a,b)==g(b,a)\n  g(a,a)==g(a,a)", symbols);
  ASSERT_EQ(equations.size(), 4u);
  const auto comm = "(f ?x ?y)=>(f ?y ?x)\n", assoc = "(f ?x (f ?y ?z))<=>(f (f ?x ?y) ?z)\n";
  EXPECT_EQ(prove(equations, rules_of(comm, symbols)).proved, (std::vector<bool>{true, false, false, true}));
  EXPECT_EQ(prove(equations, rules_of(std::string(comm) + assoc, symbols)).proved,
            (std::vector<bool>{true, true, false, true}));
}

// A goal that only a long run reaches, beside axioms that grow for ever.
TEST(Equations, WhatIsOpenIsTriedAgainForLonger) {
  SymbolTable symbols;
  const auto equations = parse_equations("s(s(s(s(s(s(s(z)))))))==z grow(a)==b", symbols);
  const Proofs proofs =
      prove(equations, rules_of("(s (s (s (s (s (s (s z)))))))=>(t z)\n(t ?x)=>(u ?x)\n(u ?x)=>(v ?x)\n"
                                "(v ?x)=>(w ?x)\n(w ?x)=>?x\n(grow ?x)=>(grow (h ?x))",
                                symbols));
  EXPECT_EQ(proofs.proved, (std::vector<bool>{true, false}));
  EXPECT_GT(proofs.runs.size(), 2u);
}

// All of TASO's verified equations follow from the axioms, and none of them does without any.
TEST(Equations, TasosFollowFromOurAxioms) {
  SymbolTable symbols;
  const auto axioms = parse_rules(read_test_file("../../rules/taso_axioms.txt"), symbols);
  const auto equations = parse_equations(read_test_file("tensat/rules/taso_rules.txt"), symbols);
  ASSERT_EQ(equations.size(), 931u);
  EXPECT_EQ(prove(equations, axioms).count(), 931u);
  const size_t trivial = static_cast<size_t>(
      std::count_if(equations.begin(), equations.end(), [](const Equation& e) { return e.left == e.right; }));
  EXPECT_EQ(prove(equations, {}).count(), trivial);
  EXPECT_LT(trivial, 50u);
}

TEST(Equations, FalseOnesAreNotProved) {
  SymbolTable symbols;
  const auto axioms = parse_rules(read_test_file("../../rules/taso_axioms.txt"), symbols);
  const auto wrong = parse_equations(
      "matmul(input_1,input_2)==matmul(input_2,input_1)\nrelu(ewadd(input_1,input_2))==ewadd(relu(input_1),"
      "relu(input_2))\n"
      "split_0(1,concat(1,input_1,input_2))==input_2\nsmul(ewmul(input_1,input_2),input_3)=="
      "ewmul(smul(input_1,input_3),smul(input_2,input_3))\n"
      "conv2d(1,1,0,0,input_1,input_2)==conv2d(1,1,0,2,input_1,input_2)\ntranspose(input_1)==input_1\n",
      symbols);
  EXPECT_EQ(prove(wrong, axioms).count(), 0u);
}

TEST(Equations, BadOnesSayWhereAndWhat) {
  const auto message_of = [](const std::string& text) -> std::string {
    SymbolTable symbols;
    try {
      parse_equations(text, symbols, "e.txt");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message_of("f(a)=g(b)"), "e.txt:1:5: expected == between the two sides of an equation");
  EXPECT_EQ(message_of("f(a)==g(b)\nf(a"), "e.txt:2:4: expected , or ) after an argument");
  EXPECT_EQ(message_of("f(,a)==b"), "e.txt:1:3: expected a name or a number");
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "f(";
  EXPECT_NE(message_of(deep).find("nested"), std::string::npos);
}

}  // namespace
}  // namespace isomer::egraph
