// The outline of an ONNX file: everything but the weights. Protobuf copies whatever it parses; a model is
// mostly weights, so the raw_data of large initializers is cut out of the message before protobuf sees it and
// stays where it is, in the mapped file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isomer::formats {

struct ByteRange {
  size_t offset = 0;
  size_t length = 0;
};

struct OnnxOutline {
  std::string model;                               ///< serialized ModelProto without the ranges below
  std::vector<std::optional<ByteRange>> raw_data;  ///< of graph.initializer[i], where it was cut out
};

/// Initializers with more raw_data than this are left in the file.
inline constexpr size_t kInlineBytes = 1024;

/// Walks ModelProto.graph.initializer[].raw_data. Throws InputError naming `file` when the bytes are no
/// protobuf message or end too early.
OnnxOutline skim_onnx(std::span<const std::byte> bytes, const std::string& file);

/// Protobuf's variable-length integers and length-delimited field heads, for the writer.
void append_varint(std::string& out, uint64_t value);
void append_field_head(std::string& out, int field, uint64_t length);

}  // namespace isomer::formats
