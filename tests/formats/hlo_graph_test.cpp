// What HLO becomes in the IR; that it computes what XLA does is hlo_values.py's to show.
#include "formats/hlo_graph.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "hlo/parse.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

constexpr const char* kAdd =
    "f {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT r = f32[] add(x, y)\n}\n\n";
constexpr const char* kLargest =
    "largest {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT s = f32[] maximum(p, q)\n}\n\n";

ir::Graph graph(ir::Context& ctx, const std::string& instructions) {
  return hlo_graph(ctx, hlo::parse("HloModule m\n\n" + std::string(kLargest) + kAdd + "ENTRY main {\n" +
                                       instructions + "}\n",
                                   "m.hlo"));
}

TEST(HloGraph, DotsAreProductsOfMatrices) {
  ir::Context ctx(ir::standard_ops());
  EXPECT_EQ(ir::print(graph(
                ctx,
                "  a = f32[2,3] parameter(0)\n  b = f32[4,3] parameter(1)\n  ROOT r = f32[2,4] dot(a, b), "
                "lhs_contracting_dims={1}, rhs_contracting_dims={1}\n")),
            R"(graph m {
  %0 = input{name="a"} : f32[2,3]
  %1 = input{name="b"} : f32[4,3]
  %2 = transpose{perm=[1,0]}(%1) : f32[3,4]
  %3 = matmul(%0, %2) : f32[2,4]
  return %3
}
)");
}

TEST(HloGraph, WhatReductionsBeginWithIsAddedUnlessItChangesNothing) {
  ir::Context ctx(ir::standard_ops());
  const auto values = [&](const std::string& first) {
    return graph(ctx, "  a = f32[2,3] parameter(0)\n  z = f32[] constant(" + first +
                          ")\n  ROOT r = f32[2] reduce(a, z), dimensions={1}, to_apply=f\n")
        .size();
  };
  EXPECT_LT(values("0"), values("1"));
  EXPECT_EQ(values("-0.0"), values("1"));
}

TEST(HloGraph, TuplesAreTakenApartAndCallsWrittenOut) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph g =
      graph(ctx,
            "  t = (f32[], (f32[], f32[])) parameter(0)\n  u = (f32[], f32[]) get-tuple-element(t), index=1\n"
            "  a = f32[] get-tuple-element(t), index=0\n  b = f32[] get-tuple-element(u), index=1\n"
            "  c = f32[] call(a, b), to_apply=f\n  ROOT r = (f32[], f32[]) tuple(c, b)\n");
  EXPECT_EQ(g.inputs().size(), 3u);
  ASSERT_EQ(g.outputs().size(), 2u);
  EXPECT_EQ(g.outputs()[1], g.inputs()[2]);
  EXPECT_EQ(g.def(g.outputs()[0]).name, "add");
}

/// The operators of a program, in order, but for its inputs and constants.
std::string operators(const std::string& instructions) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph g = graph(ctx, instructions);
  std::string out;
  for (size_t i = 0; i < g.size(); ++i)
    if (const std::string& name = g.def(ir::ValueId(i)).name; name != "input" && name != "constant")
      out += (out.empty() ? "" : " ") + name;
  return out;
}

TEST(HloGraph, WindowsAreWhatOnnxHasAWordForWhereItHas) {
  const std::string images =
      "  a = f32[2,6,6,3] parameter(0)\n  z = f32[] constant(0)\n"
      "  m = f32[] constant(-inf)\n  ROOT r = ";
  EXPECT_EQ(operators(images + "f32[2,3,3,3] reduce-window(a, m), window={size=1x2x2x1 stride=1x2x2x1}, "
                               "to_apply=largest\n"),
            "transpose max_pool transpose");
  EXPECT_EQ(operators(images + "f32[2,3,3,3] reduce-window(a, z), window={size=1x2x2x1 stride=1x2x2x1}, "
                               "to_apply=largest\n"),
            "reduce_window");  // it begins with 0
  EXPECT_EQ(operators(images + "f32[2,6,6,3] reduce-window(a, z), window={size=1x6x1x1 pad=0_0x5_0x0_0x0_0}, "
                               "to_apply=f\n"),
            "cumsum");
  EXPECT_EQ(operators(images + "f32[2,6,6,3] reduce-window(a, z), window={size=1x5x1x1 pad=0_0x4_0x0_0x0_0}, "
                               "to_apply=f\n"),
            "reduce_window");
}

TEST(HloGraph, GathersAndScattersAreOnnxOnesOfPlacesInRange) {
  EXPECT_EQ(operators("  a = f32[5,3] parameter(0)\n  i = s32[4] parameter(1)\n"
                      "  ROOT r = f32[4,3] gather(a, i), offset_dims={1}, collapsed_slice_dims={0}, "
                      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}\n"),
            "reshape broadcast broadcast min max gather_nd");
  EXPECT_EQ(
      operators("  a = f32[5,3] parameter(0)\n  i = s32[4,1] parameter(1)\n  u = f32[4,3] parameter(2)\n"
                "  ROOT r = f32[5,3] scatter(a, i, u), update_window_dims={1}, inserted_window_dims={0}, "
                "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f\n"),
      "broadcast broadcast min max equal pad broadcast where scatter_nd slice");
}

TEST(HloGraph, JaxsRandomBitsOnGpusAreThoseOfThePaper) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph g =
      graph(ctx,
            "  a = u32[1] parameter(0)\n  b = u32[1] parameter(1)\n  c = u32[1] parameter(2)\n"
            "  d = u32[1] parameter(3)\n  ROOT r = (u32[1], u32[1]) custom-call(a, b, c, d), "
            "custom_call_target=\"cuda_threefry2x32\"\n");
  const auto bits = [&](int64_t word) {
    const eval::Tensor<double> each{ir::DType::kU32, {1}, {}, {word}};
    const std::vector<eval::Value<double>> inputs(4, eval::make_value(each));
    eval::Float64 domain;
    std::vector<int64_t> out;
    for (const auto& value : eval::evaluate(domain, g, std::span<const eval::Value<double>>(inputs)))
      out.push_back(value.tensor->integers[0]);
    return out;
  };
  // The authors' vectors of all bits 0 and all bits 1.
  EXPECT_EQ(bits(0), (std::vector<int64_t>{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(bits(0xffffffff), (std::vector<int64_t>{0x1cb996fc, 0xbb002be7}));
}

/// Of a program without inputs, rounded and wrapped at each step.
eval::Tensor<double> value_of(const std::string& instructions) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph g = graph(ctx, instructions);
  eval::Float64 domain;
  eval::EvalOptions<eval::Float64> options;
  options.round_results = true;
  return *eval::evaluate(domain, g, {}, options)[0].tensor;
}

TEST(HloGraph, ConversionsToFloatsOfEightBitsDoNotSaturate) {
  const auto converted = [](const std::string& from, const std::string& to) {
    return value_of("  a = " + from + "[3] constant({2, 448, 100000})\n  ROOT r = " + to + "[3] convert(a)\n")
        .numbers;
  };
  const std::vector<double> finite = converted("f32", "f8e4m3fn");
  EXPECT_EQ(finite[1], 448);
  EXPECT_TRUE(std::isnan(finite[2]));
  EXPECT_EQ(converted("s32", "f8e5m2"),
            (std::vector<double>{2, 448, std::numeric_limits<double>::infinity()}));
}

TEST(HloGraph, ElementTypesThatOnlyXlaHasAreRowsToo) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto converted = [](const std::string& type) {
    return value_of("  a = f32[4] constant({1.0625, 15.5, 240, 1e5})\n  b = " + type +
                    "[4] convert(a)\n  ROOT r = f32[4] convert(b)\n")
        .numbers;
  };
  EXPECT_EQ(converted("f8e3m4"), (std::vector<double>{1.0625, 15.5, infinity, infinity}));
  EXPECT_EQ(converted("f8e4m3"), (std::vector<double>{1, 16, 240, infinity}));
  const std::vector<double> fnuz = converted("f8e4m3b11fnuz");
  EXPECT_EQ(fnuz[1], 16);
  EXPECT_TRUE(std::isnan(fnuz[2])) << "beyond 30 there is no number, and no infinity";
  EXPECT_EQ(value_of("  a = s1[2] constant({-1, 0})\n  ROOT r = s32[2] convert(a)\n").integers,
            (std::vector<int64_t>{-1, 0}));
  EXPECT_EQ(value_of("  a = u1[2] constant({1, 0})\n  ROOT r = s32[2] convert(a)\n").integers,
            (std::vector<int64_t>{1, 0}));
}

TEST(HloGraph, PadsAreTheIntegersThatTheirConstantsAre) {
  const auto padded = [](const std::string& type, const std::string& value) {
    return value_of("  a = " + type + "[1] constant({1})\n  v = " + type + "[] constant(" + value +
                    ")\n  ROOT r = " + type + "[2] pad(a, v), padding=0_1\n")
        .integers[1];
  };
  EXPECT_EQ(static_cast<uint64_t>(padded("u64", "18446744073709551615")), UINT64_MAX);
  EXPECT_EQ(padded("s64", "9007199254740993"), 9007199254740993);
  EXPECT_EQ(padded("s64", "-5"), -5);
  EXPECT_EQ(operators("  a = f32[1] parameter(0)\n  v = f32[] constant(1)\n"
                      "  ROOT r = f32[2] pad(a, v), padding=0_1\n"),
            "pad slice");
}

TEST(HloGraph, ReducedPrecisionHasNoSubnormalNumbers) {
  const auto reduced = [](const std::string& x) {
    return value_of("  a = f32[] constant(" + x +
                    ")\n  ROOT r = f32[] reduce-precision(a), exponent_bits=5, mantissa_bits=10\n")
        .numbers[0];
  };
  EXPECT_EQ(reduced("0.00006103515625"), 0x1p-14);
  EXPECT_EQ(reduced("0.00003"), 0);
  EXPECT_TRUE(std::signbit(reduced("-0.00003")));
  EXPECT_EQ(reduced("0.00006102025508880615234375"), 0x1p-14) << "2^-14 - 2^-26 rounds up to it";
  EXPECT_EQ(reduced("0.000061005353927612304688"), 0) << "2^-14 - 2^-25 does not";
  EXPECT_EQ(reduced("70000"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(reduced("nan")));
}

// --- order, layouts, donations

/// As the program is printed, behind its inputs.
std::string said(const std::string& header, const std::string& instructions) {
  ir::Context ctx(ir::standard_ops());
  const hlo::Module module =
      hlo::parse("HloModule m" + header + "\n\nENTRY main {\n" + instructions + "}\n", "m.hlo");
  return ir::print(hlo_graph(ctx, module));
}

TEST(HloGraph, WhatHasPredecessorsComesAfterThem) {
  EXPECT_EQ(said("",
                 "  a = f32[2] parameter(0)\n  e = f32[2] exponential(a)\n  b = f32[2] negate(a)\n"
                 "  ROOT r = f32[2] multiply(b, a), control-predecessors={e, a}\n"),
            R"(graph m {
  %0 = input{name="a"} : f32[2]
  %1 = exp(%0) : f32[2]
  %2 = neg(%0) : f32[2]
  %3 = after(%2, %1) : f32[2]
  %4 = mul(%3, %0) : f32[2]
  return %4
}
)");
  EXPECT_EQ(operators("  a = f32[2] parameter(0)\n  e = f32[2] exponential(a)\n"
                      "  ROOT c = f32[2] constant({1, 2}), control-predecessors={e}\n"),
            "exp after");
  EXPECT_EQ(operators("  a = f32[2] parameter(0)\n  t = (f32[2], f32[2]) tuple(a, a)\n"
                      "  ROOT r = f32[2] get-tuple-element(t), index=1, control-predecessors={a}\n"),
            "")
      << "what is there from the beginning is nothing to wait for";
}

TEST(HloGraph, WhatDoesNotReadTheFirstOperandComesAfterPredecessorsToo) {
  const auto comes_after = [](const std::string& root) {
    return operators(
        "  a = f32[2] parameter(0)\n  s = f32[] parameter(1)\n  i = s32[] parameter(2)\n"
        "  e = f32[2] exponential(a)\n  n = f32[2] negate(a)\n  t = (f32[2], f32[2]) tuple(n, a)\n" +
        root);
  };
  EXPECT_EQ(comes_after("  b = (f32[2], f32[2]) opt-barrier(t), control-predecessors={e}\n"
                        "  ROOT r = f32[2] get-tuple-element(b), index=1\n"),
            "exp neg after after");
  EXPECT_EQ(comes_after("  b = (f32[2], f32[2]) copy(t), control-predecessors={e}\n"
                        "  ROOT r = f32[2] get-tuple-element(b), index=1\n"),
            "exp neg after after");
  EXPECT_TRUE(comes_after("  ROOT r = f32[2] imag(n), control-predecessors={e}\n").ends_with("after"));
  EXPECT_TRUE(comes_after("  ROOT r = f32[2] dynamic-update-slice(n, a, i), control-predecessors={e}\n")
                  .find("after") != std::string::npos);
}

TEST(HloGraph, ACallOfAProductWithAPrecisionIsMoreThanItsValue) {
  const auto values = [](const std::string& precision) {
    ir::Context ctx(ir::standard_ops());
    const hlo::Module module = hlo::parse(
        "HloModule m\n\nENTRY main {\n  a = f32[2,2] parameter(0)\n  ROOT r = f32[2,2] custom-call(a, a), "
        "custom_call_target=\"__cublas$gemm\", backend_config={\"alpha_real\":1,\"beta\":0,"
        "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"
        "\"rhs_contracting_dimensions\":[\"0\"]},\"precision_config\":{\"operand_precision\":[" +
            precision + "]}}\n}\n",
        "m.hlo");
    return ir::print(hlo_values(ctx, module, module.entry).graph);
  };
  EXPECT_NE(values("\"DEFAULT\",\"DEFAULT\"").find("matmul"), std::string::npos);
  EXPECT_EQ(values("\"DEFAULT\",\"HIGHEST\"").find("matmul"), std::string::npos);
}

TEST(HloGraph, TokensAreOrder) {
  EXPECT_EQ(said("",
                 "  a = f32[2] parameter(0)\n  e = f32[2] exponential(a)\n  none = token[] after-all()\n"
                 "  t = token[] after-all(none), control-predecessors={e}\n"
                 "  both = (token[], f32[2]) tuple(t, a)\n"
                 "  again = token[] get-tuple-element(both), index=0\n"
                 "  ROOT r = f32[2] add-dependency(a, again)\n"),
            R"(graph m {
  %0 = input{name="a"} : f32[2]
  %1 = exp(%0) : f32[2]
  %2 = constant : bool[] {1}
  %3 = after(%2, %1) : bool[]
  %4 = after(%0, %3) : f32[2]
  return %4
}
)");
}

TEST(HloGraph, LayoutsAreThoseOfWhatTheEntryTakesGivesAndCopies) {
  EXPECT_EQ(said("",
                 "  a = f32[2,3]{0,1} parameter(0)\n  n = f32[2,3]{1,0} negate(a)\n"
                 "  c = f32[2,3]{0,1} copy(n)\n  d = f32[2,3]{1,0} copy(c)\n  same = f32[2,3]{1,0} copy(d)\n"
                 "  ROOT r = (f32[2,3]{1,0}, f32[2,3]{0,1}) tuple(same, a)\n"),
            R"(graph m {
  %0 = input{name="a"} : f32[2,3]{0,1}
  %1 = neg(%0) : f32[2,3]
  %2 = copy{layout=[0,1]}(%1) : f32[2,3]{0,1}
  %3 = copy{layout=[]}(%2) : f32[2,3]
  return %3, %0
}
)");
  EXPECT_EQ(said(", entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{0,1}}",
                 "  a = f32[2,3] parameter(0)\n  ROOT n = f32[2,3] negate(a)\n"),
            R"(graph m {
  %0 = input{name="a"} : f32[2,3]{0,1}
  %1 = neg(%0) : f32[2,3]
  %2 = copy{layout=[0,1]}(%1) : f32[2,3]{0,1}
  return %2
}
)");
}

TEST(HloGraph, AliasesAreDonations) {
  const auto returned = [](const std::string& aliases) {
    const std::string text = said(", input_output_alias={ " + aliases + " }",
                                  "  a = f32[2] parameter(0)\n  t = (f32[2], c64[2]) parameter(1)\n"
                                  "  b = f32[2] get-tuple-element(t), index=0\n"
                                  "  c = c64[2] get-tuple-element(t), index=1\n"
                                  "  p = (f32[2], f32[2]) tuple(b, a)\n"
                                  "  ROOT r = (c64[2], (f32[2], f32[2])) tuple(c, p)\n");
    return text.substr(text.find("return"));
  };
  EXPECT_EQ(returned("{0}: (1, {1}, must-alias), {1,1}: (0, {})"),
            "return %2 over %2, %3 over %3, %1, %0 over %0\n}\n");
  const auto refusal = [&](const std::string& aliases) -> std::string {
    try {
      return returned(aliases);
    } catch (const InputError& e) {
      return e.what();
    }
  };
  EXPECT_EQ(refusal("{1}: (1, {})"),
            "m.hlo:9:8: expected (f32[2], f32[2]) in input_output_alias, found (f32[2], c64[2])");
  EXPECT_EQ(refusal("{1,0}: (2, {})"),
            "m.hlo:9:8: expected the number of a parameter in input_output_alias, found 2");
  EXPECT_EQ(refusal("{1,2}: (0, {})"),
            "m.hlo:9:8: expected the index of a part of (f32[2], f32[2]), found 2");
  EXPECT_EQ(refusal("{1,0}: (0, {}), {1,1}: (0, {})"),
            "m.hlo:9:8: expected each result and each argument at most once in input_output_alias");
}

/// Loops in loops: each one's condition and body run the next one.
std::string nested_loops(int levels) {
  std::string out = "HloModule m\n\nbody0 {\n  ROOT x = s32[] parameter(0)\n}\n\n";
  for (int i = 1; i <= levels; ++i)
    out += fmt::format(
        "goes_on{0} {{\n  y = s32[] parameter(0)\n  z = s32[] call(y), to_apply=body{1}\n"
        "  ROOT p = pred[] compare(z, y), direction=LT\n}}\n\n"
        "body{0} {{\n  x = s32[] parameter(0)\n  {2}\n}}\n\n",
        i, i - 1,
        i == 1 ? "ROOT r = s32[] add(x, x)"
               : fmt::format("ROOT r = s32[] while(x), condition=goes_on{0}, body=body{0}", i - 1));
  return out;
}

TEST(HloGraph, ARegionIsMadeOnceHoweverManyShareIt) {
  constexpr int kLevels = 200;  // written out, there would be 2^200 of them
  ir::Context ctx(ir::standard_ops());
  const std::string text =
      nested_loops(kLevels) + "ENTRY main {\n  a = s32[] parameter(0)\n" +
      fmt::format("  ROOT r = s32[] while(a), condition=goes_on{0}, body=body{0}\n}}\n", kLevels);
  EXPECT_EQ(hlo_graph(ctx, hlo::parse(text, "m.hlo")).size(), 2u);
}

/// What is wrong with the program; empty: nothing.
std::string why_not(const std::string& instructions) {
  ir::Context ctx(ir::standard_ops());
  try {
    graph(ctx, instructions);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(HloGraph, ProgramsThatDoubleAtEachCallAreRefused) {
  std::string text = "HloModule m\n\nf0 {\n  ROOT x = s32[] parameter(0)\n}\n\n";
  for (int i = 1; i <= 40; ++i)
    text += fmt::format(
        "f{0} {{\n  x = s32[] parameter(0)\n  y = s32[] call(x), to_apply=f{1}\n"
        "  ROOT z = s32[] call(y), to_apply=f{1}\n}}\n\n",
        i, i - 1);
  text += "ENTRY main {\n  a = s32[] parameter(0)\n  ROOT r = s32[] call(a), to_apply=f40\n}\n";
  ir::Context ctx(ir::standard_ops());
  EXPECT_THROW(hlo_graph(ctx, hlo::parse(text, "m.hlo")), InputError);
}

TEST(HloGraph, WhatIsMadeHasTheShapeThatTheModuleSays) {
  EXPECT_EQ(why_not("  a = u32[1] parameter(0)\n"
                    "  ROOT r = f32[9] custom-call(a, a, a, a), custom_call_target=\"cuda_threefry2x32\"\n"),
            "m.hlo:17:8: expected what has the shape f32[9], found u32[1], u32[1]");
}

TEST(HloGraph, WhatCannotBeSaidIsNamedWithItsPlace) {
  EXPECT_EQ(why_not("  a = u32[2] parameter(0)\n  ROOT r = u32[2] mulhi(a, a)\n"),
            "m.hlo:17:8: expected an opcode that the IR has operators for, found mulhi");
  EXPECT_EQ(why_not("  a = f32[300,300] parameter(0)\n  ROOT r = f32[300,300] cholesky(a)\n"),
            "m.hlo:17:8: expected a matrix of 1 to 256 rows, found 300");
  EXPECT_EQ(why_not("  a = u64[4] parameter(0)\n  ROOT r = (u64[4], u32[2]) rng-bit-generator(a), "
                    "algorithm=rng_philox\n"),
            "m.hlo:17:8: expected integers of 8 bits or more, of a state u64[2] or u64[3], found u32[2] of a "
            "state u64[4]");
  EXPECT_EQ(why_not("  a = c64[2] parameter(0)\n  ROOT r = c64[2] erf(a)\n"),
            "m.hlo:17:8: expected an opcode that is said of complex numbers, found erf");
  EXPECT_EQ(why_not("  a = c64[2] parameter(0)\n  ROOT r = pred[2] compare(a, a), direction=LT\n"),
            "m.hlo:17:8: expected EQ or NE of complex numbers, which have no order");
  EXPECT_EQ(why_not("  ROOT a = f32[<=2] parameter(0)\n"),
            "m.hlo:16:8: expected an array of known sizes, found f32[<=2]");
  EXPECT_EQ(why_not("  ROOT a = f32[2] constant({...})\n"),
            "m.hlo:16:8: expected the contents of a constant, found {...}");
  EXPECT_EQ(why_not("  a = f32[2] parameter(0)\n  b = f32[2] custom-call(a), custom_call_target=\"f\"\n  "
                    "ROOT r = f32[2] negate(a)\n"),
            "");
}

}  // namespace
}  // namespace isomer::formats
