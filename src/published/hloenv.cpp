#include "published/hloenv.h"

namespace isomer::published::hloenv {

std::span<const PublishedPass> passes() {
  static constexpr PublishedPass kPasses[] = {
      {"ZeroSizedHloElimination", "zero_sized_hlo_elimination", "zero_sized_hlo_elimination", 7.46, 0.32,
       0.46, 1, 1.004},
      {"AlgebraicSimplifier", "algsimp", "algsimp", 36.85, 0.92, 5.91, 1.012, 1.033},
      {"DotMerger", "dot-merger", "", 5.31, 0.03, 0.36, 1.001, 1.019},
      {"SortSimplifier", "simplify-sorts", "simplify-sorts", 5.35, 0.05, 0.36, 1.001, 1.019},
      {"TupleSimplifier", "tuple-simplifier", "tuple-simplifier", 5.73, 0.08, 0.38, 1.001, 1.021},
      {"WhileLoopSimplifier", "simplify-while-loops", "simplify-while-loops", 7.2, 0.07, 2.24, 1.012, 1.165},
      {"HloConstantFolding", "constant_folding", "constant_folding", 11.24, 0.14, 0.63, 1.002, 1.018},
      {"ConditionalSimplifier", "simplify-conditional", "simplify-conditional", 5.47, 0.14, 0.42, 1.001,
       1.02},
      {"TransposeFolding", "transpose-folding", "transpose-folding", 5.42, 0.08, 0.42, 1, 1.023},
      {"AllReduceFolder", "all-reduce-folder", "", 5.46, 0.16, 0.43, 1.001, 1.024},
      {"AllReduceReassociate", "all-reduce-reassociate", "", 5.48, 0.13, 0.42, 1.001, 1.023},
      {"AllGatherBroadcastReorder", "all-gather-bcast-reorder", "", 5.54, 0.18, 0.46, 1.001, 1.025},
      {"CudnnVectorizeConvolutions", "cudnn_vectorize_convolutions", "", 5.46, 0.15, 0.44, 1.001, 1.023,
       true},
      {"CublasPadForGemms Pipeline", "cublas-pad-for-gemms", "", 5.52, 0.18, 0.46, 1.001, 1.023},
      {"GpuTreeReductionRewriter", "tree_reduction_rewriter", "tree_reduction_rewriter", 5.71, 0.21, 0.52,
       1.001, 1.024},
      {"GemmRewriter", "cublas-gemm-rewriter", "", 8.56, 2.03, 1.78, 1.047, 1.552, true},
      {"GemmBroadcastFoldingRewriter", "cublas-gemm-broadcast-folding-rewriter", "", 5.54, 0.2, 0.44, 1.001,
       1.024, true},
      {"Fusion Pipeline",
       "fusion,fusion_merger,multi_output_fusion,horizontal_loop_fusion,horizontal_input_fusion", "fusion",
       49.22, 0.25, 44.61, 1.579, 2.178},
      {"AllGatherCombiner", "all-gather-combiner", "", 5.49, 0.28, 0.46, 1.001, 1.019},
      {"AllReduceCombiner", "all-reduce-combiner", "all-reduce-combiner", 5.57, 0.26, 0.53, 1.001, 1.023},
      {"ReduceScatterCombiner", "reduce-scatter-combiner", "", 5.59, 0.27, 0.51, 1.001, 1.023},
  };
  return kPasses;
}

std::span<const PublishedSearch> searches() {
  static constexpr PublishedSearch kSearches[] = {
      {"algsimp", "10-20", "pick-first", 1, 0.74},
      {"algsimp", "10-20", "beam", 0.981, 0.383},
      {"algsimp", "20-40", "pick-first", 1, 0.883},
      {"algsimp", "20-40", "mcts", 0.995, 0.57},
      {"general-fusion", "10-20", "pick-first", 0.997, 0.679},
      {"general-fusion", "10-20", "beam", 0.986, 0.43},
      {"general-fusion", "20-40", "pick-first", 0.989, 0.738},
      {"general-fusion", "20-40", "mcts", 0.992, 0.349},
  };
  return kSearches;
}

}  // namespace isomer::published::hloenv
