#include <fmt/format.h>

#include "formats/sexpr/sexpr.h"
#include "formats/sexpr/taso_nodes.h"
#include "ir/taso_words.h"
#include "support/lexer.h"

namespace isomer::formats {
namespace {

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (size_t i = 0; i < line.size();) {
    if (line[i] == ' ' || line[i] == '\t' || line[i] == '\r') {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < line.size() && line[end] != ' ' && line[end] != '\t' && line[end] != '\r') ++end;
    words.push_back(line.substr(i, end - i));
    i = end;
  }
  return words;
}

}  // namespace

ir::Graph read_dag(ir::Context& ctx, std::string_view text, const std::string& file) {
  TasoNodes nodes(ctx, file);
  std::vector<TasoNode> lines;
  int line = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::vector<std::string_view> words = split_words(text.substr(begin, end - begin));
    begin = end + 1;
    const InputPosition where{file, ++line, 0};
    if (words.empty()) throw InputError(where, "expected a node, found an empty line");
    if (words.size() == 1) {
      int64_t value = 0;
      if (parse_integer(words[0], value))
        lines.emplace_back(value);
      else
        lines.emplace_back(std::string(words[0]));
      continue;
    }
    std::vector<TasoNode> children;
    for (size_t i = 1; i < words.size(); ++i) {
      int64_t child = 0;
      if (!parse_integer(words[i], child) || child < 0 || child >= static_cast<int64_t>(lines.size()))
        throw InputError(
            where, fmt::format("{}, child {}: expected the number of an earlier line (0 to {}), found '{}'",
                               words[0], i, static_cast<int64_t>(lines.size()) - 1, words[i]));
      children.push_back(lines[static_cast<size_t>(child)]);
    }
    lines.emplace_back(nodes.add(words[0], children, where));
  }
  if (lines.empty()) throw InputError({file, 0, 0}, "expected at least one node, found an empty file");
  const auto* root = std::get_if<ir::ValueId>(&lines.back());
  if (!root)
    throw InputError({file, line, 0}, "expected an operator on the last line (the root), found an attribute");
  return nodes.finish(*root);
}

}  // namespace isomer::formats
