// Tokens of the two small text languages: S-expressions (terms) and rule files. Every token knows its line
// and column, so that whoever reads tokens can say where something else was expected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/errors.h"

namespace isomer {

enum class TokenKind : uint8_t {
  kSymbol,    ///< letters, digits and _ . @ : - that begin with a letter or _; also 64_16_64 (digits and an
              ///< underscore)
  kVariable,  ///< ?name; text is without the question mark
  kInteger,   ///< 42, -1
  kNumber,    ///< 0.5, 1e-5
  kString,    ///< "...", escapes \" \\ \n; text is unescaped
  kMark,      ///< ( ) { } [ ] , ; = => <=> == != < <= > >= + - * / ! && ||
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
  int line = 1;
  int column = 1;

  bool is(std::string_view mark) const { return kind == TokenKind::kMark && text == mark; }
  bool is_symbol(std::string_view word) const { return kind == TokenKind::kSymbol && text == word; }
};

/// All tokens of `text`, the last one kEnd. Comments run from # or // to the end of the line. A minus sign is
/// part of a number when a digit follows it and no operand stands before it; inside a symbol it is a letter.
/// Throws InputError at a character that no token begins with, and at a string without its end.
std::vector<Token> tokenize(std::string_view text, const std::string& file);

/// Walks over tokens; every failure throws an InputError that says what was expected and what stands there.
class TokenReader {
 public:
  TokenReader(std::vector<Token> tokens, std::string file)
      : tokens_(std::move(tokens)), file_(std::move(file)) {}
  TokenReader(std::string_view text, const std::string& file) : TokenReader(tokenize(text, file), file) {}

  const Token& peek(size_t ahead = 0) const;
  Token next();
  bool at_end() const { return peek().kind == TokenKind::kEnd; }
  /// Takes the mark or word if it stands here.
  bool take(std::string_view mark);
  bool take_symbol(std::string_view word);
  Token expect(std::string_view mark);
  Token expect(TokenKind kind, std::string_view what);
  int64_t expect_integer(std::string_view what);
  /// Where the reader stands, and the way back there.
  size_t mark() const { return at_; }
  void rewind(size_t mark) { at_ = mark; }

  InputPosition position(const Token& token) const { return {file_, token.line, token.column}; }
  [[noreturn]] void fail(const Token& token, const std::string& message) const;
  [[noreturn]] void fail_expected(std::string_view what) const;
  const std::string& file() const { return file_; }

 private:
  std::vector<Token> tokens_;
  std::string file_;
  size_t at_ = 0;
};

/// The whole number in `text`, or false when it is none or out of range.
bool parse_integer(std::string_view text, int64_t& value);

}  // namespace isomer
