#include "verify/rounded_constants.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "eval/interpreter.h"
#include "ir/constant_data.h"

namespace isomer::verify {

bool same_tensors_of_constants(const ir::Graph& a, const ir::Graph& b) {
  constexpr int64_t kFew = 16;
  const auto tensors = [](const ir::Graph& graph) {
    std::set<int64_t> ids;
    for (size_t i = 0; i < graph.size(); ++i) {
      const ir::ValueId v(i);
      if (!graph.def(v).is(ir::Core::kConstant) || !ir::is_float(graph.type(v).dtype)) continue;
      if (ir::element_count(graph.type(v).shape) > kFew)
        ids.insert(std::get<int64_t>(graph.context().get(graph.attrs(v)[0])));
    }
    return ids;
  };
  return tensors(a) == tensors(b);
}

std::set<ir::DType> rounded_types(const ir::Graph& a, const ir::Graph& b) {
  const auto constants = [](const ir::Graph& graph) {
    std::set<std::pair<int64_t, ir::DType>> out;
    for (size_t i = 0; i < graph.size(); ++i) {
      const ir::ValueId v(i);
      const ir::DType dtype = graph.type(v).dtype;
      if (graph.def(v).is(ir::Core::kConstant) && ir::is_half(dtype))
        out.emplace(std::get<int64_t>(graph.context().get(graph.attrs(v)[0])), dtype);
    }
    return out;
  };
  std::set<ir::DType> out;
  const auto known = constants(a);
  for (const auto& constant : constants(b))
    if (!known.contains(constant)) out.insert(constant.second);
  return out;
}

bool made_numbers(const ir::Graph& a, const ir::Graph& b) {
  const auto numbers = [](const ir::Graph& graph) {
    std::pair<std::set<uint64_t>, std::set<double>> out;  // constants by what they hold
    for (size_t i = 0; i < graph.size(); ++i) {
      const ir::ValueId v(i);
      const ir::Type& type = graph.type(v);
      if (!type.is_tensor() || !ir::is_float(type.dtype)) continue;
      if (graph.def(v).is(ir::Core::kConstant))
        out.first.insert(graph.context().content_hash(eval::constant_id(graph, v)));
      for (const ir::AttrId id : graph.attrs(v))
        if (const auto* number = id.valid() ? std::get_if<double>(&graph.context().get(id)) : nullptr;
            number && !std::isnan(*number))
          out.second.insert(*number);
    }
    return out;
  };
  const auto known = numbers(a), all = numbers(b);
  return !std::ranges::includes(known.first, all.first) || !std::ranges::includes(known.second, all.second);
}

bool made_numbers_beyond_types(const ir::Graph& a, const ir::Graph& b) {
  const auto numbers = [](const ir::Graph& graph) {
    std::set<double> out;
    for (size_t i = 0; i < graph.size(); ++i) {
      const ir::ValueId v(i);
      const ir::Type& type = graph.type(v);
      if (!type.is_tensor() || !ir::is_float(type.dtype)) continue;
      for (const ir::AttrId id : graph.attrs(v)) {
        const auto* number = id.valid() ? std::get_if<double>(&graph.context().get(id)) : nullptr;
        if (number && std::isfinite(*number) && !std::isfinite(ir::round_to(type.dtype, *number)))
          out.insert(*number);
      }
    }
    return out;
  };
  const std::set<double> known = numbers(a), made = numbers(b);
  return !std::ranges::includes(known, made);
}

}  // namespace isomer::verify
