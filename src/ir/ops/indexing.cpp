// Elements taken from, and put at, places that other tensors hold. Places may be negative: they count from
// the end. What is put at one place several times is put in the order of the updates.
#include <fmt/format.h>

#include "ir/op_table.h"
#include "ir/ops/composed.h"
#include "ir/ops/families.h"
#include "ir/ops/xla_words.h"

namespace isomer::ir::ops {
namespace {

using Refuses = std::function<std::string(const OpInstance&)>;

/// ONNX's tuples of places are of 64 bits.
std::string refused_places(const OpInstance& op) {
  return op.in_dtype(1) == DType::kI64 ? std::string() : "its places are not i64";
}

std::string check_places(const OpInstance& op, size_t input) {
  if (auto bad = check_operand(op, input, Takes::kIntegers); !bad.empty()) return bad;
  const DType dtype = op.in_dtype(input);
  if (dtype == DType::kI32 || dtype == DType::kI64) return {};
  return fmt::format("operand {}: expected i32 or i64, got {}", input, name(dtype));
}

Inferred gather_elements_type(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_places(op, 1); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_rank(op, 1, op.in_shape(0).size()); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_axis(op.i("axis"), op.in_shape(0).size()); !bad.empty()) return Inferred::fail(bad);
  for (size_t i = 0; i < op.in_shape(0).size(); ++i) {
    const Dim most = op.in_shape(0)[i], some = op.in_shape(1)[i];
    const bool fits = most.is_static() && some.is_static() ? some.size() <= most.size() : true;
    if (static_cast<int64_t>(i) != op.i("axis") && !fits)
      return Inferred::fail(fmt::format("operand 1: expected at most {} along dimension {}, got {}",
                                        most.size(), i, some.size()));
  }
  return tensor_like(op, op.in_shape(1));
}

OpDef gather_elements() {
  OpDef def = operation("gather_elements", MeaningKind::kMovement, 2, {},
                        "x at the result's own place, but along `axis` at the place that the second operand "
                        "(of x's rank, the result's shape) holds.",
                        {axis_attr(0)});
  def.infer = gather_elements_type;
  def.nests = [](const OpInstance& op) {
    const auto axis = static_cast<size_t>(op.i("axis"));
    const int rank = static_cast<int>(op.in_shape(0).size());
    std::vector<IndexExpr> index = index_vars(0, rank);
    index[axis] = IndexExpr::load(1, op.in_extents(0)[axis]);
    LoopNest nest = movement(op.out_extents(), read_at(0, std::move(index)));
    nest.reads.push_back(read_all(1, static_cast<size_t>(rank)));
    return std::vector<LoopNest>{std::move(nest)};
  };
  def.spellings = {typed(onnx("GatherElements", 11), all_bfloat_since_13())};
  def.elements = {Elements::kAny, Elements::kIndices};
  return def;
}

/// Length of the tuples that the last dimension of operand 1 holds, or -1.
int64_t tuple_length(const OpInstance& op) {
  const Shape& places = op.in_shape(1);
  return !places.empty() && places.back().is_static() ? places.back().size() : -1;
}

std::string check_tuples(const OpInstance& op, size_t most) {
  const int64_t length = tuple_length(op);
  if (length >= 0 && length <= static_cast<int64_t>(most)) return {};
  return fmt::format("operand 1: expected a last dimension of 0 to {}, got {}", most,
                     print_shape(op.ctx, op.in_shape(1)));
}

Inferred gather_nd_type(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_places(op, 1); !bad.empty()) return Inferred::fail(bad);
  const Shape &data = op.in_shape(0), &places = op.in_shape(1);
  const int64_t batches = op.i("batch_dims");
  if (batches < 0 || batches > static_cast<int64_t>(data.size()) ||
      batches >= static_cast<int64_t>(places.size()))
    return Inferred::fail(fmt::format("expected batch_dims that both operands have, got {}", batches));
  const auto shared = static_cast<size_t>(batches);
  if (auto bad = check_tuples(op, data.size() - shared); !bad.empty()) return Inferred::fail(bad);
  for (size_t i = 0; i < shared; ++i)
    if (!data[i].same(places[i]))
      return Inferred::fail(fmt::format("expected equal batch dimensions, got {} and {}",
                                        print_shape(op.ctx, data), print_shape(op.ctx, places)));
  Shape out(places.begin(), places.end() - 1);
  out.insert(out.end(), data.begin() + batches + tuple_length(op), data.end());
  return tensor_like(op, std::move(out));
}

OpDef gather_nd() {
  OpDef def = operation("gather_nd", MeaningKind::kMovement, 2, {},
                        "Slices of x at the tuples of places that the last dimension of the second operand "
                        "holds; the first `batch_dims` dimensions are shared.",
                        {int_attr("batch_dims", 0)});
  def.infer = gather_nd_type;
  def.nests = [](const OpInstance& op) {
    const std::vector<Size> data = op.in_extents(0);
    const auto batches = static_cast<int>(op.i("batch_dims"));
    const auto length = static_cast<int>(tuple_length(op));
    const auto places = static_cast<int>(op.in_shape(1).size()) - 1;
    std::vector<IndexExpr> index = index_vars(0, batches);
    auto size = data.begin() + batches;
    for (int n = 0; n < length; ++n, ++size) index.push_back(IndexExpr::load(1 + n, *size));
    for (int i = batches + length; i < static_cast<int>(data.size()); ++i)
      index.push_back(IndexExpr::var(places + i - batches - length));
    LoopNest nest = movement(op.out_extents(), read_at(0, std::move(index)));
    for (int n = 0; n < length; ++n) {
      std::vector<IndexExpr> at = index_vars(0, places);
      at.emplace_back(n);
      nest.reads.push_back(read_at(1, std::move(at)));
    }
    return std::vector<LoopNest>{std::move(nest)};
  };
  def.spellings = {refusing(said(typed(onnx("GatherND", 11), all_bfloat_since_13()),
                                 {{.ours = "batch_dims", .since = 12, .quiet = true}}),
                            refused_places)};
  def.older_words = gather_nd_in_words;
  def.elements = {Elements::kAny, Elements::kIndices};
  return def;
}

AttrSpec reduction_attr() { return string_attr("reduction", "none", {"none", "add", "mul", "max", "min"}); }

/// What is there after an update.
ScalarExpr updated(const std::string& reduction, const ScalarExpr& old, const ScalarExpr& update) {
  if (reduction == "add") return old + update;
  if (reduction == "mul") return old * update;
  if (reduction == "max") return scalar::apply(ScalarOp::kMax, old, update);
  if (reduction == "min") return scalar::apply(ScalarOp::kMin, old, update);
  return update;
}

/// Whether a place that was read, counted from the end where negative, is this index.
ScalarExpr is_at(const ScalarExpr& place, const Size& extent, const ScalarExpr& index) {
  const ScalarExpr negative = scalar::apply(ScalarOp::kLess, place, scalar::integer(0));
  return scalar::apply(ScalarOp::kEqual, scalar::select(negative, place + scalar::integer(extent), place),
                       index);
}

/// Operand 0 after all updates: read 0 is of it, read 1 an update, and `hit` says whether that is here.
LoopNest scatter_nest(const OpInstance& op, std::vector<Size> updates, Read update, const ScalarExpr& hit) {
  LoopNest nest;
  nest.space = op.out_extents();
  nest.reduce = std::move(updates);
  nest.reads = {read_all(0, nest.space.size()), std::move(update)};
  const ScalarExpr next = updated(op.s("reduction"), scalar::acc(0), scalar::read(1));
  nest.accumulators = {{scalar::select(hit, next, scalar::acc(0)), Combiner::kStep, scalar::read(0)}};
  nest.accumulators[0].dtype = op.in_dtype(0);
  nest.result = scalar::acc(0);
  nest.ordered = true;
  return nest;
}

std::string check_scatter(const OpInstance& op) {
  const bool combines = op.s("reduction") != "none";
  if (auto bad = check_operand(op, 0, combines ? Takes::kOrdered : Takes::kAny); !bad.empty()) return bad;
  if (auto bad = check_places(op, 1); !bad.empty()) return bad;
  if (auto bad = check_operand(op, 2, Takes::kAny); !bad.empty()) return bad;
  if (op.in_dtype(2) != op.in_dtype(0))
    return fmt::format("operand 2: expected {} as operand 0 has, got {}", name(op.in_dtype(0)),
                       name(op.in_dtype(2)));
  return {};
}

std::vector<Spelling> scatter_spellings(const char* name, const Refuses& refuses) {
  const auto combines = [&](const char* words) {
    return [words, refuses](const OpInstance& op) {
      if (auto bad = refuses(op); !bad.empty()) return bad;
      const std::string& reduction = op.s("reduction");
      return std::string(words).find(reduction) == std::string::npos ? "it combines by " + reduction
                                                                     : std::string();
    };
  };
  const std::vector<AttrSpelling> rows = {{.ours = "reduction", .since = 16, .quiet = true}};
  return {refusing(said(typed(onnx(name, 11, 17), all_bfloat_since_13()), rows), combines("none add mul")),
          refusing(said(typed(onnx(name, 18), all_bfloat_since_13()), rows), refuses)};
}

OpDef scatter_elements() {
  OpDef def =
      operation("scatter_elements", MeaningKind::kContraction, 3, {},
                "x, but at each update's own place, along `axis` at the place that the second operand "
                "holds, what `reduction` makes of x and the update (operands x, places, updates).",
                {axis_attr(0), reduction_attr()});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_scatter(op); !bad.empty()) return Inferred::fail(bad);
    if (auto bad = check_rank(op, 1, op.in_shape(0).size()); !bad.empty()) return Inferred::fail(bad);
    if (auto bad = check_axis(op.i("axis"), op.in_shape(0).size()); !bad.empty()) return Inferred::fail(bad);
    if (auto bad = check_shape(op, 2, op.in_shape(1)); !bad.empty()) return Inferred::fail(bad);
    return Inferred::ok(op.inputs[0]);
  };
  def.nests = [](const OpInstance& op) {
    const auto axis = static_cast<size_t>(op.i("axis"));
    const int rank = static_cast<int>(op.in_shape(0).size());
    std::vector<IndexExpr> index = index_vars(0, rank);
    index[axis] = IndexExpr::var(rank);
    const ScalarExpr here =
        is_at(scalar::read(2), op.in_extents(0)[axis], scalar::var(static_cast<int>(axis)));
    LoopNest nest = scatter_nest(op, {op.in_extents(1)[axis]}, read_guarded(2, index),
                                 scalar::apply(ScalarOp::kAnd, scalar::valid(2), here));
    nest.reads.push_back(read_guarded(1, index));
    return std::vector<LoopNest>{std::move(nest)};
  };
  def.spellings = scatter_spellings("ScatterElements", [](const OpInstance&) { return std::string(); });
  def.spellings.push_back(
      said(typed(onnx("Scatter", 9, 10), all_bfloat_since_13()), {{.ours = "reduction", .implied = "none"}}));
  def.elements = {Elements::kAny, Elements::kIndices, Elements::kAny};
  return def;
}

Inferred scatter_nd_type(const OpInstance& op) {
  if (auto bad = check_scatter(op); !bad.empty()) return Inferred::fail(bad);
  const Shape &data = op.in_shape(0), &places = op.in_shape(1);
  if (auto bad = check_tuples(op, data.size()); !bad.empty()) return Inferred::fail(bad);
  Shape updates(places.begin(), places.end() - 1);
  updates.insert(updates.end(), data.begin() + tuple_length(op), data.end());
  if (auto bad = check_shape(op, 2, updates); !bad.empty()) return Inferred::fail(bad);
  return Inferred::ok(op.inputs[0]);
}

std::vector<LoopNest> scatter_nd_nest(const OpInstance& op) {
  const std::vector<Size> data = op.in_extents(0), places = op.in_extents(1);
  const int rank = static_cast<int>(data.size()), length = static_cast<int>(tuple_length(op));
  const int tuples = static_cast<int>(places.size()) - 1;
  std::vector<IndexExpr> update = index_vars(rank, tuples);
  for (int i = length; i < rank; ++i) update.push_back(IndexExpr::var(i));
  ScalarExpr hit = scalar::integer(1);
  for (int n = 0; n < length; ++n)
    hit = scalar::apply(ScalarOp::kAnd, hit,
                        is_at(scalar::read(2 + n), data[static_cast<size_t>(n)], scalar::var(n)));
  LoopNest nest = scatter_nest(op, {places.begin(), places.end() - 1}, read_at(2, std::move(update)), hit);
  for (int n = 0; n < length; ++n) {
    std::vector<IndexExpr> at = index_vars(rank, tuples);
    at.emplace_back(n);
    nest.reads.push_back(read_at(1, std::move(at)));
  }
  return {std::move(nest)};
}

OpDef scatter_nd() {
  OpDef def = operation("scatter_nd", MeaningKind::kContraction, 3, {},
                        "x, but at each tuple of places that the last dimension of the second operand holds, "
                        "what `reduction` makes of x and the update (operands x, places, updates).",
                        {reduction_attr()});
  def.infer = scatter_nd_type;
  def.nests = scatter_nd_nest;
  def.spellings = scatter_spellings("ScatterND", refused_places);
  def.older_words = scatter_nd_in_words;
  def.elements = {Elements::kAny, Elements::kIndices, Elements::kAny};
  return def;
}

ValueId expand_one_hot(Builder& b, const OpInstance& op, Values in) {
  Compose c(b);
  const int64_t rank = c.rank(in[0]) + 1, axis = from_start(op.i("axis"), rank), depth = op.i("depth");
  const ValueId places = c.cast(in[0], DType::kI64);
  const ValueId wrapped =
      c.where(c.with("less", places, 0), c.with("add", places, static_cast<double>(depth)), places);
  const ValueId hot =
      c.both("equal", c.unsqueeze(wrapped, {axis}), c.count_along(DType::kI64, depth, axis, rank));
  const auto value = [&](int64_t at) { return c.reshape(c.slice(in[1], 0, at, at + 1), {}); };
  return c.where(hot, value(1), value(0));
}

std::string check_one_hot(const OpInstance& op) {
  const auto rank = static_cast<int64_t>(op.in_shape(0).size()) + 1;
  if (op.i("axis") < -rank || op.i("axis") >= rank)
    return fmt::format("expected an axis in [{}, {}), got {}", -rank, rank, op.i("axis"));
  if (op.i("depth") < 0) return fmt::format("expected a depth of at least 0, got {}", op.i("depth"));
  if (!takes(Takes::kOrdered, op.in_dtype(0)))
    return fmt::format("operand 0: expected floats or integers other than u64, got {}", name(op.in_dtype(0)));
  return check_shape(op, 1, {Dim(2)});
}

OpDef one_hot() {
  OpDef def = composed("one_hot", 2, {},
                       "values[1] where the new dimension `axis`, of size `depth`, is at the place that the "
                       "first operand holds, values[0] elsewhere (operands places, values [2]).",
                       {int_attr("depth"), int_attr("axis", -1)}, check_one_hot, expand_one_hot);
  Spelling spelling =
      said(onnx("OneHot", 9), {{.ours = "depth", .input = 1, .scalar = true}, {.ours = "axis"}});
  def.spellings = {std::move(spelling)};
  def.elements = {Elements::kIndices, Elements::kAny};
  return def;
}

OpDef hardmax() {
  OpDef def = composed(
      "hardmax", 1, {}, "1 at the first largest element along `axis`, 0 elsewhere.", {axis_attr()},
      [](const OpInstance& op) {
        if (auto bad = check_operand(op, 0, Takes::kFloats); !bad.empty()) return bad;
        if (auto bad = check_axis(op.i("axis"), op.in_shape(0).size()); !bad.empty()) return bad;
        const bool known = op.in_shape(0)[static_cast<size_t>(op.i("axis"))].is_static();
        return known ? std::string() : std::string("expected an axis of known size");
      },
      [](Builder& b, const OpInstance& op, Values in) {
        Compose c(b);
        const int64_t axis = op.i("axis");
        const ValueId place = c.call("arg_max", {in[0]}, {{"axis", axis}, {"keepdims", int64_t{1}}});
        const ValueId count = c.count_along(DType::kI64, c.size(in[0], axis), axis, c.rank(in[0]));
        return c.cast(c.both("equal", place, count), c.dtype(in[0]));
      });
  def.spellings = {
      said(typed(onnx("Hardmax", 13), floats_bfloat_since(13)), {{.ours = "axis", .unsaid = -1}})};
  return def;
}

ValueId expand_reverse_sequence(Builder& b, const OpInstance& op, Values in) {
  Compose c(b);
  const int64_t time = op.i("time_axis"), batch = op.i("batch_axis"), rank = c.rank(in[0]);
  const ValueId step = c.count_along(DType::kI64, c.size(in[0], time), time, rank);
  std::vector<int64_t> others = counted(rank);
  others.erase(others.begin() + batch);
  const ValueId length = c.unsqueeze(c.cast(in[1], DType::kI64), others);
  const ValueId mirrored = c.both("sub", c.with("sub", length, 1), step);
  const ValueId place = c.where(c.both("less", step, length), mirrored, step);
  return c.call("gather_elements", {in[0], c.spread(place, c.shape(in[0]))}, {{"axis", time}});
}

OpDef reverse_sequence() {
  OpDef def = composed(
      "reverse_sequence", 2, {},
      "The first elements of x along time_axis, as many as the second operand holds for each batch, in "
      "reverse order.",
      {int_attr("batch_axis", 1), int_attr("time_axis", 0)},
      [](const OpInstance& op) {
        if (auto bad = check_places(op, 1); !bad.empty()) return bad;
        for (const char* axis : {"batch_axis", "time_axis"})
          if (auto bad = check_axis(op.i(axis), op.in_shape(0).size()); !bad.empty()) return bad;
        if (op.i("batch_axis") == op.i("time_axis")) return std::string("expected two axes, got one twice");
        if (!op.in_shape(0)[static_cast<size_t>(op.i("time_axis"))].is_static())
          return std::string("expected a time axis of known size");
        return check_shape(op, 1, {op.in_shape(0)[static_cast<size_t>(op.i("batch_axis"))]});
      },
      expand_reverse_sequence);
  def.spellings = {onnx("ReverseSequence", 10)};
  def.elements = {Elements::kAny, Elements::kIndices};
  return def;
}

ValueId expand_tensor_scatter(Builder& b, const OpInstance& op, Values in) {
  Compose c(b);
  const int64_t rank = c.rank(in[0]), axis = from_start(op.i("axis"), rank);
  const int64_t length = c.size(in[0], axis), fresh = c.size(in[1], axis);
  ValueId offset = c.count_along(DType::kI64, length, axis, rank);
  if (in.size() > 2)
    offset = c.both("sub", offset, c.unsqueeze(c.cast(in[2], DType::kI64), counted(rank - 1, 1)));
  if (op.s("mode") == "circular")
    offset = c.call("mod", {offset, filled(b, DType::kI64, static_cast<double>(length), c.shape(offset))});
  const ValueId inside = c.call("and", {c.with("less", c.call("neg", {offset}), 1),
                                        c.with("less", offset, static_cast<double>(fresh))});
  const ValueId place = c.with("min", c.with("max", offset, 0), static_cast<double>(fresh - 1));
  const ValueId update =
      c.call("gather_elements", {in[1], c.spread(place, c.shape(in[0]))}, {{"axis", axis}});
  return c.where(inside, update, in[0]);
}

OpDef tensor_scatter() {
  OpDef def = composed(
      "tensor_scatter", 2, 3,
      "x (a cache) with the second operand written into it along `axis`, from the place on that the optional "
      "third holds for each batch; circular: what goes beyond the end goes on at the beginning.",
      {int_attr("axis", -2), string_attr("mode", "linear", {"linear", "circular"})},
      [](const OpInstance& op) {
        const auto rank = static_cast<int64_t>(op.in_shape(0).size());
        const int64_t axis = from_start(op.i("axis"), rank);
        if (axis < 1 || axis >= rank) return fmt::format("expected an axis in [1, {}), got {}", rank, axis);
        if (auto bad = check_rank(op, 1, op.in_shape(0).size()); !bad.empty()) return bad;
        for (size_t i : {0, 1})
          if (!op.in_shape(i)[static_cast<size_t>(axis)].is_static())
            return fmt::format("operand {}: expected an axis of known size", i);
        if (op.in_shape(1)[static_cast<size_t>(axis)].size() < 1)
          return std::string("operand 1: expected at least one element to write");
        return op.inputs.size() > 2 ? check_places(op, 2) : std::string();
      },
      expand_tensor_scatter);
  def.spellings = {onnx("TensorScatter", 24)};
  def.elements = {Elements::kAny, Elements::kAny, Elements::kIndices};
  return def;
}

}  // namespace

void register_indexing(OpTable& table) {
  table.add(gather_elements());
  table.add(gather_nd());
  table.add(scatter_elements());
  table.add(scatter_nd());
  table.add(one_hot());
  table.add(hardmax());
  table.add(reverse_sequence());
  table.add(tensor_scatter());
}

}  // namespace isomer::ir::ops
