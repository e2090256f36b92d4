// Attention without softmax, whose keys and values are kept in a state that each step updates (linear:
// Katharopoulos et al. 2020; with a delta rule: Schlag et al. 2021; gated: Yang et al. 2024). A step is a
// region of ordinary operators; that it is repeated makes the operator procedural.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "ir/op_table.h"
#include "ir/ops/composed.h"
#include "ir/ops/families.h"
#include "ir/ops/given.h"

namespace isomer::ir::ops {
namespace {

using Handle = Workspace::Handle;
using Handles = std::vector<Handle>;

enum Input : int64_t { kQuery, kKey, kValue, kPast, kDecay, kBeta };

bool gates(const OpInstance& op) { return op.s("rule").starts_with("gated"); }
bool corrects(const OpInstance& op) { return op.s("rule").ends_with("delta"); }

/// [batch, key heads, width of keys, width of values]
Shape state_shape(const OpInstance& op) {
  const int64_t heads = op.i("kv_heads");
  return {op.in_shape(0)[0], Dim(heads), Dim(op.in_shape(kKey)[2].size() / heads),
          Dim(op.in_shape(kValue)[2].size() / heads)};
}

std::string check_sequences(const OpInstance& op) {
  const int64_t queries = op.i("q_heads"), keys = op.i("kv_heads");
  if (keys < 1 || queries < keys || queries % keys != 0)
    return fmt::format("expected heads of queries that those of keys divide, got {} and {}", queries, keys);
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.ints("given")[i] == kPast) continue;
    if (auto bad = check_rank(op, i, 3); !bad.empty()) return bad;
    for (Dim d : op.in_shape(i))
      if (!d.is_static() || d.size() < 1) return fmt::format("operand {}: expected known sizes above 0", i);
    for (size_t axis : {0, 1})
      if (op.in_shape(i)[axis] != op.in_shape(0)[axis])
        return fmt::format("operand {}: expected the batches and steps of operand 0", i);
  }
  if (op.in_shape(0)[2].size() % queries != 0) return "operand 0: expected a width that its heads divide";
  const int64_t width = op.in_shape(0)[2].size() / queries;
  if (op.in_shape(1)[2].size() != width * keys)
    return "operand 1: expected heads as wide as those of queries";
  if (op.in_shape(2)[2].size() % keys != 0) return "operand 2: expected a width that its heads divide";
  const int decay = operand_of(op, kDecay), beta = operand_of(op, kBeta);
  const auto last = [&](int at) { return op.in_shape(static_cast<size_t>(at))[2].size(); };
  if (decay >= 0 && last(decay) != keys && last(decay) != keys * width)
    return fmt::format("operand {}: expected a number for each head or each of its keys", decay);
  if (beta >= 0 && last(beta) != keys && last(beta) != 1)
    return fmt::format("operand {}: expected a number for each head, or one", beta);
  return {};
}

std::string check_linear_attention(const OpInstance& op) {
  if (auto bad = check_given(op, 3, kBeta); !bad.empty()) return bad;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (auto bad = check_operand(op, i, Takes::kFloats); !bad.empty()) return bad;
  if (gates(op) != (operand_of(op, kDecay) >= 0)) return "expected decays where it is gated, and only there";
  if (corrects(op) != (operand_of(op, kBeta) >= 0))
    return "expected betas where its rule has a delta, and only there";
  if (auto bad = check_sequences(op); !bad.empty()) return bad;
  const int past = operand_of(op, kPast);
  return past < 0 ? "" : check_shape(op, static_cast<size_t>(past), state_shape(op));
}

/// The region of one step, of [B, 1, ..] of each operand but the past, and the state (f32): the next state
/// and the output [B, 1, ..].
RegionId step_of(const OpInstance& op) {
  Builder b(op.ctx);
  Compose c(b);
  const int64_t queries = op.i("q_heads"), keys = op.i("kv_heads");
  std::vector<ValueId> inputs(6);
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const int64_t input = op.ints("given")[i];
    if (input == kPast) continue;
    Shape shape = op.in_shape(i);
    shape[1] = Dim(1);
    inputs[static_cast<size_t>(input)] = b.input("", op.ctx.tensor_type(op.in_dtype(i), shape));
  }
  const ValueId before = b.input("", op.ctx.tensor_type(DType::kF32, state_shape(op)));
  /// [B, H, W], in f32
  const auto heads = [&](int64_t input, int64_t count) {
    const ValueId v = inputs[static_cast<size_t>(input)];
    return c.cast(c.reshape(v, {c.shape(v)[0], Dim(count), Dim(c.size(v, 2) / count)}), DType::kF32);
  };
  const ValueId key = heads(kKey, keys);
  ValueId value = heads(kValue, keys), state = before;
  if (gates(op)) state = c.both("mul", state, c.unsqueeze(c.call("exp", {heads(kDecay, keys)}), {3}));
  if (corrects(op)) {
    const ValueId known = c.call("einsum", {state, key}, {{"equation", std::string("bhdm,bhd->bhm")}});
    const ValueId beta = heads(kBeta, c.size(inputs[kBeta], 2));
    value = c.both("mul", c.call("sub", {value, known}), beta);
  }
  const ValueId outer = c.call("einsum", {key, value}, {{"equation", std::string("bhd,bhm->bhdm")}});
  state = c.call("add", {state, outer});
  const int64_t shared = queries / keys;
  const ValueId read =
      shared == 1 ? state : c.call("upsample", {state}, {{"factors", std::vector<int64_t>{1, shared, 1, 1}}});
  const double scale =
      op.f("scale") != 0 ? op.f("scale") : 1 / std::sqrt(static_cast<double>(c.size(key, 2)));
  ValueId out =
      c.call("einsum", {heads(kQuery, queries), read}, {{"equation", std::string("bhd,bhdm->bhm")}});
  out = c.cast(c.with("mul", out, scale), op.in_dtype(0));
  out = c.reshape(out, {c.shape(out)[0], Dim(1), Dim(c.size(out, 1) * c.size(out, 2))});
  return op.ctx.add(std::make_shared<const Graph>(b.finish({state, out})));
}

Handle applied(Workspace& work, const OpInstance& op, Builder& b, ValueId result, const Handles& in) {
  return work.apply(op.ctx.add(std::make_shared<const Graph>(b.finish({result}))), in)[0];
}

Handle first_state(Workspace& work, const OpInstance& op, std::span<const Handle> in) {
  Builder b(op.ctx);
  Compose c(b);
  const int past = operand_of(op, kPast);
  if (past < 0) return applied(work, op, b, filled(b, DType::kF32, 0, state_shape(op)), {});
  const ValueId v = b.input("", op.inputs[static_cast<size_t>(past)]);
  return applied(work, op, b, c.cast(v, DType::kF32), {in[static_cast<size_t>(past)]});
}

/// Step t of a sequence [B, T, ..].
Handle at_step(Workspace& work, const OpInstance& op, size_t operand, Handle from, int64_t t) {
  Shape shape = op.in_shape(operand);
  const int64_t batch = shape[0].size(), steps = shape[1].size(), width = shape[2].size();
  shape[1] = Dim(1);
  std::vector<int64_t> places;
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t i = 0; i < width; ++i) places.push_back((n * steps + t) * width + i);
  return work.picked(from, places, op.ctx.tensor_type(op.in_dtype(operand), shape));
}

Handles linear_attention(Workspace& work, const OpInstance& op, std::span<const Handle> in) {
  const RegionId step = step_of(op);
  Handle state = first_state(work, op, in);
  Handles shown;
  for (int64_t t = 0; t < op.in_shape(0)[1].size(); ++t) {
    work.check_time();
    Handles operands;
    for (size_t i = 0; i < in.size(); ++i)
      if (op.ints("given")[i] != kPast) operands.push_back(at_step(work, op, i, in[i], t));
    operands.push_back(state);
    const Handles next = work.apply(step, operands);
    state = next[0];
    shown.push_back(next[1]);
  }
  const auto& types = op.ctx.get(op.output).elements;
  Builder all(op.ctx), last(op.ctx);
  Shape shape = op.ctx.get(types[0]).shape;
  shape[1] = Dim(1);
  std::vector<ValueId> parts;
  for (size_t i = 0; i < shown.size(); ++i)
    parts.push_back(all.input("", op.ctx.tensor_type(op.in_dtype(0), shape)));
  const ValueId present = last.input("", op.ctx.tensor_type(DType::kF32, state_shape(op)));
  return {applied(work, op, all, Compose(all).concat(parts, 1), shown),
          applied(work, op, last, Compose(last).cast(present, op.ctx.get(types[1]).dtype), {state})};
}

}  // namespace

void register_linear_attention(OpTable& table) {
  OpDef def = operation(
      "linear_attention", MeaningKind::kProcedural, 3, 6,
      "A pair: scale q S of each step and the last state S, to which each step adds k v' once S has decayed "
      "and, "
      "with a delta rule, for beta (v - S' k) instead of v. Operands [B, S, ..]: q, k, v, state [B, H, D, "
      "E], "
      "decays (logarithms), betas; `given`: which of the six there are. A scale of 0 is 1 / sqrt(D).",
      {ints_attr("given"), int_attr("q_heads"), int_attr("kv_heads"),
       string_attr("rule", "gated_delta", {"linear", "gated", "delta", "gated_delta"}),
       float_attr("scale", 0.0f)});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_linear_attention(op); !bad.empty()) return Inferred::fail(bad);
    const Shape state = state_shape(op);
    const Shape out = {op.in_shape(0)[0], op.in_shape(0)[1], Dim(op.i("q_heads") * state[3].size())};
    const int past = operand_of(op, kPast);
    const DType kept = past < 0 ? op.in_dtype(0) : op.in_dtype(static_cast<size_t>(past));
    return Inferred::ok(op.ctx.intern(
        Type::tuple({op.ctx.tensor_type(op.in_dtype(0), out), op.ctx.tensor_type(kept, state)})));
  };
  def.procedure = linear_attention;
  def.steps = [](const OpInstance& op) {
    double out = 4 * static_cast<double>(op.in_shape(0)[1].size());
    for (Dim d : state_shape(op)) out *= static_cast<double>(d.size());
    return out;
  };
  Spelling spelling = said(typed(onnx("LinearAttention", 27), {{27, kOnnxBFloats}}),
                           {{.ours = "given", .rule = Unsaid::kPresent},
                            {.ours = "q_heads", .name = "q_num_heads"},
                            {.ours = "kv_heads", .name = "kv_num_heads"},
                            {.ours = "rule", .name = "update_rule"},
                            {.ours = "scale", .quiet = true},
                            {.name = "chunk_size"}});
  spelling.results = {0, 1};
  def.spellings = {std::move(spelling)};
  table.add(std::move(def));
}

}  // namespace isomer::ir::ops
