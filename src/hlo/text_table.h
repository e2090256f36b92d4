// Names and strings of a module, each kept once. A name is an index afterwards: two names are equal where
// their ids are, and what is known of one stands in an array.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/id_table.h"
#include "support/ids.h"

namespace isomer::hlo {

struct TextTag;
using TextId = Id<TextTag>;

class TextTable {
 public:
  TextId intern(std::string_view text);
  /// Invalid where it was never interned.
  TextId find(std::string_view text) const;
  /// Valid until the next intern().
  std::string_view text(TextId id) const {
    return std::string_view(characters_).substr(entries_[id.v].first, entries_[id.v].length);
  }
  /// Of the characters; equal in all modules.
  uint64_t hash(TextId id) const { return entries_[id.v].hash; }
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    uint64_t hash;
    uint64_t first;
    uint64_t length;
  };
  std::string characters_;
  std::vector<Entry> entries_;
  IdTable<TextId> ids_;
};

}  // namespace isomer::hlo
