#include "verify/only_casts.h"

#include <algorithm>

#include "eval/interpreter.h"
#include "ir/scalar_table.h"
#include "meaning/flatten.h"
#include "meaning/nest.h"

namespace isomer::verify {
namespace {

bool is_exact(const meaning::ScalarProgram::Instr& in) {
  const ir::ScalarRow& row = ir::row(in.op);
  const bool casts =
      in.op == ir::ScalarOp::kCast || row.sorts == ir::Sorts::kToNumber || row.sorts == ir::Sorts::kToInteger;
  return in.sort == meaning::Sort::kInteger || casts || row.sorts == ir::Sorts::kTest ||
         row.rounding == ir::Rounding::kExact;
}

bool is_exact(const meaning::ScalarProgram& program) {
  return std::ranges::all_of(program.code, [](const auto& in) { return is_exact(in); });
}

bool is_exact(const meaning::CompiledNest& nest) {
  for (size_t i = 0; i < nest.bodies.size(); ++i) {
    const bool adds = nest.combiners[i] == ir::Combiner::kSum || nest.combiners[i] == ir::Combiner::kProduct;
    if (!is_exact(nest.bodies[i]) || (adds && nest.bodies[i].sort == meaning::Sort::kNumber)) return false;
  }
  return is_exact(nest.result);
}

bool is_exact(const ir::Graph& flat, ir::ValueId v) {
  const ir::OpDef& def = flat.def(v);
  if (def.kind == ir::MeaningKind::kLeaf || def.kind == ir::MeaningKind::kTuple) return true;
  if (!eval::can_evaluate(flat, v)) return false;
  // A procedure moves elements and finds places; what a region makes of them is not followed.
  if (def.procedure != nullptr) return !def.has_role(ir::AttrRole::kRegion);
  if (def.nests == nullptr) return false;
  std::vector<ir::TypeId> types;
  for (const ir::ValueId o : flat.operands(v)) types.push_back(flat.type_id(o));
  const ir::OpInstance instance(flat.context(), def, flat.attrs(v), types, flat.type_id(v));
  return std::ranges::all_of(meaning::compile_nests(instance, meaning::describe(flat, v)),
                             [](const meaning::CompiledNest& nest) { return is_exact(nest); });
}

}  // namespace

bool only_casts_round(const ir::Graph& graph) {
  const ir::Graph flat = meaning::flatten(graph).graph;
  for (size_t i = 0; i < flat.size(); ++i)
    if (!is_exact(flat, ir::ValueId(i))) return false;
  return true;
}

}  // namespace isomer::verify
