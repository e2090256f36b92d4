#include <algorithm>

#include "hlo/rules.h"
#include "hlo/window.h"

namespace isomer::hlo {
namespace {

/// How many places a window of `extent` has in `size`, `stride` apart.
int64_t places(int64_t size, int64_t extent, int64_t stride) {
  return size < extent || size <= 0 ? 0 : (size - extent) / stride + 1;
}

bool contains(std::span<const int64_t> dims, size_t d) {
  return std::ranges::find(dims, static_cast<int64_t>(d)) != dims.end();
}

}  // namespace

Dims windowed(const Checked& c, std::span<const int64_t> dims, std::span<const int64_t> window) {
  // A window that is not said has no dimensions.
  c.require(window.size() == dims.size() * kWindowNumbers, "expected a window of {} dimensions, found {}",
            dims.size(), window.size() / kWindowNumbers);
  const std::vector<WindowDim> said = window_dims(window, dims.size());
  Dims out;
  for (size_t i = 0; i < dims.size(); ++i) {
    const WindowDim& w = said[i];
    constexpr int64_t kMost = int64_t{1} << 40;
    for (const int64_t n : window.subspan(i * kWindowNumbers, kWindowNumbers))
      c.require(n >= -kMost && n <= kMost, "expected numbers below 2^40 in a window, found {}", n);
    c.require(
        w.size > 0 && w.stride > 0 && w.base_dilation > 0 && w.window_dilation > 0,
        "expected a positive size, stride and dilations in dimension {} of a window, found {}, {}, {} and {}",
        i, w.size, w.stride, w.base_dilation, w.window_dilation);
    if (dims[i] == kUnbounded) {
      out.push_back(kUnbounded);
      continue;
    }
    c.require(dims[i] <= kMost, "expected sizes below 2^40, found {}", dims[i]);
    out.push_back(places(dilated(dims[i], w.base_dilation) + w.low + w.high,
                         dilated(w.size, w.window_dilation), w.stride));
  }
  return out;
}

Dims dot_dims(const Checked& c, const Array& left, const Array& right, std::span<const int64_t> without) {
  const auto lb = c.list(AttributeName::kLhsBatchDims), rb = c.list(AttributeName::kRhsBatchDims);
  const auto lc = c.list(AttributeName::kLhsContractingDims), rc = c.list(AttributeName::kRhsContractingDims);
  const auto check = [&](std::span<const int64_t> batch, std::span<const int64_t> contracting, size_t rank,
                         std::string_view what) {
    Dims both(batch.begin(), batch.end());
    both.insert(both.end(), contracting.begin(), contracting.end());
    c.require_dimensions(both, rank, what);
  };
  check(lb, lc, left.rank(), "lhs_batch_dims and lhs_contracting_dims");
  check(rb, rc, right.rank(), "rhs_batch_dims and rhs_contracting_dims");
  c.require(lb.size() == rb.size() && lc.size() == rc.size(),
            "expected as many batch and contracting dimensions on both sides, found {} and {}, {} and {}",
            lb.size(), rb.size(), lc.size(), rc.size());
  Dims out;
  for (size_t i = 0; i < lb.size() + lc.size(); ++i) {
    const auto l = static_cast<size_t>(i < lb.size() ? lb[i] : lc[i - lb.size()]),
               r = static_cast<size_t>(i < lb.size() ? rb[i] : rc[i - lb.size()]);
    c.require(left.dims[l] == right.dims[r],
              "expected dimension {} of operand 0 and {} of operand 1 to be equal, found {} and {}", l, r,
              left.dims[l], right.dims[r]);
    if (i < lb.size()) out.push_back(left.dims[l]);
  }
  for (size_t i = 0; i < left.rank(); ++i)
    if (!contains(lb, i) && !contains(lc, i)) out.push_back(left.dims[i]);
  for (size_t i = 0; i < right.rank(); ++i)
    if (!contains(rb, i) && !contains(rc, i) && !contains(without, i)) out.push_back(right.dims[i]);
  return out;
}

namespace rules {
namespace {

/// Products may be of another precision or width than their factors, not of another kind.
void require_product(const Checked& c, const Array& a, const Array& b) {
  const PrimitiveKind x = row(a.element).kind, y = row(b.element).kind;
  const bool integers = is_integer(a.element) && is_integer(b.element);
  c.require(x == y || integers, "expected factors of one kind, found {} and {}", name(a.element),
            name(b.element));
  const PrimitiveKind r = row(c.result_array().element).kind;
  c.require(r == x || (integers && r != PrimitiveKind::kComplex && r != PrimitiveKind::kPred),
            "expected a result of {}'s kind, found {}", name(a.element), c.print(c.result()));
}

/// n arrays (one: an array) of these elements and dimensions.
void require_results(const Checked& c, std::span<const Primitive> elements, std::span<const int64_t> dims) {
  if (elements.size() == 1 && c.of(c.result()).kind != ShapeKind::kTuple)
    return c.require_result(elements[0], dims);
  c.require_tuple(c.result(), elements.size(), "result");
  for (size_t i = 0; i < elements.size(); ++i)
    c.require_array(c.module.shapes.part(c.result(), i), elements[i], dims,
                    fmt::format("part {} of the result", i));
}

/// Half of the operands are arrays of equal dimensions, half their initial values; returns elements of the
/// results.
std::vector<Primitive> reduced(const Checked& c) {
  c.require(c.operands() >= 2 && c.operands() % 2 == 0,
            "expected as many arrays as initial values of {}, found {} operands", c.name(), c.operands());
  const size_t n = c.operands() / 2;
  std::vector<Primitive> elements;
  for (size_t i = 0; i < n; ++i) {
    const Array a = c.array(i);
    c.require(std::ranges::equal(a.dims, c.array(0).dims),
              "expected operand {} of {} to have the dimensions of operand 0, found {}", i, c.name(),
              c.print(c.operand(i)));
    elements.push_back(a.element);
  }
  for (size_t i = 0; i < n; ++i) {
    const Primitive initial = c.scalar(n + i).element;
    c.require(initial == elements[i] || (is_float(initial) && is_float(elements[i])),
              "expected {}[] as initial value {} of {}, found {}", name(elements[i]), i, c.name(),
              c.print(c.operand(n + i)));
  }
  std::vector<Primitive> parameters = elements;
  parameters.insert(parameters.end(), elements.begin(), elements.end());
  return c.scalar_function(c.computation(AttributeName::kToApply), parameters, n);
}

void require_vector(const Checked& c, size_t i, int64_t size) {
  const Array a = c.array(i);
  c.require(a.rank() == 1 && a.dims[0] == size, "expected {} numbers as operand {} of {}, found {}", size, i,
            c.name(), c.print(c.operand(i)));
}

/// The size of the feature dimension of operand 0.
int64_t features(const Checked& c) {
  const Array a = c.array(0);
  const int64_t d = c.number(AttributeName::kFeatureIndex);
  c.require(is_float(a.element), "expected floats as operand 0 of {}, found {}", c.name(),
            c.print(c.operand(0)));
  c.require(d >= 0 && d < static_cast<int64_t>(a.rank()),
            "expected a dimension below {} in feature_index, found {}", a.rank(), d);
  return a.dims[static_cast<size_t>(d)];
}

void batch_norm(const Checked& c, size_t vectors, bool tuple) {
  const int64_t size = features(c);
  for (size_t i = 1; i <= vectors; ++i) require_vector(c, i, size);
  if (!tuple) return c.require_result(c.operand(0));
  c.require_tuple(c.result(), 3, "result");
  c.require_part(0, c.operand(0));
  for (size_t i = 1; i < 3; ++i) c.require_part(i, c.operand(1));
}

}  // namespace

void batch_norm_training(const Checked& c) { batch_norm(c, 2, true); }
void batch_norm_inference(const Checked& c) { batch_norm(c, 4, false); }
void batch_norm_grad(const Checked& c) {
  batch_norm(c, 3, true);
  c.require_operand(4, c.operand(0));
}

void convolution(const Checked& c) {
  const Array x = c.array(0), w = c.array(1), r = c.result_array();
  require_product(c, x, w);
  const DimLabels l{c.list(AttributeName::kDimLabels)};
  const size_t n = l.spatial();
  const auto ranks = l.numbers;
  for (const auto& [what, rank, labels] :
       {std::tuple("operand 0", x.rank(), ranks[0]), std::tuple("operand 1", w.rank(), ranks[1]),
        std::tuple("result", r.rank(), ranks[2])})
    c.require(rank == n + 2 && labels == static_cast<int64_t>(rank),
              "expected {} dimensions of convolution's {}, as its labels have, found {}", n + 2, what, rank);
  for (const int64_t place : l.numbers.subspan(4))
    c.require(place >= 0,
              "expected labels of all dimensions of convolution, found one of b, f, i, o missing");
  const auto at = [](const Array& a, int64_t d) { return a.dims[static_cast<size_t>(d)]; };
  const int64_t groups = c.number(AttributeName::kFeatureGroupCount),
                batch_groups = c.number(AttributeName::kBatchGroupCount);
  c.require(groups > 0 && batch_groups > 0 && (groups == 1 || batch_groups == 1),
            "expected positive numbers of groups, one of them 1, found {} and {}", groups, batch_groups);
  const int64_t features = at(x, l.input_feature()), outputs = at(w, l.kernel_output()),
                batch = at(x, l.input_batch());
  c.require(features == at(w, l.kernel_input()) * groups,
            "expected {} input features, as kernel and groups have, found {}",
            at(w, l.kernel_input()) * groups, features);
  c.require(outputs % groups == 0 && outputs % batch_groups == 0,
            "expected output features that the groups divide, found {} for {}", outputs,
            std::max(groups, batch_groups));
  c.require(batch % batch_groups == 0, "expected a batch that its groups divide, found {} for {}", batch,
            batch_groups);
  const auto window = c.list(AttributeName::kWindow);
  const std::vector<WindowDim> said = window_dims(window, n);
  Dims spatial;
  for (size_t i = 0; i < n; ++i) {
    spatial.push_back(at(x, l.input()[i]));
    const int64_t size = said[i].size;
    c.require(at(w, l.kernel()[i]) == size,
              "expected the window's size, {}, as dimension {} of the kernel, found {}", size, l.kernel()[i],
              at(w, l.kernel()[i]));
  }
  const Dims sizes = n == 0 ? Dims{} : windowed(c, spatial, window);
  Dims dims(r.rank());
  dims[static_cast<size_t>(l.output_batch())] = batch / batch_groups;
  dims[static_cast<size_t>(l.output_feature())] = outputs;
  for (size_t i = 0; i < n; ++i) dims[static_cast<size_t>(l.output()[i])] = sizes[i];
  c.require_result(r.element, dims);
}

void dot(const Checked& c) {
  const Array a = c.array(0), b = c.array(1);
  require_product(c, a, b);
  c.require_result(c.result_array().element, dot_dims(c, a, b));
}

void scaled_dot(const Checked& c) {
  // Factors and scales: operands 0 and 1, or 0 and 2, are the factors.
  const Array a = c.array(0), r = c.result_array();
  try {
    return c.require_result(r.element, dot_dims(c, a, c.array(1)));
  } catch (const Mismatch&) {
  }
  c.require_result(r.element, dot_dims(c, a, c.array(2)));
}

void ragged_dot(const Checked& c) {
  const Array a = c.array(0), b = c.array(1), r = c.result_array();
  require_product(c, a, b);
  c.require(is_integer(c.array(2).element), "expected integers as sizes of groups, found {}",
            c.print(c.operand(2)));
  const size_t ragged = c.dimension(AttributeName::kLhsRaggedDims, a.rank());
  const auto groups = c.list(AttributeName::kRhsGroupDims);
  c.require_dimensions(groups, b.rank(), "rhs_group_dims");
  Dims dims = dot_dims(c, a, b, groups);
  // Where a summed dimension is in groups there is a result for each group.
  if (contains(c.list(AttributeName::kLhsContractingDims), ragged)) {
    c.require(!c.array(2).is_scalar(), "expected a vector of sizes of groups, found {}",
              c.print(c.operand(2)));
    dims.insert(dims.begin(), c.array(2).dims.back());
  }
  c.require_result(r.element, dims);
}

void reduce(const Checked& c) {
  const std::vector<Primitive> elements = reduced(c);
  const Array a = c.array(0);
  const auto dims = c.list(AttributeName::kDimensions);
  c.require_dimensions(dims, a.rank(), "dimensions");
  Dims out;
  for (size_t i = 0; i < a.rank(); ++i)
    if (!contains(dims, i)) out.push_back(a.dims[i]);
  require_results(c, elements, out);
}

void reduce_window(const Checked& c) {
  const std::vector<Primitive> elements = reduced(c);
  const Array a = c.array(0);
  require_results(c, elements, windowed(c, a.dims, c.list(AttributeName::kWindow)));
}

void scan(const Checked& c) {
  const int64_t carries = c.number(AttributeName::kNumCarries);
  c.require(carries >= 0 && carries <= static_cast<int64_t>(c.operands()),
            "expected 0 to {} in num_carries, found {}", c.operands(), carries);
  const auto parameters = c.module.parameters_of(c.computation(AttributeName::kToApply));
  c.require(parameters.size() == c.operands(), "expected {} parameters of what scan calls, found {}",
            c.operands(), parameters.size());
  const size_t inputs = c.operands() - static_cast<size_t>(carries);
  for (size_t i = 0; i < inputs; ++i) c.dimension(AttributeName::kDimensions, c.array(i).rank());
}

void select_and_scatter(const Checked& c) {
  const Array a = c.array(0), source = c.array(1);
  c.require(c.scalar(2).element == a.element, "expected {}[] as operand 2 of select-and-scatter, found {}",
            name(a.element), c.print(c.operand(2)));
  const Primitive two[] = {a.element, a.element};
  const Primitive chosen = c.scalar_function(c.computation(AttributeName::kSelect), two, 1)[0];
  c.require(chosen == Primitive::kPred,
            "expected pred[] as result of what select-and-scatter selects by, found {}[]", name(chosen));
  c.scalar_function(c.computation(AttributeName::kScatter), two, 1);
  const Dims dims = windowed(c, a.dims, c.list(AttributeName::kWindow));
  c.require_array(c.operand(1), source.element, dims, "operand 1");
  c.require(source.element == a.element, "expected {} as element of operand 1, found {}", name(a.element),
            name(source.element));
  c.require_result(c.operand(0));
}

void sort(const Checked& c) {
  c.require_operands(1, SIZE_MAX);
  const Array first = c.array(0);
  c.dimension(AttributeName::kDimensions, first.rank());
  std::vector<Primitive> elements, parameters;
  for (size_t i = 0; i < c.operands(); ++i) {
    const Array a = c.array(i);
    c.require(std::ranges::equal(a.dims, first.dims),
              "expected operand {} of sort to have the dimensions of operand 0, found {}", i,
              c.print(c.operand(i)));
    elements.push_back(a.element);
    parameters.insert(parameters.end(), 2, a.element);
  }
  const Primitive less = c.scalar_function(c.computation(AttributeName::kToApply), parameters, 1)[0];
  c.require(less == Primitive::kPred, "expected pred[] as result of what sort compares by, found {}[]",
            name(less));
  require_results(c, elements, first.dims);
}

void top_k(const Checked& c) {
  const Array a = c.array(0);
  const int64_t k = c.number(AttributeName::kK);
  c.require(a.rank() > 0, "expected an array of one dimension or more as operand 0 of topk, found {}",
            c.print(c.operand(0)));
  c.require(k >= 0 && k <= a.dims.back(), "expected 0 to {} in k, found {}", a.dims.back(), k);
  Dims dims(a.dims.begin(), a.dims.end());
  dims.back() = k;
  c.require_tuple(c.result(), 2, "result");
  c.require_array(c.module.shapes.part(c.result(), 0), a.element, dims, "part 0 of the result");
  c.require_array(c.module.shapes.part(c.result(), 1), Primitive::kS32, dims, "part 1 of the result");
}

}  // namespace rules
}  // namespace isomer::hlo
