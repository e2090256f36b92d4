// Ids by the hash of what they stand for: open addressing over groups of eight slots, a byte of hash for each
// slot apart from the ids, a whole group compared at once in one 64-bit register (the layout of Abseil's
// "Swiss tables", in portable arithmetic). A look-up that fails reads one word of the byte array and nothing
// else; five bytes a slot, up to seven slots of eight in use. Contents stay with the caller, who compares and
// hashes them.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <vector>

namespace isomer {

/// Id: a strong 32-bit id (support/ids.h).
template <class Id>
class IdTable {
 public:
  size_t size() const { return size_; }
  size_t memory_bytes() const { return tags_.capacity() + ids_.capacity() * sizeof(uint32_t); }

  /// The id under this hash for which `same(Id)` holds; invalid if there is none.
  template <class Same>
  Id find(uint64_t hash, Same&& same) const {
    if (ids_.empty()) return {};
    const uint64_t wanted = kOnes * (hash & kTagMask);
    for (size_t g = home(hash);; g = next(g)) {
      const uint64_t tags = group(g);
      for (uint64_t hits = zero_bytes(tags ^ wanted); hits != 0; hits &= hits - 1) {
        const Id n(ids_[g * kGroup + static_cast<size_t>(std::countr_zero(hits)) / 8]);
        if (same(n)) return n;
      }
      if (empty_bytes(tags) != 0) return {};
    }
  }

  /// Whether insert() has no room: reset() makes it, insert_growing() as well.
  bool full() const { return (used_ + 1) * 8 > ids_.size() * 7; }
  /// Adds an id that is known not to be in the table, which is not full.
  void insert(uint64_t hash, Id id) {
    assert(!full());
    for (size_t g = home(hash);; g = next(g)) {
      const uint64_t free = group(g) & kHighBits;
      if (free == 0) continue;
      const size_t i = g * kGroup + static_cast<size_t>(std::countr_zero(free)) / 8;
      used_ += tags_[i] == kEmpty;
      tags_[i] = static_cast<uint8_t>(hash & kTagMask);
      ids_[i] = id.v;
      ++size_;
      return;
    }
  }
  /// The same of a table that may be full: it grows to twice as many, whose hashes `hash_of(Id)` knows.
  template <class HashOf>
  void insert_growing(uint64_t hash, Id id, HashOf&& hash_of) {
    if (full()) {
      std::vector<uint32_t> held;
      for (size_t i = 0; i < ids_.size(); ++i)
        if ((tags_[i] & kEmpty) == 0) held.push_back(ids_[i]);
      reset(2 * held.size() + 1);
      for (const uint32_t v : held) insert(hash_of(Id(v)), Id(v));
    }
    insert(hash, id);
  }
  /// Exchanges the id of an entry that is in the table.
  void replace(uint64_t hash, Id from, Id to) { ids_[position(hash, from)] = to.v; }
  /// Removes an entry that is in the table.
  void erase(uint64_t hash, Id id) {
    const size_t i = position(hash, id);
    // Where the group still has an empty slot no probe goes past it, so this slot may become empty as well.
    const bool stops_here = empty_bytes(group(i / kGroup)) != 0;
    tags_[i] = stops_here ? kEmpty : kDeleted;
    used_ -= stops_here;
    --size_;
  }
  /// Bytes beyond what reset(size()) would leave.
  size_t spare_bytes() const {
    const size_t needed = size_ * 10 / 8 * 5;
    return memory_bytes() > needed ? memory_bytes() - needed : 0;
  }
  /// Empties the table and makes room for `entries`, eight slots in ten in use then.
  void reset(size_t entries) {
    const size_t groups = std::max<size_t>(8, entries * 10 / (kGroup * 8) + 1);
    tags_.assign(groups * kGroup, kEmpty);
    ids_.resize(groups * kGroup);
    ids_.shrink_to_fit();
    tags_.shrink_to_fit();
    groups_ = groups;
    size_ = used_ = 0;
  }

 private:
  static constexpr size_t kGroup = 8;
  static constexpr uint64_t kTagMask = 0x7F;
  static constexpr uint8_t kEmpty = 0x80, kDeleted = 0xFE;  // a tag in use has its high bit off
  static constexpr uint64_t kOnes = 0x0101010101010101ull, kHighBits = kOnes * 0x80;

  static_assert(std::endian::native == std::endian::little);
  /// The upper half of the hash scaled to the number of groups, so that the table may have any size.
  size_t home(uint64_t hash) const { return ((hash >> 32) * groups_) >> 32; }
  size_t next(size_t g) const { return g + 1 == groups_ ? 0 : g + 1; }
  uint64_t group(size_t g) const {
    uint64_t tags = 0;
    std::memcpy(&tags, tags_.data() + g * kGroup, sizeof(tags));
    return tags;
  }
  /// The high bit of each byte that is zero; may also mark bytes of value one above such a byte, which the
  /// caller's comparison finds out (they are never free slots).
  static uint64_t zero_bytes(uint64_t x) { return (x - kOnes) & ~x & kHighBits; }
  static uint64_t empty_bytes(uint64_t tags) { return tags & ~(tags << 6) & kHighBits; }

  size_t position(uint64_t hash, Id id) const {
    const uint64_t wanted = kOnes * (hash & kTagMask);
    for (size_t g = home(hash);; g = next(g)) {
      const uint64_t tags = group(g);
      for (uint64_t hits = zero_bytes(tags ^ wanted); hits != 0; hits &= hits - 1) {
        const size_t i = g * kGroup + static_cast<size_t>(std::countr_zero(hits)) / 8;
        if (ids_[i] == id.v) return i;
      }
      assert(empty_bytes(tags) == 0);
    }
  }

  std::vector<uint8_t> tags_;
  std::vector<uint32_t> ids_;
  size_t groups_ = 0;
  size_t size_ = 0;
  size_t used_ = 0;  // entries and deleted slots
};

}  // namespace isomer
