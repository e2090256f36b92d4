// Operators of XLA that ONNX has no word for, or one for special cases: iota, broadcasts to named dimensions,
// reversal, slices at starts that are data (clamped), padding between elements, products over any number of
// dimensions, convolutions with dilated inputs. What they mean is what XLA's operation semantics say
// (openxla.org/xla/operation_semantics); sizes are fixed, but for those of iota, which ONNX calls Range.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"
#include "ir/ops/window.h"
#include "ir/ops/xla_words.h"

namespace isomer::ir::ops {
namespace {

constexpr int64_t kMostNumber = int64_t{1} << 20;  // of pads and factors: sums and products of them are sizes
constexpr int64_t kMostSize = int64_t{1} << 40;

/// check_operand, and that all sizes are numbers that sums can be made of.
std::string check_fixed(const OpInstance& op, size_t input, Takes set) {
  if (auto bad = check_operand(op, input, set); !bad.empty()) return bad;
  const Shape& shape = op.in_shape(input);
  if (!is_static(shape) || std::ranges::any_of(shape, [](Dim d) { return d.size() > kMostSize; }))
    return fmt::format("operand {}: expected fixed sizes of at most 2^40, got {}", input,
                       print_shape(op.ctx, shape));
  return {};
}

/// The first of the checks that says something.
std::string first_of(std::initializer_list<std::string> checks) {
  for (const std::string& bad : checks)
    if (!bad.empty()) return bad;
  return {};
}

std::vector<IndexExpr> at_axes(const std::vector<int64_t>& axes) {
  std::vector<IndexExpr> out;
  for (const int64_t axis : axes) out.push_back(IndexExpr::var(static_cast<int>(axis)));
  return out;
}

OpDef iota() {
  OpDef def = operation("iota", MeaningKind::kMovement, 0, {},
                        "Each element is its place along `axis`, in integers of type `to` (which wrap).",
                        {shape_attr("shape"), int_attr("axis", {}, AttrRole::kAxis),
                         int_attr("to", static_cast<int64_t>(DType::kI64), AttrRole::kDType)});
  def.infer = [](const OpInstance& op) {
    const Shape& shape = op.shape("shape");
    const auto to = static_cast<DType>(op.i("to"));
    if (!takes(Takes::kIntegers, to))
      return Inferred::fail(fmt::format("expected a type of integers, got {}", name(to)));
    if (std::ranges::any_of(shape, [](Dim d) { return d.is_unknown(); }))
      return Inferred::fail("expected sizes that are known, got " + print_shape(op.ctx, shape));
    if (auto bad = check_axis(op.i("axis"), shape.size()); !bad.empty()) return Inferred::fail(bad);
    return Inferred::ok(op.ctx.tensor_type(to, Shape(shape)));
  };
  def.nests = [](const OpInstance& op) {
    LoopNest nest;
    nest.space = op.out_extents();
    nest.result = scalar::cast(static_cast<DType>(op.i("to")), scalar::var(static_cast<int>(op.i("axis"))));
    return std::vector<LoopNest>{std::move(nest)};
  };
  def.spellings = {onnx_irregular("Range", 11)};
  return def;
}

OpDef broadcast_in_dim() {
  OpDef def =
      operation("broadcast_in_dim", MeaningKind::kMovement, 1, {},
                "x repeated to `shape`, of which its dimensions are `axes` (ascending, of the same sizes).",
                {ints_attr("axes", AttrRole::kPlaces), shape_attr("shape")});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    const Shape &in = op.in_shape(0), &out = op.shape("shape");
    const std::vector<int64_t>& axes = op.ints("axes");
    if (auto bad = first_of({check_axes(axes, out.size()), check_count(op, "axes", in.size())}); !bad.empty())
      return Inferred::fail(bad);
    if (std::ranges::any_of(out, [](Dim d) { return d.is_unknown(); }))
      return Inferred::fail("expected known sizes, got " + print_shape(op.ctx, out));
    for (size_t i = 0; i < in.size(); ++i)
      if (!in[i].same(out[static_cast<size_t>(axes[i])]))
        return Inferred::fail(fmt::format("expected the sizes of {} at {} of {}", print_shape(op.ctx, in),
                                          axes[i], print_shape(op.ctx, out)));
    return tensor_like(op, Shape(out));
  };
  def.nests = [](const OpInstance& op) {
    return std::vector<LoopNest>{movement(op.out_extents(), read_at(0, at_axes(op.ints("axes"))))};
  };
  def.moves = Moves::kSelects;
  def.range = RangeKind::kMove;
  return def;
}

OpDef reverse() {
  OpDef def = operation("reverse", MeaningKind::kMovement, 1, {},
                        "x from the last to the first along `axes`.", {ints_attr("axes", AttrRole::kAxes)});
  def.infer = [](const OpInstance& op) {
    const std::string bad = check_operand(op, 0, Takes::kAny);
    if (!bad.empty()) return Inferred::fail(bad);
    const std::string axes = check_axes(op.ints("axes"), op.in_shape(0).size());
    return axes.empty() ? Inferred::ok(op.inputs[0]) : Inferred::fail(axes);
  };
  def.nests = [](const OpInstance& op) {
    const std::vector<Size> in = op.in_extents(0);
    std::vector<IndexExpr> index = index_vars(0, static_cast<int>(in.size()));
    for (const int64_t axis : op.ints("axes")) {
      const auto i = static_cast<size_t>(axis);
      index[i] = IndexExpr(in[i] - 1) - index[i];
    }
    return std::vector<LoopNest>{movement(op.out_extents(), read_at(0, std::move(index)))};
  };
  def.moves = Moves::kSelects;
  def.range = RangeKind::kMove;
  return def;
}

/// That operand `input` is a vector of as many integers as x has dimensions.
std::string check_starts(const OpInstance& op, size_t input) {
  if (auto bad = check_fixed(op, input, Takes::kIntegers); !bad.empty()) return bad;
  if (op.in_dtype(input) == DType::kU64) return "expected integers that int64 holds, found u64";
  return check_shape(op, input, {Dim(static_cast<int64_t>(op.in_shape(0).size()))});
}

/// Some that are clamped and some that are not, whatever is sliced.
Wish starts_wish(size_t operand) {
  constexpr double kBefore = -2, kBeyond = 7;
  return {operand, "starts of", kBefore, kBeyond, kBefore, kBeyond};
}

/// Read number `read` of the nest is where x is cut in dimension i; held so that `taken` elements fit.
IndexExpr start_index(int read, int64_t size, int64_t taken) {
  return min(max(IndexExpr::load(read), 0), size - taken);
}
void read_starts(LoopNest& nest, int input, size_t rank) {
  for (size_t i = 0; i < rank; ++i) nest.reads.push_back(read_at(input, {static_cast<int64_t>(i)}));
}

OpDef dynamic_slice() {
  OpDef def =
      operation("dynamic_slice", MeaningKind::kMovement, 2, {},
                "`sizes` elements of x from the places on that the second operand (integers, one for each "
                "dimension) holds; these are clamped so that all elements are x's.",
                {ints_attr("sizes")});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_fixed(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    const std::vector<int64_t> in = op.in_sizes(0);
    const std::vector<int64_t>& taken = op.ints("sizes");
    if (auto bad = first_of({check_starts(op, 1), check_count(op, "sizes", in.size())}); !bad.empty())
      return Inferred::fail(bad);
    for (size_t i = 0; i < in.size(); ++i)
      if (taken[i] < 0 || taken[i] > in[i])
        return Inferred::fail(
            fmt::format("expected at most the {} elements of dimension {}, got {}", in[i], i, taken[i]));
    return tensor_like(op, static_shape(taken));
  };
  def.nests = [](const OpInstance& op) {
    const std::vector<int64_t> in = op.in_sizes(0);
    std::vector<IndexExpr> index;
    for (size_t i = 0; i < in.size(); ++i)
      index.push_back(IndexExpr::var(static_cast<int>(i)) +
                      start_index(static_cast<int>(1 + i), in[i], op.ints("sizes")[i]));
    LoopNest nest = movement(op.out_extents(), read_at(0, std::move(index)));
    read_starts(nest, 1, in.size());
    return std::vector<LoopNest>{std::move(nest)};
  };
  def.older_words = dynamic_slice_in_words;
  def.elements = {Elements::kAny, Elements::kIntegers};
  def.wishes = {starts_wish(1)};
  def.range = RangeKind::kPart;
  return def;
}

OpDef dynamic_update_slice() {
  OpDef def =
      operation("dynamic_update_slice", MeaningKind::kMovement, 3, {},
                "x with the second operand in it, from the places on that the third (integers, one for each "
                "dimension) holds; these are clamped so that all of it fits.");
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_fixed(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    const std::vector<int64_t> in = op.in_sizes(0);
    if (auto bad = check_fixed(op, 1, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    if (auto bad = first_of({check_rank(op, 1, in.size()), check_starts(op, 2)}); !bad.empty())
      return Inferred::fail(bad);
    if (op.in_dtype(1) != op.in_dtype(0))
      return Inferred::fail(
          fmt::format("operand 1: expected {}, got {}", name(op.in_dtype(0)), name(op.in_dtype(1))));
    const std::vector<int64_t> put = op.in_sizes(1);
    for (size_t i = 0; i < in.size(); ++i)
      if (put[i] > in[i])
        return Inferred::fail(
            fmt::format("operand 1: expected at most {} elements in dimension {}, got {}", in[i], i, put[i]));
    return Inferred::ok(op.inputs[0]);
  };
  def.nests = [](const OpInstance& op) {
    const std::vector<int64_t> in = op.in_sizes(0), put = op.in_sizes(1);
    std::vector<IndexExpr> index;
    for (size_t i = 0; i < in.size(); ++i)
      index.push_back(IndexExpr::var(static_cast<int>(i)) -
                      start_index(static_cast<int>(2 + i), in[i], put[i]));
    LoopNest nest = movement(op.out_extents(), read_all(0, in.size()));
    nest.reads.push_back(read_guarded(1, std::move(index)));
    read_starts(nest, 2, in.size());
    nest.result = scalar::select(scalar::valid(1), scalar::read(1), scalar::read(0));
    return std::vector<LoopNest>{std::move(nest)};
  };
  def.older_words = dynamic_update_slice_in_words;
  def.elements = {Elements::kAny, Elements::kAny, Elements::kIntegers};
  def.wishes = {starts_wish(2)};
  return def;
}

OpDef dilated_pad() {
  OpDef def = operation("dilated_pad", MeaningKind::kMovement, 2, {},
                        "x with the second operand (a scalar) `interior[i]` times between elements of "
                        "dimension i, then pads[i] times "
                        "before and pads[rank + i] after them; negative pads cut.",
                        {ints_attr("pads", AttrRole::kAllPads), ints_attr("interior")});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_fixed(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    const std::vector<int64_t> in = op.in_sizes(0);
    const std::vector<int64_t>& pads = op.ints("pads");
    if (auto bad = first_of({check_operands(op, Takes::kAny), check_rank(op, 1, 0),
                             check_count(op, "pads", 2 * in.size()), check_count(op, "interior", in.size()),
                             check_entries(op, "pads", -kMostNumber, kMostNumber),
                             check_entries(op, "interior", 0, kMostNumber)});
        !bad.empty())
      return Inferred::fail(bad);
    std::vector<int64_t> out;
    for (size_t i = 0; i < in.size(); ++i) {
      out.push_back(spread(in[i], op.ints("interior")[i]) + pads[i] + pads[in.size() + i]);
      if (out[i] < 0) return Inferred::fail(fmt::format("pads cut more than dimension {} has", i));
    }
    return tensor_like(op, static_shape(out));
  };
  def.nests = [](const OpInstance& op) {
    std::vector<IndexExpr> index, whole;
    for (size_t i = 0; i < op.in_shape(0).size(); ++i) {
      const int64_t step = op.ints("interior")[i] + 1;
      const IndexExpr at = IndexExpr::var(static_cast<int>(i)) - op.ints("pads")[i];
      index.push_back(step == 1 ? at : at.floor_div(step));
      if (step != 1) whole.push_back(at.mod(step));
    }
    LoopNest nest = movement(op.out_extents(), read_guarded(0, std::move(index)));
    nest.reads[0].zero = std::move(whole);
    nest.reads.push_back(read_at(1, {}));
    nest.result = scalar::select(scalar::valid(0), scalar::read(0), scalar::read(1));
    return std::vector<LoopNest>{std::move(nest)};
  };
  def.older_words = dilated_pad_in_words;
  return def;
}

OpDef dot_general() {
  OpDef def =
      operation("dot_general", MeaningKind::kContraction, 2, {},
                "a [batch.., m.., k..] times b [batch.., k.., n..] to [batch.., m.., n..], with `batch` and "
                "`contract` dimensions of the first and the last kind.",
                {int_attr("batch", 0), int_attr("contract", 1)});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operands(op, Takes::kNumbers); !bad.empty()) return Inferred::fail(bad);
    const Shape &a = op.in_shape(0), &b = op.in_shape(1);
    const int64_t batch = op.i("batch"), contract = op.i("contract");
    const auto least = static_cast<int64_t>(std::min(a.size(), b.size()));
    if (batch < 0 || contract < 0 || batch > least || contract > least - batch)
      return Inferred::fail(fmt::format("expected batch + contract of at most {} dimensions, got {} and {}",
                                        least, batch, contract));
    const Shape batch_a(a.begin(), a.begin() + batch), batch_b(b.begin(), b.begin() + batch);
    const Shape inner_a(a.end() - contract, a.end()),
        inner_b(b.begin() + batch, b.begin() + batch + contract);
    if (!same_shape(batch_a, batch_b) || !same_shape(inner_a, inner_b))
      return Inferred::fail(fmt::format("expected equal batch and inner dimensions, got {} and {}",
                                        print_shape(op.ctx, a), print_shape(op.ctx, b)));
    Shape out(a.begin(), a.end() - contract);
    out.insert(out.end(), b.begin() + batch + contract, b.end());
    return tensor_like(op, std::move(out));
  };
  def.nests = [](const OpInstance& op) {
    const auto batch = static_cast<size_t>(op.i("batch")), contract = static_cast<size_t>(op.i("contract"));
    const std::vector<Size> a = op.in_extents(0);
    const size_t columns = op.in_shape(1).size() - batch - contract;
    const AxisRole roles[] = {kept(batch, {0, 1}), kept(a.size() - batch - contract, {0}),
                              summed({a.end() - static_cast<std::ptrdiff_t>(contract), a.end()}, {0, 1}),
                              kept(columns, {1})};
    return std::vector<LoopNest>{product_nest(op, roles)};
  };
  return def;
}

/// The spatial sizes of operand `input`.
std::vector<int64_t> spatial(const OpInstance& op, size_t input) {
  const std::vector<int64_t> all = op.in_sizes(input);
  return {all.begin() + 2, all.end()};
}

std::string check_dilated_conv(const OpInstance& op) {
  if (auto bad = check_fixed(op, 0, Takes::kFloats); !bad.empty()) return bad;
  if (auto bad = first_of({check_fixed(op, 1, Takes::kFloats), check_operands(op, Takes::kFloats)});
      !bad.empty())
    return bad;
  const Shape &x = op.in_shape(0), &w = op.in_shape(1);
  if (x.size() < 2) return "expected an image and channels, got " + print_shape(op.ctx, x);
  if (auto bad = check_rank(op, 1, x.size()); !bad.empty()) return bad;
  const size_t n = x.size() - 2;
  if (auto bad = check_dilated_window_attrs(op, n); !bad.empty()) return bad;
  if (!x[1].same(w[1])) return fmt::format("expected {} channels, got {}", x[1].size(), w[1].size());
  for (const int64_t k : spatial(op, 1))
    if (k < 1) return "expected a kernel of at least 1";
  return {};
}

OpDef dilated_conv() {
  OpDef def = operation(
      "dilated_conv", MeaningKind::kContraction, 2, {},
      "x [N, C, d..], w [O, C, k..] to [N, O, e..], any number of spatial dimensions: the input has "
      "input_dilations - 1 gaps between elements, then pads (begins, then ends; negative ones cut). Gaps and "
      "pads are "
      "left out of the sum.",
      {ints_attr("strides", AttrRole::kStrides), ints_attr("dilations", AttrRole::kDilations),
       ints_attr("input_dilations", AttrRole::kDilations), ints_attr("pads", AttrRole::kWindowPads)});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_dilated_conv(op); !bad.empty()) return Inferred::fail(bad);
    const std::vector<int64_t> x = spatial(op, 0);
    const Window window = window_of(op, spatial(op, 1));
    Shape out = {op.in_shape(0)[0], op.in_shape(1)[0]};
    for (size_t i = 0; i < window.rank(); ++i) out.emplace_back(dilated_places(op, window, i, x[i]));
    return tensor_like(op, std::move(out));
  };
  def.nests = [](const OpInstance& op) {
    const AxisRole channels = {
        1, true, {op.in_extents(1)[1]}, [](const Axis& axis, std::vector<Read>& reads) {
          reads[0].index.push_back(axis.step);
          reads[1].index.insert(reads[1].index.end(), {axis.at, axis.step});
        }};
    const Window window = window_of(op, spatial(op, 1));
    const auto tap = [&](const Axis& axis, Read& x) { append_dilated_index(op, window, axis, x); };
    LoopNest nest = nest_of(op, std::array{kept(1, {0}), channels, window_and_taps(window, tap)});
    guard(nest.reads[0]);
    const ScalarExpr product = scalar::read(0) * scalar::read(1);
    nest.accumulators = {
        {scalar::select(scalar::valid(0), product, literal(op.in_dtype(0), 0)), Combiner::kSum}};
    nest.result = scalar::acc(0);
    return std::vector<LoopNest>{std::move(nest)};
  };
  def.older_words = dilated_conv_in_words;
  def.images = def.windowed = true;
  def.range = RangeKind::kConvolution;
  return def;
}

}  // namespace

void register_xla(OpTable& table) {
  for (const auto make : {iota, broadcast_in_dim, reverse, dynamic_slice, dynamic_update_slice, dilated_pad,
                          dot_general, dilated_conv})
    table.add(make());
}

}  // namespace isomer::ir::ops
