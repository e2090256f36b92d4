// Where inputs that tell two models apart are kept, and what is kept where the interpreter alone saw it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eval/tensor.h"
#include "ir/graph.h"
#include "recipes/compare_defined.h"
#include "runtime/onnxruntime.h"
#include "support/deadline.h"
#include "support/temporaries.h"

namespace isomer::recipes {

/// Where a worker writes it: it goes with this object, so that nothing is left beside the user's file where
/// the worker is stopped.
class WitnessFile {
 public:
  const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_{std::filesystem::temp_directory_path().string(),
                          "inputs that tell the models apart"};
  std::string path_ = folder_.in("witness.npz");
};

/// Inputs under their names, and what two models make of them as a/NAME and b/NAME.
using Witness = std::vector<runtime::NamedTensor>;

/// By the interpreter. Empty where there are no inputs, where it has no value of the first program, where
/// both have the same, or where it is too much work to evaluate them whole. A second program without a value
/// has no outputs in it.
Witness witness_of(const ir::Graph& a, const ir::Graph& b, const std::vector<eval::Tensor<double>>& inputs,
                   Arithmetic how, const Deadline& until);

/// As ONNX Runtime ran them: the first run's inputs, the outputs of both.
Witness witness_of(const runtime::FedRun& a, const runtime::FedRun& b);

}  // namespace isomer::recipes
