// Operators of muGraphs (Wu et al., Mirage, 2024/25; its Table 1 and its project) that programs do not have:
// those that name no size, so that a search can build with them before it knows any, and accumulators. The
// others are those of programs, at further levels.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"
#include "ir/schedule.h"
#include "ir/shorthand.h"

namespace isomer::ir::ops {
namespace {

using Operands = std::span<const ValueId>;
using Expand = std::function<ValueId(Builder&, const OpInstance&, Operands)>;
using SizesRule = std::function<SizesOrError(const OpInstance&)>;

std::string text(const Sizes& s) { return fmt::format("[{}]", fmt::join(s, ",")); }

int64_t last(const OpInstance& op) { return static_cast<int64_t>(op.in_shape(0).size()) - 1; }

SizesOrError refused(std::string error) { return {{}, std::move(error)}; }

/// Iterations from 1 on, of which all elements together can be counted.
std::string check_iterations(const OpInstance& op) {
  constexpr int64_t kMostElements = int64_t{1} << 48;
  for (const AttrSpec& a : op.op.attrs) {
    if (a.role != AttrRole::kIterations) continue;
    const int64_t n = op.i(a.name), each = std::max<int64_t>(element_count(op.in_sizes(0)), 1);
    if (n < 1 || n > kMostElements / each) return fmt::format("expected iterations from 1 on, got {}", n);
  }
  return {};
}

/// A composite of floats of known sizes.
OpDef of_tiles(std::string name, int operands, std::string doc, Levels levels, const std::string& listed,
               SizesRule rule, Expand expand, std::vector<AttrSpec> attrs = {}) {
  OpDef def =
      operation(std::move(name), MeaningKind::kComposite, operands, {}, std::move(doc), std::move(attrs));
  def.levels = levels;
  def.spellings = {{"mugraph", "", listed}};
  def.infer = [rule = std::move(rule)](const OpInstance& op) {
    if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (!is_static(op.in_shape(i)) || op.in_shape(i).empty())
        return Inferred::fail(fmt::format("operand {}: expected dimensions of known sizes, got {}", i,
                                          print_shape(op.ctx, op.in_shape(i))));
    if (auto bad = check_iterations(op); !bad.empty()) return Inferred::fail(bad);
    SizesOrError out = rule(op);
    return out ? tensor_like(op, static_shape(out.sizes)) : Inferred::fail(std::move(out.error));
  };
  def.expand = std::move(expand);
  return def;
}

SizesOrError as_operand(const OpInstance& op) { return {op.in_sizes(0), {}}; }

SizesOrError last_as_one(const OpInstance& op) {
  Sizes out = op.in_sizes(0);
  out.back() = 1;
  return {std::move(out), {}};
}

ValueId first_operand(Builder&, const OpInstance&, Operands in) { return in[0]; }

ValueId sum_of_last(Builder& b, const OpInstance& op, Operands in) {
  return reduce(b, "reduce_sum", in[0], {last(op)}, true);
}

// --- as kernels, or in blocks
// -------------------------------------------------------------------------------

OpDef square() {
  OpDef def =
      of_tiles("mirage.square", 1, "x * x.", kKernelLevel | kTileLevels, "square", as_operand,
               [](Builder& b, const OpInstance&, Operands in) { return b.add("mul", {in[0], in[0]}); });
  in_mirage(def, "square");
  return def;
}

OpDef rms_norm() {
  OpDef def = of_tiles(
      "mirage.rms_norm", 1, "x over the root of the mean of squares of its last dimension.",
      kKernelLevel | kBlockLevel, "rms_norm", as_operand, [](Builder& b, const OpInstance& op, Operands in) {
        const ValueId mean = reduce(b, "reduce_mean", b.add("mul", {in[0], in[0]}), {last(op)}, true);
        return b.add("div", {in[0], broadcast(b, b.add("sqrt", {mean}), op.in_sizes(0))});
      });
  in_mirage(def, "rms_norm");
  return def;
}

/// Dimension 1 goes into dimension 0; where it is 1, dimension 0 goes there. So the single tokens of several
/// heads become several tokens of one head, and back (Mirage's figure 4c).
SizesOrError folded_heads(const OpInstance& op) {
  Sizes sizes = op.in_sizes(0);
  if (sizes.size() < 3) return refused("expected three dimensions, got " + text(sizes));
  if (sizes[1] == 1)
    std::swap(sizes[0], sizes[1]);
  else
    sizes[0] *= std::exchange(sizes[1], 1);
  return {std::move(sizes), {}};
}

OpDef fold_heads() {
  OpDef def = of_tiles(
      "mirage.reshape", 1,
      "[heads, tokens, d..] with tokens in the place of heads, or heads in that of one token.",
      kKernelLevel | kBlockLevel, "reshape", folded_heads, [](Builder& b, const OpInstance& op, Operands in) {
        return reshape(b, in[0], folded_heads(op).sizes);
      });
  in_mirage(def, "reshape");
  return def;
}

OpDef transposed() {
  const auto rule = [](const OpInstance& op) {
    Sizes sizes = op.in_sizes(0);
    if (sizes.size() < 2) return refused("expected matrices, got " + text(sizes));
    std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
    return SizesOrError{std::move(sizes), {}};
  };
  OpDef def = of_tiles("mirage.transpose", 1, "Matrices, transposed.", kKernelLevel, "transpose", rule,
                       [](Builder& b, const OpInstance& op, Operands in) {
                         std::vector<int64_t> perm;
                         for (int64_t d = 0; d <= last(op); ++d) perm.push_back(d);
                         std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
                         return transpose(b, in[0], perm);
                       });
  in_mirage(def, "transpose");
  return def;
}

/// Of x [N, C, d..] and w [O, C, k..], with steps of 1 and nothing around x; `each` channel by itself: w
/// [C, 1, k..].
OpDef convolution(bool each) {
  const auto rule = [each](const OpInstance& op) {
    const Sizes x = op.in_sizes(0), w = op.in_sizes(1);
    const bool ranks = x.size() == w.size() && x.size() >= 3 && x.size() <= 5;
    bool fits = ranks && (each ? w[0] == x[1] && w[1] == 1 : w[1] == x[1]);
    for (size_t d = 2; fits && d < x.size(); ++d) fits = w[d] <= x[d];
    if (!fits)
      return refused(fmt::format("expected x [N,C,d..] and w [{},k..], got {} and {}", each ? "C,1" : "O,C",
                                 text(x), text(w)));
    Sizes out = {x[0], w[0]};
    for (size_t d = 2; d < x.size(); ++d) out.push_back(x[d] - w[d] + 1);
    return SizesOrError{std::move(out), {}};
  };
  const std::string name = each ? "depthwise_conv" : "conv";
  OpDef def = of_tiles(
      "mirage." + name, 2,
      fmt::format("conv of x [N,C,d..] and w [{},k..] with strides of 1 and no pads.", each ? "C,1" : "O,C"),
      kKernelLevel, name, rule, [each](Builder& b, const OpInstance& op, Operands in) {
        const Sizes x = op.in_sizes(0);
        const std::vector<int64_t> ones(x.size() - 2, 1), none(2 * ones.size(), 0);
        return b.add(
            "conv", {in[0], in[1]},
            {{"strides", ones}, {"dilations", ones}, {"pads", none}, {"group", each ? x[1] : int64_t{1}}});
      });
  in_mirage(def, name);
  return def;
}

/// (W || X)(Y || Z), which is W Y + X Z: the concatenations are offsets into shared memory. A search asks for
/// the type at every four tiles, nearly always in vain: no error spells out sizes.
OpDef concat_matmul() {
  const auto rule = [](const OpInstance& op) -> SizesOrError {
    std::vector<Sizes> in;
    for (size_t i = 0; i < 4; ++i) in.push_back(op.in_sizes(i));
    const size_t n = in[0].size();
    for (const Sizes& s : in)
      if (s.size() != n) return refused("expected four operands of one rank");
    for (const Sizes& s : in)
      for (size_t i = 0; i + 2 < n; ++i)
        if (s[i] != 1) return refused("expected batch dimensions of 1 in a block");
    if (n < 2) return refused("expected matrices");
    for (size_t i : {size_t{0}, size_t{1}})
      if (in[i][n - 1] != in[i + 2][n - 2] || in[i][n - 2] != in[0][n - 2] ||
          in[i + 2][n - 1] != in[2][n - 1])
        return refused("expected factors of (W || X)(Y || Z)");
    Sizes out = in[0];
    out.back() = in[2].back();
    return {std::move(out), {}};
  };
  OpDef def =
      of_tiles("mirage.concat_matmul", 4, "(w || x) (y || z), which is w y + x z.", kBlockLevel,
               "concat_matmul", rule, [](Builder& b, const OpInstance&, Operands in) {
                 return b.add("add", {b.add("matmul", {in[0], in[2]}), b.add("matmul", {in[1], in[3]})});
               });
  in_mirage(def, "concat_then_matmul");
  return def;
}

/// The first version's Repeat names a dimension and a number, which a structure without sizes does not have:
/// as often as another tile has elements there.
OpDef repeat() {
  const auto rule = [](const OpInstance& op) {
    const Sizes x = op.in_sizes(0), like = op.in_sizes(1);
    bool fits = x.size() == like.size() && x != like;
    for (size_t i = 0; fits && i < x.size(); ++i) fits = x[i] == like[i] || x[i] == 1;
    return fits ? SizesOrError{like, {}}
                : refused(
                      fmt::format("expected sizes that {} can be repeated to, got {}", text(x), text(like)));
  };
  OpDef def = of_tiles(
      "mirage.repeat", 2, "x, repeated to the sizes of y.", kKernelLevel | kBlockLevel, "repeat", rule,
      [](Builder& b, const OpInstance& op, Operands in) { return broadcast(b, in[0], op.in_sizes(1)); });
  def.shape_operand = 1;
  in_mirage(def, "repeat");
  return def;
}

AttrSpec width_attr() { return int_attr("width", {}, AttrRole::kWidth); }
AttrSpec iterations_attr() { return int_attr("iterations", {}, AttrRole::kIterations); }

SizesOrError reduced_to_width(const OpInstance& op) {
  Sizes sizes = op.in_sizes(0);
  const int64_t size = sizes.back(), width = op.i("width");
  if (width < 1 || size <= width || size % width != 0)
    return refused(
        fmt::format("expected a last dimension that is a larger multiple of {}, got {}", width, text(sizes)));
  sizes.back() = width;
  return {std::move(sizes), {}};
}

/// in[j + t * width] -> out[j].
ValueId sums_to_width(Builder& b, const OpInstance& op, Operands in) {
  Sizes split = op.in_sizes(0);
  split.back() /= op.i("width");
  split.push_back(op.i("width"));
  return reduce(b, "reduce_sum", reshape(b, in[0], split), {last(op)}, false);
}

OpDef sum_to() {
  OpDef def = of_tiles("mirage.sum_to", 1, "Every width-th element of the last dimension is added up.",
                       kBlockLevel, "sum_to_x", reduced_to_width, sums_to_width, {width_attr()});
  in_mirage(def, "reduction_2_to_dimx");
  return def;
}

// --- accumulators
// -------------------------------------------------------------------------------------------

/// `json`: Mirage's name of it, of this age and of the first.
OpDef accumulator(OpDef def, Accumulate kind, const std::string& json) {
  def.accumulate = kind;
  for (const char* age : {"tb_forloop_accum_", "tb_accum_"})
    def.spellings.push_back({"mirage", "tb", age + json + "_op"});
  return def;
}

OpDef accum_concat() {
  const auto rule = [](const OpInstance& op) {
    Sizes sizes = op.in_sizes(0);
    if (auto bad = check_axis(op.i("axis"), sizes.size()); !bad.empty()) return refused(std::move(bad));
    sizes[static_cast<size_t>(op.i("axis"))] *= op.i("iterations");
    return SizesOrError{std::move(sizes), {}};
  };
  return accumulator(
      of_tiles("accum.concat", 1, "The tiles of all iterations, one after the other along `axis`.",
               kTileLevels, "accumulate_concat", rule, first_operand, {axis_attr(), iterations_attr()}),
      Accumulate::kConcat, "concat");
}

/// What was added up, over the number of elements of the last dimension in all iterations.
ValueId divided(Builder& b, const OpInstance& op, ValueId v) {
  const auto count = static_cast<double>(op.in_sizes(0).back() * op.i("iterations"));
  return b.add("div", {v, filled(b, op.in_dtype(0), count, b.type(v).shape)});
}

OpDef accum_mean() {
  OpDef def =
      accumulator(of_tiles("accum.mean", 1, "The mean of the last dimension over all iterations.",
                           kTileLevels, "accumulate_mean", last_as_one, sum_of_last, {iterations_attr()}),
                  Accumulate::kAdd, "red_ld_mean");
  def.finish = divided;
  return def;
}

OpDef accum_rms() {
  OpDef def = accumulator(
      of_tiles("accum.rms", 1, "The root of the mean of squares of the last dimension over all iterations.",
               kTileLevels, "accumulate_rms", last_as_one,
               [](Builder& b, const OpInstance& op, Operands in) {
                 return reduce(b, "reduce_sum", b.add("mul", {in[0], in[0]}), {last(op)}, true);
               },
               {iterations_attr()}),
      Accumulate::kAdd, "red_ld_rms");
  def.finish = [](Builder& b, const OpInstance& op, ValueId v) { return b.add("sqrt", {divided(b, op, v)}); };
  return def;
}

/// Online softmax (Milakov and Gimelshein 2018, FlashAttention): sums of exp(x - m) with the largest x so
/// far.
OpDef running_max() {
  OpDef def =
      of_tiles("accum.running_max", 1, "The largest element of the last dimension so far.", kBlockLevel,
               "running_max", last_as_one, [](Builder& b, const OpInstance& op, Operands in) {
                 return reduce(b, "reduce_max", in[0], {last(op)}, true);
               });
  def.running_max = true;
  def.spellings.push_back({"mirage", "tb", "tb_running_max_op"});
  return def;
}

/// Of x and one number for each row of it.
SizesRule with_column(SizesRule rule) {
  return [rule = std::move(rule)](const OpInstance& op) {
    Sizes column = op.in_sizes(0);
    column.back() = 1;
    if (op.in_sizes(1) == column) return rule(op);
    return refused(fmt::format("expected a maximum of each row of {}, got {}", text(op.in_sizes(0)),
                               text(op.in_sizes(1))));
  };
}

void register_accumulators(OpTable& table) {
  table.add(accumulator(of_tiles("accum.add", 1, "The sum of the tiles of all iterations.", kTileLevels,
                                 "accumulate", as_operand, first_operand),
                        Accumulate::kAdd, "nored"));
  table.add(accumulator(of_tiles("accum.max", 1, "The largest elements of all iterations.", kTileLevels,
                                 "accumulate_max", as_operand, first_operand),
                        Accumulate::kMax, "max"));
  table.add(accum_concat());
  table.add(accumulator(of_tiles("accum.sum", 1, "The sum of the last dimension over all iterations.",
                                 kTileLevels, "accumulate_sum", last_as_one, sum_of_last),
                        Accumulate::kAdd, "red_ld_sum"));
  table.add(accum_mean());
  table.add(accum_rms());
  table.add(running_max());
  table.add(
      accumulator(of_tiles("accum.rescale", 2,
                           "The sum of x over all iterations, as if each had been taken with the largest "
                           "maximum (x, running maximum).",
                           kBlockLevel, "accumulate_rescale", with_column(as_operand), first_operand),
                  Accumulate::kRescale, "nored_rescale"));
  table.add(
      accumulator(of_tiles("accum.sum_rescale", 2, "As accum.rescale, of the sums of the last dimension.",
                           kBlockLevel, "accumulate_sum_rescale", with_column(last_as_one), sum_of_last),
                  Accumulate::kRescale, "red_ld_sum_rescale"));
  table.add(
      accumulator(of_tiles("accum.sum_to", 1, "The sum of mirage.sum_to over all iterations.", kBlockLevel,
                           "accumulate_sum_to_x", reduced_to_width, sums_to_width, {width_attr()}),
                  Accumulate::kAdd, "redtox_ld_sum"));
}

}  // namespace

void register_tile(OpTable& table) {
  table.add(square());
  table.add(rms_norm());
  table.add(fold_heads());
  table.add(transposed());
  table.add(convolution(false));
  table.add(convolution(true));
  table.add(concat_matmul());
  table.add(repeat());
  table.add(sum_to());
  register_accumulators(table);
}

}  // namespace isomer::ir::ops
