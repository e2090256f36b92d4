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

namespace {

bool is_tensor_of_floats(const ir::Type& type) { return type.is_tensor() && ir::is_float(type.dtype); }

/// By what they hold.
std::set<uint64_t> constants_of_floats(const ir::Graph& graph) {
  std::set<uint64_t> out;
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    if (graph.def(v).is(ir::Core::kConstant) && is_tensor_of_floats(graph.type(v)))
      out.insert(graph.context().content_hash(eval::constant_id(graph, v)));
  }
  return out;
}

/// Attributes of tensors of floats that are numbers, those that `wanted(number, element type)` is true of.
template <class Wanted>
std::set<double> attributes_of_floats(const ir::Graph& graph, const Wanted& wanted) {
  std::set<double> out;
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    const ir::Type& type = graph.type(v);
    if (!is_tensor_of_floats(type)) continue;
    for (const ir::AttrId id : graph.attrs(v)) {
      const auto* number = id.valid() ? std::get_if<double>(&graph.context().get(id)) : nullptr;
      if (number && wanted(*number, type.dtype)) out.insert(*number);
    }
  }
  return out;
}

}  // namespace

bool made_numbers(const ir::Graph& a, const ir::Graph& b) {
  const auto is_number = [](double x, ir::DType) { return !std::isnan(x); };
  return !std::ranges::includes(constants_of_floats(a), constants_of_floats(b)) ||
         !std::ranges::includes(attributes_of_floats(a, is_number), attributes_of_floats(b, is_number));
}

bool made_numbers_beyond_types(const ir::Graph& a, const ir::Graph& b) {
  const auto is_beyond = [](double x, ir::DType dtype) {
    return std::isfinite(x) && !std::isfinite(ir::round_to(dtype, x));
  };
  return !std::ranges::includes(attributes_of_floats(a, is_beyond), attributes_of_floats(b, is_beyond));
}

}  // namespace isomer::verify
