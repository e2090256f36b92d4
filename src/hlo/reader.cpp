#include "hlo/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace isomer::hlo {
namespace {

/// What stands at a place, short enough for a message.
std::string found(std::string_view rest) {
  if (rest.empty()) return "the end of the text";
  size_t n = 0;
  while (n < rest.size() && n < 40 && kWordCharacters[static_cast<unsigned char>(rest[n])]) ++n;
  if (n == 0) n = 1;
  const auto c = static_cast<unsigned char>(rest[0]);
  if (n == 1 && (c < 32 || c > 126)) return fmt::format("the byte 0x{:02x}", c);
  return fmt::format("'{}'", rest.substr(0, n));
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The byte that an escape of one letter stands for, or 0.
char plain_escape(char c) {
  switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'v': return '\v';
    case '\\':
    case '\'':
    case '"':
    case '?': return c;
    default: return '\0';
  }
}

}  // namespace

Reader::Reader(std::string_view text, const std::string& file, Module& to)
    : module(to), begin_(text.data()), at_(text.data()), end_(text.data() + text.size()), file_(file) {}

InputPosition Reader::position(const char* at) const {
  const std::string_view before(begin_, static_cast<size_t>(at - begin_));
  const auto line = std::ranges::count(before, '\n');
  const size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {file_, static_cast<int>(line) + 1, static_cast<int>(before.size() - start) + 1};
}

void Reader::fail(const char* at, const std::string& message) const {
  throw InputError(position(at), message);
}

void Reader::fail_expected(const char* at, std::string_view what) {
  at_ = at;
  fail(at, fmt::format("expected {}, found {}", what, found(rest())));
}

void Reader::fail_expected(std::string_view what) {
  skip();
  fail_expected(at_, what);
}

void Reader::skip_comment() {
  while (at_ != end_ && *at_ == '/') {
    const std::string_view left = rest();
    if (left.starts_with("/*")) {
      const size_t close = left.find("*/", 2);
      if (close == std::string_view::npos) fail(at_, "expected */ to end this comment");
      at_ += close + 2;
    } else if (left.starts_with("//")) {
      at_ += std::min(left.find('\n'), left.size());
    } else {
      fail_expected(at_, "/* or //");
    }
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
}

void Reader::expect(char c, std::string_view where) {
  if (!take(c)) fail_expected(fmt::format("'{}' {}", c, where));
}

std::string_view Reader::name(std::string_view what) {
  skip();
  const char* first = at_;
  if (here() == '%') ++at_;
  const std::string_view out = word();
  if (out.empty() || (out[0] >= '0' && out[0] <= '9') || out[0] == '-' || out[0] == '.')
    fail_expected(first, what);
  return out;
}

int64_t Reader::integer(std::string_view what) {
  skip();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(at_, end_, value);
  if (error == std::errc::result_out_of_range) fail_expected(fmt::format("{} of at most 63 bits", what));
  if (error != std::errc()) fail_expected(what);
  at_ = end;
  return value;
}

double Reader::real(std::string_view what) {
  skip();
  const char* first = at_;
  const char* last = first;
  bool whole = true;
  while (last != end_ && ((*last >= '0' && *last <= '9') || *last == '-' || *last == '+' || *last == '.' ||
                          *last == 'e' || *last == 'E')) {
    whole = whole && *last != '.' && *last != 'e' && *last != 'E';
    ++last;
  }
  double value = 0;
  int64_t integral = 0;
  if (whole) {
    const auto [end, error] = std::from_chars(first, last, integral);
    value = static_cast<double>(integral);
    if (error == std::errc() && end == last) return at_ = last, value;
  }
  const auto [end, error] = std::from_chars(first, last, value);
  if (error == std::errc::result_out_of_range) {
    // Too small is zero, as strtod has it; too large is refused.
    const std::string_view text(first, static_cast<size_t>(last - first));
    if (text.find("e-") == std::string_view::npos && text.find("E-") == std::string_view::npos)
      fail_expected(fmt::format("{} of f64's range", what));
    value = *first == '-' ? -0.0 : 0.0;
  } else if (error != std::errc() || end != last) {
    fail_expected(what);
  }
  at_ = last;
  return value;
}

bool Reader::boolean() {
  const char* first = (skip(), at_);
  const std::string_view text = word();
  if (text == "true") return true;
  if (text != "false") fail_expected(first, "true or false");
  return false;
}

TextId Reader::string(std::string_view what) {
  skip();
  const char quote = here();
  if (quote != '"' && quote != '\'') fail_expected(what);
  const char* first = at_++;
  buffer_.clear();
  while (at_ != end_ && *at_ != quote && *at_ != '\n') {
    if (*at_ != '\\') {
      buffer_ += *at_++;
      continue;
    }
    const char* escape = at_++;
    const char c = here();
    if (c >= '0' && c <= '7') {
      int value = 0;
      for (int i = 0; i < 3 && here() >= '0' && here() <= '7'; ++i) value = value * 8 + (*at_++ - '0');
      if (value > 255) fail_expected(escape, "an escape of at most \\377");
      buffer_ += static_cast<char>(value);
    } else if (c == 'x' && at_ + 1 != end_ && hex_digit(at_[1]) >= 0) {
      int value = 0;
      for (++at_; hex_digit(here()) >= 0 && value < 16; ++at_) value = value * 16 + hex_digit(*at_);
      buffer_ += static_cast<char>(value);
    } else if (const char plain = plain_escape(c); plain != '\0') {
      buffer_ += plain;
      ++at_;
    } else {
      fail_expected(escape, "an escape: \\n, \\t, \\r, \\\", \\\\, \\ooo or \\xhh");
    }
  }
  if (here() != quote) fail(first, "expected the end of this string in its line");
  ++at_;
  return module.texts.intern(buffer_);
}

void Reader::pass_string() {
  const char* first = at_++;
  while (at_ != end_ && *at_ != '"') at_ += *at_ == '\\' && at_ + 1 != end_ ? 2 : 1;
  if (at_ == end_) fail(first, "expected the end of this string");
  ++at_;
}

TextId Reader::braced() {
  skip();
  if (here() != '{') fail_expected("'{'");
  const char* first = at_;
  std::string out, open;
  do {
    const char* before = at_;
    skip();
    if (at_ == end_) fail(first, "expected a '}' for this '{'");
    if (at_ != before) out += ' ';
    const char* start = at_;
    const char c = *at_;
    if (c == '"') {
      pass_string();
      out.append(start, at_);
      continue;
    }
    ++at_;
    out += c;
    if (c == '{' || c == '[' || c == '(') open += c == '{' ? '}' : c == '[' ? ']' : ')';
    if (c == '}' || c == ']' || c == ')') {
      if (open.empty() || open.back() != c)
        fail_expected(at_ - 1, open.empty() ? "'{'" : fmt::format("'{}'", open.back()));
      open.pop_back();
    }
  } while (!open.empty());
  return module.texts.intern(out);
}

void Reader::integers(char open, char close, std::string_view what, std::vector<int64_t>& out) {
  list(open, close, what, [&] { out.push_back(integer("a whole number")); });
}

ComputationId Reader::computation_named() {
  skip();
  const char* first = at_;
  if (here() == '{') fail_expected("the name of a computation");
  const std::string_view text = name("the name of a computation");
  const TextId id = module.texts.find(text);
  if (!id.valid() || id.v >= computation_by_name.size() || computation_by_name[id.v] == TextId::kInvalid)
    fail(first, fmt::format("expected a computation that stands above, found '{}'", text));
  return ComputationId(computation_by_name[id.v]);
}

InstructionId Reader::instruction_named() {
  skip();
  const char* first = at_;
  const std::string_view text = name("the name of an instruction");
  const TextId id = module.texts.find(text);
  if (!id.valid() || id.v >= instruction_by_name.size() || instruction_by_name[id.v] == TextId::kInvalid ||
      instruction_by_name[id.v] < first_of_computation)
    fail(first,
         fmt::format("expected an instruction that stands above in this computation, found '{}'", text));
  return InstructionId(instruction_by_name[id.v]);
}

}  // namespace isomer::hlo
