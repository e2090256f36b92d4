// Interned values under numbers, in parts that many threads may read. What a table holds when it branches
// becomes one part that both tables read and nobody changes; what either adds from then on is its own. So a
// copy costs nothing, and values never move. (The overlays of file systems; git's packs and loose objects.)
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "support/id_table.h"

namespace isomer::ir {

template <class T, class Key>
class InternTable {
 public:
  size_t size() const { return own_.first + own_.items.size(); }
  const T& get(Key id) const {
    if (id.index() >= own_.first) return own_.items[id.index() - own_.first];
    const Part* part = own_.below.get();
    while (id.index() < part->first) part = part->below.get();
    return part->items[id.index() - part->first];
  }
  /// The value of that hash that is the same; an invalid number if there is none.
  template <class Same>
  Key find(uint64_t hash, Same&& same) const {
    for (const Part* part = &own_; part != nullptr; part = part->below.get()) {
      const Key found =
          part->table.find(hash, [&](Key id) { return same(part->items[id.index() - part->first]); });
      if (found.valid()) return found;
    }
    return {};
  }
  /// Under a number of its own; without a hash it is never found.
  Key add(T value) {
    const Key id(size());
    own_.items.push_back(std::move(value));
    return id;
  }
  Key add(uint64_t hash, T value) {
    const Key id = add(std::move(value));
    own_.hashes.resize(own_.items.size());
    own_.hashes.back() = hash;
    own_.table.insert_growing(hash, id, [this](Key k) { return own_.hashes[k.index() - own_.first]; });
    return id;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Part* part = &own_; part != nullptr; part = part->below.get())
      for (const T& item : part->items) visit(item);
  }

  /// Another table with the same values under the same numbers. Not while another thread uses this one.
  InternTable branch() {
    if (!own_.items.empty()) {
      const size_t end = size();
      auto frozen = std::make_shared<const Part>(std::move(own_));
      own_ = {};
      own_.first = end;
      own_.below = std::move(frozen);
    }
    InternTable out;
    out.own_.first = own_.first;
    out.own_.below = own_.below;
    return out;
  }

 private:
  struct Part {
    size_t first = 0;  ///< number of its first item
    std::deque<T> items;
    std::vector<uint64_t> hashes;  ///< of items that can be found
    IdTable<Key> table;
    std::shared_ptr<const Part> below;
  };
  Part own_;
};

}  // namespace isomer::ir
