#include "hlo/verify.h"

#include <gtest/gtest.h>

#include <set>

#include "hlo/parse.h"
#include "hlo/texts.h"
#include "support/errors.h"

namespace isomer::hlo {
namespace {

TEST(HloVerify, TypesOfAllTextsFit) {
  for (const std::string& file : all_texts())
    for (const Fault& fault : verify(parse(read_file(file), file)))
      ADD_FAILURE() << file << ": " << fault.message;
}

/// Computations that the cases below call.
constexpr const char* kCalled = R"(add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}

less {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = pred[] compare(x, y), direction=LT
}

negated {
  x = f32[2,3] parameter(0)
  ROOT r = f32[2,3] negate(x)
}

yes {
  x = f32[2,3] parameter(0)
  ROOT r = pred[] constant(true)
}

)";

constexpr const char* kParameters = R"(  a = f32[2,3] parameter(0)
  b = f32[3,4] parameter(1)
  i = s32[] parameter(2)
  p = pred[2,3] parameter(3)
  z = c64[4] parameter(4)
  v = f32[3] parameter(5)
  n = s32[2,3] parameter(6)
  s = f32[] parameter(7)
  image = f32[1,8,8,4] parameter(8)
  kernel = f32[3,3,4,6] parameter(9)
  t = token[] parameter(10)
  pair = (f32[2,3], s32[]) parameter(11)
  k = s32[5,1] parameter(12)
  m = f32[4,4] parameter(13)
)";

struct Case {
  const char* instruction;  ///< the root's shape, opcode, operands and attributes
  const char* message;      ///< empty: types fit
};

/// One rule after the other; what fits, and what does not.
const Case kCases[] = {
    {"f32[2,3] add(a, a)", ""},
    {"f32[3,2] add(a, a)", "expected f32[2,3] as result of add, found f32[3,2]"},
    {"f32[2,3] add(a, b)", "expected f32[2,3] as operand 1 of add, found f32[3,4]"},
    {"f32[2,3] add(pair, a)", "expected an array as operand 0 of add, found (f32[2,3], s32[])"},
    {"pred[2,3] subtract(p, p)", "expected numbers as operand 0 of subtract, found pred[2,3]"},
    {"pred[2,3] maximum(p, p)", ""},
    {"s32[2,3] exponential(n)",
     "expected floats or complex numbers as operand 0 of exponential, found s32[2,3]"},
    {"f32[2,3] and(a, a)", "expected integers or pred as operand 0 of and, found f32[2,3]"},
    {"f32[2,3] shift-left(a, a)", "expected integers as operand 0 of shift-left, found f32[2,3]"},
    {"c64[4] floor(z)", "expected floats as operand 0 of floor, found c64[4]"},
    {"c64[4] abs(z)", "expected f32[4] as result of abs, found c64[4]"},
    {"f32[2,3] clamp(v, a, s)", "expected f32[] or f32[2,3] as operand 0 of clamp, found f32[3]"},
    {"f32[2,3] compare(a, a), direction=LT", "expected pred[2,3] as result of compare, found f32[2,3]"},
    {"pred[4] compare(z, z), direction=LT", "expected EQ or NE of complex numbers, found LT"},
    {"pred[2,3] compare(a, a), direction=LT, type=SIGNED",
     "expected a type of comparison for f32, found SIGNED"},
    {"c64[2,3] complex(n, n)", "expected f32 or f64 as operand 0 of complex, found s32[2,3]"},
    {"f32[4] convert(z)", "expected a complex result of converting c64, found f32"},
    {"s32[3,2] convert(a)", "expected result of convert to have the dimensions [2,3], found [3,2]"},
    {"pred[2,3] is-finite(n)", "expected floats as operand 0 of is-finite, found s32[2,3]"},
    {"f32[2,3] map(a, a), dimensions={1,0}, to_apply=add",
     "expected all 2 dimensions in order in dimensions of map, found {1,0}"},
    {"f32[2,3] map(a), dimensions={0,1}, to_apply=add",
     "expected 1 parameters of add, which map calls, found 2"},
    {"pred[2,3] map(a, a), dimensions={0,1}, to_apply=add",
     "expected f32[2,3] as result of map, found pred[2,3]"},
    {"f32[2,3] reduce-precision(a), exponent_bits=0, mantissa_bits=2",
     "expected at least 1 in exponent_bits, found 0"},
    {"f32[2,3] select(n, a, a)", "expected pred as operand 0 of select, found s32[2,3]"},
    {"f32[3,4] select(p, b, b)",
     "expected pred[] or pred of operand 1's dimensions as operand 0 of select, found pred[2,3] for "
     "f32[3,4]"},
    {"f32[5] bitcast(a)", "expected a result of as many bits as f32[2,3], found f32[5]"},
    {"s16[2,3] bitcast-convert(a)", "expected s16[2,3,2] as result of bitcast-convert, found s16[2,3]"},
    {"f64[2] bitcast-convert(a)", "expected 2 as last dimension of what becomes f64, found f32[2,3]"},
    {"f32[2,2,3] broadcast(a), dimensions={0}", "expected 2 numbers in dimensions of broadcast, found 1"},
    {"f32[2,2,3] broadcast(a), dimensions={0,1}", "expected 3 as dimension 1 of broadcast's result, found 2"},
    {"f32[2,2,3] broadcast(a), dimensions={0,3}",
     "expected dimensions below 3 in dimensions of broadcast, found 3"},
    {"f32[2,2,3] broadcast(a), dimensions={1,1}",
     "expected each dimension once in dimensions of broadcast, found 1 again"},
    {"f32[5,3] concatenate(a, b), dimensions={0}",
     "expected operand 1 of concatenate to be f32[2,3] but in dimension 0, found f32[3,4]"},
    {"f32[4,3] concatenate(a, a), dimensions={1}",
     "expected f32[2,6] as result of concatenate, found f32[4,3]"},
    {"f32[1,3] dynamic-slice(a, i), dynamic_slice_sizes={1,3}",
     "expected 2 starts of dynamic-slice, found 1"},
    {"f32[1,3] dynamic-slice(a, i, s), dynamic_slice_sizes={1,3}",
     "expected an integer as start 1 of dynamic-slice, found f32[]"},
    {"f32[3,3] dynamic-slice(a, i, i), dynamic_slice_sizes={3,3}",
     "expected a size of 0 to 2 in dimension 0 of dynamic-slice, found 3"},
    {"f32[2,3] dynamic-update-slice(a, b, i, i)",
     "expected an update that fits into f32[2,3], found f32[3,4]"},
    {"s64[] get-dimension-size(a), dimensions={0}",
     "expected s32[] as result of get-dimension-size, found s64[]"},
    {"s32[] get-dimension-size(a), dimensions={2}",
     "expected dimensions below 2 in dimensions of get-dimension-size, found 2"},
    {"f32[<=2,3] set-dimension-size(a, s), dimensions={0}",
     "expected s32[] as operand 1 of set-dimension-size, found f32[]"},
    {"s32[4] iota(), iota_dimension=1", "expected a dimension below 1 in iota_dimension, found 1"},
    {"f32[4,3] pad(a, s), padding=1_1", "expected paddings of 2 dimensions, found 1"},
    {"f32[4,3] pad(a, s), padding=1_1_1x0_0", "expected f32[5,3] as result of pad, found f32[4,3]"},
    {"f32[0,3] pad(a, s), padding=-3_0x0_0", "expected a size that is not negative in dimension 0, found -1"},
    {"f32[4,3] pad(a, i), padding=1_1x0_0", "expected f32[] as operand 1 of pad, found s32[]"},
    {"f32[7] reshape(a)", "expected a result of 6 elements, as f32[2,3] has, found f32[7]"},
    {"s32[6] reshape(a)", "expected f32 as element of reshape's result, found s32"},
    {"f32[2,3] reverse(a), dimensions={2}", "expected dimensions below 2 in dimensions of reverse, found 2"},
    {"f32[1,3] slice(a), slice={[1:2], [0:4]}", "expected a range in 0 to 3 in dimension 1, found 0:4"},
    {"f32[1,3] slice(a), slice={[1:2], [0:3:0]}", "expected a positive stride in dimension 1, found 0"},
    {"f32[1,3] slice(a), slice={[1:2], [0:3:2]}", "expected f32[1,2] as result of slice, found f32[1,3]"},
    {"f32[2,3] transpose(a), dimensions={1,0}", "expected f32[3,2] as result of transpose, found f32[2,3]"},
    {"f32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}", ""},
    {"f32[2,4] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
     "expected dimension 0 of operand 0 and 0 of operand 1 to be equal, found 2 and 3"},
    {"f32[2,4] dot(a, b), lhs_contracting_dims={1}",
     "expected as many batch and contracting dimensions on both sides, found 0 and 0, 1 and 0"},
    {"f32[4,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "expected f32[2,4] as result of dot, found f32[4,2]"},
    {"s32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "expected a result of f32's kind, found s32[2,4]"},
    {"f32[1,6,6,6] convolution(image, kernel), window={size=3x3}, dim_labels=b01f_01io->b01f", ""},
    {"f32[1,8,8,6] convolution(image, kernel), window={size=3x3}, dim_labels=b01f_01io->b01f",
     "expected f32[1,6,6,6] as result of convolution, found f32[1,8,8,6]"},
    {"f32[1,6,6,6] convolution(image, kernel), window={size=3x2}, dim_labels=b01f_01io->b01f",
     "expected the window's size, 2, as dimension 1 of the kernel, found 3"},
    {"f32[1,6,6,6] convolution(image, kernel), window={size=3x3}, dim_labels=b01f_01oi->b01f",
     "expected 6 input features, as kernel and groups have, found 4"},
    {"f32[1,6,6,6] convolution(image, kernel), window={size=3x3 stride=0x1}, dim_labels=b01f_01io->b01f",
     "expected a positive size, stride and dilations in dimension 0 of a window, found 3, 0, 1 and 1"},
    {"f32[1,6,6,6] convolution(image, a), window={size=3x3}, dim_labels=b01f_01io->b01f",
     "expected 4 dimensions of convolution's operand 1, as its labels have, found 2"},
    {"f32[2] reduce(a, s), dimensions={1}, to_apply=add", ""},
    {"f32[3] reduce(a, s), dimensions={1}, to_apply=add",
     "expected f32[2] as result of reduce, found f32[3]"},
    {"f32[2] reduce(a, i), dimensions={1}, to_apply=add",
     "expected f32[] as initial value 0 of reduce, found s32[]"},
    {"f32[2] reduce(a, s), dimensions={1}, to_apply=negated",
     "expected 2 parameters of negated, which reduce calls, found 1"},
    {"s32[2] reduce(n, i), dimensions={1}, to_apply=add",
     "expected s32[] as parameter 0 of add, which reduce calls, found f32[]"},
    {"f32[1,4,4,4] reduce-window(image, s), window={size=1x2x2x1 stride=1x2x2x1}, to_apply=add", ""},
    {"f32[1,4,4,4] reduce-window(image, s), window={size=2x2}, to_apply=add",
     "expected a window of 4 dimensions, found 2"},
    {"f32[2,3] select-and-scatter(a, v, s), window={size=1x1}, select=less, scatter=add",
     "expected f32[2,3] as operand 1 of select-and-scatter, found f32[3]"},
    {"f32[2,3] select-and-scatter(a, a, s), window={size=1x1}, select=add, scatter=add",
     "expected pred[] as result of what select-and-scatter selects by, found f32[]"},
    {"f32[2,3] sort(a), dimensions={1}, to_apply=add",
     "expected pred[] as result of what sort compares by, found f32[]"},
    {"f32[2,3] sort(a), dimensions={2}, to_apply=less",
     "expected dimensions below 2 in dimensions of sort, found 2"},
    {"(f32[2,4], s32[2,4]) topk(a), k=4", "expected 0 to 3 in k, found 4"},
    {"(f32[2,2], s64[2,2]) topk(a), k=2",
     "expected s32[2,2] as part 1 of the result of topk, found s64[2,2]"},
    {"f32[2,3] batch-norm-inference(a, v, v, v, s), epsilon=0.1, feature_index=1",
     "expected 3 numbers as operand 4 of batch-norm-inference, found f32[]"},
    {"f32[5,4] gather(b, k), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
     "index_vector_dim=1, slice_sizes={1,4}",
     ""},
    {"f32[4,5] gather(b, k), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
     "index_vector_dim=1, slice_sizes={1,4}",
     "expected f32[5,4] as result of gather, found f32[4,5]"},
    {"f32[5,4] gather(b, k), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0,1}, "
     "index_vector_dim=1, slice_sizes={1,4}",
     "expected 1 dimensions in start_index_map of gather, as indices have numbers, found 2"},
    {"f32[5,4] gather(b, k), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
     "index_vector_dim=1, slice_sizes={2,4}",
     "expected at most 1 as size of the collapsed or batching dimension 0, found 2"},
    {"f32[3,4] scatter(b, k, b), update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
     "expected 5 as dimension 0 of scatter's updates, found 3"},
    {"f32[2,3] cholesky(a)", "expected square matrices as operand 0 of cholesky, found f32[2,3]"},
    {"f32[3,4] triangular-solve(m, b), left_side=true", "expected 4 as dimension 0 of operand 1, found 3"},
    {"c64[4] fft(z), fft_type=FFT, fft_length={3}", "expected 3 as dimension 0 of operand 0 of fft, found 4"},
    {"f32[6] fft(z), fft_type=IRFFT, fft_length={6}", ""},
    {"f32[2,3] rng(i, i), distribution=rng_uniform", "expected f32[] as operand 0 of rng, found s32[]"},
    {"(f32[3], u32[2]) rng-bit-generator(v), algorithm=rng_default",
     "expected u64 or u32 as state of rng-bit-generator, found f32[3]"},
    {"f32[2,3] add-dependency(a, a)", "expected token[] as operand 1 of add-dependency, found f32[2,3]"},
    {"f32[2,3] after-all(t)", "expected token[] as result of after-all, found f32[2,3]"},
    {"f32[3,2] copy(a)", "expected f32[2,3] as result of copy, found f32[3,2]"},
    {"(f32[2,3], f32[]) tuple(a)", "expected a tuple of 1 as result of tuple, found (f32[2,3], f32[])"},
    {"(f32[3]) tuple(a)", "expected f32[2,3] as part 0 of the result of tuple, found f32[3]"},
    {"s32[] get-tuple-element(pair), index=2",
     "expected a tuple that has a part 2 as operand 0 of get-tuple-element, found (f32[2,3], s32[])"},
    {"f32[2,3] get-tuple-element(pair), index=1",
     "expected s32[] as result of get-tuple-element, found f32[2,3]"},
    {"f32[3,4] call(b), to_apply=negated",
     "expected f32[3,4] as parameter 0 of negated, which call calls, found f32[2,3]"},
    {"f32[2,3] fusion(a, a), kind=kLoop, calls=negated",
     "expected 2 parameters of negated, which fusion calls, found 1"},
    {"f32[2,3] while(a), condition=yes, body=negated", ""},
    {"f32[2,3] while(a), condition=negated, body=negated",
     "expected pred[] as result of the condition of while, found f32[2,3]"},
    {"f32[2,3] while(a), condition=yes, body=yes",
     "expected f32[2,3] as result of the body of while, found pred[]"},
    {"f32[2,3] conditional(i, a), branch_computations={negated,negated}",
     "expected an operand for each of 2 branches, found 1"},
    {"f32[2,3] conditional(s, a), branch_computations={negated}",
     "expected pred[], or s32[] and branch_computations, as operand 0 of conditional, found f32[]"},
    {"f32[2,3] conditional(i, a), branch_computations={yes}",
     "expected f32[2,3] as result of branch 0 of conditional, found pred[]"},
    {"f32[2] custom-call(a), custom_call_target=\"t\"", ""},
    {"f32[2] custom-call(a), custom_call_target=\"t\", operand_layout_constraints={}",
     "expected 1 shapes in operand_layout_constraints, found 0"},
    {"f32[2,9] all-gather(a), dimensions={1}, replica_groups={{0,1}}",
     "expected f32[2,9] and f32[2,3] of all-gather to differ by the factor 2 in dimension 1"},
    {"f32[2,9] all-gather(a), dimensions={1}", ""},
    {"f32[3] all-reduce(a), to_apply=add", "expected f32[2,3] as result of all-reduce, found f32[3]"},
    {"(f32[2,3]) all-reduce(a, a), to_apply=add",
     "expected a tuple of 2 as result of all-reduce, found (f32[2,3])"},
    {"f32[2,2] reduce-scatter(a), dimensions={1}, to_apply=add",
     "expected f32[2,3] and f32[2,2] of reduce-scatter to differ by a whole factor in dimension 1"},
    {"s32[] replica-id()", "expected u32[] as result of replica-id, found s32[]"},
    {"(f32[2,3], token[]) infeed(a)", "expected token[] as operand 0 of infeed, found f32[2,3]"},
    {"(f32[2,3], f32[2,3]) copy-start(a)",
     "expected a tuple of 3 as result of copy-start, found (f32[2,3], f32[2,3])"},
    {"((f32[2,3]), f32[3], s32[]) async-start(a), calls=negated",
     "expected f32[2,3] as results in the result of async-start, found f32[3]"},
    {"(f32[2,3], s32[], token[]) send(a, t), channel_id=1",
     "expected u32[] as part 1 of the result of send, found s32[]"},
    {"pred[2,3] negate(p)", "expected numbers as operand 0 of negate, found pred[2,3]"},
    {"f32[2,3] not(a)", "expected integers or pred as operand 0 of not, found f32[2,3]"},
    {"f32[2,3] popcnt(a)", "expected integers as operand 0 of popcnt, found f32[2,3]"},
    {"s32[2,3] atan2(n, n)", "expected floats or complex numbers as operand 0 of atan2, found s32[2,3]"},
    {"c64[4] real(z)", "expected f32[4] as result of real, found c64[4]"},
    {"s8[2,3] stochastic-convert(a, n)",
     "expected unsigned integers of 32 bits as operand 1 of stochastic-convert, found s32[2,3]"},
    {"f32[<=2,3] dynamic-reshape(a, i)", "expected 2 sizes of dynamic-reshape, found 1"},
    {"f32[2,4] scaled-dot(a, a, a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
     "expected f32[2,2] as result of scaled-dot, found f32[2,4]"},
    {"f32[2,3] maximum(a, b)", "expected f32[2,3] as operand 1 of maximum, found f32[3,4]"},
    {"f32[2,4] ragged-dot(a, b, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={0}",
     "expected integers as sizes of groups, found f32[3]"},
    {"(f32[3], f32[]) scan(v, s), dimensions={1}, num_carries=1, to_apply=add",
     "expected dimensions below 1 in dimensions of scan, found 1"},
    {"(f32[3], f32[]) scan(v, s), dimensions={0}, num_carries=3, to_apply=add",
     "expected 0 to 2 in num_carries, found 3"},
    {"(f32[2,3], f32[3], f32[2]) batch-norm-training(a, v, v), epsilon=0.1, feature_index=1",
     "expected f32[3] as part 2 of the result of batch-norm-training, found f32[2]"},
    {"(f32[2,3], f32[3], f32[3]) batch-norm-grad(a, v, v, v, b), epsilon=0.1, feature_index=1",
     "expected f32[2,3] as operand 4 of batch-norm-grad, found f32[3,4]"},
    {"u32[2] rng-get-and-update-state(), delta=1",
     "expected u64 of at most one dimension as result of rng-get-and-update-state, found u32[2]"},
    {"f32[3] collective-broadcast(a)", "expected f32[2,3] as result of collective-broadcast, found f32[3]"},
    {"f32[3] collective-permute(a), source_target_pairs={{0,1}}",
     "expected f32[2,3] as result of collective-permute, found f32[3]"},
    {"(f32[2,3], f32[3]) collective-permute-start(a), source_target_pairs={{0,1}}",
     "expected f32[2,3] as operand 0 in the result of collective-permute-start, found f32[3]"},
    {"f32[2,3] collective-permute-done(a)",
     "expected a tuple of two parts or more as operand 0 of collective-permute-done, found f32[2,3]"},
    {"(f32[2,3], f32[3,3]) all-gather-start(a), dimensions={0}",
     "expected f32[3,3] and f32[2,3] of all-gather-start to differ by a whole factor in dimension 0"},
    {"f32[3,2] all-to-all(a), dimensions={1}", "expected f32[2,3] as result of all-to-all, found f32[3,2]"},
    {"f32[2,3] ragged-all-to-all(a, a, v, v, v)", "expected 6 operands of ragged-all-to-all, found 5"},
    {"f32[2,3] copy-done(pair)", "expected a tuple of 3 as operand 0 of copy-done, found (f32[2,3], s32[])"},
    {"token[] outfeed(a, a)", "expected token[] as operand 1 of outfeed, found f32[2,3]"},
    {"token[] send-done(pair)", "expected a tuple of 3 as operand of send-done, found (f32[2,3], s32[])"},
    {"(f32[2], u32[], u32[]) recv(t)", "expected token[] as part 2 of the result of recv, found u32[]"},
    {"(f32[2,3], token[]) recv-done(pair)",
     "expected a tuple of 3 as operand of recv-done, found (f32[2,3], s32[])"},
};

TEST(HloVerify, RulesSayWhatFits) {
  for (const Case& c : kCases) {
    const Module m =
        parse(module_of(kParameters + std::string("  ROOT r = ") + c.instruction + "\n", kCalled), "x");
    const std::vector<Fault> faults = verify(m);
    ASSERT_LE(faults.size(), 1u) << c.instruction;
    EXPECT_EQ(faults.empty() ? "" : faults[0].message, c.message) << c.instruction;
  }
}

TEST(HloVerify, EveryRuleIsBrokenSomewhere) {
  std::set<void (*)(const Checked&)> broken;
  for (const Case& c : kCases) {
    const Module m =
        parse(module_of(kParameters + std::string("  ROOT r = ") + c.instruction + "\n", kCalled), "x");
    for (const Fault& fault : verify(m)) broken.insert(row(m[fault.instruction].opcode).rule);
  }
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    if (opcode == Opcode::kParameter || opcode == Opcode::kConstant)
      continue;  // what they say is what they are
    EXPECT_TRUE(broken.contains(row(opcode).rule)) << name(opcode);
  }
}

TEST(HloVerify, FaultsHaveTheirPlace) {
  const Module m = parse(
      "HloModule m\n\nENTRY main {\n  a = f32[2] parameter(0)\n  ROOT r = f32[3] negate(a)\n}\n", "f.hlo");
  try {
    require_valid(m);
    ADD_FAILURE() << "was taken for valid";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "f.hlo:5:8: expected f32[2] as result of negate, found f32[3]");
  }
}

}  // namespace
}  // namespace isomer::hlo
