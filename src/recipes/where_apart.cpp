// Two files rarely have the same nodes, and where they differ by more than renaming nothing says which value
// of the one should equal which of the other. Three kinds of pairs are tried. By name: most optimisers keep
// the names of what they keep. By structure: equal terms, which need no test. By contents: what is left
// between the last equal and the first different pair is matched by digests of the values, whatever they are
// called. Then the parting is looked for in the first model's dataflow (verify/parting.h).
#include "recipes/where_apart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "formats/onnx_nodes.h"
#include "ir/dag_hash.h"
#include "verify/parting.h"

namespace isomer::recipes {
namespace {

using verify::Standing;

constexpr size_t kPairsAtOnce = 64;  // inner values held at once
constexpr size_t kDigestsAtOnce = 64;
constexpr size_t kMostDigests = 512;

/// Values of a model by number, operands first.
class Dataflow {
 public:
  explicit Dataflow(const std::string& path) : model_(formats::list_onnx_nodes(path)) {
    for (const std::string& name : model_.inputs) add(name, nullptr, {});
    for (const formats::OnnxNode& node : model_.nodes) {
      std::vector<uint32_t> operands;
      for (const std::string& name : node.inputs) operands.push_back(add(name, nullptr, {}));
      for (const std::string& name : node.outputs) add(name, &node, operands);
    }
    is_output_.resize(names_.size());
    for (const std::string& name : model_.outputs)
      if (const auto it = number_.find(name); it != number_.end()) is_output_[it->second] = true;
  }

  size_t size() const { return names_.size(); }
  const std::string& name(uint32_t v) const { return names_[v]; }
  const std::vector<std::vector<uint32_t>>& operands() const { return operands_; }
  const formats::OnnxNode* maker(uint32_t v) const { return makers_[v]; }
  bool inner(uint32_t v) const { return makers_[v] != nullptr && !is_output_[v]; }
  bool is_input(const std::string& name) const {
    return std::ranges::find(model_.inputs, name) != model_.inputs.end();
  }
  const formats::OnnxNodes& model() const { return model_; }
  /// -1: no value of that name.
  int64_t find(const std::string& name) const {
    const auto it = number_.find(name);
    return it == number_.end() ? -1 : static_cast<int64_t>(it->second);
  }

 private:
  uint32_t add(const std::string& name, const formats::OnnxNode* maker, std::vector<uint32_t> operands) {
    const auto [it, fresh] = number_.emplace(name, static_cast<uint32_t>(names_.size()));
    if (fresh) {
      names_.push_back(name);
      makers_.push_back(maker);
      operands_.push_back(std::move(operands));
    }
    return it->second;
  }

  formats::OnnxNodes model_;
  std::unordered_map<std::string, uint32_t> number_;
  std::vector<std::string> names_;
  std::vector<const formats::OnnxNode*> makers_;
  std::vector<std::vector<uint32_t>> operands_;
  std::vector<bool> is_output_;
};

bool close(double a, double b, double tolerance, double scale) {
  return std::abs(a - b) <= tolerance * scale;
}

bool equal(const runtime::Digest& a, const runtime::Digest& b, double tolerance) {
  if (a.count == 0 || a.count != b.count || a.samples.size() != b.samples.size()) return false;
  const double scale = std::max(a.norm, 1e-30);
  if (!close(a.norm, b.norm, tolerance, scale) ||
      !close(a.sum, b.sum, tolerance, scale * std::sqrt(static_cast<double>(a.count))))
    return false;
  for (size_t i = 0; i < a.samples.size(); ++i)
    if (!close(a.samples[i], b.samples[i], tolerance, scale)) return false;
  return true;
}

class Search {
 public:
  Search(runtime::OnnxRuntime& runtime, const std::string& a, const std::string& b, const Apart& about,
         const runtime::Wait& wait)
      : runtime_(runtime),
        path_a_(a),
        path_b_(b),
        about_(about),
        wait_(wait),
        a_(a),
        b_(b),
        standing_(a_.size()),
        partner_(a_.size(), -1) {}

  FirstDifference run(const ir::Graph* graph_a, const ir::Graph* graph_b) {
    if (graph_a != nullptr && graph_b != nullptr) pair_by_structure(*graph_a, *graph_b);
    pair_by_name();
    const int64_t output = a_.find(a_.model().outputs.at(about_.output));
    if (output < 0) return {};
    const auto goal = static_cast<uint32_t>(output);
    if (!compare_pairs(goal)) {
      FirstDifference none;
      none.note = note_;
      return none;
    }
    auto parting = verify::find_parting(a_.operands(), standing_, goal);
    if (parting && !parting->between.empty() && pair_by_contents(*parting))
      parting = verify::find_parting(a_.operands(), standing_, goal);
    return parting ? describe(*parting) : FirstDifference{};
  }

 private:
  void make_pair(uint32_t v, int64_t in_b, Standing standing) {
    partner_[v] = in_b;
    standing_[v] = standing;
  }

  void pair_by_structure(const ir::Graph& left, const ir::Graph& right) {
    std::unordered_map<uint64_t, std::string> terms;
    const auto right_hashes = ir::term_hashes(right), left_hashes = ir::term_hashes(left);
    for (size_t i = 0; i < right.size(); ++i) terms.emplace(right_hashes[i], right.name(ir::ValueId(i)));
    for (size_t i = 0; i < left.size(); ++i) {
      const auto it = terms.find(left_hashes[i]);
      const int64_t v = a_.find(left.name(ir::ValueId(i)));
      const int64_t w = it == terms.end() ? -1 : b_.find(it->second);
      if (v >= 0 && w >= 0 && a_.maker(static_cast<uint32_t>(v)) != nullptr)
        make_pair(static_cast<uint32_t>(v), w, Standing::kEqual);
    }
  }

  /// Places among equal numbers may differ: no ground for a verdict unless an output (Apart::choices).
  bool chooses(uint32_t v) const {
    const formats::OnnxNode& node = *a_.maker(v);
    return formats::places_in(node, node.outputs.size() - 1) != formats::Places::kNone;
  }

  void pair_by_name() {
    for (uint32_t v = 0; v < a_.size(); ++v) {
      const int64_t w = b_.find(a_.name(v));
      if (partner_[v] < 0 && a_.inner(v) && !chooses(v) && w >= 0 && b_.inner(static_cast<uint32_t>(w)))
        partner_[v] = w;
      if (a_.is_input(a_.name(v))) standing_[v] = Standing::kEqual;
    }
  }

  /// Sets the standing of all pairs and outputs; false when the output agrees once inner values are outputs
  /// too.
  bool compare_pairs(uint32_t goal) {
    std::vector<uint32_t> open;
    for (uint32_t v = 0; v < a_.size(); ++v)
      if (partner_[v] >= 0 && standing_[v] != Standing::kEqual) open.push_back(v);
    bool differs = false;
    for (size_t begin = 0; begin < open.size() || begin == 0; begin += kPairsAtOnce) {
      if (wait_.stop.requested()) return false;
      const std::vector<uint32_t> part(
          open.begin() + static_cast<std::ptrdiff_t>(std::min(begin, open.size())),
          open.begin() + static_cast<std::ptrdiff_t>(std::min(begin + kPairsAtOnce, open.size())));
      runtime::CompareExtras extras;
      extras.choices = about_.choices;
      for (uint32_t v : part)
        extras.pairs.emplace_back(a_.name(v), b_.name(static_cast<uint32_t>(partner_[v])));
      const auto outcome =
          runtime_.compare(path_a_, path_b_, about_.inputs, about_.samples, about_.load, wait_, extras);
      if (!outcome) {
        note_ = "inner values could not be shown: " + outcome.failure().message;
        if (part.empty()) return false;
        continue;  // these stay unpaired
      }
      const size_t outputs = outcome->outputs.size() - part.size();
      for (size_t o = 0; o < outputs; ++o)
        if (const int64_t v = a_.find(a_.model().outputs[o]); v >= 0)
          judge(static_cast<uint32_t>(v), b_.find(b_.model().outputs.at(o)), outcome->outputs[o]);
      for (size_t i = 0; i < part.size(); ++i)
        judge(part[i], partner_[part[i]], outcome->outputs[outputs + i]);
      differs |= standing_[goal] == Standing::kDiffers;
    }
    if (!differs && note_.empty())
      note_ = "they agree once inner values are outputs too: the runtime's own fusions make the difference";
    return differs;
  }

  void judge(uint32_t v, int64_t in_b, const runtime::OutputDifference& d) {
    // Other element types or counts: no pair, but two values that happen to have one name.
    const bool pair = (d.same_type && d.same_shape) || !a_.inner(v);
    const bool fails = !d.agrees(about_.tolerance);
    if (standing_[v] == Standing::kDiffers && !fails) return;  // an output that differed in another run
    make_pair(v, in_b, !pair ? Standing::kUnpaired : fails ? Standing::kDiffers : Standing::kEqual);
    if (fails) differences_[v] = d;
  }

  /// Values between the equal ones and the parting, matched by their contents. True when some were.
  bool pair_by_contents(const verify::Parting& parting) {
    std::vector<uint32_t> left;
    for (uint32_t v : parting.between)
      if (a_.inner(v) && left.size() < kMostDigests) left.push_back(v);
    std::vector<uint32_t> right;
    for (uint32_t w : region_of_b(parting))
      if (b_.inner(w) && right.size() < kMostDigests) right.push_back(w);
    const auto of_a = digests(path_a_, a_, left), of_b = digests(path_b_, b_, right);
    bool some = false;
    for (size_t i = 0; i < of_a.size(); ++i)
      for (size_t j = 0; j < of_b.size(); ++j)
        if (equal(of_a[i], of_b[j], about_.tolerance)) {
          make_pair(left[i], right[j], Standing::kEqual);
          some = true;
          break;
        }
    return some;
  }

  /// What the second model computes its counterpart of the parting from, up to values that pair as equal.
  std::vector<uint32_t> region_of_b(const verify::Parting& parting) const {
    if (partner_[parting.value] < 0) return {};
    std::vector<Standing> standing(b_.size(), Standing::kUnpaired);
    for (uint32_t v = 0; v < a_.size(); ++v)
      if (partner_[v] >= 0 && standing_[v] == Standing::kEqual)
        standing[static_cast<size_t>(partner_[v])] = Standing::kEqual;
    const auto start = static_cast<uint32_t>(partner_[parting.value]);
    standing[start] = Standing::kDiffers;
    const auto region = verify::find_parting(b_.operands(), standing, start);
    return region ? region->between : std::vector<uint32_t>{};
  }

  std::vector<runtime::Digest> digests(const std::string& path, const Dataflow& flow,
                                       const std::vector<uint32_t>& values) {
    std::vector<runtime::Digest> out;
    for (size_t begin = 0; begin < values.size() && !wait_.stop.requested(); begin += kDigestsAtOnce) {
      std::vector<std::string> names;
      for (size_t i = begin; i < std::min(values.size(), begin + kDigestsAtOnce); ++i)
        names.push_back(flow.name(values[i]));
      const auto part = runtime_.digests(path, names, about_.inputs, about_.load, wait_);
      if (part)
        out.insert(out.end(), part->begin(), part->end());
      else
        out.resize(out.size() + names.size());
    }
    out.resize(values.size());
    return out;
  }

  static std::vector<std::string> operators(const Dataflow& flow, std::vector<uint32_t> values,
                                            uint32_t last) {
    values.push_back(last);
    std::vector<const formats::OnnxNode*> nodes;
    std::vector<std::pair<std::string, int>> counts;
    for (uint32_t v : values) {
      const formats::OnnxNode* node = flow.maker(v);
      if (node == nullptr || std::ranges::find(nodes, node) != nodes.end()) continue;
      nodes.push_back(node);
      const auto it = std::ranges::find(counts, node->op, &std::pair<std::string, int>::first);
      if (it == counts.end())
        counts.emplace_back(node->op, 1);
      else
        ++it->second;
    }
    std::vector<std::string> out;
    for (const auto& [op, count] : counts) out.push_back(count == 1 ? op : fmt::format("{} x{}", op, count));
    return out;
  }

  FirstDifference describe(const verify::Parting& parting) const {
    const auto op = [](const formats::OnnxNode* node) {
      return node == nullptr ? std::string("input") : node->op;
    };
    FirstDifference out;
    out.value_a = a_.name(parting.value);
    out.operator_a = op(a_.maker(parting.value));
    out.operators_between_a = operators(a_, parting.between, parting.value);
    if (const int64_t w = partner_[parting.value]; w >= 0) {
      const auto in_b = static_cast<uint32_t>(w);
      out.value_b = b_.name(in_b);
      out.operator_b = op(b_.maker(in_b));
      out.operators_between_b = operators(b_, region_of_b(parting), in_b);
    }
    const auto& d = differences_.at(parting.value);
    if (d.is_float && d.same_shape && d.same_type) out.error = d.max_relative_error;
    out.note = d.note.empty() && !d.exact_equal ? "values differ" : d.note;
    for (uint32_t v : parting.from)
      if (a_.maker(v) != nullptr || a_.is_input(a_.name(v))) out.from.push_back(a_.name(v));
    return out;
  }

  runtime::OnnxRuntime& runtime_;
  const std::string &path_a_, &path_b_;
  const Apart& about_;
  const runtime::Wait& wait_;
  Dataflow a_, b_;
  std::vector<Standing> standing_;  // of a's values
  std::vector<int64_t> partner_;    // in b
  std::unordered_map<uint32_t, runtime::OutputDifference> differences_;
  std::string note_;
};

}  // namespace

FirstDifference where_apart(runtime::OnnxRuntime& runtime, const std::string& a, const std::string& b,
                            const ir::Graph* graph_a, const ir::Graph* graph_b, const Apart& about,
                            const runtime::Wait& wait) {
  return Search(runtime, a, b, about, wait).run(graph_a, graph_b);
}

}  // namespace isomer::recipes
