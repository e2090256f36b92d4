// XLA's horizontal fusions for graphics processors: small kernels that do not need each other and are read by
// one instruction become one, so that one start is paid for. Theirs is the order: users as they stand, of
// each the kernels that it alone reads.
//
// HorizontalLoopFusion: loops of any sizes are one loop over their results one behind the other. What it may
// be are fusions and single operators that work element by element; of at most so many elements and
// instructions, in rows, of equal element types and numbers of instructions, 32 at a time; none that share an
// array which comes from outside. XLA takes the results apart within the kernel; here that is slices of its
// one result, which any backend runs. HorizontalInputFusion: reductions of equal sizes are one fusion of
// several results.
#include <algorithm>

#include "passes/fusions.h"
#include "passes/known_passes.h"

namespace isomer::passes {
namespace {

/// More takes longer than the start of a kernel.
constexpr int64_t kMostElements = 128 * 2048;
constexpr uint32_t kMostInstructions = 30;
constexpr size_t kMostTogether = 32;
/// What the parameters of a kernel hold (4,000 bytes of pointers).
constexpr size_t kMostPointers = 500;

bool is_in_rows(const Module& m, ShapeId shape) {
  const auto order = m.shapes.minor_to_major(shape);
  return std::ranges::is_sorted(order, std::greater());
}

/// Users beside a result of the whole computation.
bool is_read_by_it_alone(const AlternativeGraph& graph, InstructionId id, InstructionId user) {
  const std::vector<InstructionId> users = different_users(graph, id);
  return users.size() == 1 && users[0] == user;
}

using Members = std::vector<InstructionId>;

class Horizontal : public Pass {
 public:
  void propose(AlternativeGraph& graph) const override {
    const Module& m = graph.module();
    const std::vector<bool> within = within_kernels(m, graph.originals());
    for (uint32_t i = 0; i < graph.originals(); ++i) {
      const InstructionId user(i);
      if (within[graph.computation_of(user).v]) continue;
      Members found;
      for (const InstructionId operand : m.operands(user))
        if (std::ranges::find(found, operand) == found.end() && is_candidate(m, operand))
          found.push_back(operand);
      if (found.size() < 2) continue;
      const Members all = found;
      std::erase_if(found, [&](InstructionId id) {
        return !is_read_by_it_alone(graph, id, user) || !stays(graph, id, all);
      });
      std::ranges::stable_sort(found, {}, [&](InstructionId id) { return key(m, id); });
      for (size_t first = 0; first < found.size();) {
        const size_t end = end_of_group(m, found, first);
        if (end - first > 1) fuse(graph, std::span(found).subspan(first, end - first));
        first = end;
      }
    }
  }

 protected:
  virtual bool is_candidate(const Module& m, InstructionId id) const = 0;
  virtual bool stays(const AlternativeGraph& graph, InstructionId id, const Members& all) const = 0;
  /// Those of equal keys are fused.
  virtual Dims key(const Module& m, InstructionId id) const = 0;
  virtual void fuse(AlternativeGraph& graph, std::span<const InstructionId> members) const = 0;

 private:
  size_t end_of_group(const Module& m, const Members& found, size_t first) const {
    size_t end = first, pointers = 0;
    while (end < found.size() && end - first < kMostTogether && key(m, found[end]) == key(m, found[first])) {
      pointers += m[found[end]].operands.count + 1;
      if (end > first && pointers > kMostPointers) break;
      ++end;
    }
    return end;
  }
};

class HorizontalLoops : public Horizontal {
 public:
  std::string_view name() const override { return "horizontal_loop_fusion"; }

 protected:
  bool is_candidate(const Module& m, InstructionId id) const override {
    return is_loop(m, id) && may_be_fused(m, id);
  }
  bool stays(const AlternativeGraph& graph, InstructionId id, const Members& all) const override {
    const Module& m = graph.module();
    if (m.shapes.elements(m.shape(id)) > kMostElements || body_size(m, id) > kMostInstructions) return false;
    if (!is_in_rows(m, m.shape(id))) return false;
    return std::ranges::none_of(m.operands(id), [&](InstructionId operand) {
      if (m[operand].opcode != Opcode::kParameter) return false;
      const auto users = graph.users(operand);
      return std::ranges::any_of(
          users, [&](InstructionId user) { return user != id && std::ranges::find(all, user) != all.end(); });
    });
  }
  Dims key(const Module& m, InstructionId id) const override {
    return {static_cast<int64_t>(m.shapes[m.shape(id)].element), int64_t{body_size(m, id)}};
  }

  void fuse(AlternativeGraph& graph, std::span<const InstructionId> members) const override {
    Writer& w = graph.writer();
    Module& m = w.module();
    int64_t length = 0;
    for (const InstructionId member : members) length += m.shapes.elements(m.shape(member));
    const ShapeId row = w.array(m.shapes[m.shape(members[0])].element, Dims{length});
    const std::vector<InstructionId> operands = outside_operands(m, members);
    const InstructionId all =
        loop_fusion(graph, graph.computation_of(members[0]), row, operands, [&](Copies& inside) {
          Members rows;
          for (const InstructionId member : members)
            rows.push_back(
                w.reshape(written_within(w, member, inside), Dims{m.shapes.elements(m.shape(member))}));
          w.concatenate(rows, 0);
        });
    int64_t from = 0;
    for (const InstructionId member : members) {
      const int64_t to = from + m.shapes.elements(m.shape(member));
      const auto dims = m.shapes.dims(m.shape(member));
      const Dims sizes(dims.begin(), dims.end());
      graph.propose(member, w.reshape(w.slice(all, Dims{from}, Dims{to}, Dims{1}), sizes), "one-of-a-row");
      from = to;
    }
  }
};

class HorizontalInputs : public Horizontal {
 public:
  std::string_view name() const override { return "horizontal_input_fusion"; }

 protected:
  bool is_candidate(const Module& m, InstructionId id) const override {
    const bool is_kernel = is_loop_fusion(m, id) || m[id].opcode == Opcode::kReduce;
    return is_kernel && m[last_of(m, id)].opcode == Opcode::kReduce && may_be_fused(m, id);
  }
  bool stays(const AlternativeGraph& graph, InstructionId id, const Members& all) const override {
    return body_size(graph.module(), id) * all.size() <= kMostFused;
  }
  /// What it reads and sums.
  Dims key(const Module& m, InstructionId id) const override {
    const InstructionId reduce = last_of(m, id);
    const ShapeId over = m.shape(m.operands(reduce)[0]);
    Dims out;
    for (const auto& part :
         {m.shapes.dims(over), m.shapes.minor_to_major(over), m.list(reduce, AttributeName::kDimensions)}) {
      out.push_back(static_cast<int64_t>(part.size()));
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }
  void fuse(AlternativeGraph& graph, std::span<const InstructionId> members) const override {
    Members sorted(members.begin(), members.end());
    std::ranges::sort(sorted);
    propose_fusion_of_all(graph, sorted, "one-of-several-sums");
  }
};

}  // namespace

std::shared_ptr<const Pass> horizontal_loop_fusion() { return std::make_shared<HorizontalLoops>(); }
std::shared_ptr<const Pass> horizontal_input_fusion() { return std::make_shared<HorizontalInputs>(); }

}  // namespace isomer::passes
