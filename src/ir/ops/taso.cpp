// TENSAT's language (Yang et al., MLSys 2021; the operators are those of TASO, Jia et al., SOSP 2019) as
// composites of the other operators. What differs from the original: split says where it cuts (there it is
// "the last concat"), merge says how many groups the convolution has that its weight belongs to (there the
// convolution itself is asked).
#include <fmt/format.h>

#include <algorithm>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"
#include "support/errors.h"

namespace isomer::ir::ops {
namespace {

constexpr int64_t kSame = 0, kValid = 1;
constexpr const char* kActivations[] = {"", "sigmoid", "relu", "tanh"};

std::string check_static(const OpInstance& op) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (auto bad = check_operand(op, i, Takes::kFloats); !bad.empty()) return bad;
    if (!is_static(op.in_shape(i))) return fmt::format("operand {}: expected known sizes", i);
    if (op.in_dtype(i) != op.in_dtype(0))
      return fmt::format("operand {}: expected the element type of operand 0", i);
  }
  return {};
}

std::string check_activation(const OpInstance& op) {
  if (op.i("act") >= 0 && op.i("act") <= 3) return {};
  return fmt::format("expected an activation of 0 to 3, got {}", op.i("act"));
}

ValueId activated(Builder& b, ValueId x, int64_t act) { return act == 0 ? x : b.add(kActivations[act], {x}); }

/// Windows of kernel k and a stride along one dimension: how many, and the padding before and after.
struct Windows {
  int64_t count = 0, before = 0, after = 0;
};

Windows windows(int64_t in, int64_t k, int64_t stride, int64_t padding) {
  if (padding == kValid) return {in < k ? 0 : (in - k) / stride + 1, 0, 0};
  const int64_t count = (in + stride - 1) / stride;
  const int64_t total = std::max<int64_t>((count - 1) * stride + k - in, 0);
  return {count, total / 2, total - total / 2};
}

std::string check_windows(const OpInstance& op, const Shape& x, int64_t kh, int64_t kw) {
  if (op.i("padding") != kSame && op.i("padding") != kValid)
    return fmt::format("expected a padding of 0 (SAME) or 1 (VALID), got {}", op.i("padding"));
  if (op.i("stride_h") < 1 || op.i("stride_w") < 1 || kh < 1 || kw < 1)
    return "expected strides and kernel of at least 1";
  if (windows(x[2].size(), kh, op.i("stride_h"), op.i("padding")).count < 1 ||
      windows(x[3].size(), kw, op.i("stride_w"), op.i("padding")).count < 1)
    return "the kernel is larger than the image";
  return {};
}

std::vector<NamedAttr> window_attrs(const OpInstance& op, int64_t kh, int64_t kw) {
  const Windows h = windows(op.in_shape(0)[2].size(), kh, op.i("stride_h"), op.i("padding"));
  const Windows w = windows(op.in_shape(0)[3].size(), kw, op.i("stride_w"), op.i("padding"));
  return {{"strides", std::vector<int64_t>{op.i("stride_h"), op.i("stride_w")}},
          {"dilations", std::vector<int64_t>{1, 1}},
          {"pads", std::vector<int64_t>{h.before, w.before, h.after, w.after}}};
}

Shape windowed_shape(const OpInstance& op, int64_t channels, int64_t kh, int64_t kw) {
  const Shape& x = op.in_shape(0);
  return {x[0], Dim(channels), Dim(windows(x[2].size(), kh, op.i("stride_h"), op.i("padding")).count),
          Dim(windows(x[3].size(), kw, op.i("stride_w"), op.i("padding")).count)};
}

Inferred infer_matmul(const OpInstance& op) {
  if (auto bad = check_static(op); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_activation(op); !bad.empty()) return Inferred::fail(bad);
  const Shape &a = op.in_shape(0), &b = op.in_shape(1);
  if (a.size() != b.size() || a.size() < 2 || a.size() > 3)
    return Inferred::fail("expected two matrices, or two batches of them");
  const size_t n = a.size();
  if (n == 3 && !a[0].same(b[0])) return Inferred::fail("expected equal batch sizes");
  if (!a[n - 1].same(b[n - 2]))
    return Inferred::fail(
        fmt::format("expected {} rows in operand 1, got {}", a[n - 1].size(), b[n - 2].size()));
  Shape out = a;
  out[n - 1] = b[n - 1];
  return tensor_like(op, std::move(out));
}

Inferred infer_conv(const OpInstance& op) {
  if (auto bad = check_static(op); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_activation(op); !bad.empty()) return Inferred::fail(bad);
  for (size_t i = 0; i < 2; ++i)
    if (auto bad = check_rank(op, i, 4); !bad.empty()) return Inferred::fail(bad);
  const std::vector<int64_t> x = op.in_sizes(0), w = op.in_sizes(1);
  if (w[1] < 1 || x[1] < 1 || x[1] % w[1] != 0)
    return Inferred::fail(fmt::format("{} channels do not divide into groups of {}", x[1], w[1]));
  if (w[0] % (x[1] / w[1]) != 0)
    return Inferred::fail(fmt::format("{} outputs do not divide into {} groups", w[0], x[1] / w[1]));
  if (auto bad = check_windows(op, op.in_shape(0), w[2], w[3]); !bad.empty()) return Inferred::fail(bad);
  return tensor_like(op, windowed_shape(op, w[0], w[2], w[3]));
}

Inferred infer_pool(const OpInstance& op) {
  if (auto bad = check_static(op); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_activation(op); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_rank(op, 0, 4); !bad.empty()) return Inferred::fail(bad);
  const int64_t kh = op.i("kernel_h"), kw = op.i("kernel_w");
  if (auto bad = check_windows(op, op.in_shape(0), kh, kw); !bad.empty()) return Inferred::fail(bad);
  return tensor_like(op, windowed_shape(op, op.in_shape(0)[1].size(), kh, kw));
}

Inferred infer_concat(const OpInstance& op) {
  if (auto bad = check_static(op); !bad.empty()) return Inferred::fail(bad);
  Shape out = op.in_shape(0);
  if (static_cast<int64_t>(out.size()) != op.i("ndim"))
    return Inferred::fail(fmt::format("expected operands of rank {}, got {}", op.i("ndim"), out.size()));
  if (auto bad = check_axis(op.i("axis"), out.size()); !bad.empty()) return Inferred::fail(bad);
  const auto axis = static_cast<size_t>(op.i("axis"));
  for (size_t i = 1; i < op.inputs.size(); ++i) {
    Shape expected = out;
    if (op.in_shape(i).size() == out.size()) expected[axis] = op.in_shape(i)[axis];
    if (auto bad = check_shape(op, i, expected); !bad.empty()) return Inferred::fail(bad);
    out[axis] = Dim(out[axis].size() + op.in_shape(i)[axis].size());
  }
  return tensor_like(op, std::move(out));
}

Inferred infer_split(const OpInstance& op) {
  if (auto bad = check_static(op); !bad.empty()) return Inferred::fail(bad);
  Shape first = op.in_shape(0), second = first;
  if (auto bad = check_axis(op.i("axis"), first.size()); !bad.empty()) return Inferred::fail(bad);
  const auto axis = static_cast<size_t>(op.i("axis"));
  const int64_t pos = op.i("pos"), size = first[axis].size();
  if (pos <= 0 || pos >= size)
    return Inferred::fail(fmt::format("expected a position inside of {}, got {}", size, pos));
  first[axis] = Dim(pos);
  second[axis] = Dim(size - pos);
  const DType dtype = op.in_dtype(0);
  return Inferred::ok(
      op.ctx.intern(Type::tuple({op.ctx.tensor_type(dtype, first), op.ctx.tensor_type(dtype, second)})));
}

Inferred infer_enlarge(const OpInstance& op) {
  if (auto bad = check_static(op); !bad.empty()) return Inferred::fail(bad);
  for (size_t i = 0; i < 2; ++i)
    if (auto bad = check_rank(op, i, 4); !bad.empty()) return Inferred::fail(bad);
  Shape out = op.in_shape(0);
  for (size_t d = 2; d < 4; ++d) {
    const int64_t grow = op.in_shape(1)[d].size() - out[d].size();
    if (grow < 0 || grow % 2 != 0)
      return Inferred::fail(fmt::format("a kernel of {} cannot be centred in one of {}", out[d].size(),
                                        op.in_shape(1)[d].size()));
    out[d] = op.in_shape(1)[d];
  }
  return tensor_like(op, std::move(out));
}

Inferred infer_merge(const OpInstance& op) {
  if (auto bad = check_static(op); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_rank(op, 0, 4); !bad.empty()) return Inferred::fail(bad);
  const int64_t count = op.i("count"), groups = op.has("groups") ? op.i("groups") : count;
  if (count < 1 || groups < 1 || groups % count != 0)
    return Inferred::fail(fmt::format("{} groups cannot be merged by {}", groups, count));
  Shape out = op.in_shape(0);
  if (out[0].size() % groups != 0)
    return Inferred::fail(fmt::format("{} outputs do not divide into {} groups", out[0].size(), groups));
  out[1] = Dim(out[1].size() * count);
  return tensor_like(op, std::move(out));
}

/// out[o, i] = w[o, i mod I] where i lies in the part of the merged group that o's own group was, else 0.
LoopNest merge_nest(const OpInstance& op) {
  REQUIRE(op.has("groups"), "taso.merge has no meaning without its number of groups");
  const std::vector<Size> w = op.in_extents(0);
  const Size per_group = divisor_of(w[0].floor_div(op.i("groups")));
  const int64_t count = op.i("count");
  const IndexExpr o = IndexExpr::var(0), i = IndexExpr::var(1);
  const IndexExpr own = i - o.floor_div(per_group).mod(count) * w[1];
  LoopNest nest;
  nest.space = op.out_extents();
  nest.reads = {read_guarded(0, {o, own, IndexExpr::var(2), IndexExpr::var(3)})};
  nest.result = scalar::read(0);
  return nest;
}

OpDef composite(std::string name, int inputs, std::optional<int> max_inputs, std::string doc,
                std::vector<AttrSpec> attrs, Inferred (*infer)(const OpInstance&)) {
  OpDef def = operation(std::move(name), MeaningKind::kComposite, inputs, max_inputs, std::move(doc),
                        std::move(attrs));
  def.infer = infer;
  return def;
}

std::vector<AttrSpec> pool_attrs() {
  return {int_attr("kernel_h"), int_attr("kernel_w"), int_attr("stride_h"),
          int_attr("stride_w"), int_attr("padding"),  int_attr("act")};
}

ValueId expand_pool(Builder& b, const OpInstance& op, ValueId x, bool max) {
  std::vector<NamedAttr> attrs = window_attrs(op, op.i("kernel_h"), op.i("kernel_w"));
  attrs.emplace_back("kernel", std::vector<int64_t>{op.i("kernel_h"), op.i("kernel_w")});
  attrs.emplace_back("ceil_mode", int64_t{0});
  if (!max) attrs.emplace_back("count_include_pad", int64_t{0});
  return activated(b, b.add(max ? "max_pool" : "avg_pool", {x}, attrs), op.i("act"));
}

void add_products(OpTable& table) {
  OpDef matmul = composite("taso.matmul", 2, {},
                           "Product of two matrices, or of two batches of them, with an activation.",
                           {int_attr("act")}, infer_matmul);
  matmul.expand = [](Builder& b, const OpInstance& op, std::span<const ValueId> in) {
    return activated(b, b.add("matmul", {in[0], in[1]}), op.i("act"));
  };
  table.add(std::move(matmul));

  OpDef conv = composite(
      "taso.conv2d", 2, {},
      "x [N,C,H,W], w [O,I,kh,kw] in C / I groups; padding 0 SAME (ceil(in / stride) outputs), 1 VALID.",
      {int_attr("stride_h"), int_attr("stride_w"), int_attr("padding"), int_attr("act")}, infer_conv);
  conv.expand = [](Builder& b, const OpInstance& op, std::span<const ValueId> in) {
    const std::vector<int64_t> w = op.in_sizes(1);
    std::vector<NamedAttr> attrs = window_attrs(op, w[2], w[3]);
    attrs.emplace_back("group", op.in_sizes(0)[1] / w[1]);
    return activated(b, b.add("conv", {in[0], in[1]}, attrs), op.i("act"));
  };
  conv.images = conv.windowed = true;
  table.add(std::move(conv));
}

void add_pools(OpTable& table) {
  OpDef poolmax = composite("taso.poolmax", 1, {}, "Maximum over windows; padding as taso.conv2d.",
                            pool_attrs(), infer_pool);
  poolmax.expand = [](Builder& b, const OpInstance& op, std::span<const ValueId> in) {
    return expand_pool(b, op, in[0], true);
  };
  poolmax.images = poolmax.windowed = true;
  table.add(std::move(poolmax));

  OpDef poolavg =
      composite("taso.poolavg", 1, {}, "Mean over what of the windows lies inside; padding as taso.conv2d.",
                pool_attrs(), infer_pool);
  poolavg.expand = [](Builder& b, const OpInstance& op, std::span<const ValueId> in) {
    return expand_pool(b, op, in[0], false);
  };
  poolavg.images = poolavg.windowed = true;
  table.add(std::move(poolavg));
}

void add_movements(OpTable& table) {
  OpDef concat = composite("taso.concat", 2, -1, "Operands of rank `ndim`, one after the other along `axis`.",
                           {axis_attr(), int_attr("ndim")}, infer_concat);
  concat.expand = [](Builder& b, const OpInstance& op, std::span<const ValueId> in) {
    return b.add("concat", {in.begin(), in.end()}, {{"axis", op.i("axis")}});
  };
  concat.range = RangeKind::kUnion;
  table.add(std::move(concat));

  OpDef split = composite("taso.split", 1, {}, "A pair: x cut at `pos` along `axis`.",
                          {axis_attr(), int_attr("pos")}, infer_split);
  split.expand = [](Builder& b, const OpInstance& op, std::span<const ValueId> in) {
    const int64_t size = op.in_shape(0)[static_cast<size_t>(op.i("axis"))].size();
    return b.add("split", {in[0]},
                 {{"axis", op.i("axis")}, {"sizes", std::vector<int64_t>{op.i("pos"), size - op.i("pos")}}});
  };
  table.add(std::move(split));

  OpDef enlarge = composite("taso.enlarge", 2, {},
                            "Kernel zero-padded on all sides to height and width of the reference kernel.",
                            {}, infer_enlarge);
  enlarge.expand = [](Builder& b, const OpInstance& op, std::span<const ValueId> in) {
    const std::vector<int64_t> k = op.in_sizes(0), ref = op.in_sizes(1);
    const int64_t h = (ref[2] - k[2]) / 2, w = (ref[3] - k[3]) / 2;
    return b.add("pad", {in[0]},
                 {{"pads", std::vector<int64_t>{0, 0, h, w, 0, 0, h, w}},
                  {"mode", std::string("constant")},
                  {"value", 0.0}});
  };
  table.add(std::move(enlarge));

  OpDef dropout = composite("taso.dropout", 1, {}, "Its operand: dropout at inference.", {},
                            [](const OpInstance& op) { return Inferred::ok(op.inputs[0]); });
  dropout.expand = [](Builder&, const OpInstance&, std::span<const ValueId> in) { return in[0]; };
  table.add(std::move(dropout));

  OpDef merge = operation(
      "taso.merge", MeaningKind::kMovement, 1, {},
      "Weight of a convolution with `groups` groups, for the same convolution with each `count` groups "
      "merged into one: [O,I,kh,kw] to [O,I*count,kh,kw], zero between what were different groups. "
      "Without `groups` it has a type but no meaning.",
      {int_attr("count"),
       {.name = "groups", .kind = AttrKind::kInt, .optional = true, .role = AttrRole::kGroups}});
  merge.infer = infer_merge;
  merge.nests = [](const OpInstance& op) { return std::vector<LoopNest>{merge_nest(op)}; };
  table.add(std::move(merge));
}

}  // namespace

void register_taso(OpTable& table) {
  add_products(table);
  add_pools(table);
  add_movements(table);
}

}  // namespace isomer::ir::ops
