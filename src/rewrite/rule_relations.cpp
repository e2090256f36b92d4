#include "rewrite/rule_relations.h"

#include <algorithm>
#include <utility>

namespace isomer::rewrite {
namespace {

constexpr size_t kMostSeen = 48;  // instances of each kind
constexpr int64_t kLargest =
    int64_t{1} << 31;  // products of two such are numbers; what is beyond hangs together with nothing

bool is_large(int64_t number) { return number > kLargest || number < -kLargest; }

/// What `number` becomes where `base` becomes `to`, by all that was seen; nothing: it is not whole. Two
/// numbers of which one moved alone do not hang together.
std::optional<int64_t> followed(const std::vector<std::vector<int64_t>>& seen, size_t base, size_t number,
                                int64_t from, int64_t to, int64_t now) {
  if (is_large(from) || is_large(to) || is_large(now)) return now;
  bool moved = false, quotient = true, difference = true;
  const std::vector<int64_t>& first = seen.front();
  for (const std::vector<int64_t>& other : seen) {
    if (is_large(other[base]) || is_large(other[number])) return now;
    moved |= other[base] != first[base];
    difference &= other[number] - other[base] == first[number] - first[base];
    quotient &= other[number] * first[base] == first[number] * other[base];
  }
  if (!moved) {  // nothing is known: equal numbers stay equal, halves stay halves
    quotient = from != 0 && now != 0 && (now % from == 0 || from % now == 0);
    difference = false;
  }
  if (difference) return now + (to - from);
  if (!quotient || from == 0 || now == 0) return now;
  if (to * now % from != 0) return std::nullopt;
  return to * now / from;
}

}  // namespace

RuleRelations::RuleRelations(const ir::Context& ctx, const CompiledRule& rule,
                             std::span<const Instance> found)
    : attributes_(rule.matched_attributes) {
  for (const Instance& instance : found) {
    Numbers n = numbers(ctx, instance);
    auto& seen = found_[std::move(n.lengths)];
    if (seen.size() < kMostSeen) seen.push_back(std::move(n.values));
  }
}

RuleRelations::Numbers RuleRelations::numbers(const ir::Context& ctx, const Instance& instance) const {
  Numbers out;
  size_t begin = 0;
  const auto end_of_part = [&] {
    out.lengths.push_back(static_cast<uint32_t>(out.values.size() - begin));
    begin = out.values.size();
  };
  for (const TensorFacts& f : instance.tensors) {
    if (const ir::Type& type = ctx.get(f.type); type.is_static_tensor())
      for (const ir::Dim d : type.shape) out.values.push_back(d.size());
    end_of_part();
  }
  for (uint32_t a = 0; a < attributes_; ++a) {
    if (const ir::AttrId id = instance.attributes[a]; id.valid()) {
      const ir::AttrValue& value = ctx.get(id);
      if (const auto* number = std::get_if<int64_t>(&value)) out.values.push_back(*number);
      if (const auto* list = std::get_if<std::vector<int64_t>>(&value))
        out.values.insert(out.values.end(), list->begin(), list->end());
      if (const auto* shape = std::get_if<ir::Shape>(&value); shape && ir::is_static(*shape))
        for (const ir::Dim d : *shape) out.values.push_back(d.size());
    }
    end_of_part();
  }
  return out;
}

std::vector<int64_t> RuleRelations::values(const ir::Context& ctx, const Instance& instance) const {
  return numbers(ctx, instance).values;
}

size_t RuleRelations::place_of(const ir::Context& ctx, const Instance& instance, uint32_t tensor,
                               size_t axis) {
  for (uint32_t t = 0; t < tensor; ++t)
    if (const ir::Type& before = ctx.get(instance.tensors[t].type); before.is_static_tensor())
      axis += before.shape.size();
  return axis;
}

bool RuleRelations::change(ir::Context& ctx, Instance& instance, size_t place, int64_t to) const {
  Numbers n = numbers(ctx, instance);
  const auto seen = found_.find(n.lengths);
  if (seen == found_.end() || place >= n.values.size()) return false;
  const int64_t from = n.values[place];
  for (size_t i = 0; i < n.values.size(); ++i) {
    const std::optional<int64_t> next =
        i == place ? to : followed(seen->second, place, i, from, to, n.values[i]);
    if (!next) return false;
    n.values[i] = *next;
  }
  auto next = n.values.begin();
  for (TensorFacts& f : instance.tensors) {
    const ir::Type& type = ctx.get(f.type);
    if (!type.is_static_tensor()) continue;
    ir::Shape shape = type.shape;
    for (ir::Dim& d : shape) {
      if (*next < 0) return false;
      d = ir::Dim(*next++);
    }
    f.type = ctx.tensor_type(type.dtype, std::move(shape));
  }
  for (uint32_t a = 0; a < attributes_; ++a) {
    ir::AttrId& id = instance.attributes[a];
    if (!id.valid()) continue;
    ir::AttrValue value = ctx.get(id);
    if (auto* number = std::get_if<int64_t>(&value)) *number = *next++;
    if (auto* list = std::get_if<std::vector<int64_t>>(&value))
      for (int64_t& i : *list) i = *next++;
    if (auto* shape = std::get_if<ir::Shape>(&value); shape && ir::is_static(*shape))
      for (ir::Dim& d : *shape) {
        if (*next < 0) return false;
        d = ir::Dim(*next++);
      }
    id = ctx.intern(value);
  }
  return true;
}

}  // namespace isomer::rewrite
