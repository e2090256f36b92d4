// Bodies with a schedule (schedule.h): what the blocks of a kernel do to tiles, and what the threads of a
// block do to parts of them. One declaration, at two levels.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/kernel.h"
#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"
#include "ir/ops/regions.h"

namespace isomer::ir::ops {
namespace {

constexpr int64_t kMostSteps = int64_t{1} << 40;  // blocks times iterations

std::string text(const Sizes& s) { return fmt::format("[{}]", fmt::join(s, ",")); }

std::string check_lists(const OpInstance& op, const Graph& body) {
  for (const char* name : {"grid", "threads"})
    if (auto bad = check_count(op, name, 3); !bad.empty()) return bad;
  if (op.ints("loops").empty()) return "expected a loop";
  if (auto bad = check_count(op, "imap", 3 * op.inputs.size()); !bad.empty()) return bad;
  if (auto bad = check_count(op, "fmap", op.ints("loops").size() * op.inputs.size()); !bad.empty())
    return bad;
  if (auto bad = check_count(op, "omap", 3 * body.outputs().size()); !bad.empty()) return bad;
  int64_t steps = 1;
  for (const char* name : {"grid", "loops"})
    for (int64_t n : op.ints(name)) {
      if (n < 1 || n > kMostSteps / steps) return fmt::format("expected {} from 1 on, got {}", name, n);
      steps *= n;
    }
  for (int64_t n : op.ints("threads"))
    if (n < 1) return fmt::format("expected threads from 1 on, got {}", n);
  for (const char* name : {"imap", "fmap", "omap"})
    for (int64_t n : op.ints(name))
      if (n < kWhole || n > 64) return fmt::format("expected dimensions (or -1) in {}, got {}", name, n);
  return {};
}

/// That the body's inputs are the tiles that the schedule cuts the operands into.
std::string check_tiles(const OpInstance& op, const Graph& body, const Schedule& schedule) {
  if (body.inputs().size() != op.inputs.size())
    return fmt::format("the body takes {} operands, not {}", body.inputs().size(), op.inputs.size());
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (!op.type(i).is_static_tensor())
      return fmt::format("operand {}: expected a tensor of known sizes, got {}", i,
                         print(op.ctx, op.inputs[i]));
    const auto& [imap, fmap] = schedule.inputs[i];
    const SizesOrError tile = cut_tile(op.in_sizes(i), schedule.grid, schedule.loops, imap, fmap);
    if (!tile) return fmt::format("input {}: {}", i, tile.error);
    const Type& is = body.type(body.inputs()[i]);
    if (is.dtype != op.in_dtype(i) || !is.is_static_tensor() || sizes(is.shape) != tile.sizes)
      return fmt::format("input {}: expected a tile {}, got {}", i, text(tile.sizes),
                         print(op.ctx, body.type_id(body.inputs()[i])));
  }
  return {};
}

Inferred kernel_type(const OpInstance& op, Levels level) {
  const Graph& body = body_of(op);
  if (body.outputs().empty()) return Inferred::fail("no output");
  if (auto bad = check_lists(op, body); !bad.empty()) return Inferred::fail(bad);
  const Schedule schedule = schedule_of(op);
  if (auto bad = check_tiles(op, body, schedule); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_body(body, schedule, level); !bad.empty()) return Inferred::fail(bad);
  std::vector<TypeId> types;
  for (size_t o = 0; o < body.outputs().size(); ++o) {
    const Type& tile = body.type(body.outputs()[o]);
    if (!tile.is_static_tensor()) return Inferred::fail(fmt::format("output {}: expected a tile", o));
    const SizesOrError whole = joined_tiles(sizes(tile.shape), schedule.grid, schedule.omaps[o]);
    if (!whole) return Inferred::fail(fmt::format("output {}: {}", o, whole.error));
    types.push_back(op.ctx.tensor_type(tile.dtype, static_shape(whole.sizes)));
  }
  return several(op, std::move(types));
}

AttrSpec list_attr(std::string name, std::vector<int64_t> fallback, AttrRole role = AttrRole::kPlain) {
  return {.name = std::move(name), .kind = AttrKind::kInts, .fallback = std::move(fallback), .role = role};
}

OpDef scheduled(const char* name, const char* doc, Levels own, Levels of_body) {
  const std::vector<int64_t> one = {1, 1, 1};
  OpDef def = operation(name, MeaningKind::kComposite, 1, -1, doc,
                        {region_attr("body", AttrRole::kBody), list_attr("grid", one, AttrRole::kGrid),
                         list_attr("threads", {128, 1, 1}), list_attr("loops", {1}), ints_attr("imap"),
                         ints_attr("fmap"), ints_attr("omap"), int_attr("width", 64)});
  def.infer = [of_body](const OpInstance& op) { return kernel_type(op, of_body); };
  def.expand = [](Builder& b, const OpInstance& op, std::span<const ValueId> in) {
    return several(b, write_out(b, body_of(op), schedule_of(op), in));
  };
  def.levels = own;
  return def;
}

}  // namespace

void register_kernel(OpTable& table) {
  table.add(
      scheduled("kernel",
                "What the blocks of a grid do: `body`, a graph of tiles, `loops` times each; a tuple of "
                "several outputs. imap (3 for each operand: by grid dimension), fmap (one for each "
                "operand and loop), omap (3 for each output): the dimension that is cut, or -1.",
                kGraphLevel | kKernelLevel, kBlockLevel));
  table.add(scheduled("threads",
                      "What the threads of a block do to tiles: as `kernel`, with `grid` threads whose tiles "
                      "lie in registers.",
                      kBlockLevel, kThreadLevel));
}

}  // namespace isomer::ir::ops
