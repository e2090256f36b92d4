#include "conformance/drawn_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/constant_data.h"
#include "ir/op_table.h"

namespace isomer::conformance {
namespace {

double draw_number(const Operand& o, Rng& rng, bool coarse) {
  if (o.special && rng.chance(0.3)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return rng.chance(0.4) ? std::nan("") : rng.chance(0.5) ? kInfinity : -kInfinity;
  }
  const double value = o.lo + (o.hi - o.lo) * rng.uniform();
  // halves make ties for rounding and comparisons
  return coarse ? std::clamp(std::round(value * 2) / 2, o.lo, o.hi) : value;
}

}  // namespace

eval::Value<double> draw_value(const Operand& o, Rng& rng) {
  eval::Tensor<double> t{o.dtype, o.sizes, {}, {}};
  const bool coarse = rng.chance(0.4);
  for (int64_t i = 0; i < t.count(); ++i) {
    if (ir::is_float(o.dtype)) {
      t.numbers.push_back(ir::round_to(o.dtype, draw_number(o, rng, coarse)));
    } else {
      const bool is_unsigned = ir::name(o.dtype)[0] == 'u';
      const auto least = static_cast<int64_t>(std::ceil(is_unsigned ? std::max(o.lo, 0.0) : o.lo));
      const auto most = static_cast<int64_t>(std::floor(o.hi));
      const int64_t drawn =
          o.dtype == ir::DType::kBool ? rng.between(0, 1) : rng.between(least, std::max(least, most));
      t.integers.push_back(ir::wrap_to(o.dtype, drawn));
    }
  }
  return eval::make_value(std::move(t));
}

std::optional<ir::Graph> build_case(ir::Context& ctx, const std::string& op, const Case& c) {
  ir::Builder builder(ctx, op);
  std::vector<ir::ValueId> operands;
  for (size_t i = 0; i < c.operands.size(); ++i)
    operands.push_back(builder.input(
        fmt::format("x{}", i), ctx.tensor_type(c.operands[i].dtype, ir::static_shape(c.operands[i].sizes))));
  const ir::OpId id = ctx.ops().at(op);
  ir::ValueId v;
  if (!builder.try_add(id, builder.make_payload(id, c.attrs), operands, v)) return std::nullopt;
  std::vector<ir::ValueId> outputs = {v};
  if (builder.type(v).kind == ir::TypeKind::kTuple) {
    outputs.clear();
    for (size_t i = 0; i < builder.type(v).elements.size(); ++i)
      outputs.push_back(builder.get(v, static_cast<int64_t>(i)));
  }
  return builder.finish(outputs);
}

}  // namespace isomer::conformance
