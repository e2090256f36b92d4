// Which nodes have a class among their children: built in one pass where it is asked for, since matching,
// insertion and copies never need it (intrusive parent lists cost eight bytes an edge and a cache miss an
// insertion; they were tried first).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "egraph/ids.h"

namespace isomer::egraph {

class Store;

class ParentIndex {
 public:
  /// As of now; the store need not be clean, but the paths of its union-find must be short.
  explicit ParentIndex(const Store& store);

  /// Live nodes with class c (which was canonical then) as a child, once for each such position.
  std::span<const NodeId> parents(ClassId c) const {
    if (c.index() + 1 >= begin_.size()) return {};
    return {parents_.data() + begin_[c.index()], begin_[c.index() + 1] - begin_[c.index()]};
  }

 private:
  std::vector<uint32_t> begin_;
  std::vector<NodeId> parents_;
};

}  // namespace isomer::egraph
