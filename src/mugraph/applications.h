// What the operators of a block make of one tile or of two, by the tiles' kinds: only what can be a part of
// the program. Looked up once for each pair that a search meets, where it would otherwise try each operator
// on it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "mugraph/search.h"
#include "mugraph/tile_kinds.h"

namespace isomer::mugraph {

struct Application {
  MuOpId op = 0;
  bool swapped = false;  ///< the second tile is the first operand
  KindId kind = 0;
  uint32_t value = 0;  ///< Applications::value_of its kind
  int64_t part = 0;    ///< Applications::part_of its kind
};

class Applications {
 public:
  Applications(const SearchOptions& options, const MuOpTable& ops, Kinds& kinds, SubexpressionOracle& oracle);

  struct List {
    std::span<const Application> applications;  ///< by operator; valid until the next call
    uint32_t queries = 0, pruned = 0;           ///< of the oracle
  };
  /// Operators of one operand.
  List of(KindId tile, const KindPlace& place) { return look_up(tile, kNone, false, place); }
  /// Operators of two. `same`: they are one tile.
  List of(KindId first, KindId second, bool same, const KindPlace& place) {
    return look_up(first, second, same, place);
  }
  /// Whether an operator may repeat an operand as it would here (SearchOptions::broadcast). At both levels.
  bool allowed(MuOpId op, std::span<const KindId> operands) const;
  /// A number that tiles of equal axes and equal expressions share.
  uint32_t value_of(KindId kind);
  /// The class of its expression; 0 where nothing is pruned.
  int64_t part_of(KindId kind) { return options_.prune ? oracle_.class_of(kinds_.get(kind).term) : 0; }

 private:
  static constexpr KindId kNone = (KindId{1} << 30) - 1;
  struct Entry {
    uint64_t key = kFree;
    uint32_t first = 0, count = 0, queries = 0, pruned = 0;
  };
  static constexpr uint64_t kFree = ~uint64_t{0};

  List look_up(KindId first, KindId second, bool same, const KindPlace& place);
  Entry& slot(uint64_t key);
  void fill(Entry& entry, KindId first, KindId second, bool same, const KindPlace& place);

  const SearchOptions& options_;
  const MuOpTable& ops_;
  Kinds& kinds_;
  SubexpressionOracle& oracle_;
  std::vector<MuOpId> unary_, binary_;
  std::vector<Entry> entries_;  ///< open addressing; a power of two
  size_t used_ = 0;
  std::vector<Application> applications_;
  std::vector<uint32_t> values_;  ///< by kind, from 1; 0: not known yet
  struct Value {
    Sizes sizes;
    AxisList axes;
    int64_t part;
    auto operator<=>(const Value&) const = default;
  };
  std::map<Value, uint32_t> numbers_;
};

}  // namespace isomer::mugraph
