#include "mugraph/tile_kinds.h"

#include "ir/op_table.h"
#include "meaning/flatten.h"
#include "support/errors.h"
#include "support/hash.h"

namespace isomer::mugraph {

namespace {

uint64_t hash_of(const std::array<uint64_t, 4>& key) {
  return hash_combine(hash_combine(key[0], key[1]), hash_combine(key[2], key[3]));
}

}  // namespace

KindId Kinds::add(const Kind& kind) {
  const auto [at, added] = index_.emplace(kind, static_cast<KindId>(kinds_.size()));
  if (added) {
    uint64_t h = hash_combine(terms_.hash(kind.term), kind.sizes.size());
    for (int64_t s : kind.sizes) h = hash_combine(h, static_cast<uint64_t>(s));
    for (AxisId a : kind.axes) h = hash_combine(h, axes_.hash(a));
    kinds_.push_back(&at->first);
    hashes_.push_back(h);
  }
  return at->second;
}

std::optional<KindId> Kinds::apply(MuOpId op, std::span<const KindId> operands, const KindPlace& place) {
  ++applications_;
  const MuOp& def = ops_.get(op);
  REQUIRE(operands.size() <= 4, "an operator of more than four operands");
  std::array<uint64_t, 4> o{};
  for (size_t i = 0; i < operands.size(); ++i) o[i] = uint64_t{operands[i]} + 1;
  const auto range = static_cast<uint64_t>(def.accumulate != Accumulate::kNone ? place.range : 1);
  const Key key = {uint64_t{op} << 32 | uint64_t{place.block} << 16 | (static_cast<uint64_t>(place.axis) + 1),
                   range << 32 | static_cast<uint64_t>(place.reduce_to), o[0] << 32 | o[1],
                   o[2] << 32 | o[3]};
  const uint64_t hash = hash_of(key);
  const AppliedId known = by_key_.find(hash, [&](AppliedId id) { return applied_[id.index()].key == key; });
  if (known.valid()) return applied_[known.index()].result;
  const auto result = compute(def, operands, place);
  by_key_.insert_growing(hash, AppliedId(applied_.size()),
                         [this](AppliedId id) { return hash_of(applied_[id.index()].key); });
  applied_.push_back({key, result});
  return result;
}

bool Kinds::same_rows(const MuOp& op, std::span<const KindId> operands) {
  ir::Context ctx(ops_.declarations());
  ir::Builder b(ctx);
  std::vector<ir::ValueId> values;
  std::vector<AxisList> axes;
  for (KindId k : operands) {
    values.push_back(b.input("", ctx.tensor_type(ir::DType::kF32, ir::static_shape(get(k).sizes))));
    axes.push_back(get(k).axes);
  }
  const ir::ValueId each = apply_once(b, op, values, {});
  const ir::ValueId both = b.add("sub", {each, broadcast(b, values[1], sizes_of(b, each))});
  return derive_axes(axes_, meaning::flatten(b.finish({both})).graph, axes).has_value();
}

std::optional<KindId> Kinds::compute(const MuOp& op, std::span<const KindId> operands,
                                     const KindPlace& place) {
  std::vector<Sizes> sizes;
  for (KindId k : operands) sizes.push_back(get(k).sizes);
  const int axis = place.axis < 0 ? last_axis(op, sizes[0]) : place.axis;
  const Place here{axis, place.range, place.reduce_to};
  if (!infer_tile(op, sizes, here, place.block)) return std::nullopt;
  const bool accumulates = op.accumulate != Accumulate::kNone;
  ir::Context ctx(ops_.declarations());
  ir::Builder b(ctx);
  std::vector<ir::ValueId> values;
  std::vector<TermId> terms;
  std::vector<AxisList> axes;
  for (KindId k : operands) {
    const Kind& kind = get(k);
    Sizes whole = kind.sizes;
    AxisList list = kind.axes;
    if (accumulates) {
      whole.insert(whole.begin(), place.range);
      list.insert(list.begin(), kAnyAxis);
    }
    values.push_back(b.input("", ctx.tensor_type(ir::DType::kF32, ir::static_shape(whole))));
    terms.push_back(kind.term);
    axes.push_back(std::move(list));
  }
  // A term has no place for iterations: a running maximum counts as the last one, to which nothing is
  // rescaled. Its rows must be those of what is added up.
  MuOp unscaled = op;
  if (op.accumulate == Accumulate::kRescale) {
    if (!same_rows(op, operands)) return std::nullopt;
    unscaled.accumulate = Accumulate::kAdd;
  }
  const ir::ValueId out =
      accumulates ? apply_in_loop(b, unscaled, values, here) : apply_once(b, op, values, here);
  const ir::Graph graph = b.finish({out});
  const auto term = abstract(terms_, graph, terms);
  if (!term) return std::nullopt;
  auto list = derive_axes(axes_, meaning::flatten(graph).graph, axes);
  if (!list) return std::nullopt;
  if (op.shape_operand >= 0) {
    const Kind& like = get(operands[static_cast<size_t>(op.shape_operand)]);
    for (size_t d = 0; d < like.axes.size(); ++d) {
      const auto both = axes_.meet((*list)[0][d], like.axes[d]);
      if (!both) return std::nullopt;
      (*list)[0][d] = *both;
    }
  }
  if (op.accumulate != Accumulate::kNone && op.accumulate != Accumulate::kConcat && place.range > 1)
    for (AxisId& a : (*list)[0]) a = axes_.summed(a);
  return add({(*term)[0], ir::sizes(graph.type(graph.outputs()[0]).shape), std::move((*list)[0])});
}

}  // namespace isomer::mugraph
