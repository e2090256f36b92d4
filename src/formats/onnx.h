// Reading and writing ONNX. A node becomes an operator of the table where the translation is exact; whatever
// else a model holds is kept as `opaque` and comes out as it went in. What is no part of the computation
// (names, metadata, declared inputs and outputs, functions, operator sets) is kept in an envelope.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace isomer::formats {

/// What a model may say: the operators of ONNX's default operator set at a version and, if `contrib`, those
/// that ONNX Runtime has of its own ("com.microsoft", version 1); sizes that its inputs have.
struct Dialect {
  // NOLINTNEXTLINE(google-explicit-constructor): a version alone is the usual dialect.
  Dialect(int64_t version, bool runtimes_own = false, std::vector<ir::SymbolId> given = {})
      : opset(version), contrib(runtimes_own), sizes(std::move(given)) {}
  int64_t opset;
  bool contrib;
  std::vector<ir::SymbolId> sizes;  ///< names that are asked for when it runs
};

/// Asks another program for types: `model` is a serialized ModelProto of one node, its operands typed. The
/// answer is a serialized TypeProto for each output; empty text, or no element, where it does not know.
using InferTypes = std::function<std::vector<std::string>(const std::string& model)>;

struct OnnxReadOptions {
  std::map<std::string, int64_t> dims = {};  ///< sizes for named dimensions; "input:0" names an unnamed one
  /// Understand ONNX Runtime's own operators; else they stay opaque. What is read so can be written only with
  /// OnnxWriteOptions::contrib, or in other operators.
  bool contrib = false;
  /// Asked where a node stays opaque and neither we nor the file know what it yields; may be empty.
  InferTypes infer_types = {};
};

/// What a model has beside its graph. Immutable, shared.
class OnnxEnvelope {
 public:
  struct Parts;  ///< onnx_envelope.h
  explicit OnnxEnvelope(std::unique_ptr<const Parts> parts);
  ~OnnxEnvelope();
  OnnxEnvelope(const OnnxEnvelope&) = delete;
  OnnxEnvelope& operator=(const OnnxEnvelope&) = delete;

  /// An envelope for a graph that comes from elsewhere: inputs "input name", outputs "output0", ...
  static std::shared_ptr<const OnnxEnvelope> plain(const ir::Graph& graph, int64_t opset = 17);

  /// Version of the default operator set; 0 when the model imports none.
  int64_t opset() const;
  int64_t ir_version() const;
  std::vector<std::string> input_names() const;
  std::vector<std::string> output_names() const;
  const Parts& parts() const { return *parts_; }

 private:
  std::unique_ptr<const Parts> parts_;
};

struct OnnxModel {
  ir::Graph graph;
  std::shared_ptr<const OnnxEnvelope> envelope;
  std::vector<std::string> notes;  ///< what a user may want to know: nodes kept opaque, and why
  int64_t types_inferred = 0;      ///< results of opaque nodes whose type OnnxReadOptions::infer_types gave
  std::string first_cause = {};    ///< why the first are kept opaque, "Loop: its body ..."; causes come first
                                   ///< that follow from no other
};

/// Maps the file; weights stay in it. Throws InputError (exit status 3) with the file, the node or tensor and
/// what was expected.
OnnxModel read_onnx(ir::Context& ctx, const std::string& path, const OnnxReadOptions& options = {});
/// As read_onnx. `name` stands for the path: in messages, and for the folder of external data.
OnnxModel read_onnx_bytes(ir::Context& ctx, std::span<const std::byte> bytes, const std::string& name,
                          const OnnxReadOptions& options = {});

struct OnnxWriteOptions {
  /// Bytes of weights from which on they go to a file of their own: all but small ones, and those that one
  /// branch of an If alone reads, up to 64 MiB, which are written into it.
  int64_t external_above = int64_t{1} << 30;
  bool durable = true;   ///< on disk when written; false for what is only tried
  bool contrib = false;  ///< ONNX Runtime's own operators may be used
};

/// Writes whole or not at all; external data ("<stem>.<hash>.data") first. Throws InputError when the place
/// cannot be written to, MisuseError when the graph holds what ONNX cannot say (see unspellable).
void write_onnx(const ir::Graph& graph, const OnnxEnvelope& envelope, const std::string& path,
                const OnnxWriteOptions& options = {});
/// The model as one message; at most 2 GiB.
std::string write_onnx_bytes(const ir::Graph& graph, const OnnxEnvelope& envelope, bool contrib = false);

/// What the graph may be written in beside this envelope. `contrib`: as of OnnxWriteOptions.
Dialect dialect_of(const ir::Graph& graph, const OnnxEnvelope& envelope, bool contrib);
/// Whether the dialect has this operator, at these attributes and operand types.
bool can_spell(const ir::OpInstance& op, const Dialect& dialect);
/// Whether it has, or has the words to say what the operator does (OpDef::older_words, definitions).
bool can_write(const ir::OpInstance& op, const Dialect& dialect);
/// The first value that cannot be written, in words; empty when all can. Broadcasts that their consumers
/// absorb count as written, and operators that are written out in others.
std::string unspellable(const ir::Graph& graph, const Dialect& dialect);

}  // namespace isomer::formats
