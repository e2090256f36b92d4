#include "codegen/gpu_product_nest.h"

#include <algorithm>
#include <utility>

#include "codegen/accesses.h"
#include "codegen/product_nest.h"

namespace isomer::codegen {

using ir::ScalarOp;

namespace {

/// Whether of zeros it is zero: products of casts of reads.
bool multiplies(const meaning::ScalarProgram& value) {
  const auto products =
      std::ranges::count_if(value.code, [](const auto& in) { return in.op == ScalarOp::kMul; });
  return products == 1 && value.code.back().op == ScalarOp::kMul &&
         std::ranges::all_of(value.code, [](const auto& in) {
           return in.op == ScalarOp::kMul || in.op == ScalarOp::kRead || in.op == ScalarOp::kCast ||
                  in.op == ScalarOp::kToNumber;
         });
}

}  // namespace

int64_t iterations(const std::vector<const Loop*>& loops) {
  int64_t out = 1;
  for (const Loop* l : loops) out *= l->end.value();
  return out;
}

bool mentions_any(const Access& a, const std::vector<const Loop*>& loops) {
  return std::ranges::any_of(loops, [&](const Loop* l) { return mentions(a, l->variable); });
}

std::optional<Product> product_of(const LoopProgram& program, const Loop& top, size_t parallel,
                                  bool vectors) {
  const Chain chain = chain_of(top);
  if (chain.loops.size() != parallel) return std::nullopt;
  Product out;
  for (const Loop* l : reductions_of(program, chain.inner(), 2)) out.reduce.push_back(l);
  if (out.reduce.empty()) return std::nullopt;
  stores_around(chain.inner(), out.before, out.after);
  out.combine = only_store(*only_loop(chain.inner()));
  const Store& s = *out.combine;
  const std::vector<int> reads = reads_of(s);
  const bool is_private = program.buffers[static_cast<size_t>(s.target.buffer)].memory == Memory::kPrivate;
  if (s.combine != ir::Combiner::kSum || !multiplies(s.value) || reads.size() != 2 || !is_private ||
      mentions_any(s.target, out.reduce) || operands_of(program, s).size() != 2)
    return std::nullopt;
  for (const int r : reads) {
    const Access& a = s.reads[static_cast<size_t>(r)];
    if (loads(a) || (!a.bounds.empty() && a.fill != 0)) return std::nullopt;
  }
  out.left = reads[0];
  out.right = reads[1];
  const auto of = [&](int read, const Loop* l) {
    return mentions(s.reads[static_cast<size_t>(read)], l->variable);
  };
  // Columns are what the innermost loop goes through that one operand alone depends on.
  for (size_t i = chain.loops.size(); i-- > 0;) {
    const Loop* l = chain.loops[i];
    if (of(out.left, l) == of(out.right, l)) continue;
    if (of(out.left, l)) std::swap(out.left, out.right);
    break;
  }
  for (const Loop* l : chain.loops) {
    const bool left = of(out.left, l), right = of(out.right, l);
    (left == right ? out.batch : left ? out.rows : out.columns).push_back(l);
  }
  if (vectors ? out.rows.empty() && out.columns.empty() : out.rows.empty() || out.columns.empty())
    return std::nullopt;
  return out;
}

bool is_of_halves(const LoopProgram& program, const Product& product) {
  const Store& s = *product.combine;
  const auto type = [&](const Access& a) { return program.buffers[static_cast<size_t>(a.buffer)].dtype; };
  const ir::DType left = type(s.reads[static_cast<size_t>(product.left)]),
                  right = type(s.reads[static_cast<size_t>(product.right)]);
  const bool plain = std::ranges::all_of(s.value.code, [](const auto& in) {
    return in.op == ScalarOp::kMul || in.op == ScalarOp::kRead ||
           (in.op == ScalarOp::kCast && in.dtype == ir::DType::kF32);
  });
  return ir::is_half(left) && left == right && type(s.target) == ir::DType::kF32 && plain &&
         s.target.index.empty();
}

}  // namespace isomer::codegen
