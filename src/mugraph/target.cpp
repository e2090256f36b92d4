#include "mugraph/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "support/errors.h"
#include "support/hash.h"
#include "support/unknown_word.h"

namespace isomer::mugraph {

const Target& a100_target() {
  static const Target kTarget = {
      a100(), MemoryLimits{}, {{8, 16, 32, 64, 128, 256}, {4, 8, 16}, {4, 16, 64}, 32, 4096}};
  return kTarget;
}

Target cpu_target(const Cpu& cpu) {
  Target t;
  t.machine = machine::machine_of(cpu);
  t.memory.shared_bytes = cpu.l2_bytes;
  t.memory.iteration_bytes = cpu.l1_bytes;
  t.memory.device_bytes = int64_t{16} << 30;
  t.memory.register_bytes = cpu.vector_registers * cpu.vector_bytes;
  t.memory.element_bytes = 4;
  t.memory.shared_name = "L2 cache";
  t.choices = {{8, 16, 32, 64, 128, 256}, {4, 16, 64}, {4, 16, 64, 256}, 1, 4096};
  return t;
}

Target with_finer_choices(Target target) {
  constexpr int64_t kMostParts = 64, kLongestLoop = 1024, kWidestTile = 4096;
  const auto powers = [](int64_t from, int64_t to) {
    std::vector<int64_t> out;
    for (int64_t n = from; n <= to; n *= 2) out.push_back(n);
    return out;
  };
  ScheduleChoices& finer = target.finer.emplace(target.choices);
  finer.tile_extents = powers(1, kWidestTile);
  finer.parts = powers(2, kMostParts);
  finer.ranges.resize(kLongestLoop - 1);
  std::iota(finer.ranges.begin(), finer.ranges.end(), 2);
  return target;
}

std::span<const TargetChoice> target_choices() {
  const auto named = [](std::string_view device, Target (*make)()) {
    return TargetChoice{device, machine::find_device(device)->what, make};
  };
  static const TargetChoice kChoices[] = {named("a100", [] { return a100_target(); }),
                                          named("cpu", [] { return cpu_target({}); }),
                                          named("local", [] { return cpu_target(machine::this_cpu()); })};
  return kChoices;
}

Target target(std::string_view name) {
  const auto choices = target_choices();
  const auto at = std::ranges::find(choices, name, &TargetChoice::name);
  if (at != choices.end()) return at->make();
  std::vector<std::string> names;
  for (const TargetChoice& c : choices) names.emplace_back(c.name);
  throw unknown_word("target", name, names);
}

namespace {

std::string text_of(const ScheduleChoices& c) {
  return fmt::format("{} ; {} ; {} ; {} {}", fmt::join(c.tile_extents, ","), fmt::join(c.parts, ","),
                     fmt::join(c.ranges, ","), c.min_blocks, c.max_blocks);
}

}  // namespace

uint64_t target_number(const Target& t) {
  const Machine& m = t.machine;
  const MemoryLimits& l = t.memory;
  return hash_string(fmt::format(
      "{} {} {} {} {} {} {} / {} {} {} {} {} {} {} {} {} {} / {} {} {} {} {} {} / {}{}", m.name,
      m.multiprocessors, m.shared_bytes, m.block_shared_bytes, m.reserved_bytes, m.threads, m.blocks,
      m.device_bytes_per_second, m.l2_bytes_per_second, m.shared_bytes_per_second, m.l2_bytes_per_second_each,
      m.matmul_flops_per_second, m.fragment, m.flops_per_second, m.products_add, m.launch_seconds,
      m.load_seconds, m.barrier_seconds, l.shared_bytes, l.iteration_bytes, l.device_bytes, l.register_bytes,
      l.element_bytes, text_of(t.choices), t.finer ? " / " + text_of(*t.finer) : ""));
}

}  // namespace isomer::mugraph
