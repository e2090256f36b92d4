// Products: dots, calls of a library's products, and convolutions.
#include <algorithm>

#include "formats/hlo_lowering.h"
#include "hlo/window.h"

namespace isomer::formats {

using hlo::AttributeName;
using ir::ValueId;

namespace {

/// What a convolution says of its spatial dimensions.
struct ConvolutionWindow {
  std::vector<int64_t> strides, dilations, gaps, low, high, reversed;  ///< the last: dimensions of the kernel
  bool cuts = false, dilated = false;                                  ///< the input
};

ConvolutionWindow window_of(std::span<const int64_t> numbers, const hlo::DimLabels& labels) {
  ConvolutionWindow out;
  for (const hlo::WindowDim& w : hlo::window_dims(numbers, labels.spatial())) {
    if (w.reversal != 0) out.reversed.push_back(labels.kernel()[out.strides.size()]);
    out.strides.push_back(w.stride);
    out.low.push_back(w.low);
    out.high.push_back(w.high);
    out.gaps.push_back(w.base_dilation);
    out.dilations.push_back(w.window_dilation);
    out.cuts = out.cuts || w.low < 0 || w.high < 0;
    out.dilated = out.dilated || w.base_dilation != 1;
  }
  return out;
}

std::vector<int64_t> in_order(int64_t first, int64_t second, std::span<const int64_t> rest) {
  std::vector<int64_t> out = {first, second};
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

}  // namespace

/// Batch dimensions, then those of `first`, then those of `second` as one each.
ValueId HloLowering::matrices(ValueId x, const Sizes& in, const std::vector<int64_t>& batch,
                              const std::vector<int64_t>& first, const std::vector<int64_t>& second) {
  std::vector<int64_t> order = batch;
  order.insert(order.end(), first.begin(), first.end());
  order.insert(order.end(), second.begin(), second.end());
  Sizes to;
  for (const int64_t d : batch) to.push_back(in[static_cast<size_t>(d)]);
  for (const auto& dims : {first, second}) {
    to.push_back(1);
    for (const int64_t d : dims) to.back() *= in[static_cast<size_t>(d)];
  }
  return ir::reshape(b_, ir::transpose(b_, x, order), to);
}

/// Both operands in the result's element type, where no element changes by that.
HloLowering::Values HloLowering::widened(const Values& x) {
  const ir::DType to = dtype(element(m_.shape(at_)));
  Values out;
  for (const ValueId v : x) {
    const ir::DType from = b_.type(v).dtype;
    if (from != to && !(ir::is_float(from) && ir::is_float(to) && ir::keeps_all(from, to)))
      fail("expected {} of operands that its result's element type holds, found {} and {} to {}",
           name(m_[at_].opcode), name(element_of(0)), name(element_of(1)), name(element(m_.shape(at_))));
    out.push_back(from == to ? v : cast(v, to));
  }
  return out;
}

ValueId HloLowering::dot(const Values& operands, const Sizes& out) {
  const Values x = widened(operands);
  return product(x[0], x[1],
                 {list(AttributeName::kLhsBatchDims), list(AttributeName::kLhsContractingDims),
                  list(AttributeName::kRhsBatchDims), list(AttributeName::kRhsContractingDims)},
                 out);
}

ValueId HloLowering::product(ValueId left, ValueId right, const hlo::DotDims& d, const Sizes& out) {
  const Sizes l = ir::sizes_of(b_, left), r = ir::sizes_of(b_, right);
  const ValueId a =
      matrices(left, l, d.left_batch, other_dims(l.size(), joined(d.left_batch, d.left_contracting)),
               d.left_contracting);
  const ValueId b = matrices(right, r, d.right_batch, d.right_contracting,
                             other_dims(r.size(), joined(d.right_batch, d.right_contracting)));
  return ir::reshape(b_, b_.add("matmul", {a, b}), out);
}

/// The verifier takes calls as they are: what their words say is held to the operands here.
hlo::DotDims HloLowering::gemm_dims(const hlo::GemmConfig& config, const Values& x) const {
  const hlo::DotDims& d = config.dims;
  if (x.size() < 2 || x.size() > 3 ||
      !hlo::fits_matrices(config, ir::sizes_of(b_, x[0]).size(), ir::sizes_of(b_, x[1]).size()) ||
      (!d.left_batch.empty() && !d.right_batch.empty() &&
       picked(ir::sizes_of(b_, x[0]), d.left_batch) != picked(ir::sizes_of(b_, x[1]), d.right_batch)))
    fail("expected two matrices and perhaps an addend, whose dimensions the call's backend_config names");
  if (!hlo::is_float(element(m_.shape(at_))))
    fail("expected floats of the call's product, found {}", name(element(m_.shape(at_))));
  return d;
}

/// alpha * a.b + beta * c (hlo/gemm_config.h).
ValueId HloLowering::gemm(const hlo::GemmConfig& config, const Values& operands) {
  Values x = widened(operands);
  hlo::DotDims d = gemm_dims(config, x);
  // One matrix for all of the other's batch.
  const auto repeat = [&](ValueId& v, std::vector<int64_t>& batch, std::vector<int64_t>& contracting,
                          const Sizes& of) {
    Sizes sizes = of;
    const Sizes own = ir::sizes_of(b_, v);
    sizes.insert(sizes.end(), own.begin(), own.end());
    v = ir::broadcast(b_, v, sizes);
    for (size_t i = 0; i < of.size(); ++i) batch.push_back(static_cast<int64_t>(i));
    contracting[0] += static_cast<int64_t>(of.size());
  };
  if (d.left_batch.empty() && !d.right_batch.empty())
    repeat(x[0], d.left_batch, d.left_contracting, picked(ir::sizes_of(b_, x[1]), d.right_batch));
  else if (d.right_batch.empty() && !d.left_batch.empty())
    repeat(x[1], d.right_batch, d.right_contracting, picked(ir::sizes_of(b_, x[0]), d.left_batch));
  const Sizes out = sizes(m_.shape(at_)), left = ir::sizes_of(b_, x[0]), right = ir::sizes_of(b_, x[1]);
  Sizes expected = picked(left, d.left_batch);
  for (const auto& free :
       {picked(left, other_dims(left.size(), joined(d.left_batch, d.left_contracting))),
        picked(right, other_dims(right.size(), joined(d.right_batch, d.right_contracting)))})
    expected.insert(expected.end(), free.begin(), free.end());
  if (out != expected || (x.size() == 3 && ir::sizes_of(b_, x[2]) != out))
    fail("expected the product's sizes of the call's result, and of what is added, found {}",
         m_.shapes.print(m_.shape(at_), false));
  const auto scaled = [&](ValueId v, double by) {
    if (by == 1) return v;
    return b_.add("mul", {v, ir::broadcast(b_, b_.constant(b_.type(v).dtype, {}, {by}), out)});
  };
  const ValueId result = scaled(product(x[0], x[1], d, out), config.alpha);
  if (x.size() == 2 || config.beta == 0) return result;
  return b_.add("add", {result, scaled(x[2], config.beta)});
}

/// Groups of the batch are groups of channels: each group's images are further channels of one batch.
ValueId HloLowering::grouped_batch(ValueId image, int64_t groups) {
  const Sizes in = ir::sizes_of(b_, image);
  Sizes split = in, merged = in;
  split[0] = in[0] / groups;
  split.insert(split.begin(), groups);
  merged[0] = in[0] / groups;
  merged[1] = in[1] * groups;
  std::vector<int64_t> order = {1, 0};
  for (size_t i = 2; i < split.size(); ++i) order.push_back(static_cast<int64_t>(i));
  return ir::reshape(b_, ir::transpose(b_, ir::reshape(b_, image, split), order), merged);
}

ValueId HloLowering::convolution(const Values& operands) {
  const Values x = widened(operands);
  const hlo::DimLabels labels{m_.list(at_, AttributeName::kDimLabels)};
  ConvolutionWindow w = window_of(m_.list(at_, AttributeName::kWindow), labels);
  ValueId image =
      ir::transpose(b_, x[0], in_order(labels.input_batch(), labels.input_feature(), labels.input()));
  const ValueId kernel =
      ir::transpose(b_, w.reversed.empty() ? x[1] : reversed(x[1], w.reversed),
                    in_order(labels.kernel_output(), labels.kernel_input(), labels.kernel()));
  int64_t groups = number(AttributeName::kFeatureGroupCount);
  const int64_t of_batch = number(AttributeName::kBatchGroupCount);
  if (of_batch != 1) {
    groups = of_batch;
    image = grouped_batch(image, of_batch);
  }
  bool plain = labels.spatial() > 0 && !w.cuts && !w.dilated;  // as ONNX has it
  if (!plain && groups != 1 && labels.spatial() > 0) {
    image = spread_image(image, w.low, w.high, w.gaps);
    w.low.assign(labels.spatial(), 0);
    w.high = w.low;
    plain = true;
  }
  if (!plain && groups != 1) fail("expected a convolution in groups of at least one spatial dimension");
  std::vector<ir::NamedAttr> attrs = {
      {"strides", w.strides}, {"dilations", w.dilations}, {"pads", joined(w.low, w.high)}};
  attrs.push_back(plain ? ir::NamedAttr{"group", groups} : ir::NamedAttr{"input_dilations", w.gaps});
  const ValueId y = b_.add(plain ? "conv" : "dilated_conv", {image, kernel}, attrs);
  const std::vector<int64_t> places =
      in_order(labels.output_batch(), labels.output_feature(), labels.output());
  return ir::transpose(b_, y, inverse(places));
}

/// With zeros around and between its points, or without what negative pads cut.
ValueId HloLowering::spread_image(ValueId image, const std::vector<int64_t>& low,
                                  const std::vector<int64_t>& high, const std::vector<int64_t>& gaps) {
  std::vector<int64_t> before = {0, 0}, after = {0, 0}, interior = {0, 0};
  for (size_t i = 0; i < gaps.size(); ++i) {
    before.push_back(low[i]);
    after.push_back(high[i]);
    interior.push_back(gaps[i] - 1);
  }
  const ValueId zero = b_.constant(b_.type(image).dtype, {}, {0});
  return b_.add("dilated_pad", {image, zero}, {{"pads", joined(before, after)}, {"interior", interior}});
}

}  // namespace isomer::formats
