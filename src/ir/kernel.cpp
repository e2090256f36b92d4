#include "ir/kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "ir/lift.h"
#include "support/errors.h"

namespace isomer::ir {
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

/// One tile after the other along the axis: the loop dimensions come to stand before it and merge with it.
ValueId concatenated(Builder& b, ValueId v, int64_t axis, int first, int loops) {
  const Sizes sizes = sizes_of(b, v);
  const auto own = static_cast<size_t>(first) + static_cast<size_t>(loops),
             at = own + static_cast<size_t>(axis);
  std::vector<int64_t> perm;
  Sizes merged(sizes.begin(), sizes.begin() + first);
  int64_t range = 1;
  for (int64_t i = 0; i < first; ++i) perm.push_back(i);
  for (size_t i = own; i < sizes.size(); ++i) {
    if (i == at)
      for (int l = 0; l < loops; ++l) {
        perm.push_back(first + l);
        range *= sizes[static_cast<size_t>(first) + static_cast<size_t>(l)];
      }
    perm.push_back(static_cast<int64_t>(i));
    merged.push_back(i == at ? sizes[i] * range : sizes[i]);
  }
  return reshape(b, transpose(b, v, perm), merged);
}

/// What is made of the accumulated value after the loop.
ValueId finished(Builder& b, const OpInstance& op, ValueId sum, const Sizes& lead) {
  if (!op.op.finish) return sum;
  if (lead.empty()) return op.op.finish(b, op, sum);
  const Sizes whole = sizes_of(b, sum);
  const Sizes own(whole.begin() + static_cast<std::ptrdiff_t>(lead.size()), whole.end());
  Builder after(op.ctx);
  const ValueId in = after.input("", op.ctx.tensor_type(b.type(sum).dtype, static_shape(own)));
  const ValueId out = op.op.finish(after, op, in);
  return lift(b, after.finish({out}), std::span(&sum, 1), lead)[0];
}

}  // namespace

ValueId over_iterations(Builder& b, const OpInstance& op, Accumulate kind, std::span<const ValueId> operands,
                        const Sizes& lead, int loops) {
  ValueId each = lift(b, op, operands, lead);
  const int first = static_cast<int>(lead.size()) - loops;
  if (op.op.running_max) return loops > 0 ? running_max(b, each, first, loops) : each;
  if (kind == Accumulate::kNone) return each;
  const Sizes after(lead.begin(), lead.end() - loops);
  if (loops == 0) return finished(b, op, each, after);
  if (kind == Accumulate::kRescale) each = rescaled(b, each, operands[1], first, loops);
  std::vector<int64_t> axes(static_cast<size_t>(loops));
  std::iota(axes.begin(), axes.end(), int64_t{first});
  const ValueId sum =
      kind == Accumulate::kConcat
          ? concatenated(b, each, op.i("axis"), first, loops)
          : reduce(b, kind == Accumulate::kMax ? "reduce_max" : "reduce_sum", each, axes, false);
  return finished(b, op, sum, after);
}

namespace {

class WriteOut {
 public:
  WriteOut(Builder& b, const Graph& body, const Schedule& schedule)
      : b_(b), body_(body), schedule_(schedule), loops_(static_cast<int>(schedule.loops.size())) {
    lead_.assign(schedule.grid.begin(), schedule.grid.end());
    lead_.insert(lead_.end(), schedule.loops.begin(), schedule.loops.end());
  }

  std::vector<ValueId> run(std::span<const ValueId> operands) {
    const std::vector<bool> after = after_loop(body_);
    const Sizes blocks(lead_.begin(), lead_.begin() + 3);
    std::vector<std::vector<ValueId>> values(body_.size());  // several of a tuple
    for (size_t i = 0; i < operands.size(); ++i) {
      const ValueId v = body_.inputs()[i];
      values[v.index()] = {tiles(operands[i], sizes(body_.type(v).shape), schedule_.inputs[i])};
    }
    for (size_t i = 0; i < body_.size(); ++i) {
      const ValueId v(i);
      const OpDef& def = body_.def(v);
      if (def.is(Core::kInput)) continue;
      std::vector<ValueId> in;
      std::vector<TypeId> types;
      for (ValueId o : body_.operands(v)) {
        in.push_back(values[o.index()][0]);
        types.push_back(body_.type_id(o));
      }
      const OpInstance op(body_.context(), def, body_.attrs(v), types, body_.type_id(v));
      const bool accumulates = def.accumulate != Accumulate::kNone;
      const Sizes& lead = after[i] && !accumulates ? blocks : lead_;
      if (def.is(Core::kGet))
        values[i] = {values[body_.operands(v)[0].index()].at(static_cast<size_t>(op.i("index")))};
      else if (body_.type(v).kind == TypeKind::kTuple)
        values[i] = lift_parts(b_, op, in, lead);
      else
        values[i] = {
            over_iterations(b_, op, def.accumulate, in, lead, accumulates || def.running_max ? loops_ : 0)};
    }
    std::vector<ValueId> out;
    for (size_t o = 0; o < body_.outputs().size(); ++o) {
      const ValueId v = body_.outputs()[o];
      out.push_back(join(values[v.index()][0], sizes(body_.type(v).shape), schedule_.omaps[o]));
    }
    return out;
  }

 private:
  /// [grid..., loops..., tile...] of an operand: each dimension that is cut is split into the parts that cut
  /// it, the outermost first, and these are moved to the front.
  ValueId tiles(ValueId operand, const Sizes& tile, const ScheduledInput& input) {
    Sizes split;
    std::vector<int64_t> lead_at(lead_.size(), -1), own_at;
    for (size_t k = 0; k < tile.size(); ++k) {
      for (size_t l = 0; l < lead_.size(); ++l) {
        const int cut = l < 3 ? input.imap[l] : input.fmap[l - 3];
        if (cut != static_cast<int>(k)) continue;
        lead_at[l] = static_cast<int64_t>(split.size());
        split.push_back(lead_[l]);
      }
      own_at.push_back(static_cast<int64_t>(split.size()));
      split.push_back(tile[k]);
    }
    std::vector<int64_t> perm;
    Sizes moved, whole = lead_;
    for (size_t l = 0; l < lead_.size(); ++l) {
      if (lead_at[l] >= 0) perm.push_back(lead_at[l]);
      moved.push_back(lead_at[l] >= 0 ? lead_[l] : 1);
    }
    perm.insert(perm.end(), own_at.begin(), own_at.end());
    moved.insert(moved.end(), tile.begin(), tile.end());
    whole.insert(whole.end(), tile.begin(), tile.end());
    const ValueId cut = transpose(b_, reshape(b_, operand, split), perm);
    return broadcast(b_, reshape(b_, cut, moved), whole);
  }

  /// The tensor that tiles [grid..., tile...] make together.
  ValueId join(ValueId tile, const Sizes& own, const GridMap& omap) {
    std::vector<int64_t> perm;
    Sizes joined;
    // Grid dimensions of 1 that omap does not name go anywhere: to the front.
    for (int64_t d = 0; d < 3; ++d)
      if (omap[static_cast<size_t>(d)] == kWhole) perm.push_back(d);
    for (size_t k = 0; k < own.size(); ++k) {
      int64_t size = own[k];
      for (size_t d = 0; d < 3; ++d) {
        if (omap[d] != static_cast<int>(k)) continue;
        perm.push_back(static_cast<int64_t>(d));
        size *= schedule_.grid[d];
      }
      perm.push_back(static_cast<int64_t>(3 + k));
      joined.push_back(size);
    }
    return reshape(b_, transpose(b_, tile, perm), joined);
  }

  Builder& b_;
  const Graph& body_;
  const Schedule& schedule_;
  int loops_;
  Sizes lead_;
};

/// What is wrong with a value of a body, beside the types of its operands.
std::string check_value(const Graph& body, ValueId v, const Schedule& schedule, Levels level,
                        const std::vector<bool>& after_loop) {
  const OpDef& def = body.def(v);
  if (!def.stands_at(level))
    return fmt::format("no operator of a {}", level == kThreadLevel ? "thread" : "block");
  bool after = false, before = false;
  std::vector<TypeId> types;
  for (ValueId o : body.operands(v)) {
    (after_loop[o.index()] ? after : before) = true;
    types.push_back(body.type_id(o));
  }
  const bool accumulates = def.accumulate != Accumulate::kNone;
  if (accumulates && after) return "a second accumulator on one path";
  if (after && before) return "operands from inside and from after the loop";
  if (def.running_max && after) return "it runs within the loop";
  if (def.accumulate == Accumulate::kRescale && !body.def(body.operands(v)[1]).running_max)
    return "its second operand is no running maximum";
  const OpInstance op(body.context(), def, body.attrs(v), types, body.type_id(v));
  for (const AttrSpec& a : def.attrs) {
    if (a.role == AttrRole::kIterations && op.i(a.name) != schedule.range())
      return fmt::format("expected {} iterations, got {}", schedule.range(), op.i(a.name));
    if (a.role == AttrRole::kWidth && op.i(a.name) != schedule.width)
      return fmt::format("expected a width of {}, got {}", schedule.width, op.i(a.name));
  }
  return check_at_level(op, level);
}

}  // namespace

std::vector<ValueId> write_out(Builder& b, const Graph& body, const Schedule& schedule,
                               std::span<const ValueId> operands) {
  return WriteOut(b, body, schedule).run(operands);
}

std::string check_at_level(const OpInstance& op, Levels level) {
  if (!op.op.is_matrix_product() || (level & kTileLevels) == 0) return {};
  const auto text = [](const Shape& s) { return fmt::format("[{}]", fmt::join(sizes(s), ",")); };
  for (size_t i : {size_t{0}, size_t{1}})
    for (size_t d = 0; d + 2 < op.in_shape(i).size(); ++d)
      if (op.in_shape(i)[d] != Dim(1))
        return "expected batch dimensions of 1 in a block, got " + text(op.in_shape(i));
  return {};
}

std::string check_body(const Graph& body, const Schedule& schedule, Levels level) {
  const std::vector<bool> after = after_loop(body);
  for (size_t i = 0; i < body.size(); ++i) {
    const ValueId v(i);
    if (body.def(v).is(Core::kInput)) continue;
    if (auto bad = check_value(body, v, schedule, level, after); !bad.empty())
      return fmt::format("%{} ({}): {}", i, body.def(v).name, bad);
  }
  if (body.outputs().empty()) return "no output";
  for (size_t o = 0; o < body.outputs().size(); ++o)
    if (!after[body.outputs()[o].index()])
      return fmt::format("output {}: no accumulator on the path to it", o);
  return {};
}

}  // namespace isomer::ir
