#include "ir/op.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/scalar_table.h"
#include "support/errors.h"

namespace isomer::ir {

std::string_view to_string(MeaningKind kind) {
  switch (kind) {
    case MeaningKind::kLeaf: return "leaf";
    case MeaningKind::kPointwise: return "pointwise";
    case MeaningKind::kContraction: return "contraction";
    case MeaningKind::kMovement: return "movement";
    case MeaningKind::kComposite: return "composite";
    case MeaningKind::kTuple: return "tuple";
    case MeaningKind::kProcedural: return "procedural";
    case MeaningKind::kOpaque: return "opaque";
  }
  return "?";
}

bool OpDef::has_role(AttrRole role) const {
  return std::ranges::any_of(attrs, [&](const AttrSpec& a) { return a.role == role; });
}

bool OpDef::has_region() const { return std::ranges::any_of(attrs, is_region, &AttrSpec::role); }

int OpDef::attr_index(std::string_view attr) const {
  for (size_t i = 0; i < attrs.size(); ++i)
    if (attrs[i].name == attr) return static_cast<int>(i);
  return -1;
}

RangeKind OpDef::range_kind() const {
  if (range != RangeKind::kUnknown) return range;
  if (element) return row(*element).range;
  return moves == Moves::kReshapes ? RangeKind::kMove : RangeKind::kUnknown;
}

bool OpInstance::has(std::string_view attr) const {
  const int i = op.attr_index(attr);
  REQUIRE(i >= 0, fmt::format("operator {} declares no attribute {}", op.name, attr));
  return attrs[static_cast<size_t>(i)].valid();
}

RegionId OpInstance::region(AttrRole role) const {
  const auto at = std::ranges::find(op.attrs, role, &AttrSpec::role);
  REQUIRE(is_region(role) && at != op.attrs.end(),
          fmt::format("operator {} declares no such region", op.name));
  return RegionId(static_cast<uint32_t>(i(at->name)));
}

const AttrValue& OpInstance::attr(std::string_view attr, AttrKind kind) const {
  REQUIRE(has(attr), fmt::format("attribute {} of operator {} is absent", attr, op.name));
  const AttrValue& value = ctx.get(attrs[static_cast<size_t>(op.attr_index(attr))]);
  REQUIRE(kind_of(value) == kind, fmt::format("attribute {} of operator {} has another kind", attr, op.name));
  return value;
}

int64_t OpInstance::i(std::string_view name) const { return std::get<int64_t>(attr(name, AttrKind::kInt)); }
double OpInstance::f(std::string_view name) const { return std::get<double>(attr(name, AttrKind::kFloat)); }
const std::string& OpInstance::s(std::string_view name) const {
  return std::get<std::string>(attr(name, AttrKind::kString));
}
const std::vector<int64_t>& OpInstance::ints(std::string_view name) const {
  return std::get<std::vector<int64_t>>(attr(name, AttrKind::kInts));
}
const std::vector<double>& OpInstance::floats(std::string_view name) const {
  return std::get<std::vector<double>>(attr(name, AttrKind::kFloats));
}
const std::vector<std::string>& OpInstance::strings(std::string_view name) const {
  return std::get<std::vector<std::string>>(attr(name, AttrKind::kStrings));
}
const Shape& OpInstance::shape(std::string_view name) const {
  return std::get<Shape>(attr(name, AttrKind::kShape));
}

const Type& OpInstance::out_type(size_t element) const {
  const Type& t = ctx.get(output);
  return t.kind == TypeKind::kTuple ? ctx.get(t.elements[element]) : t;
}

std::vector<int64_t> OpInstance::out_sizes(size_t element) const { return sizes(out_type(element).shape); }

}  // namespace isomer::ir
