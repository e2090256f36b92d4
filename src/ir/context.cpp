#include "ir/context.h"

#include <algorithm>
#include <cstring>

#include "ir/dag_hash.h"
#include "ir/graph.h"
#include "ir/same_structure.h"
#include "support/hash.h"

namespace isomer::ir {
namespace {

uint64_t hash_of(const Type& type) {
  uint64_t h =
      hash_combine(static_cast<uint64_t>(type.kind), static_cast<uint64_t>(type.dtype) * 2 + type.ranked);
  for (Dim d : type.shape) h = hash_combine(h, static_cast<uint64_t>(d.raw()));
  for (TypeId e : type.elements) h = hash_combine(h, e.v);
  return type.opaque.empty() ? h : hash_combine(h, hash_string(type.opaque));
}

constexpr size_t kSmallConstant = 4096;
constexpr size_t kLargeConstant = 1 << 20;          // not kept in memory only because it was hashed
constexpr size_t kHashedAtOnce = size_t{64} << 20;  // so that less of a mapped file is in memory at a time

}  // namespace

std::unique_ptr<Context> Context::clone() const {
  auto out = std::make_unique<Context>(*ops_);
  out->types_ = types_;
  out->type_index_ = type_index_;
  out->attrs_ = attrs_;
  out->attr_index_ = attr_index_;
  out->payloads_ = payloads_;
  out->payload_index_ = payload_index_;
  out->symbols_ = symbols_;
  out->symbol_index_ = symbol_index_;
  out->constants_ = constants_;
  out->small_constants_ = small_constants_;
  out->constant_hashes_ = constant_hashes_;
  for (const auto& region : regions_)
    out->regions_.push_back(std::make_shared<const Graph>(region->over(*out)));
  out->region_index_ = region_index_;
  out->next_identity_ = next_identity_;
  return out;
}

TypeId Context::intern(const Type& type) {
  const uint64_t h = hash_of(type);
  for (auto [it, end] = type_index_.equal_range(h); it != end; ++it)
    if (types_[it->second.index()] == type) return it->second;
  const TypeId id(types_.size());
  types_.push_back(type);
  type_index_.emplace(h, id);
  return id;
}

AttrId Context::intern(const AttrValue& value) {
  const uint64_t h = ir::hash_of(value);
  for (auto [it, end] = attr_index_.equal_range(h); it != end; ++it)
    if (identical(attrs_[it->second.index()], value)) return it->second;
  const AttrId id(attrs_.size());
  attrs_.push_back(value);
  attr_index_.emplace(h, id);
  return id;
}

PayloadId Context::intern(std::span<const AttrId> attrs) {
  uint64_t h = mix64(attrs.size());
  for (AttrId a : attrs) h = hash_combine(h, a.v);
  for (auto [it, end] = payload_index_.equal_range(h); it != end; ++it)
    if (std::ranges::equal(payloads_[it->second.index()], attrs)) return it->second;
  const PayloadId id(payloads_.size());
  payloads_.emplace_back(attrs.begin(), attrs.end());
  payload_index_.emplace(h, id);
  return id;
}

SymbolId Context::symbol(std::string_view name) {
  auto [it, fresh] = symbol_index_.try_emplace(std::string(name), SymbolId(symbols_.size()));
  if (fresh) symbols_.emplace_back(name);
  return it->second;
}

ConstantId Context::add(const Constant& constant) {
  if (constant.length <= kSmallConstant) {
    const auto bytes = constant.bytes();
    const uint64_t h = hash_bytes(bytes, constant.type.v);
    for (auto [it, end] = small_constants_.equal_range(h); it != end; ++it) {
      const Constant& old = constants_[it->second.index()];
      if (old.type == constant.type && std::ranges::equal(old.bytes(), bytes)) return it->second;
    }
    small_constants_.emplace(h, ConstantId(constants_.size()));
  }
  constants_.push_back(constant);
  return ConstantId(constants_.size() - 1);
}

uint64_t Context::content_hash(ConstantId id) const {
  auto [it, fresh] = constant_hashes_.try_emplace(id.v, 0);
  if (fresh) {
    const Constant& c = get(id);
    uint64_t hash = hash_string(print(*this, c.type));
    for (size_t done = 0; done < c.length || done == 0; done += kHashedAtOnce) {
      const Constant part{c.type, c.storage, c.offset + done, std::min(c.length - done, kHashedAtOnce)};
      hash = hash_bytes(part.bytes(), hash);
      if (c.length >= kLargeConstant) part.release();
    }
    it->second = hash;
  }
  return it->second;
}

void Context::release_constants() const {
  for (const Constant& c : constants_) c.release();
}

RegionId Context::add(std::shared_ptr<const Graph> region) {
  const uint64_t h = dag_hash(*region);
  for (auto [it, end] = region_index_.equal_range(h); it != end; ++it)
    if (same_structure(*regions_[it->second.index()], *region)) return it->second;
  const RegionId id(regions_.size());
  regions_.push_back(std::move(region));
  region_index_.emplace(h, id);
  return id;
}

std::string print(const Context& ctx, TypeId id) {
  if (!id.valid()) return "<none>";
  const Type& type = ctx.get(id);
  switch (type.kind) {
    case TypeKind::kToken: return "token";
    case TypeKind::kOpaque: return "opaque";
    case TypeKind::kTuple: {
      std::string out = "(";
      for (size_t i = 0; i < type.elements.size(); ++i) out += (i ? ", " : "") + print(ctx, type.elements[i]);
      return out + ")";
    }
    case TypeKind::kTensor: break;
  }
  std::string out(name(type.dtype));
  if (!type.ranked) return out + "[...]";
  out += "[";
  for (size_t i = 0; i < type.shape.size(); ++i) {
    const Dim d = type.shape[i];
    if (i) out += ",";
    out += d.is_static() ? std::to_string(d.size()) : d.is_symbol() ? ctx.get(d.symbol()) : "?";
  }
  return out + "]";
}

const std::shared_ptr<const Graph>* Context::remembered(std::span<const uint64_t> key) const {
  const auto it = definitions_.find(std::vector<uint64_t>(key.begin(), key.end()));
  return it == definitions_.end() ? nullptr : &it->second;
}

void Context::remember(std::span<const uint64_t> key, std::shared_ptr<const Graph> definition) {
  constexpr size_t kMost = 4096;  // rules are checked at ever new types
  if (definitions_.size() >= kMost) definitions_.clear();
  definitions_.emplace(std::vector<uint64_t>(key.begin(), key.end()), std::move(definition));
}

}  // namespace isomer::ir
