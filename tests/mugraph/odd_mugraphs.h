// muGraphs that a verifier may get wrong, stated by hand: right ones of odd structure, whose sizes are tied
// to each other so that a careless reduction makes them wrong; and wrong ones, of which some are right at
// small sizes.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mugraph/draft.h"

namespace isomer::mugraph::odd {

using Map = Draft::Map;
using In = std::span<const ir::ValueId>;

constexpr Map kNone = {kWhole, kWhole, kWhole};

/// "x0": grid dimension x cuts data dimension 0.
constexpr Map x(int dim) { return {dim, kWhole, kWhole}; }
constexpr Map y(int dim) { return {kWhole, dim, kWhole}; }
constexpr Map xy(int a, int b) { return {a, b, kWhole}; }

inline Program stated(std::string name, std::vector<Program::Input> inputs, Extents extents,
                      std::function<ir::ValueId(ir::Builder&, In)> body) {
  Program p;
  p.name = std::move(name);
  p.inputs = std::move(inputs);
  p.extents = std::move(extents);
  p.body = std::move(body);
  return p;
}

/// X W, with a long inner dimension.
inline Program product(int64_t m = 8, int64_t k = 768, int64_t n = 32) {
  return stated("product", {{"x", {"m", "k"}}, {"w", {"k", "n"}}}, {{"m", m}, {"k", k}, {"n", n}},
                [](ir::Builder& b, In in) { return b.add("matmul", {in[0], in[1]}); });
}

/// X by the sums of its rows.
inline Program normalised() {
  return stated("normalised", {{"x", {"m", "k"}}}, {{"m", 16}, {"k", 256}}, [](ir::Builder& b, In in) {
    const ir::ValueId sums = reduce(b, "reduce_sum", in[0], {1}, true);
    return b.add("div", {in[0], broadcast(b, sums, sizes_of(b, in[0]))});
  });
}

/// So many times X, which is to be divided.
inline uint32_t times(Draft& d, int64_t many) {
  d.kernel({4, 1, 1}, many);
  const uint32_t out = d.save(d.op("accumulate", {d.load(0, x(0))}), x(0));
  d.end();
  return out;
}

/// The sums of X's rows: so many copies side by side, each of so many times X.
inline uint32_t copies_of_sums(Draft& d, int64_t copies, int64_t many) {
  d.kernel({1, copies, 1}, many);
  const uint32_t out = d.save(d.op("accumulate_sum", {d.load(0, kNone)}), y(1));
  d.end();
  return out;
}

/// By the sum of what lies side by side.
inline void divided(Draft& d, uint32_t above, uint32_t below) {
  d.kernel({2, 1, 1}, 1);
  const uint32_t t = d.load(above, x(0)), s = d.load(below, x(0));
  d.save(d.op("div", {d.op("accumulate", {t}), d.op("accumulate_sum", {s})}), x(0));
  d.end();
}

inline Program row_means() {
  return stated("row means", {{"x", {"m", "k"}}}, {{"m", 16}, {"k", 512}},
                [](ir::Builder& b, In in) { return reduce(b, "reduce_mean", in[0], {1}, true); });
}

/// X * Y of squares.
inline Program elementwise(int64_t side = 64) {
  return stated("elementwise", {{"x", {"m", "n"}}, {"y", {"m", "n"}}}, {{"m", side}, {"n", side}},
                [](ir::Builder& b, In in) { return b.add("mul", {in[0], in[1]}); });
}

inline Program scaled_product(double by) {
  Program p = product();
  p.name = "scaled product";
  p.body = [by](ir::Builder& b, In in) {
    const ir::ValueId xw = b.add("matmul", {in[0], in[1]});
    return b.add("mul", {xw, broadcast(b, b.constant(ir::DType::kF32, {}, {by}), sizes_of(b, xw))});
  };
  return p;
}

/// The sums of the rows of X W, by the inner dimension.
inline Program sums_by_inner() {
  return stated(
      "sums by the inner dimension", {{"x", {"m", "k"}}, {"w", {"k", "n"}}},
      {{"m", 8}, {"k", 192}, {"n", 48}}, [](ir::Builder& b, In in) {
        const auto k = static_cast<double>(sizes_of(b, in[0])[1]);
        const ir::ValueId sums = reduce(b, "reduce_sum", b.add("matmul", {in[0], in[1]}), {1}, true);
        return b.add("div", {sums, broadcast(b, b.constant(ir::DType::kF32, {}, {k}), sizes_of(b, sums))});
      });
}

struct Case {
  std::string name;
  Program program;
  MuGraph graph;
};

inline Case make(const char* name, const Program& p, const std::function<void(Draft&)>& write) {
  Draft d(p, p.extents);
  write(d);
  return {name, p, d.finish()};
}

/// Blocks along x take parts of the inner dimension and write their sums one after the other along `dim`.
inline uint32_t partial_sums(Draft& d, std::array<int64_t, 3> grid, Map cut, Map cut_w, Map write,
                             int64_t loop = 1) {
  d.kernel(grid, loop);
  const uint32_t a = d.load(0, cut, loop > 1 ? 1 : kWhole), b = d.load(1, cut_w, loop > 1 ? 0 : kWhole);
  const uint32_t out = d.save(d.op("accumulate", {d.op("matmul", {a, b})}), write);
  d.end();
  return out;
}

/// One kernel without cuts of its own but a loop that adds up parts.
inline void add_up(Draft& d, uint32_t parts, std::vector<int64_t> loops, int dim = 0,
                   const char* how = "accumulate") {
  d.kernel({1, 1, 1}, loops);
  const uint32_t t = d.load(parts, kNone, std::vector<int>(loops.size(), dim));
  d.save(d.op(how, {t}), kNone);
  d.end();
}

inline std::vector<Case> right_ones() {
  const Program p = product();
  std::vector<Case> out;
  out.push_back(make("loop undoes the grid", p,
                     [](Draft& d) { add_up(d, partial_sums(d, {8, 1, 1}, x(1), x(0), x(0)), {8}); }));
  out.push_back(make("loop of parts of several blocks", p, [](Draft& d) {
    const uint32_t parts = partial_sums(d, {16, 1, 1}, x(1), x(0), x(1));
    d.kernel({1, 1, 1}, 4);
    d.width(32);
    d.save(d.op("accumulate_sum_to_x", {d.load(parts, kNone, 1)}), kNone);
    d.end();
  }));
  out.push_back(make("partial sums side by side, folded whole", p, [](Draft& d) {
    const uint32_t parts = partial_sums(d, {6, 1, 1}, x(1), x(0), x(1), 4);
    d.kernel({1, 1, 1}, 1);
    d.width(32);
    d.save(d.op("accumulate_sum_to_x", {d.load(parts, kNone)}), kNone);
    d.end();
  }));
  out.push_back(make("two grid dimensions, one loop", p, [](Draft& d) {
    add_up(d, partial_sums(d, {4, 2, 1}, xy(1, 1), xy(0, 0), xy(0, 0)), {8});
  }));
  out.push_back(make("one grid dimension, two loops", p,
                     [](Draft& d) { add_up(d, partial_sums(d, {8, 1, 1}, x(1), x(0), x(0)), {2, 4}); }));
  out.push_back(make("three kernels, four parts of four", p, [](Draft& d) {
    const uint32_t parts = partial_sums(d, {16, 1, 1}, x(1), x(0), x(0));
    d.kernel({4, 1, 1}, 4);
    const uint32_t fewer = d.save(d.op("accumulate", {d.load(parts, x(0), 0)}), x(0));
    d.end();
    add_up(d, fewer, {4});
  }));
  out.push_back(make("an operator between the grid and the loop", elementwise(), [](Draft& d) {
    d.kernel({4, 1, 1}, 1);
    const uint32_t copies =
        d.save(d.op("accumulate", {d.op("mul", {d.load(0, kNone), d.load(1, kNone)})}), x(0));
    d.end();
    add_up(d, d.whole("sub", {d.whole("add", {copies, copies}), copies}), {4}, 0, "accumulate_max");
  }));
  out.push_back(make("copies, of which the largest is taken", p, [](Draft& d) {
    d.kernel({4, 8, 1}, 8);
    const uint32_t a = d.load(0, kNone, 1), b = d.load(1, y(1), 0);
    const uint32_t copies = d.save(d.op("accumulate", {d.op("matmul", {a, b})}), xy(0, 1));
    d.end();
    add_up(d, copies, {4}, 0, "accumulate_max");
  }));
  out.push_back(make("added up as often above as below", normalised(), [](Draft& d) {
    const uint32_t above = times(d, 6);
    const uint32_t below = copies_of_sums(d, 6, 1);
    divided(d, above, below);
  }));
  out.push_back(make("a hundred times above, ten times ten below", normalised(), [](Draft& d) {
    const uint32_t above = times(d, 100);
    const uint32_t below = copies_of_sums(d, 10, 10);
    divided(d, above, below);
  }));
  out.push_back(make("means of means", row_means(), [](Draft& d) {
    d.kernel({1, 8, 1}, 4);
    const uint32_t parts = d.save(d.op("accumulate_mean", {d.load(0, y(1), 1)}), y(1));
    d.end();
    d.kernel({4, 1, 1}, 2);
    d.save(d.op("accumulate_mean", {d.load(parts, x(0), 1)}), x(0));
    d.end();
  }));
  out.push_back(make("a number as a number of iterations", scaled_product(5), [](Draft& d) {
    d.kernel({1, 4, 1}, std::vector<int64_t>{8, 5});
    const uint32_t a = d.load(0, kNone, std::vector<int>{1, kWhole}),
                   b = d.load(1, y(1), std::vector<int>{0, kWhole});
    d.save(d.op("accumulate", {d.op("matmul", {a, b})}), y(1));
    d.end();
  }));
  return out;
}

inline std::vector<Case> wrong_ones() {
  const Program p = product(), square = product(64, 64, 64);
  std::vector<Case> out;
  out.push_back(make("loop along the wrong axis", elementwise(), [](Draft& d) {
    d.kernel({4, 1, 1}, 4);
    const uint32_t a = d.load(0, x(0), 1), b = d.load(1, x(1), 0);
    d.save(d.op("accumulate_concat", {d.op("mul", {a, b})}, 1), x(0));
    d.end();
  }));
  out.push_back(make("the largest instead of the sum", p, [](Draft& d) {
    d.kernel({1, 4, 1}, 8);
    const uint32_t a = d.load(0, kNone, 1), b = d.load(1, y(1), 0);
    d.save(d.op("accumulate_max", {d.op("matmul", {a, b})}), y(1));
    d.end();
  }));
  out.push_back(make("sums instead of means", row_means(), [](Draft& d) {
    d.kernel({4, 1, 1}, 8);
    d.save(d.op("accumulate_sum", {d.load(0, x(0), 1)}), x(0));
    d.end();
  }));
  out.push_back(make("means of parts, added up", row_means(), [](Draft& d) {
    d.kernel({1, 8, 1}, 4);
    const uint32_t parts = d.save(d.op("accumulate_mean", {d.load(0, y(1), 1)}), y(1));
    d.end();
    d.kernel({1, 1, 1}, 1);
    d.save(d.op("accumulate_sum", {d.load(parts, kNone)}), kNone);
    d.end();
  }));
  out.push_back(make("grid dimensions exchanged where blocks write", square, [](Draft& d) {
    d.kernel({4, 4, 1}, 8);
    const uint32_t a = d.load(0, x(0), 1), b = d.load(1, y(1), 0);
    d.save(d.op("accumulate", {d.op("matmul", {a, b})}), xy(1, 0));
    d.end();
  }));
  out.push_back(make("grid dimensions exchanged where blocks load", elementwise(), [](Draft& d) {
    d.kernel({4, 4, 1}, 1);
    const uint32_t a = d.load(0, xy(0, 1)), b = d.load(1, xy(1, 0));
    d.save(d.op("accumulate", {d.op("mul", {a, b})}), xy(0, 1));
    d.end();
  }));
  out.push_back(make("factors exchanged", square, [](Draft& d) {
    d.kernel({4, 1, 1}, 1);
    const uint32_t a = d.load(0, x(1)), b = d.load(1, kNone);
    d.save(d.op("accumulate", {d.op("matmul", {b, a})}), x(1));
    d.end();
  }));
  out.push_back(make("no second half of the parts' rows", p, [](Draft& d) {
    // Rows of different parts are added up: two blocks have two parts each, cut in half.
    const uint32_t parts = partial_sums(d, {4, 1, 1}, x(1), x(0), x(0));
    d.kernel({2, 1, 1}, 4);
    d.save(d.op("accumulate", {d.load(parts, x(0), 0)}), x(0));
    d.end();
  }));
  out.push_back(make("normalised before all of a row is there", program("rmsnorm"), [](Draft& d) {
    d.kernel({96, 1, 1}, 16);
    const uint32_t a = d.load(0, kNone, 1), b = d.load(1, x(1), 0);
    d.save(d.op("accumulate", {d.op("matmul", {d.op("rms_norm", {a}), b})}), x(1));
    d.end();
  }));
  out.push_back(make("added up once more in each iteration", p, [](Draft& d) {
    d.kernel({1, 4, 1}, 6);
    const uint32_t a = d.load(0, kNone), b = d.load(1, y(1));
    d.save(d.op("accumulate", {d.op("matmul", {a, b})}), y(1));
    d.end();
  }));
  out.push_back(make("twice as it were, four times as it is", scaled_product(2), [](Draft& d) {
    // Two iterations, as a careless reduction has them, would be right.
    d.kernel({1, 4, 1}, 4);
    const uint32_t a = d.load(0, kNone), b = d.load(1, y(1));
    d.save(d.op("accumulate", {d.op("matmul", {a, b})}), y(1));
    d.end();
  }));
  out.push_back(make("twice as it were, 128 times as it is", scaled_product(2), [](Draft& d) {
    d.kernel({1, 4, 1}, 128);
    const uint32_t a = d.load(0, kNone), b = d.load(1, y(1));
    d.save(d.op("accumulate", {d.op("matmul", {a, b})}), y(1));
    d.end();
  }));
  out.push_back(make("six times above, four times below", normalised(), [](Draft& d) {
    const uint32_t above = times(d, 6);
    const uint32_t below = copies_of_sums(d, 4, 1);
    divided(d, above, below);
  }));
  out.push_back(make("128 times above, a hundred times below", normalised(), [](Draft& d) {
    // All numbers are of iterations, which a reduction would make the same.
    const uint32_t above = times(d, 128);
    d.kernel({4, 1, 1}, 100);
    const uint32_t below = d.save(d.op("accumulate_sum", {d.load(0, x(0))}), x(0));
    d.end();
    d.kernel({2, 1, 1}, 1);
    const uint32_t t = d.load(above, x(0)), s = d.load(below, x(0));
    d.save(d.op("accumulate", {d.op("div", {t, s})}), x(0));
    d.end();
  }));
  out.push_back(make("added up in each iteration, beside what is not", normalised(), [](Draft& d) {
    // The loop cuts one operand: the sum of the other is taken four times.
    d.kernel({4, 1, 1}, 4);
    const uint32_t part = d.load(0, x(0), 1), all = d.load(0, x(0));
    const uint32_t row = d.op("accumulate_concat", {part}, 1), sums = d.op("accumulate_sum", {all});
    d.save(d.op("div", {row, sums}), x(0));
    d.end();
  }));
  out.push_back(make("divided by the other dimension", sums_by_inner(), [](Draft& d) {
    d.kernel({4, 1, 1}, 1);
    const uint32_t a = d.load(0, x(0)), b = d.load(1, kNone);
    d.save(d.op("accumulate_mean", {d.op("matmul", {a, b})}), x(0));
    d.end();
  }));
  out.push_back(make("attention that is not divided", program("gqa"), [](Draft& d) {
    d.kernel({2, 16, 1}, 64);
    const uint32_t q = d.load(0, xy(0, 1)), k = d.load(1, x(0), 2), v = d.load(2, x(0), 1);
    d.save(d.op("accumulate", {d.op("matmul", {d.op("exp", {d.op("matmul", {q, k})}), v})}), xy(0, 1));
    d.end();
  }));
  return out;
}

}  // namespace isomer::mugraph::odd
