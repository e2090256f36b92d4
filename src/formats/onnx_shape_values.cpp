#include "formats/onnx_shape_values.h"

#include <algorithm>
#include <unordered_map>

#include "ir/constant_data.h"
#include "ir/constant_of.h"

namespace isomer::formats {
namespace {

using ir::ValueId;
using Values = std::vector<SizeValue>;
using Maybe = std::optional<Values>;

constexpr int kDepth = 32;
constexpr int64_t kElements = 64;

/// What a question has found so far: programs of sizes share their parts.
using Memo = std::unordered_map<uint32_t, Maybe>;

Maybe evaluate(const ir::Graph& graph, ValueId value, int depth, Memo& memo);

SizeValue number(int64_t n) { return {false, n, {}}; }

Maybe constant(const ir::Graph& graph, ValueId v, const ir::Type& type) {
  const auto bytes = ir::constant_of(graph, v).bytes();
  Values out;
  for (int64_t i = 0; i < element_count(type.shape); ++i)
    out.push_back(number(load_integer(type.dtype, bytes, i)));
  return out;
}

Maybe dimensions(const ir::OpInstance& op) {
  if (!op.type(0).is_ranked_tensor()) return std::nullopt;
  const ir::Shape& shape = op.in_shape(0);
  const auto rank = static_cast<int64_t>(shape.size());
  const auto clamp = [&](int64_t i) { return std::clamp(i < 0 ? i + rank : i, int64_t{0}, rank); };
  const int64_t start = op.has("start") ? clamp(op.i("start")) : 0;
  const int64_t end = op.has("end") ? clamp(op.i("end")) : rank;
  Values out;
  for (int64_t i = start; i < end; ++i) {
    const ir::Dim d = shape[static_cast<size_t>(i)];
    if (d.is_unknown()) return std::nullopt;
    out.push_back(d.is_static() ? number(d.size()) : SizeValue{true, 0, d.symbol()});
  }
  return out;
}

Maybe gather(const ir::OpInstance& op, const Maybe& data, const Maybe& index) {
  if (!data || !index || op.i("axis") != 0 || op.in_shape(0).size() != 1) return std::nullopt;
  Values out;
  for (const SizeValue& i : *index) {
    const auto size = static_cast<int64_t>(data->size());
    const int64_t at = i.number < 0 ? i.number + size : i.number;
    if (i.symbolic || at < 0 || at >= size) return std::nullopt;
    out.push_back((*data)[static_cast<size_t>(at)]);
  }
  return out;
}

Maybe slice(const ir::OpInstance& op, const Maybe& data) {
  if (!data || op.ints("axes") != std::vector<int64_t>{0}) return std::nullopt;
  const auto size = static_cast<int64_t>(data->size());
  const int64_t step = op.ints("steps")[0];
  if (step <= 0) return std::nullopt;
  const auto clamp = [&](int64_t i) { return std::clamp(i < 0 ? i + size : i, int64_t{0}, size); };
  Values out;
  for (int64_t i = clamp(op.ints("starts")[0]), end = clamp(op.ints("ends")[0]); i < end; i += step)
    out.push_back((*data)[static_cast<size_t>(i)]);
  return out;
}

Maybe arithmetic(const std::string& name, const Maybe& a, const Maybe& b) {
  if (!a || !b || a->size() != b->size()) return std::nullopt;
  Values out;
  for (size_t i = 0; i < a->size(); ++i) {
    const SizeValue& x = (*a)[i];
    const SizeValue& y = (*b)[i];
    if (x.symbolic || y.symbolic) {
      if ((name == "mul" && x == number(1)) || (name == "add" && x == number(0)))
        out.push_back(y);
      else if (((name == "mul" || name == "div") && y == number(1)) ||
               ((name == "add" || name == "sub") && y == number(0)))
        out.push_back(x);
      else
        return std::nullopt;
      continue;
    }
    const int64_t p = x.number;
    const int64_t q = y.number;
    int64_t r = 0;
    if (name == "div") {
      if (q <= 0) return std::nullopt;
      r = p / q;
    } else if (name == "add"   ? __builtin_add_overflow(p, q, &r)
               : name == "sub" ? __builtin_sub_overflow(p, q, &r)
                               : __builtin_mul_overflow(p, q, &r)) {
      return std::nullopt;
    }
    out.push_back(number(r));
  }
  return out;
}

Maybe compute(const ir::Graph& graph, ValueId v, int depth, Memo& memo) {
  const ir::Type& type = graph.type(v);
  if (depth == 0 || !type.is_static_tensor() || type.shape.size() > 1 ||
      element_count(type.shape) > kElements)
    return std::nullopt;
  if (type.dtype != ir::DType::kI64 && type.dtype != ir::DType::kI32) return std::nullopt;
  const std::string& name = graph.def(v).name;
  if (name == "constant") return constant(graph, v, type);
  const auto operands = graph.operands(v);
  if (operands.empty() || graph.def(v).kind == ir::MeaningKind::kOpaque) return std::nullopt;
  std::vector<ir::TypeId> types;
  for (ValueId o : operands) types.push_back(graph.type_id(o));
  const ir::OpInstance op(graph.context(), graph.def(v), graph.attrs(v), types, graph.type_id(v));
  if (name == "shape") return dimensions(op);
  const Maybe first = evaluate(graph, operands[0], depth - 1, memo);
  if (!first) return std::nullopt;
  if (name == "gather") return gather(op, first, evaluate(graph, operands[1], depth - 1, memo));
  if (name == "slice") return slice(op, first);
  if (name == "squeeze" || name == "unsqueeze" || name == "reshape" || name == "cast") return first;
  if (name == "broadcast")
    return Values(static_cast<size_t>(element_count(type.shape)), first->empty() ? number(0) : (*first)[0]);
  if (name == "concat") {
    Values out = *first;
    for (size_t i = 1; i < operands.size(); ++i) {
      const Maybe next = evaluate(graph, operands[i], depth - 1, memo);
      if (!next) return std::nullopt;
      out.insert(out.end(), next->begin(), next->end());
    }
    return out;
  }
  if (name == "add" || name == "sub" || name == "mul" || name == "div")
    return arithmetic(name, first, evaluate(graph, operands[1], depth - 1, memo));
  return std::nullopt;
}

Maybe evaluate(const ir::Graph& graph, ValueId v, int depth, Memo& memo) {
  if (const auto it = memo.find(v.v); it != memo.end()) return it->second;
  Maybe found = compute(graph, v, depth, memo);
  memo.emplace(v.v, found);
  return found;
}

}  // namespace

Maybe size_values(const ir::Graph& graph, ValueId value) {
  Memo memo;
  return evaluate(graph, value, kDepth, memo);
}

}  // namespace isomer::formats
