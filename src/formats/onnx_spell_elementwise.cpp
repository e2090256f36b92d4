// Pointwise operators whose ONNX form has bounds as inputs, any number of operands, or more than we know.
#include <onnx-ml.pb.h>

#include "formats/onnx_spell.h"
#include "formats/onnx_types.h"
#include "ir/constant_data.h"
#include "ir/op_table.h"

namespace isomer::formats {
namespace {

using ir::ValueId;

ValueId read_swish(NodeReader& r) {
  if (r.f("alpha", 1.0) != 1.0) return r.fail("alpha is not 1");
  return r.add("silu", {r.in(0)});
}
void write_swish(NodeWriter& w) { w.node("Swish", w.ins()); }

ValueId read_is_inf(NodeReader& r) {
  if (r.i("detect_negative", 1) != 1 || r.i("detect_positive", 1) != 1) return r.fail("it tells signs apart");
  return r.add("is_inf", {r.in(0)});
}
void write_is_inf(NodeWriter& w) { w.node("IsInf", w.ins()); }

/// Bounds are attributes up to opset 10, inputs afterwards. An attribute is a float32 whatever the elements
/// are: it stands for the value of theirs that is nearest.
ValueId read_clip(NodeReader& r) {
  const auto bound = [&](const char* name, size_t input) -> std::optional<double> {
    if (r.opset() < 11)
      return r.has_attr(name) ? std::optional(ir::round_to(r.dtype(0), r.f(name, 0))) : std::nullopt;
    if (!r.has(input)) return std::nullopt;
    const auto value = r.const_number(input);
    if (!value) r.fail("a bound is not constant");
    return value;
  };
  const auto low = bound("min", 1);
  const auto high = bound("max", 2);
  if (low && high) return r.add("clip", {r.in(0)}, {{"min", *low}, {"max", *high}});
  if (low) return r.add("clip", {r.in(0)}, {{"min", *low}});
  if (high) return r.add("clip", {r.in(0)}, {{"max", *high}});
  return r.add("clip", {r.in(0)});
}
void write_clip(NodeWriter& w) {
  const ir::OpInstance op = w.op();
  onnx::NodeProto& node = w.node("Clip", w.ins());
  for (const char* name : {"min", "max"}) {
    if (w.opset() < 11) {
      if (op.has(name)) set(node, name, op.f(name));
    } else if (op.has(name)) {
      node.add_input(w.scalar(w.result().dtype, op.f(name)));
    } else if (op.has("max")) {
      node.add_input("");
    }
  }
}

/// Conversions from and to the others (strings, 4 and 8-bit floats) round and saturate in ways of their own.
bool is_wide(ir::DType type) {
  return ir::bit_width(type) >= 8 && !(ir::is_float(type) && ir::bit_width(type) == 8);
}

ValueId read_cast(NodeReader& r) {
  if (r.i("saturate", 1) != 1) return r.fail("it does not saturate");
  if (r.s("round_mode", "up") != "up") return r.fail("it rounds otherwise");
  const std::optional<ir::DType> dtype = element_type(r.i("to", 0));
  r.shape(0);
  if (r.failed()) return {};
  if (!dtype) return r.fail("an element type that is not known");
  if (!is_wide(r.dtype(0)) || !is_wide(*dtype)) return r.fail("a narrow element type");
  return r.add("cast", {r.in(0)}, {{"to", static_cast<int64_t>(*dtype)}});
}

/// The slope broadcasts to the operand, never the other way.
ValueId read_prelu(NodeReader& r) {
  const ir::Shape shape = r.shape(0);
  return r.add("prelu", {r.in(0), r.broadcast(r.in(1), shape)});
}

/// Sum, Max and Min take any number of operands: from the left, as runtimes compute them.
ValueId read_chain(NodeReader& r, const char* op) {
  if (r.inputs() < 2) return r.fail("expected two operands or more");
  ValueId sum = r.in(0);
  for (size_t i = 1; i < r.inputs(); ++i) sum = r.add(op, r.broadcast_together({sum, r.in(i)}));
  return sum;
}
ValueId read_sum(NodeReader& r) {
  if (r.inputs() == 2 && same_shape(r.shape(0), r.shape(1)) && !r.failed() && ir::is_float(r.dtype(0)))
    return r.add("sum", r.ins(2));
  return read_chain(r, "add");
}
void write_sum(NodeWriter& w) { w.node("Sum", w.ins()); }
ValueId read_max(NodeReader& r) { return read_chain(r, "max"); }
ValueId read_min(NodeReader& r) { return read_chain(r, "min"); }
void write_max(NodeWriter& w) { w.node("Max", w.ins()); }
void write_min(NodeWriter& w) { w.node("Min", w.ins()); }

bool floats_before_12(const ir::OpInstance& op, int64_t opset) {
  return opset >= 12 || ir::is_float(op.in_dtype(0));
}

}  // namespace

void spell_elementwise(Spellings& t) {
  t.reads("Swish", read_swish);
  t.writes("silu", {write_swish, nullptr, 24});
  t.reads("IsInf", read_is_inf);
  t.writes("is_inf", {write_is_inf, nullptr, 10});
  t.reads("Clip", read_clip);
  t.writes("clip", {write_clip, floats_before_12});
  t.reads("Cast", read_cast);
  t.reads("PRelu", read_prelu);
  t.reads("Sum", read_sum);
  t.writes("sum", {write_sum});
  t.reads("Max", read_max);
  t.reads("Min", read_min);
  t.writes("max", {write_max, floats_before_12});
  t.writes("min", {write_min, floats_before_12});
}

}  // namespace isomer::formats
