// The operators of Mirage's Table 1 (seed and OSDI) and of its project: elementwise ones by the name of the
// ir operator that they are, the rest spelled out in a few of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "mugraph/mu_op.h"

namespace isomer::mugraph {
namespace {

using ir::Builder;
using ir::ValueId;
using Operands = std::span<const ValueId>;
using Shapes = std::span<const Sizes>;

std::string print(const Sizes& s) { return fmt::format("[{}]", fmt::join(s, ",")); }

ValueId filled(Builder& b, double value, ValueId like) {
  const ir::Type& type = b.type(like);
  return broadcast(b, b.constant(type.dtype, {}, {value}), ir::sizes(type.shape));
}

int last(const Builder& b, ValueId v) { return static_cast<int>(b.type(v).shape.size()) - 1; }

MuOp unary(const char* name, const std::string& json = {}) {
  MuOp op;
  op.name = name;
  op.kernel = "kn_" + (json.empty() ? std::string(name) : json) + "_op";
  op.block = "tb_" + (json.empty() ? std::string(name) : json) + "_op";
  op.in_threads = true;
  op.meaning = [name](Builder& b, Operands in, const Place&) { return b.add(name, {in[0]}); };
  return op;
}

std::string mismatch(Shapes in) {
  const Sizes &a = in[0], &c = in[1];
  bool same = a.size() == c.size();
  for (size_t i = 0; same && i < a.size(); ++i) same = a[i] == c[i] || a[i] == 1 || c[i] == 1;
  return same ? "" : fmt::format("expected equal sizes or 1, got {} and {}", print(a), print(c));
}

MuOp binary(const char* name, bool commutative) {
  MuOp op = unary(name);
  op.arity = 2;
  op.commutative = commutative;
  op.broadcasts = true;
  op.refuse = [](Shapes in, const Place&, bool) { return mismatch(in); };
  op.meaning = [name](Builder& b, Operands in, const Place&) {
    Sizes sizes = sizes_of(b, in[0]);
    const Sizes other = sizes_of(b, in[1]);
    for (size_t i = 0; i < sizes.size(); ++i) sizes[i] = std::max(sizes[i], other[i]);
    return b.add(name, {broadcast(b, in[0], sizes), broadcast(b, in[1], sizes)});
  };
  return op;
}

MuOp matmul() {
  MuOp op = unary("matmul");
  op.arity = 2;
  op.refuse = [](Shapes in, const Place&, bool block) -> std::string {
    if (in[0].size() != in[1].size() || in[0].size() < 2)
      return fmt::format("expected equal ranks of 2 or more, got {} and {}", print(in[0]), print(in[1]));
    if (block)
      for (const Sizes& s : in)
        for (size_t i = 0; i + 2 < s.size(); ++i)
          if (s[i] != 1) return "expected batch dimensions of 1 in a block, got " + print(s);
    return {};
  };
  op.meaning = [](Builder& b, Operands in, const Place&) { return b.add("matmul", {in[0], in[1]}); };
  return op;
}

ValueId mean_square(Builder& b, ValueId x) {
  return reduce(b, "reduce_mean", b.add("mul", {x, x}), {last(b, x)}, true);
}

MuOp rms_norm() {
  MuOp op = unary("rms_norm");
  op.in_threads = false;
  op.meaning = [](Builder& b, Operands in, const Place&) {
    const ValueId root = b.add("sqrt", {mean_square(b, in[0])});
    return b.add("div", {in[0], broadcast(b, root, sizes_of(b, in[0]))});
  };
  return op;
}

/// Sums groups of `divisor`-th elements: with `keep` elements left along the axis. in[j + t * keep] ->
/// out[j].
ValueId fold_axis(Builder& b, std::string_view reduction, ValueId x, int axis, int64_t keep) {
  Sizes split = sizes_of(b, x);
  const auto at = static_cast<size_t>(axis);
  const int64_t groups = split[at] / keep;
  split[at] = groups;
  split.insert(split.begin() + axis + 1, keep);
  return reduce(b, reduction, reshape(b, x, split), {axis}, false);
}

MuOp sum() {
  MuOp op = unary("sum", "reduction");
  op.has_axis = true;
  op.other_names = {"kn_reduction_0_op", "kn_reduction_1_op", "kn_reduction_2_op",
                    "tb_reduction_0_op", "tb_reduction_1_op", "tb_reduction_2_op"};
  op.meaning = [](Builder& b, Operands in, const Place& p) {
    return reduce(b, "reduce_sum", in[0], {p.lead + p.axis}, true);
  };
  return op;
}

MuOp sum_to_x() {
  MuOp op;
  op.has_width = true;
  op.name = "sum_to_x";
  op.block = "tb_reduction_2_to_dimx_op";
  op.refuse = [](Shapes in, const Place& p, bool) -> std::string {
    const int64_t size = in[0].empty() ? 0 : in[0].back();
    if (p.reduce_to > 0 && size > p.reduce_to && size % p.reduce_to == 0) return {};
    return fmt::format("expected a last dimension that is a larger multiple of {}, got {}", p.reduce_to,
                       print(in[0]));
  };
  op.meaning = [](Builder& b, Operands in, const Place& p) {
    return fold_axis(b, "reduce_sum", in[0], last(b, in[0]), p.reduce_to);
  };
  return op;
}

MuOp concat() {
  MuOp op;
  op.name = "concat";
  op.kernel = "kn_concat_op";
  op.block = "tb_concat_op";
  op.arity = 2;
  op.has_axis = true;
  op.other_names = {"kn_concat_0_op", "kn_concat_1_op", "kn_concat_2_op",
                    "tb_concat_0_op", "tb_concat_1_op", "tb_concat_2_op"};
  op.meaning = [](Builder& b, Operands in, const Place& p) {
    return b.add("concat", {in[0], in[1]}, {{"axis", int64_t{p.lead + p.axis}}});
  };
  return op;
}

/// Dimension 1 goes into dimension 0; where it is 1, dimension 0 goes there. So the single tokens of several
/// heads become several tokens of one head, and back (Mirage's figure 4c).
MuOp fold_heads() {
  MuOp op = unary("reshape");
  op.in_threads = false;
  op.refuse = [](Shapes in, const Place&, bool) -> std::string {
    return in[0].size() >= 3 ? "" : "expected three dimensions, got " + print(in[0]);
  };
  op.meaning = [](Builder& b, Operands in, const Place& p) {
    Sizes sizes = sizes_of(b, in[0]);
    int64_t &heads = sizes[static_cast<size_t>(p.lead)], &tokens = sizes[static_cast<size_t>(p.lead) + 1];
    if (tokens == 1)
      std::swap(heads, tokens);
    else
      heads *= std::exchange(tokens, 1);
    return reshape(b, in[0], sizes);
  };
  return op;
}

/// (W || X)(Y || Z), which is W Y + X Z: the concatenations are offsets into shared memory.
MuOp concat_matmul() {
  MuOp op;
  op.name = "concat_matmul";
  op.block = "tb_concat_then_matmul_op";
  op.arity = 4;
  op.refuse = [](Shapes in, const Place&, bool block) -> std::string {
    for (size_t i : {size_t{1}, size_t{2}, size_t{3}})
      if (in[i].size() != in[0].size()) return "expected four operands of one rank";
    for (const Sizes& s : in)
      for (size_t i = 0; i + 2 < s.size(); ++i)
        if (block && s[i] != 1) return "expected batch dimensions of 1 in a block, got " + print(s);
    const size_t n = in[0].size();
    if (n < 2) return "expected matrices, got " + print(in[0]);
    for (size_t i : {size_t{0}, size_t{1}})
      if (in[i][n - 1] != in[i + 2][n - 2] || in[i][n - 2] != in[0][n - 2] ||
          in[i + 2][n - 1] != in[2][n - 1])
        return fmt::format("expected factors of (W || X)(Y || Z), got {}, {}, {}, {}", print(in[0]),
                           print(in[1]), print(in[2]), print(in[3]));
    return {};
  };
  op.meaning = [](Builder& b, Operands in, const Place&) {
    return b.add("add", {b.add("matmul", {in[0], in[2]}), b.add("matmul", {in[1], in[3]})});
  };
  return op;
}

/// The first operand, repeated to the sizes of the second. The first version's Repeat names a dimension and a
/// number, which a structure without sizes does not have: as often as another tile has elements there.
MuOp repeat() {
  MuOp op = unary("repeat");
  op.arity = 2;
  op.shape_operand = 1;
  op.in_threads = false;
  op.refuse = [](Shapes in, const Place&, bool) -> std::string {
    bool fits = in[0].size() == in[1].size() && in[0] != in[1];
    for (size_t i = 0; fits && i < in[0].size(); ++i) fits = in[0][i] == in[1][i] || in[0][i] == 1;
    return fits
               ? ""
               : fmt::format("expected sizes that {} can be repeated to, got {}", print(in[0]), print(in[1]));
  };
  op.meaning = [](Builder& b, Operands in, const Place&) { return broadcast(b, in[0], sizes_of(b, in[1])); };
  return op;
}

MuOp accumulator(const char* name, const std::string& json, Accumulate kind) {
  MuOp op;
  op.name = name;
  op.block = json.empty() ? "" : "tb_forloop_accum_" + json + "_op";
  if (!json.empty()) op.other_names = {"tb_accum_" + json + "_op"};
  op.accumulate = kind;
  op.in_threads = kind != Accumulate::kRescale;
  op.meaning = [](Builder&, Operands in, const Place&) { return in[0]; };
  return op;
}

/// Whether the second shape is not that of one number for each row of the first.
std::string no_column_of(Shapes in) {
  Sizes column = in[0];
  if (!column.empty()) column.back() = 1;
  return in[1] == column
             ? ""
             : fmt::format("expected a maximum of each row of {}, got {}", print(in[0]), print(in[1]));
}

void add_accumulators(MuOpTable& table) {
  table.add(accumulator("accumulate", "nored", Accumulate::kAdd));
  table.add(accumulator("accumulate_max", "max", Accumulate::kMax));
  MuOp joined = accumulator("accumulate_concat", "concat", Accumulate::kConcat);
  joined.has_axis = true;
  table.add(joined);

  MuOp sum_last = accumulator("accumulate_sum", "red_ld_sum", Accumulate::kAdd);
  sum_last.meaning = [](Builder& b, Operands in, const Place&) {
    return reduce(b, "reduce_sum", in[0], {last(b, in[0])}, true);
  };
  table.add(sum_last);
  const auto divided = [](Builder& b, ValueId v, const Sizes& operand, const Place& p) {
    return b.add("div", {v, filled(b, static_cast<double>(operand.back() * p.range), v)});
  };
  MuOp mean = sum_last;
  mean.name = "accumulate_mean";
  mean.block = "tb_forloop_accum_red_ld_mean_op";
  mean.other_names = {"tb_accum_red_ld_mean_op"};
  mean.finish = divided;
  table.add(mean);
  MuOp rms = accumulator("accumulate_rms", "red_ld_rms", Accumulate::kAdd);
  rms.meaning = [](Builder& b, Operands in, const Place&) {
    return reduce(b, "reduce_sum", b.add("mul", {in[0], in[0]}), {last(b, in[0])}, true);
  };
  rms.finish = [divided](Builder& b, ValueId v, const Sizes& operand, const Place& p) {
    return b.add("sqrt", {divided(b, v, operand, p)});
  };
  table.add(rms);
  // Online softmax (Milakov and Gimelshein 2018, FlashAttention): sums of exp(x - m) with the largest x so
  // far.
  MuOp running;
  running.name = "running_max";
  running.block = "tb_running_max_op";
  running.running_max = true;
  running.meaning = [](Builder& b, Operands in, const Place&) {
    return reduce(b, "reduce_max", in[0], {last(b, in[0])}, true);
  };
  table.add(running);
  MuOp rescale = accumulator("accumulate_rescale", "nored_rescale", Accumulate::kRescale);
  rescale.arity = 2;
  rescale.refuse = [](Shapes in, const Place&, bool) { return no_column_of(in); };
  table.add(rescale);
  MuOp sum_rescale = accumulator("accumulate_sum_rescale", "red_ld_sum_rescale", Accumulate::kRescale);
  sum_rescale.arity = 2;
  sum_rescale.refuse = rescale.refuse;
  sum_rescale.meaning = sum_last.meaning;
  table.add(sum_rescale);
  MuOp to_x = sum_to_x();
  to_x.name = "accumulate_sum_to_x";
  to_x.block = "tb_forloop_accum_redtox_ld_sum_op";
  to_x.other_names = {"tb_accum_redtox_ld_sum_op"};
  to_x.accumulate = Accumulate::kAdd;
  table.add(to_x);
}

/// Multi-linear operators that stand at kernel level only: convolutions of x [N, C, d..] and w [O, C, k..]
/// with steps of 1 and nothing around x (each channel by itself: w [C, 1, k..]), what transposes matrices,
/// means.
void add_kernel_operators(MuOpTable& table) {
  for (const bool each : {false, true}) {
    MuOp conv;
    conv.name = each ? "depthwise_conv" : "conv";
    conv.kernel = "kn_" + conv.name + "_op";
    conv.arity = 2;
    conv.refuse = [each](Shapes in, const Place&, bool) -> std::string {
      const bool ranks = in[0].size() == in[1].size() && in[0].size() >= 3 && in[0].size() <= 5;
      bool fits = ranks && (each ? in[1][0] == in[0][1] && in[1][1] == 1 : in[1][1] == in[0][1]);
      for (size_t d = 2; fits && d < in[0].size(); ++d) fits = in[1][d] <= in[0][d];
      return fits ? ""
                  : fmt::format("expected x [N,C,d..] and w [{},k..], got {} and {}", each ? "C,1" : "O,C",
                                print(in[0]), print(in[1]));
    };
    conv.meaning = [each](Builder& b, Operands in, const Place&) {
      const Sizes x = sizes_of(b, in[0]);
      const std::vector<int64_t> ones(x.size() - 2, 1), none(2 * ones.size(), 0);
      return b.add(
          "conv", {in[0], in[1]},
          {{"strides", ones}, {"dilations", ones}, {"pads", none}, {"group", each ? x[1] : int64_t{1}}});
    };
    table.add(conv);
  }
  MuOp transposed;
  transposed.name = "transpose";
  transposed.kernel = "kn_transpose_op";
  transposed.refuse = [](Shapes in, const Place&, bool) -> std::string {
    return in[0].size() >= 2 ? "" : "expected matrices, got " + print(in[0]);
  };
  transposed.meaning = [](Builder& b, Operands in, const Place&) {
    std::vector<int64_t> perm;
    for (size_t d = 0; d < sizes_of(b, in[0]).size(); ++d) perm.push_back(static_cast<int64_t>(d));
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    return transpose(b, in[0], perm);
  };
  table.add(transposed);
  MuOp mean;
  mean.name = "mean";
  mean.kernel = "kn_mean_op";
  mean.has_axis = true;
  mean.meaning = [](Builder& b, Operands in, const Place& p) {
    return reduce(b, "reduce_mean", in[0], {p.lead + p.axis}, true);
  };
  table.add(mean);
}

MuOpTable make_table() {
  MuOpTable table;
  table.add(matmul());
  for (const char* name : {"exp", "sqrt", "silu", "gelu", "relu", "sigmoid", "log"}) table.add(unary(name));
  MuOp square = unary("square");
  square.meaning = [](Builder& b, Operands in, const Place&) { return b.add("mul", {in[0], in[0]}); };
  table.add(square);
  table.add(binary("add", true));
  table.add(binary("mul", true));
  table.add(binary("div", false));
  table.add(binary("sub", false));
  table.add(binary("pow", false));
  table.add(sum());
  table.add(sum_to_x());
  table.add(rms_norm());
  table.add(fold_heads());
  table.add(concat());
  table.add(concat_matmul());
  add_accumulators(table);
  add_kernel_operators(table);
  table.add(repeat());
  return table;
}

}  // namespace

const MuOpTable& standard_mu_ops() {
  static const MuOpTable table = make_table();
  return table;
}

}  // namespace isomer::mugraph
