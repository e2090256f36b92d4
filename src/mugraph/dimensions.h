// Dimensions of a program, found in a graph of it that has no names for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/graph.h"
#include "ir/op.h"

namespace isomer::mugraph {

/// Which dimensions of a graph's values are one: those that loop nests read at one variable.
class Dimensions {
 public:
  explicit Dimensions(const ir::Graph& flat) : g_(flat) {
    for (size_t i = 0; i < g_.size(); ++i) {
      first_.push_back(parent_.size());
      add(ir::sizes(g_.type(ir::ValueId(i)).shape).size());
    }
    for (size_t i = 0; i < g_.size(); ++i) join(ir::ValueId(i));
  }

  size_t of(ir::ValueId v, size_t dim) { return find(first_[v.index()] + dim); }

 private:
  void add(size_t n) {
    for (; n > 0; --n) parent_.push_back(parent_.size());
  }
  size_t find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(size_t a, size_t b) { parent_[find(b)] = find(a); }

  void join(ir::ValueId v) {
    const ir::OpDef& def = g_.def(v);
    if (def.moves == ir::Moves::kReshapes) {  // dimensions of 1 come and go
      const ir::ValueId from = g_.operands(v)[0];
      const std::vector<int64_t> is = ir::sizes(g_.type(v).shape), was = ir::sizes(g_.type(from).shape);
      for (size_t i = 0, w = 0; i < is.size(); ++i) {
        if (is[i] == 1) continue;
        while (was[w] == 1) ++w;
        unite(first_[v.index()] + i, first_[from.index()] + w++);
      }
      return;
    }
    if (def.nests == nullptr) return;
    std::vector<ir::TypeId> types;
    for (ir::ValueId o : g_.operands(v)) types.push_back(g_.type_id(o));
    const ir::OpInstance instance(g_.context(), def, g_.attrs(v), types, g_.type_id(v));
    for (const ir::LoopNest& nest : def.nests(instance)) {
      const size_t reductions = parent_.size();
      add(nest.reduce.size());
      for (const ir::Read& read : nest.reads) {
        const ir::ValueId from = g_.operands(v)[static_cast<size_t>(read.input)];
        for (size_t d = 0; d < read.index.size(); ++d) {
          if (read.index[d].kind() != ir::IndexExpr::Kind::kVar) continue;
          const auto var = static_cast<size_t>(read.index[d].value());
          const size_t space = nest.space.size();
          unite(var < space ? first_[v.index()] + var : reductions + var - space, first_[from.index()] + d);
        }
      }
    }
  }

  const ir::Graph& g_;
  std::vector<size_t> first_, parent_;
};

}  // namespace isomer::mugraph
