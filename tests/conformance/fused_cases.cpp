// Operators that stand for what runtimes compute at one go: attention, normalised sums, products with
// transposes.
#include "conformance/op_cases.h"

namespace isomer::conformance {
namespace {

using ir::DType;
using Sizes = std::vector<int64_t>;

Case draw_sum(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 0, 4);
  return {{operand(sizes), operand(sizes)}};
}

Case draw_sum_layer_norm(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 4);
  const int64_t axis = rng.between(0, static_cast<int64_t>(sizes.size()) - 1);
  const Sizes tail(sizes.begin() + axis, sizes.end());
  Case c{{operand(sizes), operand(sizes), operand(tail)}, {{"axis", axis}, {"epsilon", 0.25}}};
  if (rng.chance(0.5)) c.operands.push_back(operand(tail));
  return c;
}

Draw skip(bool bias) {
  return [=](Rng& rng) {
    const Sizes sizes = any_sizes(rng, 3, 3);
    Case c{{operand(sizes), operand(sizes), operand({sizes[2]})}, {{"epsilon", 0.25}}};
    if (bias) c.operands.push_back(operand({sizes[2]}));
    return c;
  };
}

Case draw_fused_matmul(Rng& rng) {
  const int64_t m = rng.between(1, 4), k = rng.between(1, 5), n = rng.between(1, 4);
  const int64_t trans_a = rng.between(0, 1), trans_b = rng.between(0, 1);
  Sizes a = any_sizes(rng, 0, 2), b = a;
  const Sizes left = trans_a ? Sizes{k, m} : Sizes{m, k}, right = trans_b ? Sizes{n, k} : Sizes{k, n};
  a.insert(a.end(), left.begin(), left.end());
  b.insert(b.end(), right.begin(), right.end());
  return {{operand(a), operand(b)}, {{"alpha", any_factor(rng)}, {"trans_a", trans_a}, {"trans_b", trans_b}}};
}

Case draw_fused_conv(Rng& rng) {
  constexpr const char* kActivations[] = {"relu", "sigmoid", "tanh", "leaky_relu", "hard_sigmoid", "clip"};
  const std::string activation = kActivations[rng.below(std::size(kActivations))];
  const int64_t n = rng.between(1, 2), channels = rng.between(1, 3), out = rng.between(1, 3),
                size = rng.between(3, 5);
  const int64_t kernel = rng.between(0, 1) * 2 + 1;
  Case c{{operand({n, channels, size, size}), operand({out, channels, kernel, kernel})},
         {{"strides", Sizes{1, 1}},
          {"dilations", Sizes{1, 1}},
          {"pads", Sizes(4, kernel / 2)},
          {"activation", activation}}};
  if (rng.chance(0.7)) c.operands.push_back(operand({out}));
  if (c.operands.size() == 3 && rng.chance(0.5)) c.operands.push_back(operand({n, out, size, size}));
  if (activation == "leaky_relu") c.attrs.emplace_back("alpha", 0.25);
  if (activation == "hard_sigmoid" || activation == "clip") {
    c.attrs.emplace_back("alpha", 0.25);
    c.attrs.emplace_back("beta", 0.5);
  }
  return c;
}

Case draw_bias_gelu(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 3);
  return {{operand(sizes), operand({sizes.back()})},
          {{"approximate", std::string(rng.chance(0.5) ? "tanh" : "none")}}};
}

Case draw_quick_gelu(Rng& rng) { return {{operand(any_sizes(rng, 1, 3))}, {{"alpha", any_factor(rng)}}}; }

Operand mask(Rng& rng, int64_t b, int64_t h, int64_t s, int64_t t) {
  return operand({rng.chance(0.5) ? b : 1, rng.chance(0.5) ? h : 1, s, t});
}

Case draw_attention(Rng& rng) {
  const int64_t b = rng.between(1, 2), h = rng.between(1, 3), s = rng.between(1, 4), t = rng.between(1, 4),
                d = rng.between(1, 4), e = rng.between(1, 4);
  Case c{{operand({b, h, s, d}), operand({b, h, t, d}), operand({b, h, t, e})}, {{"scale", any_factor(rng)}}};
  if (rng.chance(0.5)) c.operands.push_back(mask(rng, b, h, s, t));
  return c;
}

Case draw_multi_head(Rng& rng) {
  const int64_t b = rng.between(1, 2), h = rng.between(1, 3), s = rng.between(1, 4), t = rng.between(1, 4),
                d = rng.between(1, 4), e = rng.between(1, 4);
  Case c{{operand({b, s, h * d}), operand({b, t, h * d}), operand({b, t, h * e})},
         {{"heads", h}, {"scale", any_factor(rng)}}};
  if (rng.chance(0.5)) c.operands.push_back(mask(rng, b, h, s, t));
  return c;
}

Case draw_rotary(Rng& rng) {
  const int64_t b = rng.between(1, 2), h = rng.between(1, 3), s = rng.between(1, 4), half = rng.between(1, 3);
  return {{operand({b, h, s, 2 * half}), operand({b, s, half}), operand({b, s, half})},
          {{"interleaved", rng.between(0, 1)}}};
}

Case draw_upsample(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 4);
  Sizes factors;
  for (size_t i = 0; i < sizes.size(); ++i)
    factors.push_back(i < 2 && sizes.size() > 2 ? 1 : rng.between(1, 3));
  return {{operand(sizes)}, {{"factors", factors}}};
}

}  // namespace

void add_fused_cases(std::map<std::string, Draw>& cases) {
  cases["sum"] = draw_sum;
  cases["sum_layer_norm"] = draw_sum_layer_norm;
  cases["skip_layer_norm"] = skip(true);
  cases["skip_rms_norm"] = skip(false);
  cases["fused_matmul"] = draw_fused_matmul;
  cases["fused_conv"] = draw_fused_conv;
  cases["bias_gelu"] = draw_bias_gelu;
  cases["quick_gelu"] = draw_quick_gelu;
  cases["attention"] = draw_attention;
  cases["multi_head_attention"] = draw_multi_head;
  cases["rotary_embedding"] = draw_rotary;
  cases["upsample"] = draw_upsample;
}

}  // namespace isomer::conformance
