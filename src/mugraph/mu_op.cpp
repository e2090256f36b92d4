#include "mugraph/mu_op.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "ir/kernel.h"
#include "ir/lift.h"
#include "ir/op_table.h"
#include "mugraph/searched_ops.h"
#include "support/errors.h"

namespace isomer::mugraph {

using ir::AttrRole;
using ir::AttrSpec;
using ir::Builder;
using ir::OpDef;
using ir::ValueId;

namespace {

bool is_axis(const AttrSpec& a) {
  return (a.role == AttrRole::kAxis || a.role == AttrRole::kAxes) && !a.fallback;
}
bool of_place(const AttrSpec& a) {
  return is_axis(a) || a.role == AttrRole::kIterations || a.role == AttrRole::kWidth;
}

/// Whether the axis is all that an application has to say.
bool fits_a_row(const OpDef& def) {
  return def.stands_at(ir::kKernelLevel | ir::kTileLevels) && def.kind != ir::MeaningKind::kTuple &&
         std::ranges::all_of(def.attrs, [](const AttrSpec& a) { return of_place(a) || a.fallback; });
}

MuOp row_of(const ir::OpTable& table, ir::OpId id) {
  const OpDef& def = table.get(id);
  MuOp op;
  op.table = &table;
  op.op = id;
  op.name = def.name;
  for (const ir::Spelling& s : def.spellings) {
    if (s.format == "mugraph") op.name = s.name;
    if (s.format != "mirage") continue;
    std::string& written = s.domain == "kn" ? op.kernel : op.block;
    if (written.empty())
      written = s.name;
    else
      op.other_names.push_back(s.name);
  }
  op.arity = def.max_inputs < 0 ? std::max(2, def.min_inputs) : def.min_inputs;
  op.commutative = def.commutes;
  op.has_axis = std::ranges::any_of(def.attrs, is_axis);
  op.in_kernels = def.stands_at(ir::kKernelLevel);
  op.in_blocks = def.stands_at(ir::kBlockLevel);
  op.in_threads = def.stands_at(ir::kThreadLevel);
  op.broadcasts = def.meets == ir::Meets::kAll;
  op.shape_operand = def.shape_operand;
  op.has_width = def.has_role(AttrRole::kWidth);
  op.accumulate = def.accumulate;
  op.running_max = def.running_max;
  return op;
}

std::string print(const Sizes& s) { return fmt::format("[{}]", fmt::join(s, ",")); }

/// The sizes that operands which are repeated meet in.
TileShape met(std::span<const Sizes> in) {
  Sizes out = in[0];
  for (const Sizes& s : in.subspan(1)) {
    bool same = s.size() == out.size();
    for (size_t i = 0; same && i < s.size(); ++i) same = s[i] == out[i] || s[i] == 1 || out[i] == 1;
    if (!same) return {{}, fmt::format("expected equal sizes or 1, got {} and {}", print(out), print(s))};
    for (size_t i = 0; i < s.size(); ++i) out[i] = std::max(out[i], s[i]);
  }
  return {std::move(out), {}};
}

std::vector<ir::TypeId> types_of(const Builder& b, std::span<const ValueId> values) {
  std::vector<ir::TypeId> out;
  for (ValueId v : values) out.push_back(b.type_id(v));
  return out;
}

ir::TypeId type_of(const MuOp& op, ir::Context& ctx, ir::PayloadId payload, std::span<const ir::TypeId> in) {
  const ir::Inferred type = ir::infer(ctx, op.op, ctx.get(payload), in);
  REQUIRE(bool(type), type.error);
  return type.type;
}

}  // namespace

const OpDef& MuOp::def() const { return table->get(op); }

ir::PayloadId MuOp::payload(ir::Context& ctx, const Place& place) const {
  std::vector<ir::AttrId> attrs;
  for (const AttrSpec& a : def().attrs) {
    const auto axis = static_cast<int64_t>(place.axis);
    if (a.role == AttrRole::kIterations)
      attrs.push_back(ctx.intern(place.range));
    else if (a.role == AttrRole::kWidth)
      attrs.push_back(ctx.intern(place.reduce_to));
    else if (!is_axis(a))
      attrs.push_back(ctx.intern(*a.fallback));
    else
      attrs.push_back(a.role == AttrRole::kAxis ? ctx.intern(axis) : ctx.intern(std::vector<int64_t>{axis}));
  }
  return ctx.intern(attrs);
}

std::optional<int> MuOp::axis_of(const ir::Context& ctx, std::span<const ir::AttrId> attrs) const {
  int axis = -1;
  for (size_t i = 0; i < attrs.size(); ++i) {
    const AttrSpec& a = def().attrs[i];
    if (!attrs[i].valid()) return std::nullopt;
    const ir::AttrValue& value = ctx.get(attrs[i]);
    if (is_axis(a)) {
      const auto* list = std::get_if<std::vector<int64_t>>(&value);
      if (list != nullptr && list->size() != 1) return std::nullopt;
      axis = static_cast<int>(list != nullptr ? (*list)[0] : std::get<int64_t>(value));
    } else if (!of_place(a) && !identical(*a.fallback, value)) {
      return std::nullopt;
    }
  }
  return axis;
}

MuOpTable::MuOpTable(const ir::OpTable& ops) : declarations_(&ops) {
  for (std::string_view name : kSearchOrder)
    if (const ir::OpId id = ops.find(name); id.valid()) ops_.push_back(row_of(ops, id));
  for (size_t i = 0; i < ops.size(); ++i)
    if (fits_a_row(ops.get(ir::OpId(i))) && !find(ir::OpId(i))) ops_.push_back(row_of(ops, ir::OpId(i)));
}

std::optional<MuOpId> MuOpTable::find(std::string_view name) const {
  for (size_t i = 0; i < ops_.size(); ++i)
    if (ops_[i].name == name) return static_cast<MuOpId>(i);
  return std::nullopt;
}

std::optional<MuOpId> MuOpTable::find(ir::OpId op) const {
  for (size_t i = 0; i < ops_.size(); ++i)
    if (ops_[i].op == op) return static_cast<MuOpId>(i);
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

const MuOpTable& standard_mu_ops() {
  static const MuOpTable table(ir::standard_ops());
  return table;
}

TileShape infer_tile(const MuOp& op, std::span<const Sizes> operands, const Place& place, bool block) {
  const auto refused = [&](std::string_view why) {
    return TileShape{{}, fmt::format("{}: {}", op.name, why)};
  };
  if (op.has_axis)
    for (const Sizes& s : operands)
      if (place.axis < 0 || place.axis >= static_cast<int>(s.size()))
        return refused(fmt::format("expected an axis below {}, got {}", s.size(), place.axis));
  Sizes all;
  if (op.broadcasts) {
    TileShape shape = met(operands);
    if (!shape) return refused(shape.error);
    all = std::move(shape.sizes);
  }
  ir::Context ctx(*op.table);
  std::vector<ir::TypeId> types;
  for (const Sizes& s : operands)
    types.push_back(ctx.tensor_type(ir::DType::kF32, ir::static_shape(op.broadcasts ? all : s)));
  const OpDef& def = op.def();
  const auto rank = [&](size_t i) { return operands[i].size(); };
  if (def.is_matrix_product() && (rank(0) != rank(1) || rank(0) < 2))
    return refused(fmt::format("expected equal ranks of 2 or more, got {} and {}", print(operands[0]),
                               print(operands[1])));
  const ir::PayloadId payload = op.payload(ctx, place);
  if (block) {
    const ir::OpInstance instance(ctx, def, ctx.get(payload), types);
    if (auto bad = ir::check_at_level(instance, ir::kBlockLevel); !bad.empty()) return refused(bad);
  }
  const ir::Inferred type = ir::infer(ctx, op.op, ctx.get(payload), types);
  if (type) return {ir::sizes(ctx.get(type.type).shape), {}};
  std::string_view why = type.error;
  if (why.starts_with(def.name + ": ")) why.remove_prefix(def.name.size() + 2);
  return refused(why);
}

ValueId apply_once(Builder& b, const MuOp& op, std::span<const ValueId> operands, const Place& place) {
  std::vector<ValueId> in(operands.begin(), operands.end());
  if (op.broadcasts) {
    std::vector<Sizes> sizes;
    for (ValueId v : operands) sizes.push_back(sizes_of(b, v));
    const TileShape all = met(sizes);
    REQUIRE(bool(all), all.error);
    for (ValueId& v : in) v = broadcast(b, v, all.sizes);
  }
  ir::Context& ctx = b.context();
  const ir::PayloadId payload = op.payload(ctx, place);
  if (op.def().stands_at(ir::kGraphLevel)) return b.add(op.op, payload, in);
  const auto types = types_of(b, in);
  return op.def().expand(
      b, ir::OpInstance(ctx, op.def(), ctx.get(payload), types, type_of(op, ctx, payload, types)), in);
}

ValueId apply_in_loop(Builder& b, const MuOp& op, std::span<const ValueId> operands, const Place& place) {
  std::vector<ir::TypeId> types;
  ir::Context& ctx = b.context();
  for (ValueId v : operands) {
    Sizes sizes = sizes_of(b, v);
    sizes.erase(sizes.begin());
    types.push_back(ctx.tensor_type(b.type(v).dtype, ir::static_shape(sizes)));
  }
  const ir::PayloadId payload = op.payload(ctx, place);
  const ir::OpInstance instance(ctx, op.def(), ctx.get(payload), types, type_of(op, ctx, payload, types));
  return ir::over_iterations(b, instance, op.accumulate, operands, {place.range}, 1);
}

ValueId finish_accumulated(Builder& b, const MuOp& op, ValueId sum, std::span<const Sizes> operands,
                           const Place& place) {
  if (!op.def().finish) return sum;
  ir::Context& ctx = b.context();
  std::vector<ir::TypeId> types;
  for (const Sizes& s : operands) types.push_back(ctx.tensor_type(b.type(sum).dtype, ir::static_shape(s)));
  const ir::PayloadId payload = op.payload(ctx, place);
  return op.def().finish(b, {ctx, op.def(), ctx.get(payload), types, b.type_id(sum)}, sum);
}

}  // namespace isomer::mugraph
