// XLA's CublasPadForGemms: matrices of small types are padded with zeros to sizes that tensor cores like, and
// the product is cut again: multiples of 8 for halves, of 4 for bytes. Zeros add nothing, so the result is
// the same wherever it is computed. What XLA pads for which generation of processors is left to who decides.
#include <algorithm>

#include "passes/dots.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

int64_t unit_of(Primitive element) {
  switch (element) {
    case Primitive::kF16:
    case Primitive::kBF16: return 8;
    case Primitive::kS8: return 4;
    default: return 1;
  }
}

int64_t rounded_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

/// The last two sizes are padded behind.
InstructionId padded(const Site& s, InstructionId a, int64_t unit) {
  const Dims dims = s.dims(a);
  Dims padding(3 * dims.size(), 0);
  for (const size_t d : {dims.size() - 2, dims.size() - 1})
    padding[3 * d + 1] = rounded_up(dims[d], unit) - dims[d];
  if (std::ranges::all_of(padding, [](int64_t n) { return n == 0; })) return a;
  return s.w.pad(a, s.w.constant(s.element(a), 0), padding);
}

InstructionId padded_product(const Site& s) {
  if (!is_matrix_product(s, s.at) || s.element(s.in(0)) != s.element(s.in(1))) return {};
  const int64_t unit = unit_of(s.element(s.in(0)));
  if (unit == 1) return {};
  const DotDims d = dot_dims(s, s.at);
  for (size_t i = 0; i < d.left_batch.size(); ++i)
    if (d.left_batch[i] != static_cast<int64_t>(i) || d.right_batch[i] != static_cast<int64_t>(i)) return {};
  const InstructionId a = padded(s, s.in(0), unit), b = padded(s, s.in(1), unit);
  if (a == s.in(0) && b == s.in(1)) return {};
  const Dims dims = s.dims(s.at);
  Dims wide = dims;
  for (const size_t at : {dims.size() - 2, dims.size() - 1}) wide[at] = rounded_up(dims[at], unit);
  const InstructionId product = s.w.again(s.at, s.w.array(s.element(s.at), wide), {a, b});
  return s.w.slice(product, Dims(dims.size(), 0), dims, Dims(dims.size(), 1));
}

constexpr Rule kGemmPadding[] = {{Opcode::kDot, "pad-for-tensor-cores", padded_product}};

}  // namespace

std::shared_ptr<const Pass> gemm_padding() {
  static const auto kPass = std::make_shared<const RulePass>("cublas-pad-for-gemms", kGemmPadding);
  return kPass;
}

}  // namespace isomer::passes
