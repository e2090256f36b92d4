#include "formats/onnx_control.h"

#include <onnx-ml.pb.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "formats/onnx_envelope.h"
#include "formats/onnx_opaque.h"
#include "formats/onnx_types.h"
#include "ir/op_table.h"

namespace isomer::formats {
namespace {

using ir::RegionId;
using ir::ValueId;
using Ints = std::vector<int64_t>;

/// An attribute of integers, or so many zeros.
Ints ints_attr(const onnx::NodeProto& node, std::string_view name, size_t count) {
  for (const onnx::AttributeProto& a : node.attribute())
    if (a.name() == name) return {a.ints().begin(), a.ints().end()};
  return Ints(count, 0);
}

/// That the bool is true in every run.
bool is_true(eval::SizeValues& sizes, ValueId v) {
  const auto number = sizes.number(v);
  return number && *number != 0;
}

class Control {
 public:
  Control(ir::Builder& builder, eval::SizeValues& sizes, const onnx::ModelProto& model, const KeptNode& kept,
          std::string& why)
      : b_(builder), sizes_(sizes), model_(model), kept_(kept), node_(kept.node), why_(why) {}

  ValueId read() {
    for (size_t i = 0; i < kept_.operands.size(); ++i)
      if (!b_.type(kept_.operands[i]).is_static_tensor())
        return fail("the sizes of its operands are not known");
    given_ = given_bodies(b_.so_far(), kept_, imported_opset(model_, ""), why_);
    for (const GivenBody& body : given_) {
      regions_.push_back(read_body(b_, sizes_, model_, *body.graph, body.inputs, why_));
      if (!regions_.back().valid()) return {};
    }
    if (regions_.empty()) return {};
    const std::string& op = node_.op_type();
    return op == "If" ? branches() : op == "Loop" ? loop() : scan();
  }

 private:
  ValueId fail(std::string why) {
    why_ = std::move(why);
    return {};
  }

  ValueId add(std::string_view name, std::vector<ir::NamedAttr> attrs) {
    return add_kept(b_, kept_, name, std::move(attrs), why_);
  }

  static int64_t number(RegionId region) { return static_cast<int64_t>(region.index()); }

  ValueId branches() {
    return add("if", {{"region", number(regions_[0])}, {"otherwise", number(regions_[1])}});
  }

  ValueId loop() {
    Ints given;
    for (int i = 0; i < std::min(node_.input_size(), 2); ++i)
      if (!node_.input(i).empty()) given.push_back(i);
    return add("loop", {{"region", number(regions_[0])},
                        {"given", given},
                        {"states", static_cast<int64_t>(given_[0].states)},
                        {"trips", trips(given, b_.context().get(regions_[0]))}});
  }

  /// How many rounds there are in every run, or -1.
  int64_t trips(const Ints& given, const ir::Graph& body) {
    const auto place = [&](int64_t input) { return std::ranges::find(given, input) - given.begin(); };
    const auto known = [&](int64_t input) -> std::optional<int64_t> {
      const auto at = static_cast<size_t>(place(input));
      return at == given.size() ? std::nullopt : sizes_.number(kept_.operands[at]);
    };
    const std::optional<int64_t> most = known(0), begins = known(1);
    if (begins && *begins == 0) return 0;
    const bool has_condition = static_cast<size_t>(place(1)) < given.size();
    eval::SizeValues inside(body);
    const bool goes_on =
        (!has_condition || begins) && !body.outputs().empty() && is_true(inside, body.outputs()[0]);
    return most && goes_on ? std::max(*most, int64_t{0}) : -1;
  }

  ValueId scan() {
    const size_t states = given_[0].states;
    const ir::Graph& round = b_.context().get(regions_[0]);
    if (round.outputs().size() < states) return fail("a state is missing");
    const size_t stacks = round.outputs().size() - states;
    Ints out_axes = ints_attr(node_, "scan_output_axes", stacks);
    for (size_t i = 0; i < std::min(stacks, out_axes.size()); ++i)
      if (out_axes[i] < 0)
        out_axes[i] += static_cast<int64_t>(round.type(round.outputs()[states + i]).shape.size()) + 1;
    return add("scan", {{"region", number(regions_[0])},
                        {"states", static_cast<int64_t>(states)},
                        {"axes", given_[0].axes},
                        {"backwards", ints_attr(node_, "scan_input_directions", given_[0].axes.size())},
                        {"out_axes", out_axes},
                        {"out_backwards", ints_attr(node_, "scan_output_directions", stacks)}});
  }

  ir::Builder& b_;
  eval::SizeValues& sizes_;
  const onnx::ModelProto& model_;
  const KeptNode& kept_;
  const onnx::NodeProto& node_;
  std::string& why_;
  std::vector<GivenBody> given_;
  std::vector<RegionId> regions_;
};

}  // namespace

ValueId add_kept(ir::Builder& builder, const KeptNode& kept, std::string_view name,
                 std::vector<ir::NamedAttr> attrs, std::string& why) {
  for (const ir::NamedAttr& more :
       {ir::NamedAttr{"format", std::string(kOpaqueNode)}, ir::NamedAttr{"op", kept.node.op_type()},
        ir::NamedAttr{"body", kept.body}})
    attrs.push_back(more);
  if (!kept.captures.empty()) attrs.push_back({"captures", kept.captures});
  const ir::OpId op = builder.context().ops().at(name);
  ValueId out;
  const ir::Inferred type = builder.try_add(op, builder.make_payload(op, attrs), kept.operands, out);
  if (type && is_countable(builder.context(), type.type)) return out;
  why = type ? "its result is too large" : type.error;
  return {};
}

ValueId read_control(ir::Builder& builder, eval::SizeValues& sizes, const onnx::ModelProto& model,
                     const KeptNode& kept, std::string& why) {
  const std::string& op = kept.node.op_type();
  if (!is_standard_domain(kept.node.domain()) || (op != "If" && op != "Loop" && op != "Scan")) return {};
  return Control(builder, sizes, model, kept, why).read();
}

}  // namespace isomer::formats
