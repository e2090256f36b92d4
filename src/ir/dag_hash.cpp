#include "ir/dag_hash.h"

#include <unordered_map>

#include "ir/print.h"
#include "support/hash.h"

namespace isomer::ir {
namespace {

/// Of the regions in a graph and in one another: each is hashed once, however many hold it (loops in loops
/// that share their bodies are 2^depth when they are written out).
using RegionHashes = std::unordered_map<uint32_t, uint64_t>;

uint64_t dag_hash(const Graph& graph, RegionHashes& regions);

/// Hashes of names and printed types, computed once a graph: contexts number them differently.
class Hasher {
 public:
  Hasher(const Graph& graph, RegionHashes& regions) : ctx_(graph.context()), regions_(regions), types_(0) {}

  uint64_t type(TypeId id) {
    if (types_.size() <= id.index()) types_.resize(id.index() + 1);
    uint64_t& h = types_[id.index()];
    if (h == 0) h = hash_combine(hash_string(print(ctx_, id)), hash_string(ctx_.get(id).opaque));
    return h;
  }

  uint64_t attr(const OpDef& def, size_t i, AttrId id) {
    if (!id.valid()) return 1;
    const AttrValue& value = ctx_.get(id);
    if (kind_of(value) == AttrKind::kShape) return hash_string(print(ctx_, id));
    const AttrRole role = def.attrs[i].role;
    if (is_region(role)) return region(RegionId(static_cast<uint32_t>(std::get<int64_t>(value))));
    switch (role) {
      case AttrRole::kType: return type(TypeId(static_cast<uint32_t>(std::get<int64_t>(value))));
      case AttrRole::kConstant:
        return ctx_.content_hash(ConstantId(static_cast<uint32_t>(std::get<int64_t>(value))));
      default: return hash_of(value);
    }
  }

 private:
  uint64_t region(RegionId id) {
    if (const auto known = regions_.find(id.v); known != regions_.end()) return known->second;
    return regions_[id.v] = dag_hash(ctx_.get(id), regions_);
  }

  const Context& ctx_;
  RegionHashes& regions_;
  std::vector<uint64_t> types_;
};

std::vector<uint64_t> term_hashes(const Graph& graph, RegionHashes& regions) {
  Hasher hasher(graph, regions);
  std::vector<uint64_t> hashes(graph.size());
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const ValueId v = graph.inputs()[i];
    hashes[v.index()] = hash_combine(hash_combine(hash_string("input"), i), hasher.type(graph.type_id(v)));
  }
  for (size_t i = 0; i < graph.size(); ++i) {
    if (hashes[i] != 0) continue;
    const ValueId v(i);
    const OpDef& def = graph.def(v);
    uint64_t h = hash_combine(hash_string(def.name), hasher.type(graph.type_id(v)));
    const auto attrs = graph.attrs(v);
    for (size_t a = 0; a < attrs.size(); ++a) h = hash_combine(h, hasher.attr(def, a, attrs[a]));
    for (ValueId o : graph.operands(v)) h = hash_combine(h, hashes[o.index()]);
    hashes[i] = h;
  }
  return hashes;
}

uint64_t dag_hash(const Graph& graph, RegionHashes& regions) {
  const std::vector<uint64_t> terms = term_hashes(graph, regions);
  uint64_t h = hash_combine(graph.inputs().size(), graph.outputs().size());
  for (ValueId i : graph.inputs()) h = hash_combine(h, terms[i.index()]);
  for (ValueId o : graph.outputs()) h = hash_combine(h, terms[o.index()]);
  return h;
}

}  // namespace

std::vector<uint64_t> term_hashes(const Graph& graph) {
  RegionHashes regions;
  return term_hashes(graph, regions);
}

uint64_t dag_hash(const Graph& graph) {
  RegionHashes regions;
  return dag_hash(graph, regions);
}

}  // namespace isomer::ir
