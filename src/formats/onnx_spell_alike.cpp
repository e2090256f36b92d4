// Nodes that other operators say as well: they are read as those, and written as them.
#include <onnx-ml.pb.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "formats/onnx_spell.h"
#include "formats/onnx_spell_rows.h"
#include "formats/onnx_types.h"
#include "ir/constant_data.h"
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

/// Whether what is too large becomes no number of the type: said of floats of eight bits only.
bool overflows(NodeReader& r, ir::DType to) {
  const bool saturates = r.i("saturate", 1) != 0;
  if (r.s("round_mode", "up") != "up") r.fail("it rounds otherwise");
  return !saturates && ir::is_float(to) && ir::bit_width(to) == 8 && ir::row(to).format.saturates;
}
ValueId read_cast_like(NodeReader& r) {
  const ir::DType to = r.dtype(1);
  if (overflows(r, to)) return r.add("cast_unsaturated", {r.in(0)}, {{"to", static_cast<int64_t>(to)}});
  return r.add("cast_like", r.ins(2));
}
ValueId read_cast(NodeReader& r) {
  const std::optional<ir::DType> to = element_type(r.i("to", 0));
  if (!to) return r.fail("an element type that is not known");
  return r.add(overflows(r, *to) ? "cast_unsaturated" : "cast", {r.in(0)},
               {{"to", static_cast<int64_t>(*to)}});
}
void write_cast(NodeWriter& w) {
  onnx::NodeProto& node = w.node("Cast", w.ins());
  set(node, "to", int64_t{onnx_number(w.result().dtype)});
  set(node, "saturate", int64_t{0});
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
  constexpr int64_t kTestsByInput = 7, kMaskIsSaid = 12;
  if (r.opset() < kTestsByInput && r.i("is_test", 0) == 0) return r.fail("it trains");
  const bool masked = r.node().output_size() > 1 && !r.node().output(1).empty();
  if (masked && r.opset() < kMaskIsSaid)
    return r.fail("before operator set 12 nothing says what the mask is where nothing is trained");
  if (r.has(2)) {
    const auto ratio = r.has(1) ? r.const_number(1) : 0.5;
    const bool none = ratio && *ratio == 0;
    if (!none && r.const_int(2) != 0) return r.fail("it trains");
  }
  const ir::Shape shape = r.shape(0);
  if (r.failed()) return {};
  r.results_at({0, 1});
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
  if (!bytes || *to == ir::DType::kBool || width(from) != width(*to))
    return r.fail("it reads the bits of floats");
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

/// Channels before rows and columns of a block, where they are not behind.
ValueId read_space_to_depth(NodeReader& r) {
  const int64_t b = r.i("blocksize", 0);
  const std::string mode = r.s("mode", "DCR");
  if (mode == "DCR") return r.add("space_to_depth", {r.in(0)}, {{"blocksize", b}});
  const ir::Shape shape = r.shape(0);
  if (mode != "CRD" || shape.size() != 4 || !ir::is_static(shape) || b < 1 || shape[2].size() % b != 0 ||
      shape[3].size() % b != 0)
    return r.fail("its blocks do not fit its input");
  const int64_t rows = shape[2].size() / b, columns = shape[3].size() / b;
  using ir::Dim;
  const ir::Shape split = {shape[0], shape[1], Dim(rows), Dim(b), Dim(columns), Dim(b)};
  const ir::Shape whole = {shape[0], Dim(shape[1].size() * b * b), Dim(rows), Dim(columns)};
  const ValueId apart = r.add("reshape", {r.in(0)}, {{"shape", split}});
  return r.add("reshape", {r.add("transpose", {apart}, {{"perm", Ints{0, 1, 3, 5, 2, 4}}})},
               {{"shape", whole}});
}

/// Infinities of one sign.
ValueId read_is_inf(NodeReader& r) {
  const bool negative = r.i("detect_negative", 1) != 0, positive = r.i("detect_positive", 1) != 0;
  if (negative && positive) return r.add("is_inf", {r.in(0)});
  if (!negative && !positive) return r.fail("it finds none");
  const double infinity = std::numeric_limits<double>::infinity();
  const ir::Shape shape = r.shape(0);
  if (r.failed()) return {};
  const ValueId bound = r.builder().constant(r.dtype(0), {}, {positive ? infinity : -infinity});
  return r.add("equal", {r.in(0), r.broadcast(bound, shape)});
}

/// Exponents of another type are converted to the base's, or the base to theirs and the result back.
ValueId read_pow(NodeReader& r) {
  const ir::DType base = r.dtype(0), exponent = r.dtype(1);
  if (r.failed() || base == exponent) return read_by_rows(r);
  const auto cast = [&](ValueId v, ir::DType to) {
    return r.add("cast", {v}, {{"to", static_cast<int64_t>(to)}});
  };
  // Runtimes compute it in double precision. An exponent that the base's type holds changes nothing.
  const auto known = r.has(1) ? r.const_number(1) : std::nullopt;
  if (r.failed()) return {};
  if (ir::is_float(base) && known && ir::round_to(base, *known) == *known)
    return r.add("pow", r.broadcast_together({r.in(0), cast(r.in(1), base)}));
  if (ir::is_half(base)) return r.fail("an exponent of another type");
  const ir::DType wide = ir::DType::kF64;
  const auto both = r.broadcast_together({cast(r.in(0), wide), cast(r.in(1), wide)});
  return cast(r.add("pow", both), base);
}

/// Elements [from, to) of the last of four dimensions.
ValueId part(NodeReader& r, ValueId v, int64_t from, int64_t to) {
  return r.add("slice", {v},
               {{"axes", Ints{3}}, {"starts", Ints{from}}, {"ends", Ints{to}}, {"steps", Ints{1}}});
}

/// With its caches gathered by positions, its heads told apart, and what is not turned put behind.
ValueId read_rotary(NodeReader& r) {
  const int64_t interleaved = r.i("interleaved", 0), heads = r.i("num_heads", 0);
  const int64_t turned = r.i("rotary_embedding_dim", 0);
  if (r.rank(0) == 4 && !r.has(3) && turned == 0) return read_by_rows(r);
  const ir::Shape shape = r.shape(0);
  ValueId x = r.in(0), cosine = r.in(1), sine = r.in(2);
  if (r.failed()) return {};
  if (r.has(3))
    for (ValueId* cache : {&cosine, &sine})
      *cache = r.add("gather", {*cache, r.in(3)}, {{"axis", int64_t{0}}});
  const bool flat = shape.size() == 3;
  if (flat) {
    if (heads < 1 || !shape[2].is_static() || shape[2].size() % heads != 0)
      return r.fail("its heads are not known");
    const ir::Shape split = {shape[0], shape[1], ir::Dim(heads), ir::Dim(shape[2].size() / heads)};
    x = r.add("transpose", {r.add("reshape", {x}, {{"shape", split}})}, {{"perm", Ints{0, 2, 1, 3}}});
  }
  if (r.failed()) return {};
  const ir::Dim width = r.builder().type(x).shape.back();
  if (!width.is_static()) return r.fail("the width of its heads is not known");
  const bool whole = turned == 0 || turned == width.size();
  ValueId out = r.add("rotary_embedding", {whole ? x : part(r, x, 0, turned), cosine, sine},
                      {{"interleaved", interleaved}});
  if (!whole) out = r.add("concat", {out, part(r, x, turned, width.size())}, {{"axis", int64_t{3}}});
  if (!flat) return out;
  return r.add("reshape", {r.add("transpose", {out}, {{"perm", Ints{0, 2, 1, 3}}})}, {{"shape", shape}});
}

/// Without axes it may be asked to do nothing.
ValueId read_reduce_sum(NodeReader& r) {
  const bool none = r.opset() >= 13 && r.i("noop_with_empty_axes", 0) != 0;
  const auto axes = none ? r.const_ints(1) : std::nullopt;
  if (!none || (r.has(1) && (!axes || !axes->empty()))) return read_by_rows(r);
  r.i("keepdims", 1);
  return r.in(0);
}

/// x sigmoid(alpha x)
ValueId read_swish(NodeReader& r) {
  const double alpha = r.f("alpha", 1);
  if (alpha == 1) return r.add("silu", {r.in(0)});
  if (r.failed() || !r.has(0)) return r.fail("an input is missing");
  const ValueId factor = r.builder().constant(r.dtype(0), {}, {alpha});
  return r.add("mul", {r.in(0), r.add("sigmoid", {r.add("mul", r.broadcast_together({r.in(0), factor}))})});
}

/// What is cut at both sides of each dimension, of a size that is asked for or of the input's by the stride.
ValueId read_conv_transpose(NodeReader& r) {
  const auto asked = r.ints("output_shape");
  const std::string mode = r.s("auto_pad", "NOTSET");
  if (!asked && !mode.starts_with("SAME")) return read_by_rows(r);
  const size_t rank = r.shape(0).size() < 2 ? 0 : r.shape(0).size() - 2;
  const Ints ones(rank, 1), zeros(rank, 0);
  Ints strides = r.ints("strides").value_or(ones), dilations = r.ints("dilations").value_or(ones);
  Ints left = r.ints("output_padding").value_or(zeros), pads(2 * rank, 0);
  r.ints("kernel_shape");
  r.ints("pads");
  if (r.failed() || r.shape(1).size() != rank + 2 || strides.size() != rank || dilations.size() != rank ||
      left.size() != rank || (asked && asked->size() != rank) || !ir::is_static(r.shape(0)) ||
      !ir::is_static(r.shape(1)))
    return r.fail("its sizes are not known");
  for (size_t i = 0; i < rank; ++i) {
    const int64_t size = r.shape(0)[i + 2].size(), extent = (r.shape(1)[i + 2].size() - 1) * dilations[i] + 1;
    const int64_t target = asked ? (*asked)[i] : size * strides[i];
    const int64_t cut = strides[i] * (size - 1) + left[i] + extent - target;
    if (cut < 0 && !asked)
      return r.fail("the kernel is shorter than the stride: runtimes differ in the size");
    if (cut < 0) left[i] -= cut;
    const int64_t all = std::max<int64_t>(cut, 0), less = all / 2;
    pads[i] = mode == "SAME_UPPER" ? less : all - less;
    pads[rank + i] = all - pads[i];
  }
  return r.add("conv_transpose", r.ins(r.inputs()),
               {{"strides", strides},
                {"dilations", dilations},
                {"pads", pads},
                {"output_padding", left},
                {"group", r.i("group", 1)}});
}

/// A window of signals as a constant: a sum of cosines with these factors.
ValueId window(NodeReader& r, const std::vector<double>& factors) {
  const auto size = r.const_int(0);
  const bool periodic = r.i("periodic", 1) != 0;
  const std::optional<ir::DType> dtype = element_type(r.i("output_datatype", onnx::TensorProto::FLOAT));
  constexpr int64_t kMost = 1 << 16;
  if (!size || *size < 2 || *size > kMost || !dtype || !ir::is_float(*dtype))
    return r.fail("its size is not constant");
  const double turn = 2 * std::numbers::pi / static_cast<double>(periodic ? *size : *size - 1);
  std::vector<double> elements;
  for (int64_t i = 0; i < *size; ++i) {
    double x = 0;
    for (size_t k = 0; k < factors.size(); ++k)
      x += factors[k] * std::cos(turn * static_cast<double>(i) * static_cast<double>(k));
    elements.push_back(x);
  }
  return r.builder().constant(*dtype, {*size}, elements);
}
ValueId read_hann(NodeReader& r) { return window(r, {0.5, -0.5}); }
ValueId read_hamming(NodeReader& r) { return window(r, {25.0 / 46, -21.0 / 46}); }
ValueId read_blackman(NodeReader& r) { return window(r, {0.42, -0.5, 0.08}); }

}  // namespace

void spell_alike(Spellings& t) {
  t.reads("Cast", read_cast);
  t.reads("CastLike", read_cast_like);
  t.writes("cast_unsaturated", {write_cast});
  t.reads("IsInf", read_is_inf);
  t.reads("ReduceSum", read_reduce_sum);
  t.reads("Swish", read_swish);
  t.reads("ConvTranspose", read_conv_transpose);
  t.reads("HannWindow", read_hann);
  t.reads("HammingWindow", read_hamming);
  t.reads("BlackmanWindow", read_blackman);
  t.reads("SpaceToDepth", read_space_to_depth);
  t.reads("Pow", read_pow);
  t.reads("RotaryEmbedding", read_rotary);
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
