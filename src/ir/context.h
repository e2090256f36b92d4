// The tables that programs share: types, attributes, payloads, symbols, constants, regions. Interned entries
// never move and never go away, so ids and references stay good for the context's life. Interning is not
// thread-safe; each thread has a context of its own for that, which shares with the others what was there
// when it was branched off (intern_table.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/attr.h"
#include "ir/constant.h"
#include "ir/intern_table.h"
#include "ir/size.h"
#include "ir/type.h"

namespace isomer::ir {

class Graph;
class OpTable;
using RegionId = Id<struct RegionTag>;

class Context {
 public:
  /// `ops` must outlive the context; the standard table is op_table.h's standard_ops().
  explicit Context(const OpTable& ops) : ops_(&ops) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// The same entries under the same ids, for another thread; what either adds from now on is its own. Not
  /// while another thread uses this one.
  std::unique_ptr<Context> branch();

  const OpTable& ops() const { return *ops_; }

  TypeId intern(const Type& type);
  const Type& get(TypeId id) const { return types_.get(id); }
  TypeId tensor_type(DType dtype, Shape shape) { return intern(Type::tensor(dtype, std::move(shape))); }

  AttrId intern(const AttrValue& value);
  const AttrValue& get(AttrId id) const { return attrs_.get(id); }

  /// A node's attributes in schema order; an absent optional attribute is an invalid AttrId.
  PayloadId intern(std::span<const AttrId> attrs);
  std::span<const AttrId> get(PayloadId id) const { return payloads_.get(id); }

  SymbolId symbol(std::string_view name);
  const std::string& get(SymbolId id) const { return symbols_.get(id); }
  /// A name may stand for a size over other names (size_formula.h); null: it is a size of its own.
  const Size* formula(SymbolId id) const;
  void set_formula(SymbolId id, Size formula) { formulas_.emplace(id.v, std::move(formula)); }

  /// Adds a handle. Constants of at most 4 KiB with equal type and bytes get one id.
  ConstantId add(const Constant& constant);
  const Constant& get(ConstantId id) const { return constants_.get(id); }
  /// Content hash over type and bytes, computed once.
  uint64_t content_hash(ConstantId id) const;
  /// Mapped constants need not stay in memory (after a pass over all of them).
  void release_constants() const;

  /// Regions are interned by structural hash and textual form (dag_hash.h, print.h).
  RegionId add(std::shared_ptr<const Graph> region);
  const Graph& get(RegionId id) const { return *regions_[id.index()]; }

  /// Definitions of composites that have been written out (meaning/expansion.h): by operator, attributes and
  /// operand types. Null: it cannot be written out at these. Branches begin without.
  const std::shared_ptr<const Graph>* remembered(std::span<const uint64_t> key) const;
  void remember(std::span<const uint64_t> key, std::shared_ptr<const Graph> definition);

  /// A number nobody else has: the identity of a node that is random or has effects, so that it is never one
  /// with another.
  int64_t fresh_identity() { return next_identity_++; }

 private:
  const OpTable* ops_;
  InternTable<Type, TypeId> types_;
  InternTable<AttrValue, AttrId> attrs_;
  InternTable<std::vector<AttrId>, PayloadId> payloads_;
  InternTable<std::string, SymbolId> symbols_;
  std::unordered_map<uint32_t, Size> formulas_;
  InternTable<Constant, ConstantId> constants_;
  mutable std::unordered_map<uint32_t, uint64_t> constant_hashes_;
  std::vector<std::shared_ptr<const Graph>> regions_;  // each context has them over itself
  std::unordered_multimap<uint64_t, RegionId> region_index_;
  int64_t next_identity_ = 1;
  std::map<std::vector<uint64_t>, std::shared_ptr<const Graph>> definitions_;
};

/// "f32[1,3,N,?]", "(f32[2], i64[])", "token", "opaque".
std::string print(const Context& ctx, TypeId type);

}  // namespace isomer::ir
