#include "rewrite/term_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "ir/taso_words.h"
#include "rewrite/rule_expr.h"

namespace isomer::rewrite {
namespace {

constexpr int kMaxDepth = 200;
/// Whoever reads expressions follows them down, and a chain of operators nests as brackets do.
constexpr int kMaxOperators = 500;
constexpr size_t kMaxVariables = 1000;  ///< of a rule; they are looked up one by one

Expr literal(ir::AttrValue value) {
  Expr e;
  e.kind = Expr::Kind::kLiteral;
  e.value = std::move(value);
  return e;
}
Expr reference(Expr::Kind kind, uint32_t index) {
  Expr e;
  e.kind = kind;
  e.index = index;
  return e;
}
Expr call_of(Function function, std::vector<Expr> args) {
  Expr e;
  e.kind = Expr::Kind::kCall;
  e.function = function;
  e.args = std::move(args);
  return e;
}
/// Arguments as a list, moved: an initializer list would copy what lies below them.
template <class... E>
std::vector<Expr> args_of(E... args) {
  std::vector<Expr> out;
  out.reserve(sizeof...(args));
  (out.push_back(std::move(args)), ...);
  return out;
}

double parse_double(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string_view kind_name(ir::AttrKind kind) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "an integer",        "a number",          "a string", "a list of integers",
      "a list of numbers", "a list of strings", "a shape"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace

bool convert(ir::AttrValue& value, ir::AttrKind kind) {
  if (ir::kind_of(value) == kind) return true;
  if (kind == ir::AttrKind::kFloat && std::holds_alternative<int64_t>(value)) {
    value = static_cast<double>(std::get<int64_t>(value));
    return true;
  }
  if (kind == ir::AttrKind::kShape && std::holds_alternative<std::vector<int64_t>>(value)) {
    const auto& ints = std::get<std::vector<int64_t>>(value);
    if (std::any_of(ints.begin(), ints.end(), [](int64_t i) { return i < 0; })) return false;
    value = ir::static_shape(std::vector<int64_t>(ints));
    return true;
  }
  if (kind == ir::AttrKind::kInts && std::holds_alternative<ir::Shape>(value)) {
    if (!ir::is_static(std::get<ir::Shape>(value))) return false;
    value = ir::sizes(ir::Shape(std::get<ir::Shape>(value)));
    return true;
  }
  return false;
}

uint32_t TermParser::attribute(const Token& name, bool may_add) {
  const auto it = std::find(rule_.attributes.begin(), rule_.attributes.end(), name.text);
  if (it != rule_.attributes.end()) return static_cast<uint32_t>(it - rule_.attributes.begin());
  if (std::find(rule_.tensors.begin(), rule_.tensors.end(), name.text) != rule_.tensors.end())
    in_.fail(name, fmt::format("expected an attribute variable, but ?{} is a tensor", name.text));
  if (!may_add)
    in_.fail(name, fmt::format("expected a variable of a left side or of let, but ?{} is none", name.text));
  count_variable(name);
  rule_.attributes.push_back(name.text);
  return static_cast<uint32_t>(rule_.attributes.size() - 1);
}

void TermParser::count_variable(const Token& at) const {
  if (rule_.attributes.size() + rule_.tensors.size() >= kMaxVariables)
    in_.fail(at, fmt::format("expected at most {} variables in a rule", kMaxVariables));
}

void TermParser::check_depth(const Token& at, int depth) const {
  if (depth > kMaxDepth) in_.fail(at, fmt::format("expected a term of depth at most {}", kMaxDepth));
}

uint32_t TermParser::tensor_node(Term& term, const Token& name, Side side) {
  auto it = std::find(rule_.tensors.begin(), rule_.tensors.end(), name.text);
  if (it == rule_.tensors.end()) {
    if (std::find(rule_.attributes.begin(), rule_.attributes.end(), name.text) != rule_.attributes.end())
      in_.fail(name, fmt::format("expected a tensor variable, but ?{} is an attribute", name.text));
    if (side == Side::kRight)
      in_.fail(name, fmt::format("expected a variable of a left side, but ?{} is none", name.text));
    count_variable(name);
    it = rule_.tensors.insert(rule_.tensors.end(), name.text);
  }
  const auto variable = static_cast<uint32_t>(it - rule_.tensors.begin());
  for (uint32_t i = 0; i < term.nodes.size(); ++i)
    if (term.nodes[i].is_variable && term.nodes[i].variable == variable) return i;
  TermNode node;
  node.is_variable = true;
  node.variable = variable;
  term.nodes.push_back(std::move(node));
  return static_cast<uint32_t>(term.nodes.size() - 1);
}

Term TermParser::term(Side side) {
  Term out;
  node(out, side, 0);
  return out;
}

uint32_t TermParser::node(Term& term, Side side, int depth) {
  if (in_.peek().kind == TokenKind::kVariable) return tensor_node(term, in_.next(), side);
  check_depth(in_.peek(), depth);
  in_.expect("(");
  const Token word = in_.expect(TokenKind::kSymbol, "an operator");
  const ir::OpId op = ops_.find(word.text);
  if (!op.valid()) in_.fail(word, fmt::format("expected an operator of the table, found '{}'", word.text));
  const ir::OpDef& def = ops_.get(op);
  TermNode out;
  out.op = op;
  out.attrs = attributes(def, side, word);
  while (!in_.peek().is(")")) out.children.push_back(node(term, side, depth + 1));
  in_.next();
  const auto count = static_cast<int>(out.children.size());
  if (count < def.min_inputs || (def.max_inputs >= 0 && count > def.max_inputs))
    in_.fail(word, fmt::format("{}: expected {} operands, found {}", def.name,
                               def.max_inputs < 0 ? fmt::format("at least {}", def.min_inputs)
                               : def.min_inputs == def.max_inputs
                                   ? fmt::format("{}", def.min_inputs)
                                   : fmt::format("{} to {}", def.min_inputs, def.max_inputs),
                               count));
  term.nodes.push_back(std::move(out));
  return static_cast<uint32_t>(term.nodes.size() - 1);
}

/// Numbers of constants, types and regions mean something within one program only.
void TermParser::check_reference(const ir::OpDef& def, size_t attribute, const Expr& value, const Token& at) {
  const ir::AttrRole kind = def.attrs[attribute].role;
  const bool refers = kind == ir::AttrRole::kType || kind == ir::AttrRole::kConstant || ir::is_region(kind);
  const bool made = value.kind == Expr::Kind::kCall &&
                    (value.function == Function::kScalar || value.function == Function::kVector);
  if (refers && value.kind != Expr::Kind::kAttr && !made)
    in_.fail(at, fmt::format("{} of {}: expected a variable, _, scalar(...) or vector(...), since its "
                             "numbers are those of one "
                             "program",
                             def.attrs[attribute].name, def.name));
}

std::vector<Expr> TermParser::attributes(const ir::OpDef& def, Side side, const Token& word) {
  std::vector<Expr> out(def.attrs.size());
  std::vector<bool> given(def.attrs.size());
  if (in_.take("{")) {
    while (!in_.take("}")) {
      const Token name = in_.expect(TokenKind::kSymbol, "an attribute's name");
      const int index = def.attr_index(name.text);
      if (index < 0) in_.fail(name, fmt::format("{} has no attribute {}", def.name, name.text));
      const auto i = static_cast<size_t>(index);
      if (given[i]) in_.fail(name, fmt::format("the attribute {} is given twice", name.text));
      given[i] = true;
      in_.expect("=");
      const Token at = in_.peek();
      if (side == Side::kLeft) {
        out[i] = left_attribute(def.attrs[i]);
      } else {
        out[i] = expression();
        if (out[i].kind == Expr::Kind::kLiteral && !convert(out[i].value, def.attrs[i].kind))
          in_.fail(at,
                   fmt::format("{} of {}: expected {}", name.text, def.name, kind_name(def.attrs[i].kind)));
      }
      check_reference(def, i, out[i], at);
      if (!in_.peek().is("}")) in_.expect(",");
    }
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (given[i]) continue;
    const ir::AttrSpec& spec = def.attrs[i];
    if (spec.fallback)
      out[i] = literal(*spec.fallback);
    else if (spec.optional)
      out[i].kind = Expr::Kind::kAbsent;
    else
      in_.fail(word, fmt::format("{}: expected its attribute {} (_ matches any)", def.name, spec.name));
  }
  return out;
}

Expr TermParser::left_attribute(const ir::AttrSpec& spec) {
  const Token at = in_.peek();
  if (in_.take_symbol("_")) {  // a variable that nobody can name, so that an instance can be stated again
    count_variable(at);
    rule_.attributes.push_back(fmt::format("_{}", rule_.attributes.size()));
    return reference(Expr::Kind::kAttr, static_cast<uint32_t>(rule_.attributes.size() - 1));
  }
  if (at.kind == TokenKind::kVariable) return reference(Expr::Kind::kAttr, attribute(in_.next(), true));
  Expr value = expression();
  if (value.kind != Expr::Kind::kLiteral)
    in_.fail(at, "expected a value, a variable or _ on a left side (conditions stand after `if`)");
  if (!convert(value.value, spec.kind))
    in_.fail(at, fmt::format("{}: expected {}", spec.name, kind_name(spec.kind)));
  return value;
}

Expr TermParser::expression() {
  const Nested nested(*this);
  if (depth_ == 1) operators_ = 0;
  return level(0);
}

TermParser::Nested::Nested(TermParser& parser) : parser_(parser) {
  if (++parser_.depth_ <= kMaxDepth) return;
  --parser_.depth_;
  parser_.in_.fail(parser_.in_.peek(), fmt::format("expected an expression of depth at most {}", kMaxDepth));
}

void TermParser::count_operator(const Token& mark) {
  if (++operators_ > kMaxOperators)
    in_.fail(mark, fmt::format("expected at most {} operators in an expression", kMaxOperators));
}

Expr TermParser::level(int precedence) {
  using enum Function;
  static const std::vector<std::vector<Function>> kLevels = {
      {kOr},
      {kAnd},
      {kEqual, kUnequal, kLess, kAtMost, kGreater, kAtLeast},
      {kPlus, kMinus},
      {kTimes, kOver, kRest}};
  if (precedence == static_cast<int>(kLevels.size())) return primary();
  Expr left = level(precedence + 1);
  for (;;) {
    const auto& marks = kLevels[static_cast<size_t>(precedence)];
    const auto it =
        std::find_if(marks.begin(), marks.end(), [&](Function f) { return in_.peek().is(row(f).word); });
    if (it == marks.end()) return left;
    count_operator(in_.next());
    Expr right = level(precedence + 1);
    left = call_of(*it, args_of(std::move(left), std::move(right)));
  }
}

Expr TermParser::primary() {
  const Token token = in_.next();
  switch (token.kind) {
    case TokenKind::kInteger: {
      int64_t value = 0;
      if (!parse_integer(token.text, value))
        in_.fail(token, fmt::format("the integer {} is too large", token.text));
      return literal(value);
    }
    case TokenKind::kNumber: return literal(parse_double(token.text));
    case TokenKind::kString: return literal(token.text);
    case TokenKind::kVariable: return variable_in_expression(token);
    case TokenKind::kSymbol: {
      if (token.text == "root" || token.text == "root1") return reference(Expr::Kind::kRoot, 0);
      int64_t number = 0;
      if (token.text.starts_with("root") && parse_integer(token.text.substr(4), number) && number >= 1 &&
          number <= static_cast<int64_t>(rule_.left.size()))
        return reference(Expr::Kind::kRoot, static_cast<uint32_t>(number - 1));
      if (const auto dtype = ir::parse_dtype(token.text)) return literal(static_cast<int64_t>(*dtype));
      return call(token);
    }
    default: break;
  }
  if (token.is("(")) {
    Expr inner = expression();
    in_.expect(")");
    return inner;
  }
  if (token.is("[")) return list();
  if (token.is("!")) {
    const Nested nested(*this);
    return call_of(Function::kNot, args_of(primary()));
  }
  in_.fail(token, fmt::format("expected a value, a variable or a function, found '{}'", token.text));
}

Expr TermParser::variable_in_expression(const Token& name) {
  const auto it = std::find(rule_.tensors.begin(), rule_.tensors.end(), name.text);
  if (it != rule_.tensors.end())
    return reference(Expr::Kind::kTensor, static_cast<uint32_t>(it - rule_.tensors.begin()));
  return reference(Expr::Kind::kAttr, attribute(name, false));
}

Expr TermParser::list() {
  std::vector<Expr> items;
  while (!in_.take("]")) {
    items.push_back(expression());
    if (!in_.peek().is("]")) in_.expect(",");
  }
  const bool constant = std::all_of(items.begin(), items.end(), [](const Expr& e) {
    return e.kind == Expr::Kind::kLiteral && std::holds_alternative<int64_t>(e.value);
  });
  if (!constant) return call_of(Function::kList, std::move(items));
  std::vector<int64_t> values;
  for (const Expr& e : items) values.push_back(std::get<int64_t>(e.value));
  return literal(std::move(values));
}

Expr TermParser::call(const Token& word) {
  const std::optional<Function> function = function_of(word.text);
  if (!function || row(*function).arity < 0)
    in_.fail(word, fmt::format("expected a function of the rule language, found '{}'", word.text));
  in_.expect("(");
  std::vector<Expr> args;
  while (!in_.take(")")) {
    args.push_back(expression());
    if (!in_.peek().is(")")) in_.expect(",");
  }
  if (const int arity = row(*function).arity; static_cast<int>(args.size()) != arity)
    in_.fail(word, fmt::format("{}: expected {} arguments, found {}", word.text, arity, args.size()));
  return call_of(*function, std::move(args));
}

Term TermParser::tensat_term(Side side) {
  Term out;
  tensat_node(out, side, 0);
  return out;
}

uint32_t TermParser::tensat_node(Term& term, Side side, int depth) {
  if (in_.peek().kind == TokenKind::kVariable) return tensor_node(term, in_.next(), side);
  check_depth(in_.peek(), depth);
  in_.expect("(");
  const Token word = in_.expect(TokenKind::kSymbol, "an operator");
  const ir::TasoWord* entry = ir::find_taso_word(word.text);
  if (!entry) in_.fail(word, fmt::format("expected an operator of TENSAT's language, found '{}'", word.text));
  const ir::OpDef& def = ops_.get(ops_.at(entry->op));
  TermNode out;
  out.op = ops_.at(entry->op);
  out.attrs.resize(def.attrs.size());
  for (size_t i = 0; i < out.attrs.size(); ++i) {
    if (def.attrs[i].fallback)
      out.attrs[i] = literal(*def.attrs[i].fallback);
    else
      out.attrs[i].kind = Expr::Kind::kAbsent;
  }
  const auto set = [&](std::string_view name, Expr value) {
    out.attrs[static_cast<size_t>(def.attr_index(name))] = std::move(value);
  };
  for (const ir::TasoChild& child : entry->children) {
    if (in_.peek().is(")"))
      in_.fail_expected(fmt::format("{} children of {}", entry->children.size(), word.text));
    switch (child.kind) {
      case ir::TasoChildKind::kOperand: out.children.push_back(tensat_node(term, side, depth + 1)); break;
      case ir::TasoChildKind::kInteger:
        if (in_.peek().kind == TokenKind::kVariable)
          set(child.attr, reference(Expr::Kind::kAttr, attribute(in_.next(), side == Side::kLeft)));
        else
          set(child.attr, literal(in_.expect_integer("an integer attribute")));
        break;
      default:
        in_.fail(word,
                 fmt::format("expected an operator without names among its children, found '{}'", word.text));
    }
  }
  if (entry->index >= 0) set("index", literal(static_cast<int64_t>(entry->index)));
  if (!entry->last.empty()) {
    // A split: TASO cuts where the concat that made the operand joined; split_0 is what the first left side
    // is.
    if (side == Side::kLeft) in_.fail(word, "expected no split on a left side: its position is not written");
    const Expr axis = out.attrs[static_cast<size_t>(def.attr_index("axis"))];
    set(entry->last, call_of(Function::kDim, {reference(Expr::Kind::kRoot, 0), axis}));
  }
  in_.expect(")");
  term.nodes.push_back(std::move(out));
  return static_cast<uint32_t>(term.nodes.size() - 1);
}

}  // namespace isomer::rewrite
