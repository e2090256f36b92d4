#include "rewrite/rule_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rewrite/taso_rules.h"
#include "rewrite/term_parser.h"
#include "support/files.h"
#include "support/lexer.h"

namespace isomer::rewrite {
namespace {

bool has_variables_of(const Term& term, size_t tensors) {
  std::set<uint32_t> seen;
  for (const TermNode& n : term.nodes)
    if (n.is_variable) seen.insert(n.variable);
  return seen.size() == tensors;
}

class RuleFileParser {
 public:
  RuleFileParser(const ir::OpTable& ops, TokenReader in) : ops_(ops), in_(std::move(in)) {}

  RuleSet run() {
    while (!in_.at_end())
      if (in_.take_symbol("aim"))
        aim();
      else
        rule();
    return std::move(out_);
  }

 private:
  /// `aim "moves of data are merged";`: of the rules that follow, up to the next.
  void aim() {
    aim_ = in_.expect(TokenKind::kString, "what the rules that follow achieve, in quotation marks").text;
    in_.expect(";");
  }

  void rule() {
    if (!in_.take_symbol("rule")) in_.fail_expected("'rule'");
    const Token name = in_.expect(TokenKind::kSymbol, "the name of a rule");
    if (in_.peek(1).is_symbol("each")) return family(name);
    if (!names_.insert(name.text).second) in_.fail(name, fmt::format("a second rule named {}", name.text));
    Rule rule;
    rule.name = name.text;
    rule.file = in_.file();
    rule.line = name.line;
    rule.aim = aim_;
    bool both = false;
    TermParser terms(in_, ops_, rule);
    in_.expect("{");
    while (!in_.take("}")) {
      statement(rule, terms, both);
      if (!in_.peek().is("}")) in_.expect(";");
    }
    read_right_sides(rule, terms);
    if (rule.left.empty()) in_.fail(name, fmt::format("expected LEFT => RIGHT in the rule {}", name.text));
    for (const Term& left : rule.left)
      if (left.nodes.back().is_variable)
        in_.fail(name, fmt::format("{}: expected an operator at the root of a left side", name.text));
    if (both)
      add_reverse(rule, name);
    else
      out_.rules.push_back(std::move(rule));
  }

  /// `each F in relu, clip{min=?a, max=?b};`: one rule for each operator, with the operator for F.
  void family(const Token& name) {
    in_.expect("{");
    in_.next();
    const Token letter = in_.expect(TokenKind::kSymbol, "a name that stands for operators");
    if (!in_.take_symbol("in")) in_.fail_expected("'in' and operators");
    std::vector<std::vector<Token>> members;
    do {
      members.push_back({in_.expect(TokenKind::kSymbol, "an operator")});
      if (!in_.peek().is("{")) continue;
      do {
        if (in_.at_end()) in_.fail_expected("'}'");
        members.back().push_back(in_.next());
      } while (!members.back().back().is("}"));
    } while (in_.take(","));
    in_.expect(";");
    std::vector<Token> body;
    for (int depth = 1; depth > 0;) {
      if (in_.at_end()) in_.fail_expected("'}'");
      body.push_back(in_.next());
      depth += body.back().is("{") ? 1 : body.back().is("}") ? -1 : 0;
    }
    const size_t place = name.text.find(letter.text);
    if (place == std::string::npos)
      in_.fail(name, fmt::format("expected {} in the name, which tells the rules apart", letter.text));
    for (const std::vector<Token>& member : members) {
      Token own = name;
      own.text.replace(place, letter.text.size(), member[0].text);
      std::vector<Token> tokens = {Token{TokenKind::kSymbol, "rule", name.line, name.column}, own,
                                   Token{TokenKind::kMark, "{", name.line, name.column}};
      for (const Token& token : body) {
        if (tokens.back().is("(") && token.is_symbol(letter.text))
          tokens.insert(tokens.end(), member.begin(), member.end());
        else
          tokens.push_back(token);
      }
      tokens.push_back(in_.peek());
      tokens.back().kind = TokenKind::kEnd;
      RuleFileParser parser(ops_, TokenReader(std::move(tokens), in_.file()));
      parser.names_ = names_;
      parser.aim_ = aim_;
      out_.append(parser.run());
      names_ = std::move(parser.names_);
    }
  }

  void statement(Rule& rule, TermParser& terms, bool& both) {
    const Token at = in_.peek();
    if (at.is("(")) {
      if (!rule.lets.empty() || !rule.conditions.empty() || !rule.finite_conditions.empty())
        in_.fail(at, "expected all arrows before `let`, `if` and `finite`");
      rule.left.push_back(terms.term(Side::kLeft));
      if (in_.take("<=>"))
        both = true;
      else if (!in_.take("=>"))
        in_.fail_expected("'=>' or '<=>'");
      // A right side may use variables of later left sides and of lets: it is read when the rule's end is
      // seen.
      right_sides_.push_back(in_.mark());
      skip_term();
      return;
    }
    const Token word = in_.expect(TokenKind::kSymbol,
                                  "an arrow or one of origin, stability, dtypes, let, if, finite, ordered");
    if (word.text == "origin") {
      rule.origin = in_.expect(TokenKind::kString, "the origin in quotation marks").text;
    } else if (word.text == "stability") {
      const Token s = in_.expect(TokenKind::kSymbol, "exact, reassociates or unstable");
      if (s.text == "exact")
        rule.stability = Stability::kExact;
      else if (s.text == "reassociates")
        rule.stability = Stability::kReassociates;
      else if (s.text == "unstable")
        rule.stability = Stability::kUnstable;
      else
        in_.fail(s, fmt::format("expected exact, reassociates or unstable, found '{}'", s.text));
    } else if (word.text == "dtypes") {
      do {
        const Token d = in_.expect(TokenKind::kSymbol, "an element type");
        const auto dtype = ir::parse_dtype(d.text);
        if (!dtype) in_.fail(d, fmt::format("expected an element type such as f32, found '{}'", d.text));
        rule.dtypes.push_back(*dtype);
      } while (in_.take(","));
    } else if (word.text == "ordered") {
      rule.symmetric = false;
    } else if (word.text == "let") {
      const Token name = in_.expect(TokenKind::kVariable, "a variable");
      in_.expect("=");
      Expr value = terms.expression();
      const size_t before = rule.attributes.size();
      const uint32_t index = terms.attribute(name, true);
      if (rule.attributes.size() == before) in_.fail(name, fmt::format("?{} has a value already", name.text));
      rule.lets.push_back({index, std::move(value)});
    } else if (word.text == "if") {
      do rule.conditions.push_back(terms.expression());
      while (in_.take(","));
    } else if (word.text == "finite") {
      do rule.finite_conditions.push_back(terms.expression());
      while (in_.take(","));
    } else {
      in_.fail(
          word,
          fmt::format("expected origin, stability, dtypes, let, if, finite, ordered or an arrow, found '{}'",
                      word.text));
    }
  }

  void skip_term() {
    int depth = 0;
    do {
      if (in_.at_end()) in_.fail_expected("')'");
      const Token token = in_.next();
      depth += token.is("(") ? 1 : token.is(")") ? -1 : 0;
    } while (depth > 0);
  }

  void read_right_sides(Rule& rule, TermParser& terms) {
    const size_t end = in_.mark();
    for (size_t at : right_sides_) {
      in_.rewind(at);
      rule.right.push_back(terms.term(Side::kRight));
      if (!in_.peek().is(";") && !in_.peek().is("}")) in_.fail_expected("';' after the right side");
    }
    in_.rewind(end);
    right_sides_.clear();
  }

  void add_reverse(Rule& rule, const Token& name) {
    if (rule.is_multi() || !rule.lets.empty())
      in_.fail(name, "expected => in a rule with several arrows or with let");
    Rule reverse = rule;
    reverse.name += ".reverse";
    std::swap(reverse.left, reverse.right);
    for (const TermNode& n : reverse.left[0].nodes)
      for (const Expr& e : n.attrs)
        if (e.kind == Expr::Kind::kCall || e.kind == Expr::Kind::kRoot)
          in_.fail(name,
                   fmt::format("{}: a computed attribute cannot be read from right to left", name.text));
    std::set<uint32_t> bound;
    for (const TermNode& n : reverse.left[0].nodes)
      for (const Expr& e : n.attrs)
        if (e.kind == Expr::Kind::kAttr) bound.insert(e.index);
    if (bound.size() != reverse.attributes.size())
      in_.fail(name,
               fmt::format("{}: its right side lacks attributes, so it cannot be read from right to left",
                           name.text));
    if (reverse.left[0].nodes.back().is_variable)
      in_.fail(name, fmt::format("{}: a variable alone cannot be a left side", name.text));
    if (!has_variables_of(reverse.left[0], reverse.tensors.size()))
      in_.fail(name,
               fmt::format("{}: its right side lacks variables, so it cannot be read from right to left",
                           name.text));
    out_.rules.push_back(std::move(rule));
    out_.rules.push_back(std::move(reverse));
  }

  const ir::OpTable& ops_;
  TokenReader in_;
  RuleSet out_;
  std::set<std::string> names_;
  std::string aim_;
  std::vector<size_t> right_sides_;  ///< of the rule being read
};

struct Line {
  int number;
  std::string_view text;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> out;
  int number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (!line.starts_with('#') && line.find_first_not_of(" \t\r") != std::string_view::npos)
      out.push_back({number, line});
  }
  return out;
}

std::vector<Token> tokens_of(const Line& line, const std::string& file) {
  std::vector<Token> tokens = tokenize(line.text, file);
  for (Token& t : tokens) t.line = line.number;
  return tokens;
}

Expr dim_of(uint32_t tensor, int64_t axis) {
  Expr x, i, e;
  x.kind = Expr::Kind::kTensor;
  x.index = tensor;
  i.kind = Expr::Kind::kLiteral;
  i.value = axis;
  e.kind = Expr::Kind::kCall;
  e.function = Function::kDim;
  e.args = {std::move(x), std::move(i)};
  return e;
}

Expr equal(Expr a, Expr b) {
  Expr out;
  out.kind = Expr::Kind::kCall;
  out.function = Function::kEqual;
  out.args = {std::move(a), std::move(b)};
  return out;
}

/// TASO takes rules that join channels or kernels to hold for grouped convolutions too, where they do not:
/// the convolutions of a left side must then have one group. (Where operands are no variables they are equal
/// terms.)
void require_one_group(const ir::OpTable& ops, Rule& rule) {
  const ir::OpId concat = ops.at("taso.concat"), conv = ops.at("taso.conv2d");
  const auto axis = static_cast<size_t>(ops.get(concat).attr_index("axis"));
  bool joins = false;
  for (const auto* side : {&rule.left, &rule.right})
    for (const Term& term : *side)
      for (const TermNode& n : term.nodes) {
        if (!n.is_variable && n.op == concat)
          joins = joins || n.attrs[axis].value == ir::AttrValue(int64_t{1});
        if (n.is_variable || n.op != conv) continue;
        const TermNode& kernel = term.nodes[n.children[1]];
        joins = joins || (!kernel.is_variable && kernel.op == concat);
      }
  if (!joins) return;
  for (const Term& term : rule.left)
    for (const TermNode& n : term.nodes) {
      if (n.is_variable || n.op != conv) continue;
      const TermNode &x = term.nodes[n.children[0]], &w = term.nodes[n.children[1]];
      if (!x.is_variable || !w.is_variable) continue;
      rule.conditions.push_back(equal(dim_of(x.variable, 1), dim_of(w.variable, 1)));
    }
}

/// And takes two convolutions side by side for one of two groups, whatever their numbers of kernels: groups
/// are of one size.
void require_equal_groups(const ir::OpTable& ops, Rule& rule) {
  const ir::OpId concat = ops.at("taso.concat"), conv = ops.at("taso.conv2d");
  const auto axis = static_cast<size_t>(ops.get(concat).attr_index("axis"));
  const auto joins = [&](const Term& term, uint32_t n, int64_t along) {
    const TermNode& node = term.nodes[n];
    return !node.is_variable && node.op == concat && node.attrs[axis].value == ir::AttrValue(along);
  };
  for (const auto* side : {&rule.left, &rule.right})
    for (const Term& term : *side)
      for (const TermNode& n : term.nodes) {
        if (n.is_variable || n.op != conv || !joins(term, n.children[0], 1) || !joins(term, n.children[1], 0))
          continue;
        const auto& kernels = term.nodes[n.children[1]].children;
        const TermNode &a = term.nodes[kernels[0]], &b = term.nodes[kernels[1]];
        if (a.is_variable && b.is_variable && a.variable != b.variable)
          rule.conditions.push_back(equal(dim_of(a.variable, 0), dim_of(b.variable, 0)));
      }
}

/// Reads `left => right` of a line, the right side after all left sides of the rule.
Rule tensat_rule(const ir::OpTable& ops, std::span<const Line> lines, const std::string& file,
                 std::string name) {
  Rule rule;
  rule.name = std::move(name);
  rule.origin = "TASO, as TENSAT runs it";
  rule.file = file;
  rule.line = lines[0].number;
  std::vector<TokenReader> readers;
  for (const Line& line : lines) {
    readers.emplace_back(tokens_of(line, file), file);
    TokenReader& in = readers.back();
    rule.left.push_back(TermParser(in, ops, rule).tensat_term(Side::kLeft));
    if (rule.left.back().nodes.back().is_variable)
      in.fail_expected("an operator at the root of a left side before this");
    in.expect("=>");
  }
  for (TokenReader& in : readers) {
    rule.right.push_back(TermParser(in, ops, rule).tensat_term(Side::kRight));
    if (!in.at_end()) in.fail_expected("the end of the line");
  }
  require_one_group(ops, rule);
  require_equal_groups(ops, rule);
  return rule;
}

}  // namespace

RuleSet parse_rules(const ir::OpTable& ops, std::string_view text, const std::string& file) {
  return RuleFileParser(ops, TokenReader(text, file)).run();
}

RuleSet parse_tensat_single(const ir::OpTable& ops, std::string_view text, const std::string& file,
                            const std::string& prefix) {
  RuleSet out;
  for (const Line& line : lines_of(text))
    out.rules.push_back(
        tensat_rule(ops, std::span(&line, 1), file, fmt::format("{}{}", prefix, out.rules.size() + 1)));
  return out;
}

RuleSet parse_tensat_multi(const ir::OpTable& ops, std::string_view text, const std::string& file,
                           const std::string& prefix) {
  const std::vector<Line> lines = lines_of(text);
  if (lines.size() % 2 != 0)
    throw InputError({file, lines.back().number, 0},
                     "expected a second line for this rule: two lines are one multi-pattern rule");
  RuleSet out;
  for (size_t i = 0; i < lines.size(); i += 2)
    out.rules.push_back(tensat_rule(ops, std::span(lines).subspan(i, 2), file,
                                    fmt::format("{}{}", prefix, out.rules.size() + 1)));
  return out;
}

RuleSet parse_taso(const ir::OpTable& ops, std::string_view bytes, const std::string& file,
                   const std::string& prefix) {
  RuleSet single, multi;
  for (const TasoRule& rule : read_taso_rules(bytes, file)) {
    std::vector<Line> lines;
    for (const std::string& arrow : rule.arrows) lines.push_back({0, arrow});
    RuleSet& out = lines.size() == 1 ? single : multi;
    out.rules.push_back(
        tensat_rule(ops, lines, file,
                    fmt::format("{}{}{}", prefix, lines.size() == 1 ? "" : "-multi", out.rules.size() + 1)));
  }
  single.append(std::move(multi));
  return single;
}

RuleSet load_rules(const ir::OpTable& ops, const std::string& path) {
  const std::string text = read_file(path);
  if (path.ends_with(".pb")) return parse_taso(ops, text, path);
  if (path.ends_with(".rules")) return parse_rules(ops, text, path);
  const bool multi = path.find("multi", path.find_last_of('/') + 1) != std::string::npos;
  return multi ? parse_tensat_multi(ops, text, path) : parse_tensat_single(ops, text, path);
}

}  // namespace isomer::rewrite
