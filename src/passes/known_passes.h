// XLA's passes beside the algebraic simplifier and the elimination of equal subexpressions, and HloEnv's
// general fusion, a file each; and what XLA has not ("ours"). What each does is theirs, told by what the real
// pass does to modules; where ours stops short, its file says so.
#pragma once

#include <memory>

#include "passes/pass.h"

namespace isomer::passes {

std::shared_ptr<const Pass> all_gather_combiner();      ///< "all-gather-combiner"
std::shared_ptr<const Pass> all_gather_of_broadcast();  ///< "all-gather-bcast-reorder"
std::shared_ptr<const Pass> all_reduce_combiner();      ///< "all-reduce-combiner"
std::shared_ptr<const Pass> all_reduce_folder();        ///< "all-reduce-folder"
std::shared_ptr<const Pass> all_reduce_reassociate();   ///< "all-reduce-reassociate"
std::shared_ptr<const Pass> call_inliner();             ///< "call-inliner"
std::shared_ptr<const Pass> constant_folding();         ///< "constant_folding"
std::shared_ptr<const Pass> contraction_order();        ///< "contraction-order", ours
std::shared_ptr<const Pass> convolution_vectorizer();   ///< "cudnn_vectorize_convolutions"
std::shared_ptr<const Pass> defuser();                  ///< "defuser"
std::shared_ptr<const Pass> dot_merger();               ///< "dot-merger"
std::shared_ptr<const Pass> dots_of_scans();            ///< "dots-of-scans", ours
std::shared_ptr<const Pass> fusion_merger();            ///< "fusion_merger"
std::shared_ptr<const Pass> gemm_broadcast_folding();   ///< "cublas-gemm-broadcast-folding-rewriter"
std::shared_ptr<const Pass> gemm_padding();             ///< "cublas-pad-for-gemms"
std::shared_ptr<const Pass> gemm_rewriter();            ///< "cublas-gemm-rewriter"
std::shared_ptr<const Pass> general_fusion();           ///< "general-fusion", HloEnv's
std::shared_ptr<const Pass> horizontal_input_fusion();  ///< "horizontal_input_fusion"
std::shared_ptr<const Pass> horizontal_loop_fusion();   ///< "horizontal_loop_fusion"
std::shared_ptr<const Pass> instruction_fusion();       ///< "fusion"
std::shared_ptr<const Pass> loop_invariant_motion();    ///< "while-loop-invariant-code-motion"
std::shared_ptr<const Pass> multi_output_fusion();      ///< "multi_output_fusion"
std::shared_ptr<const Pass> reduce_scatter_combiner();  ///< "reduce-scatter-combiner"
std::shared_ptr<const Pass> reshape_mover();            ///< "reshape-mover"
std::shared_ptr<const Pass> simplify_conditional();     ///< "simplify-conditional"
std::shared_ptr<const Pass> simplify_sorts();           ///< "simplify-sorts"
std::shared_ptr<const Pass> simplify_while_loops();     ///< "simplify-while-loops"
std::shared_ptr<const Pass> transpose_folding();        ///< "transpose-folding"
std::shared_ptr<const Pass> tree_reduction();           ///< "tree_reduction_rewriter"
std::shared_ptr<const Pass> tuple_simplifier();         ///< "tuple-simplifier"
std::shared_ptr<const Pass> zero_sized_elimination();   ///< "zero_sized_hlo_elimination"

}  // namespace isomer::passes
