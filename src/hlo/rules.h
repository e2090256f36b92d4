// Rules of types, named in opcodes.inc. Each throws Mismatch where operands, attributes and result of an
// instruction do not fit together.
#pragma once

#include "hlo/checked.h"

namespace isomer::hlo::rules {

// Element by element (rules_elementwise.cpp).
void abs(const Checked& c);
void arithmetic(const Checked& c);  ///< two equal arrays of numbers
void arithmetic_or_pred(const Checked& c);
void arithmetic_unary(const Checked& c);
void bitwise(const Checked& c);
void bitwise_unary(const Checked& c);
void clamp(const Checked& c);
void compare(const Checked& c);
void complex(const Checked& c);
void convert(const Checked& c);
void float_unary(const Checked& c);
void inexact_binary(const Checked& c);  ///< floats or complex numbers
void inexact_unary(const Checked& c);
void integer_binary(const Checked& c);
void integer_unary(const Checked& c);
void is_finite(const Checked& c);
void map(const Checked& c);
void part_of_complex(const Checked& c);
void reduce_precision(const Checked& c);
void select(const Checked& c);
void stochastic_convert(const Checked& c);

// Where elements go (rules_movement.cpp).
void bitcast(const Checked& c);
void bitcast_convert(const Checked& c);
void broadcast(const Checked& c);
void concatenate(const Checked& c);
void dynamic_reshape(const Checked& c);
void dynamic_slice(const Checked& c);
void dynamic_update_slice(const Checked& c);
void get_dimension_size(const Checked& c);
void iota(const Checked& c);
void pad(const Checked& c);
void reshape(const Checked& c);
void reverse(const Checked& c);
void set_dimension_size(const Checked& c);
void slice(const Checked& c);
void transpose(const Checked& c);

// Sums, products, windows, orders (rules_contraction.cpp).
void batch_norm_grad(const Checked& c);
void batch_norm_inference(const Checked& c);
void batch_norm_training(const Checked& c);
void convolution(const Checked& c);
void dot(const Checked& c);
void ragged_dot(const Checked& c);
void reduce(const Checked& c);
void reduce_window(const Checked& c);
void scaled_dot(const Checked& c);
void scan(const Checked& c);
void select_and_scatter(const Checked& c);
void sort(const Checked& c);
void top_k(const Checked& c);

// Indexed access, linear algebra, random numbers (rules_indexed.cpp).
void cholesky(const Checked& c);
void fft(const Checked& c);
void gather(const Checked& c);
void rng(const Checked& c);
void rng_bit_generator(const Checked& c);
void rng_state(const Checked& c);
void scatter(const Checked& c);
void triangular_solve(const Checked& c);

// Tuples, calls and control (rules_control.cpp).
void add_dependency(const Checked& c);
void after_all(const Checked& c);
void as_operand(const Checked& c);
void call(const Checked& c);
void conditional(const Checked& c);
void constant(const Checked& c);
void custom_call(const Checked& c);
void fusion(const Checked& c);
void get_tuple_element(const Checked& c);
void parameter(const Checked& c);
void tuple(const Checked& c);
void while_loop(const Checked& c);

// Between devices and hosts, asynchronous instructions (rules_devices.cpp).
void all_gather(const Checked& c);
void all_gather_start(const Checked& c);
void all_reduce(const Checked& c);
void all_to_all(const Checked& c);
void as_operands(const Checked& c);  ///< one: the operand's shape; several: a tuple of theirs
void async_start(const Checked& c);
void collective_permute(const Checked& c);
void collective_permute_start(const Checked& c);
void copy_done(const Checked& c);
void copy_start(const Checked& c);
void device_number(const Checked& c);
void infeed(const Checked& c);
void outfeed(const Checked& c);
void ragged_all_to_all(const Checked& c);
void recv(const Checked& c);
void recv_done(const Checked& c);
void reduce_scatter(const Checked& c);
void second_of_operand(const Checked& c);  ///< the second part of the operand's tuple
void send(const Checked& c);
void send_done(const Checked& c);

}  // namespace isomer::hlo::rules
