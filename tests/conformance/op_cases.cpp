#include "conformance/op_cases.h"

#include <algorithm>

namespace isomer::conformance {
namespace {

using ir::DType;
using Sizes = std::vector<int64_t>;

/// Half the time f32, else any of those that arithmetic or logic takes.
DType any_dtype(Rng& rng) {
  constexpr DType kOthers[] = {DType::kF64, DType::kF16, DType::kI32, DType::kI64, DType::kI8,  DType::kU8,
                               DType::kI16, DType::kU16, DType::kU32, DType::kU64, DType::kBool};
  return rng.chance(0.5) ? DType::kF32 : kOthers[rng.below(std::size(kOthers))];
}

DType any_float(Rng& rng) {
  return rng.chance(0.7) ? DType::kF32 : rng.chance(0.6) ? DType::kF64 : DType::kF16;
}

Operand operand(DType dtype, Sizes sizes, double lo = -3, double hi = 3) {
  return {dtype, std::move(sizes), lo, hi};
}

/// A strictly rising choice among 0 .. rank - 1.
Sizes some_axes(Rng& rng, size_t rank, bool nonempty) {
  Sizes out;
  for (size_t i = 0; i < rank; ++i)
    if (rng.chance(0.5)) out.push_back(static_cast<int64_t>(i));
  if (out.empty() && nonempty && rank > 0) out.push_back(static_cast<int64_t>(rng.below(rank)));
  return out;
}

Draw unary(double lo, double hi, bool special = false) {
  return [=](Rng& rng) {
    Case c{{operand(any_dtype(rng), any_sizes(rng, 0, 4), lo, hi)}};
    c.operands[0].special = special;
    return c;
  };
}

/// Unary with float attributes, each at random.
Draw unary_with(std::vector<const char*> attrs) {
  return [=](Rng& rng) {
    Case c{{operand(any_float(rng), any_sizes(rng, 0, 4))}};
    for (const char* attr : attrs) c.attrs.emplace_back(attr, any_factor(rng));
    return c;
  };
}

Draw binary(double lo = -3, double hi = 3, double lo_right = -3, double hi_right = 3) {
  return [=](Rng& rng) {
    const DType dtype = any_dtype(rng);
    const Sizes sizes = any_sizes(rng, 0, 4);
    return Case{{operand(dtype, sizes, lo, hi), operand(dtype, sizes, lo_right, hi_right)}};
  };
}

Case draw_mod(Rng& rng) {
  const DType dtype = any_dtype(rng);
  const Sizes sizes = any_sizes(rng, 0, 3);
  const bool negative = ir::name(dtype)[0] != 'u' && rng.chance(0.5);
  return {{operand(dtype, sizes, -20, 20), operand(dtype, sizes, negative ? -7 : 1, negative ? -1 : 7)},
          {{"fmod", rng.between(0, 1)}}};
}

Case draw_shift(Rng& rng) {
  const DType dtype = any_dtype(rng);
  const Sizes sizes = any_sizes(rng, 0, 3);
  return {{operand(dtype, sizes, 0, 200), operand(dtype, sizes, 0, 7)},
          {{"direction", std::string(rng.chance(0.5) ? "LEFT" : "RIGHT")}}};
}

Case draw_where(Rng& rng) {
  const DType dtype = any_dtype(rng);
  const Sizes sizes = any_sizes(rng, 0, 3);
  return {{operand(DType::kBool, sizes, 0, 1), operand(dtype, sizes), operand(dtype, sizes)}};
}

Case draw_cast(Rng& rng) {
  const DType to = any_dtype(rng);
  const bool unsigned_to = to == DType::kU8 || to == DType::kU16 || to == DType::kU32 || to == DType::kU64;
  return {{operand(any_dtype(rng), any_sizes(rng, 0, 3), unsigned_to ? 0 : -100, 100)},
          {{"to", static_cast<int64_t>(to)}}};
}

Case draw_clip(Rng& rng) {
  Case c{{operand(any_dtype(rng), any_sizes(rng, 0, 3), -6, 6)}};
  if (rng.chance(0.8)) c.attrs.emplace_back("min", static_cast<double>(rng.between(-3, 1)));
  if (rng.chance(0.8)) c.attrs.emplace_back("max", static_cast<double>(rng.between(-1, 4)));
  return c;
}

Case draw_gelu(Rng& rng) {
  return {{operand(any_float(rng), any_sizes(rng, 0, 3), -4, 4)},
          {{"approximate", std::string(rng.chance(0.5) ? "tanh" : "none")}}};
}

Case draw_matmul(Rng& rng) {
  const DType dtype = rng.chance(0.8) ? any_float(rng) : any_dtype(rng);
  const int64_t m = rng.between(1, 5), k = rng.between(1, 6), n = rng.between(1, 5);
  const Sizes batch = any_sizes(rng, 0, 2, 3);
  Sizes a = batch, b = batch;
  if (rng.chance(0.3)) (rng.chance(0.5) ? a : b).clear();
  a.insert(a.end(), {m, k});
  b.insert(b.end(), {k, n});
  return {{operand(dtype, a), operand(dtype, b)}};
}

Case draw_gemm(Rng& rng) {
  const DType dtype = any_float(rng);
  const int64_t m = rng.between(1, 5), k = rng.between(1, 6), n = rng.between(1, 5);
  const bool trans_a = rng.chance(0.5), trans_b = rng.chance(0.5), plain = rng.chance(0.3);
  Case c{{operand(dtype, trans_a ? Sizes{k, m} : Sizes{m, k}),
          operand(dtype, trans_b ? Sizes{n, k} : Sizes{k, n})},
         {{"trans_a", int64_t{trans_a}},
          {"trans_b", int64_t{trans_b}},
          {"alpha", plain ? 1.0 : any_factor(rng)},
          {"beta", plain ? 1.0 : any_factor(rng)}}};
  if (rng.chance(0.7)) c.operands.push_back(operand(dtype, {m, n}));
  return c;
}

/// kernel, strides, dilations and pads for 1 to 3 spatial dimensions, and input sizes that the window fits
/// into.
struct Slide {
  Sizes sizes, kernel, strides, dilations, pads;
};

Slide any_slide(Rng& rng, bool pool) {
  Slide s;
  const auto rank = static_cast<size_t>(rng.chance(0.6) ? 2 : rng.between(1, 3));
  s.pads.resize(2 * rank);
  for (size_t i = 0; i < rank; ++i) {
    s.kernel.push_back(rng.between(1, 3));
    s.strides.push_back(rng.between(1, 3));
    s.dilations.push_back(rng.chance(0.7) ? 1 : 2);
    const int64_t extent = (s.kernel[i] - 1) * s.dilations[i] + 1;
    for (size_t side : {i, i + rank})
      s.pads[side] = rng.chance(0.5) ? 0 : rng.between(0, pool ? s.kernel[i] - 1 : 2);
    s.sizes.push_back(extent + rng.between(0, 5));
  }
  return s;
}

Sizes joined(Sizes first, const Sizes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Case draw_conv(Rng& rng) {
  const Slide s = any_slide(rng, false);
  const DType dtype = rng.chance(0.85) ? DType::kF32 : any_float(rng);
  const int64_t group = rng.chance(0.5) ? 1 : rng.between(2, 3);
  const int64_t in = rng.between(1, 3), out = rng.between(1, 3) * group;
  Case c{{operand(dtype, joined({rng.between(1, 2), in * group}, s.sizes)),
          operand(dtype, joined({out, in}, s.kernel))},
         {{"strides", s.strides}, {"dilations", s.dilations}, {"pads", s.pads}, {"group", group}}};
  if (rng.chance(0.5)) c.operands.push_back(operand(dtype, {out}));
  return c;
}

Case draw_conv_transpose(Rng& rng) {
  const Slide s = any_slide(rng, false);
  const DType dtype = rng.chance(0.85) ? DType::kF32 : any_float(rng);
  const int64_t group = rng.chance(0.5) ? 1 : 2;
  const int64_t in = rng.between(1, 3), out = rng.between(1, 3);
  Sizes extra;
  for (int64_t stride : s.strides) extra.push_back(rng.chance(0.5) ? 0 : rng.between(0, stride - 1));
  Case c{{operand(dtype, joined({rng.between(1, 2), in * group}, s.sizes)),
          operand(dtype, joined({in * group, out}, s.kernel))},
         {{"strides", s.strides},
          {"dilations", s.dilations},
          {"pads", s.pads},
          {"output_padding", extra},
          {"group", group}}};
  if (rng.chance(0.5)) c.operands.push_back(operand(dtype, {out * group}));
  return c;
}

Draw pool(bool average) {
  return [=](Rng& rng) {
    const Slide s = any_slide(rng, true);
    const DType dtype = rng.chance(0.85) ? DType::kF32 : any_dtype(rng);
    Case c{{operand(dtype, joined({rng.between(1, 2), rng.between(1, 3)}, s.sizes))},
           {{"kernel", s.kernel},
            {"strides", s.strides},
            {"dilations", s.dilations},
            {"pads", s.pads},
            {"ceil_mode", rng.between(0, 1)}}};
    if (average) c.attrs.emplace_back("count_include_pad", rng.between(0, 1));
    return c;
  };
}

Case draw_global_pool(Rng& rng) { return {{operand(any_float(rng), any_sizes(rng, 3, 5))}}; }

Draw reduction(double lo = -2) {
  return [=](Rng& rng) {
    const DType dtype = rng.chance(0.8) ? any_float(rng) : any_dtype(rng);
    const Sizes sizes = any_sizes(rng, 1, 4);
    return Case{{operand(dtype, sizes, lo, 2)},
                {{"axes", some_axes(rng, sizes.size(), true)}, {"keepdims", rng.between(0, 1)}}};
  };
}

Case draw_broadcast(Rng& rng) {
  const Sizes out = any_sizes(rng, 0, 4);
  Sizes in(out.begin() + static_cast<std::ptrdiff_t>(rng.below(out.size() + 1)), out.end());
  for (int64_t& size : in)
    if (rng.chance(0.4)) size = 1;
  return {{operand(any_dtype(rng), in)}, {{"shape", ir::static_shape(out)}}};
}

Case draw_reshape(Rng& rng) {
  Sizes factors = any_sizes(rng, 0, 5, 3), in, out;
  for (Sizes* shape : {&in, &out})
    for (size_t i = 0; i < factors.size(); ++i) {
      if (shape->empty() || rng.chance(0.5))
        shape->push_back(factors[i]);
      else
        shape->back() *= factors[i];
    }
  return {{operand(any_dtype(rng), in)}, {{"shape", ir::static_shape(out)}}};
}

Case draw_squeeze(Rng& rng) {
  Sizes sizes = any_sizes(rng, 1, 4);
  const Sizes axes = some_axes(rng, sizes.size(), true);
  for (int64_t axis : axes) sizes[static_cast<size_t>(axis)] = 1;
  return {{operand(any_dtype(rng), sizes)}, {{"axes", axes}}};
}

Case draw_unsqueeze(Rng& rng) {
  const Sizes axes = some_axes(rng, 4, true);
  return {{operand(any_dtype(rng), any_sizes(rng, 4 - static_cast<int64_t>(axes.size()),
                                             4 - static_cast<int64_t>(axes.size())))},
          {{"axes", axes}}};
}

Case draw_transpose(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 0, 4);
  Sizes perm(sizes.size());
  for (size_t i = 0; i < perm.size(); ++i) {
    perm[i] = static_cast<int64_t>(i);
    std::swap(perm[i], perm[rng.below(i + 1)]);
  }
  return {{operand(any_dtype(rng), sizes)}, {{"perm", perm}}};
}

Case draw_concat(Rng& rng) {
  const DType dtype = any_dtype(rng);
  Sizes sizes = any_sizes(rng, 1, 4);
  const auto axis = rng.below(sizes.size());
  Case c{{}, {{"axis", static_cast<int64_t>(axis)}}};
  for (int64_t n = rng.between(1, 4); n > 0; --n) {
    sizes[axis] = rng.between(1, 3);
    c.operands.push_back(operand(dtype, sizes));
  }
  return c;
}

Case draw_split(Rng& rng) {
  Sizes sizes = any_sizes(rng, 1, 4), parts = any_sizes(rng, 1, 4);
  const auto axis = rng.below(sizes.size());
  sizes[axis] = 0;
  for (int64_t part : parts) sizes[axis] += part;
  return {{operand(any_dtype(rng), sizes)}, {{"axis", static_cast<int64_t>(axis)}, {"sizes", parts}}};
}

Case draw_slice(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 4, 7), axes = some_axes(rng, sizes.size(), true);
  Sizes starts, ends, steps;
  for (size_t i = 0; i < axes.size(); ++i) {
    starts.push_back(rng.between(-9, 9));
    ends.push_back(rng.chance(0.2) ? INT64_MAX : rng.between(-9, 9));
    steps.push_back(rng.chance(0.6) ? 1 : rng.chance(0.5) ? rng.between(2, 3) : -rng.between(1, 3));
  }
  return {{operand(any_dtype(rng), sizes)},
          {{"axes", axes}, {"starts", starts}, {"ends", ends}, {"steps", steps}}};
}

Case draw_pad(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 4);
  const char* modes[] = {"constant", "edge", "reflect", "wrap"};
  const std::string mode = modes[rng.below(4)];
  Sizes pads(2 * sizes.size());
  for (size_t i = 0; i < pads.size(); ++i)
    pads[i] = rng.between(0, mode == "reflect" || mode == "wrap" ? sizes[i % sizes.size()] - 1 : 3);
  if (mode == "constant" && rng.chance(0.3) && sizes[0] > 1) pads[0] = -1;
  return {{operand(any_dtype(rng), sizes)},
          {{"pads", pads}, {"mode", mode}, {"value", static_cast<double>(rng.between(0, 2))}}};
}

Case draw_gather(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 3);
  const auto axis = rng.below(sizes.size());
  const auto size = static_cast<double>(sizes[axis]);
  return {{operand(any_dtype(rng), sizes),
           operand(rng.chance(0.5) ? DType::kI64 : DType::kI32, any_sizes(rng, 0, 2), -size, size - 1)},
          {{"axis", static_cast<int64_t>(axis)}}};
}

Case draw_top_k(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 4, 6);
  const auto axis = rng.below(sizes.size());
  return {{operand(any_dtype(rng), sizes)},
          {{"axis", static_cast<int64_t>(axis)},
           {"k", rng.between(0, sizes[axis])},
           {"largest", rng.between(0, 1)}}};
}

Case draw_cumsum(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 4, 6);
  return {{operand(rng.chance(0.7) ? DType::kF32 : DType::kI32, sizes)},
          {{"axis", static_cast<int64_t>(rng.below(sizes.size()))},
           {"exclusive", rng.between(0, 1)},
           {"reverse", rng.between(0, 1)}}};
}

Case draw_arg(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 4, 6);
  return {{operand(any_dtype(rng), sizes)},
          {{"axis", static_cast<int64_t>(rng.below(sizes.size()))},
           {"keepdims", rng.between(0, 1)},
           {"last", rng.between(0, 1)}}};
}

Case draw_tile(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 4);
  Sizes repeats(sizes.size());
  for (int64_t& r : repeats) r = rng.between(1, 3);
  return {{operand(any_dtype(rng), sizes)}, {{"repeats", repeats}}};
}

Case draw_depth_to_space(Rng& rng) {
  const int64_t b = rng.between(1, 3);
  return {{operand(any_dtype(rng),
                   {rng.between(1, 2), rng.between(1, 3) * b * b, rng.between(1, 3), rng.between(1, 3)})},
          {{"blocksize", b}, {"mode", std::string(rng.chance(0.5) ? "DCR" : "CRD")}}};
}

Case draw_space_to_depth(Rng& rng) {
  const int64_t b = rng.between(1, 3);
  return {{operand(any_dtype(rng),
                   {rng.between(1, 2), rng.between(1, 3), rng.between(1, 3) * b, rng.between(1, 3) * b})},
          {{"blocksize", b}}};
}

Case draw_trilu(Rng& rng) {
  return {{operand(any_dtype(rng), any_sizes(rng, 2, 4))},
          {{"upper", rng.between(0, 1)}, {"k", rng.between(-4, 4)}}};
}

Case draw_iota(Rng& rng) {
  const auto to = static_cast<int64_t>(ir::DType::kI64);
  return {{}, {{"shape", ir::static_shape(any_sizes(rng, 1, 1, 9))}, {"axis", int64_t{0}}, {"to", to}}};
}

Case draw_shape(Rng& rng) {
  return {{operand(any_dtype(rng), any_sizes(rng, 0, 4))},
          {{"start", rng.chance(0.5) ? 0 : rng.between(-5, 5)},
           {"end", rng.chance(0.5) ? INT64_MAX : rng.between(-5, 5)}}};
}

Case draw_softmax(Rng& rng) {
  const Sizes sizes = any_sizes(rng, 1, 4);
  return {{operand(any_float(rng), sizes, -8, 8)}, {{"axis", static_cast<int64_t>(rng.below(sizes.size()))}}};
}

Draw trailing_norm(bool bias) {
  return [=](Rng& rng) {
    const Sizes sizes = any_sizes(rng, 1, 4, 6);
    const auto axis = rng.below(sizes.size());
    const DType dtype = any_float(rng);
    const Sizes rest(sizes.begin() + static_cast<std::ptrdiff_t>(axis), sizes.end());
    Case c{{operand(dtype, sizes), operand(dtype, rest)},
           {{"axis", static_cast<int64_t>(axis)}, {"epsilon", any_factor(rng) / 16}}};
    if (bias && rng.chance(0.6)) c.operands.push_back(operand(dtype, rest));
    return c;
  };
}

Draw channel_norm(int64_t least_rank, bool statistics) {
  return [=](Rng& rng) {
    const Sizes sizes = any_sizes(rng, least_rank, 5);
    const DType dtype = any_float(rng);
    Case c{{operand(dtype, sizes), operand(dtype, {sizes[1]}), operand(dtype, {sizes[1]})},
           {{"epsilon", any_factor(rng) / 16}}};
    if (statistics) {
      c.operands.push_back(operand(dtype, {sizes[1]}));
      c.operands.push_back(operand(dtype, {sizes[1]}, 0.1, 3));  // a variance
    }
    return c;
  };
}

Case draw_lrn(Rng& rng) {
  return {
      {operand(any_float(rng), {rng.between(1, 2), rng.between(1, 7), rng.between(1, 3), rng.between(1, 3)})},
      {{"size", 2 * rng.between(0, 3) + 1},
       {"alpha", any_factor(rng)},
       {"beta", any_factor(rng)},
       {"bias", any_factor(rng)}}};
}

}  // namespace

const std::map<std::string, Draw>& op_cases() {
  static const std::map<std::string, Draw> cases = [] {
    std::map<std::string, Draw> t;
    for (const char* op : {"neg",   "abs",      "sign",     "exp",  "erf",        "tanh", "sigmoid", "relu",
                           "floor", "ceil",     "round",    "sin",  "cos",        "atan", "sinh",    "cosh",
                           "asinh", "softplus", "softsign", "mish", "hard_swish", "silu", "bit_not"})
      t[op] = unary(-4, 4);
    t["not"] = unary(0, 1);
    t["log"] = unary(0.01, 20);
    t["sqrt"] = unary(0, 20);
    t["reciprocal"] = unary(0.2, 5);
    t["tan"] = unary(-1.4, 1.4);
    t["asin"] = t["acos"] = unary(-1, 1);
    t["acosh"] = unary(1, 20);
    t["atanh"] = unary(-0.95, 0.95);
    t["is_nan"] = t["is_inf"] = unary(-3, 3, true);
    for (const char* op : {"leaky_relu", "elu", "celu", "thresholded_relu"}) t[op] = unary_with({"alpha"});
    t["selu"] = unary_with({"alpha", "gamma"});
    t["hard_sigmoid"] = unary_with({"alpha", "beta"});
    t["gelu"] = draw_gelu;
    t["clip"] = draw_clip;
    t["cast"] = draw_cast;
    for (const char* op : {"add", "sub", "mul", "min", "max", "prelu", "equal", "less", "less_equal",
                           "greater", "greater_equal"})
      t[op] = binary();
    for (const char* op : {"and", "or", "xor"}) t[op] = binary(0, 1, 0, 1);
    for (const char* op : {"bit_and", "bit_or", "bit_xor"}) t[op] = binary(0, 100, 0, 100);
    t["div"] = binary(-20, 20, 1, 5);
    t["pow"] = binary(1, 4, 0, 3);
    t["mod"] = draw_mod;
    t["bit_shift"] = draw_shift;
    t["where"] = draw_where;
    t["matmul"] = draw_matmul;
    t["gemm"] = draw_gemm;
    t["conv"] = draw_conv;
    t["conv_transpose"] = draw_conv_transpose;
    t["max_pool"] = pool(false);
    t["avg_pool"] = pool(true);
    t["global_avg_pool"] = t["global_max_pool"] = draw_global_pool;
    for (const char* op : {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod",
                           "reduce_l1", "reduce_l2", "reduce_sum_square", "reduce_log_sum_exp"})
      t[op] = reduction();
    t["reduce_log_sum"] = reduction(0.1);
    t["broadcast"] = draw_broadcast;
    t["reshape"] = draw_reshape;
    t["squeeze"] = draw_squeeze;
    t["unsqueeze"] = draw_unsqueeze;
    t["transpose"] = draw_transpose;
    t["concat"] = draw_concat;
    t["split"] = draw_split;
    t["slice"] = draw_slice;
    t["pad"] = draw_pad;
    t["gather"] = draw_gather;
    t["top_k"] = draw_top_k;
    t["cumsum"] = draw_cumsum;
    t["arg_max"] = t["arg_min"] = draw_arg;
    t["tile"] = draw_tile;
    t["depth_to_space"] = draw_depth_to_space;
    t["space_to_depth"] = draw_space_to_depth;
    t["trilu"] = draw_trilu;
    t["shape"] = draw_shape;
    t["element_count"] = unary(-3, 3);
    t["iota"] = draw_iota;
    t["softmax"] = t["log_softmax"] = draw_softmax;
    t["layer_norm"] = trailing_norm(true);
    t["rms_norm"] = trailing_norm(false);
    t["batch_norm"] = channel_norm(2, true);
    t["instance_norm"] = channel_norm(3, false);
    t["lrn"] = draw_lrn;
    add_fused_cases(t);
    add_further_cases(t);
    return t;
  }();
  return cases;
}

const std::set<std::string>& without_loops() {
  static const std::set<std::string> all = {
      "arg_max",  "arg_min", "gru",   "hardmax", "linear_attention", "lstm", "non_max_suppression",
      "non_zero", "rnn",     "top_k", "unique"};
  return all;
}

}  // namespace isomer::conformance
