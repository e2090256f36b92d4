#include "ir/ops/declare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <utility>

#include "ir/graph.h"
#include "ir/ops/regions.h"

namespace isomer::ir::ops {
namespace {

std::string_view expected(Takes set) {
  switch (set) {
    case Takes::kFloats: return "floats";
    case Takes::kNumbers: return "floats or integers";
    case Takes::kOrdered: return "floats or integers other than u64";
    case Takes::kIntegers: return "integers";
    case Takes::kBools: return "bool";
    case Takes::kAny: return "numbers or bool";
  }
  return "?";
}

}  // namespace

OpDef operation(std::string name, MeaningKind kind, int inputs, std::optional<int> max_inputs,
                std::string doc, std::vector<AttrSpec> attrs) {
  OpDef def;
  def.name = std::move(name);
  def.doc = std::move(doc);
  def.kind = kind;
  def.attrs = std::move(attrs);
  def.min_inputs = inputs;
  def.max_inputs = max_inputs.value_or(inputs);
  return def;
}

AttrSpec int_attr(std::string name, std::optional<int64_t> fallback, AttrRole role) {
  AttrSpec spec{.name = std::move(name), .role = role};
  if (fallback) spec.fallback = *fallback;
  return spec;
}

AttrSpec ints_attr(std::string name, AttrRole role) {
  return {.name = std::move(name), .kind = AttrKind::kInts, .role = role};
}

AttrSpec region_attr(std::string name, AttrRole role) { return {.name = std::move(name), .role = role}; }

AttrSpec axis_attr(std::optional<int64_t> fallback) { return int_attr("axis", fallback, AttrRole::kAxis); }

AttrSpec string_attr(std::string name, std::optional<std::string> fallback,
                     std::vector<std::string> choices) {
  AttrSpec spec{.name = std::move(name), .kind = AttrKind::kString, .choices = std::move(choices)};
  if (fallback) spec.fallback = std::move(*fallback);
  return spec;
}

AttrSpec float_attr(std::string name, std::optional<float> fallback) {
  AttrSpec spec{.name = std::move(name), .kind = AttrKind::kFloat};
  if (fallback) spec.fallback = static_cast<double>(*fallback);
  return spec;
}

AttrSpec optional_float_attr(std::string name) {
  return {.name = std::move(name), .kind = AttrKind::kFloat, .optional = true};
}

AttrSpec shape_attr(std::string name) { return {.name = std::move(name), .kind = AttrKind::kShape}; }

AttrSpec gelu_form() { return string_attr("approximate", "none", {"none", "tanh"}); }

Spelling onnx(std::string name, int since, int until) {
  return {"onnx", "", std::move(name), since, until, false};
}

Spelling onnx_irregular(std::string name, int since, int until) {
  return {"onnx", "", std::move(name), since, until, true};
}

Spelling typed(Spelling spelling, std::vector<TypesSince> types) {
  spelling.types = std::move(types);
  return spelling;
}

Spelling contrib(std::string name) {
  Spelling spelling = typed(onnx(std::move(name), 1), {{1, dtype_set(DType::kF32)}});
  spelling.domain = kContribDomain;
  return spelling;
}

Spelling contrib_irregular(std::string name) {
  Spelling spelling = contrib(std::move(name));
  spelling.irregular = true;
  return spelling;
}

Spelling said(Spelling spelling, std::vector<AttrSpelling> attrs) {
  spelling.attrs = std::move(attrs);
  return spelling;
}

Spelling refusing(Spelling spelling, std::function<std::string(const OpInstance&)> refuses) {
  spelling.refuses = std::move(refuses);
  return spelling;
}

Spelling strict(Spelling spelling) {
  spelling.strict = true;
  return spelling;
}

Spelling folding(Spelling spelling) {
  spelling.folds = true;
  return spelling;
}

void in_mirage(OpDef& def, const std::string& name) {
  if (def.stands_at(kKernelLevel)) def.spellings.push_back({"mirage", "kn", "kn_" + name + "_op"});
  if (def.stands_at(kBlockLevel)) def.spellings.push_back({"mirage", "tb", "tb_" + name + "_op"});
}

void in_mirage_by_axis(OpDef& def, const std::string& name) {
  for (const auto& [level, prefix] : {std::pair{kKernelLevel, "kn"}, std::pair{kBlockLevel, "tb"}})
    for (int axis = 0; def.stands_at(level) && axis < 3; ++axis)
      def.spellings.push_back({"mirage", prefix, fmt::format("{}_{}_{}_op", prefix, name, axis)});
}

bool takes(Takes set, DType dtype) {
  const DTypeRow& r = row(dtype);
  const bool arithmetic_float = r.computed && r.kind == DTypeKind::kFloat;
  const bool arithmetic_integer = r.computed && r.kind == DTypeKind::kInteger;
  switch (set) {
    case Takes::kFloats: return arithmetic_float;
    case Takes::kNumbers: return arithmetic_float || arithmetic_integer;
    case Takes::kOrdered: return arithmetic_float || (arithmetic_integer && dtype != DType::kU64);
    case Takes::kIntegers: return arithmetic_integer;
    case Takes::kBools: return dtype == DType::kBool;
    case Takes::kAny: return is_float(dtype) || is_integer(dtype);
  }
  return false;
}

std::string check_operand(const OpInstance& op, size_t input, Takes set) {
  const Type& type = op.type(input);
  bool known = type.is_ranked_tensor();
  for (Dim d : type.shape) known = known && !d.is_unknown();
  if (!known)
    return fmt::format("operand {}: expected a tensor of known rank and sizes, got {}", input,
                       print(op.ctx, op.inputs[input]));
  if (!takes(set, type.dtype))
    return fmt::format("operand {}: expected {}, got {}", input, expected(set), name(type.dtype));
  return {};
}

std::string check_operands(const OpInstance& op, Takes set) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (auto bad = check_operand(op, i, set); !bad.empty()) return bad;
    if (op.in_dtype(i) != op.in_dtype(0))
      return fmt::format("operand {}: expected {} as operand 0 has, got {}", i, name(op.in_dtype(0)),
                         name(op.in_dtype(i)));
  }
  return {};
}

std::string check_rank(const OpInstance& op, size_t input, size_t rank) {
  if (op.in_shape(input).size() == rank) return {};
  return fmt::format("operand {}: expected rank {}, got {}", input, rank, print(op.ctx, op.inputs[input]));
}

std::string check_shape(const OpInstance& op, size_t input, const Shape& expected) {
  if (same_shape(op.in_shape(input), expected)) return {};
  return fmt::format("operand {}: expected shape {}, got {}", input, print_shape(op.ctx, expected),
                     print_shape(op.ctx, op.in_shape(input)));
}

std::string check_axis(int64_t axis, size_t rank) {
  if (axis >= 0 && axis < static_cast<int64_t>(rank)) return {};
  return fmt::format("expected an axis in [0, {}), got {}", rank, axis);
}

std::string check_axes(const std::vector<int64_t>& axes, size_t rank) {
  int64_t last = -1;
  for (int64_t axis : axes) {
    if (auto bad = check_axis(axis, rank); !bad.empty()) return bad;
    if (axis <= last) return fmt::format("expected axes in rising order, got [{}]", fmt::join(axes, ","));
    last = axis;
  }
  return {};
}

std::string check_count(const OpInstance& op, std::string_view attr, size_t count) {
  if (op.ints(attr).size() == count) return {};
  return fmt::format("expected {} entries in {}, got {}", count, attr, op.ints(attr).size());
}

std::string check_entries(const OpInstance& op, std::string_view attr, int64_t low, int64_t high) {
  for (const int64_t i : op.ints(attr))
    if (i < low || i > high) return fmt::format("expected {} from {} to {}, got {}", attr, low, high, i);
  return {};
}

const Graph& region(const OpInstance& op, AttrRole role) { return op.ctx.get(op.region(role)); }

std::vector<TypeId> types_of(const Graph& graph, std::span<const ValueId> values) {
  std::vector<TypeId> types;
  for (ValueId v : values) types.push_back(graph.type_id(v));
  return types;
}

Inferred several(const OpInstance& op, std::vector<TypeId> types) {
  return Inferred::ok(types.size() == 1 ? types[0] : op.ctx.intern(Type::tuple(std::move(types))));
}

ValueId several(Builder& b, std::vector<ValueId> values) {
  return values.size() == 1 ? values[0] : b.add("tuple", std::move(values));
}

std::string check_gives_truth(const OpInstance& op, const Graph& region, std::string_view what) {
  if (types_of(region, region.outputs()) == std::vector{op.ctx.tensor_type(DType::kBool, {})}) return {};
  return fmt::format("expected a {} that gives one bool[]", what);
}

std::string check_region(const OpInstance& op, const Graph& region) {
  if (region.inputs().size() != op.inputs.size())
    return fmt::format("the region takes {} operands, not {}", region.inputs().size(), op.inputs.size());
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (region.type_id(region.inputs()[i]) != op.inputs[i])
      return fmt::format("operand {}: expected {}, got {}", i,
                         print(op.ctx, region.type_id(region.inputs()[i])), print(op.ctx, op.inputs[i]));
  return {};
}

std::string print_shape(const Context& ctx, const Shape& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    const Dim d = shape[i];
    if (i) out += ",";
    out += d.is_static() ? std::to_string(d.size()) : d.is_symbol() ? ctx.get(d.symbol()) : "?";
  }
  return out + "]";
}

Inferred tensor_like(const OpInstance& op, Shape shape) {
  return Inferred::ok(op.ctx.tensor_type(op.in_dtype(0), std::move(shape)));
}

Read read_all(int input, size_t rank) { return read_at(input, index_vars(0, static_cast<int>(rank))); }
Read read_at(int input, std::vector<IndexExpr> index) { return {input, std::move(index), false, 0}; }
Read read_guarded(int input, std::vector<IndexExpr> index, double fill) {
  return {input, std::move(index), true, fill};
}

void guard(Read& read, double fill) {
  read.guarded = true;
  read.fill = fill;
}

LoopNest movement(std::vector<Size> space, Read read) {
  return {std::move(space), {}, {std::move(read)}, {}, scalar::read(0)};
}

ScalarExpr literal(DType dtype, double value) {
  if (!is_integer(dtype)) return scalar::number(value);
  constexpr double kTooLarge = 0x1.0p63;
  if (value >= kTooLarge) return scalar::integer(std::numeric_limits<int64_t>::max());
  if (value < -kTooLarge) return scalar::integer(std::numeric_limits<int64_t>::min());
  return scalar::integer(static_cast<int64_t>(value));
}

ScalarExpr size_literal(DType dtype, const Size& size) {
  if (size.is_number()) return literal(dtype, static_cast<double>(size.number()));
  const ScalarExpr whole = scalar::integer(size);
  return is_integer(dtype) ? whole : scalar::apply(ScalarOp::kToNumber, whole);
}

ValueId filled(Builder& builder, DType dtype, double value, const Shape& shape) {
  const ValueId scalar = builder.constant(dtype, {}, {value});
  return shape.empty() ? scalar : builder.add("broadcast", {scalar}, {{"shape", shape}});
}

}  // namespace isomer::ir::ops
