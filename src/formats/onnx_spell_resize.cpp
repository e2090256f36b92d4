// Resize: whole multiples of nearest elements are `upsample`, all else is `resize`. Sizes, scales and regions
// are inputs of the node and must be constants.
#include <onnx-ml.pb.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "formats/onnx_run_time_sizes.h"
#include "formats/onnx_spell.h"
#include "ir/op_table.h"

namespace isomer::formats {
bool has_doubtful_size(const ir::Shape& shape, const std::vector<int64_t>& axes,
                       const std::vector<double>& scales) {
  for (size_t i = 0; i < std::min(axes.size(), scales.size()); ++i) {
    const ir::Dim d = shape[static_cast<size_t>(axes[i])];
    if (!d.is_static()) continue;
    const auto in = static_cast<double>(d.size());
    const float single = static_cast<float>(in) * static_cast<float>(scales[i]);
    if (std::floor(in * scales[i]) != std::floor(static_cast<double>(single))) return true;
  }
  return false;
}

namespace {

using Ints = std::vector<int64_t>;
using ir::ValueId;

/// What a node asks for, each axis that it names in its order.
struct Asked {
  Ints axes, sizes;
  std::vector<double> scales, region;
};

std::optional<std::vector<double>> listed(NodeReader& r, size_t input) {
  if (!r.has(input)) return std::vector<double>();
  if (const auto numbers = r.const_numbers(input)) return numbers;
  return r.shape(input) == ir::Shape{ir::Dim(0)} ? std::optional(std::vector<double>()) : std::nullopt;
}

/// Those of axes that keep theirs, by its name, are left out, and so are these.
void read_sizes(NodeReader& r, bool stretched, Asked& asked) {
  const auto sizes = r.sizes(3);
  if (!sizes || sizes->size() != asked.axes.size()) {
    r.fail("its sizes are not constant");
    return;
  }
  Ints axes;
  for (size_t i = 0; i < sizes->size(); ++i) {
    const ir::Size& size = (*sizes)[i];
    if (size.is_number()) {
      axes.push_back(asked.axes[i]);
      asked.sizes.push_back(size.number());
    } else if (!stretched || !r.dim(size).same(r.shape(0)[static_cast<size_t>(asked.axes[i])])) {
      r.fail("its sizes are not constant");
    }
  }
  if (axes.empty()) r.fail("all dimensions keep their names");
  asked.axes = axes;
}

Asked read_asked(NodeReader& r, bool stretched) {
  Asked out;
  const int64_t rank = r.rank(0);
  const auto axes = r.ints("axes");
  out.axes.resize(static_cast<size_t>(axes ? 0 : rank));
  std::iota(out.axes.begin(), out.axes.end(), 0);
  for (int64_t axis : axes.value_or(Ints())) out.axes.push_back(r.axis(axis, rank));
  if (r.failed()) return out;
  const auto region = listed(r, 1), scales = listed(r, 2);
  if (!region || !scales) {
    r.fail("its scales are not constant");
    return out;
  }
  out.scales = *scales;
  out.region = *region;
  if (out.scales.empty()) read_sizes(r, stretched, out);
  return out;
}

/// Without what keeps its size, which may be a name then.
void drop_kept(Asked& asked) {
  if (asked.scales.size() != asked.axes.size()) return;
  size_t left = 0;
  for (size_t i = 0; i < asked.axes.size(); ++i) {
    if (asked.scales[i] == 1) continue;
    asked.axes[left] = asked.axes[i];
    asked.scales[left++] = asked.scales[i];
  }
  if (left == 0) return;  // there would be no scales to tell from sizes
  asked.axes.resize(left);
  asked.scales.resize(left);
}

/// By how much nearest elements are repeated along each dimension; nothing where it is more than that.
std::optional<Ints> whole_factors(NodeReader& r, const Asked& asked) {
  Ints factors(static_cast<size_t>(r.rank(0)), 1);
  for (size_t i = 0; i < asked.axes.size(); ++i) {
    const auto axis = static_cast<size_t>(asked.axes[i]);
    const ir::Dim d = r.shape(0)[axis];
    if (i < asked.scales.size()) {
      if (asked.scales[i] < 1 || asked.scales[i] != std::floor(asked.scales[i])) return std::nullopt;
      factors[axis] = static_cast<int64_t>(asked.scales[i]);
    } else {
      if (i >= asked.sizes.size() || !d.is_static() || d.size() < 1 || asked.sizes[i] < d.size() ||
          asked.sizes[i] % d.size() != 0)
        return std::nullopt;
      factors[axis] = asked.sizes[i] / d.size();
    }
  }
  return factors;
}

ValueId read_resize(NodeReader& r) {
  const std::string centres = r.s("coordinate_transformation_mode", "half_pixel");
  const std::string rounding = r.s("nearest_mode", "round_prefer_floor");
  const std::string mode = r.s("mode", "nearest"), policy = r.s("keep_aspect_ratio_policy", "stretch");
  const int64_t exclude = r.i("exclude_outside", 0), antialias = r.i("antialias", 0);
  const double cubic = r.f("cubic_coeff_a", -0.75), outside = r.f("extrapolation_value", 0);
  if (r.opset() < 11) return r.fail("its coordinates are others there");
  Asked asked = read_asked(r, policy == "stretch");
  if (r.failed()) return {};
  const bool corners = centres == "asymmetric" && rounding == "floor";
  const bool middles = centres == "half_pixel" && rounding.starts_with("round_prefer");
  if (mode == "nearest" && policy == "stretch" && antialias == 0 && (corners || middles))
    if (const auto factors = whole_factors(r, asked))
      return r.add("upsample", {r.in(0)}, {{"factors", *factors}});
  if (centres == "tf_crop_and_resize") return r.fail("runtimes do not crop an axis that keeps its size");
  if (centres != "tf_half_pixel_for_nn") drop_kept(asked);
  if (has_doubtful_size(r.shape(0), asked.axes, asked.scales))
    return r.fail("runtimes differ in how large its result is");
  return r.add("resize", {r.in(0)},
               {{"axes", asked.axes},
                {"sizes", asked.sizes},
                {"scales", asked.scales},
                {"mode", mode},
                {"coordinates", centres},
                {"nearest", rounding},
                {"cubic_a", cubic},
                {"exclude_outside", exclude},
                {"antialias", antialias},
                {"policy", policy},
                {"region", std::vector<double>()},
                {"outside", outside}});
}

void write_upsample(NodeWriter& w) {
  std::vector<double> factors;
  for (int64_t f : w.op().ints("factors")) factors.push_back(static_cast<double>(f));
  const std::string region = w.opset() < 13 ? w.floats({}) : "";  // not optional there, nor used
  onnx::NodeProto& node = w.node("Resize", {w.in(0), region, w.floats(factors)});
  set(node, "coordinate_transformation_mode", std::string("asymmetric"));
  set(node, "mode", std::string("nearest"));
  set(node, "nearest_mode", std::string("floor"));
}

/// Whether the axes are all dimensions in their order, which need not be said.
bool is_all(const Ints& axes, size_t rank) {
  if (axes.size() != rank) return false;
  for (size_t i = 0; i < rank; ++i)
    if (axes[i] != static_cast<int64_t>(i)) return false;
  return true;
}

/// Of all dimensions, those that keep their size among them.
std::vector<double> all_scales(const ir::OpInstance& op) {
  std::vector<double> out(op.in_shape(0).size(), 1);
  for (size_t i = 0; i < op.ints("axes").size(); ++i)
    out[static_cast<size_t>(op.ints("axes")[i])] = op.floats("scales")[i];
  return out;
}
std::string all_sizes(NodeWriter& w) {
  std::vector<RunTimeSize> sizes;
  Ints numbers;
  for (const ir::Dim d : w.result().shape) {
    const auto axis = static_cast<int64_t>(sizes.size());
    sizes.push_back(d.is_static() ? RunTimeSize{d.size()}
                                  : RunTimeSize{0, axis});  // what has a name keeps it
    if (d.is_static()) numbers.push_back(d.size());
  }
  return numbers.size() == sizes.size() ? w.ints(numbers) : write_sizes(w, sizes);
}

void write_resize(NodeWriter& w) {
  const ir::OpInstance op = w.op();
  const bool by_scales = !op.floats("scales").empty(), crops = !op.floats("region").empty();
  const bool optional = w.opset() >= 13;
  std::vector<std::string> inputs = {w.in(0), crops      ? w.floats(op.floats("region"))
                                              : optional ? ""
                                                         : w.floats({})};
  // ONNX Runtime computes within its own layout of channels only what scales all dimensions and names no
  // axes.
  const bool names_axes = w.opset() >= 18 && (!by_scales || crops);
  const std::vector<double>& scales = op.floats("scales");
  inputs.push_back(by_scales ? w.floats(names_axes ? scales : all_scales(op)) : optional ? "" : w.floats({}));
  if (!by_scales) inputs.push_back(names_axes ? w.ints(op.ints("sizes")) : all_sizes(w));
  onnx::NodeProto& node = w.node("Resize", inputs);
  set(node, "coordinate_transformation_mode", op.s("coordinates"));
  set(node, "mode", op.s("mode"));
  set(node, "nearest_mode", op.s("nearest"));
  set(node, "cubic_coeff_a", op.f("cubic_a"));
  set(node, "exclude_outside", op.i("exclude_outside"));
  set(node, "extrapolation_value", op.f("outside"));
  if (w.opset() < 18) return;
  if (op.i("antialias") != 0) set(node, "antialias", op.i("antialias"));
  if (op.s("policy") != "stretch") set(node, "keep_aspect_ratio_policy", op.s("policy"));
  if (names_axes && !is_all(op.ints("axes"), op.in_shape(0).size())) set(node, "axes", op.ints("axes"));
}

bool can_resize(const ir::OpInstance& op, const Dialect& dialect) {
  if (!op.type(0).is_ranked_tensor()) return false;
  const bool newer = op.i("antialias") != 0 || op.s("policy") != "stretch";
  const std::string& coordinates = op.s("coordinates");
  if (coordinates == "tf_half_pixel_for_nn" && dialect.opset > 12) return false;
  return !(newer && dialect.opset < 18) && !(coordinates == "half_pixel_symmetric" && dialect.opset < 19);
}

}  // namespace

void spell_resize(Spellings& t) {
  t.reads("Resize", read_resize);
  t.writes("upsample", {write_upsample});
  t.writes("resize", {write_resize, can_resize});
}

}  // namespace isomer::formats
