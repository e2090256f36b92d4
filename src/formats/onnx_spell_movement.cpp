// Operators that move elements and whose attributes depend on each other, on sizes, or on how many outputs
// there are: split, slice, pad.
#include <onnx-ml.pb.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "formats/onnx_spell.h"
#include "ir/op_table.h"

namespace isomer::formats {
namespace {

using Ints = std::vector<int64_t>;
using ir::ValueId;

ValueId read_split(NodeReader& r) {
  const int64_t axis = r.axis(r.i("axis", 0), r.rank(0));
  std::optional<Ints> sizes = r.ints_attr_or_input("split", 1, 12);
  const auto parts = static_cast<int64_t>(r.node().output_size());
  const int64_t asked = r.i("num_outputs", parts);
  if (r.failed()) return {};
  if (asked != parts || parts == 0) return r.fail("expected as many outputs as num_outputs says");
  if (!sizes) {
    const ir::Dim d = r.shape(0)[static_cast<size_t>(axis)];
    if (!d.is_static()) return r.fail("the size that it splits is not known");
    const int64_t each = (d.size() + parts - 1) / parts;
    if (each * parts != d.size() && !r.has_attr("num_outputs")) return r.fail("expected parts of equal size");
    sizes.emplace(static_cast<size_t>(parts), each);
    sizes->back() = d.size() - each * (parts - 1);
    if (sizes->back() < 0) return r.fail("too many parts");
  }
  return r.add("split", {r.in(0)}, {{"axis", axis}, {"sizes", *sizes}});
}
void write_split(NodeWriter& w) {
  onnx::NodeProto& node = w.node("Split", w.ins());
  set(node, "axis", w.op().i("axis"));
  w.ints_attr_or_input(node, "split", w.op().ints("sizes"), 12);
}

ValueId read_slice(NodeReader& r) {
  const auto starts = r.ints_attr_or_input("starts", 1, 9);
  const auto ends = r.ints_attr_or_input("ends", 2, 9);
  auto axes = r.ints_attr_or_input("axes", 3, 9);
  auto steps = r.opset() < 10 ? std::nullopt : r.ints_attr_or_input("steps", 4, 9);
  const int64_t rank = r.rank(0);
  if (r.failed()) return {};
  if (!starts || !ends || starts->size() != ends->size()) return r.fail("expected as many ends as starts");
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!steps) steps.emplace(starts->size(), 1);
  if (axes->size() != starts->size() || steps->size() != starts->size())
    return r.fail("expected as many axes and steps as starts");
  Ints from = *starts;
  Ints to = *ends;
  std::set<int64_t> seen;
  for (size_t i = 0; i < from.size(); ++i) {
    int64_t& axis = (*axes)[i];
    axis = r.axis(axis, rank);
    if (r.failed()) return {};
    if (!seen.insert(axis).second) return r.fail("an axis comes twice");
    if ((*steps)[i] == 0) return r.fail("a step is 0");
    const ir::Dim d = r.shape(0)[static_cast<size_t>(axis)];
    if (!d.is_static() || (*steps)[i] < 0)
      continue;  // going backwards, an end before the first element is negative
    for (int64_t* bound : {&from[i], &to[i]})
      *bound = std::clamp(*bound < 0 ? *bound + d.size() : *bound, int64_t{0}, d.size());
  }
  return r.add("slice", {r.in(0)}, {{"axes", *axes}, {"starts", from}, {"ends", to}, {"steps", *steps}});
}
void write_slice(NodeWriter& w) {
  const ir::OpInstance op = w.op();
  onnx::NodeProto& node = w.node("Slice", w.ins());
  w.ints_attr_or_input(node, "starts", op.ints("starts"), 9);
  w.ints_attr_or_input(node, "ends", op.ints("ends"), 9);
  w.ints_attr_or_input(node, "axes", op.ints("axes"), 9);
  if (w.opset() >= 10) node.add_input(w.ints(op.ints("steps")));
}
ValueId read_pad(NodeReader& r) {
  const std::string mode = r.s("mode", "constant");
  const auto given = r.ints_attr_or_input("pads", 1, 10);
  const auto axes = r.opset() < 18 ? std::nullopt : r.ints_attr_or_input("axes", 3, 10);
  double value = 0;
  if (r.opset() < 11) {
    value = r.f("value", 0);
  } else if (r.has(2)) {
    const auto constant = r.const_number(2);
    if (!constant) return r.fail("its value is not constant");
    value = *constant;
  }
  const int64_t rank = r.rank(0);
  if (r.failed() || !given) return r.fail("its pads are not known");
  Ints pads = *given;
  if (axes) {
    if (pads.size() != 2 * axes->size()) return r.fail("expected two pads an axis");
    pads.assign(static_cast<size_t>(2 * rank), 0);
    for (size_t i = 0; i < axes->size(); ++i) {
      const auto axis = static_cast<size_t>(r.axis((*axes)[i], rank));
      if (r.failed()) return {};
      pads[axis] = (*given)[i];
      pads[static_cast<size_t>(rank) + axis] = (*given)[axes->size() + i];
    }
  }
  return r.add("pad", {r.in(0)}, {{"pads", pads}, {"mode", mode}, {"value", value}});
}
void write_pad(NodeWriter& w) {
  const ir::OpInstance op = w.op();
  onnx::NodeProto& node = w.node("Pad", w.ins());
  set(node, "mode", op.s("mode"));
  w.ints_attr_or_input(node, "pads", op.ints("pads"), 10);
  if (op.s("mode") != "constant") return;
  if (w.opset() < 11)
    set(node, "value", op.f("value"));
  else
    node.add_input(w.scalar(w.result().dtype, op.f("value")));
}
}  // namespace

void spell_movement(Spellings& t) {
  t.reads("Split", read_split);
  t.writes("split", {write_split});
  t.reads("Slice", read_slice);
  t.writes("slice", {write_slice});
  t.reads("Pad", read_pad);
  t.writes("pad", {write_pad});
}

}  // namespace isomer::formats
