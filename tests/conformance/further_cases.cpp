// Operators that networks have now and then: places that tensors hold, quantised products, recurrent
// networks, resized images, losses, transforms.
#include <algorithm>
#include <string>

#include "conformance/op_cases.h"

namespace isomer::conformance {
namespace {

using ir::DType;
using Sizes = std::vector<int64_t>;

Operand of(DType dtype, Sizes sizes, double lo, double hi) { return {dtype, std::move(sizes), lo, hi}; }

std::string any_of(Rng& rng, std::initializer_list<const char*> words) {
  return *(words.begin() + rng.below(words.size()));
}

// Places

Case draw_gather_elements(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 3);
  const auto axis = rng.below(sizes.size());
  Sizes places = sizes;
  for (int64_t& size : places) size = rng.between(1, size);
  places[axis] = rng.between(1, 4);
  const auto extent = static_cast<double>(sizes[axis]);
  return {{operand(sizes), of(rng.chance(0.5) ? DType::kI64 : DType::kI32, places, -extent, extent - 1)},
          {{"axis", static_cast<int64_t>(axis)}}};
}

Case draw_gather_nd(Rng& rng) {
  Sizes sizes = any_sizes(rng, 2, 4);
  const int64_t least = *std::ranges::min_element(sizes);
  const auto batches = static_cast<size_t>(rng.between(0, 1));
  const auto length = static_cast<int64_t>(rng.between(1, static_cast<int64_t>(sizes.size() - batches)));
  Sizes places(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(batches));
  for (int64_t size : any_sizes(rng, batches == 0 ? 1 : 0, 2)) places.push_back(size);
  places.push_back(length);
  return {
      {operand(sizes), of(DType::kI64, places, static_cast<double>(-least), static_cast<double>(least - 1))},
      {{"batch_dims", static_cast<int64_t>(batches)}}};
}

/// Without duplicates where the last update would count.
Case draw_scatter_elements(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 3);
  const auto axis = rng.below(sizes.size());
  const std::string reduction = any_of(rng, {"none", "add", "mul", "max", "min"});
  Sizes places = sizes;
  for (int64_t& size : places) size = rng.between(1, size);
  if (reduction == "none") places[axis] = 1;
  const auto extent = static_cast<double>(sizes[axis]);
  return {{operand(sizes), of(DType::kI64, places, -extent, extent - 1), operand(places)},
          {{"axis", static_cast<int64_t>(axis)}, {"reduction", reduction}}};
}

Case draw_scatter_nd(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 3);
  const int64_t least = *std::ranges::min_element(sizes);
  const std::string reduction = any_of(rng, {"none", "add", "mul", "max", "min"});
  const auto length = rng.between(1, static_cast<int64_t>(sizes.size()));
  const int64_t count = reduction == "none" ? 1 : rng.between(1, 3);
  Sizes updates = {count};
  updates.insert(updates.end(), sizes.begin() + length, sizes.end());
  return {{operand(sizes),
           of(DType::kI64, {count, length}, static_cast<double>(-least), static_cast<double>(least - 1)),
           operand(updates)},
          {{"reduction", reduction}}};
}

Case draw_one_hot(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 3);
  const int64_t depth = rng.between(1, 5), rank = static_cast<int64_t>(sizes.size());
  return {{of(DType::kI64, sizes, static_cast<double>(-depth), static_cast<double>(depth - 1)), operand({2})},
          {{"depth", depth}, {"axis", rng.between(-rank - 1, rank)}}};
}

Case draw_hardmax(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 4);
  return {{operand(sizes)}, {{"axis", static_cast<int64_t>(rng.below(sizes.size()))}}};
}

Case draw_reverse_sequence(Rng& rng) {
  Sizes sizes = any_sizes(rng, 2, 3);
  const int64_t time = rng.between(0, 1);
  const auto steps = static_cast<double>(sizes[static_cast<size_t>(time)]);
  const int64_t batches = sizes[static_cast<size_t>(1 - time)];
  return {{operand(std::move(sizes)), of(DType::kI64, {batches}, 1, steps)},
          {{"batch_axis", 1 - time}, {"time_axis", time}}};
}

Case draw_tensor_scatter(Rng& rng) {
  const int64_t batches = rng.between(1, 2), length = rng.between(2, 5), fresh = rng.between(1, 2),
                width = rng.between(1, 3);
  Case c{{operand({batches, length, width}), operand({batches, fresh, width})},
         {{"axis", int64_t{-2}}, {"mode", std::string("linear")}}};
  if (rng.chance(0.7))
    c.operands.push_back(of(DType::kI64, {batches}, 0, static_cast<double>(length - fresh)));
  return c;
}

// Sums

Case draw_einsum(Rng& rng) {
  const Sizes s = any_sizes(rng, 4, 4);
  switch (rng.below(5)) {
    case 0: return {{operand({s[0], s[1]})}, {{"equation", std::string("ij->ji")}}};
    case 1:
      return {{operand({s[0], s[1], s[2]}), operand({s[0], s[2], s[3]})},
              {{"equation", std::string("bij,bjk->bik")}}};
    case 2: return {{operand({s[0], s[1], s[1]})}, {{"equation", std::string("...ii->...i")}}};
    case 3: return {{operand({s[0], s[1]}), operand({s[1], s[2]})}, {{"equation", std::string("ij,jk")}}};
    default: return {{operand({s[0], s[1]}), operand({s[0], s[1]})}, {{"equation", std::string("ij,ij->i")}}};
  }
}

Case draw_cumprod(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 3);
  return {{operand(sizes, 0.5, 1.5)},
          {{"axis", static_cast<int64_t>(rng.below(sizes.size()))},
           {"exclusive", rng.between(0, 1)},
           {"reverse", rng.between(0, 1)}}};
}

Case draw_lp_pool(Rng& rng) {
  return {{operand({rng.between(1, 2), rng.between(1, 3), rng.between(3, 6), rng.between(3, 6)})},
          {{"kernel", Sizes{2, 3}},
           {"strides", Sizes{rng.between(1, 2), 1}},
           {"dilations", Sizes{1, 1}},
           {"pads", Sizes{rng.between(0, 1), 0, 0, rng.between(0, 1)}},
           {"ceil_mode", int64_t{0}},
           {"p", rng.between(1, 3)}}};
}

// Losses

Draw loss(bool of_softmax) {
  return [=](Rng& rng) {
    Sizes x = any_sizes(rng, 2, 4), target = x;
    target.erase(target.begin() + 1);
    const int64_t classes = x[1];
    Case c{{operand(x), of(DType::kI64, target, 0, static_cast<double>(classes - 1))},
           {{"reduction", any_of(rng, {"none", "sum", "mean"})}}};
    if (rng.chance(0.5)) c.operands.push_back(operand({classes}, 0.5, 2));
    if (of_softmax && rng.chance(0.3)) c.attrs.emplace_back("ignore_index", int64_t{-1});
    return c;
  };
}

// Quantised

Case draw_quantize_linear(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 2, 3);
  const auto axis = rng.below(sizes.size());
  const bool each = rng.chance(0.5);
  const Sizes scale = each ? Sizes{sizes[axis]} : Sizes{};
  const DType to = rng.chance(0.5) ? DType::kU8 : DType::kI8;
  return {{operand(sizes), operand(scale, 0.05, 0.5), of(to, scale, 0, 20)},
          {{"axis", static_cast<int64_t>(axis)}}};
}

Case draw_dequantize_linear(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 2, 3);
  const auto axis = rng.below(sizes.size());
  const Sizes scale = rng.chance(0.5) ? Sizes{sizes[axis]} : Sizes{};
  const DType from = rng.chance(0.5) ? DType::kU8 : DType::kI8;
  return {{of(from, sizes, -100, 100), operand(scale, 0.05, 0.5), of(from, scale, 0, 20)},
          {{"axis", static_cast<int64_t>(axis)}}};
}

Case draw_dynamic_quantize(Rng& rng) { return {{operand(any_sizes(rng, 1, 3))}}; }

Case draw_matmul_integer(Rng& rng) {
  const int64_t m = rng.between(1, 4), k = rng.between(1, 4), n = rng.between(1, 4);
  Case c{{of(DType::kU8, {m, k}, 0, 255), of(DType::kU8, {k, n}, 0, 255)}, {}};
  Sizes given = {0, 1};
  for (const int64_t input : {2, 3})
    if (rng.chance(0.6)) {
      c.operands.push_back(of(DType::kU8, {}, 0, 200));
      given.push_back(input);
    }
  c.attrs.emplace_back("given", given);
  return c;
}

Case draw_conv_integer(Rng& rng) {
  const int64_t channels = rng.between(1, 2), out = rng.between(1, 3);
  Case c{{of(DType::kU8, {1, channels, rng.between(3, 5), 4}, 0, 255),
          of(DType::kU8, {out, channels, 2, 2}, 0, 255)},
         {{"strides", Sizes{1, 1}},
          {"dilations", Sizes{1, 1}},
          {"pads", Sizes{0, 0, 0, 0}},
          {"group", int64_t{1}}}};
  Sizes given = {0, 1};
  if (rng.chance(0.6)) {
    c.operands.push_back(of(DType::kU8, {}, 0, 200));
    given.push_back(2);
  }
  c.attrs.emplace_back("given", given);
  return c;
}

/// x, scale, zero point twice, then those of the result.
std::vector<Operand> qlinear(DType dtype, const Sizes& a, const Sizes& b) {
  return {of(dtype, a, 0, 120),   operand({}, 0.05, 0.2), of(dtype, {}, 0, 20),  of(dtype, b, 0, 120),
          operand({}, 0.05, 0.2), of(dtype, {}, 0, 20),   operand({}, 0.5, 2.0), of(dtype, {}, 0, 20)};
}

Case draw_qlinear_matmul(Rng& rng) {
  const int64_t m = rng.between(1, 4), k = rng.between(1, 4), n = rng.between(1, 4);
  return {qlinear(DType::kU8, {m, k}, {k, n})};
}

Case draw_qlinear_conv(Rng& rng) {
  const int64_t channels = rng.between(1, 2), out = rng.between(1, 3);
  return {qlinear(DType::kU8, {1, channels, rng.between(3, 5), 4}, {out, channels, 2, 2}),
          {{"strides", Sizes{1, 1}},
           {"dilations", Sizes{1, 1}},
           {"pads", Sizes{0, 0, 0, 0}},
           {"group", int64_t{1}}}};
}

// Sequences

Draw recurrent(int64_t gates, bool cell) {
  return [=](Rng& rng) {
    const int64_t steps = rng.between(1, 4), batch = rng.between(1, 3), width = rng.between(1, 3),
                  hidden = rng.between(1, 3);
    const std::string direction = any_of(rng, {"forward", "reverse", "bidirectional"});
    const int64_t ways = direction == "bidirectional" ? 2 : 1;
    Case c{{operand({steps, batch, width}), operand({ways, gates * hidden, width}, -1, 1),
            operand({ways, gates * hidden, hidden}, -1, 1)},
           {{"hidden", hidden}, {"direction", direction}}};
    Sizes given = {0, 1, 2};
    const auto add = [&](int64_t input, Operand o) {
      c.operands.push_back(std::move(o));
      given.push_back(input);
    };
    if (rng.chance(0.6)) add(3, operand({ways, 2 * gates * hidden}, -1, 1));
    if (rng.chance(0.3)) add(4, of(DType::kI32, {batch}, 0, static_cast<double>(steps)));
    if (rng.chance(0.5)) {
      add(5, operand({ways, batch, hidden}, -1, 1));
      if (cell) add(6, operand({ways, batch, hidden}, -1, 1));
    }
    c.attrs.emplace_back("given", given);
    if (gates == 3) c.attrs.emplace_back("linear_before_reset", rng.between(0, 1));
    return c;
  };
}

// What is found

Case draw_non_zero(Rng& rng) {
  const DType dtype = rng.chance(0.5) ? DType::kF32 : rng.chance(0.5) ? DType::kI64 : DType::kBool;
  return {{of(dtype, any_sizes(rng, 1, 4), -1, 1)}};
}

/// Whole numbers, of which some are there more than once.
Case draw_unique(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 3);
  Case c{{of(rng.chance(0.5) ? DType::kI64 : DType::kI8, sizes, 0, 2)}, {{"sorted", rng.between(0, 1)}}};
  if (rng.chance(0.5)) c.attrs.emplace_back("axis", static_cast<int64_t>(rng.below(sizes.size())));
  return c;
}

Case draw_non_max_suppression(Rng& rng) {
  const int64_t batches = rng.between(1, 2), boxes = rng.between(1, 8);
  Case c{{operand({batches, boxes, 4}, 0, 2), operand({batches, rng.between(1, 3), boxes}, 0, 1)},
         {{"most", rng.between(0, 4)},
          {"overlap", 0.125 * static_cast<double>(rng.between(0, 6))},
          {"center", rng.between(0, 1)}}};
  if (rng.chance(0.5)) c.attrs.emplace_back("least", 0.25);
  return c;
}

// Images

Case draw_resize(Rng& rng) {
  const std::string mode = any_of(rng, {"nearest", "linear", "cubic"});
  const std::string coordinates =
      any_of(rng, {"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"});
  Case c{{operand({1, rng.between(1, 2), rng.between(2, 5), rng.between(2, 5)})},
         {{"axes", Sizes{0, 1, 2, 3}},
          {"mode", mode},
          {"coordinates", coordinates},
          {"nearest", any_of(rng, {"round_prefer_floor", "floor", "ceil"})}}};
  const Sizes& x = c.operands[0].sizes;
  if (rng.chance(0.5)) {
    c.attrs.emplace_back("sizes", Sizes{x[0], x[1], rng.between(2, 8), rng.between(2, 8)});
  } else {
    c.attrs.emplace_back("sizes", Sizes{});
    const double any = 0.1 * static_cast<double>(rng.between(5, 27));  // 1.4 is less in single precision
    c.attrs.emplace_back("scales", std::vector<double>{1, 1, any, 2});
  }
  return c;
}

Case draw_grid_sample(Rng& rng) {
  const int64_t batch = rng.between(1, 2);
  return {{operand({batch, rng.between(1, 2), rng.between(2, 4), rng.between(2, 4)}),
           operand({batch, rng.between(1, 3), rng.between(1, 3), 2}, -1.2, 1.2)},
          {{"mode", any_of(rng, {"linear", "nearest", "cubic"})},
           {"padding", any_of(rng, {"zeros", "border", "reflection"})},
           {"align_corners", rng.between(0, 1)}}};
}

Case draw_affine_grid(Rng& rng) {
  const int64_t batch = rng.between(1, 2);
  return {{operand({batch, 2, 3})},
          {{"size", Sizes{batch, 1, rng.between(2, 4), rng.between(2, 4)}},
           {"align_corners", rng.between(0, 1)}}};
}

Case draw_dft(Rng& rng) {
  const bool complex = rng.chance(0.5);
  const int64_t onesided = complex ? 0 : rng.between(0, 1);
  return {{operand({rng.between(1, 2), rng.between(2, 6), complex ? 2 : 1})},
          {{"axis", int64_t{1}}, {"inverse", complex ? rng.between(0, 1) : 0}, {"onesided", onesided}}};
}

Case draw_col2im(Rng& rng) {
  const int64_t height = rng.between(3, 5), width = rng.between(3, 5), channels = rng.between(1, 2);
  return {{operand({1, channels * 4, (height - 1) * (width - 1)})},
          {{"image", Sizes{height, width}},
           {"block", Sizes{2, 2}},
           {"strides", Sizes{1, 1}},
           {"dilations", Sizes{1, 1}},
           {"pads", Sizes{0, 0, 0, 0}}}};
}

// Normalisations and attention

Case draw_layer_norm_statistics(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 2, 3);
  const int64_t axis = rng.between(0, static_cast<int64_t>(sizes.size()) - 1);
  const Sizes rest(sizes.begin() + axis, sizes.end());
  return {{operand(sizes), operand(rest), operand(rest)}, {{"axis", axis}, {"epsilon", 0.25}}};
}

Case draw_group_norm(Rng& rng) {
  const int64_t groups = rng.between(1, 3), channels = groups * rng.between(1, 2);
  return {{operand({rng.between(1, 2), channels, rng.between(2, 3), 2}), operand({channels}),
           operand({channels})},
          {{"groups", groups}, {"epsilon", 0.25}}};
}

Case draw_lp_norm(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 3);
  return {{operand(sizes, 0.5, 3)},
          {{"axis", static_cast<int64_t>(rng.below(sizes.size()))}, {"p", rng.between(1, 2)}}};
}

Case draw_mean_variance_norm(Rng& rng) {
  return {{operand({2, rng.between(1, 3), rng.between(2, 4), rng.between(2, 4)})},
          {{"axes", Sizes{0, 2, 3}}}};
}

Case draw_shrink(Rng& rng) {
  return {{operand(any_sizes(rng, 0, 3))},
          {{"lambda", 0.25 * static_cast<double>(rng.between(1, 6))}, {"bias", 0.5}}};
}

Case draw_swiglu(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 3);
  return {{operand(sizes), operand(sizes)}, {{"alpha", 0.5}}};
}

Case draw_full_attention(Rng& rng) {
  const int64_t batch = rng.between(1, 2), shared = rng.between(1, 2), heads = shared * rng.between(1, 2),
                queries = rng.between(1, 3), keys = rng.between(1, 3), width = rng.between(1, 4);
  Case c{{operand({batch, heads, queries, width}, -1, 1), operand({batch, shared, keys, width}, -1, 1),
          operand({batch, shared, keys, width}, -1, 1)},
         {{"is_causal", rng.between(0, 1)}, {"scale", 0.5}}};
  Sizes given = {0, 1, 2};
  const int64_t past = rng.chance(0.4) ? rng.between(1, 2) : 0;
  if (rng.chance(0.5)) {
    c.operands.push_back(operand({queries, keys + past}, -1, 1));
    given.push_back(3);
  }
  if (past > 0)
    for (const int64_t input : {4, 5}) {
      c.operands.push_back(operand({batch, shared, past, width}, -1, 1));
      given.push_back(input);
    }
  c.attrs.emplace_back("given", given);
  return c;
}

Case draw_causal_conv(Rng& rng) {
  const int64_t batch = rng.between(1, 2), channels = rng.between(1, 3), kernel = rng.between(2, 3);
  Case c{{operand({batch, channels, rng.between(1, 4)}), operand({channels, 1, kernel})},
         {{"activation", any_of(rng, {"none", "silu"})}}};
  Sizes given = {0, 1};
  if (rng.chance(0.5)) {
    c.operands.push_back(operand({channels}));
    given.push_back(2);
  }
  if (rng.chance(0.5)) {
    c.operands.push_back(operand({batch, channels, kernel - 1}));
    given.push_back(3);
  }
  c.attrs.emplace_back("given", given);
  return c;
}

Case draw_linear_attention(Rng& rng) {
  const int64_t batch = rng.between(1, 2), steps = rng.between(1, 3), keys = rng.between(1, 2),
                heads = keys * rng.between(1, 2), width = rng.between(1, 3), values = rng.between(1, 3);
  const std::string rule = any_of(rng, {"linear", "gated", "delta", "gated_delta"});
  Case c{{operand({batch, steps, heads * width}, -1, 1), operand({batch, steps, keys * width}, -1, 1),
          operand({batch, steps, keys * values}, -1, 1)},
         {{"q_heads", heads}, {"kv_heads", keys}, {"rule", rule}}};
  Sizes given = {0, 1, 2};
  const auto add = [&](int64_t input, Operand o) {
    c.operands.push_back(std::move(o));
    given.push_back(input);
  };
  if (rng.chance(0.5)) add(3, operand({batch, keys, width, values}, -1, 1));
  if (rule.starts_with("gated")) add(4, operand({batch, steps, keys}, -1, 0));
  if (rule.ends_with("delta")) add(5, operand({batch, steps, keys}, 0, 1));
  c.attrs.emplace_back("given", given);
  return c;
}

Case draw_cast_like(Rng& rng) {
  const DType to = rng.chance(0.5) ? DType::kF64 : DType::kI32;
  return {{operand(any_sizes(rng, 0, 3)), of(to, any_sizes(rng, 0, 2), 0, 3)}};
}

Case draw_cast_unsaturated(Rng& rng) {
  const DType to = rng.chance(0.5) ? DType::kF8E4M3FN : DType::kF8E5M2;
  // Not between the largest number of a type and where the next would be, which ONNX Runtime rounds down.
  const bool beyond = rng.chance(0.5);
  return {{operand(any_sizes(rng, 0, 3), beyond ? 70000 : -440, beyond ? 90000 : 440)},
          {{"to", static_cast<int64_t>(to)}}};
}

}  // namespace

void add_further_cases(std::map<std::string, Draw>& t) {
  t["gather_elements"] = draw_gather_elements;
  t["gather_nd"] = draw_gather_nd;
  t["scatter_elements"] = draw_scatter_elements;
  t["scatter_nd"] = draw_scatter_nd;
  t["one_hot"] = draw_one_hot;
  t["hardmax"] = draw_hardmax;
  t["reverse_sequence"] = draw_reverse_sequence;
  t["tensor_scatter"] = draw_tensor_scatter;
  t["einsum"] = draw_einsum;
  t["cumprod"] = draw_cumprod;
  t["lp_pool"] = draw_lp_pool;
  t["nll_loss"] = loss(false);
  t["softmax_cross_entropy"] = loss(true);
  t["quantize_linear"] = draw_quantize_linear;
  t["dequantize_linear"] = draw_dequantize_linear;
  t["dynamic_quantize_linear"] = draw_dynamic_quantize;
  t["matmul_integer"] = draw_matmul_integer;
  t["conv_integer"] = draw_conv_integer;
  t["qlinear_matmul"] = draw_qlinear_matmul;
  t["qlinear_conv"] = draw_qlinear_conv;
  t["lstm"] = recurrent(4, true);
  t["gru"] = recurrent(3, false);
  t["rnn"] = recurrent(1, false);
  t["non_zero"] = draw_non_zero;
  t["unique"] = draw_unique;
  t["non_max_suppression"] = draw_non_max_suppression;
  t["resize"] = draw_resize;
  t["grid_sample"] = draw_grid_sample;
  t["affine_grid"] = draw_affine_grid;
  t["dft"] = draw_dft;
  t["col2im"] = draw_col2im;
  t["layer_norm_statistics"] = draw_layer_norm_statistics;
  t["group_norm"] = draw_group_norm;
  t["lp_norm"] = draw_lp_norm;
  t["mean_variance_norm"] = draw_mean_variance_norm;
  t["shrink"] = draw_shrink;
  t["swiglu"] = draw_swiglu;
  t["full_attention"] = draw_full_attention;
  t["linear_attention"] = draw_linear_attention;
  t["cast_like"] = draw_cast_like;
  t["cast_unsaturated"] = draw_cast_unsaturated;
  t["causal_conv"] = draw_causal_conv;
}

}  // namespace isomer::conformance
