// Operators whose results go by the order of their operands' elements, or that repeat a region: an evaluator
// and no algebra (ir/procedure.h). `sort` and `while` are XLA's. Where no region says otherwise, NaN counts
// as the greatest number, as in numpy's sorting; of equal elements the first comes first. ONNX leaves the
// first open, and asks for the second.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"
#include "ir/ops/regions.h"
#include "ir/ops/xla_words.h"
#include "support/errors.h"

namespace isomer::ir::ops {
namespace {

using Handle = Workspace::Handle;
using Handles = std::vector<Handle>;

/// The lines of operand 0 along an axis: element n of line l stands at first(l) + n * stride.
struct Lines {
  int64_t size, stride, count;

  Lines(const OpInstance& op, size_t axis) : size(1), stride(1), count(1) {
    const std::vector<int64_t> sizes = op.in_sizes(0);
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (i == axis)
        size = sizes[i];
      else
        count *= sizes[i];
      if (i > axis) stride *= sizes[i];
    }
  }
  int64_t first(int64_t line) const { return line / stride * stride * size + line % stride; }
};

double elements(const OpInstance& op) {
  double out = 1;
  for (int64_t size : op.in_sizes(0)) out *= static_cast<double>(size);
  return out;
}

std::string check_line(const OpInstance& op, int64_t least) {
  if (auto bad = check_operand(op, 0, Takes::kNumbers); !bad.empty()) return bad;
  const Shape& in = op.in_shape(0);
  if (auto bad = check_axis(op.i("axis"), in.size()); !bad.empty()) return bad;
  const Dim d = in[static_cast<size_t>(op.i("axis"))];
  if (d.is_static() && d.size() < least)
    return fmt::format("expected at least {} elements along dimension {}, got {}", least, op.i("axis"),
                       d.size());
  return {};
}

Inferred top_k_type(const OpInstance& op) {
  const int64_t k = op.i("k");
  if (k < 0) return Inferred::fail(fmt::format("expected a k of at least 0, got {}", k));
  if (auto bad = check_line(op, k); !bad.empty()) return Inferred::fail(bad);
  Shape out = op.in_shape(0);
  out[static_cast<size_t>(op.i("axis"))] = Dim(k);
  const TypeId places = op.ctx.tensor_type(DType::kI64, out);
  return Inferred::ok(op.ctx.intern(Type::tuple({op.ctx.tensor_type(op.in_dtype(0), out), places})));
}

Handles top_k(Workspace& work, const OpInstance& op, std::span<const Handle> in) {
  const auto axis = static_cast<size_t>(op.i("axis"));
  const Lines lines(op, axis);
  const int64_t k = op.i("k");
  const bool largest = op.i("largest") != 0;
  std::vector<int64_t> places(static_cast<size_t>(lines.count * k)), numbers(places.size());
  std::vector<int64_t> order(static_cast<size_t>(lines.size));
  for (int64_t line = 0; line < lines.count; ++line) {
    work.check_time();
    const int64_t first = lines.first(line);
    std::iota(order.begin(), order.end(), int64_t{0});
    std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t a, int64_t b) {
      const int64_t x = first + a * lines.stride, y = first + b * lines.stride;
      if (largest ? work.less(in[0], y, x) : work.less(in[0], x, y)) return true;
      return !(largest ? work.less(in[0], x, y) : work.less(in[0], y, x)) && a < b;
    });
    for (int64_t n = 0; n < k; ++n) {
      const auto at = static_cast<size_t>((line / lines.stride * k + n) * lines.stride + line % lines.stride);
      numbers[at] = order[static_cast<size_t>(n)];
      places[at] = first + numbers[at] * lines.stride;
    }
  }
  const auto& types = op.ctx.get(op.output).elements;
  return {work.picked(in[0], places, types[0]), work.integers(std::move(numbers), types[1])};
}

Inferred arg_type(const OpInstance& op) {
  if (auto bad = check_line(op, 1); !bad.empty()) return Inferred::fail(bad);
  Shape out = op.in_shape(0);
  const auto axis = static_cast<size_t>(op.i("axis"));
  if (op.i("keepdims") != 0)
    out[axis] = Dim(1);
  else
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis));
  return Inferred::ok(op.ctx.tensor_type(DType::kI64, std::move(out)));
}

/// The place of the largest or smallest element of each line.
Handles arg(Workspace& work, const OpInstance& op, std::span<const Handle> in, bool largest) {
  const Lines lines(op, static_cast<size_t>(op.i("axis")));
  const bool last = op.i("last") != 0;
  std::vector<int64_t> out(static_cast<size_t>(lines.count));
  for (int64_t line = 0; line < lines.count; ++line) {
    work.check_time();
    const int64_t first = lines.first(line);
    int64_t best = 0;
    for (int64_t n = 1; n < lines.size; ++n) {
      const int64_t x = first + best * lines.stride, y = first + n * lines.stride;
      const bool better = largest ? work.less(in[0], x, y) : work.less(in[0], y, x);
      const bool worse = largest ? work.less(in[0], y, x) : work.less(in[0], x, y);
      if (better || (last && !worse)) best = n;
    }
    out[static_cast<size_t>(line)] = best;
  }
  return {work.integers(std::move(out), op.output)};
}

OpDef arg_of(const char* name, const char* onnx_name, bool largest) {
  OpDef def =
      operation(name, MeaningKind::kProcedural, 1, {},
                fmt::format("The place of the {} element of x along `axis`, in i64: of equal ones the "
                            "first, or with `last` the last; NaN is the greatest number.",
                            largest ? "largest" : "smallest"),
                {axis_attr(), int_attr("keepdims", 1), int_attr("last", 0)});
  def.infer = arg_type;
  def.procedure = [largest](Workspace& work, const OpInstance& op, std::span<const Handle> in) {
    return arg(work, op, in, largest);
  };
  def.steps = elements;
  def.range = RangeKind::kPlace;
  def.spellings = {said(typed(onnx(onnx_name, 1), numbers_bfloat_since_13()),
                        {{.ours = "axis", .unsaid = 0},
                         {.ours = "keepdims"},
                         {.ours = "last", .name = "select_last_index", .since = 12}})};
  return def;
}

Inferred while_type(const OpInstance& op) {
  const Graph &condition = region(op, AttrRole::kCondition), &body = region(op, AttrRole::kBody);
  for (const Graph* part : {&condition, &body})
    if (auto bad = check_region(op, *part); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_gives_truth(op, condition, "condition"); !bad.empty()) return Inferred::fail(bad);
  if (body.outputs().size() != op.inputs.size() || op.inputs.empty())
    return Inferred::fail(fmt::format("expected a body with an output for each of its {} operands, got {}",
                                      op.inputs.size(), body.outputs().size()));
  std::vector<TypeId> types = types_of(body, body.outputs());
  for (size_t i = 0; i < types.size(); ++i)
    if (types[i] != op.inputs[i])
      return Inferred::fail(fmt::format("output {} of the body: expected {}, got {}", i,
                                        print(op.ctx, op.inputs[i]), print(op.ctx, types[i])));
  return several(op, std::move(types));
}

Handles repeat(Workspace& work, const OpInstance& op, std::span<const Handle> in) {
  const RegionId condition = op.region(AttrRole::kCondition), body = op.region(AttrRole::kBody);
  Handles state(in.begin(), in.end());
  for (int64_t round = 0; work.integer(work.apply(condition, state)[0], 0) != 0; ++round) {
    if (round == kMostRounds) throw InputError(fmt::format("while: more than {} rounds", kMostRounds));
    work.check_time();
    state = work.apply(body, state);
    work.keep_only(state);
  }
  return state;
}

Inferred sort_type(const OpInstance& op) {
  std::vector<TypeId> types(op.inputs.begin(), op.inputs.end()), scalars;
  for (size_t i = 0; i < types.size(); ++i) {
    if (auto bad = check_operand(op, i, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    if (auto bad = check_shape(op, i, op.in_shape(0)); !bad.empty()) return Inferred::fail(bad);
    scalars.insert(scalars.end(), 2, op.ctx.tensor_type(op.in_dtype(i), {}));
  }
  if (auto bad = check_axis(op.i("axis"), op.in_shape(0).size()); !bad.empty()) return Inferred::fail(bad);
  const Graph& comparator = region(op, AttrRole::kComparator);
  if (types_of(comparator, comparator.inputs()) != scalars)
    return Inferred::fail("expected a comparator of two scalars of each tensor's element type");
  if (auto bad = check_gives_truth(op, comparator, "comparator"); !bad.empty()) return Inferred::fail(bad);
  return several(op, std::move(types));
}

/// What a comparator is asked: of two scalars of each tensor.
struct Comparator {
  RegionId region;
  std::vector<TypeId> scalars;  ///< by tensor
};

/// Whether what stands at place `a` of all tensors comes before what stands at `b`.
bool comes_before(Workspace& work, const Comparator& by, std::span<const Handle> in, int64_t a, int64_t b) {
  Handles scalars;
  for (size_t i = 0; i < in.size(); ++i)
    for (const int64_t at : {a, b}) scalars.push_back(work.picked(in[i], std::span(&at, 1), by.scalars[i]));
  const Handle answer = work.apply(by.region, scalars)[0];
  const bool before = work.integer(answer, 0) != 0;
  work.keep_only(in);
  return before;
}

Handles sorted(Workspace& work, const OpInstance& op, std::span<const Handle> in) {
  const Lines lines(op, static_cast<size_t>(op.i("axis")));
  Comparator by{op.region(AttrRole::kComparator), {}};
  for (size_t i = 0; i < in.size(); ++i) by.scalars.push_back(op.ctx.tensor_type(op.in_dtype(i), {}));
  std::vector<int64_t> places(static_cast<size_t>(lines.count * lines.size));
  std::vector<int64_t> order(static_cast<size_t>(lines.size));
  for (int64_t line = 0; line < lines.count; ++line) {
    const int64_t first = lines.first(line);
    for (size_t n = 0; n < order.size(); ++n) order[n] = first + static_cast<int64_t>(n) * lines.stride;
    std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
      work.check_time();
      return comes_before(work, by, in, a, b);
    });
    for (size_t n = 0; n < order.size(); ++n)
      places[static_cast<size_t>(first + static_cast<int64_t>(n) * lines.stride)] = order[n];
  }
  Handles out;
  for (size_t i = 0; i < in.size(); ++i) out.push_back(work.picked(in[i], places, op.inputs[i]));
  return out;
}

}  // namespace

void register_procedural(OpTable& table) {
  OpDef top =
      operation("top_k", MeaningKind::kProcedural, 1, {},
                "A pair: the k largest (or, with `largest` 0, smallest) elements of x along `axis` in "
                "their order, and their places in i64. Of equal ones the first; NaN is the greatest number.",
                {axis_attr(), int_attr("k"), int_attr("largest", 1)});
  top.infer = top_k_type;
  top.procedure = top_k;
  top.steps = [](const OpInstance& op) {
    return elements(op) * (1 + std::log2(1 + static_cast<double>(op.i("k"))));
  };
  top.spellings = {
      said(typed(onnx("TopK", 1),
                 {{7, kOnnxFloats}, {11, kOnnxFloats | kOnnxIntegers}, {24, kOnnxBFloats | kOnnxIntegers}}),
           {{.ours = "k", .input = 1, .input_since = 10},
            {.ours = "axis", .unsaid = -1},
            {.ours = "largest", .since = 11},
            {.name = "sorted", .unsaid = 1, .why = "the order of its results is left open"}})};
  table.add(std::move(top));
  table.add(arg_of("arg_max", "ArgMax", true));
  table.add(arg_of("arg_min", "ArgMin", false));

  OpDef loop =
      operation("while", MeaningKind::kProcedural, 1, -1,
                "While `condition` gives true of the operands, `body` makes the next ones of them; then "
                "they are the result (a tuple of several). Both regions take all operands.",
                {region_attr("condition", AttrRole::kCondition), region_attr("body", AttrRole::kBody)});
  loop.infer = while_type;
  loop.procedure = repeat;
  loop.steps = [](const OpInstance&) { return 0.0; };
  table.add(std::move(loop));

  OpDef sort = operation(
      "sort", MeaningKind::kProcedural, 1, -1,
      "Tensors of one shape, each line along `axis` in the order that `comparator` says: a region that takes "
      "of each tensor an element and another, and gives whether the first ones come before. What it does not "
      "order stays in its order. A tuple of several.",
      {axis_attr(), region_attr("comparator", AttrRole::kComparator)});
  sort.infer = sort_type;
  sort.procedure = sorted;
  sort.older_words = sort_in_words;
  sort.steps = [](const OpInstance& op) {
    const double count = elements(op);
    return count * (1 + std::log2(1 + count));
  };
  table.add(std::move(sort));
}

}  // namespace isomer::ir::ops
