#include "mugraph/programs.h"

#include "mugraph/searched_ops.h"
#include "support/unknown_word.h"

namespace isomer::mugraph {
namespace {

using ir::Builder;
using ir::ValueId;
using In = std::span<const ValueId>;

int last(const Builder& b, ValueId v) { return static_cast<int>(b.type(v).shape.size()) - 1; }

ValueId over(Builder& b, ValueId a, ValueId divisor) {
  return b.add("div", {a, broadcast(b, divisor, sizes_of(b, a))});
}

/// x / sqrt(mean(x^2)) along the last dimension, without a weight and without epsilon, as the benchmarks have
/// it.
ValueId rms_norm(Builder& b, ValueId x) {
  return over(b, x, b.add("sqrt", {reduce(b, "reduce_mean", b.add("mul", {x, x}), {last(b, x)}, true)}));
}

/// softmax(Q K) V without subtraction of the maximum and without scale.
ValueId attention(Builder& b, ValueId q, ValueId k, ValueId v) {
  const ValueId e = b.add("exp", {b.add("matmul", {q, k})});
  return b.add("matmul", {over(b, e, reduce(b, "reduce_sum", e, {last(b, e)}, true)), v});
}

/// softmax(Q K) V with the maximum of each row subtracted, as floats need it.
ValueId safe_attention(Builder& b, ValueId q, ValueId k, ValueId v) {
  const ValueId s = b.add("matmul", {q, k});
  const ValueId m = reduce(b, "reduce_max", s, {last(b, s)}, true);
  const ValueId e = b.add("exp", {b.add("sub", {s, broadcast(b, m, sizes_of(b, s))})});
  return b.add("matmul", {over(b, e, reduce(b, "reduce_sum", e, {last(b, e)}, true)), v});
}

/// As many heads, each as often as needed, one after the other.
ValueId repeat(Builder& b, ValueId v, int64_t heads) {
  Sizes sizes = sizes_of(b, v);
  Sizes more = sizes;
  more.insert(more.begin() + 1, 1);
  v = reshape(b, v, more);
  more[1] = heads / sizes[0];
  sizes[0] = heads;
  return reshape(b, broadcast(b, v, more), sizes);
}

ValueId product(Builder& b, ValueId x, ValueId y) { return b.add("matmul", {x, y}); }

const std::vector<Program::Input> kAttention = {
    {"q", {"h", "s", "d"}}, {"k", {"h", "d", "n"}}, {"v", {"h", "n", "d"}}};

std::vector<Program> make_programs() {
  const auto plain_attention = [](Builder& b, In in) { return attention(b, in[0], in[1], in[2]); };
  const std::vector<std::string> partial_sums = words_of(kPartialSums);
  return {
      {"rmsnorm",
       "rms_norm(X) W",
       {{"x", {"m", "k"}}, {"w", {"k", "n"}}},
       {{"m", 2}, {"k", 4096}, {"n", 6144}},
       {},
       1,
       {},
       [](Builder& b, In in) { return product(b, rms_norm(b, in[0]), in[1]); }},
      {"rmsnorm_weight",
       "(rms_norm(X) * G) W, as Qwen 2.5 has it",
       {{"x", {"m", "k"}}, {"g", {"m", "k"}}, {"w", {"k", "n"}}},
       {{"m", 1}, {"k", 3584}, {"n", 4608}},
       {},
       1,
       {},
       [](Builder& b, In in) { return product(b, b.add("mul", {rms_norm(b, in[0]), in[1]}), in[2]); }},
      {"gated_mlp",
       "silu(X W1) * (X W2)",
       {{"x", {"m", "k"}}, {"w1", {"k", "n"}}, {"w2", {"k", "n"}}},
       {{"m", 8}, {"k", 4096}, {"n", 4096}},
       {},
       1,
       {},
       [](Builder& b, In in) {
         return b.add("mul", {b.add("silu", {product(b, in[0], in[1])}), product(b, in[0], in[2])});
       }},
      {"silu_mul_matmul",
       "(silu(X) * Y) W, as Qwen 2.5 has it",
       {{"x", {"m", "k"}}, {"y", {"m", "k"}}, {"w", {"k", "n"}}},
       {{"m", 1}, {"k", 18944}, {"n", 3584}},
       {},
       1,
       {},
       [](Builder& b, In in) { return product(b, b.add("mul", {b.add("silu", {in[0]}), in[1]}), in[2]); }},
      {"lora",
       "X W + (X A) B",
       {{"x", {"m", "k"}}, {"w", {"k", "n"}}, {"a", {"k", "r"}}, {"b", {"r", "n"}}},
       {{"m", 16}, {"k", 256}, {"n", 4096}, {"r", 16}},
       {},
       1,
       words_of(kJoinedProducts),
       [](Builder& b, In in) {
         return b.add("add", {product(b, in[0], in[1]), product(b, product(b, in[0], in[2]), in[3])});
       }},
      {"gqa",
       "exp(Q K) V / sum(exp(Q K)), query heads grouped",
       kAttention,
       {{"h", 2}, {"s", 256}, {"d", 64}, {"n", 4096}},
       {"h"},
       2,
       partial_sums,
       plain_attention},
      {"gqa_heads",
       "attention whose query heads share key-value heads, not grouped yet: figure 4a",
       {{"q", {"g*r", "s", "d"}}, {"k", {"g", "d", "n"}}, {"v", {"g", "n", "d"}}},
       {{"g", 8}, {"r", 8}, {"s", 1}, {"d", 64}, {"n", 2000}},
       {"g"},
       2,
       words_of(kGroupedPartialSums),
       [](Builder& b, In in) {
         const int64_t heads = sizes_of(b, in[0])[0];
         return attention(b, in[0], repeat(b, in[1], heads), repeat(b, in[2], heads));
       }},
      {"mha",
       "attention of 32 heads",
       kAttention,
       {{"h", 32}, {"s", 16}, {"d", 64}, {"n", 4096}},
       {"h"},
       2,
       partial_sums,
       plain_attention},
      {"mqa",
       "attention with one key-value head",
       kAttention,
       {{"h", 1}, {"s", 1024}, {"d", 64}, {"n", 4096}},
       {"h"},
       2,
       partial_sums,
       plain_attention},
      {"qknorm_gqa",
       "attention of rms_norm(Q) and rms_norm(V)",
       kAttention,
       {{"h", 2}, {"s", 256}, {"d", 64}, {"n", 4096}},
       {"h"},
       2,
       partial_sums,
       [](Builder& b, In in) { return attention(b, rms_norm(b, in[0]), in[1], rms_norm(b, in[2])); }},
      {"safe_attention",
       "attention of 32 heads, the maximum of each row subtracted",
       kAttention,
       {{"h", 32}, {"s", 16}, {"d", 64}, {"n", 4096}},
       {"h"},
       1,
       words_of(kOnlineSoftmax),
       [](Builder& b, In in) { return safe_attention(b, in[0], in[1], in[2]); },
       11},
      {"ntrans",
       "rms_norm(X + alpha * (rms_norm(H) + X))",
       {{"h", {"m", "k"}}, {"x", {"m", "k"}}, {"alpha", {"m", "k"}}},
       {{"m", 8}, {"k", 4096}},
       {},
       1,
       {},
       [](Builder& b, In in) {
         const ValueId step = b.add("mul", {in[2], b.add("add", {rms_norm(b, in[0]), in[1]})});
         return rms_norm(b, b.add("add", {in[1], step}));
       }},
      {"moe",
       "exp(X A) B, a stand-in for a mixture of experts",
       {{"x", {"e", "m", "k"}}, {"a", {"e", "k", "f"}}, {"b", {"e", "f", "n"}}},
       {{"e", 8}, {"m", 8}, {"k", 4096}, {"f", 4096}, {"n", 4096}},
       {"e"},
       2,
       partial_sums,
       [](Builder& b, In in) { return product(b, b.add("exp", {product(b, in[0], in[1])}), in[2]); }},
      {"matmul_chain",
       "X A B with long inner dimensions, of which no tile is small unless loops cut both",
       {{"x", {"m", "k"}}, {"a", {"k", "r"}}, {"b", {"r", "n"}}},
       {{"m", 16}, {"k", 4096}, {"r", 4096}, {"n", 16}},
       {},
       1,
       {},
       [](Builder& b, In in) { return product(b, product(b, in[0], in[1]), in[2]); }},
      {"mlp",
       "exp(X W1) W2 + Y, the adapter with exp for ReLU",
       {{"x", {"m", "k"}}, {"w1", {"k", "r"}}, {"w2", {"r", "n"}}, {"y", {"m", "n"}}},
       {{"m", 1}, {"k", 4096}, {"r", 16}, {"n", 4096}},
       {},
       2,
       partial_sums,
       [](Builder& b, In in) {
         return b.add("add", {product(b, b.add("exp", {product(b, in[0], in[1])}), in[2]), in[3]});
       }},
  };
}

}  // namespace

std::vector<Sizes> Program::input_sizes(const Extents& at) const {
  std::vector<Sizes> out;
  for (const Input& input : inputs) {
    out.emplace_back();
    for (const std::string& d : input.dims) {
      out.back().push_back(1);
      for (const std::string& factor : factors(d)) out.back().back() *= at.at(factor);
    }
  }
  return out;
}

ir::Graph Program::graph(ir::Context& ctx, const Extents& at, ir::DType dtype) const {
  Builder b(ctx, name);
  std::vector<ValueId> in;
  const auto sizes = input_sizes(at);
  for (size_t i = 0; i < inputs.size(); ++i)
    in.push_back(b.input(inputs[i].name, ctx.tensor_type(dtype, ir::static_shape(sizes[i]))));
  const ValueId out = body(b, in);
  return b.finish({out});
}

std::optional<Extents> Program::match(std::span<const Sizes> sizes) const {
  if (sizes.size() != inputs.size()) return std::nullopt;
  Extents out;
  for (const bool products : {false, true})  // of which one factor is not known yet
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i].size() != inputs[i].dims.size()) return std::nullopt;
      for (size_t d = 0; d < sizes[i].size(); ++d) {
        const auto names = factors(inputs[i].dims[d]);
        if (products != (names.size() > 1)) continue;
        int64_t rest = sizes[i][d];
        std::string unknown;
        for (const std::string& name : names) {
          const auto known = out.find(name);
          if (known == out.end() ? !unknown.empty() : known->second < 1 || rest % known->second != 0)
            return std::nullopt;
          if (known == out.end())
            unknown = name;
          else
            rest /= known->second;
        }
        if (!unknown.empty())
          out[unknown] = rest;
        else if (rest != 1)
          return std::nullopt;
      }
    }
  return out;
}

std::vector<std::string> factors(const std::string& dim) {
  std::vector<std::string> out = {""};
  for (char c : dim)
    if (c == '*')
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

const std::vector<Program>& programs() {
  static const std::vector<Program> all = make_programs();
  return all;
}

const Program& program(std::string_view name) {
  std::vector<std::string> names;
  for (const Program& p : programs()) {
    if (p.name == name) return p;
    names.push_back(p.name);
  }
  throw unknown_word("program", name, names);
}

}  // namespace isomer::mugraph
