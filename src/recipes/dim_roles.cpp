// Roles of dimensions (size_proposals.h): exporters and people call them batch_size, N, seq_len,
// past_sequence_length, height; others write x:0, unk__618 or dim_2, and then only the place tells.
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "recipes/size_proposals.h"

namespace isomer::recipes {
namespace {

/// "pastSequence_length2" -> past, sequence, length. Short ones stay whole: "N" -> n.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool was_lower = false, begin = true;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    const bool is_letter = std::isalpha(letter) != 0;
    if (is_letter && (begin || (was_lower && std::isupper(letter)))) words.emplace_back();
    if (is_letter) words.back() += static_cast<char>(std::tolower(letter));
    was_lower = std::islower(letter) != 0;
    begin = !is_letter;
  }
  return words;
}

struct Hint {
  DimRole role;
  std::vector<std::string_view> beginnings;  ///< of words
  std::vector<std::string_view> words;       ///< whole
};

/// The first that fits decides: "past_sequence_length" is a past, "total_sequence_length" a total.
const std::array<Hint, 7>& hints() {
  static const std::array<Hint, 7> kHints = {{
      {DimRole::kBatch, {"batch"}, {"n", "b", "bs", "bsz", "nb"}},
      {DimRole::kTotal, {"total"}, {}},
      {DimRole::kPast, {"past", "cache", "prev", "history"}, {"kv", "mem"}},
      {DimRole::kChannels, {"channel"}, {"c"}},
      {DimRole::kSide, {"height", "width", "image", "pixel"}, {"h", "w", "rows", "cols", "img", "side"}},
      {DimRole::kSamples, {"sample", "audio", "wave", "signal"}, {"pcm", "wav"}},
      {DimRole::kSequence,
       {"seq", "len", "token", "time", "frame", "step", "word", "position", "context", "prompt"},
       {"s", "t", "l", "src", "tgt", "text"}},
  }};
  return kHints;
}

std::optional<DimRole> role_by_name(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  // Numbered letters ("s0", "d_2") are an exporter's, a letter among words ("n_tokens") is no name.
  const bool letters_count = words.size() == 1 && words[0].size() == name.size();
  for (const Hint& hint : hints())
    for (const std::string& word : words)
      if (std::ranges::any_of(hint.beginnings, [&](auto b) { return word.starts_with(b); }) ||
          ((word.size() > 1 || letters_count) && std::ranges::find(hint.words, word) != hint.words.end()))
        return hint.role;
  return std::nullopt;
}

bool holds_a_cache(std::string_view input) {
  const std::vector<std::string> words = words_of(input);
  constexpr std::array<std::string_view, 6> kCaches = {"past", "cache", "key", "value", "kv", "mems"};
  return std::ranges::any_of(
      words, [&](const std::string& word) { return std::ranges::find(kCaches, word) != kCaches.end(); });
}

DimRole role_by_place(std::string_view input, const ir::Type& type, size_t axis) {
  const size_t rank = type.shape.size();
  if (rank < 2) return DimRole::kOther;
  if (axis == 0) return DimRole::kBatch;
  if (holds_a_cache(input)) return DimRole::kPast;
  const bool last_is_colour = type.shape[rank - 1].is_static() && type.shape[rank - 1].size() <= 4;
  const bool is_float = ir::is_float(type.dtype) || type.dtype == ir::DType::kU8;
  if (is_float && rank >= 4) {
    if (last_is_colour) return DimRole::kSide;
    return axis == 1 ? DimRole::kChannels : DimRole::kSide;
  }
  return is_float && rank == 2 ? DimRole::kSamples : DimRole::kSequence;
}

/// What a dimension may have to be as long as, the first met first; few, since each is tried.
class LikelySizes {
 public:
  void add(int64_t size) {
    if (size > 1 && size <= kLongest && sizes_.size() < kMost &&
        std::ranges::find(sizes_, size) == sizes_.end())
      sizes_.push_back(size);
  }
  std::vector<int64_t> take() { return std::move(sizes_); }

 private:
  static constexpr int64_t kLongest = 4096;
  static constexpr size_t kMost = 8;
  std::vector<int64_t> sizes_;
};

/// Each value that an operator reads of which `chosen` holds.
template <class F>
std::vector<bool> read_by(const ir::Graph& graph, F&& chosen) {
  std::vector<bool> out(graph.size());
  for (size_t i = 0; i < graph.size(); ++i)
    if (chosen(graph.def(ir::ValueId(i)).kind))
      for (ir::ValueId o : graph.operands(ir::ValueId(i))) out[o.index()] = true;
  return out;
}

bool is_table(const ir::Graph& graph, ir::ValueId v) {
  return graph.def(v).is(ir::Core::kConstant) && graph.type(v).is_static_tensor() &&
         graph.type(v).shape.size() >= 2;
}

/// Of constants that are factors of products, or may be: of what has no meaning they are.
std::vector<int64_t> sizes_of_factors(const ir::Graph& graph) {
  const std::vector<bool> factor = read_by(graph, [](ir::MeaningKind kind) {
    return kind == ir::MeaningKind::kContraction || kind == ir::MeaningKind::kOpaque;
  });
  LikelySizes out;
  for (size_t i = 0; i < graph.size(); ++i)
    if (const ir::ValueId v(i); factor[i] && is_table(graph, v))
      for (const ir::Dim& dim : graph.type(v).shape) out.add(dim.size());
  return out.take();
}

/// Of the other constants: how long they are, and one less. Their last axis holds features.
std::vector<int64_t> sizes_of_tables(const ir::Graph& graph) {
  const std::vector<bool> factor =
      read_by(graph, [](ir::MeaningKind kind) { return kind == ir::MeaningKind::kContraction; });
  LikelySizes out;
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    if (factor[i] || !is_table(graph, v)) continue;
    const ir::Shape& shape = graph.type(v).shape;
    for (size_t axis = 0; axis + 1 < shape.size(); ++axis)
      for (const int64_t less : {0, 1}) out.add(shape[axis].size() - less);
  }
  return out.take();
}

}  // namespace

DynamicDims dynamic_dims(const ir::Graph& graph) {
  DynamicDims out;
  out.tables = sizes_of_tables(graph);
  out.factors = sizes_of_factors(graph);
  for (ir::ValueId input : graph.inputs()) {
    const ir::Type& type = graph.type(input);
    if (!type.is_ranked_tensor()) continue;
    // Token ids of fixed length.
    if (type.shape.size() == 2 && type.shape[1].is_static() && ir::is_integer(type.dtype) && out.step == 1)
      out.step = std::max<int64_t>(1, type.shape[1].size());
    for (size_t axis = 0; axis < type.shape.size(); ++axis) {
      if (!type.shape[axis].is_symbol()) continue;
      const std::string& name = graph.context().get(type.shape[axis].symbol());
      if (std::ranges::find(out.dims, name, &DynamicDim::name) != out.dims.end()) continue;
      const bool unnamed = name == graph.name(input) + ":" + std::to_string(axis);
      const std::optional<DimRole> by_name = unnamed ? std::nullopt : role_by_name(name);
      out.dims.push_back(
          {name, by_name ? *by_name : role_by_place(graph.name(input), type, axis), by_name.has_value()});
    }
  }
  return out;
}

DynamicDims with_fixed(DynamicDims dims, const Sizes& fixed) {
  for (const auto& [name, size] : fixed)
    if (std::ranges::find(dims.dims, name, &DynamicDim::name) == dims.dims.end())
      dims.dims.push_back({name, role_by_name(name).value_or(DimRole::kOther), true});
  return dims;
}

}  // namespace isomer::recipes
