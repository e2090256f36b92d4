#include "recipes/unrepeatable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

namespace isomer::recipes {

OutputSet random_outputs(const formats::OnnxNodes& model) {
  std::unordered_set<std::string> random;
  for (const formats::OnnxNode& node : model.nodes) {
    const auto is_random = [&](const std::string& name) { return random.contains(name); };
    if (node.random || std::ranges::any_of(node.inputs, is_random))
      random.insert(node.outputs.begin(), node.outputs.end());
  }
  OutputSet out;
  for (size_t i = 0; i < model.outputs.size(); ++i)
    if (random.contains(model.outputs[i])) out.insert(i);
  return out;
}

OutputSet disagreeing(const runtime::Comparison& comparison, double tolerance) {
  OutputSet out;
  for (size_t i = 0; i < comparison.outputs.size(); ++i)
    if (!comparison.outputs[i].agrees(tolerance)) out.insert(i);
  return out;
}

runtime::Comparison without_values(runtime::Comparison comparison, const OutputSet& outputs) {
  for (const size_t i : outputs) {
    if (i >= comparison.outputs.size()) continue;
    runtime::OutputDifference& o = comparison.outputs[i];
    o.same_shape = o.nan_agree = o.inf_agree = o.exact_equal =
        true;  // random numbers may decide on sizes too
    o.bit_equal = o.same_type;
    o.max_abs_error = o.max_abs_value = o.max_relative_error = 0;
  }
  return comparison;
}

std::vector<std::string> names_of(const runtime::Comparison& comparison, const OutputSet& outputs) {
  std::vector<std::string> names;
  for (const size_t i : outputs)
    if (i < comparison.outputs.size()) names.push_back(comparison.outputs[i].name);
  return names;
}

std::string say_not_compared(const std::vector<std::string>& random,
                             const std::vector<std::string>& unrepeated) {
  const auto say = [](const std::vector<std::string>& outputs, std::string_view one, std::string_view many) {
    return outputs.empty() ? std::string()
                           : fmt::format("output{} {} {}", outputs.size() > 1 ? "s" : "",
                                         fmt::join(outputs, ", "), outputs.size() > 1 ? many : one);
  };
  const std::string known = say(random, "depends on random operators", "depend on random operators");
  const std::string seen = say(unrepeated, "differs between two runs of the input model",
                               "differ between two runs of the input model");
  if (known.empty() && seen.empty()) return {};
  return fmt::format("{}{}{}; not compared by value", known, known.empty() || seen.empty() ? "" : ", ", seen);
}

}  // namespace isomer::recipes
