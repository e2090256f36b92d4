// Attributes of instructions, computations and modules. What is known of one is its row in attributes.inc;
// a value is a run of 64-bit numbers, whose meaning its kind says.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace isomer::hlo {

enum class AttributeName : uint8_t {
#define HLO_ATTRIBUTE(name, text, kind, words, semantic, missing) name,
#include "hlo/attributes.inc"
#undef HLO_ATTRIBUTE
};

constexpr int kAttributeCount = [] {
  using enum AttributeName;
  constexpr AttributeName kAll[] = {
#define HLO_ATTRIBUTE(name, text, kind, words, semantic, missing) name,
#include "hlo/attributes.inc"
#undef HLO_ATTRIBUTE
  };
  return static_cast<int>(std::size(kAll));
}();

enum class AttributeKind : uint8_t {
  kBool,
  kBools,  ///< {true,false}; a single one is a list of one
  kInt,
  kInts,
  kIntLists,      ///< per list its length and its items
  kFloat,         ///< the bits of a double
  kText,          ///< a TextId, unescaped
  kBraced,        ///< a TextId: {...} as written, runs of blanks made one, comments left out
  kTextOrBraced,  ///< a TextId and whether it is {...}
  kWord,          ///< index in its list of words
  kWords,
  kComputation,  ///< a ComputationId
  kComputations,
  kInstructions,  ///< InstructionIds of the same computation
  kShape,         ///< a ShapeId
  kShapes,
  kLiteral,            ///< a LiteralId
  kWindow,             ///< per dimension seven numbers (WindowDim)
  kDimLabels,          ///< see DimLabels
  kSlices,             ///< per dimension start, limit, stride
  kPadding,            ///< per dimension low, high, interior
  kDevices,            ///< 0 and lists as kIntLists; or 1 and three lists: dims, iota's dims, permutation
  kAliasing,           ///< per alias: output index, parameter or operand, its index, AliasKind
  kDonors,             ///< per donor: parameter, its index
  kComputationLayout,  ///< ShapeIds of the parameters, then of the result
  kSharding,           ///< as kBraced; its words are checked
  kMetadata,           ///< per field MetadataField and a number or TextId; of profile_type a length and items
  kMap,                ///< per entry TextId, TextId, whether the value is {...}
};

/// The same indices as the words in the lists below.
enum class Direction : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };
enum class ComparisonType : uint8_t { kFloat, kTotalOrder, kSigned, kUnsigned };
enum class FusionKind : uint8_t { kLoop, kInput, kOutput, kCustom };
enum class Distribution : uint8_t { kInvalid, kUniform, kNormal, kBernoulli };
enum class FftType : uint8_t { kFft, kIfft, kRfft, kIrfft };
enum class AliasKind : uint8_t { kMay, kMust, kUnsaid };
enum class MetadataField : uint8_t {
  kOpType,
  kOpName,
  kSourceFile,
  kSourceLine,
  kSourceEndLine,
  kSourceColumn,
  kSourceEndColumn,
  kProfileType,
  kDeduplicatedName,
  kSchedulingName,
  kStackFrameId,
};
enum class MetadataKind : uint8_t { kText, kInt, kInts };

/// One of the lists of words that an attribute may be.
enum class WordList : uint8_t {
  kNoWords,
  kDirections,
  kComparisonTypes,
  kFusionKinds,
  kDistributions,
  kFftTypes,
  kPaddingTypes,
  kTransposes,
  kRandomAlgorithms,
  kDotAlgorithms,
  kPrecisions,
  kSchedules,
  kApiVersions,
  kConvolutionKinds,
  kGroupModes,
  kMetadataFields,
};
std::span<const std::string_view> words(WordList list);
/// -1: no word of the list.
int find_word(WordList list, std::string_view word);
MetadataKind kind_of(MetadataField field);

struct AttributeRow {
  /// `missing` of attributes whose absence stands for no value.
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::min();
  /// ... and for a list of no items.
  static constexpr int64_t kNoItems = kNone + 1;

  std::string_view text;
  AttributeKind kind;
  WordList words;
  bool semantic;    ///< counts in a program's hash
  int64_t missing;  ///< the value that absence stands for
};

const AttributeRow& row(AttributeName name);
/// The first attribute that is written so; the next one of the same spelling, if there is one.
std::optional<AttributeName> find_attribute(std::string_view text);
std::optional<AttributeName> same_spelling(AttributeName name);

/// A set of attributes.
struct AttributeSet {
  uint64_t low = 0, high = 0;
  constexpr AttributeSet() = default;
  constexpr AttributeSet(std::initializer_list<AttributeName> names) {
    for (const AttributeName name : names) add(name);
  }
  constexpr void add(AttributeName name) {
    const auto i = static_cast<unsigned>(name);
    (i < 64 ? low : high) |= uint64_t{1} << (i % 64);
  }
  constexpr bool has(AttributeName name) const {
    const auto i = static_cast<unsigned>(name);
    return ((i < 64 ? low : high) >> (i % 64) & 1) != 0;
  }
  constexpr AttributeSet with(const AttributeSet& other) const {
    AttributeSet out;
    out.low = low | other.low;
    out.high = high | other.high;
    return out;
  }
  constexpr AttributeSet without(const AttributeSet& other) const {
    AttributeSet out;
    out.low = low & ~other.low;
    out.high = high & ~other.high;
    return out;
  }
  constexpr bool empty() const { return low == 0 && high == 0; }
  constexpr bool operator==(const AttributeSet&) const = default;
};
static_assert(kAttributeCount <= 128);

constexpr AttributeSet kOfEveryInstruction = {
    AttributeName::kSharding,      AttributeName::kFrontendAttributes,  AttributeName::kStatistics,
    AttributeName::kOrigin,        AttributeName::kControlPredecessors, AttributeName::kMetadata,
    AttributeName::kBackendConfig, AttributeName::kParameterReplication};
constexpr AttributeSet kOfComputations = {AttributeName::kExecutionThread};
constexpr AttributeSet kOfModules = {AttributeName::kIsScheduled,
                                     AttributeName::kReplicaCount,
                                     AttributeName::kNumPartitions,
                                     AttributeName::kInputOutputAlias,
                                     AttributeName::kBufferDonor,
                                     AttributeName::kAliasPassthroughParams,
                                     AttributeName::kEntryComputationLayout,
                                     AttributeName::kFrontendAttributes,
                                     AttributeName::kAllowSpmdToParameters,
                                     AttributeName::kAllowSpmdToOutput,
                                     AttributeName::kOriginRecoveryTable};

/// A dimension of kWindow, in this order.
struct WindowDim {
  int64_t size = 1, stride = 1, low = 0, high = 0, base_dilation = 1, window_dilation = 1, reversal = 0;
};
constexpr size_t kWindowNumbers = 7;

/// kDimLabels: numbers of dimensions of input, kernel, output (labels of `?` count), spatial dimensions n;
/// then positions: batch, feature and n spatial ones of the input; input and output feature and n of the
/// kernel; batch, feature and n of the output. A label that is not there is -1.
struct DimLabels {
  std::span<const int64_t> numbers;
  size_t spatial() const { return static_cast<size_t>(numbers[3]); }
  int64_t input_batch() const { return numbers[4]; }
  int64_t input_feature() const { return numbers[5]; }
  std::span<const int64_t> input() const { return numbers.subspan(6, spatial()); }
  int64_t kernel_input() const { return numbers[6 + spatial()]; }
  int64_t kernel_output() const { return numbers[7 + spatial()]; }
  std::span<const int64_t> kernel() const { return numbers.subspan(8 + spatial(), spatial()); }
  int64_t output_batch() const { return numbers[8 + 2 * spatial()]; }
  int64_t output_feature() const { return numbers[9 + 2 * spatial()]; }
  std::span<const int64_t> output() const { return numbers.subspan(10 + 2 * spatial(), spatial()); }
};

}  // namespace isomer::hlo
