// Sizes for the dynamic dimensions of a model's inputs, at which it may be priced, timed and verified. A
// model says which dimensions it has, seldom which sizes go together: a mask may have to be as long as the
// cache and the new tokens, an image a multiple of a window. So sizes are proposed in the order in which they
// are likely, and whoever can run the model tries them (recipes/sizes.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "recipes/dims.h"

namespace isomer::recipes {

/// What a dimension counts, as its name says, or else its place.
enum class DimRole : uint8_t {
  kBatch,
  kSequence,
  kPast,      ///< tokens in a cache
  kTotal,     ///< those in the cache and new ones
  kSamples,   ///< of a signal
  kSide,      ///< height or width of an image
  kChannels,  ///< of an image
  kOther,
};

struct DynamicDim {
  std::string name;  ///< its symbol: "batch"; "x:0" where the model has none
  DimRole role = DimRole::kOther;
  bool named = false;  ///< the role is its name's; equal roles by place are taken for equal sizes
};

struct DynamicDims {
  std::vector<DynamicDim> dims;  ///< each once, in the order of the inputs
  int64_t step = 1;              ///< new tokens of a decoder whose number of them is fixed
  /// Sizes of constants that are no factors of products, and one less (a table of positions, of one token
  /// more).
  std::vector<int64_t> tables{};
  std::vector<int64_t> factors{};  ///< sizes of constants that are factors of products
};

/// Of the graph's inputs.
DynamicDims dynamic_dims(const ir::Graph& graph);

/// Dimensions that were fixed are counted as well: sums of them follow. Their sizes are `given` ones.
DynamicDims with_fixed(DynamicDims dims, const Sizes& fixed);

/// A size for each of the dimensions: a number, or a sum of others.
class SizePlan {
 public:
  struct Rule {
    int64_t size = 1;            ///< added to the sum
    std::vector<size_t> sum_of;  ///< other dimensions by number; a factor is said by repetition
    bool given = false;          ///< by the user: stays as it is
    bool operator==(const Rule&) const = default;
  };
  std::vector<Rule> rules;
  bool last = false;  ///< a batch of 1, or all equal: where nothing else would do
  /// By name. Nothing where a sum leads back to itself, or a size is below 1.
  std::optional<Sizes> sizes(const DynamicDims& dims) const;
};

/// The same for a batch of one; nothing where no batch is free to be that.
std::optional<SizePlan> with_batch_of_one(const DynamicDims& dims, const SizePlan& plan);

/// In the order in which they are worth a try: sizes above 1 that names and places suggest; then other
/// windows, lengths and images; sums of one another; a batch of 1; all equal. Each set of sizes once. `given`
/// are not changed. At least one.
std::vector<SizePlan> propose_sizes(const DynamicDims& dims, const Sizes& given);

/// After a plan that worked: plans of the same sums whose sizes differ, so that a model is looked at in more
/// than one size. Empty where nothing may differ.
std::vector<SizePlan> propose_other_sizes(const DynamicDims& dims, const SizePlan& plan);

}  // namespace isomer::recipes
