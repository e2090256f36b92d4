#include "mugraph/interpret.h"

#include <limits>

#include "eval/field.h"
#include "eval/float64.h"
#include "eval/interpreter.h"
#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::mugraph {
namespace {

using ir::Builder;
using ir::ValueId;

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

constexpr double kLeast = -std::numeric_limits<double>::infinity();

template <class D>
class BlockRun {
 public:
  using Number = typename D::Number;
  using Tensor = eval::Tensor<Number>;
  using Value = eval::Value<Number>;

  BlockRun(D& domain, const MuOpTable& ops, const BlockGraph& block)
      : domain_(domain),
        ops_(ops),
        block_(block),
        ctx_(ir::standard_ops()),
        body_(make_body()),
        rest_(make_rest()) {}

  void run(std::span<const Tensor* const> operands, std::span<Tensor> results) {
    std::vector<int64_t> grid(block_.grid.begin(), block_.grid.end());
    for_each_index(grid, [&](const std::vector<int64_t>& at) { run_block(operands, results, at); });
  }

 private:
  ir::TypeId type_of(const Sizes& sizes) {
    return ctx_.tensor_type(ir::DType::kF32, ir::static_shape(sizes));
  }

  /// One iteration: tiles and what the one before has left in, contributions to the accumulators and what is
  /// left for the next one out.
  ir::Graph make_body() {
    Builder b(ctx_);
    std::vector<ValueId> values(block_.values());
    for (size_t i = 0; i < block_.inputs.size(); ++i) values[i] = b.input("", type_of(block_.inputs[i].tile));
    std::vector<ValueId> out, left;
    for (size_t i = 0; i < block_.nodes.size(); ++i) {
      const BlockNode& n = block_.nodes[i];
      const MuOp& op = ops_.get(n.op);
      if (n.after_accum && op.accumulate == Accumulate::kNone) continue;
      std::vector<ValueId> in;
      for (uint32_t o : n.operands) in.push_back(values[o]);
      ValueId v = op.meaning(b, in, block_.place(n.axis));
      if (op.running_max) left.push_back(v = b.add("max", {carried(b, sizes_of(b, v), kLeast), v}));
      if (op.accumulate == Accumulate::kRescale) {
        const ValueId sum = carried(b, sizes_of(b, v), 0), m = carried(b, sizes_of(b, in[1]), kLeast);
        const ValueId factor = b.add("exp", {b.add("sub", {m, in[1]})});
        v = b.add("add", {b.add("mul", {sum, broadcast(b, factor, sizes_of(b, v))}), v});
        left.insert(left.end(), {v, in[1]});
      }
      if (op.accumulate == Accumulate::kNone) {
        values[block_.inputs.size() + i] = v;
      } else {
        out.push_back(v);
        accumulators_.push_back(i);
      }
    }
    out.insert(out.end(), left.begin(), left.end());
    return b.finish(std::move(out));
  }

  /// What the iteration before has left, or this number before the first one.
  ValueId carried(Builder& b, const Sizes& sizes, double first) {
    Tensor t{ir::DType::kF32, sizes, {}, {}};
    t.numbers.assign(static_cast<size_t>(t.count()), domain_.constant(first));
    first_.push_back(eval::make_value(std::move(t)));
    return b.input("", type_of(sizes));
  }

  /// After the loop: accumulated values in, what is saved out.
  ir::Graph make_rest() {
    Builder b(ctx_);
    std::vector<ValueId> values(block_.values());
    for (size_t a = 0; a < accumulators_.size(); ++a) {
      const BlockNode& n = block_.nodes[accumulators_[a]];
      Sizes sizes = ir::sizes(body_.type(body_.outputs()[a]).shape);
      const MuOp& op = ops_.get(n.op);
      if (op.accumulate == Accumulate::kConcat) sizes[static_cast<size_t>(n.axis)] *= block_.range();
      const ValueId in = b.input("", type_of(sizes));
      values[block_.inputs.size() + accumulators_[a]] =
          op.finish ? op.finish(b, in, block_.sizes(n.operands[0]), block_.place(n.axis)) : in;
    }
    for (size_t i = 0; i < block_.nodes.size(); ++i) {
      const BlockNode& n = block_.nodes[i];
      const MuOp& op = ops_.get(n.op);
      if (!n.after_accum || op.accumulate != Accumulate::kNone) continue;
      std::vector<ValueId> in;
      for (uint32_t o : n.operands) in.push_back(values[o]);
      values[block_.inputs.size() + i] = op.meaning(b, in, block_.place(n.axis));
    }
    std::vector<ValueId> out;
    for (const BlockOutput& o : block_.outputs) out.push_back(values[o.value]);
    return b.finish(std::move(out));
  }

  std::vector<int64_t> start_of(const BlockInput& input, const Sizes& whole,
                                const std::vector<int64_t>& block,
                                const std::vector<int64_t>& iteration) const {
    std::vector<int64_t> start(whole.size(), 0);
    for (size_t k = 0; k < whole.size(); ++k) {
      int64_t part = whole[k];  // what one step of the cut that is looked at advances
      for (size_t d = 0; d < 3; ++d)
        if (input.imap[d] == static_cast<int>(k)) start[k] += block[d] * (part /= block_.grid[d]);
      for (size_t l = 0; l < iteration.size(); ++l)
        if (input.fmap[l] == static_cast<int>(k)) start[k] += iteration[l] * (part /= block_.loops[l]);
    }
    return start;
  }

  void accumulate(size_t a, const Tensor& value, int64_t iteration, std::vector<Tensor>& state) {
    const BlockNode& n = block_.nodes[accumulators_[a]];
    const Accumulate kind = ops_.get(n.op).accumulate;
    Tensor& sum = state[a];
    if (kind == Accumulate::kConcat) {
      if (iteration == 0) {
        sum = value;
        sum.sizes[static_cast<size_t>(n.axis)] *= block_.range();
        sum.numbers.assign(static_cast<size_t>(sum.count()), Number{});
      }
      std::vector<int64_t> start(value.sizes.size(), 0);
      start[static_cast<size_t>(n.axis)] = iteration * value.sizes[static_cast<size_t>(n.axis)];
      for_each_element(sum.sizes, value.sizes, start,
                       [&](size_t whole, size_t part) { sum.numbers[whole] = value.numbers[part]; });
    } else if (iteration == 0 || kind == Accumulate::kRescale) {  // the body has added up
      sum = value;
    } else {
      for (size_t i = 0; i < sum.numbers.size(); ++i)
        sum.numbers[i] = kind == Accumulate::kMax ? domain_.max(sum.numbers[i], value.numbers[i])
                                                  : domain_.add(sum.numbers[i], value.numbers[i]);
    }
  }

  void run_block(std::span<const Tensor* const> operands, std::span<Tensor> results,
                 const std::vector<int64_t>& at) {
    std::vector<Tensor> state(accumulators_.size());
    int64_t number = 0;
    std::vector<Value> left = first_;
    for_each_index(block_.loops, [&](const std::vector<int64_t>& iteration) {
      std::vector<Value> tiles;
      for (size_t i = 0; i < operands.size(); ++i) {
        const BlockInput& input = block_.inputs[i];
        Tensor tile{ir::DType::kF32, input.tile, {}, {}};
        tile.numbers.resize(static_cast<size_t>(tile.count()));
        for_each_element(
            operands[i]->sizes, input.tile, start_of(input, operands[i]->sizes, at, iteration),
            [&](size_t whole, size_t part) { tile.numbers[part] = operands[i]->numbers[whole]; });
        tiles.push_back(eval::make_value(std::move(tile)));
      }
      tiles.insert(tiles.end(), left.begin(), left.end());
      const auto out = eval::evaluate<D>(domain_, body_, tiles);
      for (size_t a = 0; a < state.size(); ++a) accumulate(a, *out[a].tensor, number, state);
      left.assign(out.begin() + static_cast<std::ptrdiff_t>(state.size()), out.end());
      ++number;
    });
    std::vector<Value> sums;
    for (Tensor& t : state) sums.push_back(eval::make_value(std::move(t)));
    const auto saved = eval::evaluate<D>(domain_, rest_, sums);
    for (size_t o = 0; o < saved.size(); ++o) {
      const Tensor& tile = *saved[o].tensor;
      std::vector<int64_t> start(tile.sizes.size(), 0);
      for (size_t k = 0; k < start.size(); ++k) {
        int64_t block = 0;
        for (size_t d = 0; d < 3; ++d)
          if (block_.outputs[o].omap[d] == static_cast<int>(k)) block = block * block_.grid[d] + at[d];
        start[k] = block * tile.sizes[k];
      }
      for_each_element(results[o].sizes, tile.sizes, start,
                       [&](size_t whole, size_t part) { results[o].numbers[whole] = tile.numbers[part]; });
    }
  }

  D& domain_;
  const MuOpTable& ops_;
  const BlockGraph& block_;
  ir::Context ctx_;
  std::vector<size_t> accumulators_;  // nodes, in order
  std::vector<Value> first_;          // what the body is given before the first iteration
  ir::Graph body_;
  ir::Graph rest_;
};

}  // namespace

template <class D>
std::vector<eval::Tensor<typename D::Number>> interpret(
    D& domain, const MuGraph& graph, std::span<const eval::Tensor<typename D::Number>> inputs) {
  using Tensor = eval::Tensor<typename D::Number>;
  REQUIRE(inputs.size() == graph.inputs, "as many tensors as the muGraph has inputs");
  std::vector<Tensor> values(inputs.begin(), inputs.end());
  values.resize(graph.values.size());
  for (const KernelNode& n : graph.nodes) {
    std::vector<const Tensor*> operands;
    for (uint32_t o : n.operands) operands.push_back(&values[o]);
    std::vector<Tensor> results;
    for (uint32_t r : n.results) {
      results.push_back({ir::DType::kF32, graph.values[r], {}, {}});
      results.back().numbers.resize(static_cast<size_t>(results.back().count()));
    }
    if (n.block) {
      BlockRun<D>(domain, *graph.ops, *n.block).run(operands, results);
    } else {
      ir::Context ctx(ir::standard_ops());
      Builder b(ctx);
      std::vector<ValueId> in;
      std::vector<eval::Value<typename D::Number>> given;
      for (const Tensor* t : operands) {
        in.push_back(b.input("", ctx.tensor_type(ir::DType::kF32, ir::static_shape(t->sizes))));
        given.push_back(eval::make_value(*t));
      }
      const ValueId v = apply_meaning(b, graph.ops->get(n.op), in, Place{0, n.axis, 1, 0});
      results[0] = *eval::evaluate<D>(domain, b.finish({v}), given)[0].tensor;
    }
    for (size_t i = 0; i < results.size(); ++i) values[n.results[i]] = std::move(results[i]);
  }
  std::vector<Tensor> out;
  for (uint32_t o : graph.outputs) out.push_back(values[o]);
  return out;
}

template std::vector<eval::Tensor<double>> interpret(eval::Float64&, const MuGraph&,
                                                     std::span<const eval::Tensor<double>>);
template std::vector<eval::Tensor<eval::FieldValue>> interpret(
    eval::PrimeField&, const MuGraph&, std::span<const eval::Tensor<eval::FieldValue>>);

}  // namespace isomer::mugraph
