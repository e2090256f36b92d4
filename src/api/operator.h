// An operator at its types, in standard types: what nodes of programs, e-nodes and questions for a cost say
// of themselves to callers from outside.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "ir/op.h"

namespace isomer::api {

/// A number, or the name of a size that is not known; "?" where it has none.
using Dimension = std::variant<int64_t, std::string>;
using Attribute = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                               std::vector<std::string>, std::vector<Dimension>>;

struct ValueType {
  std::string dtype;             ///< "f32"; empty for what is no tensor
  std::vector<Dimension> shape;  ///< empty too where the rank is not known
  std::string text;              ///< "f32[2,N]", "(f32[2], i64[])"
};

struct Operator {
  std::string op;
  std::map<std::string, Attribute> attributes;  ///< those that are present
  std::vector<ValueType> operands;
  ValueType type;    ///< of the result
  double flops = 0;  ///< as cost/flops.h counts; sizes that are not known count as 64
  double bytes = 0;  ///< read and written
};

ValueType describe(const ir::Context& ctx, ir::TypeId type);
/// One attribute, as it stands in an operator of this declaration.
Attribute describe(const ir::Context& ctx, const ir::AttrSpec& spec, ir::AttrId attribute);
Operator describe(const ir::OpInstance& op);

}  // namespace isomer::api
