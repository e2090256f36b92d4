// Hash-consing table: open addressing, linear probing, backward-shift deletion (Knuth, vol. 3,
// algorithm 6.4R), so there are no tombstones and a copy is one memcpy. An entry is the node's hash (32 bits)
// and its id; node contents stay in the store, the caller compares them.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "egraph/ids.h"

namespace isomer::egraph {

class Hashcons {
 public:
  /// Hash of an e-node as stored.
  static uint32_t hash(uint32_t op, uint32_t payload, std::span<const ClassId> children) {
    uint64_t h = (op * 0x9E3779B97F4A7C15ull) ^ ((payload + 0x7F4A7C15ull) * 0xD6E8FEB86659FD93ull);
    for (ClassId c : children) {
      h = (h ^ (h >> 29) ^ c.v) * 0xBF58476D1CE4E5B9ull;
    }
    h ^= h >> 32;
    h *= 0x94D049BB133111EBull;
    return static_cast<uint32_t>(h >> 32);
  }

  size_t size() const { return size_; }
  size_t memory_bytes() const { return slots_.capacity() * sizeof(uint64_t); }

  /// The node with this hash for which `same(NodeId)` holds; invalid if there is none.
  template <class Same>
  NodeId find(uint32_t hash, Same&& same) const {
    if (slots_.empty()) return {};
    for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const uint64_t slot = slots_[i];
      if (slot == kEmpty) return {};
      if (slot >> 32 == hash && same(NodeId(static_cast<uint32_t>(slot)))) {
        return NodeId(static_cast<uint32_t>(slot));
      }
    }
  }

  /// Adds a node that is known not to be in the table.
  void insert(uint32_t hash, NodeId node) {
    if ((size_ + 1) * 4 > slots_.size() * 3) grow();
    place((uint64_t{hash} << 32) | node.v);
    ++size_;
  }

  /// Exchanges the id of an entry that is in the table.
  void replace(uint32_t hash, NodeId from, NodeId to) {
    slots_[position(hash, from)] = (uint64_t{hash} << 32) | to.v;
  }

  /// Removes an entry that is in the table.
  void erase(uint32_t hash, NodeId node) {
    size_t hole = position(hash, node);
    for (size_t i = (hole + 1) & mask_; slots_[i] != kEmpty; i = (i + 1) & mask_) {
      const size_t home = (slots_[i] >> 32) & mask_;
      // The entry may move into the hole unless its home lies cyclically in (hole, i].
      if (((i - home) & mask_) >= ((i - hole) & mask_)) {
        slots_[hole] = slots_[i];
        hole = i;
      }
    }
    slots_[hole] = kEmpty;
    --size_;
  }

  bool contains(uint32_t hash, NodeId node) const {
    return find(hash, [node](NodeId n) { return n == node; }).valid();
  }

 private:
  static constexpr uint64_t kEmpty = ~uint64_t{0};

  size_t position(uint32_t hash, NodeId node) const {
    const uint64_t wanted = (uint64_t{hash} << 32) | node.v;
    size_t i = hash & mask_;
    while (slots_[i] != wanted) {
      assert(slots_[i] != kEmpty);
      i = (i + 1) & mask_;
    }
    return i;
  }

  void place(uint64_t slot) {
    size_t i = (slot >> 32) & mask_;
    while (slots_[i] != kEmpty) i = (i + 1) & mask_;
    slots_[i] = slot;
  }

  void grow() {
    std::vector<uint64_t> old = std::move(slots_);
    slots_.assign(old.empty() ? 64 : old.size() * 2, kEmpty);
    mask_ = slots_.size() - 1;
    for (uint64_t slot : old) {
      if (slot != kEmpty) place(slot);
    }
  }

  std::vector<uint64_t> slots_;
  size_t mask_ = 0;
  size_t size_ = 0;
};

}  // namespace isomer::egraph
