#include "mugraph/mu_op.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "eval/field.h"
#include "mugraph/interpret.h"
#include "mugraph/lower.h"
#include "mugraph/mirage_json.h"
#include "mugraph/random_tensors.h"
#include "mugraph/search.h"
#include "mugraph/spec.h"
#include "mugraph/verify_mugraph.h"

namespace isomer::mugraph {
namespace {

/// One kernel: x and y cut along rows by the grid and along columns by the loop, `op` in the body.
MuGraph block_of(const MuOpTable& ops, std::string_view op, std::string_view accumulator, int axis = -1) {
  BlockGraph b;
  b.grid = {2, 1, 1};
  b.loops = {3};
  b.reduce_to = 2;
  b.inputs = {{{0, -1, -1}, {1}, {}}, {{0, -1, -1}, {1}, {}}};
  const MuOp& def = ops.get(ops.at(op));
  b.nodes.push_back({ops.at(op), -1, {0}, {}, false});
  if (def.arity == 2) b.nodes[0].operands.push_back(1);
  b.nodes.push_back({ops.at(accumulator), axis, {2}, {}, true});
  if (def.arity == 1) {  // the other input, so that it is used
    b.nodes.push_back({ops.at("accumulate"), -1, {1}, {}, true});
  }
  b.outputs = {{3, {0, -1, -1}}};
  if (def.arity == 1) b.outputs.push_back({4, {0, -1, -1}});
  MuGraph g;
  g.ops = &ops;
  g.inputs = 2;
  g.values = {{4, 12}, {4, 12}};
  KernelNode k;
  k.operands = {0, 1};
  for (size_t i = 0; i < b.outputs.size(); ++i) {
    k.results.push_back(static_cast<uint32_t>(g.values.size()));
    g.values.emplace_back();
  }
  k.block = std::make_shared<BlockGraph>(b);
  g.nodes.push_back(k);
  g.outputs = {2};
  EXPECT_EQ(infer_sizes(g), "");
  return g;
}

/// By grid and loop, and lowered: the same numbers in both domains.
void expect_agreement(const MuGraph& g) {
  Rng rng(3);
  const auto inputs = random_tensors({g.values[0], g.values[1]}, rng);
  eval::Float64 floats;
  ir::Context ctx(g.ops->declarations());
  const ir::Graph plain = lower(ctx, g);
  const auto looped = interpret(floats, g, std::span<const FloatTensor>(inputs));
  EXPECT_LT(difference(looped[0], run_graph(plain, inputs)[0]), 1e-12) << print(g);

  std::vector<eval::Tensor<eval::FieldValue>> in;
  std::vector<eval::Value<eval::FieldValue>> values;
  for (const FloatTensor& t : inputs) {
    in.push_back({ir::DType::kF32, t.sizes, {}, {}});
    for (size_t i = 0; i < t.numbers.size(); ++i)
      in.back().numbers.push_back(eval::PrimeField::from_hash(rng.next()));
    values.push_back(eval::make_value(in.back()));
  }
  eval::PrimeField field(1);
  const auto a = interpret(field, g, std::span<const eval::Tensor<eval::FieldValue>>(in));
  const auto b = eval::evaluate<eval::PrimeField>(field, plain, values);
  ASSERT_EQ(a[0].numbers.size(), b[0].tensor->numbers.size());
  for (size_t i = 0; i < a[0].numbers.size(); ++i) EXPECT_EQ(a[0].numbers[i].p, b[0].tensor->numbers[i].p);
}

TEST(MuOps, EveryElementwiseOperatorAndAccumulatorMeansTheSameByLoopAndLowered) {
  const MuOpTable& ops = standard_mu_ops();
  int tried = 0;
  for (MuOpId id = 0; id < ops.size(); ++id) {
    const MuOp& op = ops.get(id);
    if (op.running_max || op.accumulate == Accumulate::kRescale || !op.in_blocks || op.shape_operand >= 0)
      continue;  // see below
    if (op.accumulate != Accumulate::kNone) {
      SCOPED_TRACE(op.name);
      expect_agreement(block_of(ops, "mul", op.name, op.has_axis ? 1 : -1));
      ++tried;
    } else if (!op.has_axis && op.arity <= 2 && op.name != "matmul" && op.name != "sum_to_x" &&
               op.name != "reshape") {
      SCOPED_TRACE(op.name);
      expect_agreement(block_of(ops, op.name, "accumulate"));
      ++tried;
    }
  }
  EXPECT_GE(tried, 20);
}

// (sum of each row's part of x, repeated to the part) * y.
TEST(MuOps, RepeatMeansTheSameByLoopAndLowered) {
  const MuOpTable& ops = standard_mu_ops();
  MuGraph g = block_of(ops, "mul", "accumulate");
  auto b = std::make_shared<BlockGraph>(*g.nodes[0].block);
  b->nodes = {{ops.at("sum"), 1, {0}, {}, false},
              {ops.at("repeat"), -1, {2, 1}, {}, false},
              {ops.at("mul"), -1, {3, 1}, {}, false},
              {ops.at("accumulate"), -1, {4}, {}, true}};
  b->outputs = {{5, {0, -1, -1}}};
  g.nodes[0].block = b;
  ASSERT_EQ(infer_sizes(g), "");
  expect_agreement(g);
  MuGraph without = g;
  auto c = std::make_shared<BlockGraph>(*b);
  c->nodes = {b->nodes[0], {ops.at("mul"), -1, {2, 1}, {}, false}, {ops.at("accumulate"), -1, {3}, {}, true}};
  c->outputs = {{4, {0, -1, -1}}};
  without.nodes[0].block = c;
  ASSERT_EQ(infer_sizes(without), "");
  Rng rng(3);
  const auto inputs = random_tensors({g.values[0], g.values[1]}, rng);
  eval::Float64 floats;
  EXPECT_LT(difference(interpret(floats, g, std::span<const FloatTensor>(inputs))[0],
                       interpret(floats, without, std::span<const FloatTensor>(inputs))[0]),
            1e-12);
  // Nothing to repeat, nothing to repeat to.
  for (const auto& operands : {std::vector<uint32_t>{0, 1}, {0, 2}}) {
    b->nodes[1].operands = operands;
    g.nodes[0].block = b;  // not what sizes were inferred into
    EXPECT_NE(infer_sizes(g), "");
  }
}

/// Sums of exp(x - largest x) y along the rows, and of exp(x - largest x), over two loops.
MuGraph online_sums() {
  const MuOpTable& ops = standard_mu_ops();
  BlockGraph b;
  b.grid = {2, 1, 1};
  b.loops = {3, 2};
  b.inputs = {{{0, -1, -1}, {1, 1}, {}}, {{0, -1, -1}, {1, 1}, {}}};
  const auto add = [&](const char* op, std::vector<uint32_t> operands) {
    b.nodes.push_back({ops.at(op), -1, std::move(operands), {}, false});
    return static_cast<uint32_t>(b.values() - 1);
  };
  const uint32_t m = add("running_max", {0});
  const uint32_t e = add("exp", {add("sub", {0, m})});
  const uint32_t below = add("accumulate_sum_rescale", {e, m});
  const uint32_t above = add("accumulate_rescale", {add("mul", {e, 1}), m});
  b.outputs = {{above, {0, -1, -1}}, {below, {0, -1, -1}}};
  MuGraph g;
  g.inputs = 2;
  g.values = {{4, 12}, {4, 12}, {}, {}};
  g.nodes = {{0, -1, std::make_shared<BlockGraph>(b), {0, 1}, {2, 3}}};
  g.outputs = {2, 3};
  EXPECT_EQ(infer_sizes(g), "");
  EXPECT_EQ(check_spec(g), "");
  return g;
}

TEST(MuOps, OnlineSumsMeanTheSameByLoopAndLowered) {
  MuGraph g = online_sums();
  expect_agreement(g);
  std::ranges::reverse(g.outputs);
  expect_agreement(g);
}

// Of logits up to 2,000, whose exponentials no number holds.
TEST(MuOps, OnlineSumsAreThoseOfTheWholeRow) {
  const MuGraph g = online_sums();
  Rng rng(6);
  auto inputs = random_tensors({g.values[0], g.values[1]}, rng);
  for (double& x : inputs[0].numbers) x = 2000 * x;
  eval::Float64 floats;
  const auto out = interpret(floats, g, std::span<const FloatTensor>(inputs));
  ASSERT_EQ(out[0].sizes, (Sizes{4, 2}));
  for (size_t row = 0; row < 4; ++row) {
    const double* x = &inputs[0].numbers[12 * row];
    const double most = *std::max_element(x, x + 12);
    double below = 0;
    std::array<double, 2> above{};  // of the even and of the odd columns
    for (size_t c = 0; c < 12; ++c) {
      const double e = std::exp(x[c] - most);
      below += e;
      above[c % 2] += e * inputs[1].numbers[12 * row + c];
    }
    EXPECT_NEAR(out[1].numbers[row], below, 1e-12);
    for (size_t c = 0; c < 2; ++c) EXPECT_NEAR(out[0].numbers[2 * row + c], above[c], 1e-12);
  }
}

TEST(MuOps, OnlyRunningMaximaRescale) {
  MuGraph g = online_sums();
  auto b = std::make_shared<BlockGraph>(*g.nodes[0].block);
  b->nodes[0].op = g.ops->at("sum");
  b->nodes[0].axis = 1;
  g.nodes[0].block = b;
  EXPECT_NE(infer_sizes(g).find("its second operand is no running maximum"), std::string::npos);
}

bool has_operator(const MuGraph& graph, MuOpId op) {
  return std::ranges::any_of(graph.nodes, [&](const KernelNode& kernel) {
    return kernel.block && std::ranges::any_of(kernel.block->nodes,
                                               [&](const BlockNode& n) { return !n.thread && n.op == op; });
  });
}

/// Searches with one more operator of blocks; the program says in others what it does.
void expect_found(const MuOpTable& ops, const char* added) {
  Program cubes;
  cubes.name = "cubes";
  cubes.inputs = {{"x", {"m", "k"}}, {"w", {"k", "n"}}};
  cubes.extents = {{"m", 16}, {"k", 64}, {"n", 64}};
  cubes.body = [](ir::Builder& b, std::span<const ir::ValueId> in) {
    return b.add("matmul", {b.add("mul", {in[0], b.add("mul", {in[0], in[0]})}), in[1]});
  };
  SearchOptions options = preset_for(cubes);
  options.ops = &ops;
  options.target = cpu_target({});
  options.kernel_ops = {"matmul", "mul"};
  options.block_ops = {"matmul", "accumulate", added};
  options.max_kernel_ops = 3;
  options.max_block_ops = 5;
  const SearchResult result = search(cubes, cubes.extents, options);
  ASSERT_FALSE(result.found.empty());
  for (const FoundMuGraph& found : result.found) {
    EXPECT_TRUE(has_operator(found.model, ops.at(added)));
    EXPECT_EQ(found.model.ops, &ops);
    EXPECT_EQ(found.verdict.verdict.kind, verify::VerdictKind::kProved);
  }
}

// One declaration is enough: type rule, both domains, both ways of running and the search follow.
TEST(MuOps, AnOperatorIsAddedByOneDeclaration) {
  ir::OpTable declared;
  ir::add_standard_ops(declared);
  ir::OpDef cube;
  cube.name = "cube";
  cube.kind = ir::MeaningKind::kComposite;
  cube.min_inputs = cube.max_inputs = 1;
  cube.levels = ir::kBlockLevel;
  cube.infer = [](const ir::OpInstance& op) { return ir::Inferred::ok(op.inputs[0]); };
  cube.expand = [](ir::Builder& b, const ir::OpInstance&, std::span<const ir::ValueId> in) {
    return b.add("mul", {in[0], b.add("mul", {in[0], in[0]})});
  };
  declared.add(cube);
  const MuOpTable ops(declared);
  const MuGraph g = block_of(ops, "cube", "accumulate");
  EXPECT_EQ(check_spec(g), "");
  expect_agreement(g);
  Rng rng(4);
  const auto inputs = random_tensors({g.values[0], g.values[1]}, rng);
  eval::Float64 floats;
  const auto out = interpret(floats, g, std::span<const FloatTensor>(inputs));
  double expected = 0;  // row 1, column 2: the columns 2, 6 and 10 of the three iterations
  for (size_t c : {2, 6, 10}) expected += std::pow(inputs[0].numbers[12 + c], 3);
  EXPECT_NEAR(out[0].numbers[4 + 2], expected, 1e-12);
  expect_found(ops, "cube");
}

// (W || X)(Y || Z), with the concatenations made.
TEST(MuOps, ConcatMatmulIsTheProductOfConcatenations) {
  const MuOpTable& ops = standard_mu_ops();
  Rng rng(5);
  const auto in = random_tensors({{2, 3}, {2, 4}, {3, 5}, {4, 5}}, rng);
  ir::Context ctx(ir::standard_ops());
  const auto run = [&](auto&& body) {
    ir::Builder b(ctx);
    std::vector<ir::ValueId> values;
    for (const FloatTensor& t : in)
      values.push_back(b.input("", ctx.tensor_type(ir::DType::kF32, ir::static_shape(t.sizes))));
    const ir::ValueId out = body(b, values);
    return run_graph(b.finish({out}), in)[0];
  };
  const FloatTensor is = run([&](ir::Builder& b, const auto& v) {
    return apply_once(b, ops.get(ops.at("concat_matmul")), v, Place{});
  });
  const FloatTensor should = run([&](ir::Builder& b, const auto& v) {
    return b.add("matmul", {b.add("concat", {v[0], v[1]}, {{"axis", int64_t{1}}}),
                            b.add("concat", {v[2], v[3]}, {{"axis", int64_t{0}}})});
  });
  EXPECT_LT(difference(is, should), 1e-12);
}

/// [2,3,6,5] with a kernel of 2 x 3 taps, by the definition; `each`: channel c of the result is of channel c.
double convolved(const FloatTensor& x, const FloatTensor& w, bool each, size_t n, size_t o, size_t i,
                 size_t j) {
  double sum = 0;
  for (size_t c = 0; c < (each ? 1 : 3); ++c)
    for (size_t u = 0; u < 2; ++u)
      for (size_t v = 0; v < 3; ++v)
        sum += x.numbers[((n * 3 + (each ? o : c)) * 6 + i + u) * 5 + j + v] *
               w.numbers[((o * (each ? 1 : 3) + c) * 2 + u) * 3 + v];
  return sum;
}

TEST(MuOps, ConvolutionsAndOtherLinearOperatorsOfKernels) {
  Rng rng(12);
  for (const bool each : {false, true}) {
    MuGraph g;
    g.inputs = 2;
    g.values = {{2, 3, 6, 5}, each ? Sizes{3, 1, 2, 3} : Sizes{4, 3, 2, 3}, {}, {}, {}};
    g.nodes = {{g.ops->at(each ? "depthwise_conv" : "conv"), -1, nullptr, {0, 1}, {2}},
               {g.ops->at("transpose"), -1, nullptr, {2}, {3}},
               {g.ops->at("mean"), 1, nullptr, {3}, {4}}};
    g.outputs = {2, 3, 4};
    ASSERT_EQ(infer_sizes(g), "");
    ASSERT_EQ(check_spec(g), "");
    const size_t channels = each ? 3 : 4;
    EXPECT_EQ(g.values[2], (Sizes{2, static_cast<int64_t>(channels), 5, 3}));
    const auto in = random_tensors({g.values[0], g.values[1]}, rng);
    eval::Float64 domain;
    const auto out = interpret(domain, g, std::span<const FloatTensor>(in));
    for (size_t n = 0; n < 2; ++n)
      for (size_t i = 0; i < 5; ++i)
        for (size_t j = 0; j < 3; ++j) {
          double mean = 0;
          for (size_t o = 0; o < channels; ++o) {
            const double sum = convolved(in[0], in[1], each, n, o, i, j);
            EXPECT_NEAR(out[0].numbers[((n * channels + o) * 5 + i) * 3 + j], sum, 1e-12);
            EXPECT_NEAR(out[1].numbers[((n * channels + o) * 3 + j) * 5 + i], sum, 1e-12);
            mean += sum / static_cast<double>(channels);
          }
          EXPECT_NEAR(out[2].numbers[(n * 3 + j) * 5 + i], mean, 1e-12);
        }
    const auto again = parse_mirage_json(write_mirage_json({g}), "written");
    EXPECT_EQ(print(again.at(0)), print(g));
  }
  const auto error = [](std::vector<Sizes> in) {
    return infer_tile(standard_mu_ops().get(standard_mu_ops().at("conv")), in, {}, false).error;
  };
  EXPECT_EQ(error({{1, 3, 5, 5}, {4, 2, 3, 3}}),
            "conv: expected x [N,C,d..] and w [O,C,k..], got [1,3,5,5] and [4,2,3,3]");
}

// A convolution as a kernel, what follows as blocks: proved, and refuted with another tensor added.
TEST(MuOps, AProgramWithAConvolutionIsJudged) {
  Program p;
  p.name = "conv_exp";
  p.inputs = {{"x", {"n", "c", "h"}}, {"k", {"o", "c", "u"}}, {"y", {"n", "o", "a"}}};
  p.extents = {{"n", 2}, {"c", 3}, {"h", 66}, {"o", 8}, {"u", 3}, {"a", 64}};
  p.body = [](ir::Builder& b, std::span<const ir::ValueId> in) {
    const std::vector<int64_t> ones = {1}, none = {0, 0};
    const ir::ValueId c =
        b.add("conv", {in[0], in[1]},
              {{"strides", ones}, {"dilations", ones}, {"pads", none}, {"group", int64_t{1}}});
    return b.add("mul", {b.add("exp", {c}), in[2]});
  };
  MuGraph g;
  g.inputs = 3;
  g.values = p.input_sizes(p.extents);
  g.values.resize(5);
  BlockGraph b;
  b.grid = {2, 8, 1};
  b.loops = {4};
  b.inputs = {{{0, 1, -1}, {2}, {}}, {{0, 1, -1}, {2}, {}}};
  const auto node = [&](const char* op, std::vector<uint32_t> operands, int axis = -1) {
    BlockNode n;
    n.op = g.ops->at(op);
    n.operands = std::move(operands);
    n.axis = axis;
    return n;
  };
  b.nodes = {node("exp", {0}), node("mul", {2, 1}), node("accumulate_concat", {3}, 2)};
  b.outputs = {{4, {0, 1, -1}}};
  g.nodes = {{g.ops->at("conv"), -1, nullptr, {0, 1}, {3}},
             {0, -1, std::make_shared<BlockGraph>(b), {3, 2}, {4}}};
  g.outputs = {4};
  ASSERT_EQ(infer_sizes(g), "");
  const MuVerdict right = verify_mugraph(g, p);
  EXPECT_EQ(right.verdict.kind, verify::VerdictKind::kProved) << verify::summary(right.verdict);
  EXPECT_EQ(right.verdict.method, "field, floats");
  b.nodes[1].operands = {2, 2};
  b.nodes[2] = node("accumulate_concat", {1}, 2);
  b.nodes.push_back(node("accumulate_concat", {3}, 2));
  b.nodes.push_back(node("add", {4, 5}));
  b.outputs[0].value = 6;
  g.nodes[1].block = std::make_shared<BlockGraph>(b);
  ASSERT_EQ(infer_sizes(g), "");
  EXPECT_EQ(verify_mugraph(g, p).verdict.kind, verify::VerdictKind::kRefuted);
}

TEST(MuOps, ReshapeMakesTokensOfHeadsAndBack) {
  const MuOp& op = standard_mu_ops().get(standard_mu_ops().at("reshape"));
  const auto shape = [&](const Sizes& in) { return infer_tile(op, std::span(&in, 1), {}, true).sizes; };
  EXPECT_EQ(shape({8, 1, 64}), (Sizes{1, 8, 64}));
  EXPECT_EQ(shape({1, 8, 64}), (Sizes{8, 1, 64}));
  EXPECT_EQ(shape({4, 8, 64}), (Sizes{32, 1, 64}));
}

TEST(MuOps, ShapesThatDoNotFitAreRefusedWithWhatWasExpected) {
  const MuOpTable& ops = standard_mu_ops();
  const auto error = [&](const char* op, std::vector<Sizes> in, const Place& place = {}, bool block = true) {
    return infer_tile(ops.get(ops.at(op)), in, place, block).error;
  };
  EXPECT_EQ(error("matmul", {{2, 3}, {4, 5}}),
            "matmul: expected equal inner dimensions, got [2,3] and [4,5]");
  EXPECT_EQ(error("matmul", {{2, 3, 4}, {2, 4, 5}}),
            "matmul: expected batch dimensions of 1 in a block, got [2,3,4]");
  EXPECT_EQ(error("matmul", {{2, 3, 4}, {2, 4, 5}}, {}, false), "");
  EXPECT_EQ(error("add", {{2, 3}, {4, 3}}), "add: expected equal sizes or 1, got [2,3] and [4,3]");
  EXPECT_EQ(error("accumulate_rescale", {{2, 3}, {2, 3}}),
            "accumulate_rescale: expected a maximum of each row of [2,3], got [2,3]");
  EXPECT_EQ(error("sum", {{2, 3}}, {2, 1, 0}), "sum: expected an axis below 2, got 2");
  EXPECT_EQ(error("sum_to_x", {{2, 6}}, {-1, 1, 4}),
            "sum_to_x: expected a last dimension that is a larger multiple of 4, got [2,6]");
}

}  // namespace
}  // namespace isomer::mugraph
