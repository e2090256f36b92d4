// Gathers and scatters: elements taken from, and put at, places that are data. XLA's are of windows, with
// names for what each dimension is. Here the dimensions that places tell come first and windows along them
// are written out as places of their own, so that they are ONNX's GatherND and ScatterND. XLA's clamped
// starts are a maximum and a minimum; windows that XLA leaves out since they do not fit are put into a row
// behind the others, which is cut off again.
#include <algorithm>

#include "formats/hlo_lowering.h"

namespace isomer::formats {

using hlo::AttributeName;
using hlo::ComputationId;
using hlo::Opcode;
using hlo::Primitive;
using ir::DType;
using ir::ValueId;

namespace {

/// Dimensions of an operand, by how windows lie in it.
struct Dims {
  std::vector<int64_t> told;    ///< that places tell, ...
  std::vector<int64_t> spread;  ///< ... those of them along which windows have several elements
  std::vector<int64_t> single;  ///< ... those along which they have one and the window has a dimension
  std::vector<int64_t> whole;   ///< that windows have all of
};

bool contains(const std::vector<int64_t>& dims, int64_t d) {
  return std::ranges::find(dims, d) != dims.end();
}

/// `starts`: dimensions that index vectors have numbers for. `gone`: that windows have no dimension for.
Dims dims_of(const ir::Sizes& operand, const ir::Sizes& window, const std::vector<int64_t>& starts,
             const std::vector<int64_t>& gone) {
  Dims out;
  out.told = starts;
  for (int64_t d = 0; d < static_cast<int64_t>(operand.size()); ++d)
    if (!contains(starts, d)) {
      const bool all = window[static_cast<size_t>(d)] == operand[static_cast<size_t>(d)];
      (all && !contains(gone, d) ? out.whole : out.told).push_back(d);
    }
  for (const int64_t d : out.told)
    if (window[static_cast<size_t>(d)] != 1)
      out.spread.push_back(d);
    else if (!contains(gone, d))
      out.single.push_back(d);
  return out;
}

/// The dimensions of result or updates that are the window's, for these of the operand.
std::vector<int64_t> window_dims(const std::vector<int64_t>& dims, const std::vector<int64_t>& gone,
                                 size_t rank, const std::vector<int64_t>& of_window) {
  const std::vector<int64_t> kept = other_dims(rank, gone);
  std::vector<int64_t> out;
  for (const int64_t d : dims)
    out.push_back(of_window[static_cast<size_t>(std::ranges::find(kept, d) - kept.begin())]);
  return out;
}

}  // namespace

/// One index vector along the last dimension, in integers that hold every place.
ValueId HloLowering::index_numbers(ValueId indices) {
  const auto at = static_cast<size_t>(number(AttributeName::kIndexVectorDim));
  const DType type = b_.type(indices).dtype;
  if (type == DType::kU64) fail("expected indices that int64 holds, found u64");
  if (type != DType::kI32 && type != DType::kI64) indices = cast(indices, DType::kI64);
  Sizes in = ir::sizes_of(b_, indices);
  if (at == in.size()) {
    in.push_back(1);
    return ir::reshape(b_, indices, in);
  }
  const auto last = static_cast<int64_t>(at);
  return ir::transpose(b_, indices, joined(other_dims(in.size(), {last}), {last}));
}

/// Column i between 0 and `most[i]`.
ValueId HloLowering::clamped(ValueId numbers, const std::vector<int64_t>& most) {
  const Sizes all = ir::sizes_of(b_, numbers);
  const DType type = b_.type(numbers).dtype;
  const auto count = static_cast<int64_t>(most.size());
  const ValueId highest = ir::broadcast(b_, integers(type, {count}, most), all);
  const ValueId lowest = ir::broadcast(b_, integers(type, {}, {0}), all);
  return b_.add("max", {b_.add("min", {numbers, highest}), lowest});
}

ValueId HloLowering::part(ValueId x, int64_t axis, int64_t from, int64_t to) {
  return b_.add("slice", {x},
                {{"axes", std::vector<int64_t>{axis}},
                 {"starts", std::vector<int64_t>{from}},
                 {"ends", std::vector<int64_t>{to}},
                 {"steps", std::vector<int64_t>{1}}});
}

ValueId HloLowering::column(ValueId numbers, size_t which) {
  const auto i = static_cast<int64_t>(which);
  return part(numbers, static_cast<int64_t>(ir::sizes_of(b_, numbers).size()) - 1, i, i + 1);
}

/// Of index vectors: whether they have the same numbers. As one bool each.
ValueId HloLowering::all_equal(ValueId a, ValueId b) {
  const auto count = static_cast<size_t>(ir::sizes_of(b_, a).back());
  const ValueId same = b_.add("equal", {a, b});
  ValueId out = count == 1 ? same : column(same, 0);
  for (size_t i = 1; i < count; ++i) out = b_.add("and", {out, column(same, i)});
  return out;
}

/// Further columns: which one along a batching dimension it is.
ValueId HloLowering::with_batches(ValueId numbers, const std::vector<int64_t>& batching) {
  const int64_t vector = number(AttributeName::kIndexVectorDim);
  Values columns = {numbers};
  Sizes one = ir::sizes_of(b_, numbers);
  if (one.back() == 0) columns.clear();
  one.back() = 1;
  for (const int64_t d : batching)
    columns.push_back(counted(b_.type(numbers).dtype, one, static_cast<size_t>(d > vector ? d - 1 : d)));
  if (batching.empty()) return numbers;
  const auto axis = static_cast<int64_t>(one.size()) - 1;
  return columns.size() == 1 ? columns[0] : b_.add("concat", columns, {{"axis", axis}});
}

/// A tuple of places for each index vector and each element of its window along dimensions that are told,
/// as [batch.., window.., tuple].
ValueId HloLowering::tuples(ValueId numbers, const std::vector<int64_t>& starts,
                            const std::vector<int64_t>& told, const Sizes& window) {
  const DType type = b_.type(numbers).dtype;
  Sizes all = ir::sizes_of(b_, numbers);
  const size_t batches = all.size() - 1;
  all.back() = 1;
  Sizes each = all;
  for (const int64_t d : told)
    if (const int64_t size = window[static_cast<size_t>(d)]; size != 1) {
      each.push_back(1);
      all.insert(all.end() - 1, size);
    }
  if (told == starts && each.size() == batches + 1) return numbers;
  Values columns;
  size_t axis = batches;
  for (size_t i = 0; i < told.size(); ++i) {
    const ValueId start = i < starts.size() ? column(numbers, i) : integers(type, {}, {0});
    ValueId place = ir::broadcast(b_, i < starts.size() ? ir::reshape(b_, start, each) : start, all);
    if (window[static_cast<size_t>(told[i])] != 1) place = b_.add("add", {place, counted(type, all, axis++)});
    columns.push_back(place);
  }
  const auto last = static_cast<int64_t>(all.size()) - 1;
  return columns.size() == 1 ? columns[0] : b_.add("concat", columns, {{"axis", last}});
}

ValueId HloLowering::gather(const Values& x) {
  const Sizes in = sizes(operand_shape(0)), window = list(AttributeName::kSliceSizes);
  const std::vector<int64_t> batching = list(AttributeName::kOperandBatchingDims);
  const std::vector<int64_t> gone = joined(list(AttributeName::kCollapsedSliceDims), batching);
  const std::vector<int64_t> map = list(AttributeName::kStartIndexMap), starts = joined(map, batching);
  for (const int64_t d : gone)
    if (window[static_cast<size_t>(d)] != 1) fail("expected a gather of windows with elements");
  const Dims dims = dims_of(in, window, starts, gone);
  std::vector<int64_t> most;
  for (const int64_t d : map) most.push_back(in[static_cast<size_t>(d)] - window[static_cast<size_t>(d)]);
  ValueId numbers = index_numbers(x[1]);
  const std::vector<int64_t> batch = ir::sizes_of(b_, numbers);
  if (!map.empty()) numbers = clamped(numbers, most);
  numbers = with_batches(numbers, list(AttributeName::kStartIndicesBatchingDims));
  const ValueId from = ir::transpose(b_, x[0], joined(dims.told, dims.whole));
  const ValueId taken =
      b_.add("gather_nd", {from, tuples(numbers, starts, dims.told, window)}, {{"batch_dims", int64_t{0}}});
  // As [batch.., spread.., whole..]; the result has the window's dimensions where it says.
  const std::vector<int64_t> offset = list(AttributeName::kOffsetDims);
  const std::vector<int64_t> of_batch = other_dims(batch.size() - 1 + offset.size(), offset);
  const std::vector<int64_t> order = joined(
      of_batch, window_dims(joined(joined(dims.spread, dims.single), dims.whole), gone, in.size(), offset));
  const ValueId shaped = ir::reshape(b_, taken, picked(sizes(m_.shape(at_)), order));
  return ir::transpose(b_, shaped, inverse(order));
}

std::string HloLowering::scatter_reduction(ComputationId id, Primitive type) const {
  const auto parameters = m_.parameters_of(id);
  if (parameters.size() == 2 && m_[id].root == parameters[1]) return "none";
  if (const auto by = m_.binary_function(id); by && type != Primitive::kPred) switch (*by) {
      case Opcode::kAdd: return "add";
      case Opcode::kMultiply: return "mul";
      case Opcode::kMaximum: return "max";
      case Opcode::kMinimum: return "min";
      default: break;
    }
  fail("expected a {} of numbers by add, multiply, maximum, minimum, or of what is put there, found {}",
       name(m_[at_].opcode), m_.text(m_[id].name));
}

/// Into `x`, at tuples of places of its first dimensions, the updates that are valid: a bool for each tuple,
/// or no value where all are.
ValueId HloLowering::scattered(ValueId x, ValueId tuples, ValueId valid, ValueId updates,
                               const std::string& reduction) {
  const std::vector<ir::NamedAttr> attrs = {{"reduction", reduction}};
  if (!valid.valid()) return b_.add("scatter_nd", {x, tuples, updates}, attrs);
  const int64_t rows = ir::sizes_of(b_, x)[0];
  const Sizes all = ir::sizes_of(b_, tuples);
  const auto rank = ir::sizes_of(b_, x).size();
  std::vector<int64_t> pads(2 * rank, 0);
  pads[rank] = 1;
  const ValueId padded =
      b_.add("pad", {x}, {{"pads", pads}, {"mode", std::string("constant")}, {"value", 0.0}});
  std::vector<int64_t> behind(static_cast<size_t>(all.back()), 0);
  behind[0] = rows;
  const ValueId cut_off = ir::broadcast(b_, integers(b_.type(tuples).dtype, {all.back()}, behind), all);
  const ValueId fits = ir::broadcast(b_, valid, all);
  const ValueId put =
      b_.add("scatter_nd", {padded, b_.add("where", {fits, tuples, cut_off}), updates}, attrs);
  return part(put, 0, 0, rows);
}

ValueId HloLowering::scatter(const Values& x) {
  if (x.size() != 3) fail("expected a scatter of one array, found {}", x.size() / 2);
  const Sizes in = sizes(operand_shape(0)), updated = sizes(operand_shape(2));
  const std::vector<int64_t> batching = list(AttributeName::kInputBatchingDims);
  const std::vector<int64_t> gone = joined(list(AttributeName::kInsertedWindowDims), batching);
  const std::vector<int64_t> map = list(AttributeName::kScatterDimsToOperandDims),
                             starts = joined(map, batching);
  const std::vector<int64_t> of_window = list(AttributeName::kUpdateWindowDims);
  Sizes window(in.size(), 1);
  const std::vector<int64_t> kept = other_dims(in.size(), gone);
  for (size_t i = 0; i < kept.size(); ++i)
    window[static_cast<size_t>(kept[i])] = updated[static_cast<size_t>(of_window[i])];
  const Dims dims = dims_of(in, window, starts, gone);
  std::vector<int64_t> most;
  for (const int64_t d : map) most.push_back(in[static_cast<size_t>(d)] - window[static_cast<size_t>(d)]);
  const ValueId numbers = index_numbers(x[1]);
  ValueId valid;
  Sizes each = ir::sizes_of(b_, numbers);
  if (!map.empty()) {
    each.back() = 1;
    each.insert(each.end(), dims.spread.size(), 1);
    valid = ir::reshape(b_, all_equal(numbers, clamped(numbers, most)), each);
  }
  const ValueId places = tuples(with_batches(numbers, list(AttributeName::kScatterIndicesBatchingDims)),
                                starts, dims.told, window);
  const std::vector<int64_t> of_batch = other_dims(updated.size(), of_window);
  const auto from_window = [&](const std::vector<int64_t>& d) {
    return window_dims(d, gone, in.size(), of_window);
  };
  const std::vector<int64_t> shape =
      joined(joined(of_batch, from_window(dims.spread)), from_window(dims.whole));
  const std::vector<int64_t> all = joined(
      joined(joined(of_batch, from_window(dims.spread)), from_window(dims.single)), from_window(dims.whole));
  const ValueId updates = ir::reshape(b_, ir::transpose(b_, x[2], all), picked(updated, shape));
  const std::vector<int64_t> order = joined(dims.told, dims.whole);
  const std::string by = scatter_reduction(called(AttributeName::kToApply), element_of(0));
  return ir::transpose(b_, scattered(ir::transpose(b_, x[0], order), places, valid, updates, by),
                       inverse(order));
}

}  // namespace isomer::formats
