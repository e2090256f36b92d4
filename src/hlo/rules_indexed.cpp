#include <algorithm>

#include "hlo/rules.h"

namespace isomer::hlo::rules {
namespace {

using enum AttributeName;

bool contains(std::span<const int64_t> dims, int64_t d) { return std::ranges::find(dims, d) != dims.end(); }

void require_sorted(const Checked& c, AttributeName attribute, size_t rank) {
  const auto dims = c.list(attribute);
  c.require_dimensions(dims, rank, row(attribute).text);
  c.require(std::ranges::is_sorted(dims), "expected rising dimensions in {} of {}, found {{{}}}",
            row(attribute).text, c.name(), fmt::join(dims, ","));
}

/// Indices without the dimension that holds the vectors; it may be one behind the last.
Dims batch_dims(const Checked& c, const Array& indices) {
  const int64_t vector = c.number(kIndexVectorDim);
  c.require(is_integer(indices.element), "expected integers as indices of {}, found {}", c.name(),
            name(indices.element));
  c.require(vector >= 0 && vector <= static_cast<int64_t>(indices.rank()),
            "expected 0 to {} in index_vector_dim, found {}", indices.rank(), vector);
  Dims out;
  for (size_t i = 0; i < indices.rank(); ++i)
    if (static_cast<int64_t>(i) != vector) out.push_back(indices.dims[i]);
  return out;
}

/// Which dimensions of the operand the numbers of an index vector are for.
void require_index_map(const Checked& c, AttributeName attribute, const Array& indices, size_t rank) {
  const auto map = c.list(attribute);
  const auto vector = static_cast<size_t>(c.number(kIndexVectorDim));
  const int64_t size = vector < indices.rank() ? indices.dims[vector] : 1;
  c.require(static_cast<int64_t>(map.size()) == size,
            "expected {} dimensions in {} of {}, as indices have numbers, found {}", size,
            row(attribute).text, c.name(), map.size());
  c.require_dimensions(map, rank, row(attribute).text);
}

/// Batching dimensions of operand and indices go in pairs and are equal.
void require_batching(const Checked& c, AttributeName of_operand, AttributeName of_indices,
                      const Array& operand, const Array& indices) {
  const auto a = c.list(of_operand), b = c.list(of_indices);
  c.require(a.size() == b.size(), "expected as many dimensions in {} as in {}, found {} and {}",
            row(of_operand).text, row(of_indices).text, a.size(), b.size());
  c.require_dimensions(a, operand.rank(), row(of_operand).text);
  c.require_dimensions(b, indices.rank(), row(of_indices).text);
  for (size_t i = 0; i < a.size(); ++i) {
    const int64_t x = operand.dims[static_cast<size_t>(a[i])], y = indices.dims[static_cast<size_t>(b[i])];
    c.require(x == y, "expected batching dimensions of equal size, found {} and {}", x, y);
  }
}

/// The last two dimensions are equal: returns their size.
int64_t require_square(const Checked& c, const Array& a) {
  c.require(is_float(a.element) || is_complex(a.element),
            "expected floats or complex numbers as operand 0 of {}, found {}", c.name(), name(a.element));
  c.require(a.rank() >= 2 && a.dims.back() == a.dims[a.rank() - 2],
            "expected square matrices as operand 0 of {}, found {}", c.name(), c.print(c.operand(0)));
  return a.dims.back();
}

}  // namespace

void cholesky(const Checked& c) {
  require_square(c, c.array(0));
  c.require_result(c.operand(0));
}

void triangular_solve(const Checked& c) {
  const Array a = c.array(0), b = c.array(1);
  const int64_t size = require_square(c, a);
  bool fits = a.element == b.element && a.rank() == b.rank();
  for (size_t i = 0; fits && i + 2 < a.rank(); ++i) fits = a.dims[i] == b.dims[i];
  c.require(fits, "expected operand 1 of triangular-solve to have element and batch of {}, found {}",
            c.print(c.operand(0)), c.print(c.operand(1)));
  const size_t d = b.rank() - (c.number(kLeftSide) != 0 ? 2 : 1);
  c.require(b.dims[d] == size, "expected {} as dimension {} of operand 1, found {}", size, d, b.dims[d]);
  c.require_result(c.operand(1));
}

void fft(const Checked& c) {
  const Array a = c.array(0);
  const auto length = c.list(kFftLength);
  const auto type = static_cast<FftType>(c.number(kFftType));
  c.require(!length.empty() && length.size() <= 3 && length.size() <= a.rank(),
            "expected 1 to 3 lengths for {}, found {}", c.print(c.operand(0)), length.size());
  const bool from_real = type == FftType::kRfft;
  c.require(from_real ? is_float(a.element) && complex_of(a.element) : is_complex(a.element),
            "expected {} as operand 0 of this fft, found {}", from_real ? "f32 or f64" : "complex numbers",
            c.print(c.operand(0)));
  Dims dims(a.dims.begin(), a.dims.end());
  for (size_t i = 0; i < length.size(); ++i) {
    const size_t d = a.rank() - length.size() + i;
    const bool halved = type == FftType::kIrfft && i + 1 == length.size();
    const int64_t wanted = halved ? length[i] / 2 + 1 : length[i];
    c.require(a.dims[d] == wanted, "expected {} as dimension {} of operand 0 of fft, found {}", wanted, d,
              a.dims[d]);
    if (i + 1 == length.size() && type == FftType::kRfft) dims[d] = length[i] / 2 + 1;
    if (halved) dims[d] = length[i];
  }
  c.require_result(from_real                 ? *complex_of(a.element)
                   : type == FftType::kIrfft ? part_of(a.element)
                                             : a.element,
                   dims);
}

void gather(const Checked& c) {
  const Array a = c.array(0), indices = c.array(1);
  const Dims batch = batch_dims(c, indices);
  const auto offset = c.list(kOffsetDims), collapsed = c.list(kCollapsedSliceDims),
             sizes = c.list(kSliceSizes);
  const auto batching = c.list(kOperandBatchingDims);
  require_index_map(c, kStartIndexMap, indices, a.rank());
  require_batching(c, kOperandBatchingDims, kStartIndicesBatchingDims, a, indices);
  require_sorted(c, kCollapsedSliceDims, a.rank());
  c.require(sizes.size() == a.rank(), "expected {} numbers in slice_sizes, found {}", a.rank(), sizes.size());
  c.require(offset.size() + collapsed.size() + batching.size() == a.rank(),
            "expected {} dimensions in offset_dims, collapsed_slice_dims and operand_batching_dims, found {}",
            a.rank(), offset.size() + collapsed.size() + batching.size());
  require_sorted(c, kOffsetDims, offset.size() + batch.size());
  Dims window;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto d = static_cast<int64_t>(i);
    c.require(sizes[i] >= 0 && sizes[i] <= a.dims[i], "expected 0 to {} as slice size {}, found {}",
              a.dims[i], i, sizes[i]);
    const bool gone = contains(collapsed, d) || contains(batching, d);
    c.require(!gone || sizes[i] <= 1,
              "expected at most 1 as size of the collapsed or batching dimension {}, found {}", i, sizes[i]);
    if (!gone) window.push_back(sizes[i]);
  }
  Dims dims;
  size_t from_window = 0, from_batch = 0;
  for (size_t i = 0; i < offset.size() + batch.size(); ++i)
    dims.push_back(contains(offset, static_cast<int64_t>(i)) ? window[from_window++] : batch[from_batch++]);
  c.require_result(a.element, dims);
}

void scatter(const Checked& c) {
  c.require(c.operands() % 2 == 1 && c.operands() >= 3,
            "expected an odd number of operands of scatter, found {}", c.operands());
  const size_t n = c.operands() / 2;
  const Array indices = c.array(n), first = c.array(0);
  const Dims batch = batch_dims(c, indices);
  const auto window = c.list(kUpdateWindowDims), inserted = c.list(kInsertedWindowDims),
             batching = c.list(kInputBatchingDims);
  require_index_map(c, kScatterDimsToOperandDims, indices, first.rank());
  require_batching(c, kInputBatchingDims, kScatterIndicesBatchingDims, first, indices);
  require_sorted(c, kInsertedWindowDims, first.rank());
  require_sorted(c, kUpdateWindowDims, window.size() + batch.size());
  c.require(
      window.size() + inserted.size() + batching.size() == first.rank(),
      "expected {} dimensions in update_window_dims, inserted_window_dims and input_batching_dims, found {}",
      first.rank(), window.size() + inserted.size() + batching.size());
  std::vector<Primitive> elements;
  for (size_t i = 0; i < n; ++i) {
    const Array a = c.array(i), update = c.array(n + 1 + i);
    c.require(std::ranges::equal(a.dims, first.dims),
              "expected operand {} of scatter to have the dimensions of operand 0, found {}", i,
              c.print(c.operand(i)));
    c.require(a.element == update.element && update.rank() == window.size() + batch.size(),
              "expected {} dimensions of {} as operand {} of scatter, found {}", window.size() + batch.size(),
              name(a.element), n + 1 + i, c.print(c.operand(n + 1 + i)));
    size_t from_batch = 0, operand_dim = 0;
    for (size_t d = 0; d < update.rank(); ++d) {
      if (!contains(window, static_cast<int64_t>(d))) {
        c.require(update.dims[d] == batch[from_batch],
                  "expected {} as dimension {} of scatter's updates, found {}", batch[from_batch], d,
                  update.dims[d]);
        ++from_batch;
        continue;
      }
      while (contains(inserted, static_cast<int64_t>(operand_dim)) ||
             contains(batching, static_cast<int64_t>(operand_dim)))
        ++operand_dim;
      c.require(update.dims[d] <= a.dims[operand_dim],
                "expected at most {} as dimension {} of scatter's updates, found {}", a.dims[operand_dim], d,
                update.dims[d]);
      ++operand_dim;
    }
    elements.push_back(a.element);
  }
  std::vector<Primitive> parameters = elements;
  parameters.insert(parameters.end(), elements.begin(), elements.end());
  c.scalar_function(c.computation(kToApply), parameters, n);
  if (n == 1 && c.of(c.result()).kind != ShapeKind::kTuple) return c.require_result(c.operand(0));
  c.require_tuple(c.result(), n, "result");
  for (size_t i = 0; i < n; ++i) c.require_part(i, c.operand(i));
}

void rng(const Checked& c) {
  c.require_operands(1, 2);
  const Array r = c.result_array();
  for (size_t i = 0; i < c.operands(); ++i)
    c.require(c.scalar(i).element == r.element ||
                  static_cast<Distribution>(c.number(kDistribution)) == Distribution::kBernoulli,
              "expected {}[] as operand {} of rng, found {}", name(r.element), i, c.print(c.operand(i)));
}

void rng_bit_generator(const Checked& c) {
  const Array state = c.array(0);
  c.require(state.element == Primitive::kU64 || state.element == Primitive::kU32,
            "expected u64 or u32 as state of rng-bit-generator, found {}", c.print(c.operand(0)));
  c.require_tuple(c.result(), 2, "result");
  c.require_part(0, c.operand(0));
  c.array_of(c.module.shapes.part(c.result(), 1), "part 1 of the result");
}

void rng_state(const Checked& c) {
  const Array r = c.result_array();
  c.require(r.element == Primitive::kU64 && r.rank() <= 1,
            "expected u64 of at most one dimension as result of rng-get-and-update-state, found {}",
            c.print(c.result()));
}

}  // namespace isomer::hlo::rules
