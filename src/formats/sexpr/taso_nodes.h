// Adds nodes of TENSAT's language to a graph: the part that its three text forms (.model, .dag,
// S-expressions) share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "ir/graph.h"
#include "support/errors.h"

namespace isomer::formats {

/// A child as it is written: an integer, a name, or a node that was added before.
using TasoNode = std::variant<int64_t, std::string, ir::ValueId>;

class TasoNodes {
 public:
  TasoNodes(ir::Context& ctx, std::string title) : builder_(ctx, std::move(title)) {}

  /// The node `word` with these children; equal nodes are one. All tensors are f32. Throws InputError at
  /// `where` for an unknown word, wrong children, or operands whose types do not fit.
  ir::ValueId add(std::string_view word, std::span<const TasoNode> children, const InputPosition& where);
  /// Leaves: `name` is id@d0_d1_...
  ir::ValueId leaf(bool weight, const std::string& name, const InputPosition& where);
  ir::ValueId leaf(bool weight, const std::string& id, const std::vector<int64_t>& dims,
                   const InputPosition& where);
  /// split with its position, which TENSAT's text leaves out.
  ir::ValueId split(int64_t axis, int64_t position, ir::ValueId x, const InputPosition& where);

  ir::Builder& builder() { return builder_; }
  ir::Graph finish(ir::ValueId root);

 private:
  ir::ValueId place(ir::OpId op, const std::vector<ir::NamedAttr>& attrs,
                    const std::vector<ir::ValueId>& operands, std::string_view word,
                    const InputPosition& where);

  ir::Builder builder_;
  std::unordered_multimap<uint64_t, ir::ValueId> known_;
};

/// d0_d1_... as integers; InputError when it is something else.
std::vector<int64_t> parse_dims(std::string_view text, const InputPosition& where);
std::string join_dims(std::span<const int64_t> dims);

}  // namespace isomer::formats
