#include "codegen/kernels.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "codegen/embed.h"
#include "ir/constant_of.h"
#include "ir/graph_copy.h"
#include "ir/kernel.h"
#include "ir/schedule.h"
#include "support/errors.h"

namespace isomer::codegen {
namespace {

using ir::Graph;
using ir::ValueId;

class Joining {
 public:
  Joining(const Graph& graph, const Generate& generate, const GenerateKernel& generate_kernel)
      : graph_(graph),
        generate_(generate),
        generate_kernel_(generate_kernel),
        piece_of_(graph.size(), kLeaf),
        buffers_(graph.size()) {}

  LoopProgram run() {
    for (const ValueId v : graph_.inputs()) {
      buffers_[v.index()] = {add_buffer(v, graph_.type(v), Memory::kInput)};
      out_.inputs.push_back(buffers_[v.index()][0]);
    }
    cut();
    for (int piece = 0; piece <= pieces_; ++piece) {
      plain(piece);
      for (size_t v = 0; v < graph_.size(); ++v)
        if (kernel_before_.contains(v) && kernel_before_.at(v) == piece) kernel(ValueId(v));
    }
    results();
    return std::move(out_);
  }

 private:
  static constexpr int kLeaf = -1, kKernel = -2;

  int add_buffer(ValueId v, const ir::Type& type, Memory memory) {
    if (!type.is_static_tensor()) throw InputError("code is generated for kernels of known sizes only");
    const char letter = memory == Memory::kInput ? 'x' : memory == Memory::kOutput ? 'y' : 'k';
    const size_t number = memory == Memory::kInput    ? out_.inputs.size()
                          : memory == Memory::kOutput ? out_.outputs.size()
                                                      : v.index();
    out_.buffers.push_back({letter + std::to_string(number), type.dtype, ir::sizes(type.shape), memory, {}});
    return static_cast<int>(out_.buffers.size()) - 1;
  }

  bool is_kernel(ValueId v) const { return ir::has_schedule(graph_.def(v)); }
  bool is_leaf(ValueId v) const {
    return graph_.def(v).is(ir::Core::kInput) || graph_.def(v).is(ir::Core::kConstant);
  }

  /// Which pieces values belong to: after all kernels that they depend on.
  void cut() {
    std::vector<int> kernels(graph_.size(), 0);  // on a path to a value, at most
    for (size_t i = 0; i < graph_.size(); ++i) {
      const ValueId v(i);
      for (const ValueId o : graph_.operands(v)) {
        const bool part = graph_.def(v).is(ir::Core::kGet) && is_kernel(o);
        kernels[i] = std::max(kernels[i], kernels[o.index()] + (is_kernel(o) && !part ? 1 : 0));
        if (part) part_of_kernel_.insert(i);
      }
      if (is_kernel(v)) {
        piece_of_[i] = kKernel;
        kernel_before_[i] = kernels[i];
      } else if (!is_leaf(v) && !part_of_kernel_.contains(i)) {
        piece_of_[i] = kernels[i];
      }
      if (part_of_kernel_.contains(i)) ++kernels[i];
      pieces_ = std::max(pieces_, kernels[i] + 1);
    }
  }

  /// What a piece is about, with what it takes from outside and gives.
  void plain(int piece) {
    ir::Builder b(graph_.context());
    ir::GraphCopy copy(b, graph_);
    std::vector<PartBuffer> inputs, outputs;
    std::vector<size_t> own;
    for (size_t i = 0; i < graph_.size(); ++i) {
      if (piece_of_[i] != piece) continue;
      for (const ValueId o : graph_.operands(ValueId(i))) {
        if (copy[o].valid()) continue;
        if (graph_.def(o).is(ir::Core::kConstant)) {
          copy.add(o);
          continue;
        }
        inputs.push_back({buffers_[o.index()].at(0), {}, {}, {}});
        copy[o] = b.input(graph_.name(o), graph_.type_id(o));
      }
      copy.add(ValueId(i));
      own.push_back(i);
    }
    std::vector<ValueId> results;
    for (const size_t i : own) {
      const ValueId v(i);
      if (graph_.type(v).kind == ir::TypeKind::kTuple || !needed_outside(i, piece)) continue;
      results.push_back(copy[v]);
      buffers_[i] = {add_buffer(v, graph_.type(v), Memory::kScratch)};
      outputs.push_back({buffers_[i][0], {}, {}, {}});
    }
    if (results.empty()) return;
    put(generate_(b.finish(std::move(results))), inputs, outputs);
  }

  bool needed_outside(size_t i, int piece) const {
    if (std::ranges::find(graph_.outputs(), ValueId(i)) != graph_.outputs().end()) return true;
    for (size_t user = i + 1; user < graph_.size(); ++user)
      if (piece_of_[user] != piece && std::ranges::find(graph_.operands(ValueId(user)), ValueId(i)) !=
                                          graph_.operands(ValueId(user)).end())
        return true;
    return false;
  }

  void kernel(ValueId v) {
    std::vector<ir::TypeId> types;
    std::vector<PartBuffer> inputs, outputs;
    for (const ValueId o : graph_.operands(v)) {
      types.push_back(graph_.type_id(o));
      inputs.push_back({operand(o), {}, {}, {}});
    }
    const ir::OpInstance op(graph_.context(), graph_.def(v), graph_.attrs(v), types, graph_.type_id(v));
    const ir::Type& type = graph_.type(v);
    const size_t count = type.kind == ir::TypeKind::kTuple ? type.elements.size() : 1;
    for (size_t o = 0; o < count; ++o) {
      const ir::Type& of = type.kind == ir::TypeKind::kTuple ? graph_.context().get(type.elements[o]) : type;
      buffers_[v.index()].push_back(add_buffer(v, of, Memory::kScratch));
      outputs.push_back({buffers_[v.index()].back(), {}, {}, {}});
    }
    put(generate_kernel_(op), inputs, outputs);
    for (size_t user = v.index() + 1; user < graph_.size(); ++user) {
      const ValueId u(user);
      if (!part_of_kernel_.contains(user) || graph_.operands(u)[0] != v) continue;
      const auto index = static_cast<size_t>(std::get<int64_t>(graph_.context().get(graph_.attrs(u)[0])));
      buffers_[user] = {buffers_[v.index()].at(index)};
    }
  }

  /// A buffer with the value; constants get one.
  int operand(ValueId v) {
    std::vector<int>& own = buffers_[v.index()];
    if (own.empty() && graph_.def(v).is(ir::Core::kConstant)) {
      own = {add_buffer(v, graph_.type(v), Memory::kConstant)};
      out_.buffers[static_cast<size_t>(own[0])].constant = ir::constant_id(graph_, v);
    }
    return own.at(0);
  }

  void put(LoopProgram part, const std::vector<PartBuffer>& inputs, const std::vector<PartBuffer>& outputs) {
    for (Statement& s : embedded(out_, std::move(part), inputs, outputs)) out_.body.push_back(std::move(s));
  }

  /// Results are buffers of their own.
  void results() {
    for (const ValueId v : graph_.outputs())
      for (size_t k = 0; k < std::max<size_t>(1, buffers_[v.index()].size()); ++k) {
        const int b = k < buffers_[v.index()].size() ? buffers_[v.index()][k] : operand(v);
        Buffer& buffer = out_.buffers[static_cast<size_t>(b)];
        if (buffer.memory == Memory::kScratch) {
          buffer.memory = Memory::kOutput;
          buffer.name = "y" + std::to_string(out_.outputs.size());
          out_.outputs.push_back(b);
          continue;
        }
        const ir::Type& type = graph_.type(v);
        const ir::TypeId of = type.kind == ir::TypeKind::kTuple ? type.elements[k] : graph_.type_id(v);
        ir::Builder copy(graph_.context());
        const ValueId same = copy.input("", of);
        out_.outputs.push_back(add_buffer(v, graph_.context().get(of), Memory::kOutput));
        put(generate_(copy.finish({same})), {{b, {}, {}, {}}}, {{out_.outputs.back(), {}, {}, {}}});
      }
  }

  const Graph& graph_;
  const Generate& generate_;
  const GenerateKernel& generate_kernel_;
  std::vector<int> piece_of_;
  std::map<size_t, int> kernel_before_;  // kernels: after which piece
  std::set<size_t> part_of_kernel_;      // elements of their tuples
  int pieces_ = 0;
  std::vector<std::vector<int>> buffers_;  // by value, where others read it: its tensors
  LoopProgram out_;
};

}  // namespace

bool has_kernels(const Graph& graph) {
  for (size_t v = 0; v < graph.size(); ++v)
    if (ir::has_schedule(graph.def(ValueId(v)))) return true;
  return false;
}

ir::Graph written_out(const ir::OpInstance& kernel) {
  ir::Builder b(kernel.ctx);
  std::vector<ValueId> operands;
  for (const ir::TypeId t : kernel.inputs) operands.push_back(b.input("", t));
  return b.finish(ir::write_out(b, ir::body_of(kernel), ir::schedule_of(kernel), operands));
}

LoopProgram with_kernels(const Graph& graph, const Generate& generate, const GenerateKernel& kernel) {
  return Joining(graph, generate, kernel).run();
}

}  // namespace isomer::codegen
