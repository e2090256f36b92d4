// Each rule has a module to which it applies (rules.txt), and what it makes of that is of the right types.
#include <gtest/gtest.h>

#include <set>

#include "hlo/parse.h"
#include "hlo/print.h"
#include "hlo/verify.h"
#include "passes/algebraic_simplifier.h"
#include "passes/reducers.h"
#include "support/files.h"

namespace isomer::passes {
namespace {

struct Case {
  std::string rule, module;
};

std::vector<Case> cases() {
  const std::string text = read_file(std::string(ISOMER_SOURCE_DIR) + "/tests/passes/rules.txt");
  std::vector<Case> out;
  for (size_t at = text.find("\n== "); at != std::string::npos;) {
    const size_t line = text.find('\n', at + 1), next = text.find("\n== ", line);
    out.push_back({text.substr(at + 4, line - at - 4),
                   kReducers + ("ENTRY main {\n" + text.substr(line + 1, next - line - 1)) + "\n}\n"});
    at = next;
  }
  return out;
}

std::set<std::string> names() {
  std::set<std::string> out;
  for (const auto rules : {algebra_of_sums(), algebra_of_products(), algebra_of_functions(),
                           algebra_of_logic(), algebra_of_broadcasts(), algebra_of_shapes(),
                           algebra_of_parts(), algebra_of_reductions(), algebra_of_contractions()})
    for (const Rule& rule : rules) out.emplace(rule.name);
  return out;
}

TEST(Rules, EachAppliesToItsModules) {
  const std::shared_ptr<const Pass> passes[] = {algebraic_simplifier()};
  std::set<std::string> missing = names();
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.rule + "\n" + one.module);
    const hlo::Module module = hlo::parse(one.module, "rules.txt");
    ASSERT_TRUE(hlo::verify(module).empty()) << hlo::verify(module)[0].message;
    const AlternativeGraph graph = dry_run(module, passes);
    std::vector<uint32_t> decisions;
    bool applies = false;
    for (const Choice& choice : graph.choices()) {
      uint32_t decision = 0;
      for (uint32_t way = 0; way < choice.ways.size(); ++way)
        if (graph.rule(choice.ways[way]) == one.rule) decision = way + 1;
      applies |= decision > 0;
      decisions.push_back(decision);
    }
    EXPECT_TRUE(applies);
    const Applied applied = graph.apply(decisions);
    EXPECT_TRUE(hlo::verify(applied.module).empty()) << hlo::verify(applied.module)[0].message;
    // What is printed is read as the same module.
    const std::string text = hlo::print(applied.module, hlo::Dialect::kShort);
    EXPECT_EQ(hlo::difference(hlo::parse(text, ""), applied.module), "");
    missing.erase(one.rule);
  }
  EXPECT_TRUE(missing.empty()) << "no module for " << *missing.begin();
}

/// Where a rule would be wrong, or lose what an instruction says.
TEST(Rules, DoNotApplyWhereTheyAreWrong) {
  const std::shared_ptr<const Pass> passes[] = {algebraic_simplifier()};
  for (const char* instructions : {
           // An infinite factor for 70000 copies of zero.
           R"(x = f16[3] parameter(0)
z = f16[] constant(0)
b = f16[3,70000] broadcast(x), dimensions={0}
ROOT r = f16[3] reduce(b, z), dimensions={1}, to_apply=half)",
           // The iota wraps.
           R"(i = s8[200] iota(), iota_dimension=0
c = s8[] constant(0)
b = s8[200] broadcast(c), dimensions={}
ROOT r = pred[200] compare(i, b), direction=LT)",
           // Minus zero: infinite of either sign.
           R"(x = f32[3] parameter(0)
q = f32[3] sqrt(x)
c = f32[] constant(-0.5)
b = f32[3] broadcast(c), dimensions={}
ROOT r = f32[3] power(q, b))",
           // A sum of products in half precision.
           R"(x = bf16[3,4] parameter(0)
y = bf16[3,4] parameter(1)
ROOT r = bf16[3] dot(x, y), lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_batch_dims={0}, rhs_contracting_dims={1})",
           // Infinity less itself, and times zero.
           R"(x = f32[3] parameter(0)
ROOT r = f32[3] subtract(x, x))",
           R"(x = f32[3] parameter(0)
c = f32[] constant(0)
b = f32[3] broadcast(c), dimensions={}
ROOT r = f32[3] multiply(x, b))",
           // NaN.
           R"(x = f32[3] parameter(0)
ROOT r = pred[3] compare(x, x), direction=EQ)",
           // Digits are lost on the way.
           R"(x = s32[3] parameter(0)
a = f32[3] convert(x)
ROOT r = s32[3] convert(a))",
           // A size that is a bound.
           R"(x = f32[<=3] parameter(0)
a = f32[<=3] negate(x)
ROOT r = f32[<=3] negate(a))",
           R"(x = f32[3] parameter(0)
a = f32[3] negate(x)
ROOT r = f32[3] negate(a), sharding={replicated})",
       }) {
    SCOPED_TRACE(instructions);
    const hlo::Module module = hlo::parse(std::string(kReducers) + R"(half {
  a = f16[] parameter(0)
  b = f16[] parameter(1)
  ROOT r = f16[] add(a, b)
}

ENTRY main {
)" + instructions + "\n}\n",
                                          "");
    ASSERT_TRUE(hlo::verify(module).empty()) << hlo::verify(module)[0].message;
    const AlternativeGraph graph = dry_run(module, passes);
    for (const Alternative& way : graph.alternatives()) ADD_FAILURE() << graph.rule(way);
  }
}

/// XLA (jaxlib 0.10.2) drops what a reduction over sizes of 1 begins with, whatever it is; the rule does not,
/// and so has no module of that kind among those that are compared with XLA.
TEST(Rules, ReduceOfThinKeepsWhatItBeginsWith) {
  const std::shared_ptr<const Pass> passes[] = {algebraic_simplifier()};
  const hlo::Module module = hlo::parse(std::string(kReducers) + R"(ENTRY main {
  x = f32[3,1] parameter(0)
  z = f32[] parameter(1)
  ROOT r = f32[3] reduce(x, z), dimensions={1}, to_apply=sum
}
)",
                                        "");
  const RunResult result = run_to_end(module, passes);
  EXPECT_EQ(hlo::name(result.module[result.module[result.module.entry].root].opcode), "add");
}

}  // namespace
}  // namespace isomer::passes
