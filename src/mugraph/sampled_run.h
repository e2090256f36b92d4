// Elements of a muGraph's tensors on demand, at any size: an element asks for the block that saves it, this
// for the tiles that it loads. Nothing is held but the tiles of blocks that were asked for, and inputs are
// functions of the element's number. A block is run by its schedule (eval/scheduled_run.h), with products of
// tiles computed as such: where one output element takes millions of products, an element by element
// evaluation (eval/sampler.h) is no way.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "eval/sampler.h"
#include "eval/scheduled_run.h"
#include "mugraph/mugraph.h"

namespace isomer::mugraph {

/// Elements of the last row of a tensor and of a random one: those of a row share most of their work.
/// Row-major numbers, the last element first.
std::vector<int64_t> sampled_places(const Sizes& sizes, int samples, uint64_t seed);

/// Scalar steps of one block (or thread).
double steps_of_block(const MuOpTable& ops, const BlockGraph& block);

/// An element that eval::Sampler is asked for takes about as long as so many steps of a product of tiles.
inline constexpr double kStepsOfASample = 40;

/// `D`: eval::Float64, eval::PrimeField or the field of Mirage's public code.
template <class D>
class SampledRun {
 public:
  using Number = typename D::Number;
  using Leaf = std::function<Number(size_t input, int64_t linear)>;

  /// `graph` must pass check_spec and outlive it. `work`: scalar steps that may be spent, beyond which
  /// eval::SampleBudgetSpent is thrown. `stored`: what every tile is rounded to.
  SampledRun(D& domain, const MuGraph& graph, Leaf leaf, double work,
             ir::DType stored = ir::DType::kUndefined);

  Number element(uint32_t value, int64_t linear);

 private:
  /// A kernel: a graph of blocks, or one operator, whose elements are sampled; neither until it is asked for.
  struct Kernel {
    std::unique_ptr<ir::Graph> body;
    std::unique_ptr<eval::ScheduledRun<D>> blocks;
    double work = 0;                                            ///< of one block
    std::map<int64_t, std::vector<eval::Value<Number>>> tiles;  ///< by block
    std::unique_ptr<ir::Graph> plain;
    std::unique_ptr<eval::Sampler<D>> sampler;
  };
  struct Origin {
    size_t kernel = 0, result = 0;
  };

  Kernel& kernel(size_t k);
  const std::vector<eval::Value<Number>>& tiles(size_t k, const std::array<int64_t, 3>& block);
  void spend(double work);

  D& domain_;
  const MuGraph& graph_;
  Leaf leaf_;
  double left_;
  ir::DType stored_;
  std::vector<Origin> origin_;  // of each value that is no input
  std::vector<Kernel> kernels_;
  ir::Context ctx_;
};

}  // namespace isomer::mugraph
