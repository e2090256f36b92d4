#include "verify/draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "ir/constant_data.h"
#include "ir/constant_of.h"
#include "verify/input_ranges.h"
#include "verify/random_leaves.h"

namespace isomer::verify {

Floats floats_of(int test) {
  constexpr std::array kWays = {Floats::kSigned, Floats::kPositive, Floats::kCoarse,   Floats::kThresholds,
                                Floats::kLarge,  Floats::kSmall,    Floats::kSpecials, Floats::kSigned};
  return kWays[static_cast<size_t>(test) % kWays.size()];
}

Integers integers_of(int test) {
  if (test == kFirstOfEnds) return Integers::kHighest;
  if (test == kFirstOfEnds + 1) return Integers::kLowest;
  return test % 2 == 1 ? Integers::kExtremes : Integers::kRange;
}

Arrangement arrangement_of(Floats how, uint64_t seed) {
  const uint64_t way = mix64(seed) % 4;
  if (how != Floats::kCoarse && how != Floats::kPositive) return Arrangement::kApart;
  return way == 0                             ? Arrangement::kAllAlike
         : way == 1 && how == Floats::kCoarse ? Arrangement::kInOrder
                                              : Arrangement::kApart;
}

std::string_view name_of(Floats how) {
  switch (how) {
    case Floats::kSigned: return "signed";
    case Floats::kPositive: return "positive";
    case Floats::kCoarse: return "coarse";
    case Floats::kThresholds: return "near thresholds";
    case Floats::kLarge: return "small and large";
    case Floats::kSmall: return "small";
    case Floats::kSpecials: return "infinities and NaN among signed";
  }
  return "?";
}

/// Of a cast from floats to integers: beyond this it has no value.
static std::optional<double> range_end(const ir::Graph& graph, ir::ValueId v) {
  const ir::OpDef& def = graph.def(v);
  const ir::Type& type = graph.type(v);
  if (def.elements_of(0) != ir::Elements::kConverted || !type.is_tensor() || !ir::is_integer(type.dtype) ||
      type.dtype == ir::DType::kBool || !ir::is_float(graph.type(graph.operands(v)[0]).dtype))
    return std::nullopt;
  return std::ldexp(1.0, ir::value_bits(type.dtype));
}

std::vector<double> thresholds_of(const ir::Graph& a, const ir::Graph& b) {
  constexpr size_t kMost = 32;
  constexpr int64_t kFew = 4;  // elements of a constant that is a threshold rather than data
  std::vector<double> out;
  const auto add = [&](double x) {
    if (std::isfinite(x) && x != 0 && std::abs(x) < 1e38 && out.size() < kMost &&
        std::ranges::find(out, x) == out.end())
      out.push_back(x);
  };
  for (const ir::Graph* graph : {&a, &b})
    for (size_t i = 0; i < graph->size(); ++i) {
      const ir::ValueId v(i);
      for (const ir::AttrId id : graph->attrs(v))
        if (id.valid())
          if (const auto* number = std::get_if<double>(&graph->context().get(id))) add(*number);
      const ir::Type& type = graph->type(v);
      if (const auto end = range_end(*graph, v)) add(*end);
      if (!graph->def(v).is(ir::Core::kConstant) || !type.is_static_tensor() || !ir::is_float(type.dtype))
        continue;
      const int64_t count = ir::element_count(type.shape);
      for (int64_t e = 0; e < (count <= kFew ? count : 0); ++e)
        add(ir::load_number(type.dtype, ir::constant_of(*graph, v).bytes(), e));
    }
  return out;
}

/// Whether an index, a constant that is at most spread or reshaped, leaves a dimension of that size.
static bool leaves(const ir::Graph& a, ir::ValueId index, int64_t size) {
  while (a.def(index).is(ir::Core::kBroadcast) || a.def(index).moves == ir::Moves::kReshapes)
    index = a.operands(index)[0];
  const ir::Type& type = a.type(index);
  if (!a.def(index).is(ir::Core::kConstant) || !type.is_static_tensor()) return false;
  for (int64_t e = 0; e < ir::element_count(type.shape); ++e) {
    const double at = ir::load_number(type.dtype, ir::constant_of(a, index).bytes(), e);
    if (at < static_cast<double>(-size) || at >= static_cast<double>(size)) return true;
  }
  return false;
}

/// Whether it puts elements where there are none.
static bool puts_into_nothing(const ir::Graph& a, ir::ValueId v) {
  const auto operands = a.operands(v);
  if (a.def(v).kind != ir::MeaningKind::kContraction || a.def(v).elements_of(1) != ir::Elements::kIndices)
    return false;
  const auto has_some = [&](size_t i) {
    const ir::Type& type = a.type(operands[i]);
    return type.is_static_tensor() && ir::element_count(type.shape) > 0;
  };
  const ir::Type& data = a.type(operands[0]);
  return data.is_static_tensor() && ir::element_count(data.shape) == 0 && has_some(1) &&
         (operands.size() < 3 || has_some(2));
}

UnreadIndices unread_indices(const ir::Graph& a) {
  UnreadIndices out;
  for (size_t i = 0; i < a.size(); ++i) {
    const ir::ValueId v(i);
    out.out_of_bounds |= puts_into_nothing(a, v);
    const int axis = a.def(v).attr_index("axis");
    if (a.def(v).range_kind() != ir::RangeKind::kGather || axis < 0) continue;
    const ir::Type &data = a.type(a.operands(v)[0]), &indices = a.type(a.operands(v)[1]);
    if (!data.is_static_tensor() || !indices.is_static_tensor() || ir::element_count(indices.shape) == 0)
      continue;
    const auto along =
        static_cast<size_t>(std::get<int64_t>(a.context().get(a.attrs(v)[static_cast<size_t>(axis)])));
    const int64_t size = data.shape[along].size();
    const bool unread = ir::element_count(data.shape) == 0;
    out.some |= unread;
    out.out_of_bounds |= size == 0 || (unread && leaves(a, a.operands(v)[1], size));
  }
  return out;
}

std::vector<LeafRange> index_ranges(const ir::Graph& a) {
  std::vector<LeafRange> out;
  const std::vector<InputRange> ranges = infer_input_ranges(a);
  for (size_t i = 0; i < ranges.size(); ++i) {
    const ir::Type& type = a.type(a.inputs()[i]);
    if (!ranges[i].known() || !ranges[i].values.empty() || !type.is_tensor() || !ir::is_integer(type.dtype) ||
        ranges[i].wished_above_0)  // what is no divisor is found by trying
      continue;
    const auto high = static_cast<int64_t>(ranges[i].high);
    auto low = static_cast<int64_t>(ranges[i].low);
    if (ranges[i].from_the_end && low == 0 && ir::has_sign(type.dtype)) low = -high;
    out.push_back({input_leaf(i), low, high, ranges[i].optional});
  }
  return out;
}

}  // namespace isomer::verify
