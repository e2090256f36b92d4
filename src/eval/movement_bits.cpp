#include "eval/movement_bits.h"

#include <cstring>

#include "eval/flatten.h"
#include "eval/nest_run.h"
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
bool keeps_order(const ir::OpDef& op) {
  return op.name == "reshape" || op.name == "squeeze" || op.name == "unsqueeze";
}

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

ir::Constant run(const CompiledNest& nest, ConstantSource& source, ir::TypeId type) {
  Places places;
  NestRunner<Places, ConstantSource> runner(places, nest, source);
  std::vector<std::byte> bytes(static_cast<size_t>(ir::byte_size(nest.dtype, nest.outputs)));
  for (int64_t i = 0; i < nest.outputs; ++i) {
    if (nest.result.sort == Sort::kInteger) {
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
                                    std::span<const ir::Constant> operands) {
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
  const std::vector<CompiledNest> nests = compile_nests(instance, describe(graph, v));
  std::vector<ir::Constant> out;
  const ir::Type& type = graph.type(v);
  for (size_t i = 0; i < nests.size(); ++i) {
    const ir::TypeId element = type.kind == ir::TypeKind::kTuple ? type.elements[i] : graph.type_id(v);
    REQUIRE(ir::bit_width(ctx.get(element).dtype) > 0, describe(graph, v) + ": elements without a size");
    out.push_back(run(nests[i], source, element));
  }
  return out;
}

}  // namespace isomer::eval
