#include "rewrite/rule_sweep.h"

#include <algorithm>
#include <utility>

#include "rewrite/rule_check.h"

namespace isomer::rewrite {
namespace {

/// The shape of most elements; null where all tensors are single numbers, or not static.
const ir::Shape* largest_shape(const ir::Context& ctx, const Instance& instance) {
  const ir::Shape* out = nullptr;
  for (const TensorFacts& f : instance.tensors) {
    const ir::Type& type = ctx.get(f.type);
    if (!type.is_static_tensor() || type.shape.empty()) continue;
    if (out == nullptr || ir::element_count(type.shape) > ir::element_count(*out)) out = &type.shape;
  }
  return out;
}

}  // namespace

bool is_of_integers(const ir::Context& ctx, const Instance& instance) {
  return largest_shape(ctx, instance) != nullptr &&
         std::ranges::all_of(instance.tensors, [&](const TensorFacts& f) {
           const ir::Type& type = ctx.get(f.type);
           return type.is_static_tensor() && (ir::is_integer(type.dtype) || f.splat.valid());
         });
}

std::optional<Instance> spread(ir::Context& ctx, const CompiledRule& rule, const Instance& instance) {
  const ir::Shape* const largest = largest_shape(ctx, instance);
  if (largest == nullptr) return std::nullopt;
  const ir::Shape from = *largest;
  ir::Shape to(from.size(), ir::Dim(1));
  to.back() = ir::Dim(verify::kValuesAtOnce);
  Instance out = instance;
  for (TensorFacts& f : out.tensors) {
    const ir::Type type = ctx.get(f.type);
    if (type.shape == from)
      f.type = ctx.tensor_type(type.dtype, to);
    else if (!ir::is_static(type.shape) || ir::element_count(type.shape) != 1)
      return std::nullopt;
  }
  for (uint32_t a = 0; a < rule.matched_attributes; ++a) {
    ir::AttrId& id = out.attributes[a];
    if (!id.valid()) continue;
    if (const auto* shape = std::get_if<ir::Shape>(&ctx.get(id)); shape != nullptr && *shape == from)
      id = ctx.intern(ir::AttrValue(to));
  }
  if (!refit(ctx, rule, out)) return std::nullopt;
  return out;
}

verify::EveryValue sweep(ir::Context& ctx, const CompiledRule& rule, const Instance& instance,
                         const Deadline& until) {
  const std::optional<Instance> large = spread(ctx, rule, instance);
  if (!large) return {};
  const auto [left, right] = as_programs(ctx, rule, *large);
  return verify::compare_every_value(left, right, until);
}

}  // namespace isomer::rewrite
