// The families of operators, one file each.
#pragma once

namespace isomer::ir {
class OpTable;
}

namespace isomer::ir::ops {

inline constexpr float kEpsilon = 1e-5f;  ///< of the operators that divide by a variance, where none is given

void register_leaf(OpTable& table);         ///< input, weight, constant, tuple, get, opaque, call
void register_elementwise(OpTable& table);  ///< pointwise operators and their composites
void register_elementwise_unary(OpTable& table);
void register_elementwise_binary(OpTable& table);  ///< binary and ternary
void register_conversion(OpTable& table);          ///< cast, cast_unsaturated, cast_like
void register_contraction(OpTable& table);         ///< matmul, conv, conv_transpose
void register_reduction(OpTable& table);           ///< reduce_sum, reduce_max, ...
void register_pooling(OpTable& table);             ///< max_pool, avg_pool
void register_movement(
    OpTable& table);  ///< broadcast, reshape, transpose, concat, split, slice, pad, gather, ...
void register_movement_select(
    OpTable& table);  ///< those of them that pick or place elements: slice, pad, gather, ...
void register_procedural(
    OpTable& table);  ///< what has an evaluator and no algebra: top_k, arg_max, sort, while
void register_normalisation(OpTable& table);  ///< softmax, layer_norm, batch_norm, ... (composites)
void register_fusion(OpTable& table);         ///< what runtimes compute at one go (composites)
void register_taso(OpTable& table);           ///< TENSAT's language, as composites of the others
void register_tile(OpTable& table);           ///< what muGraphs have beside: accumulators, ... (composites)
void register_kernel(OpTable& table);         ///< kernel, threads: bodies with a schedule (composites)
void register_scan(OpTable& table);           ///< cumsum, after
void register_selection(OpTable& table);      ///< non_zero, unique, ... (procedural)
void register_kept(OpTable& table);           ///< if, loop, scan, defined: as a file has them; conditional
void register_reduce_region(OpTable& table);  ///< reduce, reduce_window by a combiner of the program's own
void register_indexing(OpTable& table);       ///< gather_elements, scatter_nd, one_hot, ...
void register_loss(OpTable& table);           ///< nll_loss, softmax_cross_entropy
void register_quantized(OpTable& table);      ///< quantize_linear, matmul_integer, ... (composites)
void register_einsum(OpTable& table);
void register_resize(OpTable& table);
void register_linear_attention(OpTable& table);       ///< (procedural)
void register_sampling(OpTable& table);               ///< grid_sample, dft, col2im, ... (composites)
void register_recurrent(OpTable& table);              ///< lstm, gru, rnn (procedural)
void register_attention(OpTable& table);              ///< full_attention, causal_conv (composites)
void register_normalisation_further(OpTable& table);  ///< group_norm, lp_norm, ... (composites)
void register_winograd(OpTable& table);               ///< winograd_conv and its weights (composites)
void register_xla(OpTable& table);                    ///< iota, dynamic_slice, dot_general, ...: XLA's own
void register_xla_elements(OpTable& table);           ///< atan2, expm1, bit_cast, ...: XLA's pointwise ones
void register_layout(OpTable& table);  ///< conversions between data layouts, and what computes in them

}  // namespace isomer::ir::ops
