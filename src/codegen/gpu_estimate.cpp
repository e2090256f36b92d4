#include "codegen/gpu_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "codegen/accesses.h"
#include "codegen/gpu_places.h"
#include "codegen/parts.h"
#include "ir/scalar_table.h"

namespace isomer::codegen {
namespace {

/// What a block does.
struct BlockWork {
  double loaded = 0;  ///< bytes, from and to memory
  double tensor = 0, group = 0, flops = 0;
  double near = 0;   ///< bytes, from and to shared memory
  double steps = 0;  ///< iterations one after the other that wait for memory or for other threads
};

class Kernel {
 public:
  Kernel(const LoopProgram& program, const machine::Gpu& gpu)
      : program_(program),
        limits_(gpu.limits),
        rates_(gpu.fitted),
        extents_(extents_of(program)),
        places_(places_of(program)) {}

  double seconds() {
    const std::vector<Statement>* body = &program_.body;
    while (body->size() == 1) {
      const auto* loop = std::get_if<Loop>(&body->front().node);
      if (loop == nullptr || loop->kind != LoopKind::kParallel) break;
      blocks_ *= trips(*loop);
      body = &loop->body;
    }
    statements(*body, 1, -1);
    return rates_.launch_seconds + std::max({memory(), multiprocessor(), waiting()});
  }

 private:
  /// Of an end that depends on other loops: as if all threads of a block had something to do, or once.
  double trips(const Loop& loop) const {
    using Kind = ir::IndexExpr::Kind;
    if (loop.begin.kind() == Kind::kConst && loop.end.kind() == Kind::kConst)
      return static_cast<double>(std::max<int64_t>(0, loop.end.value() - loop.begin.value()));
    return loop.kind == LoopKind::kThread ? static_cast<double>(places_.threads) : 1;
  }

  /// `thread`: the variable of neighbouring threads; -1: outside of their loops.
  void statements(const std::vector<Statement>& body, double times, int thread) {
    for (const Statement& s : body)
      if (const auto* loop = std::get_if<Loop>(&s.node))
        inside(*loop, times, thread);
      else
        store(std::get<Store>(s.node), times, thread);
  }
  void inside(const Loop& loop, double times, int thread) {
    if (loop.kind == LoopKind::kTensor || loop.kind == LoopKind::kWarpgroup) return together(loop, times);
    if (loop.kind == LoopKind::kThread) thread = loop.variable;
    const double all = times * trips(loop);
    if (loop.kind == LoopKind::kSerial) one_after_the_other(loop, all);
    const bool outside = std::exchange(in_piece_, loop.kind == LoopKind::kCopied);
    statements(loop.body, all, thread);
    in_piece_ = outside;
  }
  /// With copies ahead as many steps run at once as there are stages; where threads do not meet, what each
  /// reads of coming ones.
  void one_after_the_other(const Loop& loop, double all) {
    constexpr double kReadAhead = 8;
    if (loop.stages > 2) {
      work_.steps += all / static_cast<double>(loop.stages - 1);
      return;
    }
    bool meet = false, reads = false;
    for (const auto& [buffer, uses] : uses_of(loop.body)) {
      const Place place = places_.of[static_cast<size_t>(buffer)];
      meet = meet || (place == Place::kShared && uses.written);
      reads = reads || place == Place::kGlobal;
    }
    if (meet || reads) work_.steps += meet ? all : all / kReadAhead;
  }
  /// An instruction's products, or pieces that it moves within a multiprocessor.
  void together(const Loop& loop, double times) {
    const Loop* at = &loop;
    while (const auto* inner = std::get_if<Loop>(&at->body[0].node)) {
      times *= trips(*at);
      at = inner;
    }
    times *= trips(*at);
    constexpr double kMultiplyAndAdd = 2;
    const Store& s = std::get<Store>(at->body[0].node);
    if (!s.combine) return touch(s.reads[0], times, -1);
    (loop.kind == LoopKind::kTensor ? work_.tensor : work_.group) += times * kMultiplyAndAdd;
  }
  void store(const Store& s, double times, int thread) {
    touch(s.target, times, thread);
    for (const int r : reads_of(s)) touch(s.reads[static_cast<size_t>(r)], times, thread);
    double flops = s.combine ? 1 : 0;
    for (const auto& in : s.value.code) flops += ir::row(in.op).flops;
    work_.flops += times * flops;
  }
  void touch(const Access& a, double times, int thread) {
    const Place place = places_.of[static_cast<size_t>(a.buffer)];
    const Buffer& b = program_.buffers[static_cast<size_t>(a.buffer)];
    const auto each = static_cast<double>(ir::byte_size(b.dtype, 1));
    if (place == Place::kShared) {
      constexpr double kTogether = 8;  // threads that read one element at once
      const bool one = thread >= 0 && !mentions(a, thread);
      work_.near += times * each / (one ? kTogether : 1);
    }
    if (place != Place::kGlobal) return;
    touched_.insert(a.buffer);
    const auto apart = thread < 0 ? std::nullopt : stride(program_, a, thread, extents_);
    constexpr double kSector = 32;  // bytes that memory moves at least
    const bool scattered = apart && static_cast<double>(std::abs(*apart)) * each >= kSector;
    const double moved = in_piece_ ? each * 2 : kSector / 2;
    work_.loaded += times * (scattered ? moved : each);
  }

  /// Each tensor once, if blocks touch all of it, and what all blocks load.
  double memory() const {
    const double all = work_.loaded * blocks_;
    double once = 0;
    for (const int b : touched_) {
      const Buffer& buffer = program_.buffers[static_cast<size_t>(b)];
      once += static_cast<double>(ir::byte_size(buffer.dtype, buffer.count()));
    }
    return std::max(std::min(once, all) / rates_.memory_bytes, all / rates_.loaded_bytes);
  }
  /// Of the one with the most blocks: the unit that has most to do.
  double multiprocessor() const {
    const double most = std::ceil(blocks_ / static_cast<double>(limits_.multiprocessors));
    return most * static_cast<double>(limits_.multiprocessors) *
           std::max({work_.loaded / rates_.loaded_bytes, work_.near / rates_.near_bytes,
                     work_.tensor / rates_.tensor_flops + work_.group / rates_.group_flops,
                     work_.flops / rates_.flops});
  }
  /// Steps of blocks, of which those run at once that a multiprocessor has room for.
  double waiting() const {
    const int64_t shared = limits_.block_shared_bytes / std::max<int64_t>(1, places_.shared_bytes);
    const int64_t at_once =
        std::max<int64_t>(1, std::min({int64_t{limits_.blocks}, limits_.threads / places_.threads, shared}));
    const double waves = std::ceil(blocks_ / static_cast<double>(limits_.multiprocessors * at_once));
    return waves * work_.steps * rates_.step_seconds;
  }

  const LoopProgram& program_;
  const machine::GpuLimits& limits_;
  const machine::FittedRates& rates_;
  const std::vector<int64_t> extents_;
  const Places places_;
  double blocks_ = 1;
  BlockWork work_;
  std::set<int> touched_;  // tensors in memory
  bool in_piece_ = false;  // of 16 bytes that are copied together
};

}  // namespace

std::vector<double> gpu_seconds_each(const LoopProgram& program, const machine::Gpu& gpu) {
  std::vector<double> out;
  for (const Part& part : in_parts(program).parts)
    if (!part.at_load) out.push_back(Kernel(part.program, gpu).seconds());
  return out;
}
double gpu_seconds(const LoopProgram& program, const machine::Gpu& gpu) {
  const std::vector<double> each = gpu_seconds_each(program, gpu);
  return std::accumulate(each.begin(), each.end(), gpu.fitted.run_seconds);
}

}  // namespace isomer::codegen
