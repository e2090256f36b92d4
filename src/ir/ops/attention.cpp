// Attention as ONNX's operator has it in full: masks of any rank, causal or within a window, keys and values
// of earlier steps, groups of heads that share keys, scores held by a tanh; and a convolution of a sequence
// that keeps its last steps for the next call. What `attention` and `multi_head_attention` (fusion.cpp) say
// is read as those.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "ir/op_table.h"
#include "ir/ops/composed.h"
#include "ir/ops/families.h"
#include "ir/ops/given.h"

namespace isomer::ir::ops {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

enum Input : int64_t { kQuery, kKey, kValue, kMask, kPastKey, kPastValue, kLengths };

bool has_input(const OpInstance& op, int64_t input) { return operand_of(op, input) >= 0; }

/// [B, S, H D] to [B, H, S, D].
ValueId apart(Compose& c, ValueId v, int64_t heads) {
  if (c.rank(v) == 4 || heads < 1) return v;
  const Shape& shape = c.shape(v);
  const Shape split = {shape[0], shape[1], Dim(heads), Dim(c.size(v, 2) / heads)};
  return c.transpose(c.reshape(v, split), {0, 2, 1, 3});
}

/// Each head `times` times, one after the other.
ValueId repeated(Compose& c, ValueId v, int64_t times) {
  if (times == 1) return v;
  return c.call("upsample", {v}, {{"factors", std::vector<int64_t>{1, times, 1, 1}}});
}

class Attention {
 public:
  Attention(Builder& b, const OpInstance& op, Values in) : c_(b), op_(op), in_(in) {}

  ValueId expand() {
    const int64_t query_heads = op_.i("q_heads"), key_heads = op_.i("kv_heads");
    const bool flat = c_.rank(in_[0]) == 3;
    ValueId query = apart(c_, in_[kQuery], query_heads);
    const ValueId key = with_past(apart(c_, in_[kKey], key_heads), kPastKey);
    const ValueId value = with_past(apart(c_, in_[kValue], key_heads), kPastValue);
    const DType dtype = c_.dtype(query);
    queries_ = c_.size(query, 2);
    keys_ = c_.size(key, 2);
    const int64_t shared = std::max<int64_t>(1, c_.size(query, 1) / std::max<int64_t>(1, c_.size(key, 1)));
    const double scale =
        op_.has("scale") ? op_.f("scale") : 1 / std::sqrt(static_cast<double>(c_.size(query, 3)));
    query = c_.with("mul", query, std::sqrt(scale));
    const ValueId scaled_key = c_.with("mul", repeated(c_, key, shared), std::sqrt(scale));
    ValueId scores = c_.call("matmul", {query, c_.transpose_matrix(scaled_key)});
    std::array<ValueId, 4> shown = {scores, {}, {}, {}};
    if (op_.f("softcap") != 0) {
      const ValueId bent = c_.call("tanh", {c_.with("div", scores, op_.f("softcap"))});
      scores = c_.with("mul", bent, op_.f("softcap"));
    }
    shown[1] = scores;
    const ValueId bias = biases(dtype);
    if (bias.valid()) scores = c_.both("add", scores, bias);
    shown[2] = scores;
    const auto precision = static_cast<DType>(op_.i("softmax_precision"));
    const ValueId wide = precision == DType::kUndefined ? scores : c_.cast(scores, precision);
    ValueId weights = c_.cast(c_.call("softmax", {wide}, {{"axis", int64_t{3}}}), dtype);
    if (bias.valid()) {
      const ValueId most = c_.reduce("reduce_max", bias, {c_.rank(bias) - 1});
      weights = c_.where(c_.with("equal", most, kNever), filled(c_.builder(), dtype, 0, {}), weights);
    }
    shown[3] = weights;
    ValueId out = c_.call("matmul", {weights, repeated(c_, value, shared)});
    if (flat) {
      out = c_.transpose(out, {0, 2, 1, 3});
      const Shape shape = c_.shape(out);
      out = c_.reshape(out, {shape[0], shape[1], Dim(c_.size(out, 2) * c_.size(out, 3))});
    }
    return c_.call("tuple", {out, key, value, shown[static_cast<size_t>(op_.i("qk_output"))]});
  }

 private:
  ValueId with_past(ValueId v, int64_t input) {
    const ValueId past = operand_of(op_, in_, input);
    return past.valid() ? c_.concat({past, v}, 2) : v;
  }

  /// 0 where it is allowed, minus infinity where not.
  ValueId allowed(ValueId condition, DType dtype) {
    return c_.where(condition, filled(c_.builder(), dtype, 0, {}), filled(c_.builder(), dtype, kNever, {}));
  }

  ValueId sum(ValueId a, ValueId b) { return a.valid() ? c_.both("add", a, b) : b; }

  /// The mask as a bias, for keys beyond it minus infinity.
  ValueId mask(DType dtype) {
    ValueId mask = operand_of(op_, in_, kMask);
    if (c_.dtype(mask) == DType::kBool) mask = allowed(mask, dtype);
    const int64_t axis = c_.rank(mask) - 1, lacking = keys_ - c_.size(mask, axis);
    if (lacking <= 0) return mask;
    Shape rest = c_.shape(mask);
    rest.back() = Dim(lacking);
    return c_.concat({mask, filled(c_.builder(), dtype, kNever, rest)}, axis);
  }

  /// Place of a query less that of a key, both in the whole sequence.
  ValueId distance() {
    ValueId query = c_.count_along(DType::kI64, queries_, 0, 2);
    const ValueId key = c_.count_along(DType::kI64, keys_, 1, 2);
    if (has_input(op_, kPastKey)) {
      query = c_.with("add", query, static_cast<double>(c_.size(operand_of(op_, in_, kPastKey), 2)));
    } else if (has_input(op_, kLengths)) {
      const ValueId offset =
          c_.with("sub", c_.cast(operand_of(op_, in_, kLengths), DType::kI64), static_cast<double>(queries_));
      query = c_.both("add", query, c_.unsqueeze(offset, {1, 2, 3}));
    }
    return c_.both("sub", query, key);
  }

  ValueId biases(DType dtype) {
    ValueId bias;
    if (has_input(op_, kMask)) bias = mask(dtype);
    const int64_t left = op_.i("left_window"), right = op_.i("right_window");
    const ValueId zero = c_.constant(DType::kI64, {}, {0.0});
    const auto at_most = [&](ValueId x, int64_t bound) {
      return allowed(c_.with("less_equal", x, static_cast<double>(bound)), dtype);
    };
    if (op_.i("is_causal") != 0) bias = sum(bias, at_most(c_.both("sub", zero, distance()), 0));
    if (left >= 0) bias = sum(bias, at_most(distance(), left));
    if (right >= 0) bias = sum(bias, at_most(c_.both("sub", zero, distance()), right));
    if (has_input(op_, kLengths)) {
      const ValueId length = c_.unsqueeze(c_.cast(operand_of(op_, in_, kLengths), DType::kI64), {1, 2, 3});
      const ValueId there = c_.both("less", c_.count_along(DType::kI64, keys_, 3, 4), length);
      bias = sum(bias, allowed(there, dtype));
    }
    return bias;
  }

  Compose c_;
  const OpInstance& op_;
  Values in_;
  int64_t queries_ = 0, keys_ = 0;
};

std::string check_heads(const OpInstance& op) {
  const size_t rank = op.in_shape(0).size();
  if (rank != 3 && rank != 4)
    return "operand 0: expected rank 3 or 4, got " + print_shape(op.ctx, op.in_shape(0));
  for (size_t i = 0; i < 3; ++i) {
    if (auto bad = check_rank(op, i, rank); !bad.empty()) return bad;
    if (op.in_dtype(i) != op.in_dtype(0))
      return fmt::format("operand {}: expected {}, got {}", i, name(op.in_dtype(0)), name(op.in_dtype(i)));
    const int64_t heads = op.i(i == 0 ? "q_heads" : "kv_heads");
    const Shape& shape = op.in_shape(i);
    if (rank == 4 && heads == 0) continue;
    const Dim held = rank == 4 ? shape[1] : shape[2];
    const bool fits =
        heads > 0 && held.is_static() && (rank == 4 ? held.size() == heads : held.size() % heads == 0);
    if (!fits)
      return fmt::format("operand {}: expected {} heads, got {}", i, heads, print_shape(op.ctx, shape));
  }
  return {};
}

std::string check_attention(const OpInstance& op) {
  if (auto bad = check_given(op, 3, kLengths); !bad.empty()) return bad;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    for (Dim d : op.in_shape(i))
      if (!d.is_static()) return fmt::format("operand {}: expected known sizes", i);
  if (auto bad = check_operand(op, 0, Takes::kFloats); !bad.empty()) return bad;
  if (has_input(op, kPastKey) != has_input(op, kPastValue))
    return "expected past keys and past values, or neither";
  if (op.i("qk_output") < 0 || op.i("qk_output") > 3)
    return fmt::format("expected qk_output of 0 to 3, got {}", op.i("qk_output"));
  for (const char* window : {"left_window", "right_window"})
    if (op.i(window) < -1) return fmt::format("expected {} of at least -1, got {}", window, op.i(window));
  if (op.has("scale") && !(op.f("scale") >= 0)) return "expected a scale of at least 0";
  return check_heads(op);
}

OpDef full_attention() {
  OpDef def = composed(
      "full_attention", 3, 7,
      "softmax(scale q k' + bias) v, the keys and values behind those of earlier steps, and what was made of "
      "the scores (qk_output: the products, held by softcap, with the bias, the weights). Operands q, k, v "
      "([B, "
      "H, S, D] or, with q_heads and kv_heads, [B, S, H D]), mask (bools or a bias), past keys, past values, "
      "how many keys of each batch count; `given`: which of the seven there are. The bias is the mask, "
      "causal, "
      "and of a window (-1: none). A query that may see nothing has weights of 0.",
      {ints_attr("given"), int_attr("q_heads", 0), int_attr("kv_heads", 0), optional_float_attr("scale"),
       int_attr("is_causal", 0), float_attr("softcap", 0.0f), int_attr("qk_output", 0),
       int_attr("softmax_precision", 0, AttrRole::kDType), int_attr("left_window", -1),
       int_attr("right_window", -1)},
      check_attention,
      [](Builder& b, const OpInstance& op, Values in) { return Attention(b, op, in).expand(); });
  Spelling spelling =
      said(typed(onnx("Attention", 23), {{23, kOnnxBFloats}}),
           {{.ours = "given", .rule = Unsaid::kPresent},
            {.ours = "q_heads", .name = "q_num_heads", .quiet = true},
            {.ours = "kv_heads", .name = "kv_num_heads", .quiet = true},
            {.ours = "is_causal", .quiet = true},
            {.ours = "softcap", .quiet = true},
            {.ours = "qk_output", .name = "qk_matmul_output_mode", .quiet = true},
            {.ours = "softmax_precision", .quiet = true},
            {.ours = "left_window", .name = "left_window_size", .since = 25, .quiet = true},
            {.ours = "right_window", .name = "right_window_size", .since = 25, .quiet = true}});
  spelling.results = {0, 1, 2, 3};
  def.spellings = {std::move(spelling)};
  return def;
}

ValueId expand_causal_conv(Builder& b, const OpInstance& op, Values in) {
  Compose c(b);
  const ValueId bias = operand_of(op, in, 2), past = operand_of(op, in, 3);
  const int64_t kept = c.size(in[1], 2) - 1;
  Shape before = c.shape(in[0]);
  before[2] = Dim(kept);
  const ValueId earlier = past.valid() ? past : filled(b, c.dtype(in[0]), 0, before);
  const ValueId all = kept > 0 ? c.concat({earlier, in[0]}, 2) : in[0];
  std::vector<ValueId> operands = {all, in[1]};
  if (bias.valid()) operands.push_back(bias);
  ValueId out = c.call("conv", operands,
                       {{"strides", std::vector<int64_t>{1}},
                        {"dilations", std::vector<int64_t>{1}},
                        {"pads", std::vector<int64_t>{0, 0}},
                        {"group", c.size(in[0], 1)}});
  if (op.s("activation") != "none") out = c.call("silu", {out});
  const int64_t steps = c.size(all, 2);
  return c.call("tuple", {out, c.slice(all, 2, steps - kept, steps)});
}

OpDef causal_conv() {
  OpDef def = composed(
      "causal_conv", 2, 4,
      "A pair: the depthwise convolution of x [B, C, S] with w [C, 1, K] over each step and the K - 1 before "
      "it, and the last K - 1 steps. Operands x, w, optional bias [C], steps before x (else 0); `given`: "
      "which "
      "of the four there are.",
      {ints_attr("given"), string_attr("activation", "none", {"none", "silu", "swish"})},
      [](const OpInstance& op) {
        if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return bad;
        if (auto bad = check_given(op, 2, 3); !bad.empty()) return bad;
        for (size_t i : {0, 1}) {
          if (auto bad = check_rank(op, i, 3); !bad.empty()) return bad;
          for (Dim d : op.in_shape(i))
            if (!d.is_static()) return fmt::format("operand {}: expected known sizes", i);
        }
        return std::string();
      },
      expand_causal_conv);
  Spelling spelling =
      said(typed(onnx("CausalConvWithState", 27), {{27, kOnnxBFloats}}),
           {{.ours = "given", .rule = Unsaid::kPresent}, {.ours = "activation", .quiet = true}});
  spelling.results = {0, 1};
  def.spellings = {std::move(spelling)};
  return def;
}

}  // namespace

void register_attention(OpTable& table) {
  table.add(full_attention());
  table.add(causal_conv());
}

}  // namespace isomer::ir::ops
