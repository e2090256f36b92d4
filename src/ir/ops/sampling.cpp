// Elements between those of a tensor: at places that another tensor holds, of a Fourier transform, of columns
// put together to an image. Composites of gathers, products with constant matrices and convolutions.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "ir/op_table.h"
#include "ir/ops/composed.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {
namespace {

std::string check_known(const OpInstance& op, size_t input) {
  for (Dim d : op.in_shape(input))
    if (!d.is_static() || d.size() < 1)
      return fmt::format("operand {}: expected known sizes above 0, got {}", input,
                         print_shape(op.ctx, op.in_shape(input)));
  return {};
}

/// x and a grid, both [N, .., points, ..]: places in x by its last dimension, from the last dimension of x to
/// the first, -1 and 1 being the ends.
class GridSample {
 public:
  GridSample(Builder& b, const OpInstance& op, Values in) : c_(b), op_(op), x_(in[0]), grid_(in[1]) {}

  ValueId expand() {
    const int64_t rank = c_.rank(x_) - 2;
    const Shape whole = c_.shape(x_), points = c_.shape(grid_);
    int64_t count = 1, size = 1;
    for (int64_t i = 0; i < rank; ++i) {
      count *= points[static_cast<size_t>(i + 1)].size();
      size *= whole[static_cast<size_t>(i + 2)].size();
    }
    flat_ = c_.reshape(x_, {whole[0], whole[1], Dim(size)});
    const ValueId grid = c_.reshape(grid_, {points[0], Dim(count), Dim(rank)});
    std::vector<std::vector<Tap>> taps;
    for (int64_t i = 0; i < rank; ++i) {
      length_ = whole[static_cast<size_t>(i + 2)].size();
      taps.push_back(taps_of(c_.squeeze(c_.slice(grid, 2, rank - 1 - i, rank - i), {2})));
    }
    shape_ = {whole[0], whole[1], Dim(count)};
    const ValueId out = combined(taps, 0, {}, {}, whole);
    Shape result = {whole[0], whole[1]};
    result.insert(result.end(), points.begin() + 1, points.end() - 1);
    return c_.reshape(out, result);
  }

 private:
  struct Tap {
    ValueId place, weight;  ///< [N, points], numbers; no weight: 1
  };

  ValueId bounded(ValueId v, double low, double high) {
    return c_.call("clip", {v}, {{"min", low}, {"max", high}});
  }
  /// As a wave between the bounds that the padding mode names.
  ValueId reflected(ValueId v) {
    const bool corners = op_.i("align_corners") != 0;
    const double low = corners ? 0 : -0.5, range = static_cast<double>(length_) - (corners ? 1 : 0);
    if (range == 0) return c_.with("mul", v, 0);
    const ValueId moved = c_.with("sub", v, low);
    const ValueId period = filled(c_.builder(), c_.dtype(v), 2 * range, c_.shape(v));
    const ValueId phase = c_.call(
        "sub", {moved, c_.call("mul", {period, c_.call("floor", {c_.call("div", {moved, period})})})});
    return c_.with("add", c_.call("min", {phase, c_.call("sub", {period, phase})}), low);
  }

  /// From [-1, 1] to places along a dimension.
  ValueId place(ValueId g) {
    const auto length = static_cast<double>(length_);
    const ValueId unit = c_.with("add", g, 1);
    ValueId x = op_.i("align_corners") != 0
                    ? c_.with("mul", unit, (length - 1) / 2)
                    : c_.with("div", c_.with("sub", c_.with("mul", unit, length), 1), 2);
    if (op_.s("mode") == "nearest") x = c_.call("round", {x});
    if (op_.s("mode") == "cubic") return x;  // of which each tap is held for itself
    if (op_.s("padding") == "border") x = bounded(x, 0, length - 1);
    return op_.s("padding") == "reflection" ? reflected(x) : x;
  }

  /// A whole place held to the tensor; outside, under padding by zeros, the weight is 0.
  Tap held(ValueId at, ValueId weight) {
    const double last = static_cast<double>(length_) - 1;
    if (op_.s("padding") == "reflection") at = c_.call("round", {reflected(at)});
    if (op_.s("padding") == "zeros") {
      const ValueId inside = c_.cast(
          c_.call("and", {c_.with("greater_equal", at, 0), c_.with("less_equal", at, last)}), c_.dtype(at));
      weight = weight.valid() ? c_.call("mul", {weight, inside}) : inside;
    }
    return {bounded(at, 0, last), weight};
  }

  std::vector<Tap> taps_of(ValueId g) {
    const ValueId x = place(g);
    if (op_.s("mode") == "nearest") return {held(c_.call("round", {x}), {})};
    const ValueId base = c_.call("floor", {x}), part = c_.call("sub", {x, base});
    const ValueId rest = c_.call("sub", {filled(c_.builder(), c_.dtype(x), 1, c_.shape(x)), part});
    if (op_.s("mode") == "linear") return {held(base, rest), held(c_.with("add", base, 1), part)};
    std::vector<Tap> out;
    for (int64_t i = -1; i <= 2; ++i) {
      const ValueId distance = c_.call("abs", {c_.with("sub", part, static_cast<double>(i))});
      out.push_back(held(c_.with("add", base, static_cast<double>(i)), cubic(distance, i == 0 || i == 1)));
    }
    return out;
  }

  /// Keys 1981, with a = -0.75, of distances up to 1 or beyond.
  ValueId cubic(ValueId d, bool near) {
    constexpr double a = -0.75;
    const auto polynomial = [&](double p, double q, double r, double s) {
      ValueId v = c_.with("add", c_.with("mul", d, p), q);
      v = c_.with("add", c_.call("mul", {v, d}), r);
      return c_.with("add", c_.call("mul", {v, d}), s);
    };
    return near ? polynomial(a + 2, -(a + 3), 0, 1) : polynomial(a, -5 * a, 8 * a, -4 * a);
  }

  /// The sum over all taps of the dimensions from `dim` on, those before being chosen.
  ValueId combined(const std::vector<std::vector<Tap>>& taps, size_t dim, ValueId at, ValueId weight,
                   const Shape& whole) {
    if (dim == taps.size()) {
      // Held to the tensor as integers too: over a field numbers have no order.
      const auto last = static_cast<double>(c_.size(flat_, 2) - 1);
      const ValueId place = c_.with("min", c_.with("max", c_.cast(at, DType::kI64), 0), last);
      const ValueId places = c_.spread(c_.unsqueeze(place, {1}), shape_);
      const ValueId picked = c_.call("gather_elements", {flat_, places}, {{"axis", int64_t{2}}});
      return weight.valid() ? c_.both("mul", picked, c_.unsqueeze(weight, {1})) : picked;
    }
    ValueId sum;
    for (const Tap& tap : taps[dim]) {
      ValueId here = tap.place;
      if (at.valid())
        here = c_.call("add", {c_.with("mul", at, static_cast<double>(whole[dim + 2].size())), here});
      ValueId factor = weight;
      if (tap.weight.valid()) factor = weight.valid() ? c_.call("mul", {weight, tap.weight}) : tap.weight;
      const ValueId term = combined(taps, dim + 1, here, factor, whole);
      sum = sum.valid() ? c_.call("add", {sum, term}) : term;
    }
    return sum;
  }

  Compose c_;
  const OpInstance& op_;
  ValueId x_, grid_, flat_;
  Shape shape_;
  int64_t length_ = 0;
};

OpDef grid_sample() {
  OpDef def = composed(
      "grid_sample", 2, {},
      "x [N, C, spatial dimensions] at the places that a grid [N, .., spatial rank] holds, -1 and 1 being "
      "the "
      "ends of a dimension (the middles of its last elements with align_corners); interpolated.",
      {string_attr("mode", "linear", {"linear", "nearest", "cubic"}),
       string_attr("padding", "zeros", {"zeros", "border", "reflection"}), int_attr("align_corners", 0)},
      [](const OpInstance& op) {
        if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return bad;
        const size_t rank = op.in_shape(0).size();
        if (rank < 3 || rank > 5) return std::string("operand 0: expected 1 to 3 spatial dimensions");
        if (auto bad = check_rank(op, 1, rank); !bad.empty()) return bad;
        for (size_t i : {0, 1})
          if (auto bad = check_known(op, i); !bad.empty()) return bad;
        const Shape& grid = op.in_shape(1);
        const bool fits = grid.back() == Dim(static_cast<int64_t>(rank) - 2) && grid[0] == op.in_shape(0)[0];
        return fits ? std::string() : "operand 1: expected a place for each spatial dimension and batch";
      },
      [](Builder& b, const OpInstance& op, Values in) { return GridSample(b, op, in).expand(); });
  const std::vector<AttrSpelling> rows = {{.ours = "mode"}, {.ours = "padding", .name = "padding_mode"}};
  def.spellings = {said(typed(onnx("GridSample", 20), {{20, kOnnxFloats}, {22, kOnnxBFloats}}), rows)};
  return def;
}

OpDef affine_grid() {
  OpDef def = composed(
      "affine_grid", 1, {},
      "Places of a grid of `size` ([N, C, spatial dimensions]), -1 and 1 being its ends (with align_corners "
      "the "
      "middles of its last elements), under the maps theta [N, spatial rank, spatial rank + 1].",
      {ints_attr("size"), int_attr("align_corners", 0)},
      [](const OpInstance& op) {
        if (auto bad = check_operand(op, 0, Takes::kFloats); !bad.empty()) return bad;
        const std::vector<int64_t>& size = op.ints("size");
        if (size.size() != 4 && size.size() != 5)
          return fmt::format("expected a size of 4 or 5 entries, got {}", size.size());
        constexpr int64_t kMost = 1 << 20;
        int64_t points = 1;
        for (size_t i = 2; i < size.size(); ++i) {
          if (size[i] < 1 || size[i] > kMost)
            return fmt::format("expected sizes of at least 1, got {}", size[i]);
          points *= size[i];
          if (points > kMost) return fmt::format("expected at most {} points", kMost);
        }
        const auto rank = static_cast<int64_t>(size.size()) - 2;
        return check_shape(op, 0, {Dim(size[0]), Dim(rank), Dim(rank + 1)});
      },
      [](Builder& b, const OpInstance& op, Values in) {
        Compose c(b);
        const std::vector<int64_t> spatial(op.ints("size").begin() + 2, op.ints("size").end());
        int64_t points = 1;
        for (int64_t size : spatial) points *= size;
        std::vector<double> base;
        for (int64_t p = 0; p < points; ++p) {
          int64_t rest = p;
          for (size_t i = spatial.size(); i-- > 0; rest /= spatial[i]) {
            const auto at = static_cast<double>(rest % spatial[i]), size = static_cast<double>(spatial[i]);
            const bool corners = op.i("align_corners") != 0;
            base.push_back(!corners ? (2 * at + 1) / size - 1 : spatial[i] > 1 ? 2 * at / (size - 1) - 1 : 0);
          }
          base.push_back(1);
        }
        const auto rank = static_cast<int64_t>(spatial.size());
        const ValueId places = c.constant(c.dtype(in[0]), {points, rank + 1}, base);
        const ValueId out = c.call("einsum", {places, in[0]}, {{"equation", std::string("pk,nrk->npr")}});
        Shape shape = {c.shape(in[0])[0]};
        for (int64_t size : spatial) shape.emplace_back(size);
        shape.emplace_back(rank);
        return c.reshape(out, shape);
      });
  def.spellings = {said(typed(onnx("AffineGrid", 20), {{20, kOnnxFloats}}), {{.ours = "size", .input = 1}})};
  return def;
}

/// What a transform of `length` makes of part r (real, imaginary) of element n for part p of element k.
double dft_weight(const OpInstance& op, int64_t length, int64_t k, int64_t p, int64_t n, int64_t r) {
  const bool inverse = op.i("inverse") != 0;
  const double turn =
      2 * std::numbers::pi * static_cast<double>(k * n % length) / static_cast<double>(length);
  const double real = std::cos(turn), imaginary = (inverse ? 1 : -1) * std::sin(turn);
  double weight = p == r ? real : p == 1 ? imaginary : -imaginary;
  if (!inverse) return weight;
  if (op.i("onesided") != 0 && n > 0 && 2 * n != length) weight *= 2;  // its mirror image too
  return weight / static_cast<double>(length);
}

int64_t dft_length(const OpInstance& op) {
  if (op.has("length")) return op.i("length");
  const int64_t size = op.in_shape(0)[static_cast<size_t>(op.i("axis"))].size();
  return op.i("inverse") != 0 && op.i("onesided") != 0 ? 2 * (size - 1) : size;
}

std::string check_dft(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kFloats); !bad.empty()) return bad;
  const Shape& x = op.in_shape(0);
  if (x.size() < 2 || x.size() > 20) return "operand 0: expected rank 2 to 20, got " + print_shape(op.ctx, x);
  if (auto bad = check_axis(op.i("axis"), x.size() - 1); !bad.empty()) return bad;
  if (x.back() != Dim(1) && x.back() != Dim(2)) return "operand 0: expected a last dimension of 1 or 2";
  if (op.i("onesided") != 0 && (op.i("inverse") != 0 ? x.back() != Dim(2) : x.back() != Dim(1)))
    return "operand 0: expected real numbers, or of an inverse complex ones, where it is onesided";
  const Dim size = x[static_cast<size_t>(op.i("axis"))];
  constexpr int64_t kMost = 1 << 11;  // of the matrix that says it
  if (!size.is_static() || size.size() < 1 || size.size() > kMost || dft_length(op) < 1 ||
      dft_length(op) > kMost)
    return fmt::format("expected a length of 1 to {}", kMost);
  return {};
}

ValueId expand_dft(Builder& b, const OpInstance& op, Values in) {
  Compose c(b);
  const int64_t axis = op.i("axis"), length = dft_length(op), rank = c.rank(in[0]);
  const bool onesided = op.i("onesided") != 0, inverse = op.i("inverse") != 0;
  const int64_t parts_in = c.size(in[0], rank - 1), parts_out = onesided && inverse ? 1 : 2;
  const int64_t bins = onesided ? length / 2 + 1 : length;
  const int64_t results = onesided && !inverse ? bins : length, most = inverse ? bins : length;
  const int64_t used = std::min(c.size(in[0], axis), most);
  const ValueId x = used == c.size(in[0], axis) ? in[0] : c.slice(in[0], axis, 0, used);
  std::vector<double> matrix;
  for (int64_t k = 0; k < results; ++k)
    for (int64_t p = 0; p < parts_out; ++p)
      for (int64_t n = 0; n < used; ++n)
        for (int64_t r = 0; r < parts_in; ++r) matrix.push_back(dft_weight(op, length, k, p, n, r));
  std::string letters, result;
  for (int64_t i = 0; i < rank; ++i) letters += static_cast<char>('a' + i);
  result = letters;
  result[static_cast<size_t>(axis)] = 'K';
  result.back() = 'P';
  const std::string equation =
      fmt::format("{},KP{}{}->{}", letters, letters[static_cast<size_t>(axis)], letters.back(), result);
  const ValueId weights = c.constant(c.dtype(x), {results, parts_out, used, parts_in}, matrix);
  return c.call("einsum", {x, weights}, {{"equation", equation}});
}

OpDef dft() {
  OpDef def = composed("dft", 1, {},
                       "The discrete Fourier transform along `axis` of x [.., 1 or 2] (real, or real and "
                       "imaginary parts), or its "
                       "inverse; onesided: the first half of a real transform, or of an inverse what that "
                       "half is of. `length`: "
                       "to which x is cut or filled with 0 first.",
                       {axis_attr(),
                        int_attr("inverse", 0),
                        int_attr("onesided", 0),
                        {.name = "length", .kind = AttrKind::kInt, .optional = true}},
                       check_dft, expand_dft);
  const std::vector<AttrSpelling> first = {{.ours = "length", .input = 1, .scalar = true},
                                           {.ours = "axis", .unsaid = 1},
                                           {.ours = "inverse"},
                                           {.ours = "onesided"}},
                                  second = {{.ours = "length", .input = 1, .scalar = true},
                                            {.ours = "axis", .unsaid = -2, .input = 2, .scalar = true},
                                            {.ours = "inverse"},
                                            {.ours = "onesided"}};
  def.spellings = {said(typed(onnx("DFT", 17, 19), floats_bfloat_since(17)), first),
                   said(typed(onnx("DFT", 20), floats_bfloat_since(20)), second)};
  return def;
}

std::string check_col2im(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kFloats); !bad.empty()) return bad;
  if (auto bad = check_rank(op, 0, 3); !bad.empty()) return bad;
  if (auto bad = check_known(op, 0); !bad.empty()) return bad;
  const size_t rank = op.ints("image").size();
  if (rank < 1 || rank > 3) return fmt::format("expected an image of 1 to 3 dimensions, got {}", rank);
  for (const char* attr : {"block", "strides", "dilations"})
    if (auto bad = check_count(op, attr, rank); !bad.empty()) return bad;
  if (auto bad = check_count(op, "pads", 2 * rank); !bad.empty()) return bad;
  int64_t taps = 1, columns = 1;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t block = op.ints("block")[i], stride = op.ints("strides")[i], pace = op.ints("dilations")[i];
    if (block < 1 || stride < 1 || pace < 1) return "expected blocks, strides and dilations of at least 1";
    const int64_t room =
        op.ints("image")[i] + op.ints("pads")[i] + op.ints("pads")[i + rank] - (block - 1) * pace - 1;
    if (room < 0) return fmt::format("expected a block within dimension {}", i);
    taps *= block;
    columns *= room / stride + 1;
  }
  const Shape& x = op.in_shape(0);
  const bool fits = x[1].size() % taps == 0 && x[2].size() == columns;
  return fits ? "" : fmt::format("operand 0: expected {} columns of blocks of {}", columns, taps);
}

/// A transposed convolution whose weights put each element of a block at its place.
ValueId expand_col2im(Builder& b, const OpInstance& op, Values in) {
  Compose c(b);
  const std::vector<int64_t>&image = op.ints("image"), &block = op.ints("block");
  const size_t rank = image.size();
  int64_t taps = 1;
  for (int64_t size : block) taps *= size;
  const int64_t channels = c.size(in[0], 1) / taps;
  Shape columns = {c.shape(in[0])[0], c.shape(in[0])[1]};
  std::vector<int64_t> left;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t room = image[i] + op.ints("pads")[i] + op.ints("pads")[i + rank] -
                         (block[i] - 1) * op.ints("dilations")[i] - 1;
    columns.emplace_back(room / op.ints("strides")[i] + 1);
    left.push_back(room % op.ints("strides")[i]);
  }
  std::vector<double> weights(static_cast<size_t>(channels * taps * taps), 0.0);
  for (int64_t i = 0; i < channels * taps; ++i) weights[static_cast<size_t>(i * taps + i % taps)] = 1;
  std::vector<int64_t> sizes = {channels * taps, 1};
  sizes.insert(sizes.end(), block.begin(), block.end());
  return c.call("conv_transpose", {c.reshape(in[0], columns), c.constant(c.dtype(in[0]), sizes, weights)},
                {{"strides", op.ints("strides")},
                 {"dilations", op.ints("dilations")},
                 {"pads", op.ints("pads")},
                 {"output_padding", left},
                 {"group", channels}});
}

OpDef col2im() {
  OpDef def =
      composed("col2im", 1, {},
               "An image of which x [N, C block elements, columns] holds all blocks, one a column: the sum "
               "of what lies at each place.",
               {ints_attr("image"), ints_attr("block"), ints_attr("strides"), ints_attr("dilations"),
                ints_attr("pads")},
               check_col2im, expand_col2im);
  def.spellings = {onnx_irregular("Col2Im", 18)};
  return def;
}

}  // namespace

void register_sampling(OpTable& table) {
  table.add(grid_sample());
  table.add(affine_grid());
  table.add(dft());
  table.add(col2im());
}

}  // namespace isomer::ir::ops
