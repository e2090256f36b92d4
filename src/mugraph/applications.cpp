#include "mugraph/applications.h"

#include <algorithm>

#include "mugraph/generate.h"
#include "support/errors.h"
#include "support/hash.h"

namespace isomer::mugraph {

Applications::Applications(const SearchOptions& options, const MuOpTable& ops, Kinds& kinds,
                           SubexpressionOracle& oracle)
    : options_(options), ops_(ops), kinds_(kinds), oracle_(oracle), entries_(1024) {
  for (const std::string& name : options.block_ops) {
    const MuOpId id = ops.at(name);
    if (ops.get(id).arity == 1) unary_.push_back(id);
    if (ops.get(id).arity == 2) binary_.push_back(id);
  }
  std::ranges::sort(unary_);
  std::ranges::sort(binary_);
}

bool Applications::allowed(MuOpId op, std::span<const KindId> operands) const {
  return options_.broadcast || !ops_.get(op).broadcasts ||
         kinds_.get(operands[0]).sizes == kinds_.get(operands[1]).sizes;
}

Applications::Entry& Applications::slot(uint64_t key) {
  for (size_t i = hash_combine(0, key);; ++i) {
    Entry& e = entries_[i & (entries_.size() - 1)];
    if (e.key == key || e.key == kFree) return e;
  }
}

Applications::List Applications::look_up(KindId first, KindId second, bool same, const KindPlace& place) {
  REQUIRE(first < kNone && second <= kNone, "no more kinds than a key has room for");
  // Three ranges occur: 1, and those of one and of two of the model's loops.
  const uint64_t loops = place.range == 1 ? 0 : place.range == kModelLoop ? 1 : 2;
  const uint64_t key = loops << 61 | uint64_t{same} << 60 | uint64_t{first} << 30 | second;
  Entry* e = &slot(key);
  if (e->key == kFree) {
    if (2 * ++used_ > entries_.size()) {
      std::vector<Entry> old(2 * entries_.size());
      old.swap(entries_);
      for (const Entry& o : old)
        if (o.key != kFree) slot(o.key) = o;
      e = &slot(key);
    }
    e->key = key;
    fill(*e, first, second, same, place);
  }
  return {std::span(applications_).subspan(e->first, e->count), e->queries, e->pruned};
}

void Applications::fill(Entry& entry, KindId first, KindId second, bool same, const KindPlace& place) {
  entry.first = static_cast<uint32_t>(applications_.size());
  const auto offer = [&](MuOpId op, std::span<const KindId> operands, bool swapped) {
    if (!allowed(op, operands)) return;
    const auto kind = kinds_.apply(op, operands, place);
    if (!kind) return;
    if (options_.prune) {
      ++entry.queries;
      if (!oracle_.may_occur(kinds_.get(*kind).term)) {
        ++entry.pruned;
        return;
      }
    }
    applications_.push_back({op, swapped, *kind, value_of(*kind), part_of(*kind)});
  };
  if (second == kNone) {
    for (MuOpId op : unary_) offer(op, std::array{first}, false);
  } else {
    for (MuOpId op : binary_) {
      offer(op, std::array{first, second}, false);
      if (!same && !(ops_.get(op).commutative && options_.canonical))
        offer(op, std::array{second, first}, true);
    }
  }
  entry.count = static_cast<uint32_t>(applications_.size()) - entry.first;
}

uint32_t Applications::value_of(KindId kind) {
  if (!options_.prune) return kind;
  if (values_.size() <= kind) values_.resize(kind + 1, 0);
  if (values_[kind] == 0) {
    const Kind& k = kinds_.get(kind);
    values_[kind] =
        numbers_.emplace(Value{k.sizes, k.axes, oracle_.class_of(k.term)}, numbers_.size() + 1).first->second;
  }
  return values_[kind];
}

}  // namespace isomer::mugraph
