// The sizes at which a model with dynamic dimensions is priced, timed and verified: one set, at which the
// runtime really runs it. What is written stays dynamic. A size of 1 says little: masks and sequences of one
// element, images of one pixel, products that are none. So it is the batch's only where the model refuses
// two, and the sizes that its refusal makes likely, or where a batch of two computes so much that timing it
// would take the time of everything.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "isomer/isomer.h"
#include "recipes/dims.h"
#include "recipes/load.h"
#include "runtime/onnxruntime.h"
#include "support/deadline.h"
#include "support/progress.h"

namespace isomer::recipes {

/// What the search for sizes may not change, and how long it takes.
struct SizeSearch {
  Sizes given;                ///< by the user, for dimensions that stay dynamic
  runtime::InputSpec inputs;  ///< seed, file, bounds; `dims`: of dimensions that are fixed
  runtime::LoadOptions load;
  bool single_first = false;  ///< a batch of one, where one is free, and a larger one second
  double seconds = 10;        ///< of trying, but for the first proposal, which has until the deadline
  Deadline until;
  std::function<void(double, const std::string&)> progress;
};

/// Sizes of the dynamic dimensions of a model's inputs, by name.
struct ChosenSizes {
  Sizes first;          ///< empty where the model has no dynamic dimension
  Sizes second;         ///< other ones, at which the model runs as well; empty: none were found
  bool runs = false;    ///< the runtime ran the model at `first`; else that is the likeliest proposal
  std::string refusal;  ///< what it said of the first proposal
  int tries = 0;
  bool batch_is_free = false;  ///< to be one, in the first proposal
};

/// `graph` as it was read from the file `model`, its dimensions as dynamic as they stay. Sizes that an .npz
/// file of inputs has are given ones. Throws UsageError where that contradicts `how.given`, or itself;
/// MissingRuntimeError.
ChosenSizes choose_sizes(runtime::OnnxRuntime& runtime, const std::string& model, const ir::Graph& graph,
                         const SizeSearch& how);
/// The first proposal, where there is no runtime to ask.
ChosenSizes likely_sizes(const ir::Graph& graph, const Sizes& given, const Sizes& fixed = {});

/// A model that was read again with sizes for its dimensions.
struct AtSizes {
  Sizes symbols;                                  ///< of every symbol of the dynamic graph
  std::map<std::string, runtime::Bounds> bounds;  ///< of inputs
  int64_t macs = -1;                              ///< -1: some sizes are not known even so
};
/// `dynamic`: the model's graph. `fixed`: sizes that it was read with. Of what cannot be read at such sizes,
/// what the dynamic graph tells.
AtSizes at_sizes(const std::string& model, const ir::Graph& dynamic, const Sizes& fixed, const Sizes& chosen,
                 bool contrib, const Deadline& until = {});
/// Sizes that the other model's inputs have where those of `dynamic` have symbols.
Sizes sizes_of_the_other(const ir::Graph& dynamic, const ir::Graph& other);
/// Sizes of the dynamic dimensions of a model and what its inputs may be there, for as many sets of sizes as
/// were found: none where everything is fixed.
using SizesAndBounds = std::pair<Sizes, std::map<std::string, runtime::Bounds>>;
std::vector<SizesAndBounds> sets_of_sizes(runtime::OnnxRuntime& runtime, const std::string& model,
                                          const Program& program, const SizeSearch& how);
/// Multiply-accumulates of products and convolutions; -1 where sizes are unknown.
int64_t multiply_adds(const ir::Graph& graph);

/// All that the main job wants to know.
struct ProgramSizes {
  ChosenSizes chosen;
  Sizes fixed;  ///< by --dim
  AtSizes first, second;

  /// For inputs of the runtime: fixed and chosen ones.
  Sizes dims() const;
  Sizes second_dims() const;
  /// In a line; empty where nothing is dynamic.
  std::string text() const;
  /// Of a model that was written, in which `fixed` are numbers.
  int64_t multiply_adds_of(const std::string& model, const ir::Graph& graph, bool contrib) const;
};
/// Runs the model in this runtime, unless every dimension is fixed.
ProgramSizes size_program(const Program& program, const OptimizeOptions& options,
                          runtime::OnnxRuntime& runtime, const Deadline& until, ProgressSink& progress);

/// The sizes, and for each axis of an input, as "x:0": for runtimes that know no names.
Sizes with_axes(const ir::Graph& graph, const Sizes& sizes);

}  // namespace isomer::recipes
