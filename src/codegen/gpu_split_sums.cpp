#include "codegen/gpu_split_sums.h"

#include <algorithm>
#include <optional>

#include "codegen/accesses.h"
#include "codegen/gpu_product_nest.h"
#include "codegen/gpu_products.h"
#include "codegen/gpu_tensor.h"
#include "codegen/make_loops.h"
#include "codegen/product_nest.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

class Splitting {
 public:
  Splitting(LoopProgram& program, const Chain& chain, std::span<const int64_t> extents,
            const GpuOptions& options)
      : program_(program),
        chain_(chain),
        reduce_(reductions_of(program, chain.inner(), 1)),
        extents_(extents),
        options_(options) {}

  std::vector<Loop> run() {
    if (reduce_.empty()) return {};
    sum_ = only_store(*only_loop(chain_.inner()));
    if (!stands_alone()) return {};
    const int64_t parts = how_many();
    if (parts <= 1) return {};
    part_ = add_variable(program_, "p");
    Buffer b = buffer(sum_->target);
    b.name = "parts" + std::to_string(program_.buffers.size());
    b.memory = Memory::kScratch;
    b.sizes = {parts};
    for (const Loop* l : chain_.loops) b.sizes.push_back(l->end.value());
    parts_ = static_cast<int>(program_.buffers.size());
    program_.buffers.push_back(std::move(b));
    std::vector<Loop> out;
    out.push_back(of_parts(parts));
    out.push_back(of_result(parts));
    return out;
  }

 private:
  const Buffer& buffer(const Access& a) const { return program_.buffers[static_cast<size_t>(a.buffer)]; }

  /// Whether the terms are of memory alone, and their sum is one value of the iteration.
  bool stands_alone() const {
    if (sum_->combine == ir::Combiner::kStep || buffer(sum_->target).memory != Memory::kPrivate ||
        !sum_->target.index.empty())
      return false;
    return std::ranges::none_of(reads_of(*sum_), [&](int r) {
      const Access& a = sum_->reads[static_cast<size_t>(r)];
      return buffer(a).memory == Memory::kPrivate || loads(a);
    });
  }

  /// Blocks that there are, and how many would run at once.
  struct Filling {
    int64_t blocks = 1, at_once = 1;
  };
  /// `cores`: of a product that tensor cores multiply.
  Filling filling(const std::optional<BlocksOf>& cores) const {
    constexpr int64_t kOfMultiprocessor = 8;  // blocks of 256 threads, which mostly wait for memory
    int64_t results = iterations(chain_.loops);
    if (cores) return {cores->blocks, options_.blocks * cores->beside};
    const int last = chain_.loops.back()->variable;
    const bool in_columns = std::ranges::any_of(operands_of(program_, *sum_), [&](int r) {
      return stride(program_, sum_->reads[static_cast<size_t>(r)], last, extents_) == 1;
    });
    if (in_columns) results = (results + options_.warp - 1) / options_.warp;
    return {results, options_.blocks * kOfMultiprocessor};
  }

  /// Whether there are so many parts of one length, none of them short.
  bool may_have(int64_t parts) const {
    const int64_t cut = reduce_[0]->end.value(), terms = iterations(reduce_), each = terms / parts;
    if (cut % parts != 0 || each < options_.part_terms) return false;
    constexpr int64_t kSlice = 64;  // of tiles: parts of whole ones, where the sum is one of whole ones
    return terms % kSlice != 0 || each % kSlice == 0;
  }
  /// As many as fill the processor; of products by threads, as many as they are fastest in.
  int64_t how_many() const {
    const auto product = product_of(program_, *chain_.loops[0], chain_.loops.size());
    const auto cores = product ? blocks_by_tensor_cores(program_, *product, options_) : std::nullopt;
    const bool by_threads = product && !cores;
    int64_t most = std::min(reduce_[0]->end.value(), options_.parts);
    if (!by_threads) {
      const Filling f = filling(cores);
      most = std::min(most, f.at_once / std::max<int64_t>(f.blocks, 1));
    }
    const auto units_in = [&](int64_t parts) {
      return by_threads ? units_of_product(*product, options_, parts) : 0;
    };
    // Where no formula says so: whether the sum becomes so much shorter that a second kernel pays.
    const auto pays = [&](int64_t parts) {
      const int64_t terms = iterations(reduce_);
      return by_threads || terms - terms / parts >= 2 * options_.part_terms;
    };
    int64_t best = 1;
    double least = units_in(1);
    for (int64_t parts = 2; parts <= most; ++parts) {
      if (!may_have(parts) || !pays(parts)) continue;
      const double units = units_in(parts);
      if (units > least) continue;
      least = units;
      best = parts;
    }
    return best;
  }

  Access part_of_result() const {
    std::vector<IndexExpr> index = {IndexExpr::var(part_)};
    for (const Loop* l : chain_.loops) index.push_back(IndexExpr::var(l->variable));
    return access_of(parts_, std::move(index));
  }
  Loop in_chain(std::vector<Statement> body) const {
    for (size_t i = chain_.loops.size(); i-- > 0;)
      body = one({make_loop(chain_.loops[i]->variable, 0, chain_.loops[i]->end, LoopKind::kSerial,
                            std::move(body))});
    return std::get<Loop>(std::move(body[0].node));
  }

  /// Each part's terms, to memory.
  Loop of_parts(int64_t parts) {
    const Buffer& sum = buffer(sum_->target);
    const Access own = access_of(add_private(program_, sum.name + "_", sum.dtype, {}), {});
    Store start;
    start.target = own;
    start.value = identity_program(sum_->value.sort, *sum_->combine);
    Store step = *sum_;
    step.target = own;
    const int64_t each = reduce_[0]->end.value() / parts;
    const int in_part = add_variable(program_, "k");
    const IndexExpr term = IndexExpr::var(part_) * each + IndexExpr::var(in_part);
    std::vector<Statement> terms = one({std::move(step)});
    substitute(terms, [&](int v) { return v == reduce_[0]->variable ? term : IndexExpr::var(v); });
    for (size_t i = reduce_.size(); i-- > 1;)
      terms = one({make_loop(reduce_[i]->variable, 0, reduce_[i]->end, LoopKind::kSerial, std::move(terms))});
    terms = one({make_loop(in_part, 0, each, LoopKind::kSerial, std::move(terms))});
    Store keep;
    keep.target = part_of_result();
    keep.reads = {own};
    keep.value = read_program(sum_->value.sort, 0);
    std::vector<Statement> body = one({std::move(start)});
    body.push_back(std::move(terms[0]));
    body.push_back({std::move(keep)});
    return make_loop(part_, 0, parts, LoopKind::kSerial, one({in_chain(std::move(body))}));
  }

  /// The nest, of parts in place of terms.
  Loop of_result(int64_t parts) const {
    Store gather;
    gather.target = sum_->target;
    gather.combine = sum_->combine;
    gather.reads = {part_of_result()};
    gather.value = read_program(sum_->value.sort, 0);
    std::vector<Statement> body;
    for (const Statement& s : chain_.inner())
      if (std::holds_alternative<Store>(s.node))
        body.push_back(s);
      else
        body.push_back({make_loop(part_, 0, parts, LoopKind::kSerial, one({gather}))});
    return in_chain(std::move(body));
  }

  LoopProgram& program_;
  const Chain& chain_;
  const std::vector<const Loop*> reduce_;
  const std::span<const int64_t> extents_;
  const GpuOptions& options_;
  const Store* sum_ = nullptr;
  int part_ = -1, parts_ = -1;  // variable, buffer
};

}  // namespace

std::vector<Loop> split_sum(LoopProgram& program, const Loop& top, size_t parallel,
                            std::span<const int64_t> extents, const GpuOptions& options) {
  const Chain chain = chain_of(top);
  if (chain.loops.size() != parallel ||
      !std::ranges::all_of(chain.loops, [](const Loop* l) { return starts_at_zero(*l); }))
    return {};
  return Splitting(program, chain, extents, options).run();
}

}  // namespace isomer::codegen
