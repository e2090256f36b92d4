// Softmax and normalisations.
#include <onnx-ml.pb.h>

#include <algorithm>

#include "formats/onnx_spell.h"
#include "ir/op_table.h"

namespace isomer::formats {
namespace {

using ir::ValueId;

const double kEpsilon = static_cast<double>(1e-5F);

/// Up to opset 12 softmax went over all dimensions from the axis on: the same thing only when those behind
/// are 1.
bool rest_is_one(const ir::Shape& shape, int64_t axis) {
  return std::all_of(shape.begin() + axis + 1, shape.end(), [](ir::Dim d) { return d == ir::Dim(1); });
}

ValueId read_softmax_like(NodeReader& r, const char* op) {
  const int64_t axis = r.axis(r.i("axis", r.opset() < 13 ? 1 : -1), r.rank(0));
  if (r.failed()) return {};
  if (r.opset() < 13 && !rest_is_one(r.shape(0), axis)) return r.fail("it goes over several dimensions");
  return r.add(op, {r.in(0)}, {{"axis", axis}});
}
ValueId read_softmax(NodeReader& r) { return read_softmax_like(r, "softmax"); }
ValueId read_log_softmax(NodeReader& r) { return read_softmax_like(r, "log_softmax"); }
void write_softmax(NodeWriter& w) { set(w.node("Softmax", w.ins()), "axis", w.op().i("axis")); }
void write_log_softmax(NodeWriter& w) { set(w.node("LogSoftmax", w.ins()), "axis", w.op().i("axis")); }
bool can_softmax(const ir::OpInstance& op, int64_t opset) {
  return opset >= 13 || (op.type(0).is_ranked_tensor() && rest_is_one(op.in_shape(0), op.i("axis")));
}

ValueId read_layer_norm(NodeReader& r) {
  const int64_t axis = r.axis(r.i("axis", -1), r.rank(0));
  if (r.i("stash_type", 1) != 1) return r.fail("it computes in another type");
  std::vector<ValueId> operands = r.ins(2);
  if (r.has(2)) operands.push_back(r.in(2));
  return r.add("layer_norm", operands, {{"axis", axis}, {"epsilon", r.f("epsilon", kEpsilon)}});
}
ValueId read_rms_norm(NodeReader& r) {
  const int64_t axis = r.axis(r.i("axis", -1), r.rank(0));
  if (r.i("stash_type", 1) != 1) return r.fail("it computes in another type");
  return r.add("rms_norm", r.ins(2), {{"axis", axis}, {"epsilon", r.f("epsilon", kEpsilon)}});
}
void put_axis_and_epsilon(NodeWriter& w, onnx::NodeProto& node) {
  set(node, "axis", w.op().i("axis"));
  set(node, "epsilon", w.op().f("epsilon"));
}
void write_layer_norm(NodeWriter& w) { put_axis_and_epsilon(w, w.node("LayerNormalization", w.ins())); }
void write_rms_norm(NodeWriter& w) { put_axis_and_epsilon(w, w.node("RMSNormalization", w.ins())); }

ValueId read_batch_norm(NodeReader& r) {
  r.f("momentum", 0);  // training only
  if (r.i("training_mode", 0) != 0) return r.fail("it trains");
  if (r.i("spatial", 1) != 1) return r.fail("it has statistics for each element");
  return r.add("batch_norm", r.ins(5), {{"epsilon", r.f("epsilon", kEpsilon)}});
}
void write_batch_norm(NodeWriter& w) {
  set(w.node("BatchNormalization", w.ins()), "epsilon", w.op().f("epsilon"));
}
}  // namespace

void spell_normalisation(Spellings& t) {
  t.reads("Softmax", read_softmax);
  t.writes("softmax", {write_softmax, can_softmax});
  t.reads("LogSoftmax", read_log_softmax);
  t.writes("log_softmax", {write_log_softmax, can_softmax});
  t.reads("LayerNormalization", read_layer_norm);
  t.writes("layer_norm", {write_layer_norm, nullptr, 17});
  t.reads("RMSNormalization", read_rms_norm);
  t.writes("rms_norm", {write_rms_norm, nullptr, 23});
  t.reads("BatchNormalization", read_batch_norm);
  t.writes("batch_norm", {write_batch_norm, nullptr, 7});
}

}  // namespace isomer::formats
