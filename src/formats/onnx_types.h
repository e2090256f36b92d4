// ONNX's types and ours: tensors with integer, named and unknown dimensions one to one; sequences, maps,
// optionals and sparse tensors are carried as serialized text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "ir/context.h"

namespace onnx {
class GraphProto;
class TypeProto;
}  // namespace onnx

namespace isomer::formats {

/// Values for named dimensions (--dim name=value).
using DimValues = std::map<std::string, int64_t>;

/// Of ONNX's own operators.
bool is_standard_domain(std::string_view domain);
/// The element type of ONNX's number; nothing for those that this build does not know.
std::optional<ir::DType> element_type(int64_t number);
/// ONNX's number of an element type. InputError for those that it has no name for.
int onnx_number(ir::DType dtype);
/// Puts the values in the place of the names, also within sequences and optionals.
void fix_dims(onnx::TypeProto& type, const DimValues& dims);
/// Results whose sizes depend on what elements are: exporters give them names of other sizes.
std::unordered_set<std::string> counted_results(const onnx::GraphProto& graph);
/// The type after fix_dims. A type without element type, or of one that this build does not know, is unknown.
/// With a `symbol_prefix`, dimension i without value and name becomes the symbol "<prefix>:i".
ir::TypeId read_type(ir::Context& ctx, const onnx::TypeProto& type, const std::string& symbol_prefix = {});
/// False when a static tensor (also within a tuple) has more elements than 2^56: sizes of such are not
/// computed with.
bool is_countable(const ir::Context& ctx, ir::TypeId type);
/// False, and `out` untouched, when the type is unknown or a tuple.
bool write_type(const ir::Context& ctx, ir::TypeId type, onnx::TypeProto& out);
/// Whether a value may have both types: equal where both are known.
bool compatible(const ir::Context& ctx, ir::TypeId a, ir::TypeId b);

}  // namespace isomer::formats
