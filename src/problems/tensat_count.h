// How many nodes TENSAT would count in an e-graph, again and again: what rewrite::tensat_count says, without
// sets (there, attributes are e-nodes of their own).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rewrite/tensor_egraph.h"

namespace isomer::problems {

class TensatCount {
 public:
  explicit TensatCount(ir::Context& ctx);
  /// Live e-nodes, and the distinct literals and names that they reference.
  size_t operator()(const rewrite::EGraph& g);

 private:
  /// Where an operator has a literal, or a name, in TENSAT's spelling.
  struct Slot {
    uint32_t slot;
    bool is_name;
  };
  struct Spelling {
    std::vector<Slot> slots;
    bool is_leaf = false;
    bool ignores = false;  ///< an integer, for which the literal one is written
  };
  ir::Context& ctx_;
  std::vector<Spelling> spelling_;  ///< by operator
  uint32_t one_ = 0;
  // Seen in this round.
  std::vector<std::pair<uint32_t, uint32_t>> payload_seen_;  ///< round, operator
  std::vector<uint32_t> literal_seen_, name_seen_;
  uint32_t round_ = 0;
};

}  // namespace isomer::problems
