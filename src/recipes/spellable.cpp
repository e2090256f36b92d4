#include "recipes/spellable.h"

#include <algorithm>
#include <map>
#include <vector>

#include "formats/onnx.h"
#include "ir/op_table.h"

namespace isomer::recipes {

using egraph::ClassId;
using egraph::NodeId;

namespace {

class Spellable {
 public:
  Spellable(const rewrite::TensorEGraph& program, const formats::Dialect& dialect)
      : program_(program), dialect_(dialect) {}

  bool operator()(NodeId n) {
    const rewrite::EGraph& g = program_.graph();
    ir::Context& ctx = program_.context();
    if (n.index() < program_.source_nodes()) return true;
    const rewrite::TensorFacts& own = g.data(g.class_of(n));
    const ir::OpDef& def = ctx.ops().get(ir::OpId(g.op(n)));
    if (def.kind == ir::MeaningKind::kLeaf || def.kind == ir::MeaningKind::kTuple) return true;
    if (!own.type.valid()) return false;
    if (own.is_weight)  // folded; what has no fixed size cannot be, and is left to those that absorb it
      return fixed(own.type) || def.is(ir::Core::kBroadcast);
    std::vector<ir::TypeId> types;
    bool all_fixed = fixed(own.type);
    for (ClassId c : g.children(n)) {
      types.push_back(g.data(c).type);
      all_fixed = all_fixed && fixed(types.back());
    }
    const ir::OpInstance op(ctx, def, ctx.get(ir::PayloadId(g.payload(n))), types, own.type);
    if (all_fixed && formats::can_spell(op, dialect_)) return true;
    if (all_fixed && !formats::can_write(op, dialect_)) return false;
    if (def.is(ir::Core::kBroadcast)) return true;  // its users decide
    // Said in others, which the operator set may lack as well; asked once, since that writes them out.
    const auto [known, added] = said_.try_emplace(n, false);
    if (added) known->second = alone(n, types);
    return known->second;
  }

 private:
  bool fixed(ir::TypeId id) const {
    const ir::Type& type = program_.context().get(id);
    if (type.kind == ir::TypeKind::kTuple)
      return std::ranges::all_of(type.elements, [&](ir::TypeId e) { return fixed(e); });
    return type.is_static_tensor();
  }

  /// The node as a program of its own, its operands inputs, or broadcasts of inputs where a class holds
  /// nothing else: can it be written?
  bool alone(NodeId n, const std::vector<ir::TypeId>& types) const {
    const rewrite::EGraph& g = program_.graph();
    ir::Builder builder(program_.context());
    std::vector<ir::ValueId> operands;
    for (size_t i = 0; i < types.size(); ++i) {
      const ClassId c = g.find(g.children(n)[i]);
      const NodeId only = only_broadcast(c);
      if (!only.valid()) {
        operands.push_back(builder.input("", types[i]));
        continue;
      }
      const ir::ValueId narrow = builder.input("", g.data(g.children(only)[0]).type);
      ir::ValueId wide;
      const ir::ValueId in[] = {narrow};
      if (!builder.try_add(ir::OpId(g.op(only)), ir::PayloadId(g.payload(only)), in, wide)) return false;
      operands.push_back(wide);
    }
    const ir::ValueId result = builder.add_typed(ir::OpId(g.op(n)), ir::PayloadId(g.payload(n)), operands,
                                                 g.data(g.class_of(n)).type);
    return formats::unspellable(builder.finish({result}), dialect_).empty();
  }

  /// A broadcast of the class, when it holds nothing else and is no constant of fixed size.
  NodeId only_broadcast(ClassId c) const {
    const rewrite::EGraph& g = program_.graph();
    if (g.data(c).is_weight && fixed(g.data(c).type)) return {};
    NodeId found;
    for (NodeId n : g.nodes_in(c)) {
      if (!g.usable(n)) continue;
      if (program_.context().ops().get(ir::OpId(g.op(n))).is(ir::Core::kBroadcast))
        found = n;
      else if (!g.data(c).is_weight)  // else its other nodes cannot be folded
        return {};
    }
    return found;
  }

  const rewrite::TensorEGraph& program_;
  formats::Dialect dialect_;
  std::map<NodeId, bool> said_;
};

}  // namespace

std::function<bool(NodeId)> spellable(const rewrite::TensorEGraph& program, const formats::Dialect& dialect) {
  return Spellable(program, dialect);
}

}  // namespace isomer::recipes
