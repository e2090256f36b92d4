// What the readers of our rules and of TENSAT's share: variables of a rule, terms, and the checks that hold
// for both.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/op_table.h"
#include "rewrite/rule.h"
#include "support/lexer.h"

namespace isomer::rewrite {

/// Which side of an arrow a term stands on: right sides may compute attributes and must not bring new
/// variables.
enum class Side : uint8_t { kLeft, kRight };

class TermParser {
 public:
  TermParser(TokenReader& in, const ir::OpTable& ops, Rule& rule) : in_(in), ops_(ops), rule_(rule) {}

  Term term(Side side);
  /// The same in TENSAT's language.
  Term tensat_term(Side side);
  Expr expression();
  /// Number of the attribute variable; a fresh one if `may_add`.
  uint32_t attribute(const Token& name, bool may_add);

 private:
  /// While it lives the parser is one level deeper; InputError beyond the most.
  class Nested {
   public:
    explicit Nested(TermParser& parser);
    ~Nested() { --parser_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    TermParser& parser_;
  };

  void count_operator(const Token& mark);
  void count_variable(const Token& at) const;
  uint32_t node(Term& term, Side side, int depth);
  uint32_t tensat_node(Term& term, Side side, int depth);
  uint32_t tensor_node(Term& term, const Token& name, Side side);
  void check_depth(const Token& at, int depth) const;
  void check_reference(const ir::OpDef& def, size_t attribute, const Expr& value, const Token& at);
  std::vector<Expr> attributes(const ir::OpDef& def, Side side, const Token& word);
  Expr left_attribute(const ir::AttrSpec& spec);
  Expr primary();
  Expr level(int precedence);
  Expr list();
  Expr call(const Token& word);
  Expr variable_in_expression(const Token& name);

  TokenReader& in_;
  const ir::OpTable& ops_;
  Rule& rule_;
  int depth_ = 0;      ///< of the expression that is being read
  int operators_ = 0;  ///< of the outermost one
};

/// `literal` as a value of that kind (an integer for a float, a list of integers for a shape); false if it is
/// none.
bool convert(ir::AttrValue& literal, ir::AttrKind kind);

}  // namespace isomer::rewrite
