// Operators that exist because a runtime computes them at one go, or because it must be kept from doing so.
// Each is a composite: what it does is what its definition does, so verification, folding and cost need
// nothing else. Where the output may not name one, it is written out in its definition.
//
// A type rule for each would say what its definition's rules say again; they are the definition's, asked
// after the few things that the definition takes for granted.
#include <fmt/format.h>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/composed.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {
namespace {

OpDef composite(std::string name, int inputs, std::optional<int> most, std::string doc,
                std::vector<AttrSpec> attrs, Expand expand, Precondition precondition) {
  OpDef def =
      operation(std::move(name), MeaningKind::kComposite, inputs, most, std::move(doc), std::move(attrs));
  def.infer = [expand, precondition = std::move(precondition)](const OpInstance& op) {
    if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
    if (auto bad = precondition(op); !bad.empty()) return Inferred::fail(bad);
    return type_by_definition(op, expand);
  };
  def.expand = std::move(expand);
  return def;
}

std::string nothing(const OpInstance&) { return {}; }

std::string check_ranks(const OpInstance& op, size_t first, size_t last, size_t rank) {
  for (size_t i = first; i < std::min(last, op.inputs.size()); ++i)
    if (auto bad = check_rank(op, i, rank); !bad.empty()) return bad;
  return {};
}

Dim dim(const Builder& b, ValueId v, size_t axis) { return b.type(v).shape[axis]; }

ValueId spread(Builder& b, ValueId v, const Shape& shape) {
  return b.type(v).shape == shape ? v : b.add("broadcast", {v}, {{"shape", shape}});
}

ValueId scaled(Builder& b, ValueId v, double factor) {
  if (factor == 1) return v;
  return b.add("mul", {v, filled(b, b.type(v).dtype, factor, b.type(v).shape)});
}

ValueId reshaped(Builder& b, ValueId v, Shape shape) {
  return b.add("reshape", {v}, {{"shape", std::move(shape)}});
}

ValueId transposed(Builder& b, ValueId v, std::vector<int64_t> perm) {
  return b.add("transpose", {v}, {{"perm", std::move(perm)}});
}

/// Elements [from, to) along the last axis.
ValueId part(Builder& b, ValueId v, int64_t from, int64_t to) {
  const auto axis = static_cast<int64_t>(b.type(v).shape.size()) - 1;
  return b.add("slice", {v},
               {{"axes", std::vector<int64_t>{axis}},
                {"starts", std::vector<int64_t>{from}},
                {"ends", std::vector<int64_t>{to}},
                {"steps", std::vector<int64_t>{1}}});
}

// Sums and normalisations

ValueId expand_sum(Builder& b, const OpInstance&, Values in) { return b.add("add", {in[0], in[1]}); }

ValueId expand_sum_layer_norm(Builder& b, const OpInstance& op, Values in) {
  std::vector<ValueId> operands = {b.add("sum", {in[0], in[1]})};
  operands.insert(operands.end(), in.begin() + 2, in.end());
  return b.add("layer_norm", operands, {{"axis", op.i("axis")}, {"epsilon", op.f("epsilon")}});
}

ValueId expand_skip(Builder& b, const OpInstance& op, Values in, const char* norm) {
  const ValueId sum = b.add("add", {in[0], in[1]});
  std::vector<ValueId> operands = {sum};
  operands.insert(operands.end(), in.begin() + 2, in.end());
  const ValueId normal = b.add(norm, operands, {{"axis", int64_t{2}}, {"epsilon", op.f("epsilon")}});
  return b.add("tuple", {normal, sum});
}
ValueId expand_skip_layer_norm(Builder& b, const OpInstance& op, Values in) {
  return expand_skip(b, op, in, "layer_norm");
}
ValueId expand_skip_rms_norm(Builder& b, const OpInstance& op, Values in) {
  return expand_skip(b, op, in, "rms_norm");
}
std::string check_skip(const OpInstance& op) { return check_ranks(op, 0, 2, 3); }

/// Outputs 1 and 2 are for training.
Spelling skip(const char* name) {
  Spelling spelling = said(contrib(name), {{.ours = "epsilon", .unsaid = static_cast<double>(1e-12F)}});
  spelling.results = {0, 3};
  return spelling;
}

void add_sums(OpTable& table) {
  OpDef sum =
      composite("sum", 2, {}, "x + y, as ONNX's Sum: runtimes fuse Add with its neighbours, this not.", {},
                expand_sum, nothing);
  sum.spellings = {typed(onnx_irregular("Sum", 6), floats_bfloat_since(13))};
  sum.range = RangeKind::kAdd;
  table.add(std::move(sum));
  constexpr float kEpsilon = 1e-5f;
  table.add(
      composite("sum_layer_norm", 3, 4,
                "layer_norm(sum(x, y)): operands x, y, scale, optional bias. Two kernels where a runtime has "
                "a slow one for both.",
                {axis_attr(), float_attr("epsilon", kEpsilon)}, expand_sum_layer_norm, nothing));
  OpDef skip_layer_norm = composite(
      "skip_layer_norm", 4, {},
      "(layer_norm(x + skip), x + skip) along the last of three dimensions: operands x, skip, scale, "
      "bias.",
      {float_attr("epsilon", kEpsilon)}, expand_skip_layer_norm, check_skip);
  skip_layer_norm.spellings = {skip("SkipLayerNormalization")};
  table.add(std::move(skip_layer_norm));
  OpDef skip_rms_norm =
      composite("skip_rms_norm", 3, {},
                "(rms_norm(x + skip), x + skip) along the last of three dimensions: operands x, skip, scale.",
                {float_attr("epsilon", kEpsilon)}, expand_skip_rms_norm, check_skip);
  skip_rms_norm.spellings = {skip("SkipSimplifiedLayerNormalization")};
  table.add(std::move(skip_rms_norm));
}

// Products and convolutions

ValueId expand_fused_matmul(Builder& b, const OpInstance& op, Values in) {
  const auto operand = [&](ValueId v, const char* attr) {
    if (op.i(attr) == 0) return v;
    std::vector<int64_t> perm(b.type(v).shape.size());
    for (size_t i = 0; i < perm.size(); ++i) perm[i] = static_cast<int64_t>(i);
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    return transposed(b, v, perm);
  };
  const ValueId product = b.add("matmul", {operand(in[0], "trans_a"), operand(in[1], "trans_b")});
  return scaled(b, product, op.f("alpha"));
}
std::string check_fused_matmul(const OpInstance& op) {
  for (size_t i = 0; i < 2; ++i)
    if (op.in_shape(i).size() < 2) return fmt::format("operand {}: expected rank 2 or more", i);
  return {};
}

ValueId expand_fused_conv(Builder& b, const OpInstance& op, Values in) {
  std::vector<ValueId> operands(in.begin(),
                                in.begin() + static_cast<ptrdiff_t>(std::min<size_t>(3, in.size())));
  ValueId out = b.add("conv", operands,
                      {{"strides", op.ints("strides")},
                       {"dilations", op.ints("dilations")},
                       {"pads", op.ints("pads")},
                       {"group", op.i("group")}});
  if (in.size() == 4) out = b.add("add", {out, in[3]});
  const std::string& activation = op.s("activation");
  if (activation == "leaky_relu") return b.add(activation, {out}, {{"alpha", op.f("alpha")}});
  if (activation == "hard_sigmoid")
    return b.add(activation, {out}, {{"alpha", op.f("alpha")}, {"beta", op.f("beta")}});
  if (activation == "clip") return b.add(activation, {out}, {{"min", op.f("alpha")}, {"max", op.f("beta")}});
  return b.add(activation, {out});
}
std::string check_fused_conv(const OpInstance& op) {
  const std::string& activation = op.s("activation");
  const bool one = activation == "leaky_relu", two = activation == "hard_sigmoid" || activation == "clip";
  if ((one || two) != op.has("alpha") || two != op.has("beta"))
    return "expected the numbers that " + activation + " has, no more and no less";
  return {};
}

void add_products(OpTable& table) {
  OpDef fused_matmul =
      composite("fused_matmul", 2, {},
                "alpha a b, the last two dimensions of an operand swapped where trans_a, trans_b say so.",
                {float_attr("alpha", 1.0f), int_attr("trans_a", 0), int_attr("trans_b", 0)},
                expand_fused_matmul, check_fused_matmul);
  fused_matmul.spellings = {
      said(contrib("FusedMatMul"), {{.ours = "alpha"},
                                    {.ours = "trans_a", .name = "transA"},
                                    {.ours = "trans_b", .name = "transB"},
                                    {.name = "transBatchA", .unsaid = 0, .why = "it moves batches"},
                                    {.name = "transBatchB", .unsaid = 0, .why = "it moves batches"}})};
  table.add(std::move(fused_matmul));
  OpDef fused_conv = composite(
      "fused_conv", 2, 4,
      "activation(conv(x, w, optional bias) + optional summand). leaky_relu has alpha, "
      "hard_sigmoid alpha and "
      "beta, clip its bounds in these.",
      {ints_attr("strides", AttrRole::kStrides), ints_attr("dilations", AttrRole::kDilations),
       ints_attr("pads", AttrRole::kWindowPads), int_attr("group", 1, AttrRole::kGroups),
       string_attr("activation", {}, {"relu", "sigmoid", "tanh", "leaky_relu", "hard_sigmoid", "clip"}),
       optional_float_attr("alpha"), optional_float_attr("beta")},
      expand_fused_conv, check_fused_conv);
  fused_conv.spellings = {contrib_irregular("FusedConv")};
  fused_conv.images = fused_conv.windowed = true;
  table.add(std::move(fused_conv));
}

// Activations

ValueId expand_bias_gelu(Builder& b, const OpInstance& op, Values in) {
  const ValueId sum = b.add("add", {in[0], spread(b, in[1], b.type(in[0]).shape)});
  return b.add("gelu", {sum}, {{"approximate", op.s("approximate")}});
}
std::string check_bias_gelu(const OpInstance& op) {
  if (op.in_shape(0).empty()) return "operand 0: expected a dimension for the bias";
  return check_shape(op, 1, {op.in_shape(0).back()});
}

ValueId expand_quick_gelu(Builder& b, const OpInstance& op, Values in) {
  return b.add("mul", {in[0], b.add("sigmoid", {scaled(b, in[0], op.f("alpha"))})});
}

void add_activations(OpTable& table) {
  OpDef bias_gelu = composite("bias_gelu", 2, {}, "gelu(x + bias), bias along the last dimension.",
                              {gelu_form()}, expand_bias_gelu, check_bias_gelu);
  bias_gelu.spellings = {said(contrib("BiasGelu"), {{.ours = "approximate", .implied = "none"}}),
                         said(contrib("FastGelu"), {{.ours = "approximate", .implied = "tanh"}})};
  table.add(std::move(bias_gelu));
  OpDef quick_gelu = composite("quick_gelu", 1, {}, "x sigmoid(alpha x) (Hendrycks, Gimpel 2016).",
                               {float_attr("alpha", 1.702f)}, expand_quick_gelu, nothing);
  quick_gelu.spellings = {contrib("QuickGelu")};
  table.add(std::move(quick_gelu));
}

// Attention (Vaswani et al. 2017) and rotary embedding (Su et al. 2021)

ValueId expand_attention(Builder& b, const OpInstance& op, Values in) {
  const ValueId scores =
      scaled(b, b.add("matmul", {in[0], transposed(b, in[1], {0, 1, 3, 2})}), op.f("scale"));
  const ValueId biased =
      in.size() == 3 ? scores : b.add("add", {scores, spread(b, in[3], b.type(scores).shape)});
  return b.add("matmul", {b.add("softmax", {biased}, {{"axis", int64_t{3}}}), in[2]});
}
std::string check_bias(const OpInstance& op, Dim queries, Dim keys) {
  if (op.inputs.size() < 4) return {};
  if (auto bad = check_rank(op, 3, 4); !bad.empty()) return bad;
  const Shape& bias = op.in_shape(3);
  return bias[2].same(queries) && bias[3].same(keys) ? "" : "operand 3: expected [.., queries, keys]";
}
std::string check_attention(const OpInstance& op) {
  if (auto bad = check_ranks(op, 0, 3, 4); !bad.empty()) return bad;
  return check_bias(op, op.in_shape(0)[2], op.in_shape(1)[2]);
}

ValueId expand_multi_head(Builder& b, const OpInstance& op, Values in) {
  const int64_t heads = op.i("heads");
  const auto apart = [&](ValueId v) {
    const int64_t width = dim(b, v, 2).size() / heads;
    return transposed(b, reshaped(b, v, {dim(b, v, 0), dim(b, v, 1), Dim(heads), Dim(width)}), {0, 2, 1, 3});
  };
  std::vector<ValueId> operands = {apart(in[0]), apart(in[1]), apart(in[2])};
  operands.insert(operands.end(), in.begin() + 3, in.end());
  const ValueId out = transposed(b, b.add("attention", operands, {{"scale", op.f("scale")}}), {0, 2, 1, 3});
  return reshaped(b, out, {dim(b, in[0], 0), dim(b, in[0], 1), dim(b, in[2], 2)});
}
std::string check_multi_head(const OpInstance& op) {
  if (auto bad = check_ranks(op, 0, 3, 3); !bad.empty()) return bad;
  for (size_t i = 0; i < 3; ++i) {
    const Dim width = op.in_shape(i)[2];
    if (op.i("heads") < 1 || !width.is_static() || width.size() % op.i("heads") != 0)
      return fmt::format("operand {}: expected a width that {} heads divide", i, op.i("heads"));
  }
  return check_bias(op, op.in_shape(0)[1], op.in_shape(1)[1]);
}

ValueId expand_rotary(Builder& b, const OpInstance& op, Values in) {
  const Shape whole = b.type(in[0]).shape;
  const int64_t half = whole[3].size() / 2;
  const Shape halved = {whole[0], whole[1], whole[2], Dim(half)};
  const auto of_heads = [&](ValueId v) {
    return spread(b, b.add("unsqueeze", {v}, {{"axes", std::vector<int64_t>{1}}}), halved);
  };
  const ValueId cosine = of_heads(in[1]), sine = of_heads(in[2]);
  const bool interleaved = op.i("interleaved") != 0;
  ValueId real, imaginary;
  if (interleaved) {
    const ValueId pairs = reshaped(b, in[0], {whole[0], whole[1], whole[2], Dim(half), Dim(2)});
    real = reshaped(b, part(b, pairs, 0, 1), halved);
    imaginary = reshaped(b, part(b, pairs, 1, 2), halved);
  } else {
    real = part(b, in[0], 0, half);
    imaginary = part(b, in[0], half, 2 * half);
  }
  const auto times = [&](ValueId x, ValueId y) { return b.add("mul", {x, y}); };
  ValueId left = b.add("sub", {times(real, cosine), times(imaginary, sine)});
  ValueId right = b.add("add", {times(imaginary, cosine), times(real, sine)});
  if (!interleaved) return b.add("concat", {left, right}, {{"axis", int64_t{3}}});
  const Shape pair = {whole[0], whole[1], whole[2], Dim(half), Dim(1)};
  left = reshaped(b, left, pair);
  right = reshaped(b, right, pair);
  return reshaped(b, b.add("concat", {left, right}, {{"axis", int64_t{4}}}), whole);
}
std::string check_rotary(const OpInstance& op) {
  if (auto bad = check_rank(op, 0, 4); !bad.empty()) return bad;
  const Shape& x = op.in_shape(0);
  if (!x[3].is_static() || x[3].size() % 2 != 0) return "operand 0: expected a last dimension of even size";
  for (size_t i = 1; i < 3; ++i)
    if (auto bad = check_shape(op, i, {x[0], x[2], Dim(x[3].size() / 2)}); !bad.empty()) return bad;
  return {};
}

void add_attention(OpTable& table) {
  OpDef attention =
      composite("attention", 3, 4,
                "softmax(scale q k' + bias) v: q [B, H, S, D], k [B, H, T, D], v [B, H, T, E], optional "
                "bias [B or 1, H or 1, S, T].",
                {float_attr("scale", 1.0f)}, expand_attention, check_attention);
  attention.spellings = {typed(onnx_irregular("Attention", 23), {{23, kOnnxFloats}})};
  table.add(std::move(attention));
  OpDef multi_head =
      composite("multi_head_attention", 3, 4,
                "`attention` over heads that lie side by side: q [B, S, H D], k [B, T, H D], v [B, T, H E], "
                "optional bias [B or 1, H or 1, S, T].",
                {int_attr("heads"), float_attr("scale", 1.0f)}, expand_multi_head, check_multi_head);
  multi_head.spellings = {typed(onnx_irregular("Attention", 23), {{23, kOnnxFloats}}),
                          contrib_irregular("MultiHeadAttention")};
  table.add(std::move(multi_head));
  OpDef rotary =
      composite("rotary_embedding", 3, {},
                "The pairs (x1, x2) of the last dimension's halves (interleaved: of neighbours) turned: "
                "(x1 cos - x2 sin, x2 cos + x1 sin). x [B, H, S, D], cos and sin [B, S, D / 2].",
                {int_attr("interleaved", 0)}, expand_rotary, check_rotary);
  rotary.spellings = {
      said(typed(onnx("RotaryEmbedding", 23), {{23, kOnnxBFloats}}),
           {{.ours = "interleaved"},
            {.name = "rotary_embedding_dim", .unsaid = 0, .why = "it turns a part of its operand"},
            {.name = "num_heads"}})};
  table.add(std::move(rotary));
}

}  // namespace

void register_fusion(OpTable& table) {
  add_sums(table);
  add_products(table);
  add_activations(table);
  add_attention(table);
}

}  // namespace isomer::ir::ops
