#include "ir/op_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/layout.h"
#include "ir/ops/families.h"
#include "support/errors.h"

namespace isomer::ir {
namespace {

std::string spelling_key(std::string_view format, std::string_view domain, std::string_view name) {
  return fmt::format("{}|{}|{}", format, domain, name);
}

}  // namespace

OpId OpTable::add(OpDef def) {
  REQUIRE(!def.name.empty() && !by_name_.contains(def.name), "operator name missing or taken: " + def.name);
  REQUIRE(def.infer != nullptr, "operator without a type rule: " + def.name);
  const bool nested = def.kind == MeaningKind::kPointwise || def.kind == MeaningKind::kContraction ||
                      def.kind == MeaningKind::kMovement;
  REQUIRE(!nested || def.nests != nullptr, "operator without loop nests: " + def.name);
  REQUIRE(def.kind != MeaningKind::kComposite || def.expand != nullptr,
          "composite without definition: " + def.name);
  REQUIRE(def.kind != MeaningKind::kProcedural || (def.procedure != nullptr && def.steps != nullptr),
          "procedural operator without an evaluator or its steps: " + def.name);
  for (auto at = def.attrs.begin(); at != def.attrs.end(); ++at)
    REQUIRE(!is_region(at->role) || std::ranges::count(at, def.attrs.end(), at->role, &AttrSpec::role) == 1,
            "two regions of a role: " + def.name);
  const OpId id(ops_.size());
  by_name_.emplace(def.name, id);
  ops_.push_back(std::move(def));
  for (const Spelling& s : ops_.back().spellings)
    by_spelling_[spelling_key(s.format, s.domain, s.name)].push_back({id, &s});
  return id;
}

OpId OpTable::find(std::string_view name) const {
  const auto it = by_name_.find(std::string(name));
  return it == by_name_.end() ? OpId() : it->second;
}

OpId OpTable::at(std::string_view name) const {
  const OpId id = find(name);
  REQUIRE(id.valid(), "no operator " + std::string(name));
  return id;
}

std::span<const OpTable::Spelled> OpTable::spelled(std::string_view format, std::string_view domain,
                                                   std::string_view name) const {
  const auto it = by_spelling_.find(spelling_key(format, domain, name));
  if (it == by_spelling_.end()) return {};
  return it->second;
}

void add_standard_ops(OpTable& table) {
  ops::register_leaf(table);
  ops::register_elementwise(table);
  ops::register_contraction(table);
  ops::register_reduction(table);
  ops::register_pooling(table);
  ops::register_movement(table);
  ops::register_procedural(table);
  ops::register_normalisation(table);
  ops::register_fusion(table);
  ops::register_taso(table);
  ops::register_layout(table);
  ops::register_tile(table);
  ops::register_kernel(table);
  ops::register_scan(table);
  ops::register_kept(table);
  ops::register_selection(table);
  ops::register_reduce_region(table);
  ops::register_indexing(table);
  ops::register_loss(table);
  ops::register_quantized(table);
  ops::register_einsum(table);
  ops::register_resize(table);
  ops::register_sampling(table);
  ops::register_linear_attention(table);
  ops::register_recurrent(table);
  ops::register_attention(table);
  ops::register_normalisation_further(table);
  ops::register_winograd(table);
  ops::register_xla(table);
  ops::register_xla_elements(table);
}

const OpTable& standard_ops() {
  static const OpTable table = [] {
    OpTable t;
    add_standard_ops(t);
    return t;
  }();
  return table;
}

Inferred infer(Context& ctx, OpId op, std::span<const AttrId> attrs, std::span<const TypeId> inputs) {
  const OpDef& def = ctx.ops().get(op);
  const auto n = static_cast<int>(inputs.size());
  if (n < def.min_inputs || (def.max_inputs >= 0 && n > def.max_inputs))
    return Inferred::fail(fmt::format("{} takes {} operands, not {}", def.name,
                                      def.max_inputs < 0 ? fmt::format("at least {}", def.min_inputs)
                                      : def.min_inputs == def.max_inputs
                                          ? std::to_string(def.min_inputs)
                                          : fmt::format("{} to {}", def.min_inputs, def.max_inputs),
                                      n));
  REQUIRE(attrs.size() == def.attrs.size(), "attributes do not follow the schema of " + def.name);
  for (size_t i = 0; i < attrs.size(); ++i) {
    if (!attrs[i].valid()) {
      if (!def.attrs[i].optional)
        return Inferred::fail(fmt::format("{}: attribute {} is missing", def.name, def.attrs[i].name));
    } else if (kind_of(ctx.get(attrs[i])) != def.attrs[i].kind) {
      return Inferred::fail(fmt::format("{}: attribute {} has another kind", def.name, def.attrs[i].name));
    } else if (const std::vector<std::string>& choices = def.attrs[i].choices; !choices.empty()) {
      const auto& given = std::get<std::string>(ctx.get(attrs[i]));
      if (std::ranges::find(choices, given) == choices.end())
        return Inferred::fail(fmt::format("{}: expected {} {} or {}, got {}", def.name, def.attrs[i].name,
                                          fmt::join(choices.begin(), choices.end() - 1, ", "), choices.back(),
                                          given));
    }
  }
  std::vector<TypeId> plain;  // where some have layouts, at which type rules do not look
  const auto is_laid_out = [&](TypeId type) { return type.valid() && !ctx.get(type).layout.empty(); };
  if (std::ranges::any_of(inputs, is_laid_out)) {
    for (const TypeId type : inputs) plain.push_back(is_laid_out(type) ? without_layout(ctx, type) : type);
    inputs = plain;
  }
  Inferred result = def.infer(OpInstance(ctx, def, attrs, inputs));
  if (!result) result.error = def.name + ": " + result.error;
  return result;
}

}  // namespace isomer::ir
