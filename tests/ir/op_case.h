// Operators at given operand types, by name and textual types: what the tests of declarations are written in.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/size_formula.h"

namespace isomer::ir {

/// "f32[2,2*N+1,?]" in a context; formulas without commas.
inline TypeId parse_type(Context& ctx, std::string_view text) {
  const size_t open = text.find('[');
  Shape shape;
  std::string item;
  for (char c : text.substr(open + 1)) {
    if (c != ',' && c != ']') {
      item += c;
      continue;
    }
    const bool number = item.find_first_not_of("0123456789") == std::string::npos;
    if (item == "?")
      shape.push_back(Dim::unknown());
    else if (!item.empty())
      shape.push_back(number ? Dim(std::stoll(item)) : parse_dim(ctx, item));
    item.clear();
  }
  return ctx.tensor_type(parse_dtype(text.substr(0, open)).value(), shape);
}

/// Sizes by name, and a text with these in the place of the names.
using Values = std::map<std::string, int64_t>;
inline std::string with_sizes(std::string text, const Values& values) {
  for (const auto& [name, value] : values)
    for (size_t place; (place = text.find(name)) != std::string::npos;)
      text.replace(place, name.size(), std::to_string(value));
  return text;
}

inline Shape parse_shape(Context& ctx, const std::string& text) {
  return ctx.get(parse_type(ctx, "f32" + text)).shape;
}

class OpCase : public testing::Test {
 protected:
  using Ints = std::vector<int64_t>;

  /// The printed type of the result, or "error: ..." as the type rule has it.
  std::string type_of(std::string_view op, std::vector<std::string> operands,
                      std::vector<NamedAttr> attrs = {}) {
    Builder builder(ctx);
    std::vector<ValueId> values;
    for (const std::string& o : operands) values.push_back(builder.input("x", parse_type(ctx, o)));
    const OpId id = ctx.ops().at(op);
    ValueId out;
    const Inferred result = builder.try_add(id, builder.make_payload(id, attrs), values, out);
    return result ? print(ctx, result.type) : "error: " + result.error;
  }

  /// The nests of an operator at these operands.
  std::vector<LoopNest> nests_of(std::string_view op, std::vector<std::string> operands,
                                 std::vector<NamedAttr> attrs = {}) {
    std::vector<TypeId> types;
    for (const std::string& o : operands) types.push_back(parse_type(ctx, o));
    const OpId id = ctx.ops().at(op);
    const PayloadId payload = Builder(ctx).make_payload(id, attrs);
    const Inferred result = infer(ctx, id, ctx.get(payload), types);
    if (!result) throw std::runtime_error(result.error);
    return ctx.ops().get(id).nests(OpInstance(ctx, ctx.ops().get(id), ctx.get(payload), types, result.type));
  }

  /// A composite's definition as a graph of its own.
  Graph expansion_of(std::string_view op, std::vector<std::string> operands,
                     std::vector<NamedAttr> attrs = {}) {
    Builder builder(ctx);
    std::vector<ValueId> values;
    std::vector<TypeId> types;
    for (const std::string& o : operands) {
      types.push_back(parse_type(ctx, o));
      values.push_back(builder.input("x", types.back()));
    }
    const OpId id = ctx.ops().at(op);
    const PayloadId payload = builder.make_payload(id, attrs);
    const Inferred result = infer(ctx, id, ctx.get(payload), types);
    if (!result) throw std::runtime_error(result.error);
    const ValueId out = ctx.ops().get(id).expand(
        builder, OpInstance(ctx, ctx.ops().get(id), ctx.get(payload), types, result.type), values);
    return builder.finish({out});
  }

  Context ctx{standard_ops()};
};

}  // namespace isomer::ir
