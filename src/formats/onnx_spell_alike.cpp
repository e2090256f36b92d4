// Nodes that other operators say as well: they are read as those, and written as them.
#include <onnx-ml.pb.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "formats/onnx_spell.h"
#include "formats/onnx_spell_rows.h"
#include "formats/onnx_types.h"
#include "ir/op_table.h"

namespace isomer::formats {
namespace {

using Ints = std::vector<int64_t>;
using ir::ValueId;

Ints all_axes(NodeReader& r) {
  Ints axes(static_cast<size_t>(r.rank(0)));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

ValueId read_cast_like(NodeReader& r) {
  if (r.i("saturate", 1) != 1) return r.fail("it does not saturate");
  if (r.s("round_mode", "up") != "up") return r.fail("it rounds otherwise");
  return r.add("cast", {r.in(0)}, {{"to", static_cast<int64_t>(r.dtype(1))}});
}

/// The product of the sizes, of which each may be only named.
ValueId read_size(NodeReader& r) {
  const ValueId sizes = r.add("shape", {r.in(0)}, {{"start", int64_t{0}}, {"end", r.rank(0)}});
  return r.add("reduce_prod", {sizes}, {{"axes", Ints{0}}, {"keepdims", int64_t{0}}});
}

ValueId read_mean(NodeReader& r) {
  if (r.inputs() == 0) return r.fail("expected an operand");
  ValueId sum = r.in(0);
  for (size_t i = 1; i < r.inputs(); ++i) sum = r.add("add", r.broadcast_together({sum, r.in(i)}));
  if (r.failed() || r.inputs() == 1) return sum;
  const ir::DType dtype = r.dtype(0);
  const ValueId count = r.builder().constant(dtype, {}, {static_cast<double>(r.inputs())});
  return r.add("div", r.broadcast_together({sum, count}));
}

/// What is kept of an operand where nothing is trained: all of it, under a mask of ones.
ValueId read_dropout(NodeReader& r) {
  r.i("seed", 0);
  r.f("ratio", 0.5);
  if (r.has(2)) {
    const auto training = r.const_ints(2);
    const auto ratio = r.has(1) ? r.const_number(1) : 0.5;
    const bool none = ratio && *ratio == 0;
    if (!none && (!training || training->size() != 1 || training->front() != 0)) return r.fail("it trains");
  }
  const ir::Shape shape = r.shape(0);
  if (r.failed()) return {};
  const ValueId kept = r.broadcast(r.builder().constant(ir::DType::kBool, {}, {1.0}), shape);
  return r.add("tuple", {r.in(0), kept});
}

ValueId read_eye(NodeReader& r) {
  const int64_t k = r.i("k", 0);
  const int64_t given = r.i("dtype", 0);
  const ir::Shape shape = r.shape(0);
  if (r.failed() || shape.size() != 2 || !ir::is_static(shape))
    return r.fail("expected a matrix of known size");
  const std::optional<ir::DType> asked = given == 0 ? r.dtype(0) : element_type(given);
  if (!asked) return r.fail("an element type that is not known");
  constexpr int64_t kMost = 1 << 20;
  const int64_t rows = shape[0].size(), columns = shape[1].size();
  if (rows > kMost || columns > kMost || rows * columns > kMost) return r.fail("it is large");
  std::vector<double> elements(static_cast<size_t>(rows * columns), 0.0);
  for (int64_t i = 0; i < rows; ++i)
    if (i + k >= 0 && i + k < columns) elements[static_cast<size_t>(i * columns + i + k)] = 1;
  return r.builder().constant(*asked, {rows, columns}, elements);
}

/// A condition that is known picks places that are.
ValueId read_compress(NodeReader& r) {
  const bool flat = !r.has_attr("axis");
  const auto condition = r.const_ints(1);
  if (!condition) return r.fail("its condition is not constant");
  ValueId x = r.in(0);
  int64_t axis = flat ? 0 : r.axis(r.i("axis", 0), r.rank(0));
  if (r.failed()) return {};
  if (flat) {
    if (!ir::is_static(r.shape(0))) return r.fail("its sizes are not known");
    x = r.add("reshape", {x}, {{"shape", ir::Shape{ir::Dim(ir::element_count(r.shape(0)))}}});
  }
  std::vector<double> places;
  for (size_t i = 0; i < condition->size(); ++i)
    if ((*condition)[i] != 0) places.push_back(static_cast<double>(i));
  const ValueId at = r.builder().constant(ir::DType::kI64, {static_cast<int64_t>(places.size())}, places);
  return r.add("gather", {x, at}, {{"axis", axis}});
}

/// Cut or padded in the middle of each axis.
ValueId read_center(NodeReader& r) {
  const auto wanted = r.const_ints(1);
  if (!wanted) return r.fail("its shape is not constant");
  const Ints axes = r.ints("axes").value_or(all_axes(r));
  if (axes.size() != wanted->size()) return r.fail("expected a size an axis");
  const int64_t rank = r.rank(0);
  ValueId x = r.in(0);
  Ints pads(static_cast<size_t>(2 * rank), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = r.axis(axes[i], rank);
    if (r.failed() || !r.shape(0)[static_cast<size_t>(axis)].is_static())
      return r.fail("a size is not known");
    const int64_t size = r.shape(0)[static_cast<size_t>(axis)].size(), more = (*wanted)[i] - size;
    if (more < 0) {
      const int64_t from = -more / 2;
      x = r.add("slice", {x},
                {{"axes", Ints{axis}},
                 {"starts", Ints{from}},
                 {"ends", Ints{from + (*wanted)[i]}},
                 {"steps", Ints{1}}});
    } else {
      pads[static_cast<size_t>(axis)] = more / 2;
      pads[static_cast<size_t>(rank + axis)] = more - more / 2;
    }
  }
  if (std::ranges::all_of(pads, [](int64_t p) { return p == 0; })) return x;
  return r.add("pad", {x}, {{"pads", pads}, {"mode", std::string("constant")}, {"value", 0.0}});
}

/// The same bits, read as another type: of integers of one width a conversion.
ValueId read_bit_cast(NodeReader& r) {
  const std::optional<ir::DType> to = element_type(r.i("to", 0));
  const ir::DType from = r.dtype(0);
  if (!to || r.failed()) return r.fail("an element type that is not known");
  const bool bytes = (from == ir::DType::kBool || ir::is_integer(from)) && ir::is_integer(*to);
  const auto width = [](ir::DType t) { return t == ir::DType::kBool ? 8 : ir::bit_width(t); };
  if (!bytes || *to == ir::DType::kBool || width(from) != width(*to)) return r.fail("it reads the bits of floats");
  return r.add("cast", {r.in(0)}, {{"to", static_cast<int64_t>(*to)}});
}

/// Vectors are matrices of one row, or column, whose dimension the result lacks.
ValueId read_matmul(NodeReader& r) {
  const bool row = r.rank(0) == 1, column = r.rank(1) == 1;
  if (r.failed() || (!row && !column)) return read_by_rows(r);
  const auto last = std::max<int64_t>(r.rank(0), r.rank(1));
  ValueId a = row ? r.add("unsqueeze", {r.in(0)}, {{"axes", Ints{0}}}) : r.in(0);
  ValueId b = column ? r.add("unsqueeze", {r.in(1)}, {{"axes", Ints{1}}}) : r.in(1);
  if (r.failed()) return {};
  if (row && last > 2) {  // a row for each batch
    ir::Shape shape(r.shape(1).begin(), r.shape(1).end() - 2);
    shape.emplace_back(1);
    shape.push_back(r.shape(0)[0]);
    a = r.broadcast(a, shape);
  }
  const ValueId product = r.add("matmul", {a, b});
  Ints gone;
  const int64_t rank = std::max<int64_t>(last, 2);
  if (row) gone.push_back(rank - 2);
  if (column) gone.push_back(rank - 1);
  return r.add("squeeze", {product}, {{"axes", gone}});
}

ValueId read_col2im(NodeReader& r) {
  const auto image = r.const_ints(1), block = r.const_ints(2);
  if (!image || !block) return r.fail("its image or its blocks are not constant");
  const Ints ones(image->size(), 1), zeros(2 * image->size(), 0);
  return r.add("col2im", {r.in(0)},
               {{"image", *image},
                {"block", *block},
                {"strides", r.ints("strides").value_or(ones)},
                {"dilations", r.ints("dilations").value_or(ones)},
                {"pads", r.ints("pads").value_or(zeros)}});
}
void write_col2im(NodeWriter& w) {
  const ir::OpInstance op = w.op();
  onnx::NodeProto& node = w.node("Col2Im", {w.in(0), w.ints(op.ints("image")), w.ints(op.ints("block"))});
  for (const char* attr : {"strides", "dilations", "pads"}) set(node, attr, op.ints(attr));
}

}  // namespace

void spell_alike(Spellings& t) {
  t.reads("CastLike", read_cast_like);
  t.reads("Size", read_size);
  t.reads("Mean", read_mean);
  t.reads("Dropout", read_dropout);
  t.reads("EyeLike", read_eye);
  t.reads("Compress", read_compress);
  t.reads("CenterCropPad", read_center);
  t.reads("BitCast", read_bit_cast);
  t.reads("MatMul", read_matmul);
  t.reads("Col2Im", read_col2im);
  t.writes("col2im", {write_col2im});
}

}  // namespace isomer::formats
