#include "rewrite/rule_print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "rewrite/rule_stability.h"
#include "support/markup.h"

namespace isomer::rewrite {
namespace {

struct LiteralPrinter {
  std::string operator()(int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return fmt::format("{}", v); }
  std::string operator()(const std::string& v) const { return "\"" + v + "\""; }
  std::string operator()(const ir::Shape& v) const {
    std::vector<std::string> dims;
    for (const ir::Dim& d : v) dims.push_back(d.is_static() ? std::to_string(d.size()) : "?");
    return fmt::format("[{}]", fmt::join(dims, ", "));
  }
  template <class T>
  std::string operator()(const std::vector<T>& v) const {
    return fmt::format("[{}]", fmt::join(v, ", "));
  }
};

/// "matmul", "transpose{perm=?p}".
std::string label(const ir::OpTable& ops, const Rule& rule, const TermNode& node) {
  if (node.is_variable) return "?" + rule.tensors[node.variable];
  const ir::OpDef& def = ops.get(node.op);
  std::vector<std::string> attrs;
  for (size_t i = 0; i < node.attrs.size(); ++i) {
    const Expr& e = node.attrs[i];
    const bool fallback = e.kind == Expr::Kind::kLiteral && def.attrs[i].fallback &&
                          ir::identical(e.value, *def.attrs[i].fallback);
    if (e.kind != Expr::Kind::kAbsent && !fallback) attrs.push_back(def.attrs[i].name + "=" + print(rule, e));
  }
  return attrs.empty() ? def.name : fmt::format("{}{{{}}}", def.name, fmt::join(attrs, ", "));
}

void draw_tree(const ir::OpTable& ops, const Rule& rule, const Term& term, uint32_t node,
               const std::string& lead, const std::string& below, std::vector<std::string>& lines) {
  lines.push_back(lead + label(ops, rule, term.nodes[node]));
  const auto& children = term.nodes[node].children;
  for (size_t i = 0; i < children.size(); ++i) {
    const bool last = i + 1 == children.size();
    draw_tree(ops, rule, term, children[i], below + (last ? "└─ " : "├─ "), below + (last ? "   " : "│  "),
              lines);
  }
}

std::vector<std::string> tree(const ir::OpTable& ops, const Rule& rule, const Term& term) {
  std::vector<std::string> lines;
  draw_tree(ops, rule, term, static_cast<uint32_t>(term.nodes.size() - 1), "", "", lines);
  return lines;
}

/// Columns on a terminal: bytes that do not continue a character.
size_t width(const std::string& line) {
  return static_cast<size_t>(std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string print(const Rule& rule, const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::kAbsent: return "absent";
    case Expr::Kind::kLiteral: return std::visit(LiteralPrinter{}, e.value);
    case Expr::Kind::kAttr: {
      const std::string& name = rule.attributes[e.index];
      return name.starts_with("_") ? "_" : "?" + name;
    }
    case Expr::Kind::kTensor: return "?" + rule.tensors[e.index];
    case Expr::Kind::kRoot: return fmt::format("root{}", e.index + 1);
    case Expr::Kind::kCall: break;
  }
  std::vector<std::string> args;
  for (const Expr& a : e.args) args.push_back(print(rule, a));
  const std::string word(row(e.function).word);
  if (e.function == Function::kList) return fmt::format("[{}]", fmt::join(args, ", "));
  if (!row(e.function).mark) return fmt::format("{}({})", word, fmt::join(args, ", "));
  if (args.size() == 1) return word + args[0];
  for (size_t i = 0; i < e.args.size(); ++i) {
    const Expr& inner = e.args[i];
    if (inner.kind == Expr::Kind::kCall && inner.args.size() == 2 && row(inner.function).mark)
      args[i] = "(" + args[i] + ")";
  }
  return fmt::format("{}", fmt::join(args, " " + word + " "));
}

std::string draw(const ir::OpTable& ops, const Rule& rule) {
  std::string out = fmt::format("{}\n  origin: {}\n  {}:{}\n  stability: {}\n", rule.name, rule.origin,
                                rule.file, rule.line, to_string(rule.stability));
  if (!rule.dtypes.empty()) {
    std::vector<std::string> names;
    for (ir::DType d : rule.dtypes) names.emplace_back(ir::name(d));
    out += fmt::format("  dtypes: {}\n", fmt::join(names, ", "));
  }
  for (size_t r = 0; r < rule.left.size(); ++r) {
    const auto left = tree(ops, rule, rule.left[r]), right = tree(ops, rule, rule.right[r]);
    size_t column = 0;
    for (const std::string& line : left) column = std::max(column, width(line));
    out += "\n";
    for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
      const std::string l = i < left.size() ? left[i] : "";
      std::string line = "    " + l + std::string(column - width(l), ' ') +
                         (i == 0 ? "   =>   " : "        ") + (i < right.size() ? right[i] : "");
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
  }
  for (const Rule::Let& let : rule.lets)
    out += fmt::format("  let ?{} = {}\n", rule.attributes[let.attribute], print(rule, let.value));
  for (size_t i = 0; i < rule.conditions.size(); ++i)
    out += fmt::format("{} {}\n", i == 0 ? "\n  if" : "    ", print(rule, rule.conditions[i]));
  for (const Expr& e : rule.finite_conditions) out += fmt::format("  finite {}\n", print(rule, e));
  return out;
}

std::string to_dot(const ir::OpTable& ops, const Rule& rule) {
  std::string out =
      fmt::format("digraph \"{}\" {{\n  rankdir=BT;\n  node [shape=box];\n", quoted_text(rule.name));
  for (const std::string& name : rule.tensors)
    out += fmt::format("  \"?{}\" [shape=ellipse];\n", quoted_text(name));
  const auto side = [&](const std::vector<Term>& terms, const std::string& title) {
    out += fmt::format("  subgraph cluster_{} {{\n    label=\"{}\";\n", title, title);
    std::string edges;
    for (size_t t = 0; t < terms.size(); ++t) {
      const auto name = [&](uint32_t n) {
        const TermNode& node = terms[t].nodes[n];
        return node.is_variable ? "?" + rule.tensors[node.variable] : fmt::format("{}_{}_{}", title, t, n);
      };
      for (uint32_t n = 0; n < terms[t].nodes.size(); ++n) {
        const TermNode& node = terms[t].nodes[n];
        if (node.is_variable) continue;
        out += fmt::format("    \"{}\" [label=\"{}\"];\n", name(n), quoted_text(label(ops, rule, node)));
        for (uint32_t c : node.children)
          edges += fmt::format("  \"{}\" -> \"{}\";\n", quoted_text(name(c)), name(n));
      }
    }
    out += "  }\n" + edges;
  };
  side(rule.left, "left");
  side(rule.right, "right");
  return out + "}\n";
}

}  // namespace isomer::rewrite
