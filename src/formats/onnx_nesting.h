// How deep messages within a model may be nested. Bodies of If, Loop and Scan hold nodes with bodies of their
// own, types hold types, and everything that reads, renames, copies or frees them calls itself once a level:
// a bound keeps that within the stack, and tells a model that is too deep from one that is broken.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/onnx_wire.h"

namespace google::protobuf {
class MessageLite;
}

namespace onnx {
class ModelProto;
}

namespace isomer::formats {

/// Bodies within bodies, and types within types. Parsing such a model takes 0.3 MiB of stack.
inline constexpr int kDeepestNesting = 256;

/// Throws InputError naming `file` when a ModelProto nests deeper. Bytes that are no such message pass: who
/// parses them finds out. Takes no stack.
void check_nesting(std::span<const std::byte> model, const std::string& file);

/// Parses what check_nesting has let through, whole or as a part. False when the bytes are no such message.
bool parse_nested(google::protobuf::MessageLite& message, const std::string& bytes);

/// A model file but for the weights that stay in it (onnx_wire.h); what was cut out. Throws InputError naming
/// `file` for what is no ONNX model or nests too deeply.
std::vector<std::optional<ByteRange>> parse_model(onnx::ModelProto& model, std::span<const std::byte> bytes,
                                                  const std::string& file);

}  // namespace isomer::formats
