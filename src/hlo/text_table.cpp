#include "hlo/text_table.h"

#include "support/hash.h"

namespace isomer::hlo {

TextId TextTable::find(std::string_view text) const {
  return ids_.find(hash_string(text), [&](TextId id) { return this->text(id) == text; });
}

TextId TextTable::intern(std::string_view text) {
  const uint64_t hash = hash_string(text);
  const TextId known = ids_.find(hash, [&](TextId id) { return this->text(id) == text; });
  if (known.valid()) return known;
  const TextId id(entries_.size());
  entries_.push_back({hash, characters_.size(), text.size()});
  characters_.append(text);
  ids_.insert_growing(hash, id, [&](TextId other) { return entries_[other.v].hash; });
  return id;
}

}  // namespace isomer::hlo
