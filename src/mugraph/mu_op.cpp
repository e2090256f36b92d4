#include "mugraph/mu_op.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::mugraph {

using ir::Builder;
using ir::ValueId;

int64_t element_count(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

Sizes sizes_of(const Builder& b, ValueId v) { return ir::sizes(b.type(v).shape); }

ValueId reshape(Builder& b, ValueId v, const Sizes& sizes) {
  return sizes_of(b, v) == sizes ? v : b.add("reshape", {v}, {{"shape", ir::static_shape(sizes)}});
}

ValueId broadcast(Builder& b, ValueId v, const Sizes& sizes) {
  return sizes_of(b, v) == sizes ? v : b.add("broadcast", {v}, {{"shape", ir::static_shape(sizes)}});
}

ValueId transpose(Builder& b, ValueId v, const std::vector<int64_t>& perm) {
  if (std::ranges::is_sorted(perm)) return v;
  return b.add("transpose", {v}, {{"perm", perm}});
}

ValueId reduce(Builder& b, std::string_view op, ValueId v, std::vector<int64_t> axes, bool keep_dims) {
  return b.add(op, {v}, {{"axes", std::move(axes)}, {"keepdims", int64_t{keep_dims}}});
}

MuOpId MuOpTable::add(MuOp op) {
  REQUIRE(!op.name.empty() && op.meaning, "a muGraph operator needs a name and a meaning");
  REQUIRE(!find(op.name), "a muGraph operator of this name is declared: " + op.name);
  ops_.push_back(std::move(op));
  return static_cast<MuOpId>(ops_.size() - 1);
}

std::optional<MuOpId> MuOpTable::find(std::string_view name) const {
  for (size_t i = 0; i < ops_.size(); ++i)
    if (ops_[i].name == name) return static_cast<MuOpId>(i);
  return std::nullopt;
}

MuOpId MuOpTable::at(std::string_view name) const {
  const auto id = find(name);
  REQUIRE(id.has_value(), fmt::format("no muGraph operator {}", name));
  return *id;
}

std::optional<MuOpId> MuOpTable::find_json(std::string_view name, bool block) const {
  for (size_t i = 0; i < ops_.size(); ++i) {
    const std::string& own = block ? ops_[i].block : ops_[i].kernel;
    if (own.empty()) continue;
    if (own == name || std::ranges::find(ops_[i].other_names, name) != ops_[i].other_names.end())
      return static_cast<MuOpId>(i);
  }
  return std::nullopt;
}

namespace {

ValueId element(Builder& b, ValueId v, int64_t axis, int64_t at) {
  return b.add("slice", {v},
               {{"axes", std::vector<int64_t>{axis}},
                {"starts", std::vector<int64_t>{at}},
                {"ends", std::vector<int64_t>{at + 1}},
                {"steps", std::vector<int64_t>{1}}});
}

/// The loop dimensions, which stand from `first` on, as one.
ValueId as_one_loop(Builder& b, ValueId v, int first, int loops) {
  Sizes sizes = sizes_of(b, v);
  const auto begin = sizes.begin() + first, end = begin + loops;
  *begin = std::accumulate(begin, end, int64_t{1}, std::multiplies<>());
  sizes.erase(begin + 1, end);
  return reshape(b, v, sizes);
}

/// Element t along the loop becomes the largest of elements 0 .. t.
ValueId running_max(Builder& b, ValueId v, int first, int loops) {
  const ValueId one = as_one_loop(b, v, first, loops);
  const int64_t range = sizes_of(b, one)[static_cast<size_t>(first)];
  if (range == 1) return v;
  std::vector<ValueId> values = {element(b, one, first, 0)};
  for (int64_t t = 1; t < range; ++t)
    values.push_back(b.add("max", {values.back(), element(b, one, first, t)}));
  return reshape(b, b.add("concat", values, {{"axis", int64_t{first}}}), sizes_of(b, v));
}

/// The factors of all later iterations: exp(m[t] - m[t + 1]) ... are exp(m[t] - m[last]).
ValueId rescaled(Builder& b, ValueId v, ValueId m, int first, int loops) {
  const Sizes sizes = sizes_of(b, m);
  const ValueId one = as_one_loop(b, m, first, loops);
  const Sizes merged = sizes_of(b, one);
  const ValueId last = element(b, one, first, merged[static_cast<size_t>(first)] - 1);
  const ValueId factor = b.add("exp", {b.add("sub", {one, broadcast(b, last, merged)})});
  return b.add("mul", {v, broadcast(b, reshape(b, factor, sizes), sizes_of(b, v))});
}

}  // namespace

ValueId apply_meaning(Builder& b, const MuOp& op, std::span<const ValueId> operands, const Place& place,
                      int loops) {
  ValueId each = op.meaning(b, operands, place);
  if (op.running_max && loops > 0) return running_max(b, each, place.lead - loops, loops);
  if (op.accumulate == Accumulate::kNone) return each;
  if (op.accumulate == Accumulate::kRescale && loops > 0)
    each = rescaled(b, each, operands[1], place.lead - loops, loops);
  const Sizes whole = sizes_of(b, operands[0]);
  const Sizes operand(whole.begin() + place.lead, whole.end());
  Place after = place;
  after.lead -= loops;
  ValueId sum = each;
  std::vector<int64_t> axes;
  for (int i = 0; i < loops; ++i) axes.push_back(after.lead + i);
  if (loops > 0 && op.accumulate != Accumulate::kConcat) {
    sum = reduce(b, op.accumulate == Accumulate::kMax ? "reduce_max" : "reduce_sum", each, axes, false);
  } else if (loops > 0) {
    // One tile after the other along the axis: the loop dimensions come to stand before it and merge with it.
    Sizes sizes = sizes_of(b, each);
    std::vector<int64_t> perm;
    Sizes merged;
    const auto first = static_cast<size_t>(after.lead);
    const auto own = static_cast<size_t>(place.lead);
    for (size_t i = 0; i < first; ++i) perm.push_back(static_cast<int64_t>(i));
    merged.assign(sizes.begin(), sizes.begin() + after.lead);
    for (size_t i = own; i < sizes.size(); ++i) {
      if (i == own + static_cast<size_t>(place.axis)) perm.insert(perm.end(), axes.begin(), axes.end());
      perm.push_back(static_cast<int64_t>(i));
      merged.push_back(i == own + static_cast<size_t>(place.axis) ? sizes[i] * place.range : sizes[i]);
    }
    sum = reshape(b, transpose(b, each, perm), merged);
  }
  return op.finish ? op.finish(b, sum, operand, after) : sum;
}

TileShape infer_tile(const MuOp& op, std::span<const Sizes> operands, const Place& place, bool block) {
  if (op.has_axis)
    for (const Sizes& s : operands)
      if (place.axis < 0 || place.axis >= static_cast<int>(s.size()))
        return {{}, fmt::format("{}: expected an axis below {}, got {}", op.name, s.size(), place.axis)};
  if (op.refuse) {
    if (std::string bad = op.refuse(operands, place, block); !bad.empty())
      return {{}, fmt::format("{}: {}", op.name, bad)};
  }
  ir::Context ctx(ir::standard_ops());
  Builder b(ctx);
  try {
    std::vector<ValueId> values;
    const bool looped = op.accumulate == Accumulate::kConcat;  // the others leave no trace of the range
    for (const Sizes& s : operands) {
      Sizes sizes = s;
      if (looped) sizes.insert(sizes.begin(), place.range);
      values.push_back(b.input("", ctx.tensor_type(ir::DType::kF32, ir::static_shape(sizes))));
    }
    Place here = place;
    here.lead = looped ? 1 : 0;
    return {sizes_of(b, apply_meaning(b, op, values, here, here.lead)), {}};
  } catch (const MisuseError& e) {
    std::string what = e.what();  // "... failed in f: expected ..., got ..."
    if (const size_t at = what.find("expected"); at != std::string::npos) what.erase(0, at);
    if (const size_t at = what.rfind(" (required"); at != std::string::npos) what.erase(at);
    return {{}, fmt::format("{}: {}", op.name, what)};
  }
}

}  // namespace isomer::mugraph
