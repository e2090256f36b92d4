// A body of tile operators run as its schedule says: block after block, iteration after iteration, tile by
// tile, over any value domain. The slow reference: it shares with the definition of kernels (ir/kernel.h) how
// operators are defined, but not how tiles are cut, accumulated and joined. EvalOptions::by_schedule runs
// whole kernels so; single blocks are for who needs some elements only.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "ir/lift.h"
#include "ir/schedule.h"
#include "meaning/flatten.h"

namespace isomer::eval {

/// Calls f(linear number in `whole`, linear number in `part`) for each element of the box `part` at `start`.
template <class F>
void for_each_element(const ir::Sizes& whole, const ir::Sizes& part, const std::vector<int64_t>& start,
                      F&& f) {
  std::vector<int64_t> index(part.size(), 0);
  const int64_t count = ir::element_count(part);
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

template <class D>
class ScheduledRun {
 public:
  using Number = typename D::Number;
  using Values = Value<Number>;
  /// The elements of operand number `operand` from `start` on that fill the tile.
  using Load = std::function<void(size_t operand, const std::vector<int64_t>& start, Tensor<Number>& tile)>;

  /// `body` must outlive it, and have passed ir::check_body. `stored`: the element type that every tile is
  /// rounded to (Float64 only); undefined: not rounded.
  ScheduledRun(D& domain, const ir::Graph& body, ir::Schedule schedule, const EvalOptions<D>& options = {},
               ir::DType stored = ir::DType::kUndefined)
      : domain_(domain),
        body_(body),
        schedule_(std::move(schedule)),
        options_(options),
        stored_(stored),
        after_(ir::after_loop(body)) {
    if (options_.nests == nullptr) options_.nests = &of_tiles_;
    for (size_t i = 0; i < body_.size(); ++i) nodes_.push_back(prepare(ir::ValueId(i)));
  }
  ScheduledRun(const ScheduledRun&) = delete;
  ScheduledRun& operator=(const ScheduledRun&) = delete;

  /// What all blocks write: an element for each output of the body.
  std::vector<Values> run(std::span<const Values> operands) {
    std::vector<Tensor<Number>> results;
    for (size_t o = 0; o < schedule_.omaps.size(); ++o) {
      const ir::Type& tile = body_.type(body_.outputs()[o]);
      results.push_back({tile.dtype,
                         ir::joined_tiles(ir::sizes(tile.shape), schedule_.grid, schedule_.omaps[o]).sizes,
                         {},
                         {}});
      results.back().numbers.resize(static_cast<size_t>(results.back().count()));
    }
    const Load load = [&](size_t i, const std::vector<int64_t>& start, Tensor<Number>& tile) {
      const Tensor<Number>& from = *operands[i].tensor;
      for_each_element(from.sizes, tile.sizes, start,
                       [&](size_t whole, size_t n) { tile.numbers[n] = from.numbers[whole]; });
    };
    for_each_index({schedule_.grid.begin(), schedule_.grid.end()}, [&](const std::vector<int64_t>& at) {
      const std::vector<Values> saved = run_block(at, load);
      for (size_t o = 0; o < saved.size(); ++o) {
        const Tensor<Number>& tile = *saved[o].tensor;
        for_each_element(results[o].sizes, tile.sizes, start_of(o, at),
                         [&](size_t whole, size_t n) { results[o].numbers[whole] = tile.numbers[n]; });
      }
    });
    std::vector<Values> out;
    for (Tensor<Number>& t : results) out.push_back(make_value(std::move(t)));
    return out;
  }

  /// The tiles that one block saves.
  std::vector<Values> run_block(const std::vector<int64_t>& at, const Load& load) {
    std::vector<Values> values(body_.size());
    State state{std::vector<Tensor<Number>>(body_.size()), std::vector<Values>(body_.size())};
    int64_t number = 0;
    for_each_index(schedule_.loops, [&](const std::vector<int64_t>& iteration) {
      for (size_t i = 0; i < body_.inputs().size(); ++i)
        if (number == 0 ||
            std::ranges::any_of(schedule_.inputs[i].fmap, [](int d) { return d != ir::kWhole; })) {
          const ir::Type& type = body_.type(body_.inputs()[i]);
          Tensor<Number> tile{type.dtype, ir::sizes(type.shape), {}, {}};
          tile.numbers.resize(static_cast<size_t>(tile.count()));
          load(i, start_of(schedule_.inputs[i], tile.sizes, at, iteration), tile);
          values[body_.inputs()[i].index()] = make_value(std::move(tile));
        }
      run_iteration(values, state, number++);
    });
    finish(values, state);
    std::vector<Values> out;
    for (ir::ValueId o : body_.outputs()) out.push_back(values[o.index()]);
    return out;
  }

  /// Where the tile of a block begins in the tensor that all blocks save as output number `output`.
  std::vector<int64_t> start_of(size_t output, const std::vector<int64_t>& at) const {
    const ir::Sizes tile = ir::sizes(body_.type(body_.outputs()[output]).shape);
    std::vector<int64_t> start(tile.size(), 0);
    for (size_t k = 0; k < start.size(); ++k) {
      for (size_t d = 0; d < 3; ++d)
        if (schedule_.omaps[output][d] == static_cast<int>(k))
          start[k] = start[k] * schedule_.grid[d] + at[d];
      start[k] *= tile[k];
    }
    return start;
  }

 private:
  /// One value: what it is of tiles, what an accumulator becomes after the loop, or its threads.
  struct Node {
    std::optional<ir::Graph> meaning, finish;
    std::unique_ptr<ScheduledRun> threads;
  };

  /// What iterations leave to the next, by value.
  struct State {
    std::vector<Tensor<Number>> sums;  ///< accumulated
    std::vector<Values> maxima;        ///< running
  };

  bool accumulates(ir::ValueId v) const { return body_.def(v).accumulate != ir::Accumulate::kNone; }

  Node prepare(ir::ValueId v) {
    Node out;
    const ir::OpDef& def = body_.def(v);
    if (def.is(ir::Core::kInput) || def.is(ir::Core::kGet)) return out;
    ir::Builder b(body_.context());
    std::vector<ir::ValueId> in;
    std::vector<ir::TypeId> types;
    for (ir::ValueId o : body_.operands(v)) {
      types.push_back(body_.type_id(o));
      in.push_back(b.input("", types.back()));
    }
    const ir::OpInstance op(body_.context(), def, body_.attrs(v), types, body_.type_id(v));
    if (ir::has_schedule(def)) {
      out.threads =
          std::make_unique<ScheduledRun>(domain_, ir::body_of(op), ir::schedule_of(op), options_, stored_);
      return out;
    }
    out.meaning = meaning::flatten(b.finish({ir::apply(b, op, in)})).graph;
    if (!def.finish) return out;
    ir::Builder after(body_.context());
    const ir::ValueId sum = after.input("", op.output);
    out.finish = meaning::flatten(after.finish({def.finish(after, op, sum)})).graph;
    return out;
  }

  std::vector<int64_t> start_of(const ir::ScheduledInput& input, const ir::Sizes& tile,
                                const std::vector<int64_t>& block,
                                const std::vector<int64_t>& iteration) const {
    std::vector<int64_t> start(tile.size(), 0);
    for (size_t k = 0; k < start.size(); ++k) {
      int64_t step = tile[k];  // of the whole; then what one step of the cut that is looked at advances
      for (size_t d = 0; d < 3; ++d)
        if (input.imap[d] == static_cast<int>(k)) step *= schedule_.grid[d];
      for (size_t l = 0; l < iteration.size(); ++l)
        if (input.fmap[l] == static_cast<int>(k)) step *= schedule_.loops[l];
      for (size_t d = 0; d < 3; ++d)
        if (input.imap[d] == static_cast<int>(k)) start[k] += block[d] * (step /= schedule_.grid[d]);
      for (size_t l = 0; l < iteration.size(); ++l)
        if (input.fmap[l] == static_cast<int>(k)) start[k] += iteration[l] * (step /= schedule_.loops[l]);
    }
    return start;
  }

  Values compute(ir::ValueId v, std::span<const Values> values) {
    std::vector<Values> in;
    for (ir::ValueId o : body_.operands(v)) in.push_back(values[o.index()]);
    Node& node = nodes_[v.index()];
    if (node.threads) {
      std::vector<Values> out = node.threads->run(in);
      return out.size() == 1 ? out[0] : Values{nullptr, std::move(out)};
    }
    if (!node.meaning) return in[0].elements.at(index_of(v));  // an output of threads
    Values value = evaluate<D>(domain_, *node.meaning, in, options_)[0];
    return rounds() ? make_value(rounded(*value.tensor)) : value;
  }

  size_t index_of(ir::ValueId get) const {
    return static_cast<size_t>(std::get<int64_t>(body_.context().get(body_.attrs(get)[0])));
  }

  /// exp(before - now): what sums that were taken with the maximum of before are multiplied by.
  Number factor(Number before, Number now) {
    return domain_.unary(ir::ScalarOp::kExp, domain_.sub(before, now));
  }

  void append(ir::ValueId v, Tensor<Number>& all, const Tensor<Number>& value, int64_t iteration) {
    const auto axis = static_cast<size_t>(axis_of(v));
    if (iteration == 0) {
      all = value;
      all.sizes[axis] *= schedule_.range();
      all.numbers.assign(static_cast<size_t>(all.count()), Number{});
    }
    std::vector<int64_t> start(value.sizes.size(), 0);
    start[axis] = iteration * value.sizes[axis];
    for_each_element(all.sizes, value.sizes, start,
                     [&](size_t whole, size_t part) { all.numbers[whole] = value.numbers[part]; });
  }

  int64_t axis_of(ir::ValueId v) const {
    std::vector<ir::TypeId> types;
    return ir::OpInstance(body_.context(), body_.def(v), body_.attrs(v), types).i("axis");
  }

  /// The accumulated value after another iteration. `maximum`, `before`: of kRescale.
  void accumulate(ir::ValueId v, Tensor<Number>& sum, const Tensor<Number>& value, int64_t iteration,
                  const Tensor<Number>* maximum, const Tensor<Number>* before) {
    const ir::Accumulate kind = body_.def(v).accumulate;
    if (kind == ir::Accumulate::kConcat) return append(v, sum, value, iteration);
    if (iteration == 0) {
      sum = value;
      return;
    }
    const size_t width = maximum != nullptr ? sum.numbers.size() / maximum->numbers.size() : 1;
    Number rescaled{};  // of a row
    for (size_t i = 0; i < sum.numbers.size(); ++i) {
      Number& s = sum.numbers[i];
      if (kind == ir::Accumulate::kRescale) {
        if (i % width == 0) rescaled = factor(before->numbers[i / width], maximum->numbers[i / width]);
        s = domain_.mul(s, rescaled);
      }
      s = kind == ir::Accumulate::kMax ? domain_.max(s, value.numbers[i]) : domain_.add(s, value.numbers[i]);
    }
  }

  /// All values of one iteration.
  void run_iteration(std::vector<Values>& values, State& state, int64_t iteration) {
    std::vector<Values> maxima = state.maxima;  // shared, not copied
    for (size_t i = 0; i < body_.size(); ++i) {
      const ir::ValueId v(i);
      if (body_.def(v).is(ir::Core::kInput) || (after_[i] && !accumulates(v))) continue;
      Values value = compute(v, values);
      if (body_.def(v).running_max) {
        if (iteration > 0) {
          Tensor<Number> most = *value.tensor;
          for (size_t e = 0; e < most.numbers.size(); ++e)
            most.numbers[e] = domain_.max(state.maxima[i].tensor->numbers[e], most.numbers[e]);
          value = make_value(std::move(most));
        }
        maxima[i] = value;
      }
      if (!accumulates(v)) {
        values[i] = std::move(value);
        continue;
      }
      const Tensor<Number>*maximum = nullptr, *before = nullptr;
      if (body_.def(v).accumulate == ir::Accumulate::kRescale) {
        const size_t m = body_.operands(v)[1].index();
        maximum = values[m].tensor.get();
        before = state.maxima[m].tensor.get();
      }
      accumulate(v, state.sums[i], *value.tensor, iteration, maximum, before);
      if (rounds()) state.sums[i] = rounded(std::move(state.sums[i]));
    }
    state.maxima = std::move(maxima);
  }

  /// After the loop.
  void finish(std::vector<Values>& values, State& state) {
    for (size_t i = 0; i < body_.size(); ++i) {
      const ir::ValueId v(i);
      if (accumulates(v)) {
        Values value = make_value(std::move(state.sums[i]));
        if (nodes_[i].finish) {
          value = evaluate<D>(domain_, *nodes_[i].finish, std::span<const Values>(&value, 1), options_)[0];
          if (rounds()) value = make_value(rounded(*value.tensor));
        }
        values[i] = std::move(value);
      } else if (after_[i]) {
        values[i] = compute(v, values);
      }
    }
  }

  bool rounds() const { return std::is_same_v<D, Float64> && stored_ != ir::DType::kUndefined; }
  Tensor<Number> rounded(Tensor<Number> t) const {
    if constexpr (std::is_same_v<D, Float64>)
      for (double& x : t.numbers) x = domain_.cast(stored_, x);
    return t;
  }

  D& domain_;
  const ir::Graph& body_;
  ir::Schedule schedule_;
  meaning::KnownNests of_tiles_;
  EvalOptions<D> options_;
  ir::DType stored_;
  std::vector<bool> after_;
  std::vector<Node> nodes_;
};

}  // namespace isomer::eval
