#include <algorithm>

#include "hlo/rules.h"

namespace isomer::hlo::rules {
namespace {

void require_same_elements(const Checked& c) {
  const Array a = c.array(0), r = c.result_array();
  c.require(a.element == r.element, "expected {} as element of {}'s result, found {}", name(a.element),
            c.name(), name(r.element));
  const int64_t wanted = c.module.shapes.elements(c.operand(0)), found = c.module.shapes.elements(c.result());
  c.require(wanted == found, "expected a result of {} elements, as {} has, found {}", wanted,
            c.print(c.operand(0)), c.print(c.result()));
}

/// Starts of slices: one integer for each dimension, or one vector of them.
void require_starts(const Checked& c, size_t from, size_t rank) {
  if (c.operands() == from + 1 && c.array(from).rank() == 1) {
    c.require(c.array(from).dims[0] == static_cast<int64_t>(rank) && is_integer(c.array(from).element),
              "expected {} integers as starts of {}, found {}", rank, c.name(), c.print(c.operand(from)));
    return;
  }
  c.require(c.operands() == from + rank, "expected {} starts of {}, found {}", rank, c.name(),
            c.operands() - from);
  for (size_t i = from; i < c.operands(); ++i) {
    c.require(is_integer(c.scalar(i).element), "expected an integer as start {} of {}, found {}", i - from,
              c.name(), c.print(c.operand(i)));
    c.require_shape(c.operand(i), c.operand(from), fmt::format("start {}", i - from));
  }
}

}  // namespace

void bitcast(const Checked& c) {
  const auto bytes = [&](ShapeId shape) {
    const int64_t n = c.module.shapes.elements(shape);
    return n < 0 ? n : n * std::max(row(c.of(shape).element).bits, 1);
  };
  c.array(0);
  c.result_array();
  c.require(bytes(c.operand(0)) == bytes(c.result()), "expected a result of as many bits as {}, found {}",
            c.print(c.operand(0)), c.print(c.result()));
}

void bitcast_convert(const Checked& c) {
  const Array a = c.array(0), r = c.result_array();
  c.require(is_complex(a.element) == is_complex(r.element),
            "expected both or none of bitcast-convert's types to be complex, found {} to {}", name(a.element),
            name(r.element));
  const int from = row(a.element).bits, to = row(r.element).bits;
  Dims dims(a.dims.begin(), a.dims.end());
  if (from > to) {
    c.require(from % to == 0, "expected widths of which one divides the other, found {} to {}",
              name(a.element), name(r.element));
    dims.push_back(from / to);
  } else if (from < to) {
    c.require(!dims.empty() && dims.back() == to / from && to % from == 0,
              "expected {} as last dimension of what becomes {}, found {}", to / from, name(r.element),
              c.print(c.operand(0)));
    dims.pop_back();
  }
  c.require_result(r.element, dims);
}

void broadcast(const Checked& c) {
  const Array a = c.array(0), r = c.result_array();
  const auto dims = c.list(AttributeName::kDimensions);
  c.require(dims.size() == a.rank(), "expected {} numbers in dimensions of broadcast, found {}", a.rank(),
            dims.size());
  c.require_dimensions(dims, r.rank(), "dimensions");
  c.require(a.element == r.element, "expected {} as element of broadcast's result, found {}", name(a.element),
            name(r.element));
  for (size_t i = 0; i < dims.size(); ++i)
    c.require(a.dims[i] == r.dims[static_cast<size_t>(dims[i])],
              "expected {} as dimension {} of broadcast's result, found {}", a.dims[i], dims[i],
              r.dims[static_cast<size_t>(dims[i])]);
}

void concatenate(const Checked& c) {
  c.require_operands(1, SIZE_MAX);
  const Array first = c.array(0);
  const size_t d = c.dimension(AttributeName::kDimensions, first.rank());
  Dims dims(first.dims.begin(), first.dims.end());
  for (size_t i = 1; i < c.operands(); ++i) {
    const Array a = c.array(i);
    bool fits = a.element == first.element && a.rank() == first.rank();
    for (size_t k = 0; fits && k < a.rank(); ++k) fits = k == d || a.dims[k] == first.dims[k];
    c.require(fits, "expected operand {} of concatenate to be {} but in dimension {}, found {}", i,
              c.print(c.operand(0)), d, c.print(c.operand(i)));
    dims[d] += a.dims[d];
  }
  c.require_result(first.element, dims);
}

void dynamic_reshape(const Checked& c) {
  c.require_operands(1, SIZE_MAX);
  require_same_elements(c);
  c.require(c.operands() == 1 + c.result_array().rank(), "expected {} sizes of dynamic-reshape, found {}",
            c.result_array().rank(), c.operands() - 1);
  for (size_t i = 1; i < c.operands(); ++i)
    c.require(c.scalar(i).element == Primitive::kS32,
              "expected s32[] as size {} of dynamic-reshape, found {}", i - 1, c.print(c.operand(i)));
}

void dynamic_slice(const Checked& c) {
  c.require_operands(1, SIZE_MAX);
  const Array a = c.array(0);
  require_starts(c, 1, a.rank());
  const auto sizes = c.list(AttributeName::kDynamicSliceSizes);
  c.require(sizes.size() == a.rank(), "expected {} numbers in dynamic_slice_sizes, found {}", a.rank(),
            sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i)
    c.require(sizes[i] >= 0 && (sizes[i] <= a.dims[i] || a.dims[i] == kUnbounded),
              "expected a size of 0 to {} in dimension {} of dynamic-slice, found {}", a.dims[i], i,
              sizes[i]);
  c.require_result(a.element, sizes);
}

void dynamic_update_slice(const Checked& c) {
  c.require_operands(2, SIZE_MAX);
  const Array a = c.array(0), update = c.array(1);
  bool fits = a.element == update.element && a.rank() == update.rank();
  for (size_t i = 0; fits && i < a.rank(); ++i) fits = update.dims[i] <= a.dims[i] || a.dims[i] == kUnbounded;
  c.require(fits, "expected an update that fits into {}, found {}", c.print(c.operand(0)),
            c.print(c.operand(1)));
  require_starts(c, 2, a.rank());
  c.require_result(c.operand(0));
}

void get_dimension_size(const Checked& c) {
  c.dimension(AttributeName::kDimensions, c.array(0).rank());
  c.require_result(Primitive::kS32, {});
}

void set_dimension_size(const Checked& c) {
  const Array a = c.array(0);
  c.dimension(AttributeName::kDimensions, a.rank());
  c.require(c.scalar(1).element == Primitive::kS32,
            "expected s32[] as operand 1 of set-dimension-size, found {}", c.print(c.operand(1)));
  c.require_result(c.operand(0));
}

void iota(const Checked& c) {
  const Array r = c.result_array();
  const int64_t d = c.number(AttributeName::kIotaDimension);
  c.require(r.element != Primitive::kPred, "expected numbers as result of iota, found {}",
            c.print(c.result()));
  c.require(d >= 0 && d < static_cast<int64_t>(r.rank()),
            "expected a dimension below {} in iota_dimension, found {}", r.rank(), d);
}

void pad(const Checked& c) {
  const Array a = c.array(0);
  const auto padding = c.list(AttributeName::kPadding);
  c.require(padding.size() == 3 * a.rank(), "expected paddings of {} dimensions, found {}", a.rank(),
            padding.size() / 3);
  c.require(c.scalar(1).element == a.element, "expected {}[] as operand 1 of pad, found {}", name(a.element),
            c.print(c.operand(1)));
  Dims dims;
  for (size_t i = 0; i < a.rank(); ++i) {
    const int64_t low = padding[3 * i], high = padding[3 * i + 1], interior = padding[3 * i + 2];
    c.require(interior >= 0, "expected no negative padding between elements, found {}", interior);
    dims.push_back(a.dims[i] == kUnbounded
                       ? kUnbounded
                       : a.dims[i] + low + high + std::max<int64_t>(a.dims[i] - 1, 0) * interior);
    c.require(dims.back() >= 0 || dims.back() == kUnbounded,
              "expected a size that is not negative in dimension {}, found {}", i, dims.back());
  }
  c.require_result(a.element, dims);
}

void reshape(const Checked& c) { require_same_elements(c); }

void reverse(const Checked& c) {
  c.require_dimensions(c.list(AttributeName::kDimensions), c.array(0).rank(), "dimensions");
  c.require_result(c.operand(0));
}

void slice(const Checked& c) {
  const Array a = c.array(0);
  const auto ranges = c.list(AttributeName::kSlice);
  c.require(ranges.size() == 3 * a.rank(), "expected ranges of {} dimensions, found {}", a.rank(),
            ranges.size() / 3);
  Dims dims;
  for (size_t i = 0; i < a.rank(); ++i) {
    const int64_t start = ranges[3 * i], limit = ranges[3 * i + 1], stride = ranges[3 * i + 2];
    c.require(start >= 0 && start <= limit && limit <= a.dims[i],
              "expected a range in 0 to {} in dimension {}, found {}:{}", a.dims[i], i, start, limit);
    c.require(stride > 0, "expected a positive stride in dimension {}, found {}", i, stride);
    dims.push_back((limit - start) / stride + ((limit - start) % stride != 0 ? 1 : 0));
  }
  c.require_result(a.element, dims);
}

void transpose(const Checked& c) {
  const Array a = c.array(0);
  const auto order = c.list(AttributeName::kDimensions);
  c.require(order.size() == a.rank(), "expected {} dimensions in transpose's order, found {}", a.rank(),
            order.size());
  c.require_dimensions(order, a.rank(), "dimensions");
  Dims dims;
  for (const int64_t d : order) dims.push_back(a.dims[static_cast<size_t>(d)]);
  c.require_result(a.element, dims);
}

}  // namespace isomer::hlo::rules
