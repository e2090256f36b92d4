#include "ir/ops/composed.h"

#include <algorithm>
#include <numeric>

#include "ir/attempt.h"

namespace isomer::ir::ops {
namespace {

/// What shapes have together; where a dimension is neither equal nor 1, the first one's.
Shape common(const Shape& x, const Shape& y) {
  Shape out = x.size() >= y.size() ? x : y;
  const Shape& other = x.size() >= y.size() ? y : x;
  for (size_t i = 0; i < other.size(); ++i) {
    Dim& d = out[out.size() - other.size() + i];
    if (d == Dim(1)) d = other[i];
  }
  return out;
}

}  // namespace

Inferred type_by_definition(const OpInstance& op, const Expand& expand) {
  Builder builder(op.ctx);
  std::vector<ValueId> operands;
  for (TypeId input : op.inputs) operands.push_back(builder.input("", input));
  const Attempt attempt(builder);
  const ValueId result = expand(builder, op, operands);
  return attempt ? Inferred::ok(builder.type_id(result)) : Inferred::fail(attempt.refusal());
}

OpDef composed(std::string name, int inputs, std::optional<int> most, std::string doc,
               std::vector<AttrSpec> attrs, Precondition precondition, Expand expand) {
  OpDef def =
      operation(std::move(name), MeaningKind::kComposite, inputs, most, std::move(doc), std::move(attrs));
  def.infer = [expand, precondition = std::move(precondition)](const OpInstance& op) {
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (auto bad = check_operand(op, i, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    if (auto bad = precondition(op); !bad.empty()) return Inferred::fail(bad);
    return type_by_definition(op, expand);
  };
  def.expand = std::move(expand);
  return def;
}

int64_t Compose::size(ValueId v, int64_t axis) const {
  const Dim d = shape(v)[static_cast<size_t>(axis)];
  return d.is_static() ? d.size() : 1;
}

ValueId Compose::spread(ValueId v, const Shape& to) {
  return shape(v) == to ? v : b_.add("broadcast", {v}, {{"shape", to}});
}

ValueId Compose::both(std::string_view op, ValueId x, ValueId y) {
  const Shape to = common(shape(x), shape(y));
  return b_.add(op, {spread(x, to), spread(y, to)});
}

ValueId Compose::with(std::string_view op, ValueId x, double number) {
  return b_.add(op, {x, filled(b_, dtype(x), number, shape(x))});
}

ValueId Compose::where(ValueId condition, ValueId then, ValueId otherwise) {
  const Shape to = common(common(shape(condition), shape(then)), shape(otherwise));
  return b_.add("where", {spread(condition, to), spread(then, to), spread(otherwise, to)});
}

ValueId Compose::count_along(DType dtype, int64_t count, int64_t axis, int64_t rank) {
  std::vector<double> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<int64_t> sizes(static_cast<size_t>(rank), 1);
  sizes[static_cast<size_t>(axis)] = count;
  return b_.constant(dtype, sizes, numbers);
}

ValueId Compose::cast(ValueId v, DType to) {
  return dtype(v) == to ? v : b_.add("cast", {v}, {{"to", static_cast<int64_t>(to)}});
}

ValueId Compose::reshape(ValueId v, Shape to) {
  return shape(v) == to ? v : b_.add("reshape", {v}, {{"shape", std::move(to)}});
}

ValueId Compose::transpose(ValueId v, std::vector<int64_t> perm) {
  return b_.add("transpose", {v}, {{"perm", std::move(perm)}});
}

ValueId Compose::unsqueeze(ValueId v, std::vector<int64_t> axes) {
  return axes.empty() ? v : b_.add("unsqueeze", {v}, {{"axes", std::move(axes)}});
}

ValueId Compose::squeeze(ValueId v, std::vector<int64_t> axes) {
  return axes.empty() ? v : b_.add("squeeze", {v}, {{"axes", std::move(axes)}});
}

ValueId Compose::slice(ValueId v, int64_t axis, int64_t from, int64_t to) {
  using Ints = std::vector<int64_t>;
  return b_.add("slice", {v},
                {{"axes", Ints{axis}}, {"starts", Ints{from}}, {"ends", Ints{to}}, {"steps", Ints{1}}});
}

ValueId Compose::concat(std::vector<ValueId> parts, int64_t axis) {
  return parts.size() == 1 ? parts[0] : b_.add("concat", std::move(parts), {{"axis", axis}});
}

ValueId Compose::reduce(std::string_view op, ValueId v, std::vector<int64_t> axes, bool keep) {
  return b_.add(op, {v}, {{"axes", std::move(axes)}, {"keepdims", int64_t{keep}}});
}

ValueId Compose::reduce_all(std::string_view op, ValueId v) { return reduce(op, v, counted(rank(v)), false); }

ValueId Compose::transpose_matrix(ValueId v) {
  std::vector<int64_t> perm = counted(rank(v));
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return transpose(v, std::move(perm));
}

std::vector<int64_t> counted(int64_t count, int64_t first) {
  std::vector<int64_t> out(static_cast<size_t>(std::max<int64_t>(count, 0)));
  std::iota(out.begin(), out.end(), first);
  return out;
}

}  // namespace isomer::ir::ops
