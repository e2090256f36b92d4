// A position in HLO text and the module that is being read from it. Everything below throws InputError with
// the line and column of what is wrong.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/module.h"

namespace isomer::hlo {

/// Letters, digits and _ . - : what names are made of.
constexpr std::array<bool, 256> make_word_characters() {
  std::array<bool, 256> out{};
  for (const char c : std::string_view("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.-"))
    out[static_cast<unsigned char>(c)] = true;
  return out;
}
inline constexpr std::array<bool, 256> kWordCharacters = make_word_characters();
/// How deep shapes may nest.
constexpr int kDeepest = 200;

class Reader {
 public:
  Reader(std::string_view text, const std::string& file, Module& module);

  Module& module;

  // Characters. All but here() and at() go over blanks and comments first.
  const char* at() const { return at_; }
  char here() const { return at_ != end_ ? *at_ : '\0'; }
  char peek() {
    skip();
    return here();
  }
  bool at_end() {
    skip();
    return at_ == end_;
  }
  void skip() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
    if (at_ != end_ && *at_ == '/') skip_comment();
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  /// take() without going over blanks.
  bool passes(char c) {
    if (here() != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view text) {
    skip();
    if (rest().substr(0, text.size()) != text) return false;
    at_ += text.size();
    return true;
  }
  void expect(char c, std::string_view where);
  /// The longest run of word characters, may be empty.
  std::string_view word() {
    skip();
    const char* first = at_;
    while (at_ != end_ && kWordCharacters[static_cast<unsigned char>(*at_)]) ++at_;
    return {first, static_cast<size_t>(at_ - first)};
  }
  /// The same without moving.
  std::string_view peek_word() {
    const char* held = at_;
    const std::string_view out = word();
    at_ = held;
    return out;
  }
  /// [%]name
  std::string_view name(std::string_view what);
  int64_t integer(std::string_view what);
  /// A number as XLA reads it: digits without a point or exponent are a whole number first.
  double real(std::string_view what);
  bool boolean();
  /// "..." or '...', unescaped.
  TextId string(std::string_view what);
  /// {...} with its braces: runs of blanks made one, comments left out.
  TextId braced();
  void rewind(const char* to) { at_ = to; }
  std::string_view rest() const { return {at_, static_cast<size_t>(end_ - at_)}; }

  /// {a,b}: calls `item` for each.
  template <class Item>
  void list(char open, char close, std::string_view what, Item&& item) {
    expect(open, what);
    if (take(close)) return;
    do item();
    while (take(','));
    expect(close, what);
  }
  void integers(char open, char close, std::string_view what, std::vector<int64_t>& out);

  // Parts of modules.
  bool shape_begins();
  ShapeId shape();
  /// The contents of a constant of this shape.
  Literal literal(ShapeId shape);
  /// One attribute, its name first; of `owner` ("broadcast"), which may have `allowed`; adds it to `seen`.
  void attribute(std::string_view owner, const AttributeSet& allowed, AttributeSet& seen);
  /// `, name=value` as often as it stands there.
  Range attributes(std::string_view owner, const AttributeSet& allowed, const AttributeSet& required);
  ComputationId computation_named();
  InstructionId instruction_named();

  /// Names of the computation that is being read: by name the last instruction of that name.
  std::vector<uint32_t> instruction_by_name;
  std::vector<uint32_t> computation_by_name;
  uint32_t first_of_computation = 0;  ///< smaller ids are of other computations

  uint32_t offset(const char* at) const { return static_cast<uint32_t>(at - begin_); }
  InputPosition position(const char* at) const;
  [[noreturn]] void fail(const char* at, const std::string& message) const;
  /// "expected WHAT, found ..."
  [[noreturn]] void fail_expected(std::string_view what);
  [[noreturn]] void fail_expected(const char* at, std::string_view what);

 private:
  void skip_comment();
  void pass_string();  ///< over "...", escapes and all
  ShapeId read_shape(int depth);
  ShapeId read_array(Primitive element);
  void read_layout(size_t dims, Layout& out);
  std::string_view shape_text() const;
  void attribute_value(AttributeName name);
  /// Of kIntLists: the length, then the items.
  void counted_integers(char open, char close);
  void slices();
  void padding();
  void donors();
  void computation_layout();
  void map();
  void sharding();
  void window();
  void dim_labels();
  void aliasing();
  void shape_index(std::vector<int64_t>& out);
  void metadata();
  void devices();

  const char* begin_;
  const char* at_;
  const char* end_;
  std::string file_;
  TextTable shape_texts_;
  std::vector<ShapeId> shape_of_text_;
  std::string buffer_;
};

}  // namespace isomer::hlo
