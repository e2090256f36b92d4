#include "formats/sexpr/taso_nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/op_table.h"
#include "ir/taso_words.h"
#include "support/hash.h"
#include "support/lexer.h"

namespace isomer::formats {
namespace {

std::string describe(const TasoNode& child) {
  if (const auto* i = std::get_if<int64_t>(&child)) return fmt::format("the integer {}", *i);
  if (const auto* s = std::get_if<std::string>(&child)) return fmt::format("the name {}", *s);
  return "a tensor";
}

}  // namespace

std::vector<int64_t> parse_dims(std::string_view text, const InputPosition& where) {
  std::vector<int64_t> dims;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('_', begin), text.size());
    int64_t value = 0;
    if (!parse_integer(text.substr(begin, end - begin), value) || value < 0 || value > (int64_t{1} << 40))
      throw InputError(where, fmt::format("expected dimensions d0_d1_..., found '{}'", text));
    dims.push_back(value);
    begin = end + 1;
  }
  return dims;
}

std::string join_dims(std::span<const int64_t> dims) { return fmt::format("{}", fmt::join(dims, "_")); }

ir::ValueId TasoNodes::leaf(bool weight, const std::string& name, const InputPosition& where) {
  const size_t at = name.find('@');
  if (at == std::string::npos)
    throw InputError(where,
                     fmt::format("expected a name with its dimensions, id@d0_d1_..., found '{}'", name));
  return leaf(weight, name.substr(0, at), parse_dims(std::string_view(name).substr(at + 1), where), where);
}

ir::ValueId TasoNodes::leaf(bool weight, const std::string& id, const std::vector<int64_t>& dims,
                            const InputPosition& where) {
  ir::Context& ctx = builder_.context();
  const ir::TypeId type = ctx.tensor_type(ir::DType::kF32, ir::static_shape(dims));
  const uint64_t key = hash_combine(hash_string(id, weight ? 1 : 2), type.v);
  for (auto [it, end] = known_.equal_range(key); it != end; ++it)
    if (builder_.so_far().name(it->second) == id && builder_.type_id(it->second) == type) return it->second;
  ir::ValueId v;
  if (weight) {
    v = place(ctx.ops().at("weight"), {{"name", id}, {"type", static_cast<int64_t>(type.v)}}, {}, "weight",
              where);
    builder_.set_name(v, id);
  } else {
    v = builder_.input(id, type);
  }
  known_.emplace(key, v);
  return v;
}

ir::ValueId TasoNodes::split(int64_t axis, int64_t position, ir::ValueId x, const InputPosition& where) {
  return place(builder_.context().ops().at("taso.split"), {{"axis", axis}, {"pos", position}}, {x}, "split",
               where);
}

ir::ValueId TasoNodes::add(std::string_view word, std::span<const TasoNode> children,
                           const InputPosition& where) {
  if (word == "input" || word == "weight") {
    const auto* name = children.size() == 1 ? std::get_if<std::string>(&children[0]) : nullptr;
    if (!name)
      throw InputError(where, fmt::format("expected one name id@d0_d1_... as the child of {}", word));
    return leaf(word == "weight", *name, where);
  }
  const ir::TasoWord* entry = ir::find_taso_word(word);
  if (!entry)
    throw InputError(where, fmt::format("expected an operator of TENSAT's language, found '{}'", word));
  if (word == "split" && children.size() == 3 && std::holds_alternative<ir::ValueId>(children[1]) &&
      std::holds_alternative<int64_t>(children[0]) && std::holds_alternative<int64_t>(children[2]))
    return split(std::get<int64_t>(children[0]), std::get<int64_t>(children[2]),
                 std::get<ir::ValueId>(children[1]), where);
  if (word == "split")
    throw InputError(
        where,
        "expected a split with its position: axis, tensor, position (TENSAT's own split takes it from "
        "the last concat, which its text does not say)");
  if (children.size() != entry->children.size())
    throw InputError(where, fmt::format("{}: expected {} children, found {}", word, entry->children.size(),
                                        children.size()));

  std::vector<ir::NamedAttr> attrs;
  std::vector<ir::ValueId> operands;
  for (size_t i = 0; i < children.size(); ++i) {
    const ir::TasoChild& slot = entry->children[i];
    const auto wrong = [&](const char* expected) {
      throw InputError(where, fmt::format("{}, child {}: expected {}, found {}", word, i + 1, expected,
                                          describe(children[i])));
    };
    switch (slot.kind) {
      case ir::TasoChildKind::kOperand: {
        const auto* v = std::get_if<ir::ValueId>(&children[i]);
        if (!v) wrong("a tensor");
        operands.push_back(*v);
        break;
      }
      case ir::TasoChildKind::kInteger: {
        const auto* v = std::get_if<int64_t>(&children[i]);
        if (!v) wrong("an integer");
        attrs.push_back({slot.attr, *v});
        break;
      }
      case ir::TasoChildKind::kName: {
        const auto* v = std::get_if<std::string>(&children[i]);
        const auto* one = std::get_if<int64_t>(&children[i]);  // a shape of rank 1 reads as an integer
        if (!v && !one) wrong("a name d0_d1_...");
        const std::vector<int64_t> dims = v ? parse_dims(*v, where) : std::vector<int64_t>{*one};
        if (slot.attr == "shape")
          attrs.push_back({slot.attr, ir::static_shape(dims)});
        else
          attrs.push_back({slot.attr, dims});
        break;
      }
      case ir::TasoChildKind::kIgnored:
        if (!std::holds_alternative<int64_t>(children[i])) wrong("an integer");
        break;
    }
  }
  if (entry->index >= 0) attrs.push_back({"index", static_cast<int64_t>(entry->index)});
  return place(builder_.context().ops().at(entry->op), attrs, operands, word, where);
}

ir::ValueId TasoNodes::place(ir::OpId op, const std::vector<ir::NamedAttr>& attrs,
                             const std::vector<ir::ValueId>& operands, std::string_view word,
                             const InputPosition& where) {
  const ir::PayloadId payload = builder_.make_payload(op, attrs);
  uint64_t key = hash_combine(op.v, payload.v);
  for (ir::ValueId o : operands) key = hash_combine(key, o.v);
  const ir::Graph& graph = builder_.so_far();
  for (auto [it, end] = known_.equal_range(key); it != end; ++it) {
    const ir::ValueId v = it->second;
    if (graph.op(v) == op && graph.payload(v) == payload && std::ranges::equal(graph.operands(v), operands))
      return v;
  }
  ir::ValueId v;
  const ir::Inferred type = builder_.try_add(op, payload, operands, v);
  if (!type) throw InputError(where, fmt::format("{}: {}", word, type.error));
  known_.emplace(key, v);
  return v;
}

ir::Graph TasoNodes::finish(ir::ValueId root) { return ir::prune(builder_.finish({root})); }

}  // namespace isomer::formats
