// One block (or thread) at a time: iteration after iteration, tile by tile, over any value domain. What
// interpret.h runs for all blocks, and sampled_run.h for those that some elements need.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "cost/flops.h"
#include "eval/float64.h"
#include "eval/interpreter.h"
#include "ir/op_table.h"
#include "mugraph/mugraph.h"

namespace isomer::mugraph {

/// Calls f(linear number in `whole`, linear number in `part`) for each element of the box `part` at `start`.
template <class F>
void for_each_element(const Sizes& whole, const Sizes& part, const std::vector<int64_t>& start, F&& f) {
  std::vector<int64_t> index(part.size(), 0);
  int64_t count = 1;
  for (int64_t s : part) count *= s;
  for (int64_t n = 0; n < count; ++n) {
    int64_t at = 0;
    for (size_t d = 0; d < part.size(); ++d) at = at * whole[d] + start[d] + index[d];
    f(static_cast<size_t>(at), static_cast<size_t>(n));
    for (size_t d = part.size(); d-- > 0;) {
      if (++index[d] < part[d]) break;
      index[d] = 0;
    }
  }
}

/// All index vectors below `extents`, the last dimension fastest.
template <class F>
void for_each_index(const std::vector<int64_t>& extents, F&& f) {
  std::vector<int64_t> at(extents.size(), 0);
  for (;;) {
    f(at);
    size_t d = extents.size();
    while (d > 0 && ++at[d - 1] == extents[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

/// Runs the parts of one block or thread graph. `block` must outlive it.
template <class D>
class BlockRun {
 public:
  using Number = typename D::Number;
  using Tensor = eval::Tensor<Number>;
  using Value = eval::Value<Number>;
  /// The elements of operand number `operand` from `start` on that fill the tile.
  using Load = std::function<void(size_t operand, const std::vector<int64_t>& start, Tensor& tile)>;

  /// `stored`: the element type that every tile is rounded to (Float64 only); undefined: not rounded.
  BlockRun(D& domain, const MuOpTable& ops, const BlockGraph& block, ir::DType stored = ir::DType::kUndefined)
      : domain_(domain), ops_(ops), block_(block), stored_(stored), ctx_(ir::standard_ops()) {
    for (size_t i = 0; i < block_.nodes.size(); ++i) nodes_.push_back(prepare(i));
  }

  /// Scalar steps of one part.
  double work() const {
    double sum = 0;
    for (size_t i = 0; i < block_.inputs.size(); ++i)
      sum += static_cast<double>(block_.range() * element_count(block_.inputs[i].tile));
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const BlockNode& n = block_.nodes[i];
      const bool in_loop = !n.after_accum || accumulates(ops_, n);
      if (shares_thread(block_, value_of(i))) continue;
      double once = 0;
      if (n.thread)
        once = nodes_[i].threads->work() * static_cast<double>(parts_of(n.thread->grid));
      else
        once = cost::work_of(*nodes_[i].meaning).flops + static_cast<double>(element_count(n.sizes));
      sum += once * static_cast<double>(in_loop ? block_.range() : 1);
    }
    return sum;
  }

  /// All parts.
  void run(std::span<const Tensor* const> operands, std::span<Tensor> results) {
    std::vector<int64_t> grid(block_.grid.begin(), block_.grid.end());
    for_each_index(grid, [&](const std::vector<int64_t>& at) {
      const std::vector<Value> saved =
          run_part(at, [&](size_t i, const std::vector<int64_t>& start, Tensor& tile) {
            for_each_element(operands[i]->sizes, tile.sizes, start,
                             [&](size_t whole, size_t n) { tile.numbers[n] = operands[i]->numbers[whole]; });
          });
      for (size_t o = 0; o < saved.size(); ++o) {
        const Tensor& tile = *saved[o].tensor;
        for_each_element(results[o].sizes, tile.sizes, start_of(block_.outputs[o], at),
                         [&](size_t whole, size_t n) { results[o].numbers[whole] = tile.numbers[n]; });
      }
    });
  }

  /// The tiles that one part saves.
  std::vector<Value> run_part(const std::vector<int64_t>& at, const Load& load) {
    std::vector<Value> values(block_.values());
    State state{std::vector<Tensor>(block_.nodes.size()), std::vector<Value>(block_.nodes.size())};
    int64_t number = 0;
    for_each_index(block_.loops, [&](const std::vector<int64_t>& iteration) {
      for (size_t i = 0; i < block_.inputs.size(); ++i)
        if (number == 0 || std::ranges::any_of(block_.inputs[i].fmap, [](int d) { return d != kWhole; })) {
          Tensor tile{ir::DType::kF32, block_.inputs[i].tile, {}, {}};
          tile.numbers.resize(static_cast<size_t>(tile.count()));
          load(i, start_of(block_.inputs[i], at, iteration), tile);
          values[i] = eval::make_value(std::move(tile));
        }
      run_iteration(values, state, number++);
    });
    finish(values, state);
    std::vector<Value> out;
    for (const BlockOutput& o : block_.outputs) out.push_back(values[o.value]);
    return out;
  }

  /// Where the tile of a part begins in the tensor that all parts save.
  std::vector<int64_t> start_of(const BlockOutput& output, const std::vector<int64_t>& at) const {
    const Sizes& tile = block_.sizes(output.value);
    std::vector<int64_t> start(tile.size(), 0);
    for (size_t k = 0; k < start.size(); ++k) {
      for (size_t d = 0; d < 3; ++d)
        if (output.omap[d] == static_cast<int>(k)) start[k] = start[k] * block_.grid[d] + at[d];
      start[k] *= tile[k];
    }
    return start;
  }

 private:
  /// One node: its meaning on tiles, what an accumulator becomes after the loop, or its threads.
  struct Node {
    std::optional<ir::Graph> meaning, finish;
    std::unique_ptr<BlockRun> threads;
  };

  /// What iterations leave to the next, by node.
  struct State {
    std::vector<Tensor> sums;   ///< accumulated values
    std::vector<Value> maxima;  ///< running maxima
  };

  uint32_t value_of(size_t node) const { return static_cast<uint32_t>(block_.inputs.size() + node); }
  size_t node_of(uint32_t value) const { return value - block_.inputs.size(); }

  ir::TypeId type_of(const Sizes& sizes) {
    return ctx_.tensor_type(ir::DType::kF32, ir::static_shape(sizes));
  }

  Node prepare(size_t i) {
    const BlockNode& n = block_.nodes[i];
    Node out;
    if (shares_thread(block_, value_of(i))) return out;
    if (n.thread) {
      out.threads = std::make_unique<BlockRun>(domain_, ops_, *n.thread, stored_);
      return out;
    }
    const MuOp& op = ops_.get(n.op);
    ir::Builder b(ctx_);
    std::vector<ir::ValueId> in;
    for (uint32_t o : n.operands) in.push_back(b.input("", type_of(block_.sizes(o))));
    const ir::ValueId value = op.meaning(b, in, block_.place(n.axis));
    Sizes sizes = sizes_of(b, value);
    out.meaning = b.finish({value});
    if (!op.finish) return out;
    if (op.accumulate == Accumulate::kConcat) sizes[static_cast<size_t>(n.axis)] *= block_.range();
    ir::Builder after(ctx_);
    const ir::ValueId sum = after.input("", type_of(sizes));
    out.finish = after.finish({op.finish(after, sum, block_.sizes(n.operands[0]), block_.place(n.axis))});
    return out;
  }

  std::vector<int64_t> start_of(const BlockInput& input, const std::vector<int64_t>& part,
                                const std::vector<int64_t>& iteration) const {
    std::vector<int64_t> start(input.tile.size(), 0);
    for (size_t k = 0; k < start.size(); ++k) {
      int64_t step = input.tile[k];  // of the whole; then what one step of the cut that is looked at advances
      for (size_t d = 0; d < 3; ++d)
        if (input.imap[d] == static_cast<int>(k)) step *= block_.grid[d];
      for (size_t l = 0; l < iteration.size(); ++l)
        if (input.fmap[l] == static_cast<int>(k)) step *= block_.loops[l];
      for (size_t d = 0; d < 3; ++d)
        if (input.imap[d] == static_cast<int>(k)) start[k] += part[d] * (step /= block_.grid[d]);
      for (size_t l = 0; l < iteration.size(); ++l)
        if (input.fmap[l] == static_cast<int>(k)) start[k] += iteration[l] * (step /= block_.loops[l]);
    }
    return start;
  }

  /// The value of a node; further outputs of a thread graph are those of the node before, `outputs`.
  Value compute(size_t i, std::span<const Value> values, std::vector<Value>& outputs) {
    const BlockNode& n = block_.nodes[i];
    if (!n.thread) {
      std::vector<Value> in;
      for (uint32_t o : n.operands) in.push_back(values[o]);
      Value value = eval::evaluate<D>(domain_, *nodes_[i].meaning, in)[0];
      return rounds() ? eval::make_value(rounded(*value.tensor)) : value;
    }
    if (!shares_thread(block_, value_of(i))) outputs = run_threads(i, values);
    return outputs[n.output];
  }

  std::vector<Value> run_threads(size_t i, std::span<const Value> values) {
    const BlockNode& n = block_.nodes[i];
    std::vector<const Tensor*> operands;
    for (uint32_t o : n.operands) operands.push_back(values[o].tensor.get());
    std::vector<Tensor> results;
    for (const BlockOutput& o : n.thread->outputs) {
      results.push_back({ir::DType::kF32, joined_output(*n.thread, o).sizes, {}, {}});
      results.back().numbers.resize(static_cast<size_t>(results.back().count()));
    }
    nodes_[i].threads->run(operands, results);
    std::vector<Value> out;
    for (Tensor& t : results) out.push_back(eval::make_value(std::move(t)));
    return out;
  }

  /// exp(before - now): what sums that were taken with the maximum of before are multiplied by.
  Number factor(Number before, Number now) {
    return domain_.unary(ir::ScalarOp::kExp, domain_.sub(before, now));
  }

  /// The accumulated value after another iteration. `maximum`, `maximum_before`: of kRescale.
  void accumulate(const BlockNode& n, Tensor& sum, const Tensor& value, int64_t iteration,
                  const Tensor* maximum, const Tensor* maximum_before) {
    const Accumulate kind = ops_.get(n.op).accumulate;
    if (kind == Accumulate::kConcat) {
      const auto axis = static_cast<size_t>(n.axis);
      if (iteration == 0) {
        sum = value;
        sum.sizes[axis] *= block_.range();
        sum.numbers.assign(static_cast<size_t>(sum.count()), Number{});
      }
      std::vector<int64_t> start(value.sizes.size(), 0);
      start[axis] = iteration * value.sizes[axis];
      for_each_element(sum.sizes, value.sizes, start,
                       [&](size_t whole, size_t part) { sum.numbers[whole] = value.numbers[part]; });
      return;
    }
    if (iteration == 0) {
      sum = value;
      return;
    }
    const size_t width = maximum != nullptr ? sum.numbers.size() / maximum->numbers.size() : 1;
    Number rescaled{};  // of a row
    for (size_t i = 0; i < sum.numbers.size(); ++i) {
      Number& s = sum.numbers[i];
      if (kind == Accumulate::kRescale) {
        if (i % width == 0)
          rescaled = factor(maximum_before->numbers[i / width], maximum->numbers[i / width]);
        s = domain_.mul(s, rescaled);
      }
      s = kind == Accumulate::kMax ? domain_.max(s, value.numbers[i]) : domain_.add(s, value.numbers[i]);
    }
  }

  /// All nodes of one iteration.
  void run_iteration(std::vector<Value>& values, State& state, int64_t iteration) {
    std::vector<Value> maxima = state.maxima;  // shared, not copied
    std::vector<Value> outputs;
    for (size_t i = 0; i < block_.nodes.size(); ++i) {
      const BlockNode& n = block_.nodes[i];
      if (n.after_accum && !accumulates(ops_, n)) continue;
      Value value = compute(i, values, outputs);
      if (runs_max(ops_, n)) {
        if (iteration > 0) {
          Tensor most = *value.tensor;
          for (size_t e = 0; e < most.numbers.size(); ++e)
            most.numbers[e] = domain_.max(state.maxima[i].tensor->numbers[e], most.numbers[e]);
          value = eval::make_value(std::move(most));
        }
        maxima[i] = value;
      }
      if (!accumulates(ops_, n)) {
        values[value_of(i)] = std::move(value);
        continue;
      }
      const Tensor *maximum = nullptr, *before = nullptr;
      if (ops_.get(n.op).accumulate == Accumulate::kRescale) {
        maximum = values[n.operands[1]].tensor.get();
        before = state.maxima[node_of(n.operands[1])].tensor.get();
      }
      accumulate(n, state.sums[i], *value.tensor, iteration, maximum, before);
      if (rounds()) state.sums[i] = rounded(std::move(state.sums[i]));
    }
    state.maxima = std::move(maxima);
  }

  /// After the loop.
  void finish(std::vector<Value>& values, State& state) {
    std::vector<Value> outputs;
    for (size_t i = 0; i < block_.nodes.size(); ++i) {
      const BlockNode& n = block_.nodes[i];
      if (accumulates(ops_, n)) {
        Value value = eval::make_value(std::move(state.sums[i]));
        if (nodes_[i].finish) {
          value = eval::evaluate<D>(domain_, *nodes_[i].finish, std::span(&value, 1))[0];
          if (rounds()) value = eval::make_value(rounded(*value.tensor));
        }
        values[value_of(i)] = std::move(value);
      } else if (n.after_accum) {
        values[value_of(i)] = compute(i, values, outputs);
      }
    }
  }

  bool rounds() const { return std::is_same_v<D, eval::Float64> && stored_ != ir::DType::kUndefined; }
  Tensor rounded(Tensor t) const {
    if constexpr (std::is_same_v<D, eval::Float64>)
      for (double& x : t.numbers) x = domain_.cast(stored_, x);
    return t;
  }

  D& domain_;
  const MuOpTable& ops_;
  const BlockGraph& block_;
  ir::DType stored_;
  ir::Context ctx_;
  std::vector<Node> nodes_;
};

}  // namespace isomer::mugraph
