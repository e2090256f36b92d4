#include "codegen/gpu_block.h"

#include <algorithm>
#include <utility>

#include "codegen/accesses.h"
#include "codegen/check.h"
#include "codegen/gpu_block_product.h"
#include "codegen/gpu_block_rows.h"
#include "codegen/make_loops.h"
#include "codegen/product_nest.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;
using ir::ScalarOp;

/// A value that combines alone: three statements around no loop of space. As one, of one row.
std::vector<Statement> rows_of_one(LoopProgram& program, std::vector<Statement> body) {
  std::vector<Statement> out;
  for (size_t i = 0; i < body.size(); ++i) {
    const auto* start = std::get_if<Store>(&body[i].node);
    const bool alone = start != nullptr && i + 2 < body.size() &&
                       std::holds_alternative<Loop>(body[i + 1].node) &&
                       std::holds_alternative<Store>(body[i + 2].node) &&
                       uses_of(body[i + 1]).contains(start->target.buffer) &&
                       uses_of(body[i + 2]).contains(start->target.buffer);
    if (!alone) {
      out.push_back(std::move(body[i]));
      continue;
    }
    std::vector<Statement> row;
    for (size_t k = 0; k < 3; ++k) row.push_back(std::move(body[i + k]));
    out.push_back({make_loop(add_variable(program, "o"), 0, 1, LoopKind::kSerial, std::move(row))});
    i += 2;
  }
  return out;
}

class BlockScheduling {
 public:
  BlockScheduling(LoopProgram tiles, const std::set<int>& in_shared,
                  const std::map<int, ir::Combiner>& combine, const GpuOptions& options)
      : program_(std::move(tiles)), in_shared_(in_shared), combine_(combine), options_(options) {}

  BlockProgram run() {
    const std::vector<Statement> body = rows_of_one(program_, std::move(program_.body));
    program_.body.clear();
    for (const Statement& s : body) {
      BlockSteps steps = scheduled(s, body);
      std::ranges::move(steps.before, std::back_inserter(all_.before));
      std::ranges::move(steps.each, std::back_inserter(all_.each));
      std::ranges::move(steps.after, std::back_inserter(all_.after));
    }
    BlockProgram out;
    out.before = all_.before.size();
    out.each = all_.each.size();
    for (auto* part : {&all_.before, &all_.each, &all_.after})
      std::ranges::move(*part, std::back_inserter(program_.body));
    out.program = std::move(program_);
    out.combined = std::move(combined_);
    return out;
  }

 private:
  BlockSteps scheduled(const Statement& s, const std::vector<Statement>& beside) {
    std::optional<BlockSteps> steps;
    const auto* loop = std::get_if<Loop>(&s.node);
    const auto nest = loop != nullptr ? combining_nest(program_, *loop) : std::nullopt;
    if (nest) {
      const int result = result_of(s);
      const auto combine = combine_.find(result);
      const bool later = combine != combine_.end() && may_finish_later(program_, *nest, combine->second);
      steps = block_product(program_, *loop, in_shared_, later, options_);
      if (!steps) steps = block_rows(program_, *nest, later, options_);
      if (steps && later) combined_.insert(result);
      if (steps) return by_threads(std::move(*steps), beside);
    }
    return by_element(s, beside);
  }

  /// What is left of loops in it.
  BlockSteps by_threads(BlockSteps steps, const std::vector<Statement>& beside) {
    for (auto* part : {&steps.before, &steps.each, &steps.after}) {
      std::vector<Statement> out;
      for (Statement& s : *part) {
        const auto* loop = std::get_if<Loop>(&s.node);
        if (loop == nullptr || loop->kind != LoopKind::kSerial || !starts_at_zero(*loop) || in_threads(*loop))
          out.push_back(std::move(s));
        else
          std::ranges::move(in_threads_of_block(program_, std::move(s), beside, options_),
                            std::back_inserter(out));
      }
      *part = std::move(out);
    }
    return steps;
  }
  static bool in_threads(const Loop& loop) {
    return std::ranges::any_of(loop.body, [](const Statement& s) {
      const auto* inner = std::get_if<Loop>(&s.node);
      return inner != nullptr && (inner->kind == LoopKind::kThread || in_threads(*inner));
    });
  }

  /// A nest whose elements do not wait for each other; where it gives what is combined, each iteration does.
  BlockSteps by_element(const Statement& s, const std::vector<Statement>& beside) {
    BlockSteps out;
    const auto threads = [&](Statement of) {
      return in_threads_of_block(program_, std::move(of), beside, options_);
    };
    Statement each = s;
    const auto combine = combine_.find(result_of(s));
    if (Store* store = combine != combine_.end() ? only_store_of(each) : nullptr;
        store != nullptr && !store->combine) {
      Statement start = s;
      Store& first = *only_store_of(start);
      first.value = identity_program(first.value.sort, combine->second);
      first.reads.clear();
      first.places.clear();
      store->combine = combine->second;
      out.before = threads(std::move(start));
      combined_.insert(combine->first);
    }
    out.each = threads(std::move(each));
    return out;
  }
  static Store* only_store_of(Statement& s) {
    auto* loop = std::get_if<Loop>(&s.node);
    return loop != nullptr ? only_store(*loop) : std::get_if<Store>(&s.node);
  }
  /// The buffer that the nest is for.
  int result_of(const Statement& s) const {
    for (const auto& [b, uses] : uses_of(s))
      if (uses.written && program_.buffers[static_cast<size_t>(b)].memory != Memory::kPrivate) return b;
    return -1;
  }

  LoopProgram program_;
  const std::set<int>& in_shared_;
  const std::map<int, ir::Combiner>& combine_;
  const GpuOptions& options_;
  BlockSteps all_;
  std::set<int> combined_;
};

}  // namespace

std::optional<CombiningNest> combining_nest(const LoopProgram& program, const Loop& top) {
  const Chain chain = chain_of(top);
  CombiningNest out;
  out.space = chain.loops;
  out.reduce = reductions_of(program, chain.inner(), 1);
  if (out.reduce.empty() ||
      !std::ranges::all_of(chain.loops, [](const Loop* l) { return starts_at_zero(*l); }))
    return std::nullopt;
  out.combine = only_store(*only_loop(chain.inner()));
  const Buffer& sum = program.buffers[static_cast<size_t>(out.combine->target.buffer)];
  if (sum.memory != Memory::kPrivate || !sum.sizes.empty() || !out.combine->target.bounds.empty())
    return std::nullopt;
  stores_around(chain.inner(), out.before, out.after);
  return out;
}

bool may_finish_later(const LoopProgram& program, const CombiningNest& nest, ir::Combiner combine) {
  const auto is_sum = [&](const Access& a) { return a.buffer == nest.combine->target.buffer; };
  if (nest.combine->combine != combine || nest.before.size() != 1 || nest.after.size() != 1) return false;
  const Store &first = nest.before[0], &last = nest.after[0];
  const auto& start = first.value.code;
  const auto identity = identity_program(first.value.sort, combine).code;
  if (!is_sum(first.target) || start.size() != 1 || start[0].op != identity[0].op ||
      start[0].value != identity[0].value || start[0].integer != identity[0].integer)
    return false;
  if (last.combine || program.buffers[static_cast<size_t>(last.target.buffer)].memory == Memory::kPrivate)
    return false;
  // A multiple of the sum; of a maximum, itself.
  const auto& code = last.value.code;
  const auto is_number = [&](int32_t at) { return code[static_cast<size_t>(at)].op == ScalarOp::kConst; };
  int reads = 0;
  for (const auto& in : code) switch (in.op) {
      case ScalarOp::kRead:
        if (!is_sum(last.reads[static_cast<size_t>(in.index)])) return false;
        ++reads;
        break;
      case ScalarOp::kConst:
      case ScalarOp::kCast: break;
      case ScalarOp::kMul:
        if (!is_number(in.a) && !is_number(in.b)) return false;
        break;
      case ScalarOp::kDiv:
        if (!is_number(in.b)) return false;
        break;
      default: return false;
    }
  const bool scaled = std::ranges::any_of(
      code, [](const auto& in) { return in.op == ScalarOp::kMul || in.op == ScalarOp::kDiv; });
  return reads == 1 && (!scaled || combine == ir::Combiner::kSum);
}

BlockProgram block_program(LoopProgram tiles, const std::set<int>& in_shared,
                           const std::map<int, ir::Combiner>& combine, const GpuOptions& options) {
  return BlockScheduling(std::move(tiles), in_shared, combine, options).run();
}

std::vector<int64_t> spread_over_banks(std::vector<int64_t> sizes, ir::DType dtype) {
  constexpr int64_t kBytes = 16;
  const int64_t together = std::max<int64_t>(1, kBytes / ir::byte_size(dtype, 1));
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < sizes.size(); ++d) rows *= sizes[d];
  if (rows > 1 && sizes.back() > 1)
    sizes.back() = (sizes.back() + together - 1) / together * together + together;
  return sizes;
}

}  // namespace isomer::codegen
