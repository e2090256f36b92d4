#include <fmt/format.h>

#include "formats/sexpr/sexpr.h"
#include "formats/sexpr/taso_nodes.h"
#include "support/files.h"
#include "support/lexer.h"

namespace isomer::formats {
namespace {

constexpr int kMaxDepth = 2000;  // the parser is recursive: deeper programs come as .dag

TasoNode read_node(TokenReader& in, TasoNodes& nodes, int depth) {
  const Token token = in.next();
  if (token.kind == TokenKind::kInteger) {
    int64_t value = 0;
    if (!parse_integer(token.text, value))
      in.fail(token, fmt::format("the integer {} is too large", token.text));
    return value;
  }
  if (token.kind == TokenKind::kSymbol) return token.text;
  if (!token.is("("))
    in.fail(token, fmt::format("expected an integer, a name or '(', found '{}'", token.text));
  if (depth > kMaxDepth) in.fail(token, fmt::format("expected a term of depth at most {}", kMaxDepth));
  const Token word = in.expect(TokenKind::kSymbol, "an operator");
  std::vector<TasoNode> children;
  while (!in.peek().is(")")) {
    if (in.at_end()) in.fail_expected("')'");
    children.push_back(read_node(in, nodes, depth + 1));
  }
  in.next();
  return nodes.add(word.text, children, in.position(word));
}

}  // namespace

ir::Graph read_term(ir::Context& ctx, std::string_view text, const std::string& file) {
  TokenReader in(text, file);
  TasoNodes nodes(ctx, file);
  const Token first = in.peek();
  const TasoNode root = read_node(in, nodes, 0);
  if (!std::holds_alternative<ir::ValueId>(root)) in.fail(first, "expected a term (operator child ...)");
  if (!in.at_end()) in.fail_expected("the end of the text after one term");
  return nodes.finish(std::get<ir::ValueId>(root));
}

ir::Graph read_sexpr_file(ir::Context& ctx, const std::string& path) {
  const std::string text = read_file(path);
  if (path.ends_with(".model")) return read_model(ctx, text, path);
  if (path.ends_with(".dag")) return read_dag(ctx, text, path);
  return read_term(ctx, text, path);
}

}  // namespace isomer::formats
