#include "formats/onnx_wire.h"

#include <fmt/format.h>

#include "support/errors.h"

namespace isomer::formats {
namespace {

constexpr int kModelGraph = 7, kGraphInitializer = 5, kTensorRawData = 9;
enum WireType : unsigned { kVarint = 0, kFixed64 = 1, kDelimited = 2, kFixed32 = 5 };

struct Field {
  int number = 0;
  size_t begin = 0;  ///< of the whole field, in the file
  size_t end = 0;
  size_t payload = 0;  ///< delimited fields: where the contents begin
  unsigned wire = 0;
};

class Skimmer {
 public:
  Skimmer(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  OnnxOutline run() {
    size_t at = 0;
    while (at < bytes_.size()) {
      const Field field = next(at, bytes_.size(), "the model");
      if (field.number == kModelGraph && field.wire == kDelimited) {
        std::string graph;
        skim_graph(field, graph);
        append_field_head(outline_.model, kModelGraph, graph.size());
        outline_.model += graph;
      } else {
        copy(field, outline_.model);
      }
      at = field.end;
    }
    return std::move(outline_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw InputError({file_, 0, 0}, message); }

  uint64_t varint(size_t& at, size_t end, const char* where) const {
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at >= end) fail(fmt::format("truncated: {} ends within a number at byte {}", where, at));
      const auto byte = static_cast<uint64_t>(bytes_[at++]);
      if (shift < 64) value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    fail(fmt::format("not an ONNX model: expected a protobuf number at byte {}", at));
  }

  Field next(size_t at, size_t end, const char* where) const {
    Field field;
    field.begin = at;
    const uint64_t key = varint(at, end, where);
    if (key >> 3 == 0 || key >> 3 > 0x1FFFFFFF)
      fail(fmt::format("not an ONNX model: expected a protobuf field at byte {}", field.begin));
    field.number = static_cast<int>(key >> 3);
    field.wire = static_cast<unsigned>(key & 7);
    uint64_t length = 0;
    switch (field.wire) {
      case kVarint: varint(at, end, where); break;
      case kFixed64: length = 8; break;
      case kFixed32: length = 4; break;
      case kDelimited: length = varint(at, end, where); break;
      default: fail(fmt::format("not an ONNX model: expected a protobuf field at byte {}", field.begin));
    }
    field.payload = at;
    if (length > end - at)
      fail(fmt::format("truncated: a field of {} at byte {} needs {} bytes, {} are left", where, field.begin,
                       length, end - at));
    field.end = at + length;
    return field;
  }

  void copy(const Field& field, std::string& out) const {
    out.append(reinterpret_cast<const char*>(bytes_.data()) + field.begin, field.end - field.begin);
  }

  void skim_graph(const Field& graph, std::string& out) {
    for (size_t at = graph.payload; at < graph.end;) {
      const Field field = next(at, graph.end, "the graph");
      if (field.number == kGraphInitializer && field.wire == kDelimited) {
        std::string tensor;
        outline_.raw_data.push_back(skim_tensor(field, tensor));
        append_field_head(out, kGraphInitializer, tensor.size());
        out += tensor;
      } else {
        copy(field, out);
      }
      at = field.end;
    }
  }

  std::optional<ByteRange> skim_tensor(const Field& tensor, std::string& out) const {
    std::optional<ByteRange> range;
    for (size_t at = tensor.payload; at < tensor.end;) {
      const Field field = next(at, tensor.end, "an initializer");
      if (field.number == kTensorRawData && field.wire == kDelimited &&
          field.end - field.payload > kInlineBytes)
        range = ByteRange{field.payload, field.end - field.payload};
      else
        copy(field, out);
      at = field.end;
    }
    return range;
  }

  std::span<const std::byte> bytes_;
  const std::string& file_;
  OnnxOutline outline_;
};

}  // namespace

void append_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
  out += static_cast<char>(value);
}

void append_field_head(std::string& out, int field, uint64_t length) {
  append_varint(out, (static_cast<uint64_t>(field) << 3) | kDelimited);
  append_varint(out, length);
}

OnnxOutline skim_onnx(std::span<const std::byte> bytes, const std::string& file) {
  if (bytes.empty()) throw InputError({file, 0, 0}, "not an ONNX model: the file is empty");
  return Skimmer(bytes, file).run();
}

}  // namespace isomer::formats
