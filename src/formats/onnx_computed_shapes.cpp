#include "formats/onnx_computed_shapes.h"

#include <onnx-ml.pb.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "ir/op_table.h"
#include "ir/size_case.h"
#include "ir/slice_bounds.h"

namespace isomer::formats {
namespace {

using eval::SizeElement;
using ir::Dim;
using ir::DType;
using ir::ScalarOp;
using ir::Shape;
using ir::Size;
using Types = std::vector<ir::TypeId>;
using Elements = std::vector<SizeElement>;

Types typed(NodeReader& r, DType dtype, Shape shape) {
  if (r.failed() || dtype == DType::kUndefined) return {};
  return {r.context().tensor_type(dtype, std::move(shape))};
}

/// Elements of an input of rank 1, as many as its type says.
std::optional<Elements> elements(NodeReader& r, size_t input) {
  if (!r.has(input)) return std::nullopt;
  const Shape& shape = r.shape(input);
  if (r.failed() || shape.size() != 1 || !shape[0].is_static() || shape[0].size() > eval::kMostSizeElements)
    return std::nullopt;
  const auto known = r.some_sizes(input);
  Elements out(known.begin(), known.end());
  out.resize(static_cast<size_t>(shape[0].size()));
  return out;
}

Dim dim_of(NodeReader& r, const SizeElement& e) {
  const auto* size = std::get_if<Size>(&e);
  return size ? r.dim(*size) : Dim::unknown();
}

bool is(const SizeElement& e, int64_t number) { return eval::as_number(e) == number; }

SizeElement calculate(ScalarOp op, const SizeElement& a, const SizeElement& b) {
  return eval::apply_scalar(op, {}, a, b);
}

SizeElement size_of(NodeReader& r, Dim d) { return eval::size_element(r.context(), d); }

Shape broadcast(const ir::Context& ctx, const Shape& a, const Shape& b) {
  if (a.size() < b.size()) return broadcast(ctx, b, a);
  Shape out = a;
  const size_t ahead = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) out[ahead + i] = eval::broadcast_dim(ctx, a[ahead + i], b[i]);
  return out;
}

Types reshape(NodeReader& r) {
  const auto target = elements(r, 1);
  const Shape from = r.shape(0);
  if (r.failed() || !target) return {};
  Shape shape;
  for (size_t i = 0; i < target->size(); ++i) {
    const bool keeps = is((*target)[i], 0) && r.i("allowzero", 0) == 0;
    if (keeps && i >= from.size()) return {};
    // What is 0 or -1 at some size means another dimension there.
    const auto* size = std::get_if<Size>(&(*target)[i]);
    const bool changes = size && !size->is_number() && ir::SizeFacts().decide(*size, ir::kNegative) != false;
    shape.push_back(keeps ? from[i] : changes ? Dim::unknown() : dim_of(r, (*target)[i]));
  }
  if (std::ranges::count_if(shape, [](Dim d) { return d.is_unknown(); }) == 1) {
    const auto open = std::ranges::find_if(shape, [](Dim d) { return d.is_unknown(); });
    *open = Dim(1);
    *open = left_open(r, from, shape);
  }
  return typed(r, r.dtype(0), shape);
}

Types expand(NodeReader& r) {
  const auto target = elements(r, 1);
  const Shape from = r.shape(0);
  if (r.failed() || !target) return {};
  Shape to;
  for (const SizeElement& e : *target) to.push_back(dim_of(r, e));
  return typed(r, r.dtype(0), broadcast(r.context(), from, to));
}

Types constant_of_shape(NodeReader& r) {
  const auto target = elements(r, 0);
  const bool given = r.has_attr("value");
  const auto value = r.tensor("value");
  if (!target || (given && !value)) return {};
  Shape shape;
  for (const SizeElement& e : *target) shape.push_back(dim_of(r, e));
  return typed(r, given ? r.context().get(value->type).dtype : DType::kF32, shape);
}

Types range(NodeReader& r) {
  Dim size = Dim::unknown();
  const auto from = r.some_sizes(0);
  const auto to = r.some_sizes(1);
  const auto step = r.some_sizes(2);
  if (from.size() == 1 && to.size() == 1 && step.size() == 1 && is(step[0], 1))
    size = dim_of(r, calculate(ScalarOp::kMax, calculate(ScalarOp::kSub, to[0], from[0]), eval::whole(0)));
  return typed(r, r.dtype(0), {size});
}

/// A bound of a slice with step 1, made non-negative and no larger than the size.
SizeElement clamped(const SizeElement& bound, const SizeElement& size) {
  const std::optional<int64_t> number = eval::as_number(bound);
  if (number && *number >= ir::kBeyondEverySize) return size;
  if (number && *number <= -ir::kBeyondEverySize) return eval::whole(0);
  const SizeElement from_start = number && *number < 0 ? calculate(ScalarOp::kAdd, bound, size) : bound;
  const SizeElement below = calculate(ScalarOp::kMin, from_start, size);
  return calculate(ScalarOp::kMax, below, eval::whole(0));
}

Types slice(NodeReader& r) {
  Shape shape = r.shape(0);
  if (r.opset() < 10 || r.failed()) return {};
  const auto starts = elements(r, 1);
  const auto ends = elements(r, 2);
  auto axes = r.const_ints(3);
  auto steps = r.const_ints(4);
  if (!starts || !ends || starts->size() != ends->size() || (r.has(3) && !axes) ||
      starts->size() > shape.size())
    return typed(r, r.dtype(0), Shape(shape.size(), Dim::unknown()));
  const size_t count = starts->size();
  if (!axes) {
    axes.emplace(count);
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!r.has(4)) steps.emplace(count, 1);
  if (axes->size() != count || (steps && steps->size() != count)) return {};
  for (size_t i = 0; i < count; ++i) {
    const auto axis = static_cast<size_t>(r.axis((*axes)[i], static_cast<int64_t>(shape.size())));
    if (r.failed()) return {};
    const SizeElement size = size_of(r, shape[axis]);
    shape[axis] = Dim::unknown();
    if (!steps || (*steps)[i] != 1) continue;
    const SizeElement length =
        calculate(ScalarOp::kSub, clamped((*ends)[i], size), clamped((*starts)[i], size));
    shape[axis] = dim_of(r, calculate(ScalarOp::kMax, length, eval::whole(0)));
  }
  return typed(r, r.dtype(0), shape);
}

Types tile(NodeReader& r) {
  Shape shape = r.shape(0);
  const auto repeats = elements(r, 1);
  if (r.failed() || !repeats || repeats->size() != shape.size()) return {};
  for (size_t i = 0; i < shape.size(); ++i)
    shape[i] = dim_of(r, calculate(ScalarOp::kMul, size_of(r, shape[i]), (*repeats)[i]));
  return typed(r, r.dtype(0), shape);
}

Types concat(NodeReader& r) {
  Shape shape = r.shape(0);
  const auto axis = static_cast<size_t>(r.axis(r.i("axis", 0), static_cast<int64_t>(shape.size())));
  if (r.failed()) return {};
  SizeElement sum = size_of(r, shape[axis]);
  for (size_t n = 1; n < r.inputs(); ++n) {
    const Shape& next = r.shape(n);
    if (r.failed() || next.size() != shape.size()) return {};
    sum = calculate(ScalarOp::kAdd, sum, size_of(r, next[axis]));
    for (size_t i = 0; i < shape.size(); ++i)
      if (next[i].is_static() || shape[i].is_unknown()) shape[i] = next[i];
  }
  shape[axis] = dim_of(r, sum);
  return typed(r, r.dtype(0), shape);
}

/// Of operators whose operands broadcast to each other: the declaration says what elements are made of
/// theirs.
Types broadcasting(NodeReader& r) {
  ir::Context& ctx = r.context();
  for (const auto& [id, spelling] : ctx.ops().spelled("onnx", "", r.node().op_type())) {
    if (ctx.ops().get(id).meets != ir::Meets::kAll || r.inputs() == 0) continue;
    Shape shape = r.shape(0);
    std::vector<ir::TypeId> elements;
    for (size_t n = 0; n < r.inputs() && !r.failed(); ++n) {
      if (n > 0) shape = broadcast(ctx, shape, r.shape(n));
      elements.push_back(ctx.tensor_type(r.dtype(n), {}));
    }
    if (r.failed()) return {};
    if (spelling->folds) elements.assign(2, elements[0]);
    const ir::Inferred one = infer(ctx, id, ctx.get(r.builder().make_payload(id, {})), elements);
    if (one) return typed(r, ctx.get(one.type).dtype, shape);
  }
  return {};
}

/// Where they broadcast too, but the elements are none that the declaration takes.
Types pointwise(NodeReader& r, DType dtype) {
  Shape shape = r.shape(0);
  for (size_t n = 1; n < r.inputs() && !r.failed(); ++n) shape = broadcast(r.context(), shape, r.shape(n));
  return typed(r, dtype, shape);
}

Types product(NodeReader& r) {
  const Shape a = r.shape(0);
  const Shape b = r.shape(1);
  if (r.failed() || a.size() < 2 || b.size() < 2) return {};
  Shape shape = broadcast(r.context(), Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  shape.push_back(a[a.size() - 2]);
  shape.push_back(b.back());
  return typed(r, r.dtype(0), shape);
}

using Rule = Types (*)(NodeReader&);
Types of_first(NodeReader& r) { return pointwise(r, r.dtype(0)); }
Types truths(NodeReader& r) { return pointwise(r, DType::kBool); }

}  // namespace

Dim left_open(NodeReader& r, const Shape& from, const Shape& shape) {
  const auto whole = count_of(r.context(), from), part = count_of(r.context(), shape);
  return r.dim(whole && part ? exact_quotient(*whole, *part) : std::nullopt);
}

Types computed_shape_types(NodeReader& r) {
  if (Types declared = broadcasting(r); !declared.empty() || r.failed()) return declared;
  static const std::unordered_map<std::string, Rule> kRules = {
      // Operators of ours whose sizes are attributes, all of which must be known; here some of them are.
      {"Reshape", reshape},
      {"Expand", expand},
      {"ConstantOfShape", constant_of_shape},
      {"Range", range},
      {"Slice", slice},
      {"Tile", tile},
      // Operators of ours whose operands must agree in sizes; here it is not certain that they do.
      {"Concat", concat},
      {"MatMul", product},
      // Elements that the declaration does not take: strings, and powers of another type.
      {"Equal", truths},
      {"Pow", of_first},
  };
  const auto rule = kRules.find(r.node().op_type());
  return rule == kRules.end() ? Types() : rule->second(r);
}

}  // namespace isomer::formats
