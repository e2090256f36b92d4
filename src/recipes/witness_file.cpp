#include "recipes/witness_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "eval/outcome.h"
#include "eval/tensor_bytes.h"
#include "verify/degree.h"
#include "verify/equivalence.h"

namespace isomer::recipes {
namespace {

using Tensors = std::vector<eval::Tensor<double>>;

void add(Witness& out, const ir::Graph& graph, std::span<const ir::ValueId> values, const Tensors& tensors,
         const std::string& prefix, const char* kind) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string& name = graph.name(values[i]);
    out.push_back({prefix + (name.empty() ? fmt::format("{}_{}", kind, i) : name),
                   tensors[i].dtype,
                   tensors[i].sizes,
                   eval::to_bytes(tensors[i]),
                   {}});
  }
}

}  // namespace

Witness witness_of(const ir::Graph& a, const ir::Graph& b, const Tensors& inputs, Arithmetic how,
                   const Deadline& until) {
  if (inputs.empty() || inputs.size() != a.inputs().size()) return {};
  // Both are evaluated whole, which a comparison of sampled elements was not.
  const auto work = eval::outcome_of([&] { return verify::larger_float_work(a, b); });
  if (!work || *work > verify::EquivalenceOptions().full_float_work) return {};
  const auto x = defined_outputs(a, inputs, how, until);
  if (!x) return {};
  const auto y = defined_outputs(b, inputs, how, until);
  if (!y && until.passed()) return {};
  Witness of_a, of_b;
  add(of_a, a, a.outputs(), *x, "a/", "output");
  if (y) add(of_b, b, b.outputs(), *y, "b/", "output");
  if (std::ranges::equal(of_a, of_b, {}, &runtime::NamedTensor::bytes, &runtime::NamedTensor::bytes))
    return {};
  Witness out;
  add(out, a, a.inputs(), inputs, "", "input");
  std::ranges::move(of_a, std::back_inserter(out));
  std::ranges::move(of_b, std::back_inserter(out));
  return out;
}

Witness witness_of(const runtime::FedRun& a, const runtime::FedRun& b) {
  Witness out = a.inputs;
  for (const auto& [side, run] : {std::pair{"a/", &a}, {"b/", &b}})
    for (runtime::NamedTensor tensor : run->outputs) {
      tensor.name = side + tensor.name;
      out.push_back(std::move(tensor));
    }
  return out;
}

}  // namespace isomer::recipes
