// Losses that models are trained by: composites of gathers and reductions.
#include <fmt/format.h>

#include "ir/op_table.h"
#include "ir/ops/composed.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {
namespace {

AttrSpec reduction_attr() { return string_attr("reduction", "mean", {"none", "sum", "mean"}); }
AttrSpec ignored_attr() { return {.name = "ignore_index", .kind = AttrKind::kInt, .optional = true}; }

/// -weight[t] log_probability[t] of each target t; what is ignored weighs nothing.
ValueId loss_of(Compose& c, const OpInstance& op, ValueId probability, ValueId target, ValueId weight) {
  ValueId ignored, safe = c.cast(target, DType::kI64);
  if (op.has("ignore_index")) {
    ignored = c.with("equal", safe, static_cast<double>(op.i("ignore_index")));
    safe = c.where(ignored, filled(c.builder(), DType::kI64, 0, {}), safe);
  }
  const ValueId at = c.unsqueeze(safe, {1});
  ValueId picked = c.squeeze(c.call("gather_elements", {probability, at}, {{"axis", int64_t{1}}}), {1});
  ValueId each = weight.valid() ? c.call("gather", {weight, safe}, {{"axis", int64_t{0}}}) : ValueId();
  const ValueId zero = filled(c.builder(), c.dtype(probability), 0, {});
  if (ignored.valid()) {
    const ValueId counted_one =
        each.valid() ? each : filled(c.builder(), c.dtype(probability), 1, c.shape(picked));
    each = c.where(ignored, zero, counted_one);
    picked = c.where(ignored, zero, picked);  // whatever it is: 0 times infinity is not 0
  }
  ValueId loss = c.call("neg", {picked});
  if (each.valid()) loss = c.call("mul", {loss, each});
  const std::string& reduction = op.s("reduction");
  if (reduction == "none") return loss;
  if (reduction == "mean" && !each.valid()) return c.reduce_all("reduce_mean", loss);
  const ValueId sum = c.reduce_all("reduce_sum", loss);
  return reduction == "sum" ? sum : c.call("div", {sum, c.reduce_all("reduce_sum", each)});
}

std::string check_loss(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kFloats); !bad.empty()) return bad;
  const Shape& x = op.in_shape(0);
  if (x.size() < 2) return "operand 0: expected [N, C, ..], got " + print_shape(op.ctx, x);
  if (op.in_dtype(1) != DType::kI32 && op.in_dtype(1) != DType::kI64)
    return fmt::format("operand 1: expected i32 or i64, got {}", name(op.in_dtype(1)));
  Shape target = x;
  target.erase(target.begin() + 1);
  if (auto bad = check_shape(op, 1, target); !bad.empty()) return bad;
  return op.inputs.size() > 2 ? check_shape(op, 2, {x[1]}) : std::string();
}

}  // namespace

void register_loss(OpTable& table) {
  OpDef likelihood = composed(
      "nll_loss", 2, 3,
      "-weight[t] x[n, t, ..] for the target t of each n, ..; their sum or weighted mean. Operands x [N, C, "
      "..] (logarithms of probabilities), targets [N, ..], optional weights [C]; targets that are "
      "`ignore_index` count nothing.",
      {reduction_attr(), ignored_attr()}, check_loss, [](Builder& b, const OpInstance& op, Values in) {
        Compose c(b);
        return loss_of(c, op, in[0], in[1], in.size() > 2 ? in[2] : ValueId());
      });
  likelihood.spellings = {
      typed(onnx("NegativeLogLikelihoodLoss", 12), {{12, kOnnxFloats}, {22, kOnnxBFloats}})};
  likelihood.elements = {Elements::kAny, Elements::kIndices, Elements::kAny};
  table.add(std::move(likelihood));
  OpDef entropy = composed(
      "softmax_cross_entropy", 2, 3, "A pair: nll_loss of log_softmax(x) along dimension 1, and that.",
      {reduction_attr(), ignored_attr()}, check_loss, [](Builder& b, const OpInstance& op, Values in) {
        Compose c(b);
        const ValueId probability = c.call("log_softmax", {in[0]}, {{"axis", int64_t{1}}});
        const ValueId loss = loss_of(c, op, probability, in[1], in.size() > 2 ? in[2] : ValueId());
        return c.call("tuple", {loss, probability});
      });
  Spelling spelling = typed(onnx("SoftmaxCrossEntropyLoss", 12), floats_bfloat_since(13));
  spelling.results = {0, 1};
  entropy.spellings = {std::move(spelling)};
  entropy.elements = {Elements::kAny, Elements::kIndices, Elements::kAny};
  table.add(std::move(entropy));
}

}  // namespace isomer::ir::ops
