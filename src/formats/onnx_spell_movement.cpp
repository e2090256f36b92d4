// Operators that move elements: transpose, concat, split, slice, pad, gather, tile and their like. What ONNX
// takes as constant inputs (bounds, sizes) are attributes here.
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

ValueId read_transpose(NodeReader& r) {
  Ints perm(static_cast<size_t>(r.rank(0)));
  std::iota(perm.rbegin(), perm.rend(), 0);
  return r.add("transpose", {r.in(0)}, {{"perm", r.ints("perm").value_or(perm)}});
}
void write_transpose(NodeWriter& w) { set(w.node("Transpose", w.ins()), "perm", w.op().ints("perm")); }

ValueId read_concat(NodeReader& r) {
  const std::vector<ValueId> operands = r.ins(r.inputs());
  if (operands.empty()) return r.fail("expected operands");
  return r.add("concat", operands, {{"axis", r.axis(r.i("axis", 0), r.rank(0))}});
}
void write_concat(NodeWriter& w) { set(w.node("Concat", w.ins()), "axis", w.op().i("axis")); }

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
bool can_slice(const ir::OpInstance& op, int64_t opset) {
  return opset >= 10 || std::ranges::all_of(op.ints("steps"), [](int64_t s) { return s == 1; });
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
bool can_pad(const ir::OpInstance& op, int64_t opset) {
  const std::string& mode = op.s("mode");
  return mode == "wrap" ? opset >= 19 : opset >= 2;
}

ValueId read_gather(NodeReader& r) {
  return r.add("gather", r.ins(2), {{"axis", r.axis(r.i("axis", 0), r.rank(0))}});
}
void write_gather(NodeWriter& w) { set(w.node("Gather", w.ins()), "axis", w.op().i("axis")); }

ValueId read_tile(NodeReader& r) {
  const auto repeats = r.const_ints(1);
  if (!repeats) return r.fail("its repeats are not constant");
  return r.add("tile", {r.in(0)}, {{"repeats", *repeats}});
}
void write_tile(NodeWriter& w) {
  std::vector<std::string> inputs = w.ins();
  inputs.push_back(w.ints(w.op().ints("repeats")));
  w.node("Tile", inputs);
}

/// Nearest elements by whole factors, in the two ways that exporters ask for them. Sizes may be given instead
/// of factors; both are constants.
ValueId read_resize(NodeReader& r) {
  const std::string centres = r.s("coordinate_transformation_mode", "half_pixel");
  const std::string rounding = r.s("nearest_mode", "round_prefer_floor");
  r.i("exclude_outside", 0);
  r.f("cubic_coeff_a", -0.75);
  r.f("extrapolation_value", 0);
  r.i("antialias", 0);
  if (r.has_attr("axes") || r.has_attr("keep_aspect_ratio_policy"))
    return r.fail("it names axes or a policy");
  if (r.s("mode", "nearest") != "nearest") return r.fail("it interpolates");
  const bool corners = centres == "asymmetric" && rounding == "floor";
  const bool middles = centres == "half_pixel" && rounding.starts_with("round_prefer");
  if (!corners && !middles) return r.fail("it takes other elements than the nearest");
  const std::vector<int64_t> sizes = r.shape(0).empty() ? std::vector<int64_t>() : [&] {
    std::vector<int64_t> out;
    for (ir::Dim d : r.shape(0)) out.push_back(d.is_static() ? d.size() : 0);
    return out;
  }();
  std::vector<int64_t> factors;
  if (const auto scales = r.const_numbers(2); scales && !scales->empty()) {
    for (double s : *scales) factors.push_back(s >= 1 && s == std::floor(s) ? static_cast<int64_t>(s) : 0);
  } else if (const auto wanted = r.const_ints(3); wanted && wanted->size() == sizes.size()) {
    for (size_t i = 0; i < sizes.size(); ++i)
      factors.push_back(sizes[i] > 0 && (*wanted)[i] % sizes[i] == 0 ? (*wanted)[i] / sizes[i] : 0);
  }
  if (factors.size() != sizes.size() || std::ranges::any_of(factors, [](int64_t f) { return f < 1; }))
    return r.fail("its factors are not known to be whole");
  return r.add("upsample", {r.in(0)}, {{"factors", factors}});
}
void write_resize(NodeWriter& w) {
  std::vector<double> factors;
  for (int64_t f : w.op().ints("factors")) factors.push_back(static_cast<double>(f));
  const std::string region = w.opset() < 13 ? w.floats({}) : "";  // not optional there, nor used
  onnx::NodeProto& node = w.node("Resize", {w.in(0), region, w.floats(factors)});
  set(node, "coordinate_transformation_mode", std::string("asymmetric"));
  set(node, "mode", std::string("nearest"));
  set(node, "nearest_mode", std::string("floor"));
}
bool can_resize(const ir::OpInstance& op, int64_t opset) {
  return opset >= 13 || ir::is_float(op.in_dtype(0)) || op.in_dtype(0) == ir::DType::kI32;
}

ValueId read_depth_to_space(NodeReader& r) {
  return r.add("depth_to_space", {r.in(0)},
               {{"blocksize", r.i("blocksize", 0)}, {"mode", r.s("mode", "DCR")}});
}
void write_depth_to_space(NodeWriter& w) {
  onnx::NodeProto& node = w.node("DepthToSpace", w.ins());
  set(node, "blocksize", w.op().i("blocksize"));
  if (w.opset() >= 11) set(node, "mode", w.op().s("mode"));
}
bool can_depth_to_space(const ir::OpInstance& op, int64_t opset) {
  return opset >= 11 || op.s("mode") == "DCR";
}

ValueId read_trilu(NodeReader& r) {
  int64_t k = 0;
  if (r.has(1)) {
    const auto given = r.const_ints(1);
    if (!given || given->size() != 1) return r.fail("its diagonal is not constant");
    k = (*given)[0];
  }
  return r.add("trilu", {r.in(0)}, {{"upper", r.i("upper", 1)}, {"k", k}});
}
void write_trilu(NodeWriter& w) {
  std::vector<std::string> inputs = w.ins();
  inputs.push_back(w.scalar(ir::DType::kI64, static_cast<double>(w.op().i("k"))));
  set(w.node("Trilu", inputs), "upper", w.op().i("upper"));
}

}  // namespace

void spell_movement(Spellings& t) {
  t.reads("Transpose", read_transpose);
  t.writes("transpose", {write_transpose});
  t.reads("Concat", read_concat);
  t.writes("concat", {write_concat});
  t.reads("Split", read_split);
  t.writes("split", {write_split});
  t.reads("Slice", read_slice);
  t.writes("slice", {write_slice, can_slice});
  t.reads("Pad", read_pad);
  t.writes("pad", {write_pad, can_pad});
  t.reads("Gather", read_gather);
  t.writes("gather", {write_gather});
  t.reads("Tile", read_tile);
  t.writes("tile", {write_tile, nullptr, 6});
  t.reads("Resize", read_resize);
  t.writes("upsample", {write_resize, can_resize, 11});
  t.reads("DepthToSpace", read_depth_to_space);
  t.writes("depth_to_space", {write_depth_to_space, can_depth_to_space});
  t.reads("Trilu", read_trilu);
  t.writes("trilu", {write_trilu, nullptr, 14});
}

}  // namespace isomer::formats
