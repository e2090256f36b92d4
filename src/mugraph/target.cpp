#include "mugraph/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "support/errors.h"
#include "support/hash.h"

namespace isomer::mugraph {

const Machine& a100() {
  static const Machine kMachine = [] {
    constexpr double kHertz = 1.41e9;
    Machine p;
    p.name = "a100";
    p.multiprocessors = 108;
    p.shared_bytes = 164 * 1024;
    p.block_shared_bytes = 163 * 1024;
    p.reserved_bytes = 1024;
    p.threads = 2048;
    p.blocks = 32;
    p.device_bytes_per_second = 1407.2e9;
    p.l2_bytes_per_second = 2007.9 * kHertz;
    p.l2_bytes_per_second_each = 64 * kHertz;
    p.shared_bytes_per_second = 108 * 128 * kHertz;
    p.matmul_flops_per_second = 312e12;
    p.fragment = 8;
    p.flops_per_second = 19.5e12;
    p.launch_seconds = 0.9e-6;
    p.load_seconds = 466.3 / kHertz;
    p.barrier_seconds = 29.0 / kHertz;
    return p;
  }();
  return kMachine;
}

const Target& a100_target() {
  static const Target kTarget = {
      a100(), MemoryLimits{}, {{8, 16, 32, 64, 128, 256}, {4, 8, 16}, {4, 16, 64}, 32, 4096}};
  return kTarget;
}

Cpu this_cpu() {
  Cpu out;
  out.name = "local";
  const auto tell = [](int what, int64_t& into) {
    if (const int64_t n = sysconf(what); n > 0) into = n;
  };
#ifdef _SC_LEVEL1_DCACHE_SIZE
  tell(_SC_LEVEL1_DCACHE_SIZE, out.l1_bytes);
  tell(_SC_LEVEL2_CACHE_SIZE, out.l2_bytes);
#endif
  if (const unsigned n = std::thread::hardware_concurrency(); n > 0) out.cores = static_cast<int>(n);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    out.vector_registers = 32;
    out.vector_bytes = 64;
  } else if (!__builtin_cpu_supports("avx2")) {
    out.vector_bytes = 16;
  }
#elif defined(__aarch64__)
  out.vector_registers = 32;
  out.vector_bytes = 16;
#endif
  return out;
}

Target cpu_target(const Cpu& cpu) {
  constexpr double kHertz = 3e9;
  const double cores = cpu.cores;
  Target t;
  Machine& m = t.machine;
  m.name = cpu.name;
  m.processor = "core";
  m.near_memory = "its caches";
  m.multiprocessors = cpu.cores;
  m.shared_bytes = m.block_shared_bytes = cpu.l2_bytes;
  m.threads = std::numeric_limits<int>::max();
  m.blocks = 1;
  m.device_bytes_per_second = std::min(cores * 20e9, 51.2e9);
  m.l2_bytes_per_second_each = 32 * kHertz;
  m.l2_bytes_per_second = cores * m.l2_bytes_per_second_each;
  m.shared_bytes_per_second = cores * 64 * kHertz;
  m.matmul_flops_per_second = cores * 32 * kHertz;
  m.flops_per_second = cores * 16 * kHertz;
  m.products_add = true;  // its last operation is one that adds
  m.launch_seconds = 2e-6;
  m.load_seconds = 90e-9;
  t.memory.shared_bytes = cpu.l2_bytes;
  t.memory.iteration_bytes = cpu.l1_bytes;
  t.memory.device_bytes = int64_t{16} << 30;
  t.memory.register_bytes = cpu.vector_registers * cpu.vector_bytes;
  t.memory.element_bytes = 4;
  t.memory.shared_name = "L2 cache";
  t.choices = {{8, 16, 32, 64, 128, 256}, {4, 16, 64}, {4, 16, 64, 256}, 1, 4096};
  return t;
}

std::span<const TargetChoice> target_choices() {
  static const TargetChoice kChoices[] = {
      {"a100", "a GPU", [] { return a100_target(); }},
      {"cpu", "a CPU of 8 cores", [] { return cpu_target({}); }},
      {"local", "the CPU that this runs on", [] { return cpu_target(this_cpu()); }}};
  return kChoices;
}

Target target(std::string_view name) {
  const auto choices = target_choices();
  const auto at = std::ranges::find(choices, name, &TargetChoice::name);
  if (at != choices.end()) return at->make();
  std::vector<std::string_view> names;
  for (const TargetChoice& c : choices) names.push_back(c.name);
  throw UsageError(fmt::format("target {}: expected one of {}", name, fmt::join(names, ", ")));
}

uint64_t target_number(const Target& t) {
  const Machine& m = t.machine;
  const MemoryLimits& l = t.memory;
  const ScheduleChoices& c = t.choices;
  return hash_string(fmt::format(
      "{} {} {} {} {} {} {} / {} {} {} {} {} {} {} {} {} {} / {} {} {} {} {} {} / {} ; {} ; {} ; {} {}",
      m.name, m.multiprocessors, m.shared_bytes, m.block_shared_bytes, m.reserved_bytes, m.threads, m.blocks,
      m.device_bytes_per_second, m.l2_bytes_per_second, m.shared_bytes_per_second, m.l2_bytes_per_second_each,
      m.matmul_flops_per_second, m.fragment, m.flops_per_second, m.products_add, m.launch_seconds,
      m.load_seconds, m.barrier_seconds, l.shared_bytes, l.iteration_bytes, l.device_bytes, l.register_bytes,
      l.element_bytes, fmt::join(c.tile_extents, ","), fmt::join(c.parts, ","), fmt::join(c.ranges, ","),
      c.min_blocks, c.max_blocks));
}

}  // namespace isomer::mugraph
