// What composites are written with: type rules that are those of their definitions, and names for the steps
// that recur.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "ir/ops/declare.h"

namespace isomer::ir::ops {

using Values = std::span<const ValueId>;
using Expand = std::function<ValueId(Builder&, const OpInstance&, Values)>;
/// Empty, or what the definition takes for granted and does not find. All operands are tensors of known rank
/// whose elements are numbers or bools by then.
using Precondition = std::function<std::string(const OpInstance&)>;

/// The type of what the definition makes of operands of these types, or the first refusal in it.
Inferred type_by_definition(const OpInstance& op, const Expand& expand);
/// A composite whose type rule is its definition's, asked after the precondition.
OpDef composed(std::string name, int inputs, std::optional<int> most, std::string doc,
               std::vector<AttrSpec> attrs, Precondition precondition, Expand expand);

/// Steps of a definition.
class Compose {
 public:
  explicit Compose(Builder& builder) : b_(builder) {}

  Builder& builder() { return b_; }
  ValueId call(std::string_view op, std::vector<ValueId> in, std::vector<NamedAttr> attrs = {}) {
    return b_.add(op, std::move(in), std::move(attrs));
  }
  const Shape& shape(ValueId v) const { return b_.type(v).shape; }
  DType dtype(ValueId v) const { return b_.type(v).dtype; }
  int64_t rank(ValueId v) const { return static_cast<int64_t>(shape(v).size()); }
  /// A dimension's size; 1 where it has none that is known.
  int64_t size(ValueId v, int64_t axis) const;

  /// By numpy's rule; nothing where the shape is that already.
  ValueId spread(ValueId v, const Shape& shape);
  /// op(x, y), both spread to the shape that they have together (sizes are equal, or one is 1).
  ValueId both(std::string_view op, ValueId x, ValueId y);
  /// op(x, number) of x's type.
  ValueId with(std::string_view op, ValueId x, double number);
  /// condition, then, otherwise, spread to one shape.
  ValueId where(ValueId condition, ValueId then, ValueId otherwise);
  ValueId constant(DType dtype, const std::vector<int64_t>& shape, const std::vector<double>& values) {
    return b_.constant(dtype, shape, values);
  }
  /// 0, 1, .. along dimension `axis` of so many, 1 in the others.
  ValueId count_along(DType dtype, int64_t count, int64_t axis, int64_t rank);

  ValueId cast(ValueId v, DType to);
  ValueId reshape(ValueId v, Shape shape);
  ValueId transpose(ValueId v, std::vector<int64_t> perm);
  ValueId unsqueeze(ValueId v, std::vector<int64_t> axes);
  ValueId squeeze(ValueId v, std::vector<int64_t> axes);
  ValueId slice(ValueId v, int64_t axis, int64_t from, int64_t to);
  ValueId concat(std::vector<ValueId> parts, int64_t axis);
  ValueId reduce(std::string_view op, ValueId v, std::vector<int64_t> axes, bool keep = true);
  /// Over all dimensions, to a scalar.
  ValueId reduce_all(std::string_view op, ValueId v);
  /// The last two dimensions change places.
  ValueId transpose_matrix(ValueId v);

 private:
  Builder& b_;
};

/// 0, 1, .. count - 1, from `first` on.
std::vector<int64_t> counted(int64_t count, int64_t first = 0);

/// An axis of `rank` dimensions, negative ones from the end.
inline int64_t from_start(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

}  // namespace isomer::ir::ops
