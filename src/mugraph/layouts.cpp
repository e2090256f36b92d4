#include "mugraph/layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "ir/op_table.h"
#include "meaning/flatten.h"
#include "mugraph/axes.h"
#include "mugraph/block_plan.h"
#include "support/ilp.h"

namespace isomer::mugraph {
namespace {

constexpr int64_t kAccessBytes = 16;

/// Dimensions along which there are neighbours; the last one where there are none.
std::vector<int> choices_of(const Sizes& sizes) {
  std::vector<int> out;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] > 1) out.push_back(static_cast<int>(d));
  if (out.empty()) out.push_back(static_cast<int>(sizes.size()) - 1);
  return out;
}

class Statement {
 public:
  Statement(const MuGraph& graph, int element_bytes) : g_(graph), width_(kAccessBytes / element_bytes) {
    for (uint32_t v = 0; v < g_.values.size(); ++v) {
      const bool given = v < g_.inputs || std::ranges::find(g_.outputs, v) != g_.outputs.end();
      add_tensor(fmt::format("%{}", v), g_.values[v]);
      if (given) p_.tensors.back().choices = {static_cast<int>(g_.values[v].size()) - 1};
    }
    for (const KernelNode& n : g_.nodes) {
      if (n.block) {
        add_block(n);
      } else {
        std::vector<size_t> operands(n.operands.begin(), n.operands.end());
        const auto meaning = [&](ir::Builder& b, std::span<const ir::ValueId> in) {
          return applied(b, g_.ops->get(n.op), in, Place{n.axis, 1, 0});
        };
        add_application(meaning, operands, n.results[0], 1);
      }
    }
    for (auto& [pair, accesses] : together_) p_.meetings.push_back({pair.first, pair.second, accesses});
  }

  LayoutProblem take() { return std::move(p_); }

 private:
  /// Nothing where the operands do not fit.
  using Meaning = std::function<std::optional<ir::ValueId>(ir::Builder&, std::span<const ir::ValueId>)>;

  static std::optional<ir::ValueId> applied(ir::Builder& b, const MuOp& op, std::span<const ir::ValueId> in,
                                            const Place& place) {
    std::vector<Sizes> sizes;
    for (ir::ValueId v : in) sizes.push_back(ir::sizes_of(b, v));
    if (!infer_tile(op, sizes, place, false)) return std::nullopt;
    return apply_once(b, op, in, place);
  }

  size_t add_tensor(std::string name, const Sizes& sizes) {
    p_.tensors.push_back({std::move(name), choices_of(sizes)});
    sizes_.push_back(sizes);
    return p_.tensors.size() - 1;
  }

  /// How many neighbours along a dimension one access brings.
  double run(const Sizes& sizes, int dim) const {
    int64_t out = 1;
    while (out < width_ && dim >= 0 && sizes[static_cast<size_t>(dim)] % (2 * out) == 0) out *= 2;
    return static_cast<double>(out);
  }

  /// Adds f(layout of a, layout of b) to what they cost together.
  template <class F>
  void meet(size_t a, size_t b, F&& f) {
    const auto &of_a = p_.tensors[a].choices, &of_b = p_.tensors[b].choices;
    auto& sum = together_[{a, b}];
    sum.resize(of_a.size() * of_b.size());
    for (size_t i = 0; i < of_a.size(); ++i)
      for (size_t j = 0; j < of_b.size(); ++j) sum[i * of_b.size() + j] += f(of_a[i], of_b[j]);
  }

  /// A tile copied from or to a tensor.
  void add_copy(size_t tensor, size_t tile, double times) {
    const Sizes& sizes = sizes_[tile];
    const double elements = times * static_cast<double>(element_count(sizes));
    meet(tensor, tile, [&](int of_tensor, int of_tile) {
      return of_tensor == of_tile ? elements / run(sizes, of_tile) : elements;
    });
  }

  /// An operator that reads `operands` and writes `result`, whose layout decides in which order.
  void add_application(const Meaning& meaning, const std::vector<size_t>& operands, size_t result,
                       double times) {
    for (size_t o = 0; o < operands.size(); ++o) {
      const std::vector<int> follows = followed(meaning, operands, o);
      const Sizes& sizes = sizes_[operands[o]];
      const double elements = times * static_cast<double>(element_count(sizes));
      const auto cost = [&](int of_operand, int of_result) {
        const int wanted = of_result >= 0 && static_cast<size_t>(of_result) < follows.size()
                               ? follows[static_cast<size_t>(of_result)]
                               : kNothing;
        return wanted == kNothing || wanted == of_operand ? elements / run(sizes, of_operand) : elements;
      };
      if (operands[o] != result) meet(operands[o], result, cost);
    }
  }

  static constexpr int kNothing = -1, kSomething = -2;

  /// For each dimension of the result, the dimension of operand `which` whose neighbours its neighbours are
  /// made of.
  std::vector<int> followed(const Meaning& meaning, const std::vector<size_t>& operands, size_t which) const {
    ir::Context ctx(g_.ops->declarations());
    ir::Builder b(ctx);
    Axes axes;
    std::vector<AxisList> lists;
    std::vector<ir::ValueId> values;
    for (size_t o = 0; o < operands.size(); ++o) {
      const Sizes& sizes = sizes_[operands[o]];
      values.push_back(b.input("", ctx.tensor_type(ir::DType::kF32, ir::static_shape(sizes))));
      lists.emplace_back(sizes.size(), kAnyAxis);
      for (size_t d = 0; d < sizes.size() && o == which; ++d) lists[o][d] = axes.named(std::to_string(d));
    }
    const std::optional<ir::ValueId> out = meaning(b, values);
    if (!out) return {};  // threads whose parts do not make a whole: nothing is known of neighbours
    const auto derived = derive_axes(axes, meaning::flatten(b.finish({*out})).graph, lists);
    if (!derived) return {};
    std::vector<int> follows;
    for (AxisId axis : (*derived)[0]) {
      const auto at = std::ranges::find(lists[which], axis);
      follows.push_back(axis == kAnyAxis           ? kNothing
                        : at == lists[which].end() ? kSomething
                                                   : static_cast<int>(at - lists[which].begin()));
    }
    return follows;
  }

  /// An output of a thread graph as if one thread had it all: which dimension follows which is the same.
  std::optional<ir::ValueId> whole(ir::Builder& b, const BlockGraph& threads, uint32_t output,
                                   std::span<const ir::ValueId> operands) const {
    std::vector<ir::ValueId> values(operands.begin(), operands.end());
    for (const BlockNode& n : threads.nodes) {
      std::vector<ir::ValueId> in;
      for (uint32_t o : n.operands) in.push_back(values[o]);
      const std::optional<ir::ValueId> value = applied(b, g_.ops->get(n.op), in, threads.place(n.axis));
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    return values[threads.outputs[output].value];
  }

  void add_block(const KernelNode& n) {
    const BlockGraph& b = *n.block;
    const auto inputs = static_cast<uint32_t>(b.inputs.size());
    const BlockPlan plan = plan_block(*g_.ops, b, {.memory_nodes = 0});
    const double blocks = static_cast<double>(parts_of(b.grid));
    const auto iterations = static_cast<double>(b.range());
    std::vector<size_t> tensor_of(b.values());
    for (uint32_t v : plan.stored)
      tensor_of[v] = add_tensor(fmt::format("%{}.t{}", n.results[0], v), b.sizes(v));
    for (uint32_t i = 0; i < inputs; ++i) {
      double tiles = blocks;
      for (size_t l = 0; l < b.loops.size(); ++l)
        if (b.inputs[i].fmap[l] != kWhole) tiles *= static_cast<double>(b.loops[l]);
      add_copy(n.operands[i], tensor_of[i], tiles);
    }
    for (const ThreadGraph& t : plan.threads) {
      // What is fused keeps the sizes and the order of its first value.
      const BlockNode& first = b.nodes[t.values.front() - inputs];
      std::vector<size_t> operands;
      for (uint32_t o : first.operands) operands.push_back(tensor_of[o]);
      const double times = blocks * (t.after_loop ? 1 : iterations);
      if (first.thread && first.thread->outputs.size() > 1) {
        // Operands are read once for all outputs: each output has its share of what that takes.
        for (uint32_t v : t.values)
          add_application(
              [&](ir::Builder& builder, std::span<const ir::ValueId> in) {
                return whole(builder, *first.thread, b.node(v).output, in);
              },
              operands, tensor_of[v], times / static_cast<double>(t.values.size()));
        continue;
      }
      const auto meaning = [&](ir::Builder& builder, std::span<const ir::ValueId> in) {
        return first.thread ? whole(builder, *first.thread, 0, in)
                            : applied(builder, g_.ops->get(first.op), in, b.place(first.axis));
      };
      add_application(meaning, operands, tensor_of[t.values.back()], times);
    }
    for (size_t o = 0; o < b.outputs.size(); ++o)
      add_copy(n.results[o], tensor_of[b.outputs[o].value], blocks);
  }

  const MuGraph& g_;
  int64_t width_;
  LayoutProblem p_;
  std::vector<Sizes> sizes_;
  std::map<std::pair<size_t, size_t>, std::vector<double>> together_;
};

/// All layouts, one tensor after the other; what is already above the best is left.
class Enumeration {
 public:
  Enumeration(const LayoutProblem& p, const Limits& limits)
      : p_(p), watch_(limits), closes_(p.tensors.size()), chosen_(p.tensors.size()) {
    for (const auto& m : p.meetings) closes_[std::max(m.a, m.b)].push_back(&m);
  }

  Layouts run() {
    // The first of everything, so that there is a result whatever the limit.
    out_.inner.reserve(p_.tensors.size());
    for (const auto& t : p_.tensors) out_.inner.push_back(t.choices[0]);
    out_.accesses = accesses_of(p_, out_.inner);
    visit(0, 0);
    out_.optimal = out_.stop_reason == StopReason::kSaturated;
    return out_;
  }

 private:
  void visit(size_t i, double sum) {
    if (out_.stop_reason != StopReason::kSaturated) return;
    if (const StopReason reason = watch_.check(out_.tried++); reason != StopReason::kRunning) {
      out_.stop_reason = reason;
      return;
    }
    if (i == p_.tensors.size()) {
      out_.accesses = sum;
      for (size_t k = 0; k < i; ++k) out_.inner[k] = p_.tensors[k].choices[chosen_[k]];
      return;
    }
    for (size_t c = 0; c < p_.tensors[i].choices.size(); ++c) {
      chosen_[i] = c;
      double here = sum;
      for (const auto* m : closes_[i])
        here += m->accesses[chosen_[m->a] * p_.tensors[m->b].choices.size() + chosen_[m->b]];
      if (here < out_.accesses) visit(i + 1, here);
    }
  }

  const LayoutProblem& p_;
  LimitWatch watch_;
  std::vector<std::vector<const LayoutProblem::Meeting*>> closes_;  // at the later of the two
  std::vector<size_t> chosen_;
  Layouts out_;
};

Layouts solve_ilp(const LayoutProblem& p, const Limits& limits) {
  ilp::Model model;
  std::vector<std::vector<int32_t>> columns(p.tensors.size());
  std::vector<ilp::Entry> row;
  for (size_t t = 0; t < p.tensors.size(); ++t) {
    row.clear();
    for (size_t c = 0; c < p.tensors[t].choices.size(); ++c) {
      columns[t].push_back(model.add_binary(0));
      row.push_back({columns[t].back(), 1});
    }
    model.add_row(1, 1, row);
  }
  for (const auto& m : p.meetings) {
    const size_t na = columns[m.a].size(), nb = columns[m.b].size();
    std::vector<int32_t> both;
    for (double accesses : m.accesses) both.push_back(model.add_column(accesses, 0, 1, false));
    for (size_t i = 0; i < na; ++i) {
      row = {{columns[m.a][i], -1}};
      for (size_t j = 0; j < nb; ++j) row.push_back({both[i * nb + j], 1});
      model.add_row(0, 0, row);
    }
    for (size_t j = 0; j < nb; ++j) {
      row = {{columns[m.b][j], -1}};
      for (size_t i = 0; i < na; ++i) row.push_back({both[i * nb + j], 1});
      model.add_row(0, 0, row);
    }
  }
  ilp::Solver solver(model);
  const ilp::Result r = solver.solve({.seconds = limits.seconds}, limits.stop);
  Layouts out;
  out.tried = static_cast<uint64_t>(std::max<int64_t>(r.branch_nodes, 0));
  out.optimal = r.feasible && r.optimal;
  out.stop_reason = r.stop_reason;
  for (size_t t = 0; t < p.tensors.size(); ++t) {
    size_t best = 0;
    for (size_t c = 0; c < columns[t].size() && r.feasible; ++c)
      if (r.values[static_cast<size_t>(columns[t][c])] > 0.5) best = c;
    out.inner.push_back(p.tensors[t].choices[best]);
  }
  out.accesses = accesses_of(p, out.inner);
  return out;
}

}  // namespace

LayoutProblem layout_problem(const MuGraph& graph, int element_bytes) {
  return Statement(graph, element_bytes).take();
}

double accesses_of(const LayoutProblem& p, const std::vector<int>& inner) {
  const auto choice = [&](size_t t) {
    return static_cast<size_t>(std::ranges::find(p.tensors[t].choices, inner[t]) -
                               p.tensors[t].choices.begin());
  };
  double sum = 0;
  for (const auto& m : p.meetings)
    sum += m.accesses[choice(m.a) * p.tensors[m.b].choices.size() + choice(m.b)];
  return sum;
}

Layouts solve_layouts(const LayoutProblem& problem, LayoutMethod method, const Limits& limits) {
  return method == LayoutMethod::kIlp ? solve_ilp(problem, limits) : Enumeration(problem, limits).run();
}

std::string print(const Layouts& layouts, const LayoutProblem& problem) {
  std::string out;
  for (size_t t = 0; t < problem.tensors.size(); ++t)
    if (problem.tensors[t].choices.size() > 1)
      out += fmt::format("    {}: dimension {} innermost\n", problem.tensors[t].name, layouts.inner[t]);
  return out + fmt::format("    accesses: {:.0f}{}\n", layouts.accesses,
                           layouts.optimal ? ", no layouts need fewer" : "");
}

}  // namespace isomer::mugraph
