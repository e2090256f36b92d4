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
  for (int d : type.layout) h = hash_combine(h, static_cast<uint64_t>(d) + 1);
  return type.opaque.empty() ? h : hash_combine(h, hash_string(type.opaque));
}

constexpr size_t kSmallConstant = 4096;
constexpr size_t kLargeConstant = 1 << 20;          // not kept in memory only because it was hashed
constexpr size_t kHashedAtOnce = size_t{64} << 20;  // so that less of a mapped file is in memory at a time

}  // namespace

std::unique_ptr<Context> Context::branch() {
  auto out = std::make_unique<Context>(*ops_);
  out->types_ = types_.branch();
  out->attrs_ = attrs_.branch();
  out->payloads_ = payloads_.branch();
  out->symbols_ = symbols_.branch();
  out->formulas_ = formulas_;
  out->constants_ = constants_.branch();
  out->constant_hashes_ = constant_hashes_;
  for (const auto& region : regions_)
    out->regions_.push_back(std::make_shared<const Graph>(region->over(*out)));
  out->region_index_ = region_index_;
  out->next_identity_ = next_identity_;
  return out;
}

TypeId Context::intern(const Type& type) {
  const uint64_t h = hash_of(type);
  const TypeId known = types_.find(h, [&](const Type& t) { return t == type; });
  return known.valid() ? known : types_.add(h, type);
}

AttrId Context::intern(const AttrValue& value) {
  const uint64_t h = ir::hash_of(value);
  const AttrId known = attrs_.find(h, [&](const AttrValue& v) { return identical(v, value); });
  return known.valid() ? known : attrs_.add(h, value);
}

PayloadId Context::intern(std::span<const AttrId> attrs) {
  uint64_t h = mix64(attrs.size());
  for (AttrId a : attrs) h = hash_combine(h, a.v);
  const PayloadId known =
      payloads_.find(h, [&](const std::vector<AttrId>& p) { return std::ranges::equal(p, attrs); });
  return known.valid() ? known : payloads_.add(h, {attrs.begin(), attrs.end()});
}

SymbolId Context::symbol(std::string_view name) {
  const uint64_t h = hash_string(name);
  const SymbolId known = symbols_.find(h, [&](const std::string& s) { return s == name; });
  return known.valid() ? known : symbols_.add(h, std::string(name));
}

const Size* Context::formula(SymbolId id) const {
  const auto it = formulas_.find(id.v);
  return it == formulas_.end() ? nullptr : &it->second;
}

ConstantId Context::add(const Constant& constant) {
  if (constant.length <= kSmallConstant) {
    const auto bytes = constant.bytes();
    const uint64_t h = hash_bytes(bytes, constant.type.v);
    const ConstantId known = constants_.find(h, [&](const Constant& old) {
      return old.type == constant.type && std::ranges::equal(old.bytes(), bytes);
    });
    return known.valid() ? known : constants_.add(h, constant);
  }
  return constants_.add(constant);
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
  constants_.for_each([](const Constant& c) { c.release(); });
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
  out += "]";
  for (size_t i = 0; i < type.layout.size(); ++i)
    out += (i ? "," : "{") + std::to_string(type.layout[i]) + (i + 1 == type.layout.size() ? "}" : "");
  return out;
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
