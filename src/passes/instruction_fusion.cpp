// XLA's fusion for processors: from the last consumer to the first, producers are taken into it as long as
// that pays. Where general_fusion.cpp leaves each decision to an agent, here XLA's heuristics decide them
// all, so that there is a reference to compare with: one proposal for each instruction that becomes a fusion.
//
// The heuristics are those of XLA's InstructionFusion and its variant for processors, stated anew and held to
// what the real pass of jaxlib 0.10.2 does to modules ("fusion", bench/hlo_fusions.py):
// - A producer that others need too is computed again in each, unless it is dear (divisions, functions of
//   floats, sums) or reads more than it writes and cannot be taken into all of them.
// - A dear producer is not taken in where its elements are read more than once.
// - Concatenations of many parts or of long rows stay by themselves. Constants of one element are taken
//   into what is a fusion already.
// - How often a fusion's code would compute a producer is bounded, at once where that code branches.
// Left out: products of a matrix and a vector with what is added to them, and fusions that were there before.
// The fusions of graphics processors, which are not in the processor's XLA, are fusion_merger.cpp's,
// multi_output_fusion.cpp's and horizontal_fusion.cpp's.
#include <algorithm>
#include <map>
#include <set>

#include "passes/fusions.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

/// Of concatenations.
constexpr size_t kMostParts = 8;
constexpr int64_t kLongRow = 128;
/// How often one producer may be computed in the code of a fusion.
constexpr uint64_t kMostCopies = 15;

/// Each element is made of the elements at its place.
bool reads_in_place(Opcode opcode) {
  return hlo::is_elementwise(opcode) || opcode == Opcode::kBitcastConvert;
}

/// Too dear to be computed twice.
bool is_dear(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCos:
    case Opcode::kSin:
    case Opcode::kTan: return false;
    case Opcode::kDivide:
    case Opcode::kGather:
    case Opcode::kMap:
    case Opcode::kReduce:
    case Opcode::kRemainder: return true;
    default: return hlo::is_transcendental(opcode);
  }
}

/// Its code has branches or a loop, so that nothing computed before it is known after it.
bool branches(Opcode opcode) {
  return opcode == Opcode::kConcatenate || opcode == Opcode::kDynamicUpdateSlice || opcode == Opcode::kPad ||
         opcode == Opcode::kReduce;
}

/// How a value is asked for within a group.
struct Demand {
  std::set<uint32_t> askers;  ///< members that ask at places of their own; others share those of their users
  bool again = false;         ///< elements are asked for more than once
};

/// A consumer with the producers that were taken into it.
struct Group {
  InstructionId consumer;
  std::vector<InstructionId> inputs;    ///< in the order of XLA's parameters
  std::map<uint32_t, uint64_t> copies;  ///< of each member: how often its code stands in that of the fusion
  std::map<uint32_t, Demand> demands;
  bool grows() const { return copies.size() > 1; }
};

class InstructionFuser {
 public:
  InstructionFuser(AlternativeGraph& graph, ComputationId home)
      : graph_(graph), m_(graph.module()), home_(home), first_(m_[home].instructions.first) {
    order();
    for (const InstructionId id : order_)
      for (const InstructionId operand : m_.operands(id)) users_[operand.v].insert(id.v);
    find_unfusible();
  }

  void propose() {
    for (size_t i = order_.size(); i-- > 0;) {
      const InstructionId consumer = order_[i];
      if (dead_.contains(consumer.v) || !is_fusible(consumer)) continue;
      Group group{consumer, {}, {}, {}};
      add(group, consumer);
      while (take_one(group)) {
      }
      if (group.grows()) groups_.push_back(std::move(group));
    }
    // What is taken first is written first: the alternatives' order is that of the module.
    for (size_t i = groups_.size(); i-- > 0;) write(groups_[i]);
  }

 private:
  /// Operands first, those of the first operand before those of the second: XLA's order.
  void order() {
    const hlo::Range all = m_[home_].instructions;
    std::vector<bool> used(all.count, false), seen(all.count, false);
    for (uint32_t i = 0; i < all.count; ++i)
      for (const InstructionId operand : m_.operands(InstructionId(first_ + i)))
        used[operand.v - first_] = true;
    std::vector<std::pair<InstructionId, size_t>> open;
    for (uint32_t i = 0; i < all.count; ++i) {
      if (used[i]) continue;
      open.emplace_back(first_ + i, 0);
      seen[i] = true;
      while (!open.empty()) {
        auto& [id, next] = open.back();
        if (next < m_.operands(id).size()) {
          const InstructionId operand = m_.operands(id)[next++];
          if (seen[operand.v - first_]) continue;
          seen[operand.v - first_] = true;
          open.emplace_back(operand, 0);
          continue;
        }
        place_[id.v] = order_.size();
        order_.push_back(id);
        open.pop_back();
      }
    }
  }

  bool is_fusible(InstructionId id) const {
    switch (m_[id].opcode) {
      case Opcode::kParameter:
      case Opcode::kWhile:
      case Opcode::kConditional:
      case Opcode::kCall:
      case Opcode::kDomain: return false;
      default: return !has_side_effect(m_, id) && may_be_replaced(m_, id);
    }
  }

  /// All of its users within the group are members before it.
  void add(Group& group, InstructionId member) {
    group.copies[member.v] = member == group.consumer ? 1 : copies(group, member);
    const Demand of_member = group.demands[member.v];
    const bool shares = member != group.consumer && reads_in_place(m_[member].opcode);
    for (size_t i = 0; i < m_.operands(member).size(); ++i) {
      const InstructionId operand = m_.operands(member)[i];
      Demand& demand = group.demands[operand.v];
      if (shares)
        demand.askers.insert(of_member.askers.begin(), of_member.askers.end());
      else
        demand.askers.insert(member.v);
      demand.again = demand.again || of_member.again || reads_again(member, i);
      if (!group.copies.contains(operand.v) && std::ranges::find(group.inputs, operand) == group.inputs.end())
        group.inputs.push_back(operand);
    }
  }
  static uint64_t copies(const Group& group, InstructionId input) {
    uint64_t out = 0;
    for (const uint32_t asker : group.demands.at(input.v).askers) out += group.copies.at(asker);
    return out;
  }

  /// Takes the producer that is computed last, of those that may be taken.
  bool take_one(Group& group) {
    std::vector<InstructionId> producers = group.inputs;
    std::ranges::sort(producers, std::greater(), [&](InstructionId id) { return place_.at(id.v); });
    for (const InstructionId producer : producers) {
      if (unfusible_.contains(producer.v) || !pays(group, producer)) continue;
      take(group, producer);
      return true;
    }
    return false;
  }

  void take(Group& group, InstructionId producer) {
    const uint32_t consumer = group.consumer.v;
    std::erase(group.inputs, producer);
    add(group, producer);
    users_[producer.v].erase(consumer);
    const bool is_dead = users_[producer.v].empty() && !graph_.is_root(producer);
    for (const InstructionId operand : m_.operands(producer)) {
      users_[operand.v].insert(consumer);
      if (is_dead) users_[operand.v].erase(producer.v);
    }
    if (is_dead) dead_.insert(producer.v);
  }

  bool may_fuse(InstructionId consumer, InstructionId producer) const {
    const Opcode opcode = m_[producer].opcode;
    return is_fusible(producer) && (opcode == Opcode::kConstant || stands_in_a_loop(opcode)) &&
           stands_in_a_loop(m_[consumer].opcode) && !copies_by_itself(producer) &&
           !copies_by_itself(consumer);
  }
  bool is_shared(InstructionId producer) const { return users_.at(producer.v).size() > 1; }

  /// ... into an instruction that is no fusion yet.
  bool pays(InstructionId consumer, InstructionId producer) const {
    const Opcode opcode = m_[producer].opcode;
    if (!may_fuse(consumer, producer) || opcode == Opcode::kConstant) return false;
    if (!is_dear(opcode)) return true;
    for (size_t i = 0; i < m_.operands(consumer).size(); ++i)
      if (m_.operands(consumer)[i] == producer && reads_again(consumer, i)) return false;
    return !is_shared(producer);
  }
  bool pays(const Group& group, InstructionId producer) const {
    if (!group.grows()) return pays(group.consumer, producer);
    const Opcode opcode = m_[producer].opcode;
    if (!may_fuse(group.consumer, producer)) return false;
    if (opcode == Opcode::kConstant && m_.shapes.elements(m_.shape(producer)) != 1) return false;
    if (is_dear(opcode) && (is_shared(producer) || group.demands.at(producer.v).again)) return false;
    const uint64_t many = copies(group, producer);
    return many <= kMostCopies && !(branches(opcode) && (is_shared(producer) || many > 1));
  }

  int64_t fastest(InstructionId id) const {
    const auto layout = m_.shapes.minor_to_major(m_.shape(id));
    if (!layout.empty()) return layout[0];
    return static_cast<int64_t>(m_.shapes.dims(m_.shape(id)).size()) - 1;
  }
  /// Rows, or many parts, are copied faster than they are computed.
  bool copies_by_itself(InstructionId id) const {
    if (m_[id].opcode != Opcode::kConcatenate) return false;
    const auto dims = m_.shapes.dims(m_.shape(id));
    const int64_t along = m_.list(id, AttributeName::kDimensions)[0];
    return m_.operands(id).size() > kMostParts ||
           (dims.size() > 1 && along == fastest(id) && dims[static_cast<size_t>(along)] >= kLongRow);
  }

  /// Whether an instruction reads elements of an operand more than once.
  bool reads_again(InstructionId user, size_t operand) const {
    switch (m_[user].opcode) {
      case Opcode::kBitcast:
      case Opcode::kConcatenate:
      case Opcode::kCopy:
      case Opcode::kGather:
      case Opcode::kReshape:
      case Opcode::kReverse:
      case Opcode::kSlice:
      case Opcode::kTranspose: return false;
      case Opcode::kPad:
      case Opcode::kReduce: return operand >= m_.operands(user).size() / 2;
      case Opcode::kDynamicSlice: return operand > 0;
      case Opcode::kDynamicUpdateSlice: return operand > 1;
      default: return !reads_in_place(m_[user].opcode);
    }
  }

  /// Producers that read more than they write are not computed twice, unless they can be taken into each of
  /// their consumers on all ways that lead there.
  void find_unfusible() {
    for (const InstructionId consumer : order_)
      for (const InstructionId producer : m_.operands(consumer)) {
        if (unfusible_.contains(producer.v) || is_at_most_unary(producer)) continue;
        if (bytes_of_operands(producer) <= bytes_of(m_, producer)) continue;
        if (!goes_into_on_all_ways(producer, consumer)) unfusible_.insert(producer.v);
      }
  }
  bool goes_into_on_all_ways(InstructionId producer, InstructionId consumer) const {
    const size_t first = place_.at(producer.v), last = place_.at(consumer.v);
    enum Way : uint8_t { kNone, kFuses, kDoesNot };
    std::vector<Way> ways(last - first + 1, kNone);
    ways[0] = is_fusible(producer) ? kFuses : kDoesNot;
    for (size_t at = first + 1; at <= last; ++at) {
      const InstructionId id = order_[at];
      Way& way = ways[at - first];
      for (const InstructionId operand : m_.operands(id)) {
        const size_t place = place_.at(operand.v);
        if (place < first || ways[place - first] == kNone) continue;
        const bool fuses = ways[place - first] == kFuses && is_fusible(id) &&
                           !unfusible_.contains(operand.v) && pays(id, operand);
        way = fuses && way != kDoesNot ? kFuses : kDoesNot;
      }
    }
    return ways.back() == kFuses;
  }
  bool is_at_most_unary(InstructionId id) const {
    size_t large = 0;
    for (const InstructionId operand : m_.operands(id))
      large += m_[operand].opcode != Opcode::kBroadcast && true_rank(operand) >= true_rank(id) &&
               !(m_[operand].opcode == Opcode::kConstant && true_rank(operand) == 0);
    return large <= 1;
  }
  int64_t true_rank(InstructionId id) const {
    return std::ranges::count_if(m_.shapes.dims(m_.shape(id)), [](int64_t n) { return n != 1; });
  }
  int64_t bytes_of_operands(InstructionId id) const {
    const std::set<InstructionId> different(m_.operands(id).begin(), m_.operands(id).end());
    int64_t out = 0;
    for (const InstructionId operand : different) out += bytes_of(m_, operand);
    return out;
  }

  void write(const Group& group) {
    const InstructionId fused = loop_fusion(graph_, home_, m_.shape(group.consumer), group.inputs,
                                            [&](Copies& inside) { inside.of(group.consumer); });
    graph_.propose(group.consumer, fused, "fuse");
  }

  AlternativeGraph& graph_;
  const Module& m_;
  ComputationId home_;
  uint32_t first_;
  std::vector<InstructionId> order_;
  std::map<uint32_t, size_t> place_;
  std::map<uint32_t, std::set<uint32_t>> users_;
  std::set<uint32_t> dead_, unfusible_;
  std::vector<Group> groups_;
};

class InstructionFusion : public Pass {
 public:
  std::string_view name() const override { return "fusion"; }
  void propose(AlternativeGraph& graph) const override {
    const Module& m = graph.module();
    const std::vector<bool> within = within_kernels(graph.module(), graph.originals());
    // Those behind the originals are what other passes have written.
    for (uint32_t c = 0; c < within.size(); ++c)
      if (!within[c] && m.computations[c].instructions.first < graph.originals())
        InstructionFuser(graph, ComputationId(c)).propose();
  }
};

}  // namespace

std::shared_ptr<const Pass> instruction_fusion() { return std::make_shared<InstructionFusion>(); }

}  // namespace isomer::passes
