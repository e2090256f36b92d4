#include "mugraph/sampled_run.h"

#include "cost/flops.h"
#include "eval/field.h"
#include "ir/op_table.h"
#include "meaning/flatten.h"
#include "mugraph/ir_graph.h"
#include "support/hash.h"

namespace isomer::mugraph {

std::vector<int64_t> sampled_places(const Sizes& sizes, int samples, uint64_t seed) {
  const int64_t count = element_count(sizes), width = sizes.empty() ? 1 : sizes.back();
  const int64_t rows = count / width;
  const auto other = static_cast<int64_t>(mix64(seed) % static_cast<uint64_t>(rows));
  std::vector<int64_t> out = {count - 1};
  for (int i = 1; i < samples; ++i) {
    const uint64_t h = hash_combine(seed, static_cast<uint64_t>(i)) % static_cast<uint64_t>(width);
    out.push_back((i % 2 == 0 ? rows - 1 : other) * width + static_cast<int64_t>(h));
  }
  return out;
}

double steps_of_block(const MuOpTable& ops, const BlockGraph& block) {
  ir::Context ctx(ops.declarations());
  double sum = 0;
  for (const BlockInput& i : block.inputs) sum += static_cast<double>(block.range() * element_count(i.tile));
  for (auto v = static_cast<uint32_t>(block.inputs.size()); v < block.values(); ++v) {
    const BlockNode& n = block.node(v);
    if (shares_thread(block, v)) continue;
    double once = 0;
    if (n.thread) {
      once = steps_of_block(ops, *n.thread) * static_cast<double>(parts_of(n.thread->grid));
    } else {
      ir::Builder b(ctx);
      std::vector<ir::ValueId> in;
      for (uint32_t o : n.operands)
        in.push_back(b.input("", ctx.tensor_type(ir::DType::kF32, ir::static_shape(block.sizes(o)))));
      const ir::ValueId value = apply_once(b, ops.get(n.op), in, block.place(n.axis));
      once = cost::work_of(b.finish({value})).flops + static_cast<double>(element_count(n.sizes));
    }
    const bool in_loop = !n.after_accum || accumulates(ops, n);
    sum += once * static_cast<double>(in_loop ? block.range() : 1);
  }
  return sum;
}

template <class D>
SampledRun<D>::SampledRun(D& domain, const MuGraph& graph, Leaf leaf, double work, ir::DType stored)
    : domain_(domain),
      graph_(graph),
      leaf_(std::move(leaf)),
      left_(work),
      stored_(stored),
      origin_(graph.values.size()),
      kernels_(graph.nodes.size()),
      ctx_(graph.ops->declarations()) {
  for (size_t k = 0; k < graph.nodes.size(); ++k)
    for (size_t r = 0; r < graph.nodes[k].results.size(); ++r) origin_[graph.nodes[k].results[r]] = {k, r};
}

template <class D>
void SampledRun<D>::spend(double work) {
  left_ -= work;
  if (left_ < 0) throw eval::SampleBudgetSpent();
}

template <class D>
typename SampledRun<D>::Kernel& SampledRun<D>::kernel(size_t k) {
  Kernel& out = kernels_[k];
  if (out.blocks || out.plain) return out;
  const KernelNode& n = graph_.nodes[k];
  if (n.block) {
    out.body = std::make_unique<ir::Graph>(body_graph(ctx_, *graph_.ops, *n.block, ir::DType::kF32));
    out.blocks = std::make_unique<eval::ScheduledRun<D>>(domain_, *out.body, schedule_of(*n.block),
                                                         eval::EvalOptions<D>(), stored_);
    out.work = steps_of_block(*graph_.ops, *n.block);
    return out;
  }
  ir::Builder b(ctx_);
  std::vector<ir::ValueId> in;
  for (uint32_t o : n.operands)
    in.push_back(b.input("", ctx_.tensor_type(ir::DType::kF32, ir::static_shape(graph_.values[o]))));
  const ir::ValueId v = apply_once(b, graph_.ops->get(n.op), in, Place{n.axis, 1, 0});
  out.plain = std::make_unique<ir::Graph>(meaning::flatten(b.finish({v})).graph);
  const std::vector<ir::ValueId> inputs(out.plain->inputs().begin(), out.plain->inputs().end());
  const auto number = [this, &n, inputs](ir::ValueId leaf, size_t, int64_t linear) {
    spend(kStepsOfASample);
    const auto at = static_cast<size_t>(std::ranges::find(inputs, leaf) - inputs.begin());
    return element(n.operands[at], linear);
  };
  out.sampler =
      std::make_unique<eval::Sampler<D>>(domain_, *out.plain, typename eval::Sampler<D>::Leaves{number, {}});
  return out;
}

template <class D>
const std::vector<eval::Value<typename D::Number>>& SampledRun<D>::tiles(
    size_t k, const std::array<int64_t, 3>& block) {
  Kernel& of = kernel(k);
  const KernelNode& n = graph_.nodes[k];
  const int64_t number = (block[0] * n.block->grid[1] + block[1]) * n.block->grid[2] + block[2];
  if (const auto known = of.tiles.find(number); known != of.tiles.end()) return known->second;
  spend(of.work);
  const auto load = [&](size_t operand, const std::vector<int64_t>& start, eval::Tensor<Number>& tile) {
    const uint32_t v = n.operands[operand];
    eval::for_each_element(graph_.values[v], tile.sizes, start, [&](size_t whole, size_t part) {
      tile.numbers[part] = element(v, static_cast<int64_t>(whole));
    });
  };
  return of.tiles[number] = of.blocks->run_block({block.begin(), block.end()}, load);
}

template <class D>
typename D::Number SampledRun<D>::element(uint32_t value, int64_t linear) {
  if (value < graph_.inputs) return leaf_(value, linear);
  const auto [k, result] = origin_[value];
  const KernelNode& n = graph_.nodes[k];
  if (!n.block) {
    Kernel& of = kernel(k);
    Number x = of.sampler->number(of.plain->outputs()[0], linear);
    if constexpr (std::is_same_v<D, eval::Float64>)
      if (stored_ != ir::DType::kUndefined) x = domain_.cast(stored_, x);
    return x;
  }
  const BlockOutput& output = n.block->outputs[result];
  const Sizes &whole = graph_.values[value], &tile = n.block->sizes(output.value);
  // From the last dimension on: which part of it, and where in the tile.
  std::array<int64_t, 3> block{};
  int64_t at = 0, scale = 1;
  for (size_t dim = whole.size(); dim-- > 0;) {
    const int64_t index = linear % whole[dim];
    linear /= whole[dim];
    at += index % tile[dim] * scale;
    scale *= tile[dim];
    int64_t part = index / tile[dim];
    for (size_t d = 3; d-- > 0;)
      if (output.omap[d] == static_cast<int>(dim)) {
        block[d] = part % n.block->grid[d];
        part /= n.block->grid[d];
      }
  }
  return tiles(k, block)[result].tensor->numbers[static_cast<size_t>(at)];
}

template class SampledRun<eval::Float64>;
template class SampledRun<eval::PrimeField>;
template class SampledRun<eval::FieldOver<eval::PublicCodePrimes>>;

}  // namespace isomer::mugraph
