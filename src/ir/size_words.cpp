#include "ir/size_words.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <optional>

#include "ir/size_formula.h"
#include "ir/size_sums.h"

namespace isomer::ir {
namespace {

/// A quotient by a positive number.
struct Ratio {
  Size over = 0;
  int64_t under = 1;
};
constexpr int64_t kMostUnder = 1 << 20;

std::optional<Ratio> reduced(const std::optional<Size>& over, int64_t under) {
  if (!over || under < 1 || under > kMostUnder) return std::nullopt;
  int64_t common = under;
  for (const Size::Term& t : over->terms()) common = std::gcd(common, t.factor);
  const std::optional<Size> less = floor_quotient(*over, common);
  return less ? std::optional<Ratio>({*less, under / common}) : std::nullopt;
}

std::optional<Ratio> added(const Ratio& a, const Ratio& b, int64_t sign) {
  const int64_t under = std::lcm(a.under, b.under);
  const std::optional<Size> x = product(a.over, under / a.under), y = product(b.over, under / b.under);
  return reduced(x && y ? sum(*x, *y, sign) : std::nullopt, under);
}

std::optional<Ratio> multiplied(const Ratio& a, const Ratio& b) {
  return reduced(product(a.over, b.over), a.under * b.under);
}

std::optional<Ratio> divided(const Ratio& a, const Ratio& b) {
  if (!b.over.is_number() || b.over.number() < 1 || b.over.number() > kMostUnder) return std::nullopt;
  return multiplied(a, {b.under, b.over.number()});
}

std::optional<Ratio> rounded_down(const std::optional<Ratio>& r) {
  return r ? reduced(floor_quotient(r->over, r->under), 1) : std::nullopt;
}

/// By recursive descent; nothing where the text is no such formula.
class WordReader {
 public:
  WordReader(Context& ctx, std::string_view text) : ctx_(ctx), text_(text) {}
  std::optional<Size> run() {
    const std::optional<Ratio> out = terms();
    skip();
    return out && at_ == text_.size() && out->under == 1 ? std::optional(out->over) : std::nullopt;
  }

 private:
  static constexpr int kDeepest = 64;

  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  /// Spaces before it go along, unless it begins with one.
  bool accept(std::string_view mark) {
    const size_t start = at_;
    if (mark[0] != ' ') skip();
    if (text_.substr(at_).starts_with(mark)) {
      at_ += mark.size();
      return true;
    }
    at_ = start;
    return false;
  }

  std::optional<Ratio> terms() {
    if (++depth_ > kDeepest) return std::nullopt;
    std::optional<Ratio> out = factors();
    while (out) {
      if (accept("+"))
        out = more(*out, factors());
      else if (accept(" - "))  // without spaces it is part of a name
        out = less(*out, factors());
      else
        break;
    }
    --depth_;
    return out;
  }
  static std::optional<Ratio> more(const Ratio& a, const std::optional<Ratio>& b) {
    return b ? added(a, *b, 1) : std::nullopt;
  }
  static std::optional<Ratio> less(const Ratio& a, const std::optional<Ratio>& b) {
    return b ? added(a, *b, -1) : std::nullopt;
  }

  std::optional<Ratio> factors() {
    const bool negative = accept("-");  // of the first factor alone: so Python reads -n//2
    std::optional<Ratio> out = atom();
    if (negative) out = less(Ratio(), out);
    while (out) {
      const bool rounds = accept("//");
      const bool quotient = rounds || accept("/");
      if (!quotient && !accept("*")) break;
      const std::optional<Ratio> next = atom();  // of a power none: the second * begins no atom
      if (!next) return std::nullopt;
      out = quotient ? divided(*out, *next) : multiplied(*out, *next);
      if (rounds) out = rounded_down(out);
    }
    return out;
  }

  std::optional<Ratio> atom() {
    if (accept("(")) {
      std::optional<Ratio> out = terms();
      return accept(")") ? out : std::nullopt;
    }
    if (accept("floor(")) {
      std::optional<Ratio> out = rounded_down(terms());
      return accept(")") ? out : std::nullopt;
    }
    skip();
    const size_t start = at_;
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    if (word.empty() || text_.substr(at_).starts_with('(')) return std::nullopt;
    if (std::isdigit(static_cast<unsigned char>(word[0])) == 0)
      return Ratio{size_of(ctx_, Dim::symbol(ctx_.symbol(word))), 1};
    int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return Ratio{number, 1};
  }
  static bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':' || c == '-';
  }

  Context& ctx_;
  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Dim said_dim(Context& ctx, std::string_view text) {
  const bool may_be_formula = text.find_first_of("+-*/()") != std::string_view::npos;
  const bool has_meaning = ctx.formula(ctx.symbol(text)) != nullptr;  // an input's own, or one of ours
  if (may_be_formula && !has_meaning)
    if (const std::optional<Size> size = WordReader(ctx, text).run())
      if (const Dim dim = dim_of(ctx, *size); !dim.is_unknown()) return dim;
  return Dim::symbol(ctx.symbol(text));
}

}  // namespace isomer::ir
