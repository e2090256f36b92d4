// The position of a word in a fixed list of words (opcodes, attributes, element types), by a hash of its
// length and its first and last bytes; words are compared at the end, so that any hash is right.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "support/hash.h"

namespace isomer::hlo {

class WordTable {
 public:
  /// Of equal words the first is found.
  explicit WordTable(std::span<const std::string_view> words) : words_(words.begin(), words.end()) {
    slots_.assign(std::bit_ceil(words.size() * 4 + 4), -1);
    for (size_t i = 0; i < words_.size(); ++i)
      if (size_t slot = home(words_[i]); find(words_[i]) < 0) {
        while (slots_[slot] >= 0) slot = next(slot);
        slots_[slot] = static_cast<int>(i);
      }
  }
  /// -1 where it is no word of the list.
  int find(std::string_view word) const {
    for (size_t slot = home(word); slots_[slot] >= 0; slot = next(slot))
      if (words_[static_cast<size_t>(slots_[slot])] == word) return slots_[slot];
    return -1;
  }
  std::span<const std::string_view> words() const { return words_; }

 private:
  static uint64_t bytes_of(std::string_view piece) {
    uint64_t out = 0;
    std::memcpy(&out, piece.data(), piece.size());
    return out;
  }
  size_t home(std::string_view word) const {
    const size_t n = word.size() < 8 ? word.size() : 8;
    const uint64_t first = bytes_of(word.substr(0, n)), last = bytes_of(word.substr(word.size() - n));
    return mix64(first * 3 + last * 7 + word.size()) & (slots_.size() - 1);
  }
  size_t next(size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

  std::vector<std::string_view> words_;
  std::vector<int> slots_;
};

}  // namespace isomer::hlo
