// XLA's CudnnVectorizeConvolutions: a library's convolutions of bytes are fastest where 4 or 32 channels lie
// together. [N, C, H, W] becomes [N, C/32, 32, H, W], the kernel likewise; the dimension of 32 is the one
// that the labels do not name. Both are proposed, 32 first.
//
// Looked at are the calls that XLA makes of convolutions before ("__cudnn$convForward", with bias and
// activation, too), of two spatial dimensions without dilation, from bytes to bytes of one type; 4 are not
// made into 32. No processor's XLA runs these calls, and the IR has no operator for them.
#include <algorithm>

#include "hlo/gemm_config.h"
#include "hlo/window.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

constexpr size_t kSpatial = 2;

bool is_convolution_call(const Site& s) {
  if (!s.m.find(s.at, AttributeName::kDimLabels)) return false;
  const std::string_view name = hlo::custom_call_target(s.m, s.at);
  return name == "__cudnn$convForward" || name == "__cudnn$convBiasActivationForward";
}

/// Its window, of which nothing is spread.
bool is_plain(const Site& s) {
  return std::ranges::all_of(
      hlo::window_dims(s.m.list(s.at, AttributeName::kWindow), kSpatial),
      [](const hlo::WindowDim& d) { return d.base_dilation == 1 && d.window_dilation == 1; });
}

Dims split(Dims dims, int64_t at, int64_t many) {
  dims[static_cast<size_t>(at)] /= many;
  dims.insert(dims.begin() + at + 1, many);
  return dims;
}

/// Labels as Module keeps them (hlo::DimLabels), the dimension behind each of these features unnamed.
Dims with_room(Dims labels) {
  constexpr size_t kEach = 2 + kSpatial;
  constexpr size_t kFeature[] = {1, 0, 1};  // of the input, the kernel's input, the output
  for (size_t part = 0; part < 3; ++part) {
    ++labels[part];
    const auto places = std::span(labels).subspan(4 + part * kEach, kEach);
    const int64_t feature = places[kFeature[part]];
    for (int64_t& place : places)
      if (place > feature) ++place;
  }
  return labels;
}

template <int64_t kMany>
InstructionId vectorized(const Site& s) {
  if (!is_convolution_call(s) || s.arity(s.at) < 2 || s.arity(s.at) > 4 || !is_plain(s)) return {};
  const ShapeId result = s.m.shape(s.at);
  if (s.m.shapes[result].kind != hlo::ShapeKind::kTuple || s.m.shapes[result].count != 2) return {};
  const Dims numbers = s.list(s.at, AttributeName::kDimLabels);
  const hlo::DimLabels labels{numbers};
  constexpr auto kRank = static_cast<int64_t>(2 + kSpatial);
  if (labels.spatial() != kSpatial || numbers[0] != kRank || numbers[1] != kRank || numbers[2] != kRank)
    return {};
  const ShapeId out = s.m.shapes.part(result, 0), rest = s.m.shapes.part(result, 1);
  const Primitive element = s.element(s.in(0));
  if (element != Primitive::kS8 && element != Primitive::kU8) return {};
  if (s.m.shapes[out].element != element || s.element(s.in(1)) != element) return {};
  const auto view = s.m.shapes.dims(out);
  const Dims dims(view.begin(), view.end());
  if (dims.size() != 2 + kSpatial || s.rank(s.in(0)) != 2 + kSpatial || s.rank(s.in(1)) != 2 + kSpatial)
    return {};
  const int64_t channels = s.dims(s.in(0))[static_cast<size_t>(labels.input_feature())];
  if (channels % kMany != 0 || dims[static_cast<size_t>(labels.output_feature())] % kMany != 0) return {};
  if (s.dims(s.in(1))[static_cast<size_t>(labels.kernel_input())] % kMany != 0) return {};
  // What is added before the activation.
  if (s.arity(s.at) > 3 && (s.dims(s.in(3)) != dims || s.element(s.in(3)) != element)) return {};

  const auto apart = [&](InstructionId a, int64_t at) { return s.w.reshape(a, split(s.dims(a), at, kMany)); };
  std::vector<InstructionId> operands = {apart(s.in(0), labels.input_feature()),
                                         apart(s.in(1), labels.kernel_input())};
  if (s.arity(s.at) > 2) operands.push_back(s.in(2));  // a bias
  if (s.arity(s.at) > 3) operands.push_back(apart(s.in(3), labels.output_feature()));
  const ShapeId wide = s.w.array(element, split(dims, labels.output_feature(), kMany));
  const ShapeId shapes[] = {wide, rest};
  const AttributeValue instead[] = {{AttributeName::kDimLabels, with_room(numbers)}};
  const InstructionId call =
      s.w.again(s.at, s.m.shapes.tuple(hlo::ShapeKind::kTuple, shapes), operands, instead);
  return s.w.add(Opcode::kTuple, result, {s.w.reshape(s.w.part(call, 0), dims), s.w.part(call, 1)});
}

constexpr Rule kConvolutionVectorizer[] = {
    {Opcode::kCustomCall, "32-channels-together", vectorized<32>},
    {Opcode::kCustomCall, "4-channels-together", vectorized<4>},
};

}  // namespace

std::shared_ptr<const Pass> convolution_vectorizer() {
  static const auto kPass =
      std::make_shared<const RulePass>("cudnn_vectorize_convolutions", kConvolutionVectorizer);
  return kPass;
}

}  // namespace isomer::passes
