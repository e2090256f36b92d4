// XLA's GemmRewriter and GemmBroadcastFoldingRewriter for graphics processors: products of matrices become
// calls of a library (hlo/gemm_config.h says which words), which take in a factor of all elements and an
// array that is added; an operand that is the same for all of a batch is handed over once.
//
// Here they are proposals like others: the dot stays beside the call. Only floats, and of XLA's epilogues
// none (bias vectors, activations: its second library); the call's result is the product alone, as XLA of
// 2022 had it, without the memory that it works in. No processor's XLA runs these calls. The IR knows what
// they compute (formats/hlo_products.cpp), so that what is made is held to the module by evaluation.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "hlo/gemm_config.h"
#include "ir/constant_data.h"
#include "passes/dots.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

using hlo::GemmConfig;

InstructionId library_product(const Site& s, std::span<const InstructionId> operands,
                              const GemmConfig& config) {
  const int64_t target = s.m.texts.intern(hlo::kGemmTarget).v,
                text = s.m.texts.intern(hlo::printed(config)).v;
  return s.w.add(Opcode::kCustomCall, s.m.shape(s.at), operands,
                 {{AttributeName::kCustomCallTarget, {target}}, {AttributeName::kBackendConfig, {text, 1}}});
}

/// What a call says, where it is one that may be replaced.
std::optional<GemmConfig> config_of(const Site& s, InstructionId id) {
  if (!s.is(id, Opcode::kCustomCall) || !may_be_replaced(s.m, id) || !s.is_static(id)) return std::nullopt;
  if (s.m.find(id, AttributeName::kOutputToOperandAliasing)) return std::nullopt;
  auto config = hlo::gemm_config_of(s.m, id);
  const bool is_product = config && s.is_floating(id) && s.arity(id) >= 2 && s.arity(id) <= 3 &&
                          hlo::fits_matrices(*config, s.rank(s.in(id, 0)), s.rank(s.in(id, 1)));
  return is_product ? config : std::nullopt;
}

std::string upper(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

InstructionId dot_by_library(const Site& s) {
  if (!is_matrix_product(s, s.at) || !s.is_floating(s.at)) return {};
  if (s.element(s.in(0)) != s.element(s.at) || s.element(s.in(1)) != s.element(s.at)) return {};
  constexpr Primitive kKnown[] = {Primitive::kF16, Primitive::kBF16, Primitive::kF32, Primitive::kF64};
  if (std::ranges::find(kKnown, s.element(s.at)) == std::end(kKnown)) return {};
  GemmConfig config;
  config.dims = dot_dims(s, s.at);
  const Dims precision = s.list(s.at, AttributeName::kOperandPrecision);
  if (precision.size() > config.precision.size()) return {};
  for (size_t i = 0; i < precision.size(); ++i)
    config.precision[i] = upper(hlo::words(hlo::WordList::kPrecisions)[static_cast<size_t>(precision[i])]);
  return library_product(s, std::initializer_list<InstructionId>{s.in(0), s.in(1)}, config);
}

/// The operand of an instruction of two that is a call which nobody else needs, nothing added yet.
struct Product {
  InstructionId id, other;
  GemmConfig config;
};
std::optional<Product> own_product(const Site& s) {
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (!s.has_one_user(s.in(i)) || s.in(0) == s.in(1)) continue;
    const auto config = config_of(s, s.in(i));
    if (config && config->beta == 0 && s.arity(s.in(i)) == 2) return Product{s.in(i), s.in(1 - i), *config};
  }
  return std::nullopt;
}

/// Whether the element type has a number near this one. Two factors that it has may have a product that is
/// infinite there, or vanishes, where the results of one multiplication after the other do not.
bool is_nearly_in(Primitive element, double value) {
  constexpr double kApart = 0.01;
  const double rounded = ir::round_to(hlo::row(element).dtype, value);
  return std::isfinite(rounded) && std::abs(rounded - value) <= kApart * std::abs(value);
}

InstructionId scaled_product(const Site& s) {
  auto product = own_product(s);
  const auto factor = product ? s.uniform(product->other) : std::nullopt;
  if (!factor || !std::isfinite(factor->value)) return {};
  product->config.alpha *= factor->value;
  if (!is_nearly_in(s.element(s.at), product->config.alpha)) return {};
  return library_product(s, std::initializer_list<InstructionId>{s.in(product->id, 0), s.in(product->id, 1)},
                         product->config);
}

InstructionId product_with_addend(const Site& s) {
  auto product = own_product(s);
  if (!product || s.is_constant_or_splat(product->other)) return {};
  product->config.beta = 1;
  return library_product(
      s, std::initializer_list<InstructionId>{s.in(product->id, 0), s.in(product->id, 1), product->other},
      product->config);
}

/// The broadcast's new dimensions are the batch, and stand before all others.
bool repeats_for_a_batch(const Site& s, InstructionId wide, const Dims& batch) {
  if (!s.is(wide, Opcode::kBroadcast) || !may_be_replaced(s.m, wide)) return false;
  const Dims places = s.list(wide, AttributeName::kDimensions);
  const auto added = static_cast<int64_t>(s.rank(wide) - places.size());
  return added > 0 && batch.size() == static_cast<size_t>(added) &&
         std::ranges::all_of(batch, [&](int64_t d) { return d < added; }) &&
         std::ranges::all_of(places, [&](int64_t d) { return d >= added; }) && std::ranges::is_sorted(places);
}

InstructionId product_of_one_matrix(const Site& s) {
  auto config = config_of(s, s.at);
  if (!config || config->dims.left_contracting.size() != 1 || config->dims.right_contracting.size() != 1)
    return {};
  std::vector<InstructionId> operands;
  for (size_t i = 0; i < s.arity(s.at); ++i) operands.push_back(s.in(i));
  const auto fold = [&](size_t i, std::vector<int64_t>& batch, std::vector<int64_t>& contracting) {
    if (!repeats_for_a_batch(s, operands[i], batch)) return false;
    contracting[0] -= static_cast<int64_t>(batch.size());
    batch.clear();
    operands[i] = s.in(operands[i], 0);
    return true;
  };
  // One side has a batch of its own.
  const bool left =
      !config->dims.right_batch.empty() && fold(0, config->dims.left_batch, config->dims.left_contracting);
  const bool right =
      !config->dims.left_batch.empty() && fold(1, config->dims.right_batch, config->dims.right_contracting);
  return left || right ? library_product(s, operands, *config) : InstructionId{};
}

constexpr Rule kRewriter[] = {
    {Opcode::kDot, "dot-by-library", dot_by_library},
    {Opcode::kMultiply, "scaled-by-library", scaled_product},
    {Opcode::kAdd, "added-by-library", product_with_addend},
};
constexpr Rule kBroadcastFolding[] = {{Opcode::kCustomCall, "one-matrix-for-a-batch", product_of_one_matrix}};

}  // namespace

std::shared_ptr<const Pass> gemm_rewriter() {
  static const auto kPass = std::make_shared<const RulePass>("cublas-gemm-rewriter", kRewriter);
  return kPass;
}

std::shared_ptr<const Pass> gemm_broadcast_folding() {
  static const auto kPass =
      std::make_shared<const RulePass>("cublas-gemm-broadcast-folding-rewriter", kBroadcastFolding);
  return kPass;
}

}  // namespace isomer::passes
