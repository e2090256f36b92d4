#include "published/mirage_figures.h"

#include <algorithm>
#include <array>

#include "mugraph/draft.h"
#include "support/errors.h"

namespace isomer::published::mirage {
namespace {

using mugraph::BlockGraph, mugraph::Draft, mugraph::kWhole, mugraph::program;

using Map = Draft::Map;
constexpr Map kNoMap = {kWhole, kWhole, kWhole};

/// The first kernel of split attention, and the one that puts its parts together.
struct Split {
  std::array<int64_t, 3> grid;
  int64_t range;
  Map q, k, v, out;
  bool grouped;  ///< a block takes the single tokens of all heads of a group as tokens of one head
  std::array<int64_t, 3> last_grid;
  Map last_in, last_out;
  bool threads = false;  ///< exponentials and their sums are made by one thread graph, as figure 4c draws it
};

MuGraph split_attention(const char* name, const Extents& extents, const Split& s) {
  Draft d(name, extents);
  d.kernel(s.grid, s.range);
  uint32_t q = d.load(0, s.q);
  const uint32_t k = d.load(1, s.k, 2), v = d.load(2, s.v, 1);
  if (s.grouped) q = d.op("reshape", {q});
  const uint32_t logits = d.op("matmul", {q, k});
  uint32_t e = 0, terms = 0;
  if (s.threads) {
    // Five threads for each of eight queries; each has the sum of its part of the exponentials.
    BlockGraph t;
    t.grid = {5, 8, 1};
    t.loops = {2};
    t.inputs = {{{2, 1, kWhole}, {2}, {}}};
    t.nodes = {d.node("exp", {0}), d.node("accumulate_concat", {1}, 2), d.node("accumulate_sum", {1})};
    t.outputs = {{2, {2, 1, kWhole}}, {3, {2, 1, kWhole}}};
    e = d.threads(t, {logits});
    terms = e + 1;
  } else {
    terms = e = d.op("exp", {logits});
  }
  const uint32_t sum = d.op("accumulate_sum", {terms});
  const uint32_t product = d.op("accumulate", {d.op("matmul", {e, v})});
  const uint32_t a = d.save(sum, s.out), b = d.save(product, s.out);
  d.end();
  d.kernel(s.last_grid, 1);
  d.width(extents.at("d"));
  const uint32_t sums = d.load(a, s.last_in), products = d.load(b, s.last_in);
  const uint32_t below = d.op("accumulate_sum", {sums}), above = d.op("accumulate_sum_to_x", {products});
  uint32_t out = d.op("div", {above, below});
  if (s.grouped) out = d.op("reshape", {out});
  d.save(out, s.last_out);
  d.end();
  return d.finish();
}

MuGraph flash_attention(const char* name, const Extents& extents, std::array<int64_t, 3> grid,
                        int64_t range) {
  Draft d(name, extents);
  d.kernel(grid, range);
  const uint32_t q = d.load(0, {0, 1, kWhole}), k = d.load(1, {0, kWhole, kWhole}, 2),
                 v = d.load(2, {0, kWhole, kWhole}, 1);
  const uint32_t e = d.op("exp", {d.op("matmul", {q, k})});
  const uint32_t sum = d.op("accumulate_sum", {e});
  const uint32_t product = d.op("accumulate", {d.op("matmul", {e, v})});
  d.save(d.op("div", {product, sum}), {0, 1, kWhole});
  d.end();
  return d.finish();
}

/// FlashAttention as it is: what is summed is rescaled when a larger logit comes.
MuGraph online_softmax(std::array<int64_t, 3> grid, int64_t range) {
  Draft d("safe_attention", program("safe_attention").extents);
  d.kernel(grid, range);
  const uint32_t q = d.load(0, {0, 1, kWhole}), k = d.load(1, {0, kWhole, kWhole}, 2),
                 v = d.load(2, {0, kWhole, kWhole}, 1);
  const uint32_t s = d.op("matmul", {q, k});
  const uint32_t m = d.op("running_max", {s});
  const uint32_t e = d.op("exp", {d.op("sub", {s, m})});
  const uint32_t sum = d.op("accumulate_sum_rescale", {e, m});
  const uint32_t product = d.op("accumulate_rescale", {d.op("matmul", {e, v}), m});
  d.save(d.op("div", {product, sum}), {0, 1, kWhole});
  d.end();
  return d.finish();
}

/// The keys split as well: blocks also save their maxima, to which a second kernel rescales what it adds up.
MuGraph split_online_softmax(int64_t parts, int64_t range) {
  const Extents& extents = program("safe_attention").extents;
  const int64_t heads = extents.at("h");
  Draft d("safe_attention", extents);
  d.kernel({heads, parts, 1}, range);
  const uint32_t q = d.load(0, {0, kWhole, kWhole}), k = d.load(1, {0, 2, kWhole}, 2),
                 v = d.load(2, {0, 1, kWhole}, 1);
  const uint32_t s = d.op("matmul", {q, k});
  const uint32_t m = d.op("running_max", {s});
  const uint32_t e = d.op("exp", {d.op("sub", {s, m})});
  const uint32_t largest = d.op("accumulate_max", {m}), sum = d.op("accumulate_sum_rescale", {e, m}),
                 product = d.op("accumulate_rescale", {d.op("matmul", {e, v}), m});
  const Map side_by_side = {0, 2, kWhole};
  const uint32_t a = d.save(largest, side_by_side), b = d.save(sum, side_by_side),
                 c = d.save(product, side_by_side);
  d.end();
  d.kernel({heads, 1, 1}, parts);
  const uint32_t maxima = d.load(a, {0, kWhole, kWhole}, 2), sums = d.load(b, {0, kWhole, kWhole}, 2),
                 products = d.load(c, {0, kWhole, kWhole}, 2);
  const uint32_t all = d.op("running_max", {maxima});
  const uint32_t weight = d.op("exp", {d.op("sub", {maxima, all})});
  const uint32_t below = d.op("accumulate_rescale", {d.op("mul", {sums, weight}), all}),
                 above = d.op("accumulate_rescale", {d.op("mul", {products, weight}), all});
  d.save(d.op("div", {above, below}), {0, kWhole, kWhole});
  d.end();
  return d.finish();
}

MuGraph lora() {
  Draft d("lora", program("lora").extents);
  d.kernel({32, 1, 1}, 4);
  const uint32_t x = d.load(0, kNoMap, 1), w = d.load(1, {1, kWhole, kWhole}, 0), a = d.load(2, kNoMap, 0),
                 b = d.load(3, {1, kWhole, kWhole});
  const uint32_t xa = d.op("matmul", {x, a});
  d.save(d.op("accumulate", {d.op("concat_matmul", {x, xa, w, b})}), {1, kWhole, kWhole});
  d.end();
  return d.finish();
}

MuGraph mlp() {
  Draft d("mlp", program("mlp").extents);
  d.kernel({64, 1, 1}, 1);
  const uint32_t x = d.load(0, {1, kWhole, kWhole}), w1 = d.load(1, {0, kWhole, kWhole});
  const uint32_t parts = d.save(d.op("accumulate", {d.op("matmul", {x, w1})}), {1, kWhole, kWhole});
  d.end();
  d.kernel({32, 1, 1}, 1);
  d.width(16);
  const uint32_t w2 = d.load(2, {1, kWhole, kWhole}), y = d.load(3, {1, kWhole, kWhole}),
                 p = d.load(parts, kNoMap);
  const uint32_t e = d.op("exp", {d.op("accumulate_sum_to_x", {p})});
  const uint32_t product = d.op("matmul", {e, d.op("accumulate", {w2})});
  d.save(d.op("add", {d.op("accumulate", {y}), product}), {1, kWhole, kWhole});
  d.end();
  return d.finish();
}

MuGraph rmsnorm() {
  Draft d("rmsnorm", program("rmsnorm").extents);
  d.kernel({96, 1, 1}, 64);
  const uint32_t x = d.load(0, kNoMap, 1), w = d.load(1, {1, kWhole, kWhole}, 0);
  const uint32_t root = d.op("accumulate_rms", {x});
  const uint32_t product = d.op("accumulate", {d.op("matmul", {x, w})});
  d.save(d.op("div", {product, root}), {1, kWhole, kWhole});
  d.end();
  return d.finish();
}

MuGraph ntrans() {
  Draft d("ntrans", program("ntrans").extents);
  d.kernel({8, 1, 1}, 1);
  const uint32_t h = d.load(0, {0, kWhole, kWhole}), x = d.load(1, {0, kWhole, kWhole}),
                 alpha = d.load(2, {0, kWhole, kWhole});
  const uint32_t step = d.op("mul", {alpha, d.op("add", {x, d.op("rms_norm", {h})})});
  d.save(d.op("accumulate", {d.op("rms_norm", {d.op("add", {x, step})})}), {0, kWhole, kWhole});
  d.end();
  return d.finish();
}

/// As the later version draws it: what comes after the loop is one thread graph, which takes each thread's
/// share of a row in four steps.
MuGraph rmsnorm_threads() {
  Draft d("rmsnorm", program("rmsnorm").extents);
  d.kernel({96, 1, 1}, 64);
  const uint32_t x = d.load(0, kNoMap, 1), w = d.load(1, {1, kWhole, kWhole}, 0);
  const uint32_t square = d.op("accumulate_mean", {d.op("square", {x})});
  const uint32_t product = d.op("accumulate", {d.op("matmul", {x, w})});
  BlockGraph t;
  t.grid = {16, 2, 1};
  t.loops = {4};
  t.inputs = {{{1, 0, kWhole}, {1}, {}}, {{kWhole, 0, kWhole}, {kWhole}, {}}};
  t.nodes = {d.node("sqrt", {1}), d.node("div", {0, 2}), d.node("accumulate_concat", {3}, 1)};
  t.outputs = {{4, {1, 0, kWhole}}};
  d.save(d.threads(t, {product, square}), {1, kWhole, kWhole});
  d.end();
  return d.finish();
}

MuGraph gated_mlp() {
  Draft d("gated_mlp", program("gated_mlp").extents);
  d.kernel({64, 1, 1}, 64);
  const uint32_t x = d.load(0, kNoMap, 1), w1 = d.load(1, {1, kWhole, kWhole}, 0),
                 w2 = d.load(2, {1, kWhole, kWhole}, 0);
  const uint32_t a = d.op("accumulate", {d.op("matmul", {x, w1})}),
                 b = d.op("accumulate", {d.op("matmul", {x, w2})});
  d.save(d.op("mul", {d.op("silu", {a}), b}), {1, kWhole, kWhole});
  d.end();
  return d.finish();
}

std::vector<Figure> make_figures() {
  const Extents decoding = program("gqa_heads").extents, many = program("mha").extents;
  const Extents speculative = {{"h", 2}, {"s", 256}, {"d", 64}, {"n", 1024}};
  const auto figure_4c = [&](bool threads) {
    return split_attention("gqa_heads", decoding,
                           {{8, 10, 1},
                            20,
                            {0, kWhole, kWhole},
                            {0, 2, kWhole},
                            {0, 1, kWhole},
                            {0, 2, kWhole},
                            true,
                            {8, 8, 1},
                            {0, 1, kWhole},
                            {0, 0, kWhole},
                            threads});
  };
  return {
      {"figure 4b", "FlashDecoding for grouped queries: a block has one query head", "gqa_heads", decoding,
       split_attention("gqa_heads", decoding,
                       {{8, 8, 10},
                        20,
                        {0, 0, kWhole},
                        {0, kWhole, 2},
                        {0, kWhole, 1},
                        {0, 0, 2},
                        false,
                        {64, 1, 1},
                        {0, kWhole, kWhole},
                        {0, kWhole, kWhole}}),
       false},
      {"figure 4c", "grouped queries: a block has all query heads of a key-value head", "gqa_heads", decoding,
       figure_4c(false)},
      {"figure 4c by threads", "the same, with the thread graph of the figure", "gqa_heads", decoding,
       figure_4c(true), false},
      {"figure 8a", "FlashAttention: query tokens split over blocks", "gqa", speculative,
       flash_attention("gqa", speculative, {2, 64, 1}, 16)},
      {"figure 8b", "query and key-value tokens split over blocks", "gqa", speculative,
       split_attention("gqa", speculative,
                       {{2, 8, 8},
                        4,
                        {0, 1, kWhole},
                        {0, kWhole, 2},
                        {0, kWhole, 1},
                        {0, 1, 2},
                        false,
                        {2, 8, 1},
                        {0, 1, kWhole},
                        {0, 1, kWhole}})},
      {"FlashAttention", "one kernel, query tokens split over blocks", "mha", many,
       flash_attention("mha", many, {32, 2, 1}, 16)},
      {"FlashDecoding", "two kernels, key-value tokens split over blocks", "mha", many,
       split_attention("mha", many,
                       {{32, 16, 1},
                        4,
                        {0, kWhole, kWhole},
                        {0, 2, kWhole},
                        {0, 1, kWhole},
                        {0, 2, kWhole},
                        false,
                        {32, 1, 1},
                        {0, kWhole, kWhole},
                        {0, kWhole, kWhole}})},
      {"online softmax", "FlashAttention with a running maximum", "safe_attention",
       program("safe_attention").extents, online_softmax({32, 2, 1}, 16)},
      {"split online softmax", "FlashDecoding that rescales: maxima are a third output", "safe_attention",
       program("safe_attention").extents, split_online_softmax(16, 4), false},
      {"figure 9b", "LoRA in one kernel: (X || X A)(W || B)", "lora", program("lora").extents, lora()},
      {"figure 10b", "MLP in two kernels: the first product in parts", "mlp", program("mlp").extents, mlp()},
      {"RMSNorm", "the division after the product, in one kernel", "rmsnorm", program("rmsnorm").extents,
       rmsnorm()},
      {"RMSNorm by threads", "the same, with a thread graph after the loop", "rmsnorm",
       program("rmsnorm").extents, rmsnorm_threads(), false},
      {"nTrans", "a row for each block, in one kernel", "ntrans", program("ntrans").extents, ntrans()},
      {"GatedMLP", "both products in one kernel", "gated_mlp", program("gated_mlp").extents, gated_mlp()},
  };
}

}  // namespace

const std::vector<Figure>& figures() {
  static const std::vector<Figure> all = make_figures();
  return all;
}

const Figure& figure(std::string_view name) {
  const auto at = std::ranges::find(figures(), name, &Figure::name);
  REQUIRE(at != figures().end(), "no published muGraph " + std::string(name));
  return *at;
}

}  // namespace isomer::published::mirage
