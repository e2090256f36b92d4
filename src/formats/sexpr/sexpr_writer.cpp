#include <fmt/format.h>

#include <functional>
#include <unordered_map>

#include "formats/sexpr/sexpr.h"
#include "formats/sexpr/taso_nodes.h"
#include "ir/needed.h"
#include "ir/op_table.h"
#include "ir/taso_words.h"

namespace isomer::formats {
namespace {

/// A value as TENSAT writes it: the word, and its children as text (attributes) or as values.
struct Written {
  std::string word;
  std::vector<std::variant<std::string, ir::ValueId>> children;
};

[[noreturn]] void no_word(const ir::Graph& graph, ir::ValueId v, std::string_view why) {
  throw InputError(
      fmt::format("value {} ({}): TENSAT's language has no word for it: {}", v.v, graph.def(v).name, why));
}

const ir::TasoWord* word_of(const ir::Graph& graph, ir::ValueId v) {
  const ir::OpDef& def = graph.def(v);
  const size_t operands = graph.operands(v).size();
  for (const ir::TasoWord& w : ir::taso_words()) {
    if (w.op != def.name) continue;
    size_t count = 0;
    for (const ir::TasoChild& c : w.children) count += c.kind == ir::TasoChildKind::kOperand;
    if (count != operands) continue;
    if (w.index >= 0 && std::get<int64_t>(graph.context().get(
                            graph.attrs(v)[static_cast<size_t>(def.attr_index("index"))])) != w.index)
      continue;
    return &w;
  }
  return nullptr;
}

Written write_value(const ir::Graph& graph, ir::ValueId v) {
  const ir::Context& ctx = graph.context();
  const ir::OpDef& def = graph.def(v);
  const auto attr = [&](std::string_view name) -> const ir::AttrValue& {
    return ctx.get(graph.attrs(v)[static_cast<size_t>(def.attr_index(name))]);
  };
  if (def.is(ir::Core::kInput) || def.is(ir::Core::kWeight)) {
    const ir::Type& type = graph.type(v);
    if (!type.is_static_tensor() || type.dtype != ir::DType::kF32)
      no_word(graph, v, "expected f32 and static sizes");
    return {def.name,
            {fmt::format("{}@{}", std::get<std::string>(attr("name")), join_dims(ir::sizes(type.shape)))}};
  }
  const ir::TasoWord* word = word_of(graph, v);
  if (!word) no_word(graph, v, "the operator, its number of operands or the part taken");
  Written out{std::string(word->word), {}};
  size_t operand = 0;
  for (const ir::TasoChild& c : word->children) switch (c.kind) {
      case ir::TasoChildKind::kOperand: out.children.emplace_back(graph.operands(v)[operand++]); break;
      case ir::TasoChildKind::kInteger:
        out.children.emplace_back(fmt::format("{}", std::get<int64_t>(attr(c.attr))));
        break;
      case ir::TasoChildKind::kName: {
        if (const auto* ints = std::get_if<std::vector<int64_t>>(&attr(c.attr))) {
          out.children.emplace_back(join_dims(*ints));
        } else {
          const auto& shape = std::get<ir::Shape>(attr(c.attr));
          if (!ir::is_static(shape)) no_word(graph, v, "expected static sizes");
          out.children.emplace_back(join_dims(ir::sizes(shape)));
        }
        break;
      }
      case ir::TasoChildKind::kIgnored: out.children.emplace_back("1"); break;
    }
  if (!word->last.empty()) out.children.emplace_back(fmt::format("{}", std::get<int64_t>(attr(word->last))));
  return out;
}

ir::ValueId only_output(const ir::Graph& graph) {
  if (graph.outputs().size() != 1)
    throw InputError(fmt::format("expected one output (TENSAT's language has one root), found {}",
                                 graph.outputs().size()));
  return graph.outputs()[0];
}

std::vector<bool> reachable(const ir::Graph& graph, ir::ValueId root) {
  std::vector<bool> marked(graph.size());
  marked[root.index()] = true;
  return ir::needed_for(graph, std::move(marked));
}

}  // namespace

std::string write_dag(const ir::Graph& graph) {
  const ir::ValueId root = only_output(graph);
  const std::vector<bool> needed = reachable(graph, root);
  std::string text;
  size_t lines = 0;
  std::unordered_map<std::string, size_t> attributes;
  std::vector<size_t> line_of(graph.size());
  for (size_t i = 0; i <= root.index(); ++i) {
    if (!needed[i]) continue;
    const Written node = write_value(graph, ir::ValueId(i));
    std::string line = node.word;
    for (const auto& child : node.children) {
      if (const auto* v = std::get_if<ir::ValueId>(&child)) {
        line += fmt::format(" {}", line_of[v->index()]);
        continue;
      }
      const auto [it, fresh] = attributes.emplace(std::get<std::string>(child), lines);
      if (fresh) {
        text += it->first + "\n";
        ++lines;
      }
      line += fmt::format(" {}", it->second);
    }
    text += line + "\n";
    line_of[i] = lines++;
  }
  return text;
}

std::string write_term(const ir::Graph& graph) {
  const std::function<std::string(ir::ValueId)> write = [&](ir::ValueId v) {
    const Written node = write_value(graph, v);
    std::string text = "(" + node.word;
    for (const auto& child : node.children)
      text += " " + (std::holds_alternative<ir::ValueId>(child) ? write(std::get<ir::ValueId>(child))
                                                                : std::get<std::string>(child));
    return text + ")";
  };
  return write(only_output(graph));
}

}  // namespace isomer::formats
