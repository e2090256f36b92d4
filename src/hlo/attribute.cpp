#include "hlo/attribute.h"

#include <array>
#include <vector>

#include "hlo/window.h"
#include "hlo/word_table.h"

namespace isomer::hlo {
namespace {

constexpr int64_t kNone = AttributeRow::kNone;
constexpr int64_t kNoItems = AttributeRow::kNoItems;

constexpr std::array<AttributeRow, kAttributeCount> kAttributeRows = {{
#define HLO_ATTRIBUTE(name, text, kind, words, semantic, missing) \
  {text, AttributeKind::kind, WordList::words, semantic, missing},
#include "hlo/attributes.inc"
#undef HLO_ATTRIBUTE
}};

constexpr std::string_view kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
constexpr std::string_view kComparisonTypes[] = {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
constexpr std::string_view kFusionKinds[] = {"kLoop", "kInput", "kOutput", "kCustom"};
constexpr std::string_view kDistributions[] = {"rng_invalid", "rng_uniform", "rng_normal", "rng_bernoulli"};
constexpr std::string_view kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr std::string_view kPaddingTypes[] = {"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"};
constexpr std::string_view kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr std::string_view kRandomAlgorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
constexpr std::string_view kDotAlgorithms[] = {"dot_unset",
                                               "dot_any_f8_any_f8_f32",
                                               "dot_any_f8_any_f8_f32_fast_accum",
                                               "dot_f16_f16_f16",
                                               "dot_f16_f16_f32",
                                               "dot_bf16_bf16_bf16",
                                               "dot_bf16_bf16_f32",
                                               "dot_bf16_bf16_f32_x3",
                                               "dot_bf16_bf16_f32_x6",
                                               "dot_bf16_bf16_f32_x9",
                                               "dot_tf32_tf32_f32",
                                               "dot_tf32_tf32_f32_x3",
                                               "dot_f32_f32_f32",
                                               "dot_f64_f64_f64",
                                               "dot_any_f8_any_f8_any",
                                               "dot_any_f8_any_f8_any_fast_accum"};
constexpr std::string_view kPrecisions[] = {"default", "high", "highest", "packed_nibble"};
constexpr std::string_view kSchedules[] = {"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
constexpr std::string_view kApiVersions[] = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                                             "API_VERSION_STATUS_RETURNING",
                                             "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
constexpr std::string_view kConvolutionKinds[] = {"unset", "fprop", "wgrad", "dgrad"};
constexpr std::string_view kGroupModes[] = {"cross_replica", "cross_partition", "cross_replica_and_partition",
                                            "flattened_id"};
constexpr std::string_view kMetadataFields[] = {"op_type",           "op_name",         "source_file",
                                                "source_line",       "source_end_line", "source_column",
                                                "source_end_column", "profile_type",    "deduplicated_name",
                                                "scheduling_name",   "stack_frame_id"};

constexpr std::array<std::span<const std::string_view>, 16> kLists = {{
    {},
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
}};

WordTable attribute_words() {
  std::vector<std::string_view> texts;
  for (const AttributeRow& r : kAttributeRows) texts.push_back(r.text);
  return WordTable(texts);
}

}  // namespace

std::span<const std::string_view> words(WordList list) { return kLists[static_cast<size_t>(list)]; }

int find_word(WordList list, std::string_view word) {
  const auto all = words(list);
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i] == word) return static_cast<int>(i);
  return -1;
}

MetadataKind kind_of(MetadataField field) {
  switch (field) {
    case MetadataField::kOpType:
    case MetadataField::kOpName:
    case MetadataField::kSourceFile:
    case MetadataField::kDeduplicatedName:
    case MetadataField::kSchedulingName: return MetadataKind::kText;
    case MetadataField::kProfileType: return MetadataKind::kInts;
    default: return MetadataKind::kInt;
  }
}

const AttributeRow& row(AttributeName name) { return kAttributeRows[static_cast<size_t>(name)]; }

std::optional<AttributeName> find_attribute(std::string_view text) {
  static const WordTable table = attribute_words();
  const int found = table.find(text);
  return found < 0 ? std::nullopt : std::optional(static_cast<AttributeName>(found));
}

std::vector<WindowDim> window_dims(std::span<const int64_t> numbers, size_t rank) {
  std::vector<WindowDim> out(rank);
  for (size_t i = 0; i < std::min(rank, numbers.size() / kWindowNumbers); ++i) {
    const auto w = numbers.subspan(i * kWindowNumbers, kWindowNumbers);
    out[i] = {w[0], w[1], w[2], w[3], w[4], w[5], w[6]};
  }
  return out;
}

std::vector<int64_t> window_numbers(std::span<const WindowDim> dims) {
  std::vector<int64_t> out;
  for (const WindowDim& d : dims)
    out.insert(out.end(), {d.size, d.stride, d.low, d.high, d.base_dilation, d.window_dilation, d.reversal});
  return out;
}

std::optional<AttributeName> same_spelling(AttributeName name) {
  for (auto i = static_cast<size_t>(name) + 1; i < kAttributeRows.size(); ++i)
    if (kAttributeRows[i].text == row(name).text) return static_cast<AttributeName>(i);
  return std::nullopt;
}

}  // namespace isomer::hlo
