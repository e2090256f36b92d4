#include "formats/onnx_run_time_sizes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ir/size_case.h"
#include "ir/size_sums.h"

namespace isomer::formats {
namespace {

using Atom = ir::Size::Atom;

std::optional<int64_t> number_in(const std::optional<ir::Size>& size) {
  return size && size->is_number() && size->number() > 0 ? std::optional(size->number()) : std::nullopt;
}

/// `wanted` as a multiple or part of what the dimension `had` is.
std::optional<RunTimeSize> as_multiple(const ir::Size& wanted, const ir::Size& had, RunTimeSize source) {
  if (const auto times = number_in(ir::exact_quotient(wanted, had))) {
    source.times = *times;
    return source;
  }
  const auto over = number_in(ir::exact_quotient(had, wanted));
  if (!over) return std::nullopt;
  source.over = *over;
  return source;
}

/// Of one dimension.
std::optional<RunTimeSize> of_dimension(const ir::Context& ctx, const ir::Shape& shape, ir::Dim size,
                                        const Dialect& dialect) {
  const ir::Size wanted = ir::size_of(ctx, size);
  std::optional<RunTimeSize> out;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].is_static() || shape[i].is_unknown()) continue;
    const RunTimeSize there{.axis = static_cast<int64_t>(i)};
    if (shape[i].same(size)) return there;
    if (!out) out = as_multiple(wanted, ir::size_of(ctx, shape[i]), there);
  }
  for (const ir::SymbolId name : dialect.sizes)
    if (!out) out = as_multiple(wanted, ir::size_of(ctx, ir::Dim::symbol(name)), {.of_input = name});
  return out;
}

/// ONNX's Div rounds towards 0.
bool rounds_down(const Atom& quotient) { return ir::SizeFacts().decide(quotient.a, ir::kNegative) == false; }

/// Whether ONNX's arithmetic of integers says it.
bool can_compute(const ir::Context& ctx, const ir::Shape& shape, const ir::Size& size,
                 const Dialect& dialect) {
  constexpr int64_t kRemainder = 10, kExtremes = 12;
  const auto can = [&](const ir::Size& part) { return can_compute(ctx, shape, part, dialect); };
  const auto can_atom = [&](const Atom& atom) {
    if (atom.kind == Atom::Kind::kName)
      return of_dimension(ctx, shape, ir::Dim::symbol(atom.name), dialect).has_value();
    const bool quotient = atom.kind == Atom::Kind::kFloorDiv;
    const int64_t since = quotient ? (rounds_down(atom) ? 0 : kRemainder) : kExtremes;
    return dialect.opset >= since && can(atom.a) && can(atom.b);
  };
  return std::ranges::all_of(size.terms(), [&](const ir::Size::Term& term) {
    return std::ranges::all_of(term.atoms, [&](const auto& atom) { return can_atom(*atom); });
  });
}

std::optional<RunTimeSize> at_run_time(const ir::Context& ctx, const ir::Shape& shape, ir::Dim size,
                                       const Dialect& dialect) {
  if (size.is_static()) return RunTimeSize{.number = size.size()};
  if (size.is_unknown()) return std::nullopt;
  if (const auto there = of_dimension(ctx, shape, size, dialect)) return there;
  ir::Size wanted = ir::size_of(ctx, size);
  if (wanted.identical(ir::Size::named(size.symbol())) || !can_compute(ctx, shape, wanted, dialect))
    return std::nullopt;
  return RunTimeSize{.formula = std::move(wanted)};
}

/// Nodes whose results are lists of one integer.
class SizeNodes {
 public:
  explicit SizeNodes(NodeWriter& w) : w_(w) {
    if (w.inputs() > 0) shape_ = w.type(0).shape;
  }

  std::string of(const RunTimeSize& size) {
    if (size.formula) return of(*size.formula);
    std::string out = size.axis || size.of_input ? dimension(size) : w_.ints({size.number});
    if (size.times != 1) out = w_.helper("Mul", {out, w_.ints({size.times})});
    if (size.over != 1) out = w_.helper("Div", {out, w_.ints({size.over})});
    return out;
  }

 private:
  std::string dimension(const RunTimeSize& size) {
    const auto [tensor, axis] =
        size.of_input ? w_.input_of_size(*size.of_input) : std::pair(w_.in(0), *size.axis);
    std::string& shape = shapes_[tensor];
    if (shape.empty()) shape = w_.helper("Shape", {tensor});
    return w_.helper("Gather", {shape, w_.ints({axis})});
  }

  std::string of(const ir::Size& size) {
    std::string sum;
    for (const ir::Size::Term& term : size.terms()) {
      std::string product;
      for (const auto& atom : term.atoms)
        product = product.empty() ? of(*atom) : w_.helper("Mul", {product, of(*atom)});
      if (product.empty())
        product = w_.ints({term.factor});
      else if (term.factor != 1)
        product = w_.helper("Mul", {product, w_.ints({term.factor})});
      sum = sum.empty() ? product : w_.helper("Add", {sum, product});
    }
    return sum.empty() ? w_.ints({0}) : sum;
  }

  std::string of(const Atom& atom) {
    if (atom.kind == Atom::Kind::kName)
      return of(*of_dimension(w_.context(), shape_, ir::Dim::symbol(atom.name), w_.dialect()));
    std::string a = of(atom.a);
    const std::string b = of(atom.b);
    if (atom.kind != Atom::Kind::kFloorDiv)
      return w_.helper(atom.kind == Atom::Kind::kMax ? "Max" : "Min", {a, b});
    if (!rounds_down(atom)) a = w_.helper("Sub", {a, w_.helper("Mod", {a, b})});
    return w_.helper("Div", {a, b});
  }

  NodeWriter& w_;
  ir::Shape shape_;
  std::map<std::string, std::string> shapes_;  // of tensors, by name
};

}  // namespace

std::optional<std::vector<RunTimeSize>> all_at_run_time(const ir::Context& ctx, const ir::Shape& shape,
                                                        const ir::Shape& sizes, const Dialect& dialect) {
  std::vector<RunTimeSize> out;
  for (const ir::Dim d : sizes) {
    const auto size = at_run_time(ctx, shape, d, dialect);
    if (!size) return std::nullopt;
    out.push_back(*size);
  }
  return out;
}

std::string write_sizes(NodeWriter& w, std::span<const RunTimeSize> sizes) {
  SizeNodes nodes(w);
  std::vector<std::string> parts;
  for (const RunTimeSize& size : sizes) parts.push_back(nodes.of(size));
  return parts.size() == 1 ? parts[0] : w.helper("Concat", parts, 0);
}

}  // namespace isomer::formats
