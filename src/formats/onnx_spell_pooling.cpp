// Pooling.
#include <onnx-ml.pb.h>

#include <algorithm>

#include "formats/onnx_spell.h"
#include "formats/onnx_windows.h"
#include "ir/op_table.h"

namespace isomer::formats {
namespace {

using ir::ValueId;

bool all_one(const std::vector<int64_t>& values) {
  return std::ranges::all_of(values, [](int64_t v) { return v == 1; });
}

ValueId read_max_pool(NodeReader& r) {
  const Windows w = read_windows(r, r.ints("kernel_shape").value_or(std::vector<int64_t>()));
  r.i("storage_order", 0);  // the order of indices, which have no operator
  return r.add("max_pool", {r.in(0)},
               {{"kernel", w.kernel},
                {"strides", w.strides},
                {"dilations", w.dilations},
                {"pads", w.pads},
                {"ceil_mode", r.i("ceil_mode", 0)}});
}

ValueId read_avg_pool(NodeReader& r) {
  const Windows w = read_windows(r, r.ints("kernel_shape").value_or(std::vector<int64_t>()));
  const int64_t count = r.i("count_include_pad", 0);
  return r.add("avg_pool", {r.in(0)},
               {{"kernel", w.kernel},
                {"strides", w.strides},
                {"dilations", w.dilations},
                {"pads", w.pads},
                {"ceil_mode", r.i("ceil_mode", 0)},
                {"count_include_pad", count}});
}

void put_windows(NodeWriter& w, onnx::NodeProto& node) {
  const ir::OpInstance op = w.op();
  set(node, "kernel_shape", op.ints("kernel"));
  set(node, "pads", op.ints("pads"));
  set(node, "strides", op.ints("strides"));
  if (!all_one(op.ints("dilations"))) set(node, "dilations", op.ints("dilations"));
  if (op.i("ceil_mode") != 0) set(node, "ceil_mode", op.i("ceil_mode"));
}
void write_max_pool(NodeWriter& w) { put_windows(w, w.node("MaxPool", w.ins())); }
void write_avg_pool(NodeWriter& w) {
  onnx::NodeProto& node = w.node("AveragePool", w.ins());
  put_windows(w, node);
  if (w.op().i("count_include_pad") != 0) set(node, "count_include_pad", w.op().i("count_include_pad"));
}

bool can_max_pool(const ir::OpInstance& op, int64_t opset) {
  return opset >= 10 || (all_one(op.ints("dilations")) && op.i("ceil_mode") == 0);
}
bool can_avg_pool(const ir::OpInstance& op, int64_t opset) {
  return (opset >= 19 || all_one(op.ints("dilations"))) && (opset >= 10 || op.i("ceil_mode") == 0);
}

}  // namespace

void spell_pooling(Spellings& t) {
  t.reads("MaxPool", read_max_pool);
  t.writes("max_pool", {write_max_pool, can_max_pool});
  t.reads("AveragePool", read_avg_pool);
  t.writes("avg_pool", {write_avg_pool, can_avg_pool, 7});
}

}  // namespace isomer::formats
