// Copies on the same activations would be merged by a runtime that shares equal subexpressions: those without
// weights rely on the worker to switch that off, or have inputs of their own. Convolutions and pools are
// summed up instead of being outputs each: ONNX Runtime keeps the sum in its blocked layout, and adds within
// the convolution, so that a copy brings no conversion of its own.
#include "runtime/micro_model.h"

#include <fmt/format.h>

#include "cost/flops.h"
#include "cost/nominal.h"
#include "cost/runtime_fusion.h"
#include "formats/onnx.h"
#include "formats/onnx_opaque.h"
#include "ir/attempt.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "support/errors.h"

namespace isomer::runtime {
namespace {

using ir::TypeId;
using ir::ValueId;

bool is_plain(const ir::Context& ctx, TypeId type) {
  return ctx.get(type).is_static_tensor() && ctx.get(type).dtype != ir::DType::kString &&
         ir::element_count(ctx.get(type).shape) > 0;
}

}  // namespace

MeasuredOperator::MeasuredOperator(const cost::NodeCostQuery& query) : ctx_(query.op.ctx), op_(query.op.op) {
  const cost::NominalInstance nominal(query.op, cost::kNominalSize);
  attrs_.assign(nominal.op().attrs.begin(), nominal.op().attrs.end());
  inputs_.assign(nominal.op().inputs.begin(), nominal.op().inputs.end());
  operands_.assign(query.operands.begin(), query.operands.end());
  operands_.resize(inputs_.size());
  output_ = nominal.op().output;
  with_sum_ = cost::takes_sum(query);
}

TypeId MeasuredOperator::narrow(size_t operand) const {
  const TypeId narrow = operands_[operand].narrow;
  // Not with symbols: the operand has numbers in their place.
  return narrow.valid() && ctx_.get(narrow).is_static_tensor() ? narrow : inputs_[operand];
}

std::string MeasuredOperator::signature() const {
  std::string out = op_.name;
  std::string attrs;
  for (size_t i = 0; i < attrs_.size(); ++i)
    if (attrs_[i].valid())
      attrs += (attrs.empty() ? "" : ",") + op_.attrs[i].name + "=" + ir::print(ctx_, attrs_[i]);
  if (!attrs.empty()) out += "{" + attrs + "}";
  for (size_t i = 0; i < inputs_.size(); ++i)
    out += (i ? ", " : "(") + ir::print(ctx_, narrow(i)) + (operands_[i].weight ? "!" : "") +
           (with_sum_ && i == 0 ? "+" : "");
  out += ")";
  // The result's shape follows from the operands' unless broadcasts were looked through.
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (narrow(i) != inputs_[i]) return out + " -> " + ir::print(ctx_, output_);
  return out;
}

uint64_t MeasuredOperator::weight_bytes() const { return weight_bytes(false); }

uint64_t MeasuredOperator::held_weight_bytes() const {
  return weight_bytes(op_.kind != ir::MeaningKind::kPointwise);
}

uint64_t MeasuredOperator::weight_bytes(bool spread) const {
  uint64_t sum = 0;
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (const ir::Type& type = ctx_.get(spread ? inputs_[i] : narrow(i));
        operands_[i].weight && type.is_static_tensor())
      sum += static_cast<uint64_t>(ir::byte_size(type.dtype, ir::element_count(type.shape)));
  return sum;
}

bool MeasuredOperator::can_be_measured(const formats::Dialect& dialect) const {
  if (op_.kind == ir::MeaningKind::kOpaque || op_.has_region()) return false;
  for (TypeId input : inputs_)
    if (!is_plain(ctx_, input)) return false;
  const ir::Type& result = ctx_.get(output_);
  for (TypeId element : result.elements)
    if (!is_plain(ctx_, element)) return false;
  if (result.elements.empty() && !is_plain(ctx_, output_)) return false;
  // Nominal sizes need not fit together, nor can each opset say everything.
  std::vector<Weight> weights;
  const std::optional<ir::Graph> one = graph(1, 1, Apart::kNo, weights);
  return one && formats::unspellable(*one, dialect).empty();
}

std::optional<ir::Graph> MeasuredOperator::graph(int copies, int distinct, Apart apart,
                                                 std::vector<Weight>& weights) const {
  ir::Builder builder(ctx_, "cost");
  const ir::Attempt attempt(builder);
  const auto widen = [&](ValueId v, size_t operand) {
    if (builder.type_id(v) == inputs_[operand]) return v;
    return builder.add("broadcast", {v}, {{"shape", ctx_.get(inputs_[operand]).shape}});
  };
  // Their own layout is made of a shared input once; they differ by their weights then, if none has
  // another's.
  const bool on_shared = apart != Apart::kNo && op_.windowed && weight_bytes() > 0;
  const bool own_inputs = apart != Apart::kNo && !on_shared;
  if (on_shared) distinct = copies;
  const auto activations = [&](const std::string& copy) {
    std::vector<ValueId> out(inputs_.size());
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (!operands_[i].weight) out[i] = widen(builder.input(fmt::format("x{}{}", i, copy), narrow(i)), i);
    return out;
  };
  const std::vector<ValueId> shared = own_inputs ? std::vector<ValueId>() : activations("");
  const ValueId summand = with_sum_ ? builder.input("summand", inputs_[0]) : ValueId();
  std::vector<ValueId> outputs;
  std::vector<std::vector<ValueId>> of_weights;
  const ir::PayloadId payload = ctx_.intern(std::span(attrs_));
  const ir::OpId id = ctx_.ops().at(op_.name);
  for (int copy = 0; copy < copies; ++copy) {
    std::vector<ValueId> operands = own_inputs ? activations(fmt::format(".{}", copy)) : shared;
    std::vector<ValueId> own = copy < distinct ? std::vector<ValueId>(inputs_.size())
                                               : of_weights[static_cast<size_t>(copy % distinct)];
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (operands[i].valid()) continue;
      if (!own[i].valid()) {
        const ir::Type& type = ctx_.get(narrow(i));
        const std::string& name =
            weights.emplace_back(fmt::format("w{}_{}", i, copy), type.dtype, ir::sizes(type.shape)).name;
        own[i] = widen(apart == Apart::kWeights ? builder.input(name, narrow(i))
                                                : formats::add_absent_weight(builder, name, narrow(i)),
                       i);
      }
      operands[i] = own[i];
    }
    if (copy < distinct) of_weights.push_back(std::move(own));
    if (with_sum_) operands[0] = builder.add("add", {operands[0], summand});
    const ValueId result = builder.add_typed(id, payload, operands, output_);
    const size_t elements = ctx_.get(output_).elements.size();
    for (size_t e = 0; e < elements; ++e) outputs.push_back(builder.get(result, static_cast<int64_t>(e)));
    if (elements > 0) continue;
    if (op_.windowed && !outputs.empty())
      outputs[0] = builder.add("add", {outputs[0], result});
    else
      outputs.push_back(result);
  }
  if (!attempt) return std::nullopt;
  return builder.finish(outputs);
}

MeasuredOperator::Model MeasuredOperator::model(int copies, int distinct, const formats::Dialect& dialect,
                                                Apart apart) const {
  Model out;
  const std::optional<ir::Graph> of = graph(copies, distinct, apart, out.weights);
  REQUIRE(of, "an operator at sizes that do not fit together");
  out.onnx =
      formats::write_onnx_bytes(*of, *formats::OnnxEnvelope::plain(*of, dialect.opset), dialect.contrib);
  return out;
}

}  // namespace isomer::runtime
