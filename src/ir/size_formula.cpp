#include "ir/size_formula.h"

#include <fmt/format.h>

#include <charconv>

#include "ir/size_case.h"
#include "ir/size_sums.h"
#include "support/hash.h"

namespace isomer::ir {
namespace {

constexpr size_t kLongest = 100;    // letters of a formula that is spelled out
constexpr size_t kHeaviest = 1000;  // of one that is spelled at all
constexpr std::string_view kMarks = "+-*/(),";

/// What print() writes, by recursive descent.
class Reader {
 public:
  Reader(Context& ctx, std::string_view text) : ctx_(ctx), text_(text) {}
  std::optional<Size> run() {
    auto out = terms();
    return at_ == text_.size() ? out : std::nullopt;
  }

 private:
  static constexpr int kDeepest = 32;

  bool accept(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::optional<Size> terms() {
    if (++depth_ > kDeepest) return std::nullopt;
    std::optional<Size> out = text_.substr(at_).starts_with('-') ? std::optional<Size>(0) : factors();
    while (out) {
      if (accept('+'))
        out = added(*out, factors());
      else if (accept('-'))
        out = difference(*out, factors());
      else
        break;
    }
    --depth_;
    return out;
  }
  static std::optional<Size> added(const Size& a, const std::optional<Size>& b) {
    return b ? sum(a, *b) : std::nullopt;
  }
  static std::optional<Size> difference(const Size& a, const std::optional<Size>& b) {
    return b ? sum(a, *b, -1) : std::nullopt;
  }
  std::optional<Size> factors() {
    std::optional<Size> out = atom();
    while (out && accept('*')) {
      const std::optional<Size> next = atom();
      out = next ? product(*out, *next) : std::nullopt;
    }
    return out;
  }
  std::optional<Size> atom() {
    if (accept('(')) {
      std::optional<Size> out = terms();
      if (out && accept('/')) {
        const std::optional<Size> by = factors();
        const bool divides = by && by->is_number() && by->number() > 0;
        out = divides ? floor_quotient(*out, *by) : std::nullopt;
      }
      return accept(')') ? out : std::nullopt;
    }
    const size_t start = at_;
    while (at_ < text_.size() && kMarks.find(text_[at_]) == std::string_view::npos) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    if (word == "min" && accept('(')) return smaller();
    if (word.empty()) return std::nullopt;
    if (word[0] < '0' || word[0] > '9') return Size::named(ctx_.symbol(word));
    int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size() ? std::optional<Size>(number)
                                                                    : std::nullopt;
  }
  std::optional<Size> smaller() {
    const std::optional<Size> a = terms();
    const std::optional<Size> b = a && accept(',') ? terms() : std::nullopt;
    return b && accept(')') ? ir::smaller(*a, *b) : std::nullopt;
  }

  Context& ctx_;
  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

/// The name of a formula, unless that is another's already; of none: a name that stands for itself.
SymbolId named(Context& ctx, std::string_view text, const std::optional<Size>& formula) {
  for (std::string name(text);; name += "'") {
    const SymbolId symbol = ctx.symbol(name);
    const Size size = formula ? *formula : Size::named(symbol);
    const Size* known = ctx.formula(symbol);
    if (known == nullptr) ctx.set_formula(symbol, size);
    if (known == nullptr || known->identical(size)) return symbol;
  }
}

}  // namespace

Dim dim_of(Context& ctx, const Size& size) {
  if (size.is_number()) return size.number() < 0 ? Dim::unknown() : Dim(size.number());
  const std::vector<Size::Term> terms = size.terms();
  if (terms.size() == 1 && terms[0].factor == 1 && terms[0].atoms.size() == 1 &&
      terms[0].atoms[0]->kind == Size::Atom::Kind::kName)
    return Dim::symbol(terms[0].atoms[0]->name);
  if (weight(size, kHeaviest) >= kHeaviest || SizeFacts().signs(size) == kNegative) return Dim::unknown();
  const std::string text = print(ctx, size);
  if (text.size() <= kLongest) return Dim::symbol(named(ctx, text, size));
  return named_size(ctx, text);
}

Dim named_size(Context& ctx, std::string text) {
  if (text.size() > kLongest) text = fmt::format("size#{:016x}", hash_string(text));
  return Dim::symbol(named(ctx, text, std::nullopt));
}

SymbolId own_name(Context& ctx, std::string_view text) {
  const bool may_be_formula = text.find_first_of(kMarks) != std::string_view::npos;
  return may_be_formula ? named(ctx, text, std::nullopt) : ctx.symbol(text);
}

Dim parse_dim(Context& ctx, std::string_view text) {
  if (text.find_first_of(kMarks) != std::string_view::npos)
    if (const std::optional<Size> size = Reader(ctx, text).run())
      if (const Dim dim = dim_of(ctx, *size); !dim.is_unknown()) return dim;
  return Dim::symbol(ctx.symbol(text));
}

}  // namespace isomer::ir
