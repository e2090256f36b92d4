// What sorts and scans: TopK, ArgMax, ArgMin, CumSum. How many TopK wants is an attribute up to opset 9, an
// input afterwards; the axis of CumSum is an input, which may hold one element in any shape.
#include <onnx-ml.pb.h>

#include "formats/onnx_spell.h"
#include "ir/op_table.h"

namespace isomer::formats {
namespace {

using ir::ValueId;

ValueId read_top_k(NodeReader& r) {
  const auto k = r.opset() < 10 ? std::optional(std::vector<int64_t>{r.i("k", -1)}) : r.const_ints(1);
  if (!k || k->size() != 1) return r.fail("how many it takes is not constant");
  if (r.i("sorted", 1) == 0) return r.fail("the order of its results is left open");
  return r.add(
      "top_k", {r.in(0)},
      {{"axis", r.axis(r.i("axis", -1), r.rank(0))}, {"k", (*k)[0]}, {"largest", r.i("largest", 1)}});
}
void write_top_k(NodeWriter& w) {
  const ir::OpInstance op = w.op();
  std::vector<std::string> inputs = w.ins();
  if (w.opset() >= 10) inputs.push_back(w.ints({op.i("k")}));
  onnx::NodeProto& node = w.node("TopK", inputs);
  if (w.opset() < 10) set(node, "k", op.i("k"));
  set(node, "axis", op.i("axis"));
  if (w.opset() >= 11) set(node, "largest", op.i("largest"));
}
bool can_top_k(const ir::OpInstance& op, int64_t opset) { return opset >= 11 || op.i("largest") != 0; }

template <bool kLargest>
ValueId read_arg(NodeReader& r) {
  return r.add(kLargest ? "arg_max" : "arg_min", {r.in(0)},
               {{"axis", r.axis(r.i("axis", 0), r.rank(0))},
                {"keepdims", r.i("keepdims", 1)},
                {"last", r.i("select_last_index", 0)}});
}
template <bool kLargest>
void write_arg(NodeWriter& w) {
  const ir::OpInstance op = w.op();
  onnx::NodeProto& node = w.node(kLargest ? "ArgMax" : "ArgMin", w.ins());
  set(node, "axis", op.i("axis"));
  set(node, "keepdims", op.i("keepdims"));
  if (w.opset() >= 12) set(node, "select_last_index", op.i("last"));
}
bool can_arg(const ir::OpInstance& op, int64_t opset) { return opset >= 12 || op.i("last") == 0; }

ValueId read_cumsum(NodeReader& r) {
  const auto axis = r.const_ints(1);
  if (!axis || axis->size() != 1) return r.fail("its axis is not constant");
  return r.add("cumsum", {r.in(0)},
               {{"axis", r.axis((*axis)[0], r.rank(0))},
                {"exclusive", r.i("exclusive", 0)},
                {"reverse", r.i("reverse", 0)}});
}
void write_cumsum(NodeWriter& w) {
  const ir::OpInstance op = w.op();
  std::vector<std::string> inputs = w.ins();
  inputs.push_back(w.scalar(ir::DType::kI64, static_cast<double>(op.i("axis"))));
  onnx::NodeProto& node = w.node("CumSum", inputs);
  set(node, "exclusive", op.i("exclusive"));
  set(node, "reverse", op.i("reverse"));
}

}  // namespace

void spell_procedural(Spellings& t) {
  t.reads("TopK", read_top_k);
  t.writes("top_k", {write_top_k, can_top_k});
  t.reads("ArgMax", read_arg<true>);
  t.writes("arg_max", {write_arg<true>, can_arg});
  t.reads("ArgMin", read_arg<false>);
  t.writes("arg_min", {write_arg<false>, can_arg});
  t.reads("CumSum", read_cumsum);
  t.writes("cumsum", {write_cumsum, nullptr, 11});
}

}  // namespace isomer::formats
