// Terms, each once: an operator, a payload, and terms that were there before it. What is said of a term
// (types and prices of programs that a search rewrites) is kept beside, by its number, by whoever says it. An
// e-graph's nodes are another thing (store.h): their children are classes, which unions change, so that nodes
// are hashed anew, and tables are laid out for copying; terms never change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "support/hash.h"
#include "support/id_table.h"
#include "support/ids.h"

namespace isomer::egraph {

/// `T`: numbers of terms, plain or strong (support/ids.h); children come before parents.
template <class T>
class TermTable {
 public:
  /// Is new where it is `size()` before the call.
  T term(uint32_t op, uint32_t payload, std::span<const T> children) {
    const uint64_t hash = hash_of(op, payload, children);
    const Row known = index_.find(hash, [&](Row r) {
      const T t(r.v);
      return this->op(t) == op && this->payload(t) == payload &&
             std::ranges::equal(this->children(t), children);
    });
    if (known.valid()) return T(known.v);
    const auto number = static_cast<uint32_t>(op_.size());
    uint32_t height = 0;
    for (T c : children) height = std::max(height, height_[index(c)] + 1);
    height_.push_back(height);
    op_.push_back(op);
    payload_.push_back(payload);
    child_.insert(child_.end(), children.begin(), children.end());
    first_.push_back(static_cast<uint32_t>(child_.size()));
    index_.insert_growing(hash, Row(number), [this](Row r) {
      const T t(r.v);
      return hash_of(this->op(t), this->payload(t), this->children(t));
    });
    return T(number);
  }
  uint32_t op(T t) const { return op_[index(t)]; }
  uint32_t payload(T t) const { return payload_[index(t)]; }
  std::span<const T> children(T t) const {
    return {child_.data() + first_[index(t)], first_[index(t) + 1] - first_[index(t)]};
  }
  /// Longest way down: 0 for leaves.
  uint32_t height(T t) const { return height_[index(t)]; }
  size_t size() const { return op_.size(); }

 private:
  using Row = Id<struct TermTag>;

  static uint64_t hash_of(uint32_t op, uint32_t payload, std::span<const T> children) {
    uint64_t hash = hash_combine(op, payload);
    for (T c : children) hash = hash_combine(hash, index(c));
    return hash;
  }
  static size_t index(T t) {
    if constexpr (std::is_integral_v<T>)
      return t;
    else
      return t.index();
  }

  std::vector<uint32_t> op_, payload_, first_{0}, height_;
  std::vector<T> child_;
  IdTable<Row> index_;
};

}  // namespace isomer::egraph
