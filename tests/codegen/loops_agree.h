// Whether a graph's loops, after each step of code generation, compute what its evaluation computes.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "codegen/blocks.h"
#include "codegen/check.h"
#include "codegen/counts.h"
#include "codegen/fuse.h"
#include "codegen/generate.h"
#include "codegen/gpu_schedule.h"
#include "codegen/in_place.h"
#include "codegen/kernels.h"
#include "codegen/lower.h"
#include "codegen/on_stack.h"
#include "codegen/plain_images.h"
#include "codegen/run_loops.h"
#include "codegen/schedule.h"
#include "codegen/simplify.h"
#include "codegen/windows.h"
#include "eval/field.h"
#include "eval/float_domain.h"
#include "eval/run_text.h"
#include "ir/print.h"
#include "support/rng.h"

namespace isomer::codegen {

using Doubles = std::vector<eval::Value<double>>;

inline bool same_number(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}
inline bool same_number(const eval::FieldValue& a, const eval::FieldValue& b) { return a == b; }

/// Empty, or the first element that differs.
template <class Values>
std::string difference(const Values& a, const Values& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    const auto &x = *a[i].tensor, &y = *b[i].tensor;
    if (x.sizes != y.sizes || x.dtype != y.dtype) return fmt::format("result {} of another type", i);
    for (size_t k = 0; k < x.integers.size(); ++k)
      if (x.integers[k] != y.integers[k])
        return fmt::format("result {}, element {}: {} and {}", i, k, x.integers[k], y.integers[k]);
    for (size_t k = 0; k < x.numbers.size(); ++k)
      if (!same_number(x.numbers[k], y.numbers[k])) return fmt::format("result {}, element {}", i, k);
  }
  return a.size() == b.size() ? "" : "another number of results";
}

template <class D>
std::string runs_differently(D& domain, const ir::Graph& graph, const LoopProgram& program,
                             const std::vector<eval::Value<typename D::Number>>& inputs) {
  using Values = std::vector<eval::Value<typename D::Number>>;
  const Values expected =
      eval::evaluate(domain, graph, std::span<const eval::Value<typename D::Number>>(inputs));
  return difference(expected, LoopRunner<D>(domain, program).run(graph.context(), inputs));
}

/// Random elements for a graph's inputs, which are of floats.
inline std::vector<eval::Value<eval::FieldValue>> drawn_in_field(const ir::Graph& graph, Rng& rng) {
  std::vector<eval::Value<eval::FieldValue>> out;
  for (const ir::ValueId v : graph.inputs()) {
    eval::Tensor<eval::FieldValue> t{graph.type(v).dtype, ir::sizes(graph.type(v).shape), {}, {}};
    for (int64_t i = 0; i < t.count(); ++i) t.numbers.push_back(eval::PrimeField::from_hash(rng.next()));
    out.push_back(eval::make_value(std::move(t)));
  }
  return out;
}

/// The first loop that is such a one; null: none is.
template <class Is>
Loop* find_loop(std::vector<Statement>& body, Is&& is) {
  for (Statement& s : body)
    if (auto* loop = std::get_if<Loop>(&s.node)) {
      if (is(*loop)) return loop;
      if (Loop* inner = find_loop(loop->body, is)) return inner;
    }
  return nullptr;
}
/// A loop that waits for copies.
inline bool waits(const Loop& loop) { return loop.stages != 0 && loop.kind == LoopKind::kSerial; }

/// The steps up to schedules keep the order of sums.
struct Stage {
  const char* name;
  LoopProgram program;
  bool keeps_order;
};
inline std::vector<Stage> stages(const ir::Graph& graph, const ScheduleOptions& options) {
  std::vector<Stage> out;
  out.push_back({"lowered", lower(graph), true});
  out.push_back({"movement inlined", inline_movement(out.back().program), true});
  out.push_back({"simplified", simplify_indices(out.back().program), true});
  out.push_back({"counts apart", counts_apart(out.back().program), true});
  out.push_back({"written in place", simplify_indices(write_in_place(out.back().program)), true});
  out.push_back({"fused", fuse_loops(out.back().program), true});
  out.push_back({"shrunk", shrink_buffers(out.back().program), true});
  out.push_back({"groups apart", groups_apart(out.back().program), true});
  LoopProgram apart = out.back().program;
  const bool in_blocks = !images_stay_plain(apart, options);
  if (in_blocks)
    out.push_back({"images copied", images_copied(apart), true});
  else
    out.push_back({"columns filled", columns_filled(apart, options), true});
  out.push_back({"with borders", with_borders(out.back().program), true});
  if (in_blocks) out.push_back({"in blocks", block_channels(out.back().program, options), true});
  out.push_back({"scheduled", schedule(out.back().program, options), false});
  GpuOptions gpu;
  gpu.threads = 8;
  gpu.warp = 3;
  gpu.unrolled = 4;
  gpu.together = 2;
  gpu.blocks = gpu.busy = 1;
  gpu.tile = 8;
  gpu.depth = 2;
  out.push_back({"scheduled for a graphics processor", schedule_for_gpu(apart, gpu), false});
  GpuOptions split = gpu;
  split.blocks = 64;
  split.parts = 3;
  split.part_terms = 1;
  split.kernel_units = 0;
  out.push_back({"the same with sums in parts", schedule_for_gpu(std::move(apart), split), false});
  if (has_kernels(graph)) {
    out.push_back({"kernels as they say", generate(graph, options), false});
    out.push_back({"the same without a stack", within_stack(out.back().program, 0), false});
    std::vector<std::string> written_out;
    gpu.threads = 4;  // and parts without a rest, whose indices are easily told apart
    gpu.warp = 1;
    out.push_back(
        {"kernels as they say, on a graphics processor", generate_for_gpu(graph, gpu, &written_out), false});
    for (const std::string& why : written_out) ADD_FAILURE() << why;
  }
  return out;
}

template <class D>
std::string runs_differently_or_fails(D& domain, const ir::Graph& graph, const LoopProgram& program,
                                      const std::vector<eval::Value<typename D::Number>>& inputs) {
  try {
    return runs_differently(domain, graph, program, inputs);
  } catch (const InputError& e) {
    return e.what();
  }
}

/// The same over a prime field, of random elements.
inline std::string runs_as(const ir::Graph& graph, const LoopProgram& program) {
  Rng rng(3);
  eval::PrimeField field(5);
  return runs_differently_or_fails(field, graph, program, drawn_in_field(graph, rng));
}

/// By the schedules of a usual machine, or of another: empty, or what is wrong.
inline std::string scheduled_otherwise(const ir::Graph& graph,
                                       const ScheduleOptions& options = options_for({})) {
  const LoopProgram program = generate(graph, options);
  const std::string wrong = check(program);
  return wrong.empty() ? runs_as(graph, program) : wrong;
}

/// A machine of short vectors and little memory; a block may be as long as a square needs (transposes.h).
inline ScheduleOptions little(int64_t block = 2) {
  ScheduleOptions options;
  options.lanes = 2 * block;
  options.rows = 2;
  options.block = block;
  options.near_bytes = 256;
  options.far_bytes = 1024;
  return options;
}

/// Random elements for a graph's inputs.
inline Doubles drawn(const ir::Graph& graph, uint64_t seed) {
  Rng rng(seed);
  Doubles inputs;
  for (const ir::ValueId v : graph.inputs())
    inputs.push_back(
        eval::make_value(eval_test::random_tensor(graph.type(v).dtype, ir::sizes(graph.type(v).shape), rng)));
  return inputs;
}

/// Empty, or which step computes something else and where. `inputs` in double precision.
inline std::string disagreement(const ir::Graph& graph, const Doubles& inputs, uint64_t seed,
                                const ScheduleOptions& options = little()) {
  Rng rng(seed);
  eval::PrimeField field(rng.next());
  std::vector<eval::Value<eval::FieldValue>> in_field;
  for (const auto& value : inputs) {
    eval::Tensor<eval::FieldValue> t{value.tensor->dtype, value.tensor->sizes, {}, value.tensor->integers};
    for (size_t i = 0; i < value.tensor->numbers.size(); ++i)
      t.numbers.push_back(eval::PrimeField::from_hash(rng.next()));
    in_field.push_back(eval::make_value(std::move(t)));
  }
  for (const Stage& stage : stages(graph, options)) {
    if (const std::string wrong = check(stage.program); !wrong.empty())
      return fmt::format("{}: {}\n{}", stage.name, wrong, print(stage.program));
    eval::Float32 domain;  // in double precision a library may compute products
    if (stage.keeps_order)
      if (const std::string d = runs_differently_or_fails(domain, graph, stage.program, inputs); !d.empty())
        return fmt::format("{}: {}\n{}", stage.name, d, print(stage.program));
    if (const std::string d = runs_differently_or_fails(field, graph, stage.program, in_field); !d.empty())
      return fmt::format("{}, over a prime field: {}\n{}", stage.name, d, print(stage.program));
  }
  return {};
}

}  // namespace isomer::codegen
