// What is found in a tensor: elements that are not 0, different elements, boxes that do not overlap, runs of
// integers that are in a list. How many are found depends on the values, so that a dimension of these results
// is not known before they are computed. Each is a procedure (ir/procedure.h); arithmetic is done by regions.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/composed.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {
namespace {

using Handle = Workspace::Handle;
using Handles = std::vector<Handle>;
using Ints = std::vector<int64_t>;

double elements(const OpInstance& op, size_t operand = 0) {
  double out = 1;
  for (int64_t size : op.in_sizes(operand)) out *= static_cast<double>(size);
  return out;
}

TypeId places(Context& ctx, Shape shape) { return ctx.tensor_type(DType::kI64, std::move(shape)); }

/// The one result of a definition over tensors of these types.
RegionId region_of(Context& ctx, const std::vector<TypeId>& types,
                   const std::function<ValueId(Compose&, Values)>& define) {
  Builder b(ctx);
  Compose c(b);
  std::vector<ValueId> in;
  for (TypeId type : types) in.push_back(b.input("", type));
  const ValueId out = define(c, in);
  return ctx.add(std::make_shared<const Graph>(b.finish({out})));
}

// --- non_zero

Inferred non_zero_type(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
  const auto rank = static_cast<int64_t>(op.in_shape(0).size());
  if (rank == 0) return Inferred::fail("operand 0: expected dimensions, got a scalar");
  return Inferred::ok(places(op.ctx, {Dim(rank), Dim::unknown()}));
}

Handles non_zero(Workspace& work, const OpInstance& op, std::span<const Handle> in) {
  const RegionId marks = region_of(op.ctx, {op.inputs[0]}, [](Compose& c, Values x) {
    const ValueId zero = filled(c.builder(), c.dtype(x[0]), 0, c.shape(x[0]));
    return c.call("not", {c.call("equal", {x[0], zero})});
  });
  const Handle found = work.apply(marks, in)[0];
  const Ints sizes = op.in_sizes(0);
  std::vector<Ints> rows(sizes.size());
  for (int64_t at = 0; at < static_cast<int64_t>(elements(op)); ++at) {
    if (work.integer(found, at) == 0) continue;
    int64_t rest = at;
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) rows[d].push_back(rest % sizes[d]);
  }
  Ints out;
  for (const Ints& row : rows) out.insert(out.end(), row.begin(), row.end());
  return {work.integers(std::move(out), op.output)};
}

// --- unique

/// What is told apart: elements, or what lies at one place of an axis.
struct Items {
  int64_t count = 1, before = 1, after = 1;

  explicit Items(const OpInstance& op) {
    const Ints sizes = op.in_sizes(0);
    for (size_t d = 0; d < sizes.size(); ++d) {
      const int64_t axis = op.has("axis") ? op.i("axis") : -1, dim = static_cast<int64_t>(d);
      (axis < 0 || dim == axis ? count : dim < axis ? before : after) *= sizes[d];
    }
  }
  int64_t place(int64_t item, int64_t inner) const {
    return (inner / after * count + item) * after + inner % after;
  }
  int64_t inner() const { return before * after; }
};

Inferred unique_type(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
  Shape shape = {Dim::unknown()};
  Dim items = is_static(op.in_shape(0)) ? Dim(element_count(op.in_shape(0))) : Dim::unknown();
  if (op.has("axis")) {
    if (auto bad = check_axis(op.i("axis"), op.in_shape(0).size()); !bad.empty()) return Inferred::fail(bad);
    shape = op.in_shape(0);
    items = std::exchange(shape[static_cast<size_t>(op.i("axis"))], Dim::unknown());
  }
  return Inferred::ok(
      op.ctx.intern(Type::tuple({op.ctx.tensor_type(op.in_dtype(0), shape), places(op.ctx, {Dim::unknown()}),
                                 places(op.ctx, {items}), places(op.ctx, {Dim::unknown()})})));
}

Handles unique(Workspace& work, const OpInstance& op, std::span<const Handle> in) {
  const Items items(op);
  const auto before = [&](int64_t a, int64_t b) {
    for (int64_t i = 0; i < items.inner(); ++i) {
      const int64_t x = items.place(a, i), y = items.place(b, i);
      if (work.less(in[0], x, y)) return true;
      if (work.less(in[0], y, x)) return false;
    }
    return false;
  };
  Ints order(static_cast<size_t>(items.count));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(order, before);
  work.check_time();
  std::vector<Ints> groups;  // each in rising order
  for (int64_t item : order) {
    if (groups.empty() || before(groups.back().front(), item)) groups.emplace_back();
    groups.back().push_back(item);
  }
  if (op.i("sorted") == 0) std::ranges::sort(groups, {}, [](const Ints& group) { return group.front(); });
  Ints picked, first, which(order.size()), counts;
  for (int64_t b = 0; b < items.before; ++b)
    for (const Ints& group : groups)
      for (int64_t a = 0; a < items.after; ++a)
        picked.push_back(items.place(group.front(), b * items.after + a));
  for (size_t g = 0; g < groups.size(); ++g) {
    first.push_back(groups[g].front());
    counts.push_back(static_cast<int64_t>(groups[g].size()));
    for (int64_t item : groups[g]) which[static_cast<size_t>(item)] = static_cast<int64_t>(g);
  }
  const auto& types = op.ctx.get(op.output).elements;
  return {work.picked(in[0], picked, types[0]), work.integers(std::move(first), types[1]),
          work.integers(std::move(which), types[2]), work.integers(std::move(counts), types[3])};
}

// --- non_max_suppression

Inferred suppression_type(const OpInstance& op) {
  if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
  const Shape &boxes = op.in_shape(0), &scores = op.in_shape(1);
  if (boxes.size() != 3 || boxes[2] != Dim(4) || scores.size() != 3 || scores[0] != boxes[0] ||
      scores[2] != boxes[1])
    return Inferred::fail("expected boxes [batches, boxes, 4] and scores [batches, classes, boxes]");
  return Inferred::ok(places(op.ctx, {Dim::unknown(), Dim(3)}));
}

/// Low and high end of boxes [.., 4] along the first (y) or second dimension.
std::pair<ValueId, ValueId> ends(Compose& c, ValueId boxes, int64_t dim, bool centre) {
  const auto part = [&](int64_t at) { return c.slice(boxes, 1, at, at + 1); };
  if (!centre) {
    const ValueId a = part(dim), b = part(dim + 2);
    return {c.call("min", {a, b}), c.call("max", {a, b})};
  }
  const ValueId middle = part(1 - dim), half = c.with("div", part(3 - dim), 2);  // x, y, width, height
  return {c.call("sub", {middle, half}), c.call("add", {middle, half})};
}

/// Which of the boxes [n, 4] overlap one [1, 4] by more than a part of what both cover.
ValueId overlapping(Compose& c, ValueId boxes, ValueId one, bool centre, double most) {
  ValueId shared, area, area_of_one;
  for (int64_t dim : {0, 1}) {
    const auto [low, high] = ends(c, boxes, dim, centre);
    const auto [low_of_one, high_of_one] = ends(c, one, dim, centre);
    const ValueId extent = c.call("sub", {high, low}), other = c.call("sub", {high_of_one, low_of_one});
    const ValueId common =
        c.with("max", c.call("sub", {c.both("min", high, high_of_one), c.both("max", low, low_of_one)}), 0);
    shared = dim == 0 ? common : c.call("mul", {shared, common});
    area = dim == 0 ? extent : c.call("mul", {area, extent});
    area_of_one = dim == 0 ? other : c.call("mul", {area_of_one, other});
  }
  const ValueId whole = c.call("sub", {c.both("add", area, area_of_one), shared});
  const ValueId part = c.call("div", {shared, c.where(c.with("greater", whole, 0), whole,
                                                      c.with("add", c.with("mul", whole, 0), 1))});
  return c.call("and", {c.with("greater", part, most), c.with("greater", whole, 0)});
}

class Suppression {
 public:
  Suppression(Workspace& work, const OpInstance& op, std::span<const Handle> in)
      : work_(work), op_(op), in_(in), count_(op.in_sizes(0)[1]), classes_(op.in_sizes(1)[1]) {}

  Handles run() {
    const TypeId boxes = op_.ctx.tensor_type(op_.in_dtype(0), {Dim(count_), Dim(4)});
    const TypeId one = op_.ctx.tensor_type(op_.in_dtype(0), {Dim(1), Dim(4)});
    overlap_ = region_of(op_.ctx, {boxes, one}, [&](Compose& c, Values x) {
      return overlapping(c, x[0], x[1], op_.i("center") != 0, op_.f("overlap"));
    });
    if (op_.has("least"))
      high_ = work_.apply(
          region_of(op_.ctx, {op_.inputs[1]},
                    [&](Compose& c, Values x) { return c.with("greater", x[0], op_.f("least")); }),
          {{in_[1]}})[0];
    for (int64_t batch = 0; batch < op_.in_sizes(0)[0]; ++batch)
      for (int64_t kind = 0; kind < classes_; ++kind) select(batch, kind, boxes, one);
    return {work_.integers(std::move(out_), op_.output)};
  }

 private:
  void select(int64_t batch, int64_t kind, TypeId boxes_type, TypeId one_type) {
    const int64_t first = (batch * classes_ + kind) * count_;
    Ints order;
    for (int64_t i = 0; i < count_; ++i)
      if (!op_.has("least") || work_.integer(high_, first + i) != 0) order.push_back(i);
    std::ranges::stable_sort(order,
                             [&](int64_t a, int64_t b) { return work_.less(in_[1], first + b, first + a); });
    const Handle boxes = part(batch * count_, count_, boxes_type);
    std::vector<bool> gone(static_cast<size_t>(count_));
    int64_t left = op_.i("most");
    for (int64_t i : order) {
      if (left <= 0) return;
      if (gone[static_cast<size_t>(i)]) continue;
      work_.check_time();
      out_.insert(out_.end(), {batch, kind, i});
      --left;
      const Handle marks = work_.apply(overlap_, {{boxes, part(batch * count_ + i, 1, one_type)}})[0];
      for (int64_t j = 0; j < count_; ++j)
        if (work_.integer(marks, j) != 0) gone[static_cast<size_t>(j)] = true;
      Handles needed(in_.begin(), in_.end());
      needed.insert(needed.end(), {high_, boxes});
      work_.keep_only(needed);
    }
  }

  Handle part(int64_t box, int64_t count, TypeId type) {
    Ints at(static_cast<size_t>(4 * count));
    std::iota(at.begin(), at.end(), 4 * box);
    return work_.picked(in_[0], at, type);
  }

  Workspace& work_;
  const OpInstance& op_;
  std::span<const Handle> in_;
  int64_t count_, classes_;
  RegionId overlap_;
  Handle high_ = 0;
  Ints out_;
};

// --- count_ngrams

/// The lists: n-grams of 1, 2, .. numbers begin at `starts` of `pool`.
struct Grams {
  std::set<Ints> beginnings;       ///< of those that are looked for
  std::map<Ints, int64_t> column;  ///< by n-gram

  explicit Grams(const OpInstance& op) {
    const Ints &starts = op.ints("starts"), &pool = op.ints("pool"), &columns = op.ints("columns");
    size_t number = 0;
    for (size_t n = 1; n <= starts.size(); ++n) {
      const auto length = static_cast<int64_t>(n);
      const int64_t end = n < starts.size() ? starts[n] : static_cast<int64_t>(pool.size());
      for (int64_t at = starts[n - 1]; at + length <= end; at += length, ++number) {
        if (length < op.i("least") || length > op.i("most")) continue;
        Ints gram(pool.begin() + at, pool.begin() + at + length);
        column[gram] = columns.at(number);
        for (; !gram.empty(); gram.pop_back()) beginnings.insert(gram);
      }
    }
  }
};

constexpr int64_t kMostColumns = 1 << 24;

Inferred ngram_type(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kIntegers); !bad.empty()) return Inferred::fail(bad);
  if (op.in_shape(0).size() != 1 && op.in_shape(0).size() != 2)
    return Inferred::fail("operand 0: expected rank 1 or 2, got " + print_shape(op.ctx, op.in_shape(0)));
  const Ints &starts = op.ints("starts"), &columns = op.ints("columns");
  if (op.i("least") < 1 || op.i("most") < op.i("least") || op.i("skips") < 0 || starts.empty() ||
      columns.empty() || !std::ranges::is_sorted(starts) || starts[0] != 0 ||
      starts.back() > static_cast<int64_t>(op.ints("pool").size()) || *std::ranges::min_element(columns) < 0)
    return Inferred::fail("expected lengths from 1 on, lists one behind the other, and columns from 0 on");
  if (*std::ranges::max_element(columns) >= kMostColumns)
    return Inferred::fail(fmt::format("expected columns below {}", kMostColumns));
  int64_t grams = 0;
  for (size_t n = 1; n <= starts.size(); ++n)
    grams +=
        ((n < starts.size() ? starts[n] : static_cast<int64_t>(op.ints("pool").size())) - starts[n - 1]) /
        static_cast<int64_t>(n);
  if (grams != static_cast<int64_t>(columns.size()))
    return Inferred::fail("expected a column for each n-gram");
  Shape out = op.in_shape(0);
  out.back() = Dim(*std::ranges::max_element(columns) + 1);
  return Inferred::ok(places(op.ctx, std::move(out)));
}

/// The elements from `first` on, `pace` apart, that are a beginning; counts those that are wanted.
void count_from(Workspace& work, const OpInstance& op, const Grams& grams, Handle x, int64_t first,
                int64_t end, int64_t pace, int64_t least, const std::function<void(int64_t)>& count) {
  Ints gram;
  for (int64_t at = first; at < end && static_cast<int64_t>(gram.size()) < op.i("most"); at += pace) {
    gram.push_back(work.integer(x, at));
    if (!grams.beginnings.contains(gram)) return;
    if (static_cast<int64_t>(gram.size()) < least) continue;
    if (const auto it = grams.column.find(gram); it != grams.column.end()) count(it->second);
  }
}

Handles count_ngrams(Workspace& work, const OpInstance& op, std::span<const Handle> in) {
  const Grams grams(op);
  const Ints sizes = op.in_sizes(0);
  const int64_t rows = sizes.size() == 2 ? sizes[0] : 1, length = sizes.back();
  const int64_t width = op.ctx.get(op.output).shape.back().size();
  Ints out(static_cast<size_t>(rows * width));
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t begin = row * length, end = begin + length;
    const auto count = [&](int64_t column) { ++out[static_cast<size_t>(row * width + column)]; };
    const int64_t paces = std::min(op.i("skips"), length) + 1;  // farther apart is beyond the row
    for (int64_t pace = 1; pace <= paces; ++pace) {
      // single numbers are counted once
      const int64_t least = pace == 1 ? op.i("least") : std::max<int64_t>(op.i("least"), 2);
      if (least > op.i("most") || least > length) break;
      work.check_time();
      for (int64_t first = begin; first + pace * (least - 1) < end; ++first)
        count_from(work, op, grams, in[0], first, end, pace, least, count);
    }
  }
  return {work.integers(std::move(out), op.output)};
}

OpDef found(const char* name, int inputs, const char* doc, std::vector<AttrSpec> attrs,
            Inferred (*infer)(const OpInstance&), Procedure procedure) {
  OpDef def = operation(name, MeaningKind::kProcedural, inputs, {}, doc, std::move(attrs));
  def.infer = infer;
  def.procedure = std::move(procedure);
  def.steps = [](const OpInstance& op) { return elements(op); };
  return def;
}

}  // namespace

void register_selection(OpTable& table) {
  OpDef places_of =
      found("non_zero", 1, "The places of elements that are not 0, i64[rank, how many]: row-major.", {},
            non_zero_type, non_zero);
  places_of.spellings = {typed(onnx("NonZero", 9), all_bfloat_since_13())};
  table.add(std::move(places_of));

  OpDef different =
      found("unique", 1,
            "The different elements (with `axis`: what lies at each place of it), in their order or, with "
            "`sorted` 0, as "
            "they come; where each is first; which one each is; how often each is there.",
            {{.name = "axis", .kind = AttrKind::kInt, .optional = true, .role = AttrRole::kAxis},
             int_attr("sorted", 1)},
            unique_type, unique);
  different.spellings = {
      typed(onnx("Unique", 11), {{11, kOnnxAll & ~dtype_set(DType::kBF16)}, {28, kOnnxAll}})};
  different.spellings[0].results = {0, 1, 2, 3};
  table.add(std::move(different));

  OpDef boxes = found(
      "non_max_suppression", 2,
      "Of boxes [batches, n, 4] and scores [batches, classes, n]: batch, class and number of at most `most` "
      "boxes "
      "of each class, the best first, of scores above `least`, but for those that overlap a better one by "
      "more "
      "than `overlap` of what both cover. Boxes are two corners, y before x; with `center` x, y, width, "
      "height.",
      {int_attr("most", 0), float_attr("overlap", 0.0f), optional_float_attr("least"), int_attr("center", 0)},
      suppression_type, [](Workspace& work, const OpInstance& op, std::span<const Handle> in) {
        return Suppression(work, op, in).run();
      });
  boxes.spellings = {said(typed(onnx("NonMaxSuppression", 10), {{10, dtype_set(DType::kF32)}}),
                          {{.ours = "most", .input = 2, .scalar = true},
                           {.ours = "overlap", .input = 3, .scalar = true},
                           {.ours = "least", .input = 4, .scalar = true},
                           {.ours = "center", .name = "center_point_box"}})};
  table.add(std::move(boxes));

  table.add(found(
      "count_ngrams", 1,
      "How often each run of `least` to `most` integers of a list occurs in x (a row, or rows), with up "
      "to `skips` numbers left out between any two of it: i64, in the column of each. `pool` holds the "
      "lists of runs of 1, 2, .. numbers, which begin at `starts`.",
      {int_attr("least"), int_attr("most"), int_attr("skips", 0), ints_attr("starts"), ints_attr("pool"),
       ints_attr("columns")},
      ngram_type, count_ngrams));
}

}  // namespace isomer::ir::ops
