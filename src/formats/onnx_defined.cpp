#include "formats/onnx_defined.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <memory>

#include "formats/onnx_scope.h"
#include "formats/onnx_types.h"
#include "ir/attempt.h"
#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

using ir::ValueId;

const Definitions& definitions() {
  static const Definitions table = [] {
    Definitions t;
    define_training(t);
    define_sampling(t);
    define_further(t);
    return t;
  }();
  return table;
}

/// One node, from its operands to the region that defines it.
class Definition {
 public:
  Definition(ir::Builder& outer, eval::SizeValues& sizes, const onnx::ModelProto& model, const KeptNode& kept)
      : outer_(outer), outer_sizes_(sizes), model_(model), kept_(kept), inner_(outer.context()) {}

  /// Invalid, and `why`, where it has none.
  ir::RegionId make(Define define, int64_t opset, std::string& why) {
    std::vector<ValueId> inputs, captured;
    size_t next = 0;
    for (const std::string& name : kept_.node.input())
      inputs.push_back(name.empty() ? ValueId() : inside(kept_.operands[next++]));
    while (next < kept_.operands.size()) captured.push_back(inside(kept_.operands[next++]));
    NodeReader reader(kept_.node, opset, inner_, sizes_, std::move(inputs));
    ir::ops::Compose steps(inner_);
    Defining d{reader, steps, kept_, {}, std::move(captured)};
    d.body = [&](const onnx::GraphProto& body, ir::TypeId type) { return region(d, body, type); };
    const ir::Attempt attempt(inner_);
    const ValueId result = define(d);
    if (!attempt) reader.fail(attempt.refusal());
    if (!reader.failed() && !reader.all_asked()) reader.fail("an attribute is not known");
    if (!reader.failed() && !result.valid()) reader.fail("it has no definition");
    std::vector<ValueId> outputs;
    if (!reader.failed()) outputs = outputs_of(result, reader);
    why = reader.why();
    if (reader.failed()) return {};
    return inner_.context().add(std::make_shared<const ir::Graph>(inner_.finish(std::move(outputs))));
  }

 private:
  /// The operand as an input of the definition, or what it always is: attributes are read off that.
  ValueId inside(ValueId v) {
    const ValueId input = inner_.input("", outer_.type_id(v));
    const auto known = known_constant(outer_.so_far(), outer_sizes_, v);
    return known ? inner_.constant(*known) : input;
  }

  ir::RegionId region(Defining& d, const onnx::GraphProto& body, ir::TypeId type) {
    std::string why = "a body of other inputs";
    std::vector<BodyInput> inputs;
    if (body.input_size() != 1) return d.r.fail(why), ir::RegionId();
    inputs.push_back({body.input(0).name(), type});
    for (size_t i = 0; i < kept_.captures.size(); ++i)
      inputs.push_back({kept_.captures[i], inner_.type_id(d.captured[i]), d.captured[i]});
    const ir::RegionId out = read_body(inner_, sizes_, model_, body, inputs, why);
    if (!out.valid()) d.r.fail(why);
    return out;
  }

  std::vector<ValueId> outputs_of(ValueId result, NodeReader& reader) {
    const int count = kept_.node.output_size();
    const ir::Type& type = inner_.type(result);
    std::vector<ValueId> out;
    if (type.kind != ir::TypeKind::kTuple) {
      if (count != 1) reader.fail("expected one output");
      return {result};
    }
    if (count > static_cast<int>(type.elements.size())) reader.fail("it has further outputs");
    for (int i = 0; i < count && !reader.failed(); ++i) out.push_back(inner_.get(result, i));
    return out;
  }

  ir::Builder& outer_;
  eval::SizeValues& outer_sizes_;
  const onnx::ModelProto& model_;
  const KeptNode& kept_;
  ir::Builder inner_;
  eval::SizeValues sizes_{inner_.so_far()};
};

}  // namespace

ValueId read_defined(ir::Builder& builder, eval::SizeValues& sizes, const onnx::ModelProto& model,
                     const KeptNode& kept, int64_t opset, std::string& why) {
  const onnx::NodeProto& node = kept.node;
  const std::string domain = is_standard_domain(node.domain()) ? "" : node.domain();
  const auto it = definitions().find({domain, node.op_type()});
  if (it == definitions().end()) return {};
  for (ValueId v : kept.operands) {
    const ir::Type& type = builder.type(v);
    if (type.is_static_tensor()) continue;
    const bool no_tensor = type.kind == ir::TypeKind::kOpaque && !type.opaque.empty();
    if (!no_tensor) why = "the sizes of its operands are not known";
    return {};
  }
  std::string refusal;
  const ir::RegionId region = Definition(builder, sizes, model, kept).make(it->second, opset, refusal);
  if (!region.valid()) {
    why = refusal;
    return {};
  }
  return add_kept(builder, kept, "defined", {{"region", static_cast<int64_t>(region.index())}}, why);
}

}  // namespace isomer::formats
