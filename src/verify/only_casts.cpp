#include "verify/only_casts.h"

#include <algorithm>
#include <cmath>
#include <vector>

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
    if (!nest.initials[i].code.empty() && !is_exact(nest.initials[i])) return false;
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
  if (def.procedure != nullptr) return !def.has_region();
  if (def.nests == nullptr) return false;
  std::vector<ir::TypeId> types;
  for (const ir::ValueId o : flat.operands(v)) types.push_back(flat.type_id(o));
  const ir::OpInstance instance(flat.context(), def, flat.attrs(v), types, flat.type_id(v));
  return std::ranges::all_of(meaning::compile_nests(instance, meaning::describe(flat, v)),
                             [](const meaning::CompiledNest& nest) { return is_exact(nest); });
}

/// Whether every number of the type is one of the other.
bool holds(ir::DType wide, ir::DType narrow) {
  if (wide == narrow || narrow == ir::DType::kBool) return true;
  if (!ir::is_float(wide) || !ir::is_integer(narrow)) return false;
  return ir::value_bits(narrow) <= 1 - std::ilogb(ir::spacing_at_one(wide));
}

/// Whether an operator that only casts may round, too.
bool cast_rounds(const ir::Graph& flat, ir::ValueId v) {
  const ir::Type& type = flat.type(v);
  return type.is_tensor() && ir::is_float(type.dtype) &&
         std::ranges::any_of(flat.operands(v), [&](ir::ValueId o) {
           return flat.type(o).is_tensor() && !holds(type.dtype, flat.type(o).dtype);
         });
}

}  // namespace

bool rounds_once(const ir::Graph& graph) {
  if (only_casts_round(graph)) return true;
  const ir::Graph flat = meaning::flatten(graph).graph;
  std::vector<int> through(flat.size(), 0);
  for (size_t i = 0; i < flat.size(); ++i) {
    const ir::ValueId v(i);
    for (const ir::ValueId o : flat.operands(v)) through[i] = std::max(through[i], through[o.index()]);
    if (!is_exact(flat, v) || cast_rounds(flat, v)) ++through[i];
    if (through[i] > 1) return false;
  }
  return true;
}

bool only_casts_round(const ir::Graph& graph) {
  const ir::Graph flat = meaning::flatten(graph).graph;
  for (size_t i = 0; i < flat.size(); ++i)
    if (!is_exact(flat, ir::ValueId(i))) return false;
  return true;
}

}  // namespace isomer::verify
