// The outputs of a program under one random draw: whole, or at sampled elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "meaning/known_nests.h"
#include "support/deadline.h"
#include "verify/random_leaves.h"

namespace isomer::verify {

/// Elements of one output tensor (tuples are taken apart).
template <class Number>
struct OutputElements {
  ir::DType dtype = ir::DType::kUndefined;
  std::vector<int64_t> sizes;
  std::vector<int64_t> places;  ///< row-major numbers
  std::vector<Number> numbers;  ///< or
  std::vector<int64_t> integers;

  /// Of the element of that number, by dimension.
  std::vector<int64_t> index_of(size_t element) const {
    std::vector<int64_t> out(sizes.size());
    int64_t linear = places[element];
    for (size_t i = sizes.size(); i-- > 0; linear /= sizes[i]) out[i] = linear % sizes[i];
    return out;
  }
};

struct OutputRequest {
  bool whole = true;
  int samples = 12;  ///< of each output
  uint64_t sample_seed = 0;
  uint64_t budget = ~uint64_t{0};
  bool rounded = false;                  ///< whole results, to their element types
  Deadline until = {};                   ///< eval::EvaluationCut once it has passed
  meaning::KnownNests* nests = nullptr;  ///< of whole results: as of eval::EvalOptions
};

/// `flat` as of meaning::flatten. Throws InputError for what cannot be evaluated.
template <class D>
std::vector<OutputElements<typename D::Number>> program_outputs(D& domain, const ir::Graph& flat,
                                                                const Draw& draw,
                                                                TestLeaves<typename D::Number>& leaves,
                                                                const OutputRequest& request);

/// Whether there is nothing in any of them.
template <class Number>
bool is_empty(const std::vector<OutputElements<Number>>& outputs) {
  return std::ranges::all_of(outputs, [](const auto& o) { return o.places.empty(); });
}

/// What a draw gives the program's inputs; nothing where one is no tensor of known sizes, or too large to
/// keep.
std::vector<eval::Tensor<double>> drawn_inputs(const ir::Graph& graph, const Draw& draw);

/// Whether two programs have the same, element by element.
bool same_values(const std::vector<OutputElements<eval::FieldValue>>& a,
                 const std::vector<OutputElements<eval::FieldValue>>& b);

}  // namespace isomer::verify
