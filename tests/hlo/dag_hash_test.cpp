#include "hlo/dag_hash.h"

#include <gtest/gtest.h>

#include <set>

#include "hlo/parse.h"
#include "hlo/print.h"
#include "hlo/texts.h"

namespace isomer::hlo {
namespace {

uint64_t hash(const std::string& text) { return dag_hash(parse(text, "x")); }
uint64_t of(const std::string& instructions) { return hash(module_of(instructions)); }

constexpr const char* kBase =
    "  a = f32[2]{0} parameter(0)\n  b = f32[2]{0} parameter(1)\n  c = f32[2]{0} negate(a)\n  d = f32[2]{0} "
    "exponential(b)\n  ROOT e = f32[2]{0} subtract(c, d)\n";

TEST(HloDagHash, NamesOrderDialectAndMetadataDoNotCount) {
  const uint64_t base = of(kBase);
  EXPECT_EQ(base,
            of("  q = f32[2]{0} parameter(1)\n  z = f32[2]{0} exponential(q)\n  p = f32[2]{0} parameter(0), "
               "metadata={op_name=\"p\"}\n  y = f32[2]{0} negate(p)\n  ROOT r = f32[2]{0} subtract(y, z)\n"));
  EXPECT_EQ(base,
            of("  a = f32[2] parameter(0)\n  b = f32[2] parameter(1)\n  c = f32[2] negate(a)\n  d = f32[2] "
               "exponential(b)\n  ROOT e = f32[2] subtract(c, d)\n"));
  EXPECT_EQ(base, hash("HloModule other, entry_computation_layout={(f32[2]{0}, f32[2]{0})->f32[2]{0}}, "
                       "replica_count=1\nENTRY main {\n" +
                       std::string(kBase) + "}\n"));
}

TEST(HloDagHash, AllTextsHashAlikeInBothDialects) {
  std::set<uint64_t> hashes;
  for (const std::string& file : all_texts()) {
    const Module m = parse(read_file(file), file);
    EXPECT_EQ(dag_hash(m), hash(print(m, Dialect::kLong))) << file;
    hashes.insert(dag_hash(m));
  }
  EXPECT_GE(hashes.size(), 55u);  // some modules of the corpus are the same program
}

TEST(HloDagHash, WhatIsComputedCounts) {
  const std::string base = kBase;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = base;
    text.replace(text.find(from), from.size(), to);
    return of(text);
  };
  std::set<uint64_t> all = {
      of(base),
      with("negate", "sign"),
      with("subtract(c, d)", "subtract(d, c)"),
      with("parameter(1)", "parameter(1), sharding={replicated}"),
      with("subtract(c, d)", "subtract(c, d), backend_config=\"x\""),
      with("ROOT e", "f = f32[2]{0} negate(b)\n  ROOT e"),
      with("f32[2]{0} negate", "f32[2]{0:S(1)} negate"),
      with("ROOT e = f32[2]{0} subtract(c, d)", "e = f32[2]{0} subtract(c, d)\n  ROOT f = f32[2]{0} copy(c)"),
      with("ROOT e = f32[2]{0} subtract(c, d)",
           "ROOT e = f32[2]{0} subtract(c, d), control-predecessors={a}")};
  EXPECT_EQ(all.size(), 9u);
}

TEST(HloDagHash, MissingAttributesAreTheirDefaults) {
  const std::string sum =
      "f {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT r = pred[] compare(x, y), "
      "direction=LT";
  const auto sorted = [&](const std::string& type, const std::string& stable) {
    return hash(
        module_of("  a = f32[4]{0} parameter(0)\n  ROOT s = f32[4]{0} sort(a), dimensions={0}, to_apply=f" +
                      stable + "\n",
                  sum + type + "\n}\n\n"));
  };
  EXPECT_EQ(sorted("", ""), sorted(", type=FLOAT", ", is_stable=false"));
  EXPECT_NE(sorted("", ""), sorted("", ", is_stable=true"));
  EXPECT_NE(sorted("", ""), sorted(", type=TOTALORDER", ""));
}

/// Three and one users of two equal values, or two and two: only how the values are shared differs.
TEST(HloDagHash, SharingCounts) {
  const auto shared = [](const std::string& second, const std::string& third) {
    return of(
        "  a = f32[] parameter(0)\n  p = f32[] negate(a)\n  q = f32[] negate(a)\n  u = f32[] sine(p)\n  v = "
        "f32[] sine(" +
        second + ")\n  w = f32[] sine(" + third +
        ")\n  x = f32[] sine(q)\n  ROOT t = (f32[], f32[], f32[], f32[]) tuple(u, v, w, x)\n");
  };
  EXPECT_NE(shared("p", "q"), shared("p", "p"));
  EXPECT_EQ(shared("p", "q"), shared("p", "q"));
}

TEST(HloDagHash, CalleesCountByWhatTheyCompute) {
  const auto calling = [](const std::string& name, const std::string& opcode) {
    return hash(module_of("  a = f32[] parameter(0)\n  ROOT c = f32[] call(a), to_apply=" + name + "\n",
                          name + " {\n  x = f32[] parameter(0)\n  ROOT r = f32[] " + opcode + "(x)\n}\n\n"));
  };
  EXPECT_EQ(calling("f", "sine"), calling("g", "sine"));
  EXPECT_NE(calling("f", "sine"), calling("f", "cosine"));
}

}  // namespace
}  // namespace isomer::hlo
