// Convolutions of three by three by Winograd's minimal filtering, F(2 x 2, 3 x 3) (Winograd 1980; Lavin,
// Gray: CVPR 2016, section 4): of a tile of 4 x 4 elements 16 products give 2 x 2 results, where the
// definition takes
// 36. There each tile is transformed by itself within a kernel. Here both operators are composites of what
// every runtime has: the transforms are sums of slices that take every second row or column, which are those
// of all tiles at once, and the 16 products are convolutions of one point. So a runtime that knows nothing of
// it runs it, a rule states it, and the verifier shows that it is the same function.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/op_table.h"
#include "ir/ops/composed.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {
namespace {

constexpr int64_t kTile = 4, kResults = 2, kKernel = 3, kProducts = kTile * kTile;
using Four = std::array<ValueId, kTile>;
using Ints = std::vector<int64_t>;

ValueId sum_of(Compose& c, ValueId x, ValueId y) { return c.call("add", {x, y}); }
ValueId difference_of(Compose& c, ValueId x, ValueId y) { return c.call("sub", {x, y}); }

/// G, along an axis of three elements: the first, half of all with the middle one added and subtracted, the
/// last.
Four of_weights(Compose& c, ValueId w, int64_t axis) {
  std::array<ValueId, kKernel> g{};
  for (int64_t i = 0; i < kKernel; ++i) g[static_cast<size_t>(i)] = c.slice(w, axis, i, i + 1);
  const ValueId ends = sum_of(c, g[0], g[2]);
  return {g[0], c.with("mul", sum_of(c, ends, g[1]), 0.5), c.with("mul", difference_of(c, ends, g[1]), 0.5),
          g[2]};
}

/// The transposed B along an axis, for so many tiles that begin at every second element.
Four of_image(Compose& c, ValueId x, int64_t axis, int64_t tiles) {
  Four d{};
  for (int64_t i = 0; i < kTile; ++i)
    d[static_cast<size_t>(i)] = c.call("slice", {x},
                                       {{"axes", Ints{axis}},
                                        {"starts", Ints{i}},
                                        {"ends", Ints{i + kResults * (tiles - 1) + 1}},
                                        {"steps", Ints{kResults}}});
  return {difference_of(c, d[0], d[2]), sum_of(c, d[1], d[2]), difference_of(c, d[2], d[1]),
          difference_of(c, d[1], d[3])};
}

/// The transposed A: even results, odd ones.
std::array<ValueId, kResults> of_products(Compose& c, const Four& m) {
  return {sum_of(c, sum_of(c, m[0], m[1]), m[2]), difference_of(c, difference_of(c, m[1], m[2]), m[3])};
}

OpDef filter_weights() {
  OpDef def = composed(
      "winograd_weights", 1, {},
      "Weights [K, C, 3, 3] of a convolution as `winograd_conv` takes them: G w G' for each of K and C, [16 "
      "K, "
      "C, 1, 1] with K within 4 x 4.",
      {},
      [](const OpInstance& op) {
        if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return bad;
        if (auto bad = check_rank(op, 0, 4); !bad.empty()) return bad;
        const Shape& w = op.in_shape(0);
        return w[2] == Dim(kKernel) && w[3] == Dim(kKernel) ? std::string()
                                                            : std::string("expected kernels of 3 by 3");
      },
      [](Builder& b, const OpInstance&, Values in) {
        Compose c(b);
        std::vector<ValueId> parts;
        for (const ValueId row : of_weights(c, in[0], 2))
          for (const ValueId product : of_weights(c, row, 3)) parts.push_back(product);
        return c.concat(std::move(parts), 0);
      });
  // Rows of G add up to at most 1.5, both ways to 2.25; those of the transposed B to 4, of the transposed A
  // to 9: a sum of products with weights of this range is larger than any number within `winograd_conv`.
  def.range = RangeKind::kHundredfold;
  return def;
}

std::string check_filtering(const OpInstance& op) {
  if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return bad;
  for (const size_t operand : {0, 1})
    if (auto bad = check_rank(op, operand, 4); !bad.empty()) return bad;
  if (auto bad = check_count(op, "pads", kTile); !bad.empty()) return bad;
  const Shape &x = op.in_shape(0), &u = op.in_shape(1);
  for (const Dim& d : {x[2], x[3], u[0]})
    if (!d.is_static()) return "expected known sizes of images and weights";
  if (u[0].size() % kProducts != 0 || u[2] != Dim(1) || u[3] != Dim(1))
    return "expected weights as winograd_weights makes them";
  const std::vector<int64_t>& pads = op.ints("pads");
  for (const size_t axis : {0, 1})
    if (pads[axis] < 0 || pads[axis + 2] < 0 || x[axis + 2].size() + pads[axis] + pads[axis + 2] < kKernel)
      return "expected an image that the kernel fits into";
  return "";
}

ValueId filtered(Builder& b, const OpInstance& op, Values in) {
  Compose c(b);
  const std::vector<int64_t>& pads = op.ints("pads");
  const Shape& image = op.in_shape(0);
  const int64_t channels = op.in_shape(1)[0].size() / kProducts;
  std::array<int64_t, 2> tiles{}, results{};
  std::vector<int64_t> all(2 * kTile, 0);
  for (const size_t axis : {0, 1}) {
    results[axis] = image[axis + 2].size() + pads[axis] + pads[axis + 2] - (kKernel - 1);
    tiles[axis] = (results[axis] + kResults - 1) / kResults;
    all[axis + 2] = pads[axis];
    all[axis + 2 + kTile] = pads[axis + 2] + kResults * tiles[axis] - results[axis];
  }
  const bool padded = std::ranges::any_of(all, [](int64_t p) { return p > 0; });
  const ValueId x = padded ? c.call("pad", {in[0]}, {{"pads", all}}) : in[0];
  const std::vector<NamedAttr> plain = {
      {"strides", Ints{1, 1}}, {"dilations", Ints{1, 1}}, {"pads", Ints(4, 0)}};
  std::array<std::array<ValueId, kResults>, kTile> columns{};
  int64_t number = 0;
  for (const ValueId row : of_image(c, x, 2, tiles[0])) {
    Four products{};
    size_t column = 0;
    for (const ValueId tile : of_image(c, row, 3, tiles[1])) {
      std::vector<ValueId> operands{tile, c.slice(in[1], 0, number * channels, (number + 1) * channels)};
      // What is added to this product is in all four results, once.
      constexpr int64_t kInAll = kTile + 1;
      if (in.size() > 2 && number == kInAll) operands.push_back(in[2]);
      products[column++] = c.call("conv", operands, plain);
      ++number;
    }
    columns[static_cast<size_t>(number / kTile - 1)] = of_products(c, products);
  }
  std::array<std::array<ValueId, kResults>, kResults> out{};  // by column, by row
  for (size_t j = 0; j < kResults; ++j)
    out[j] = of_products(c, {columns[0][j], columns[1][j], columns[2][j], columns[3][j]});
  ValueId y = c.call("depth_to_space", {c.concat({out[0][0], out[1][0], out[0][1], out[1][1]}, 1)},
                     {{"blocksize", kResults}});
  for (const size_t axis : {0, 1})
    if (results[axis] % kResults != 0) y = c.slice(y, static_cast<int64_t>(axis) + 2, 0, results[axis]);
  return y;
}

}  // namespace

void register_winograd(OpTable& table) {
  table.add(filter_weights());
  OpDef conv = composed("winograd_conv", 2, 3,
                        "conv with strides, dilations and group of 1, weights of 3 by 3 as "
                        "`winograd_weights` makes them: x [N, C, "
                        "H, W], u [16 K, C, 1, 1], optional bias [K]; H and W known.",
                        {ints_attr("pads", AttrRole::kWindowPads)}, check_filtering, filtered);
  conv.images = true;
  conv.range = RangeKind::kConvolution;
  table.add(std::move(conv));
}

}  // namespace isomer::ir::ops
