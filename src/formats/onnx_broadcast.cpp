#include "formats/onnx_broadcast.h"

#include <algorithm>
#include <array>

#include "ir/op_table.h"

namespace isomer::formats {
namespace {

using ir::Dim;
using ir::Shape;
using ir::ValueId;

/// Dimension `i` from the right; 1 beyond the left end.
Dim from_right(const Shape& shape, size_t i) {
  return i < shape.size() ? shape[shape.size() - 1 - i] : Dim(1);
}

/// Whether broadcasting these shapes together gives exactly `result`.
bool forces(std::span<const Shape> shapes, const Shape& result) {
  const std::optional<Shape> common = common_shape(shapes);
  return common && same_shape(*common, result);
}

}  // namespace

std::optional<Shape> common_shape(std::span<const Shape> shapes) {
  size_t rank = 0;
  for (const Shape& s : shapes) rank = std::max(rank, s.size());
  Shape common(rank, Dim(1));
  for (size_t i = 0; i < rank; ++i) {
    Dim& out = common[rank - 1 - i];
    for (const Shape& s : shapes) {
      const Dim d = from_right(s, i);
      if (d == Dim(1) || (out.same(d))) continue;
      // A symbol beside another size may be 1: then the answer depends on its value.
      if (out != Dim(1) || d.is_unknown()) return std::nullopt;
      out = d;
    }
  }
  return common;
}

bool never_broadcast(std::span<const Shape> shapes) {
  size_t rank = 0;
  for (const Shape& s : shapes) rank = std::max(rank, s.size());
  for (size_t i = 0; i < rank; ++i) {
    Dim size(1);
    for (const Shape& s : shapes) {
      const Dim d = from_right(s, i);
      if (!d.is_static() || d == Dim(1)) continue;
      if (size != Dim(1) && size != d) return true;
      size = d;
    }
  }
  return false;
}

ValueId broadcast_to(ir::Builder& builder, ValueId value, const Shape& shape) {
  if (same_shape(builder.type(value).shape, shape)) return value;
  const ir::OpId op = builder.context().ops().find("broadcast");
  if (!op.valid()) return {};
  ValueId out;
  builder.try_add(op, builder.make_payload(op, {{"shape", shape}}), std::array{value}, out);
  return out;
}

std::vector<ValueId> absorb_broadcasts(const ir::Graph& graph, ValueId v) {
  std::vector<ValueId> operands(graph.operands(v).begin(), graph.operands(v).end());
  const ir::Meets meets = graph.def(v).meets;
  if (meets == ir::Meets::kNot) return operands;
  const auto is_broadcast = [&](ValueId o) {
    return graph.def(o).is(ir::Core::kBroadcast) && graph.type(graph.operands(o)[0]).is_ranked_tensor();
  };
  if (meets == ir::Meets::kLastAlone) {
    const auto last = static_cast<size_t>(graph.def(v).max_inputs - 1);
    if (operands.size() > last && is_broadcast(operands[last]))
      operands[last] = graph.operands(operands[last])[0];
    return operands;
  }
  if (!graph.type(v).is_ranked_tensor()) return operands;
  // Batch dimensions of products, all dimensions otherwise. A broadcast of a product's operand may be
  // absorbed when it leaves the two matrix dimensions alone.
  const size_t tail = meets == ir::Meets::kBatches ? 2 : 0;
  const auto front = [&](const Shape& shape) {
    return Shape(shape.begin(), shape.end() - static_cast<long>(tail));
  };
  std::vector<ValueId> plain = operands;
  for (ValueId& o : plain) {
    if (!is_broadcast(o)) continue;
    const ValueId source = graph.operands(o)[0];
    const Shape& from = graph.type(source).shape;
    const Shape& to = graph.type(o).shape;
    if (from.size() < tail ||
        !std::equal(from.end() - static_cast<long>(tail), from.end(), to.end() - static_cast<long>(tail)))
      continue;
    o = source;
  }
  const Shape result = front(graph.type(v).shape);
  for (size_t next = 0;; ++next) {
    std::vector<Shape> shapes;
    for (ValueId o : plain) {
      const Shape& shape = graph.type(o).shape;
      if (shape.size() < tail) return operands;
      shapes.push_back(front(shape));
    }
    if (forces(shapes, result)) return plain;
    while (next < plain.size() && plain[next] == operands[next]) ++next;
    if (next >= plain.size()) return operands;
    plain[next] = operands[next];  // keep this one explicit
  }
}

}  // namespace isomer::formats
