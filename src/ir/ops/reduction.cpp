// Reductions over axes. One row is what is accumulated, how, and what is made of the accumulator in the end.
#include <fmt/format.h>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/axes.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {
namespace {

enum class Finish : uint8_t { kNone, kMean, kSqrt, kLog };

struct Row {
  const char* name;
  Takes takes;
  Combiner combine;
  enum class Term : uint8_t { kPlain, kAbs, kSquare } term;
  Finish finish;
  const char* onnx;
  RangeKind range = RangeKind::kUnknown;
  int axes_input = 18;
  Levels levels = kGraphLevel;
  const char* mirage = nullptr;  ///< by which names where it stands in muGraphs, which reduce one axis
  const char* listed = nullptr;
};

constexpr Row kRows[] = {
    {"reduce_sum", Takes::kNumbers, Combiner::kSum, Row::Term::kPlain, Finish::kNone, "ReduceSum",
     RangeKind::kSum, 13, kAllLevels, "reduction", "sum"},
    {"reduce_mean", Takes::kOrdered, Combiner::kSum, Row::Term::kPlain, Finish::kMean, "ReduceMean",
     RangeKind::kMean, 18, kGraphLevel | kKernelLevel | kBlockLevel, "mean", "mean"},
    {"reduce_max", Takes::kOrdered, Combiner::kMax, Row::Term::kPlain, Finish::kNone, "ReduceMax",
     RangeKind::kPart},
    {"reduce_min", Takes::kOrdered, Combiner::kMin, Row::Term::kPlain, Finish::kNone, "ReduceMin",
     RangeKind::kPart},
    {"reduce_prod", Takes::kNumbers, Combiner::kProduct, Row::Term::kPlain, Finish::kNone, "ReduceProd"},
    {"reduce_l1", Takes::kOrdered, Combiner::kSum, Row::Term::kAbs, Finish::kNone, "ReduceL1"},
    {"reduce_l2", Takes::kFloats, Combiner::kSum, Row::Term::kSquare, Finish::kSqrt, "ReduceL2"},
    {"reduce_sum_square", Takes::kNumbers, Combiner::kSum, Row::Term::kSquare, Finish::kNone,
     "ReduceSumSquare"},
    {"reduce_log_sum", Takes::kFloats, Combiner::kSum, Row::Term::kPlain, Finish::kLog, "ReduceLogSum"},
};

Inferred reduced_type(const OpInstance& op, Takes set) {
  if (auto bad = check_operand(op, 0, set); !bad.empty()) return Inferred::fail(bad);
  const Shape& in = op.in_shape(0);
  if (auto bad = check_axes(op.ints("axes"), in.size()); !bad.empty()) return Inferred::fail(bad);
  Shape out;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!is_among(op.ints("axes"), i))
      out.push_back(in[i]);
    else if (op.i("keepdims"))
      out.emplace_back(1);
  }
  return tensor_like(op, std::move(out));
}

ScalarExpr term_of(Row::Term term) {
  const ScalarExpr x = scalar::read(0);
  switch (term) {
    case Row::Term::kPlain: return x;
    case Row::Term::kAbs: return scalar::apply(ScalarOp::kAbs, x);
    case Row::Term::kSquare: return x * x;
  }
  return x;
}

LoopNest reduction_nest(const OpInstance& op, const Row& row) {
  const std::vector<Size> in = op.in_extents(0);
  LoopNest nest = nest_of(op, summed_over(op.ints("axes"), in, {0}, op.i("keepdims") != 0));
  nest.accumulators = {{term_of(row.term), row.combine}};
  if (op.in_dtype(0) == DType::kBool)
    nest.accumulators[0].initial = scalar::integer(row.combine == Combiner::kMin);
  const ScalarExpr acc = scalar::acc(0);
  switch (row.finish) {
    case Finish::kNone: nest.result = acc; break;
    case Finish::kMean: {
      Size count = 1;
      for (const Size& extent : nest.reduce) count *= extent;
      nest.result = acc / size_literal(op.in_dtype(0), count);
      break;
    }
    case Finish::kSqrt: nest.result = scalar::apply(ScalarOp::kSqrt, acc); break;
    case Finish::kLog: nest.result = scalar::apply(ScalarOp::kLog, acc); break;
  }
  return nest;
}

/// ONNX has axes as an attribute before operator set `axes_input`, as an input from then on.
OpDef reduction(const char* name, MeaningKind kind, std::string doc, const char* onnx_name, bool bytes,
                int axes_input = 18) {
  OpDef def = operation(name, kind, 1, {}, std::move(doc),
                        {ints_attr("axes", AttrRole::kAxes), int_attr("keepdims", 1)});
  std::vector<TypesSince> types = {{7, kOnnxFloats | kOnnxWide}, {13, kOnnxBFloats | kOnnxWide}};
  if (bytes)
    types = {{7, kOnnxFloats | kOnnxWide},
             {12, kOnnxFloats | kOnnxWide | kOnnxBytes},
             {13, kOnnxBFloats | kOnnxWide | kOnnxBytes},
             {20, kOnnxBFloats | kOnnxWide | kOnnxBytes | dtype_set(DType::kBool)}};
  def.spellings = {said(typed(onnx(onnx_name, 1), std::move(types)),
                        {{.ours = "axes", .rule = Unsaid::kAllAxes, .input = 1, .input_since = axes_input},
                         {.ours = "keepdims", .flag = true}})};
  return def;
}

/// max + log(sum(exp(x - max))): does not overflow where the result does not.
ValueId expand_log_sum_exp(Builder& b, const OpInstance& op, std::span<const ValueId> in) {
  const std::vector<NamedAttr> keep = {{"axes", op.ints("axes")}, {"keepdims", int64_t{1}}};
  const ValueId max = b.add("reduce_max", {in[0]}, keep);
  const ValueId shifted = b.add("sub", {in[0], b.add("broadcast", {max}, {{"shape", op.in_shape(0)}})});
  const ValueId sum = b.add("reduce_sum", {b.add("exp", {shifted})}, keep);
  const ValueId out = b.add("add", {max, b.add("log", {sum})});
  if (op.i("keepdims") || op.ints("axes").empty()) return out;
  return b.add("squeeze", {out}, {{"axes", op.ints("axes")}});
}

}  // namespace

void register_reduction(OpTable& table) {
  for (const Row& row : kRows) {
    const bool extremum = row.combine == Combiner::kMax || row.combine == Combiner::kMin;
    OpDef def =
        reduction(row.name, MeaningKind::kContraction,
                  fmt::format("{} over `axes` (rising order), which stay as 1 if keepdims.", row.onnx),
                  row.onnx, extremum, row.axes_input);
    def.range = row.range;
    def.levels = row.levels;
    if (row.mirage != nullptr) {
      in_mirage(def, row.mirage);
      if (def.stands_at(kBlockLevel)) in_mirage_by_axis(def, row.mirage);
      def.spellings.push_back({"mugraph", "", row.listed});
    }
    if (row.finish == Finish::kLog) def.wishes = {{0, "logarithm of", 0.05, 1}};
    def.infer = [set = row.takes, extremum](const OpInstance& op) {
      const bool bools = extremum && op.type(0).is_tensor() && op.in_dtype(0) == DType::kBool;
      return reduced_type(op, bools ? Takes::kBools : set);
    };
    def.nests = [&row](const OpInstance& op) { return std::vector<LoopNest>{reduction_nest(op, row)}; };
    table.add(std::move(def));
  }
  OpDef lse = reduction("reduce_log_sum_exp", MeaningKind::kComposite,
                        "log(sum(exp(x))) over `axes` (rising order), which stay as 1 if keepdims.",
                        "ReduceLogSumExp", false);
  lse.infer = [](const OpInstance& op) { return reduced_type(op, Takes::kFloats); };
  lse.expand = expand_log_sum_exp;
  table.add(std::move(lse));
}

}  // namespace isomer::ir::ops
