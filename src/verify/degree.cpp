// Numerator and denominator degrees are carried along scalar programs: a sum brings its operands to a common
// denominator, a product adds, a quotient crosses. Exponentials and uninterpreted functions are new
// indeterminates of degree 1, and so is a maximum; what they are of is compared too, so that the largest
// degree of all that is computed on the way counts. A selection is y + w (x - y), w of degree 1
// (eval/random_interpretation.h). All in doubles, as upper bounds: beyond 2^60 no claim is made anyway.
#include "verify/degree.h"

#include <algorithm>
#include <cmath>

#include "eval/interpreter.h"
#include "ir/scalar_table.h"
#include "meaning/flatten.h"
#include "meaning/nest.h"

namespace isomer::verify {
namespace {

using ir::ScalarOp;

struct Degree {
  double top = 0;
  double bottom = 0;
};

Degree larger(Degree a, Degree b) { return {std::max(a.top, b.top), std::max(a.bottom, b.bottom)}; }
Degree sum(Degree a, Degree b) { return {std::max(a.top + b.bottom, b.top + a.bottom), a.bottom + b.bottom}; }
Degree product(Degree a, Degree b) { return {a.top + b.top, a.bottom + b.bottom}; }

bool is_leaf(ScalarOp op) { return op == ScalarOp::kRead || op == ScalarOp::kAcc; }

/// By register: whether a value of an operand decides what it holds.
std::vector<bool> of_values(const meaning::ScalarProgram& program) {
  std::vector<bool> out;
  for (const auto& in : program.code) {
    const auto of = [&](int32_t r) { return r >= 0 && out[static_cast<size_t>(r)]; };
    out.push_back(is_leaf(in.op) || of(in.a) || of(in.b) || of(in.c));
  }
  return out;
}

/// `largest`: at least that of all registers, in numerators and denominators together.
Degree of_program(const meaning::ScalarProgram& program, const meaning::CompiledNest& nest,
                  std::span<const Degree> operands, std::span<const Degree> accumulators, double& largest) {
  std::vector<Degree> regs;
  const std::vector<bool> valued = of_values(program);
  const auto reg = [&](int32_t r) { return regs[static_cast<size_t>(r)]; };
  for (const auto& in : program.code) {
    switch (in.op) {
      case ScalarOp::kRead:
        regs.push_back(operands[static_cast<size_t>(nest.reads[static_cast<size_t>(in.index)].input)]);
        break;
      case ScalarOp::kAcc: regs.push_back(accumulators[static_cast<size_t>(in.index)]); break;
      case ScalarOp::kConst:
      case ScalarOp::kIntConst:
      case ScalarOp::kValid:
      case ScalarOp::kVar: regs.push_back({}); break;
      case ScalarOp::kAdd:
      case ScalarOp::kSub: regs.push_back(sum(reg(in.a), reg(in.b))); break;
      case ScalarOp::kMul: regs.push_back(product(reg(in.a), reg(in.b))); break;
      case ScalarOp::kDiv:
        regs.push_back({reg(in.a).top + reg(in.b).bottom, reg(in.a).bottom + reg(in.b).top});
        break;
      case ScalarOp::kNeg: regs.push_back(reg(in.a)); break;
      case ScalarOp::kMax:
      case ScalarOp::kMin: regs.push_back(larger(larger(reg(in.a), reg(in.b)), {1, 0})); break;
      case ScalarOp::kSelect: {
        const Degree x = product({1, 0}, reg(in.b)), y = product({1, 0}, reg(in.c));
        regs.push_back(valued[static_cast<size_t>(in.a)] ? sum(x, y) : larger(reg(in.b), reg(in.c)));
        break;
      }
      case ScalarOp::kPow: {  // small integer powers are exact: at most the 64th, either way up
        const Degree d = reg(in.a);
        regs.push_back({64 * (d.top + d.bottom) + 1, 64 * (d.top + d.bottom)});
        break;
      }
      case ScalarOp::kAbs: regs.push_back({reg(in.a).top + 1, reg(in.a).bottom}); break;
      default: regs.push_back({1, 0}); break;
    }
    largest = std::max(largest, regs.back().top + regs.back().bottom);
  }
  return regs.back();
}

constexpr double kUnbounded = 0x1p100;  // no claim is made of such degrees

Degree of_nest(const meaning::CompiledNest& nest, std::span<const Degree> operands, double& largest) {
  if (!nest.plain_but_scan) return {kUnbounded, kUnbounded};
  std::vector<Degree> accumulators;
  const auto n = static_cast<double>(nest.reductions);
  for (size_t i = 0; i < nest.bodies.size(); ++i) {
    const Degree d = of_program(nest.bodies[i], nest, operands, {}, largest);
    switch (nest.combiners[i]) {
      case ir::Combiner::kSum: accumulators.push_back({d.top + (n - 1) * d.bottom, n * d.bottom}); break;
      case ir::Combiner::kProduct: accumulators.push_back({n * d.top, n * d.bottom}); break;
      default: accumulators.push_back(larger(d, {1, 0})); break;
    }
  }
  return of_program(nest.result, nest, operands, accumulators, largest);
}

/// What compares or chooses by values; by places alone (which operand of a concatenation is read) nothing
/// jumps when values move.
bool jumps(const meaning::ScalarProgram& program) {
  const std::vector<bool> valued = of_values(program);
  for (size_t i = 0; i < program.code.size(); ++i) {
    const auto& in = program.code[i];
    const bool decided = valued[in.op == ScalarOp::kSelect ? static_cast<size_t>(in.a) : i];
    if (decided && !is_leaf(in.op) && !ir::row(in.op).continuous) return true;
  }
  return false;
}

bool is_quotient(const meaning::ScalarProgram& program, int32_t at) {
  return program.code[static_cast<size_t>(at)].op == ScalarOp::kDiv;
}

/// Whether an element tells -0 from 0: by the order of quotients, which are infinite of either sign.
bool tells_signs_of_zero(const meaning::ScalarProgram& program) {
  return std::ranges::any_of(program.code, [&](const auto& in) {
    return (in.op == ScalarOp::kLess || in.op == ScalarOp::kLessEqual) &&
           (is_quotient(program, in.a) || is_quotient(program, in.b));
  });
}

/// The same where the quotients are values of their own, as XLA's total order is told.
bool orders_reciprocals(const ir::Graph& flat, ir::ValueId v) {
  const auto operands = flat.operands(v);
  return flat.type(v).is_tensor() && flat.type(v).dtype == ir::DType::kBool && operands.size() == 2 &&
         std::ranges::any_of(operands,
                             [&](ir::ValueId x) { return flat.def(x).range == ir::RangeKind::kReciprocal; });
}

bool adds_or_multiplies(const meaning::ScalarProgram& program) {
  return std::ranges::any_of(
      program.code, [](const auto& in) { return in.op == ScalarOp::kAdd || in.op == ScalarOp::kMul; });
}

constexpr double kFastPath = 50;  // how much faster a step of eval/contract.h is than one of the interpreter

bool is_product_sum(const meaning::CompiledNest& nest) {
  return nest.bodies.size() == 1 && nest.bodies[0].code.size() <= 3 &&
         nest.bodies[0].code.back().op == ScalarOp::kMul &&
         std::ranges::all_of(nest.reads, [](const meaning::CompiledRead& r) { return r.affine; });
}

}  // namespace

bool has_integers(const ir::Context& ctx, ir::TypeId id) {
  const ir::Type& type = ctx.get(id);
  if (type.kind == ir::TypeKind::kTuple)
    return std::ranges::any_of(type.elements, [&](ir::TypeId e) { return has_integers(ctx, e); });
  return type.is_tensor() && ir::is_integer(type.dtype);
}

bool has_opaque_integers(const ir::Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i)
    if (const ir::ValueId v(i);
        graph.def(v).is(ir::Core::kOpaque) && has_integers(graph.context(), graph.type_id(v)))
      return true;
  return false;
}

Analysis analyse(const ir::Graph& flat) {
  Analysis out;
  std::vector<Degree> degrees(flat.size());
  const auto uses = flat.use_counts();
  double largest = 1;
  for (size_t i = 0; i < flat.size(); ++i) {
    const ir::ValueId v(i);
    const ir::OpDef& def = flat.def(v);
    out.signs_of_zero |= orders_reciprocals(flat, v);
    out.of_nothing |= flat.type(v).is_static_tensor() && ir::element_count(flat.type(v).shape) == 0;
    std::vector<Degree> operands;
    std::vector<ir::TypeId> types;
    for (ir::ValueId o : flat.operands(v)) {
      operands.push_back(degrees[o.index()]);
      types.push_back(flat.type_id(o));
      degrees[i] = larger(degrees[i], operands.back());
    }
    if (def.procedure != nullptr && eval::can_evaluate(flat, v)) {
      const ir::OpInstance instance(flat.context(), def, flat.attrs(v), types, flat.type_id(v));
      out.procedures = out.jumps = true;
      out.work += def.steps(instance);
      out.float_work += def.steps(instance);
      // Elements are moved and places found; what regions make of them is not followed.
      if (def.has_region()) degrees[i] = {kUnbounded, kUnbounded};
      largest = std::max(largest, degrees[i].top + degrees[i].bottom);
      continue;
    }
    if (def.nests == nullptr || !eval::can_evaluate(flat, v)) {
      if (uses[i] > 0 && !def.is(ir::Core::kConstant) && has_integers(flat.context(), flat.type_id(v)) &&
          def.kind != ir::MeaningKind::kTuple)
        out.integer_leaves = true;
      out.jumps |= def.kind == ir::MeaningKind::kProcedural || def.kind == ir::MeaningKind::kOpaque;
      if (def.kind != ir::MeaningKind::kTuple)
        degrees[i] = def.is(ir::Core::kConstant) ? Degree{} : Degree{1, 0};
      continue;
    }
    const ir::OpInstance instance(flat.context(), def, flat.attrs(v), types, flat.type_id(v));
    degrees[i] = {};
    for (const auto& nest : meaning::compile_nests(instance, meaning::describe(flat, v))) {
      out.jumps |=
          jumps(nest.result) || std::ranges::any_of(nest.bodies, [](const auto& b) { return jumps(b); });
      out.signs_of_zero |=
          tells_signs_of_zero(nest.result) ||
          std::ranges::any_of(nest.bodies, [](const auto& b) { return tells_signs_of_zero(b); });
      for (size_t b = 0; b < nest.bodies.size(); ++b)
        if (ir::is_half(nest.kept_as[b]) && adds_or_multiplies(nest.bodies[b]))
          out.halves.insert(nest.kept_as[b]);
      double steps = static_cast<double>(nest.result.code.size());
      for (const auto& body : nest.bodies)
        steps += static_cast<double>(body.code.size()) * static_cast<double>(nest.reductions);
      const double work = static_cast<double>(nest.outputs) * steps;
      out.work += work;
      out.float_work += is_product_sum(nest) ? static_cast<double>(nest.outputs) + work / kFastPath : work;
      degrees[i] = larger(degrees[i], of_nest(nest, operands, largest));
    }
    largest = std::max(largest, degrees[i].top + degrees[i].bottom);
  }
  out.log2_degree = std::log2(largest);
  for (ir::ValueId o : flat.outputs())
    if (flat.type(o).is_tensor() && !flat.type(o).is_static_tensor())
      out.obstacle = meaning::describe(flat, o) + ": an output with symbolic dimensions";
  return out;
}

double larger_float_work(const ir::Graph& a, const ir::Graph& b) {
  const auto of = [](const ir::Graph& graph) { return analyse(meaning::flatten(graph).graph).float_work; };
  return std::max(of(a), of(b));
}

}  // namespace isomer::verify
