// Fusion without heuristics: HloEnv's GeneralFusion (section 5.2), which stands in the place of XLA's fusion
// pipeline and leaves every decision to an agent. Any producer goes into any consumer of it, as far as both
// can stand in a loop; a producer that others need too is computed twice.
//
// A choice for each consumer, a way for each producer: the consumer as a fusion with the producer's
// instructions in it. Fusions grow by themselves: a producer or consumer may be one. HloEnv's pass fuses and
// clones likewise. Equal instructions within a fusion are written once, so that cloned
// producers do not multiply. Fusions of several results are not proposed.
#include "passes/known_passes.h"

#include <algorithm>
#include <unordered_map>

namespace isomer::passes {
namespace {

/// A fused computation does not grow beyond this many instructions.
constexpr uint32_t kMostInstructions = 1000;

bool in_loops(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kAtan2:
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcast:
    case Opcode::kCbrt:
    case Opcode::kCeil:
    case Opcode::kClamp:
    case Opcode::kClz:
    case Opcode::kCompare:
    case Opcode::kComplex:
    case Opcode::kConcatenate:
    case Opcode::kConvert:
    case Opcode::kCopy:
    case Opcode::kCos:
    case Opcode::kDivide:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kErf:
    case Opcode::kExp:
    case Opcode::kExpm1:
    case Opcode::kFloor:
    case Opcode::kFusion:
    case Opcode::kGather:
    case Opcode::kImag:
    case Opcode::kIota:
    case Opcode::kIsFinite:
    case Opcode::kLog:
    case Opcode::kLog1p:
    case Opcode::kLogistic:
    case Opcode::kMap:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMulhi:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kNot:
    case Opcode::kOr:
    case Opcode::kPad:
    case Opcode::kPopulationCount:
    case Opcode::kPower:
    case Opcode::kReal:
    case Opcode::kReduce:
    case Opcode::kReducePrecision:
    case Opcode::kReduceWindow:
    case Opcode::kRemainder:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kRsqrt:
    case Opcode::kSelect:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
    case Opcode::kSign:
    case Opcode::kSin:
    case Opcode::kSlice:
    case Opcode::kSqrt:
    case Opcode::kSubtract:
    case Opcode::kTan:
    case Opcode::kTanh:
    case Opcode::kTranspose:
    case Opcode::kXor: return true;
    default: return false;
  }
}

class Fuser {
 public:
  explicit Fuser(AlternativeGraph& graph) : graph_(graph), w_(graph.writer()), m_(w_.module()) {}

  void propose() {
    const std::vector<bool> within = within_kernels();
    for (uint32_t i = 0; i < graph_.originals(); ++i) {
      const InstructionId consumer(i);
      if (within[graph_.computation_of(consumer).v] || !may_fuse(consumer)) continue;
      std::vector<InstructionId> producers;
      for (const InstructionId operand : m_.operands(consumer))
        if (may_fuse(operand) && std::ranges::find(producers, operand) == producers.end())
          producers.push_back(operand);
      for (const InstructionId producer : producers)
        if (size(producer) + size(consumer) <= kMostInstructions)
          graph_.propose(consumer, fused(producer, consumer), "fuse");
    }
  }

 private:
  /// Computations that are part of a kernel: called by another instruction than those of control flow.
  std::vector<bool> within_kernels() const {
    std::vector<bool> out(m_.computations.size(), false);
    std::vector<ComputationId> called;
    for (uint32_t i = 0; i < graph_.originals(); ++i) {
      const Opcode opcode = m_.instructions[i].opcode;
      if (opcode == Opcode::kCall || opcode == Opcode::kWhile || opcode == Opcode::kConditional) continue;
      called.clear();
      m_.called(InstructionId(i), called);
      for (const ComputationId callee : called) out[callee.v] = true;
    }
    return out;
  }

  bool may_fuse(InstructionId id) const {
    if (!in_loops(m_[id].opcode) || has_side_effect(m_, id)) return false;
    const hlo::Shape& shape = m_.shapes[m_.shape(id)];
    if (shape.kind != hlo::ShapeKind::kArray || shape.dynamic != 0) return false;
    for (const AttributeName name : {AttributeName::kControlPredecessors, AttributeName::kSharding,
                                     AttributeName::kOutputToOperandAliasing})
      if (m_.find(id, name)) return false;
    const auto kind = m_.find(id, AttributeName::kKind);
    return !kind || kind->empty() || (*kind)[0] != static_cast<int64_t>(hlo::FusionKind::kCustom);
  }

  uint32_t size(InstructionId id) const {
    const auto calls = m_[id].opcode == Opcode::kFusion ? m_.find(id, AttributeName::kCalls) : std::nullopt;
    return calls ? m_.computations[static_cast<size_t>((*calls)[0])].instructions.count : 1;
  }

  bool is_scalar_constant(InstructionId id) const {
    return m_[id].opcode == Opcode::kConstant && m_.shapes.dims(m_.shape(id)).empty() &&
           m_.shapes[m_.shape(id)].kind == hlo::ShapeKind::kArray;
  }

  InstructionId fused(InstructionId producer, InstructionId consumer) {
    const ComputationId home = graph_.computation_of(consumer);
    w_.write_for(home);
    std::vector<InstructionId> operands;
    const auto take = [&](InstructionId from) {
      for (const InstructionId operand : m_.operands(from))
        if (operand != producer && !is_scalar_constant(operand) &&
            std::ranges::find(operands, operand) == operands.end())
          operands.push_back(operand);
    };
    take(producer);
    take(consumer);

    const auto first = static_cast<uint32_t>(m_.instructions.size());
    w_.begin_computation();
    std::vector<InstructionId> parameters;
    Places places;
    for (const InstructionId operand : operands) {
      parameters.push_back(w_.parameter(static_cast<int64_t>(parameters.size()), m_.shape(operand)));
      places[operand.v] = parameters.back();
    }
    places[producer.v] = write(producer, places);
    write(consumer, places);
    const ComputationId body = w_.computation("fused_computation", first, parameters);
    return w_.add(Opcode::kFusion, m_.shape(consumer), operands,
                  {{AttributeName::kKind, {static_cast<int64_t>(hlo::FusionKind::kLoop)}},
                   {AttributeName::kCalls, {int64_t{body.v}}}});
  }

  using Places = std::unordered_map<uint32_t, InstructionId>;

  /// The instruction, or what a fusion computes, with its operands at these places.
  InstructionId write(InstructionId id, Places& places) {
    const auto place = [&](InstructionId operand) {
      const auto [at, is_new] = places.try_emplace(operand.v);
      if (is_new) at->second = w_.again(operand, m_.shape(operand), {});  // a scalar constant
      return at->second;
    };
    std::vector<InstructionId> operands;
    // No spans are held while instructions are written.
    for (size_t i = 0; i < m_.operands(id).size(); ++i) operands.push_back(place(m_.operands(id)[i]));
    if (m_[id].opcode != Opcode::kFusion) return w_.again(id, m_.shape(id), operands);

    const ComputationId body(static_cast<uint32_t>((*m_.find(id, AttributeName::kCalls))[0]));
    Places inside;
    for (size_t i = 0; i < operands.size(); ++i) inside[m_.parameters_of(body)[i].v] = operands[i];
    return write_tree(m_[body].root, inside);
  }

  /// What an instruction of a fused computation needs, it last.
  InstructionId write_tree(InstructionId root, Places& inside) {
    std::vector<std::pair<InstructionId, size_t>> stack = {{root, 0}};
    while (!stack.empty()) {
      auto& [id, next] = stack.back();
      if (next < m_.operands(id).size()) {
        const InstructionId operand = m_.operands(id)[next++];
        if (!inside.contains(operand.v)) stack.emplace_back(operand, 0);
        continue;
      }
      const InstructionId done = id;
      stack.pop_back();
      if (inside.contains(done.v)) continue;
      std::vector<InstructionId> operands;
      for (const InstructionId operand : m_.operands(done)) operands.push_back(inside.at(operand.v));
      inside[done.v] = w_.again(done, m_.shape(done), operands);
    }
    return inside.at(root.v);
  }

  AlternativeGraph& graph_;
  Writer& w_;
  Module& m_;
};

class GeneralFusion : public Pass {
 public:
  std::string_view name() const override { return "general-fusion"; }
  void propose(AlternativeGraph& graph) const override { Fuser(graph).propose(); }
};

}  // namespace

std::shared_ptr<const Pass> general_fusion() { return std::make_shared<GeneralFusion>(); }

}  // namespace isomer::passes
