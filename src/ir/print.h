// The textual form, which tests are written in and `isomer graph show` prints. One value a line:
//
//   graph mlp {
//     %0 = input{name="x"} : f32[2,4]
//     %1 = constant{f32[4,4] #9f3a} ...
//     %2 = matmul(%0, %1) : f32[2,4]
//     return %2
//   }
//
// Attributes equal to their fallback are left out. Constants print as  constant : f32[2,2] {1, 2, 3, 4}  up
// to 16 elements, larger ones as  constant : f32[64,64] <#content-hash>, which reads back as that many hashed
// values.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "ir/graph.h"

namespace isomer::ir {

inline constexpr int64_t kPrintedElements = 16;
std::string print(const Graph& graph);
/// Reads the textual form. Throws InputError with line, column and what was expected.
Graph parse_graph(Context& ctx, std::string_view text, const std::string& file = "<text>");
std::string print(const Context& ctx, AttrId attr);
/// An operator with its attributes, apart from any graph: "transpose{perm=[1,0]}", and of what its type is a
/// part of "weight{name=\"w\"} : f32[4,4]". Constants of at most so many elements have them.
std::string print(const Context& ctx, OpId op, PayloadId payload, int64_t elements = kPrintedElements);
/// Reads that. Throws InputError as parse_graph does.
std::pair<OpId, PayloadId> parse_operator(Context& ctx, std::string_view text,
                                          const std::string& file = "<text>");
/// A value's attributes as they stand between the braces, nested graphs by their titles.
std::string print_attributes(const Graph& graph, ValueId v);

}  // namespace isomer::ir
