#include "support/lexer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace isomer {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_symbol_char(char c) {
  return is_letter(c) || is_digit(c) || c == '.' || c == '@' || c == ':' || c == '-';
}

// Longest first.
constexpr std::array<std::string_view, 25> kMarks = {"<=>", "=>", "==", "!=", "<=", ">=", "&&", "||", "(",
                                                     ")",   "{",  "}",  "[",  "]",  ",",  ";",  "=",  "<",
                                                     ">",   "+",  "-",  "*",  "/",  "!",  "%"};

class Scanner {
 public:
  Scanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<Token> run() {
    for (skip_blank(); at_ < text_.size(); skip_blank()) tokens_.push_back(scan());
    tokens_.push_back({TokenKind::kEnd, "", line_, column_});
    return std::move(tokens_);
  }

 private:
  char at(size_t offset = 0) const { return at_ + offset < text_.size() ? text_[at_ + offset] : '\0'; }

  void advance() {
    if (text_[at_++] == '\n') {
      ++line_;
      column_ = 1;
    } else {
      ++column_;
    }
  }

  void skip_blank() {
    while (at_ < text_.size()) {
      const char c = at();
      if (c == '#' || (c == '/' && at(1) == '/')) {
        while (at_ < text_.size() && at() != '\n') advance();
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        advance();
      } else {
        return;
      }
    }
  }

  Token scan() {
    start_ = at_;
    token_ = {TokenKind::kMark, "", line_, column_};
    const char c = at();
    if (c == '"') return scan_string();
    if (c == '?' && (is_letter(at(1)) || is_digit(at(1)))) {
      advance();
      while (is_letter(at()) || is_digit(at())) advance();
      return finish(TokenKind::kVariable, start_ + 1);
    }
    if (is_digit(c) || (c == '-' && is_digit(at(1)) && !after_operand())) return scan_number();
    if (is_letter(c)) return scan_symbol();
    for (std::string_view mark : kMarks)
      if (text_.substr(at_, mark.size()) == mark) {
        for (size_t i = 0; i < mark.size(); ++i) advance();
        return finish(TokenKind::kMark, start_);
      }
    throw InputError({file_, line_, column_},
                     fmt::format("expected a term or a rule, found the character {}", show(c)));
  }

  static std::string show(char c) {
    const auto code = static_cast<unsigned char>(c);
    return code >= 32 && code < 127 ? fmt::format("'{}'", c) : fmt::format("0x{:02x}", code);
  }

  bool after_operand() const {
    if (tokens_.empty()) return false;
    const Token& last = tokens_.back();
    return last.kind != TokenKind::kMark ? last.line == line_ && at_ > 0 && text_[at_ - 1] != ' '
                                         : last.is(")") || last.is("]");
  }

  Token scan_symbol() {
    while (is_symbol_char(at())) advance();
    return finish(TokenKind::kSymbol, start_);
  }

  Token scan_number() {
    TokenKind kind = TokenKind::kInteger;
    if (at() == '-') advance();
    while (is_digit(at())) advance();
    if (at() == '_' || at() == '@') return scan_symbol();
    if (at() == '.' && is_digit(at(1))) {
      kind = TokenKind::kNumber;
      advance();
      while (is_digit(at())) advance();
    }
    if ((at() == 'e' || at() == 'E') &&
        (is_digit(at(1)) || ((at(1) == '-' || at(1) == '+') && is_digit(at(2))))) {
      kind = TokenKind::kNumber;
      advance();
      advance();
      while (is_digit(at())) advance();
    }
    return finish(kind, start_);
  }

  Token scan_string() {
    std::string value;
    advance();
    while (at_ < text_.size() && at() != '"') {
      if (at() == '\\' && at_ + 1 < text_.size()) {
        advance();
        value += at() == 'n' ? '\n' : at();
      } else {
        value += at();
      }
      advance();
    }
    if (at_ >= text_.size())
      throw InputError({file_, token_.line, token_.column},
                       "expected a closing quotation mark for the string that begins here");
    advance();
    token_.kind = TokenKind::kString;
    token_.text = std::move(value);
    return token_;
  }

  Token finish(TokenKind kind, size_t from) {
    token_.kind = kind;
    token_.text = std::string(text_.substr(from, at_ - from));
    return token_;
  }

  std::string_view text_;
  const std::string& file_;
  std::vector<Token> tokens_;
  Token token_;
  size_t start_ = 0;
  size_t at_ = 0;
  int line_ = 1;
  int column_ = 1;
};

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd: return "the end of the text";
    case TokenKind::kString: return fmt::format("\"{}\"", token.text);
    case TokenKind::kVariable: return fmt::format("?{}", token.text);
    default: return fmt::format("'{}'", token.text);
  }
}

}  // namespace

std::vector<Token> tokenize(std::string_view text, const std::string& file) {
  return Scanner(text, file).run();
}

const Token& TokenReader::peek(size_t ahead) const {
  return tokens_[at_ + ahead < tokens_.size() ? at_ + ahead : tokens_.size() - 1];
}

Token TokenReader::next() {
  Token token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool TokenReader::take(std::string_view mark) {
  if (!peek().is(mark)) return false;
  next();
  return true;
}

bool TokenReader::take_symbol(std::string_view word) {
  if (!peek().is_symbol(word)) return false;
  next();
  return true;
}

Token TokenReader::expect(std::string_view mark) {
  if (!peek().is(mark)) fail_expected(fmt::format("'{}'", mark));
  return next();
}

Token TokenReader::expect(TokenKind kind, std::string_view what) {
  if (peek().kind != kind) fail_expected(what);
  return next();
}

int64_t TokenReader::expect_integer(std::string_view what) {
  const Token token = expect(TokenKind::kInteger, what);
  int64_t value = 0;
  if (!parse_integer(token.text, value))
    fail(token, fmt::format("expected {}, found {} (too large)", what, token.text));
  return value;
}

void TokenReader::fail(const Token& token, const std::string& message) const {
  throw InputError(position(token), message);
}

void TokenReader::fail_expected(std::string_view what) const {
  fail(peek(), fmt::format("expected {}, found {}", what, describe(peek())));
}

bool parse_integer(std::string_view text, int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace isomer
