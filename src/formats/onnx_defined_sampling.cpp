// What looks at an image at places that other tensors hold, or keeps the places of maxima. RoiAlign is He et
// al.'s (Mask R-CNN, 2017), DeformConv Dai et al.'s (2017) and, with a mask, Zhu et al.'s (2019).
#include <onnx-ml.pb.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "formats/onnx_defined.h"
#include "formats/onnx_types.h"

namespace isomer::formats {
namespace {

using Ints = std::vector<int64_t>;
using ir::Dim;
using ir::DType;
using ir::Shape;
using ir::ValueId;

constexpr int64_t kMostPlaces = 1 << 22;  // that are written down one by one

int64_t product(const Ints& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

/// One of two elements between which a place lies, and how much of it counts.
struct Tap {
  ValueId at, weight;
};

/// Elements of x [.., channels, height width] at the taps along both dimensions, each weighed: `y` and `x`
/// have the shape of the places [.., points]. `combine` of terms.
ValueId weighed(Defining& d, ValueId flat, const std::vector<Tap>& y, const std::vector<Tap>& x,
                int64_t width, std::string_view combine) {
  ir::ops::Compose& c = d.c;
  const Shape& shape = c.shape(flat);
  const auto rank = static_cast<int64_t>(shape.size());
  const double last = static_cast<double>(c.size(flat, rank - 1)) - 1;
  ValueId out;
  for (const Tap& row : y)
    for (const Tap& column : x) {
      const ValueId at = c.both("add", c.with("mul", row.at, static_cast<double>(width)), column.at);
      // Held to the tensor as integers too: over a field numbers have no order.
      const ValueId place = c.with("min", c.with("max", c.cast(at, DType::kI64), 0), last);
      Shape wide = shape;
      wide.back() = c.shape(place).back();
      const ValueId places = c.spread(c.unsqueeze(place, {rank - 2}), wide);
      const ValueId picked = c.call("gather_elements", {flat, places}, {{"axis", rank - 1}});
      const ValueId weight = c.unsqueeze(c.both("mul", row.weight, column.weight), {rank - 2});
      const ValueId term = c.both("mul", picked, weight);
      out = out.valid() ? c.call(combine, {out, term}) : term;
    }
  return out;
}

/// 1 less x
ValueId rest(ir::ops::Compose& c, ValueId x) { return c.with("add", c.call("neg", {x}), 1); }

// --- RoiAlign

/// Within one element beyond the image the border counts, further out nothing.
std::vector<Tap> bordered(Defining& d, ValueId at, int64_t extent) {
  ir::ops::Compose& c = d.c;
  const auto size = static_cast<double>(extent);
  const ValueId inside =
      c.cast(c.call("and", {c.with("greater_equal", at, -1), c.with("less_equal", at, size)}), c.dtype(at));
  const ValueId held = c.with("max", at, 0), low = c.call("floor", {held});
  const ValueId beyond = c.with("greater_equal", low, size - 1);
  const ValueId part = c.where(beyond, c.with("mul", inside, 0), c.call("sub", {held, low}));
  const ValueId first = c.with("min", low, size - 1),
                second = c.with("min", c.with("add", first, 1), size - 1);
  return {{first, c.call("mul", {rest(c, part), inside})}, {second, c.call("mul", {part, inside})}};
}

ValueId roi_align(Defining& d) {
  ir::ops::Compose& c = d.c;
  constexpr int64_t kHalfPixels = 16;  // since then said, and meant where it is not
  const std::string centres = d.r.s("coordinate_transformation_mode",
                                    d.r.opset() >= kHalfPixels ? "half_pixel" : "output_half_pixel");
  const std::string mode = d.r.s("mode", "avg");
  const int64_t samples = d.r.i("sampling_ratio", 0);
  const Ints out = {d.r.i("output_height", 1), d.r.i("output_width", 1)};
  constexpr int64_t kMost = 1 << 10;  // of samples along a dimension
  const double scale = d.r.f("spatial_scale", 1), offset = centres == "half_pixel" ? 0.5 : 0;
  if (d.r.rank(0) != 4 || d.r.rank(1) != 2 || d.r.rank(2) != 1)
    return d.r.fail("expected images, boxes and batches");
  if (samples < 1) return d.r.fail("how many samples it takes depends on its boxes");
  if (out[0] < 1 || out[1] < 1 || samples > kMost || out[0] > kMost / samples || out[1] > kMost / samples)
    return d.r.fail("its samples are too many");
  const Shape x = d.r.shape(0);
  const int64_t boxes = d.r.shape(1)[0].size(), height = x[2].size(), width = x[3].size();
  const ValueId images = c.reshape(c.call("gather", {d.r.in(0), d.r.in(2)}, {{"axis", int64_t{0}}}),
                                   {Dim(boxes), x[1], Dim(height * width)});
  const auto corner = [&](int64_t at) {
    return c.with("add", c.with("mul", c.slice(d.r.in(1), 1, at, at + 1), scale), -offset);
  };
  std::vector<ValueId> along;
  for (int64_t dim : {0, 1}) {  // y, x; boxes are x, y, x, y
    const ValueId start = corner(1 - dim);
    ValueId extent = c.call("sub", {corner(3 - dim), start});
    if (offset == 0) extent = c.with("max", extent, 1);  // as the paper's code had it
    const int64_t count = out[static_cast<size_t>(dim)] * samples;
    const ValueId steps = c.with("add", c.count_along(c.dtype(start), count, 1, 2), 0.5);
    const ValueId pace = c.with("div", extent, static_cast<double>(count));
    along.push_back(c.both("add", start, c.both("mul", pace, steps)));
  }
  const int64_t rows = out[0] * samples, columns = out[1] * samples;
  std::vector<Tap> y = bordered(d, along[0], height), x_taps = bordered(d, along[1], width);
  const Shape grid = {Dim(boxes), Dim(rows), Dim(columns)};
  for (auto* taps : {&y, &x_taps})
    for (Tap& tap : *taps)
      for (ValueId* v : {&tap.at, &tap.weight})
        *v = c.reshape(c.spread(c.unsqueeze(*v, {taps == &y ? 2 : 1}), grid),
                       {Dim(boxes), Dim(rows * columns)});
  const ValueId all = weighed(d, images, y, x_taps, width, mode == "max" ? "max" : "add");
  const ValueId split =
      c.reshape(all, {Dim(boxes), x[1], Dim(out[0]), Dim(samples), Dim(out[1]), Dim(samples)});
  return c.reduce(mode == "max" ? "reduce_max" : "reduce_mean", split, {3, 5}, false);
}

// --- DeformConv

/// Outside the image nothing counts.
std::vector<Tap> between(Defining& d, ValueId at, int64_t extent) {
  ir::ops::Compose& c = d.c;
  const double last = static_cast<double>(extent) - 1;
  const ValueId low = c.call("floor", {at}), part = c.call("sub", {at, low});
  const auto held = [&](ValueId place, ValueId weight) {
    const ValueId inside = c.cast(
        c.call("and", {c.with("greater_equal", place, 0), c.with("less_equal", place, last)}), c.dtype(at));
    return Tap{c.call("clip", {place}, {{"min", 0.0}, {"max", last}}), c.call("mul", {weight, inside})};
  };
  return {held(low, rest(c, part)), held(c.with("add", low, 1), part)};
}

struct Window {
  Ints kernel, strides, dilations, pads;

  /// Of so many results its taps can be told one by one.
  bool is_small(const Ints& out) const {
    int64_t count = 1;
    for (const Ints* sizes : {&kernel, &out})
      for (int64_t size : *sizes) {
        if (size < 1 || size > kMostPlaces / count) return false;
        count *= size;
      }
    return true;
  }
};

Window window_of(NodeReader& r, const Ints& kernel) {
  const Ints ones(kernel.size(), 1), zeros(2 * kernel.size(), 0);
  Window w{r.ints("kernel_shape").value_or(kernel), r.ints("strides").value_or(ones),
           r.ints("dilations").value_or(ones), r.ints("pads").value_or(zeros)};
  if (w.kernel.size() != kernel.size() || w.strides.size() != kernel.size() ||
      w.dilations.size() != kernel.size() || w.pads.size() != 2 * kernel.size())
    r.fail("its window does not fit its input");
  return w;
}

/// Where each tap of the kernel would lie for each result: [taps, points].
ValueId regular_places(Defining& d, const Window& w, const Ints& out, size_t dim, DType dtype) {
  std::vector<double> places;
  for (int64_t tap = 0; tap < product(w.kernel); ++tap)
    for (int64_t point = 0; point < product(out); ++point) {
      const int64_t k = dim == 0 ? tap / w.kernel[1] : tap % w.kernel[1];
      const int64_t o = dim == 0 ? point / out[1] : point % out[1];
      places.push_back(static_cast<double>(o * w.strides[dim] - w.pads[dim] + k * w.dilations[dim]));
    }
  return d.c.constant(dtype, {1, 1, product(w.kernel), product(out)}, places);
}

ValueId deform_conv(Defining& d) {
  ir::ops::Compose& c = d.c;
  const int64_t groups = d.r.i("group", 1), spread = d.r.i("offset_group", 1);
  if (d.r.rank(0) != 4 || d.r.rank(1) != 4 || d.r.rank(2) != 4)
    return d.r.fail("expected two spatial dimensions");
  const Shape x = d.r.shape(0), weights = d.r.shape(1), offsets = d.r.shape(2);
  const Window w = window_of(d.r, {weights[2].size(), weights[3].size()});
  const int64_t batches = x[0].size(), channels = x[1].size(), results = weights[0].size();
  const Ints out = {offsets[2].size(), offsets[3].size()};
  if (d.r.failed()) return {};
  if (!w.is_small(out)) return d.r.fail("its places are too many");
  const int64_t taps = product(w.kernel), points = product(out);
  if (groups < 1 || spread < 1 || channels % groups != 0 || channels % spread != 0 || results % groups != 0 ||
      weights[1].size() * groups != channels || offsets[1].size() != spread * taps * 2)
    return d.r.fail("its groups do not fit its input");
  const ValueId moved = c.reshape(d.r.in(2), {Dim(batches), Dim(spread), Dim(taps), Dim(2), Dim(points)});
  std::vector<std::vector<Tap>> along;
  for (size_t dim : {size_t{0}, size_t{1}}) {
    const auto axis = static_cast<int64_t>(dim);
    const ValueId by = c.squeeze(c.slice(moved, 3, axis, axis + 1), {3});
    const ValueId at = c.both("add", by, regular_places(d, w, out, dim, d.r.dtype(0)));
    along.push_back(
        between(d, c.reshape(at, {Dim(batches), Dim(spread), Dim(taps * points)}), x[dim + 2].size()));
  }
  const ValueId flat = c.reshape(
      d.r.in(0), {Dim(batches), Dim(spread), Dim(channels / spread), Dim(x[2].size() * x[3].size())});
  ValueId sampled = weighed(d, flat, along[0], along[1], x[3].size(), "add");
  if (d.r.has(4))
    sampled =
        c.both("mul", sampled, c.reshape(d.r.in(4), {Dim(batches), Dim(spread), Dim(1), Dim(taps * points)}));
  const int64_t depth = channels / groups * taps;
  const ValueId columns = c.reshape(sampled, {Dim(batches), Dim(groups), Dim(depth), Dim(points)});
  const ValueId matrix = c.reshape(d.r.in(1), {Dim(groups), Dim(results / groups), Dim(depth)});
  const ValueId all = c.call("einsum", {matrix, columns}, {{"equation", std::string("gok,ngkp->ngop")}});
  const ValueId image = c.reshape(all, {Dim(batches), Dim(results), Dim(out[0]), Dim(out[1])});
  return d.r.has(3) ? c.both("add", image, c.reshape(d.r.in(3), {Dim(1), Dim(results), Dim(1), Dim(1)}))
                    : image;
}

// --- MaxPool with places, MaxUnpool

/// Numbers of the elements that a tap of the window meets, of one image, row-major or column-major.
std::vector<double> numbers_at(const Window& w, const Ints& in, const Ints& out, const Ints& tap,
                               bool by_columns) {
  std::vector<double> numbers;
  for (int64_t point = 0; point < product(out); ++point) {
    Ints at(out.size());
    int64_t rest = point;
    for (size_t i = out.size(); i-- > 0; rest /= out[i])
      at[i] = rest % out[i] * w.strides[i] + tap[i] * w.dilations[i] - w.pads[i];
    int64_t number = 0;
    for (size_t i = 0; i < out.size(); ++i) {
      const size_t dim = by_columns ? out.size() - 1 - i : i;
      number = number * in[dim] + at[dim];
    }
    numbers.push_back(static_cast<double>(number));
  }
  return numbers;
}

/// The first of the largest elements counts: taps are compared in their order.
ValueId max_pool_places(Defining& d) {
  ir::ops::Compose& c = d.c;
  const auto kernel = d.r.ints("kernel_shape");
  const bool by_columns = d.r.i("storage_order", 0) != 0;
  if (!kernel || kernel->size() > 3 || static_cast<int64_t>(kernel->size()) + 2 != d.r.rank(0))
    return d.r.fail("its window is not known");
  const Window w = window_of(d.r, *kernel);
  if (d.r.s("auto_pad", "NOTSET") != "NOTSET" || d.r.i("ceil_mode", 0) != 0)
    return d.r.fail("the padding of a window with places");
  if (d.r.failed() || !ir::is_float(d.r.dtype(0))) return d.r.fail("places of maxima of integers");
  const ValueId pooled = c.call("max_pool", {d.r.in(0)},
                                {{"kernel", w.kernel},
                                 {"strides", w.strides},
                                 {"dilations", w.dilations},
                                 {"pads", w.pads},
                                 {"ceil_mode", int64_t{0}}});
  const Shape x = d.r.shape(0), y = c.shape(pooled);
  const size_t rank = kernel->size();
  Ints in, out, pads = {0, 0}, axes;
  for (size_t i = 0; i < rank; ++i) {
    in.push_back(x[i + 2].size());
    out.push_back(y[i + 2].size());
    pads.push_back(w.pads[i]);
    axes.push_back(static_cast<int64_t>(i) + 2);
  }
  if (!w.is_small(out) || x[0].size() > kMostPlaces ||
      x[1].size() > kMostPlaces / std::max<int64_t>(x[0].size(), 1))
    return d.r.fail("its places are too many");
  pads.insert(pads.end(), {0, 0});
  pads.insert(pads.end(), w.pads.begin() + static_cast<std::ptrdiff_t>(rank), w.pads.end());
  const double least = -std::numeric_limits<double>::infinity();
  const ValueId padded =
      c.call("pad", {d.r.in(0)}, {{"pads", pads}, {"mode", std::string("constant")}, {"value", least}});
  Ints sizes = {1, 1};
  sizes.insert(sizes.end(), out.begin(), out.end());
  ValueId best, place;
  for (int64_t t = 0; t < product(w.kernel); ++t) {
    Ints tap(rank), starts, ends;
    int64_t rest = t;
    for (size_t i = rank; i-- > 0; rest /= w.kernel[i]) tap[i] = rest % w.kernel[i];
    for (size_t i = 0; i < rank; ++i) {
      starts.push_back(tap[i] * w.dilations[i]);
      ends.push_back(starts.back() + (out[i] - 1) * w.strides[i] + 1);
    }
    const ValueId values =
        c.call("slice", {padded}, {{"axes", axes}, {"starts", starts}, {"ends", ends}, {"steps", w.strides}});
    const ValueId numbers =
        c.spread(c.constant(DType::kI64, sizes, numbers_at(w, in, out, tap, by_columns)), y);
    const ValueId better = best.valid() ? c.call("greater", {values, best}) : ValueId();
    best = best.valid() ? c.call("where", {better, values, best}) : values;
    place = place.valid() ? c.call("where", {better, numbers, place}) : numbers;
  }
  Ints image(2 + rank, 1);
  image[0] = x[0].size();
  image[1] = x[1].size();
  std::vector<double> first(static_cast<size_t>(image[0] * image[1]));
  for (size_t i = 0; i < first.size(); ++i)
    first[i] = static_cast<double>(i) * static_cast<double>(product(in));
  return c.call("tuple", {pooled, c.both("add", place, c.constant(DType::kI64, image, first))});
}

ValueId max_unpool(Defining& d) {
  ir::ops::Compose& c = d.c;
  const auto kernel = d.r.ints("kernel_shape");
  if (!kernel || static_cast<int64_t>(kernel->size()) + 2 != d.r.rank(0))
    return d.r.fail("its window is not known");
  const Window w = window_of(d.r, *kernel);
  const auto asked = d.r.const_ints(2);
  if (d.r.has(2) && !asked) return d.r.fail("its shape is not constant");
  if (d.r.failed()) return {};
  const Shape x = d.r.shape(0);
  Shape whole = {x[0], x[1]};
  for (size_t i = 0; i < kernel->size(); ++i) {
    constexpr int64_t kMost = 1 << 20;
    for (int64_t size :
         {x[i + 2].size(), w.strides[i], w.kernel[i], w.pads[i] + 1, w.pads[i + kernel->size()] + 1})
      if (size < 1 || size > kMost) return d.r.fail("its window is out of range");
    const int64_t size =
        (x[i + 2].size() - 1) * w.strides[i] - w.pads[i] - w.pads[i + kernel->size()] + w.kernel[i];
    if (size < 1) return d.r.fail("its window is out of range");
    whole.emplace_back(size);
  }
  if (!is_countable(c.builder().context(), c.builder().context().tensor_type(d.r.dtype(0), whole)))
    return d.r.fail("its result is too large");
  const Shape flat = {Dim(ir::element_count(x))};
  const ValueId nothing = ir::ops::filled(c.builder(), d.r.dtype(0), 0, {Dim(ir::element_count(whole))});
  const ValueId placed =
      c.call("scatter_elements", {nothing, c.reshape(d.r.in(1), flat), c.reshape(d.r.in(0), flat)},
             {{"axis", int64_t{0}}, {"reduction", std::string("none")}});
  const ValueId out = c.reshape(placed, whole);
  if (!asked) return out;
  Ints pads(2 * whole.size(), 0);
  for (size_t i = 0; i < whole.size() && asked->size() == whole.size(); ++i)
    pads[whole.size() + i] = (*asked)[i] - whole[i].size();
  if (asked->size() != whole.size() || *std::ranges::min_element(pads) < 0)
    return d.r.fail("a shape that is smaller than what it holds");
  return c.call("pad", {out}, {{"pads", pads}, {"mode", std::string("constant")}, {"value", 0.0}});
}

}  // namespace

void define_sampling(Definitions& t) {
  t[{"", "RoiAlign"}] = roi_align;
  t[{"", "DeformConv"}] = deform_conv;
  t[{"", "MaxPool"}] = max_pool_places;
  t[{"", "MaxUnpool"}] = max_unpool;
}

}  // namespace isomer::formats
