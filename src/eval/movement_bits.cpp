#include "eval/movement_bits.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "eval/evaluation_cut.h"
#include "eval/nest_run.h"
#include "meaning/flatten.h"
#include "support/errors.h"

namespace isomer::eval {
namespace {

/// Where an element comes from: an operand's element, or nowhere (then it is `fill`).
struct Place {
  int input = -1;
  int64_t at = 0;
  double fill = 0;
};

/// Movement selects places and compares integers; it never computes.
struct Places {
  using Number = Place;
  static Place constant(double value) { return {-1, 0, value}; }
  [[noreturn]] static void computed() { throw MisuseError("a movement operator that computes"); }
  Place from_integer(int64_t v) const { return constant(static_cast<double>(v)); }
  int64_t to_integer(Place) const { computed(); }
  Place add(Place, Place) const { computed(); }
  Place sub(Place, Place) const { computed(); }
  Place mul(Place, Place) const { computed(); }
  Place max(Place, Place) const { computed(); }
  Place min(Place, Place) const { computed(); }
  Place unary(ir::ScalarOp, Place) const { computed(); }
  Place binary(ir::ScalarOp, Place, Place) const { computed(); }
  bool less(Place, Place) const { computed(); }
  bool equal(Place, Place) const { computed(); }
  bool is_nan(Place) const { computed(); }
  bool is_inf(Place) const { computed(); }
  Place cast(ir::DType, Place) const { computed(); }
};

struct ConstantSource {
  std::span<const ir::Constant> constants;
  std::vector<ir::DType> dtypes;
  Place number(int input, int64_t at) const { return {input, at, 0}; }
  int64_t integer(int input, int64_t at) const {
    const auto i = static_cast<size_t>(input);
    return ir::load_integer(dtypes[i], constants[i].bytes(), at);
  }
};

/// Row-major order is kept. Then the bytes are shared, not copied: a mapped weight stays where it is.
bool keeps_order(const ir::OpDef& op) { return op.moves == ir::Moves::kReshapes; }

void copy_element(ir::DType dtype, std::span<std::byte> to, int64_t i, std::span<const std::byte> from,
                  int64_t at) {
  const int width = ir::bit_width(dtype);
  if (width < 8) {
    if (ir::is_integer(dtype))
      ir::store_integer(dtype, to, i, ir::load_integer(dtype, from, at));
    else
      ir::store_number(dtype, to, i, ir::load_number(dtype, from, at));
    return;
  }
  const auto bytes = static_cast<size_t>(width / 8);
  std::memcpy(to.data() + static_cast<size_t>(i) * bytes, from.data() + static_cast<size_t>(at) * bytes,
              bytes);
}

/// Only reads, tests whether they are in bounds, and choices between them: then an output row falls into few
/// pieces, each of which one read fills at one stride.
bool moves_rows(const meaning::CompiledNest& nest) {
  using ir::ScalarOp;
  return !nest.space.empty() && nest.space.back() > 0 && nest.bodies.empty() &&
         nest.result.sort == meaning::Sort::kNumber && ir::bit_width(nest.dtype) >= 8 &&
         std::ranges::all_of(nest.reads, &meaning::CompiledRead::affine) &&
         std::ranges::all_of(nest.result.code, [](const meaning::ScalarProgram::Instr& in) {
           return in.op == ScalarOp::kRead || in.op == ScalarOp::kValid || in.op == ScalarOp::kSelect ||
                  in.op == ScalarOp::kConst || in.op == ScalarOp::kIntConst;
         });
}

/// Where, along the last variable of a row, a read enters or leaves its operand. `vars`: of the row's first
/// element.
void add_ends(const meaning::CompiledRead& read, std::span<const int64_t> vars, std::vector<int64_t>& ends) {
  const int last = static_cast<int>(vars.size()) - 1;
  const auto up = [](int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); };
  for (size_t d = 0; d < read.dims.size(); ++d) {
    const int64_t first = read.dims[d].at(vars), step = read.dims[d].coefficient(last);
    if (step > 0) {
      ends.push_back(up(-first, step));
      ends.push_back(up(read.extents[d] - first, step));
    } else if (step < 0) {
      ends.push_back(up(first - read.extents[d] + 1, -step));
      ends.push_back(up(first + 1, -step));
    }
  }
}

template <size_t kBytes>
void copy_strided(std::byte* to, const std::byte* from, int64_t stride, int64_t count) {
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * int64_t{kBytes}, from + i * stride, kBytes);
}

/// `stride` in elements, each of `bytes` bytes.
void copy_run(size_t bytes, std::byte* to, const std::byte* from, int64_t stride, int64_t count) {
  const auto width = static_cast<int64_t>(bytes);
  if (stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(count * width));
    return;
  }
  switch (bytes) {
    case 1: return copy_strided<1>(to, from, stride * width, count);
    case 2: return copy_strided<2>(to, from, stride * width, count);
    case 4: return copy_strided<4>(to, from, stride * width, count);
    case 8: return copy_strided<8>(to, from, stride * width, count);
    default:
      for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * width, from + i * stride * width, bytes);
  }
}

/// Elements [from, to) of each row before the next band: where a read strides, neighbouring rows come from
/// neighbouring elements, and a band of them from few pages.
int64_t band_of(const meaning::CompiledNest& nest) {
  constexpr int64_t kBand = 256;
  const int last = static_cast<int>(nest.space.size()) - 1;
  const bool strides = std::ranges::any_of(nest.reads, [&](const meaning::CompiledRead& read) {
    return std::abs(read.linear.coefficient(last)) > 1;
  });
  return strides ? std::min(kBand, nest.space.back()) : nest.space.back();
}

/// Looks at the deadline now and then.
class Watch {
 public:
  explicit Watch(const Deadline& until) : until_(until) {}
  void moved(int64_t elements) {
    constexpr int64_t kBetween = 1 << 20;
    elements_ += elements;
    if (elements_ < kBetween) return;
    elements_ = 0;
    if (until_.passed()) throw EvaluationCut();
  }

 private:
  const Deadline& until_;
  int64_t elements_ = 0;
};

/// Moves rows; what operands were mapped from files leaves memory as it goes.
class Rows {
 public:
  Rows(const meaning::CompiledNest& nest, NestRunner<Places, ConstantSource>& runner,
       const ConstantSource& source, std::span<std::byte> bytes, Watch& watch)
      : watch_(watch),
        nest_(nest),
        runner_(runner),
        constants_(source.constants),
        bytes_(bytes),
        width_(static_cast<size_t>(ir::bit_width(nest.dtype) / 8)),
        vars_(nest.space.size()) {
    for (const ir::Constant& c : constants_) operands_.push_back(c.bytes());
  }

  void run() {
    const int64_t length = nest_.space.back(), band = band_of(nest_);
    for (int64_t from = 0; from < length; from += band)
      for (int64_t row = 0; row < nest_.outputs; row += length)
        move(row, from, std::min(from + band, length));
  }

 private:
  void move(int64_t row, int64_t from, int64_t to) {
    int64_t rest = row;
    for (size_t i = vars_.size(); i-- > 0; rest /= nest_.space[i]) vars_[i] = rest % nest_.space[i];
    ends_ = {to};
    for (const meaning::CompiledRead& read : nest_.reads)
      if (!read.in_bounds) add_ends(read, vars_, ends_);
    std::ranges::sort(ends_);
    for (const int64_t end : ends_) {
      if (end <= from || end > to) continue;
      piece(row + from, end - from);
      from = end;
    }
  }

  void piece(int64_t at, int64_t count) {
    const Place first = runner_.number(at);
    if (first.input < 0) {
      for (int64_t i = 0; i < count; ++i) {
        ir::store_number(nest_.dtype, bytes_, at + i, first.fill);
        watch_.moved(1);
      }
      return;
    }
    const int64_t stride = count > 1 ? runner_.number(at + 1).at - first.at : 1;
    const std::span<const std::byte> operand = operands_[static_cast<size_t>(first.input)];
    copy_run(width_, bytes_.data() + static_cast<size_t>(at) * width_,
             operand.data() + static_cast<size_t>(first.at) * width_, stride, count);
    watch_.moved(count);
    constexpr size_t kMostInMemory = size_t{64} << 20;
    moved_ += static_cast<size_t>(count) * width_;
    if (moved_ < kMostInMemory) return;
    for (const ir::Constant& c : constants_) c.release();
    moved_ = 0;
  }

  Watch& watch_;
  const meaning::CompiledNest& nest_;
  NestRunner<Places, ConstantSource>& runner_;
  std::span<const ir::Constant> constants_;
  std::span<std::byte> bytes_;
  size_t width_;
  std::vector<int64_t> vars_, ends_;
  std::vector<std::span<const std::byte>> operands_;
  size_t moved_ = 0;  ///< bytes, since operands were last released
};

ir::Constant run(const meaning::CompiledNest& nest, std::string_view what, ConstantSource& source,
                 ir::TypeId type, const Deadline& until) {
  Watch watch(until);
  Places places;
  NestRunner<Places, ConstantSource> runner(places, nest, what, source);
  std::vector<std::byte> bytes(static_cast<size_t>(ir::byte_size(nest.dtype, nest.outputs)));
  const bool rows = moves_rows(nest);
  if (rows) Rows(nest, runner, source, bytes, watch).run();
  for (int64_t i = 0; !rows && i < nest.outputs; ++i) {
    watch.moved(1);
    if (nest.result.sort == meaning::Sort::kInteger) {
      ir::store_integer(nest.dtype, bytes, i, runner.integer(i));
      continue;
    }
    const Place place = runner.number(i);
    if (place.input < 0)
      ir::store_number(nest.dtype, bytes, i, place.fill);
    else
      copy_element(nest.dtype, bytes, i, source.constants[static_cast<size_t>(place.input)].bytes(),
                   place.at);
  }
  const size_t length = bytes.size();
  return {type, ir::make_buffer(std::move(bytes)), 0, length};
}

}  // namespace

std::vector<ir::Constant> move_bits(const ir::Graph& graph, ir::ValueId v,
                                    std::span<const ir::Constant> operands, const Deadline& until) {
  const ir::Context& ctx = graph.context();
  std::vector<ir::TypeId> types;
  ConstantSource source{operands, {}};
  for (ir::ValueId o : graph.operands(v)) {
    types.push_back(graph.type_id(o));
    source.dtypes.push_back(graph.type(o).dtype);
  }
  if (keeps_order(graph.def(v))) {
    ir::Constant shared = operands[0];
    shared.type = graph.type_id(v);
    return {shared};
  }
  const ir::OpInstance instance(graph.context(), graph.def(v), graph.attrs(v), types, graph.type_id(v));
  const std::string what = meaning::describe(graph, v);
  const std::vector<meaning::CompiledNest> nests = meaning::compile_nests(instance, what);
  std::vector<ir::Constant> out;
  const ir::Type& type = graph.type(v);
  for (size_t i = 0; i < nests.size(); ++i) {
    const ir::TypeId element = type.kind == ir::TypeKind::kTuple ? type.elements[i] : graph.type_id(v);
    REQUIRE(ir::bit_width(ctx.get(element).dtype) > 0, what + ": elements without a size");
    out.push_back(run(nests[i], what, source, element, until));
  }
  return out;
}

}  // namespace isomer::eval
