// Bodies of If, Loop and Scan as programs of their own: what a node gives each of them, reading one with what
// is known of that, and the node again with other bodies.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eval/size_values.h"
#include "formats/onnx.h"
#include "ir/graph.h"

namespace onnx {
class GraphProto;
class ModelProto;
class NodeProto;
}  // namespace onnx

namespace isomer::formats {

/// A node as an opaque operator would hold it.
struct KeptNode {
  const onnx::NodeProto& node;        ///< with the inputs' names, captures numbered
  std::string body;                   ///< opaque_body of it
  std::vector<std::string> captures;  ///< names of the last operands in its bodies
  std::vector<ir::ValueId> operands;  ///< inputs that are there, then captures
};

/// What a body is given: small constants and sizes that are known are known within, too.
struct BodyInput {
  std::string name;
  ir::TypeId type;
  ir::ValueId outside = {};  ///< the value that it always is, if it is one
  bool always_true = false;  ///< a bool[]
};

struct GivenBody {
  std::string attribute;  ///< of the node: "then_branch", "body"
  const onnx::GraphProto* graph = nullptr;
  std::vector<BodyInput> inputs;  ///< its own, in order, then what it captures
  size_t states = 0;              ///< handed from round to round
  size_t first_state = 0;         ///< among the inputs; among the outputs: 0, of a Loop 1
  std::vector<int64_t> axes;      ///< of a Scan: of what it scans, none negative
};

/// Of If, Loop and Scan, by the types of its operands in `outer`. Empty, and `why`, where they do not fit.
std::vector<GivenBody> given_bodies(const ir::Graph& outer, const KeptNode& kept, int64_t opset,
                                    std::string& why);

/// A body (within `model`, whose operator sets it uses) as a region of these inputs. Invalid, and `why`,
/// where something of it stays opaque.
ir::RegionId read_body(ir::Builder& builder, eval::SizeValues& sizes, const onnx::ModelProto& model,
                       const onnx::GraphProto& body, const std::vector<BodyInput>& inputs, std::string& why);

/// What the value is in every run, where that is known: of few elements, or a constant of at most so many
/// bytes.
std::optional<ir::ConstantId> known_constant(const ir::Graph& graph, eval::SizeValues& sizes, ir::ValueId v,
                                             size_t most_bytes = 0);

/// Whether a value is what a node If, Loop or Scan gives.
bool is_control(const ir::Graph& graph, ir::ValueId v);

/// A body to be optimised.
struct NodeBody {
  std::string attribute;
  OnnxModel program;  ///< its inputs, then what it captures; constants that it captures are constants of it
  double runs = 1;    ///< each time the node runs: half of a branch; of a loop its rounds, 1 if not known
};

/// The bodies of such a value, of a model that can be written in `envelope`. None, and `why`, where they must
/// stay as they are.
std::vector<NodeBody> node_bodies(const ir::Graph& graph, eval::SizeValues& sizes, ir::ValueId v,
                                  const OnnxEnvelope& envelope, bool contrib, std::string& why);

/// A model whose inputs are values of a program around it (onnx_read.cpp): sizes that can be asked for at run
/// time are only those of that program's inputs (Dialect::sizes).
OnnxModel read_inner_model(ir::Context& ctx, std::span<const std::byte> bytes, bool contrib,
                           std::vector<ir::SymbolId> sizes);

/// Another program for a body: with the inputs and outputs of NodeBody::program.
struct NewBody {
  const NodeBody* of;
  const ir::Graph* graph;
};

/// A node as it is added to a graph.
struct RewrittenNode {
  ir::OpId op;
  ir::PayloadId payload;
  std::vector<size_t> operands;  ///< numbers of operands of the value that it stands for
};

/// The value `v` with these bodies. Nothing, and `why`, where that is not the same operator any more.
std::optional<RewrittenNode> with_bodies(const ir::Graph& graph, ir::ValueId v, const OnnxEnvelope& envelope,
                                         const std::vector<NewBody>& bodies, bool contrib, std::string& why);

}  // namespace isomer::formats
