// Images of another size: each resized axis is multiplied by a matrix of weights (or, where elements are only
// picked, gathered), which the sizes and the attributes say. Axes are resized one after the other: all ways
// of interpolation that ONNX knows are products of one for each axis.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/op_table.h"
#include "ir/ops/composed.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {
namespace {

/// What happens to one axis.
struct Axis {
  int64_t in = 0, out = 0;
  float scale = 1, start = 0, end = 1;  ///< start and end of the region that is looked at
};

/// The place in the operand that a place of the result comes from. In single precision, as the scales are and
/// as runtimes compute it: which element is the nearest one may hang on it.
float source(const OpInstance& op, const Axis& a, float x) {
  const std::string& way = op.s("coordinates");
  const auto in = static_cast<float>(a.in), out = static_cast<float>(a.out);
  const float half = (x + 0.5F) / a.scale - 0.5F;
  if (way == "asymmetric") return x / a.scale;
  if (way == "align_corners") return a.out > 1 ? x * (in - 1) / (out - 1) : 0;
  if (way == "pytorch_half_pixel") return a.out > 1 ? half : 0;
  if (way == "tf_half_pixel_for_nn") return (x + 0.5F) / a.scale;
  if (way == "half_pixel_symmetric") return in / 2 * (1 - out / (a.scale * in)) + half;
  if (way != "tf_crop_and_resize") return half;
  if (a.out == 1) return 0.5F * (a.start + a.end) * (in - 1);
  return a.start * (in - 1) + x * (a.end - a.start) * (in - 1) / (out - 1);
}

int64_t nearest(const OpInstance& op, double x) {
  const std::string& way = op.s("nearest");
  if (way == "floor") return static_cast<int64_t>(std::floor(x));
  if (way == "ceil") return static_cast<int64_t>(std::ceil(x));
  if (way == "round_prefer_ceil") return static_cast<int64_t>(std::floor(x + 0.5));
  return static_cast<int64_t>(std::ceil(x - 0.5));
}

/// Weight of an element at this distance.
double kernel(const OpInstance& op, double distance) {
  const double x = std::abs(distance);
  if (op.s("mode") == "linear") return std::max(0.0, 1 - x);
  const double a = op.f("cubic_a");  // Keys 1981
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// Weights of the operand's elements for one of the result; what lies outside counts for the edge, or not.
std::vector<double> weights_at(const OpInstance& op, const Axis& a, double x) {
  const double reach = op.s("mode") == "linear" ? 1 : 2;
  const double pace = op.i("antialias") != 0 ? std::min<double>(a.scale, 1) : 1;
  const auto first = static_cast<int64_t>(std::floor(x - reach / pace)),
             last = first + 1 + static_cast<int64_t>(std::ceil(2 * reach / pace));
  std::vector<double> out(static_cast<size_t>(a.in), 0.0);
  double sum = 0;
  for (int64_t i = first; i <= last; ++i) {
    const bool outside = i < 0 || i >= a.in;
    if (outside && op.i("exclude_outside") != 0) continue;
    const double weight = kernel(op, (static_cast<double>(i) - x) * pace);
    out[static_cast<size_t>(std::clamp<int64_t>(i, 0, a.in - 1))] += weight;
    sum += weight;
  }
  for (double& weight : out) weight /= sum;
  return out;
}

ValueId resized(Compose& c, const OpInstance& op, ValueId x, int64_t axis, const Axis& a) {
  if (op.s("mode") == "nearest") {
    std::vector<double> places;
    for (int64_t i = 0; i < a.out; ++i)
      places.push_back(static_cast<double>(
          std::clamp<int64_t>(nearest(op, source(op, a, static_cast<float>(i))), 0, a.in - 1)));
    return c.call("gather", {x, c.constant(DType::kI64, {a.out}, places)}, {{"axis", axis}});
  }
  std::vector<double> matrix;
  for (int64_t i = 0; i < a.out; ++i)
    for (double weight : weights_at(op, a, source(op, a, static_cast<float>(i)))) matrix.push_back(weight);
  std::string letters, result;
  for (int64_t i = 0; i < c.rank(x); ++i) letters += static_cast<char>('a' + i);
  result = letters;
  result[static_cast<size_t>(axis)] = 'Z';
  const std::string equation = fmt::format("{},Z{}->{}", letters, letters[static_cast<size_t>(axis)], result);
  return c.call("einsum", {x, c.constant(c.dtype(x), {a.out, a.in}, matrix)}, {{"equation", equation}});
}

/// 1 where a place of the result comes from within the operand.
ValueId within(Compose& c, const OpInstance& op, int64_t axis, int64_t rank, const Axis& a) {
  std::vector<double> inside;
  for (int64_t i = 0; i < a.out; ++i) {
    const float x = source(op, a, static_cast<float>(i));
    inside.push_back(x >= 0 && x <= static_cast<float>(a.in - 1) ? 1 : 0);
  }
  std::vector<int64_t> sizes(static_cast<size_t>(rank), 1);
  sizes[static_cast<size_t>(axis)] = a.out;
  return c.constant(DType::kBool, sizes, inside);
}

/// What happens to each of `axes`. The attributes have been checked.
std::vector<Axis> axes_of(const OpInstance& op) {
  const std::vector<int64_t>&axes = op.ints("axes"), &sizes = op.ints("sizes");
  const std::vector<double>&scales = op.floats("scales"), &region = op.floats("region");
  std::vector<Axis> out(axes.size());
  const std::string& policy = op.s("policy");
  float common = policy == "not_larger" ? HUGE_VALF : 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    Axis& a = out[i];
    a.in = op.in_shape(0)[static_cast<size_t>(axes[i])].size();
    const auto in = static_cast<float>(a.in);
    a.scale = scales.empty() ? static_cast<float>(sizes[i]) / in : static_cast<float>(scales[i]);
    a.out = scales.empty() ? sizes[i] : static_cast<int64_t>(std::floor(in * a.scale));
    if (!region.empty()) {
      a.start = static_cast<float>(region[i]);
      a.end = static_cast<float>(region[i + axes.size()]);
    }
    common = policy == "not_larger" ? std::min(common, a.scale) : std::max(common, a.scale);
  }
  for (Axis& a : out) {
    if (policy == "stretch" || !scales.empty()) continue;
    a.scale = common;
    a.out = static_cast<int64_t>(std::floor(static_cast<float>(a.in) * common + 0.5F));
  }
  return out;
}

std::string check_resize(const OpInstance& op) {
  const bool picks = op.s("mode") == "nearest";
  if (auto bad = check_operand(op, 0, picks ? Takes::kAny : Takes::kFloats); !bad.empty()) return bad;
  constexpr size_t kMostDimensions = 20;  // letters
  if (op.in_shape(0).size() > kMostDimensions) return "operand 0: expected at most 20 dimensions";
  const std::vector<int64_t>& axes = op.ints("axes");
  std::vector<int64_t> sorted = axes;
  std::ranges::sort(sorted);
  if (auto bad = check_axes(sorted, op.in_shape(0).size()); !bad.empty()) return bad;
  const std::vector<double>&scales = op.floats("scales"), &region = op.floats("region");
  const bool by_sizes = scales.empty();
  if (by_sizes ? op.ints("sizes").size() != axes.size()
               : !op.ints("sizes").empty() || scales.size() != axes.size())
    return "expected either a size or a scale for each axis";
  const bool crops = op.s("coordinates") == "tf_crop_and_resize";
  if (region.size() != (crops ? 2 * axes.size() : 0))
    return "expected a region where it crops, and only there";
  for (int64_t axis : axes) {
    const Dim d = op.in_shape(0)[static_cast<size_t>(axis)];
    if (!d.is_static() || d.size() < 1)
      return fmt::format("expected dimension {} of a known size above 0", axis);
  }
  for (const Axis& a : axes_of(op))
    if (!(a.scale > 0) || a.out < 1 || a.out > (1 << 20))
      return fmt::format("expected results of 1 to 2^20, got {}", a.out);
  return {};
}

ValueId expand_resize(Builder& b, const OpInstance& op, Values in) {
  Compose c(b);
  ValueId x = in[0], inside;
  const std::vector<int64_t>& axes = op.ints("axes");
  const std::vector<Axis> each = axes_of(op);
  const bool crops = op.s("coordinates") == "tf_crop_and_resize";
  for (size_t i = 0; i < axes.size(); ++i) {
    if (each[i].in == each[i].out && each[i].scale == 1 && !crops) continue;
    x = resized(c, op, x, axes[i], each[i]);
    if (!crops) continue;
    const ValueId here = within(c, op, axes[i], c.rank(x), each[i]);
    inside = inside.valid() ? c.both("and", inside, here) : here;
  }
  if (!inside.valid()) return x;
  return c.where(inside, x, filled(b, c.dtype(x), op.f("outside"), {}));
}

AttrSpec floats_attr(std::string name) {
  return {.name = std::move(name), .kind = AttrKind::kFloats, .fallback = std::vector<double>()};
}

}  // namespace

void register_resize(OpTable& table) {
  OpDef def = composed(
      "resize", 1, {},
      "x with `axes` of other sizes: `sizes`, or floor(size scale) by `scales`. "
      "Interpolated, by linear or cubic weights, or the nearest element; coordinates as ONNX's Resize names "
      "them; `outside` is what a region that is cropped has beyond x.",
      {ints_attr("axes"), ints_attr("sizes"), floats_attr("scales"),
       string_attr("mode", "nearest", {"nearest", "linear", "cubic"}),
       string_attr("coordinates", "half_pixel",
                   {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
                    "tf_half_pixel_for_nn", "tf_crop_and_resize"}),
       string_attr("nearest", "round_prefer_floor",
                   {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}),
       float_attr("cubic_a", -0.75f), int_attr("exclude_outside", 0), int_attr("antialias", 0),
       string_attr("policy", "stretch", {"stretch", "not_larger", "not_smaller"}), floats_attr("region"),
       float_attr("outside", 0.0f)},
      check_resize, expand_resize);
  constexpr DTypeSet kFirst = kOnnxFloats | dtype_set(DType::kI32);
  def.spellings = {typed(onnx_irregular("Resize", 11), {{11, kFirst}, {13, kFirst | kOnnxBytes}})};
  table.add(std::move(def));
}

}  // namespace isomer::ir::ops
