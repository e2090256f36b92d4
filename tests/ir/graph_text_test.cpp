// The textual form: what is printed reads back as the same graph, and what is wrong is said.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/constant_data.h"
#include "ir/dag_hash.h"
#include "ir/op_case.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "support/errors.h"

namespace isomer::ir {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::stringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

/// Printed, read into a context of its own, printed again.
void expect_fixed_point(const std::string& text) {
  Context ctx(standard_ops());
  const Graph graph = parse_graph(ctx, text);
  EXPECT_EQ(print(graph), text);
  Context other(standard_ops());
  const Graph again = parse_graph(other, print(graph));
  EXPECT_EQ(print(again), text);
  EXPECT_EQ(dag_hash(graph), dag_hash(again));
}

TEST(GraphText, Golden) {
  expect_fixed_point(R"(graph mlp {
  %0 = input{name="x"} : f32[2,4]
  %1 = weight{name="w"} : f32[4,4]
  %2 = matmul(%0, %1) : f32[2,4] "hidden"
  %3 = constant : f32[4] {1, -2.5, inf, nan}
  %4 = broadcast{shape=[2,4]}(%3) : f32[2,4]
  %5 = add(%2, %4) : f32[2,4]
  %6 = cast{to=f16}(%5) : f16[2,4]
  return %6, %2
}
)");
}

TEST(GraphText, LayoutsAndDonatedInputs) {
  expect_fixed_point(R"(graph cache {
  %0 = input{name="past"} : f32[2,8]{0,1}
  %1 = input{name="x"} : f32[2,8]
  %2 = exp(%1) : f32[2,8]
  return %2 over %1, %0
}
)");
  Context ctx(standard_ops());
  const Graph graph = parse_graph(ctx, R"(graph g {
  %0 = input{name="past"} : f32[2]
  %1 = input{name="unused"} : f32[2]
  %2 = exp(%0) : f32[2]
  return %0, %2 over %0
}
)");
  EXPECT_EQ(prune(graph).donations(), (std::vector<Graph::Donation>{{1, 0}}));
  EXPECT_NE(parse_type(ctx, "f32[2]"), ctx.intern([&] {
    Type t = ctx.get(parse_type(ctx, "f32[2]"));
    t.layout = {0};
    return t;
  }()));
  for (const char* wrong :
       {"graph g { %0 = input{name=\"x\"} : f32[2,3]{0}\n return %0 }",
        "graph g { %0 = input{name=\"x\"} : f32[2,3]{0,0}\n return %0 }",
        "graph g { %0 = input{name=\"x\"} : f32[2,3]{0,2}\n return %0 }",
        "graph g { %0 = input{name=\"x\"} : f32[2]\n %1 = exp(%0) : f32[2]\n return %0 over %1 }"})
    EXPECT_THROW(parse_graph(ctx, wrong), InputError) << wrong;
}

TEST(GraphText, TypesSymbolsTuplesAndStrings) {
  expect_fixed_point(R"(graph "two words" {
  %0 = input{name="a \"quoted\"\n\xff"} : f32[N,?,3]
  %1 = input{name="t"} : (f32[2], i64[])
  %2 = get{index=1}(%1) : i64[]
  %3 = constant : bool[2] {0, 1}
  %4 = constant : u64[1] {18446744073709551615}
  %5 = opaque{format="onnx", op="If", body="\x00\x01", captures=["a","b"]}(%0, %2) : f32[...]
  %6 = input{name="s"} : opaque
  return %5
}
)");
}

TEST(GraphText, Regions) {
  expect_fixed_point(R"(graph outer {
  %0 = input{name="x"} : f32[2]
  %1 = call{region=graph body {
    %0 = input{name="p"} : f32[2]
    %1 = call{region={
      %0 = input{name="q"} : f32[2]
      %1 = neg(%0) : f32[2]
      return %1
    }}(%0) : f32[2]
    return %1, %0
  }}(%0) : (f32[2], f32[2])
  return %1
}
)");
}

TEST(GraphText, IdentitiesStayDifferent) {
  const std::string text = R"(graph {
  %0 = opaque{format="onnx", op="RandomNormal", body="", identity=1} : f32[2]
  %1 = opaque{format="onnx", op="RandomNormal", body="", identity=2} : f32[2]
  return %0, %1
}
)";
  expect_fixed_point(text);
  Context ctx(standard_ops());
  const Graph graph = parse_graph(ctx, text);
  EXPECT_NE(graph.payload(ValueId(0)), graph.payload(ValueId(1)));
  EXPECT_NE(graph.payload(ValueId(0)), parse_graph(ctx, text).payload(ValueId(0)));
}

TEST(GraphText, LargeConstantsReadBackAsHashedValues) {
  Context ctx(standard_ops());
  const auto program = [](const std::string& hash) {
    return "graph { %0 = constant : f32[8,8] <#" + hash + "> return %0 }";
  };
  const Graph a = parse_graph(ctx, program("9f3a")), b = parse_graph(ctx, program("9f3b"));
  EXPECT_EQ(dag_hash(a), dag_hash(parse_graph(ctx, program("9f3a"))));
  EXPECT_NE(dag_hash(a), dag_hash(b));
  const auto values =
      numbers(ctx, ConstantId(static_cast<uint32_t>(std::get<int64_t>(ctx.get(a.attrs(ValueId(0))[0])))));
  for (double v : values) EXPECT_LE(std::abs(v), 1);
  EXPECT_NE(values[0], values[1]);
}

TEST(DagHash, LooksAtStructureOnly) {
  Context ctx(standard_ops());
  const auto hash = [&](const std::string& text) { return dag_hash(parse_graph(ctx, text)); };
  const uint64_t base = hash(R"(graph a {
    %0 = input{name="x"} : f32[2] %1 = neg(%0) : f32[2] %2 = exp(%0) : f32[2] %3 = add(%1, %2) : f32[2] return %3 })");
  EXPECT_EQ(base, hash(R"(graph b {
    %i = input{name="other"} : f32[2] %e = exp(%i) : f32[2] "named" %n = neg(%i) : f32[2] %dead = abs(%i) : f32[2]
    %s = add(%n, %e) : f32[2] return %s })"));
  EXPECT_NE(base, hash(R"(graph a {
    %0 = input{name="x"} : f32[2] %1 = neg(%0) : f32[2] %2 = exp(%0) : f32[2] %3 = add(%2, %1) : f32[2] return %3 })"));
  EXPECT_NE(base, hash(R"(graph a {
    %0 = input{name="x"} : f32[3] %1 = neg(%0) : f32[3] %2 = exp(%0) : f32[3] %3 = add(%1, %2) : f32[3] return %3 })"));
  const auto constant = [&](const std::string& value) {
    return hash("graph { %0 = constant : f32[1] {" + value + "} return %0 }");
  };
  EXPECT_NE(constant("1"), constant("2"));
  const auto two_inputs = [&](const std::string& result) {
    return hash(R"(graph { %a = input{name="a"} : f32[2] %b = input{name="b"} : f32[2] return )" + result +
                " }");
  };
  EXPECT_NE(two_inputs("%a"), two_inputs("%b"));
}

TEST(GraphText, EachErrorIsSaid) {
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(ISOMER_SOURCE_DIR "/tests/error/graph_text")) {
    if (entry.path().extension() != ".txt") continue;
    ++files;
    fs::path expected = entry.path();
    expected.replace_extension(".expected");
    Context ctx(standard_ops());
    try {
      parse_graph(ctx, read_text(entry.path()), entry.path().filename().string());
      ADD_FAILURE() << entry.path() << " was read";
    } catch (const InputError& e) {
      EXPECT_EQ(std::string(e.what()) + "\n", read_text(expected)) << entry.path();
    }
  }
  EXPECT_GE(files, 20u);
}

TEST(OperatorText, ReadsBackAsTheSameOperator) {
  Context ctx(standard_ops());
  for (const char* text : {"transpose{perm=[1,0]}", "relu", "weight{name=\"w\"} : f32[4,2]",
                           "constant : f32[3] {1, -0.5, 2}", "input{name=\"x\"} : i64[N]"}) {
    const auto [op, payload] = parse_operator(ctx, text);
    EXPECT_EQ(print(ctx, op, payload), text);
  }
  const auto [op, payload] = parse_operator(ctx, "constant : f32[3] {1, -0.5, 2}");
  EXPECT_EQ(print(ctx, op, payload, 2).substr(0, 20), "constant : f32[3] <#");
  EXPECT_THROW(parse_operator(ctx, "relux"), InputError);
  EXPECT_THROW(parse_operator(ctx, "relu relu"), InputError);
}

}  // namespace
}  // namespace isomer::ir
