#include "formats/onnx_nesting.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message_lite.h>
#include <onnx-ml.pb.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "support/errors.h"

namespace isomer::formats {
namespace {

/// Messages that lie on a way to a message of their own kind.
enum class Kind : uint8_t {
  kNone,
  kModel,
  kTraining,
  kGraph,
  kNode,
  kAttribute,
  kFunction,
  kInfo,
  kType,
  kOf
};

/// What a field of such a message holds, by its number in onnx.proto.
Kind held(Kind kind, uint64_t field) {
  switch (kind) {
    case Kind::kModel:
      return field == 7    ? Kind::kGraph
             : field == 20 ? Kind::kTraining
             : field == 25 ? Kind::kFunction
                           : Kind::kNone;
    case Kind::kTraining: return field == 1 || field == 2 ? Kind::kGraph : Kind::kNone;
    case Kind::kGraph:
      return field == 1 ? Kind::kNode : field >= 11 && field <= 13 ? Kind::kInfo : Kind::kNone;
    case Kind::kNode: return field == 5 ? Kind::kAttribute : Kind::kNone;
    case Kind::kAttribute:
      return field == 6 || field == 11    ? Kind::kGraph
             : field == 14 || field == 15 ? Kind::kType
                                          : Kind::kNone;
    case Kind::kFunction:
      return field == 7    ? Kind::kNode
             : field == 11 ? Kind::kAttribute
             : field == 12 ? Kind::kInfo
                           : Kind::kNone;
    case Kind::kInfo: return field == 2 ? Kind::kType : Kind::kNone;
    case Kind::kType: return field == 4 || field == 5 || field == 9 ? Kind::kOf : Kind::kNone;
    case Kind::kOf: return field == 1 || field == 2 ? Kind::kType : Kind::kNone;  // sequence, optional; map
    case Kind::kNone: break;
  }
  return Kind::kNone;
}

struct Open {
  Kind kind = Kind::kModel;
  size_t end = 0;
};

class Walk {
 public:
  explicit Walk(std::span<const std::byte> bytes) : bytes_(bytes) {
    open_.push_back({Kind::kModel, bytes.size()});
  }

  /// The kind of what is nested too deeply; kNone where nothing is, as far as the bytes make sense.
  Kind too_deep() {
    while (!open_.empty()) {
      if (at_ >= open_.back().end) {
        leave();
        continue;
      }
      uint64_t key = 0, length = 0;
      if (!varint(key)) return Kind::kNone;
      switch (key & 7) {
        case 0:
          if (!varint(length)) return Kind::kNone;
          continue;
        case 1: length = 8; break;
        case 5: length = 4; break;
        case 2:
          if (!varint(length)) return Kind::kNone;
          break;
        case 3:
        case 4: continue;  // groups, of no field of ONNX: what they hold is looked at as if it stood outside
        default: return Kind::kNone;
      }
      if (length > open_.back().end - at_) return Kind::kNone;
      const Kind inner = (key & 7) == 2 ? held(open_.back().kind, key >> 3) : Kind::kNone;
      if (inner == Kind::kNone) {
        at_ += length;
        continue;
      }
      open_.push_back({inner, at_ + length});
      if (inner == Kind::kGraph && ++graphs_ > kDeepestNesting + 1) return inner;
      if (inner == Kind::kType && ++types_ > kDeepestNesting) return inner;
    }
    return Kind::kNone;
  }

 private:
  void leave() {
    graphs_ -= open_.back().kind == Kind::kGraph;
    types_ -= open_.back().kind == Kind::kType;
    at_ = open_.back().end;
    open_.pop_back();
  }

  bool varint(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && at_ < open_.back().end; shift += 7) {
      const auto byte = static_cast<uint64_t>(bytes_[at_++]);
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  std::span<const std::byte> bytes_;
  std::vector<Open> open_;
  size_t at_ = 0;
  int graphs_ = 0, types_ = 0;
};

}  // namespace

void check_nesting(std::span<const std::byte> model, const std::string& file) {
  const auto refuse = [&](const char* what) {
    throw InputError({file, 0, 0}, fmt::format("{} are nested deeper than {}, the most that is read", what,
                                               kDeepestNesting));
  };
  const Kind kind = Walk(model).too_deep();
  if (kind == Kind::kGraph) refuse("graphs (bodies of If, Loop, Scan)");
  if (kind == Kind::kType) refuse("types");
}

bool parse_nested(google::protobuf::MessageLite& message, const std::string& bytes) {
  // A level of graphs is three messages (node, attribute, graph), one of types two; the deepest body may hold
  // the deepest type.
  constexpr int kMessages = 5 * kDeepestNesting + 20;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kMessages);
  return message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

std::vector<std::optional<ByteRange>> parse_model(onnx::ModelProto& model, std::span<const std::byte> bytes,
                                                  const std::string& file) {
  OnnxOutline outline = skim_onnx(bytes, file);
  check_nesting(std::as_bytes(std::span(outline.model)), file);
  if (!parse_nested(model, outline.model))
    throw InputError({file, 0, 0}, "not an ONNX model: its message cannot be parsed");
  if (!model.has_graph()) throw InputError({file, 0, 0}, "not an ONNX model: it has no graph");
  return std::move(outline.raw_data);
}

}  // namespace isomer::formats
