#include "rewrite/axiom_check.h"

#include <gtest/gtest.h>

#include "egraph/equations.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::rewrite {
namespace {

using verify::VerdictKind;

AxiomVerdict check(const std::string& rule, int instances = 8) {
  egraph::SymbolTable symbols;
  const auto rules = egraph::parse_rule(rule, symbols);
  AxiomCheckOptions options;
  options.instances = instances;
  return check_axiom(symbols, rules[0].left, rules[0].right, options);
}

TEST(AxiomCheck, TrueOnesAreProved) {
  for (const char* rule : {
           "(ewadd ?x ?y)=>(ewadd ?y ?x)",
           "(matmul ?x (matmul ?y ?z))=>(matmul (matmul ?x ?y) ?z)",
           "(smul (matmul ?x ?y) ?s)=>(matmul ?x (smul ?y ?s))",
           "(split_1 ?a (concat ?a ?x ?y))=>?y",
           "(conv2d 1 1 0 0 ?x (Iconv ?m ?n))=>?x",
           "(poolavg ?m ?n ?h ?w ?p ?x)=>(conv2d ?h ?w ?p 0 ?x (Cpool ?m ?n))",
           "(conv2d ?h ?w ?p 0 (concat 1 ?x ?y) (concat 1 ?k ?l))=>(ewadd (conv2d ?h ?w ?p 0 ?x ?k) (conv2d "
           "?h ?w ?p 0 ?y ?l))",
       }) {
    const AxiomVerdict v = check(rule);
    EXPECT_EQ(v.verdict.kind, VerdictKind::kProved)
        << rule << ": " << verify::summary(v.verdict) << " " << v.instance;
    EXPECT_EQ(v.instances, 8) << rule;
  }
}

TEST(AxiomCheck, FalseOnesAreRefuted) {
  for (const char* rule : {
           "(matmul ?x ?y)=>(matmul ?y ?x)",
           "(relu (ewadd ?x ?y))=>(ewadd (relu ?x) (relu ?y))",
           "(smul (ewmul ?x ?y) ?s)=>(ewmul (smul ?x ?s) (smul ?y ?s))",
           "(transpose ?x)=>?x",
           "(split_0 ?a (concat ?a ?x ?y))=>?y",
           // True with stride 1 only: elsewhere the padding moves.
           "(conv2d 2 2 0 0 ?x (enlarge ?m ?n ?k))=>(conv2d 2 2 0 0 ?x ?k)",
           "(conv2d 1 1 1 0 ?x (Iconv 1 1))=>(conv2d 1 1 1 2 ?x (Iconv 1 1))",
       }) {
    const AxiomVerdict v = check(rule, 40);
    EXPECT_EQ(v.verdict.kind, VerdictKind::kRefuted) << rule << ": " << verify::summary(v.verdict);
    EXPECT_FALSE(v.instance.empty());
  }
}

TEST(AxiomCheck, WhatFitsNoShapesIsUnknown) {
  const AxiomVerdict v = check("(ewadd (smul ?x ?s) ?s)=>(smul ?x ?s)");
  EXPECT_EQ(v.verdict.kind, VerdictKind::kUnknown);
  EXPECT_EQ(v.instances, 0);
}

TEST(AxiomCheck, WordsWithoutMeaningAreSaid) {
  EXPECT_THROW(check("(frobnicate ?x)=>?x"), InputError);
  EXPECT_THROW(check("(relu ?x ?y)=>?x"), InputError);
}

// The shipped axioms: none refuted, none without an instance.
TEST(AxiomCheck, TheShippedAxiomsHold) {
  egraph::SymbolTable symbols;
  const auto axioms = egraph::parse_rules(
      read_file(std::string(ISOMER_SOURCE_DIR) + "/rules/taso_axioms.txt"), symbols, "taso_axioms.txt");
  ASSERT_GT(axioms.size(), 80u);
  size_t proved = 0;
  AxiomCheckOptions options;
  options.instances = 3;
  for (const egraph::Rewrite& axiom : axioms) {
    const AxiomVerdict v = check_axiom(symbols, axiom.left, axiom.right, options);
    EXPECT_TRUE(v.verdict.equivalent())
        << "line " << axiom.name << ": " << verify::summary(v.verdict) << v.instance;
    EXPECT_EQ(v.instances, 3) << axiom.name;
    proved += v.verdict.kind == VerdictKind::kProved;
  }
  EXPECT_GE(proved, axioms.size() - 4);
}

// TASO's equations themselves, as its verifier wrote them, a few of each kind.
TEST(AxiomCheck, TasosEquationsAreTrueOfTensors) {
  egraph::SymbolTable symbols;
  const auto equations = egraph::parse_equations(
      read_file(std::string(ISOMER_SOURCE_DIR) + "/tests/data/tensat/rules/taso_rules.txt"), symbols);
  AxiomCheckOptions options;
  options.instances = 1;
  size_t found = 0, looked = 0;
  for (size_t i = 0; i < equations.size(); i += 40) {
    const AxiomVerdict v = check_axiom(symbols, equations[i].left, equations[i].right, options);
    EXPECT_NE(v.verdict.kind, VerdictKind::kRefuted) << "equation " << i + 1 << " " << v.instance;
    found += v.instances > 0;
    ++looked;
  }
  EXPECT_GE(found * 10, looked * 8);
}

}  // namespace
}  // namespace isomer::rewrite
