// The reader of the textual form (print.h): a cursor over characters and one function a production. Types of
// values are inferred again and compared with what is written, so that a text cannot smuggle in a graph that
// the builder would refuse.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>

#include "ir/constant_data.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "ir/size_formula.h"
#include "support/errors.h"
#include "support/hash.h"

namespace isomer::ir {
namespace {

constexpr int kMaxDepth = 64;                       // nested regions and tuples
constexpr int64_t kMaxElements = int64_t{1} << 48;  // of any written type
constexpr int64_t kMaxContents = int64_t{1} << 26;  // of a constant

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-' || c == '+';
}

class Parser {
 public:
  Parser(Context& ctx, std::string_view text, const std::string& file)
      : ctx_(ctx), text_(text), file_(file) {}

  Graph program() {
    expect_word("graph");
    Graph graph = titled_body();
    expect_end("the graph");
    return graph;
  }

  std::pair<OpId, PayloadId> operator_alone() {
    const OpId op = operator_name();
    const OpDef& def = ctx_.ops().get(op);
    std::vector<AttrId> attrs = attributes(def);
    if (accept(':')) read_type(def, type(), attrs);
    expect_end("the operator");
    return {op, ctx_.intern(attrs)};
  }

 private:
  // --- characters ---------------------------------------------------------------------------------------

  [[noreturn]] void fail_at(size_t at, const std::string& message) const {
    const std::string_view before = text_.substr(0, at);
    const auto line = 1 + std::ranges::count(before, '\n');
    const size_t start = before.rfind('\n');
    const size_t column = at - (start == std::string_view::npos ? 0 : start + 1) + 1;
    throw InputError({file_, static_cast<int>(line), static_cast<int>(column)}, message);
  }
  [[noreturn]] void fail(const std::string& message) const { fail_at(at_, message); }

  void skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
        ++at_;
      else if (text_.substr(at_, 2) == "//")
        at_ = std::min(text_.find('\n', at_), text_.size());
      else
        break;
    }
  }
  bool peek(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool accept(char c) {
    if (!peek(c)) return false;
    ++at_;
    return true;
  }
  void expect(char c, std::string_view where) {
    if (!accept(c)) fail(fmt::format("expected '{}' {}", c, where));
  }
  std::string_view word() {
    skip_space();
    const size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }
  std::string_view peek_word() {
    const size_t before = at_;
    const std::string_view w = word();
    at_ = before;
    return w;
  }
  bool accept_word(std::string_view wanted) {
    if (peek_word() != wanted) return false;
    word();
    return true;
  }
  void expect_end(std::string_view what) {
    skip_space();
    if (at_ < text_.size()) fail(fmt::format("expected the end of the text after {}", what));
  }
  void expect_word(std::string_view expected) {
    skip_space();
    const size_t start = at_;
    if (word() != expected) fail_at(start, fmt::format("expected '{}'", expected));
  }

  // --- scalars ------------------------------------------------------------------------------------------

  template <class T>
  T number(std::string_view what) {
    skip_space();
    const size_t start = at_;
    const std::string_view w = word();
    T value{};
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), value);
    if (w.empty() || error != std::errc() || end != w.data() + w.size())
      fail_at(start, fmt::format("expected {}", what));
    return value;
  }

  std::string string(std::string_view what) {
    expect('"', fmt::format("that begins {}", what));
    const size_t start = at_;
    std::string out;
    while (true) {
      if (at_ >= text_.size() || text_[at_] == '\n')
        fail_at(start, fmt::format("{} has no closing '\"'", what));
      const char c = text_[at_++];
      if (c == '"') return out;
      out += c == '\\' ? escape() : c;
    }
  }
  char escape() {
    const char c = at_ < text_.size() ? text_[at_++] : '\0';
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    if (c == '"' || c == '\\') return c;
    unsigned value = 0;
    if (c == 'x' && at_ + 2 <= text_.size()) {
      const char* digits = text_.data() + at_;
      const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
      if (error == std::errc() && end == digits + 2) {
        at_ += 2;
        return static_cast<char>(value);
      }
    }
    fail_at(at_ - 1, "expected \\n, \\t, \\\", \\\\ or \\xHH in a string");
  }

  template <class T, class One>
  std::vector<T> list(One&& one) {
    expect('[', "that begins a list");
    std::vector<T> items;
    if (accept(']')) return items;
    do items.push_back(one());
    while (accept(','));
    expect(']', "or ',' in a list");
    return items;
  }

  // --- types --------------------------------------------------------------------------------------------

  Dim dim() {
    skip_space();
    const size_t start = at_;
    for (int depth = 0; at_ < text_.size() && text_[at_] != ']' && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == ',' && depth <= 0) break;
      depth += text_[at_] == '(' ? 1 : text_[at_] == ')' ? -1 : 0;
    }
    std::string_view text = text_.substr(start, at_ - start);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
    if (text == "?") return Dim::unknown();
    if (!text.empty() && text[0] >= '0' && text[0] <= '9') {
      int64_t size = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
      if (error == std::errc() && end == text.data() + text.size()) return Dim(size);
    }
    const Dim dim = text.empty() ? Dim::unknown() : parse_dim(ctx_, text);
    const bool formula = !dim.is_unknown() && (dim.is_static() || ctx_.formula(dim.symbol()) != nullptr);
    const bool symbol = !text.empty() && is_word(text[0]) && text[0] != '-' && text[0] != '+' &&
                        text[0] != '.' && !(text[0] >= '0' && text[0] <= '9');
    if (!symbol && !formula) fail_at(start, "expected a dimension: a size, a symbol or ?");
    return dim;
  }

  Shape shape() {
    skip_space();
    const size_t start = at_;
    Shape shape = list<Dim>([&] { return dim(); });
    int64_t count = 1;
    for (Dim d : shape) {
      if (!d.is_static() || d.size() == 0) continue;
      if (d.size() > kMaxElements / count) fail_at(start, "expected a shape of at most 2^48 elements");
      count *= d.size();
    }
    return shape;
  }

  TypeId type(int depth = 0) {
    if (depth > kMaxDepth) fail("types are nested too deeply");
    skip_space();
    const size_t start = at_;
    if (accept('(')) {
      std::vector<TypeId> elements;
      if (accept(')')) return ctx_.intern(Type::tuple({}));
      do elements.push_back(type(depth + 1));
      while (accept(','));
      expect(')', "or ',' in a tuple type");
      return ctx_.intern(Type::tuple(std::move(elements)));
    }
    const std::string_view w = word();
    if (w == "token") {
      Type token;
      token.kind = TypeKind::kToken;
      return ctx_.intern(token);
    }
    if (w == "opaque") return ctx_.intern(Type::unknown());
    const auto dtype = parse_dtype(w);
    if (!dtype) fail_at(start, fmt::format("expected a type, got '{}'", w));
    if (text_.substr(at_, 5) == "[...]") {
      at_ += 5;
      return ctx_.intern(Type::unranked(*dtype));
    }
    Type tensor = Type::tensor(*dtype, shape());
    if (at_ < text_.size() && text_[at_] == '{') tensor.layout = layout(tensor.shape.size());
    return ctx_.intern(tensor);
  }

  std::vector<int> layout(size_t rank) {
    const size_t start = at_;
    std::vector<int> out;
    std::vector<bool> seen(rank);
    expect('{', "that begins a layout");
    do {
      const auto d = number<int64_t>("a dimension");
      if (d < 0 || d >= static_cast<int64_t>(rank) || seen[static_cast<size_t>(d)])
        fail_at(start, fmt::format("expected a layout of {} dimensions, each once", rank));
      seen[static_cast<size_t>(d)] = true;
      out.push_back(static_cast<int>(d));
    } while (accept(','));
    expect('}', "that ends a layout");
    if (out.size() != rank)
      fail_at(start, fmt::format("expected a layout of {} dimensions, each once", rank));
    return out;
  }

  // --- graphs -------------------------------------------------------------------------------------------

  struct Scope {
    Builder builder;
    std::unordered_map<std::string, ValueId> values;
  };

  Graph titled_body() { return body(peek('"') ? string("a title") : std::string(word())); }

  Graph body(const std::string& title) {
    if (++depth_ > kMaxDepth) fail("regions are nested too deeply");
    expect('{', "that begins a graph");
    Scope scope{Builder(ctx_, title), {}};
    while (peek('%')) line(scope);
    expect_word("return");
    std::vector<ValueId> outputs;
    if (peek('%')) {
      do {
        outputs.push_back(value(scope));
        if (accept_word("over")) donate(scope, outputs);
      } while (accept(','));
    }
    expect('}', "that ends a graph");
    --depth_;
    return scope.builder.finish(std::move(outputs));
  }

  /// "%5 over %0": the last output may be written over that input.
  void donate(Scope& scope, const std::vector<ValueId>& outputs) {
    skip_space();
    const size_t start = at_;
    const ValueId over = value(scope);
    const auto& inputs = scope.builder.so_far().inputs();
    const auto it = std::ranges::find(inputs, over);
    if (it == inputs.end() || scope.builder.type_id(over) != scope.builder.type_id(outputs.back()))
      fail_at(start, "expected an input of the output's type");
    scope.builder.donate(
        {static_cast<uint32_t>(outputs.size() - 1), static_cast<uint32_t>(it - inputs.begin())});
  }

  std::string label() {
    expect('%', "that begins a value");
    const size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (at_ == start) fail("expected a number or a name after '%'");
    return std::string(text_.substr(start, at_ - start));
  }

  ValueId value(const Scope& scope) {
    skip_space();
    const size_t start = at_;
    const std::string name = label();
    const auto it = scope.values.find(name);
    if (it == scope.values.end()) fail_at(start, fmt::format("value %{} is not defined above", name));
    return it->second;
  }

  void line(Scope& scope) {
    skip_space();
    const size_t start = at_;
    const std::string name = label();
    if (scope.values.contains(name)) fail_at(start, fmt::format("value %{} is defined twice", name));
    expect('=', "after a value's name");
    skip_space();
    const size_t op_at = at_;
    const OpId op = operator_name();
    const OpDef& def = ctx_.ops().get(op);
    std::vector<AttrId> attrs = attributes(def);
    std::vector<ValueId> operands;
    if (accept('(') && !accept(')')) {
      do operands.push_back(value(scope));
      while (accept(','));
      expect(')', "or ',' after an operand");
    }
    expect(':', "and the type of the value");
    skip_space();
    const size_t type_at = at_;
    const TypeId written = type();
    const ValueId v = finish_value(scope, op, attrs, operands, written, op_at, type_at);
    if (peek('"')) scope.builder.set_name(v, string("a name"));
    scope.values.emplace(name, v);
  }

  OpId operator_name() {
    skip_space();
    const size_t start = at_;
    const std::string name(word());
    const OpId op = ctx_.ops().find(name);
    if (!op.valid()) fail_at(start, fmt::format("expected an operator, got '{}'", name));
    return op;
  }

  /// The attributes that a type says, and the contents after it.
  void read_type(const OpDef& def, TypeId written, std::vector<AttrId>& attrs) {
    for (size_t i = 0; i < attrs.size(); ++i) {
      const AttrRole role = def.attrs[i].role;
      if (role == AttrRole::kType) attrs[i] = ctx_.intern(static_cast<int64_t>(written.v));
      if (role == AttrRole::kConstant) attrs[i] = ctx_.intern(static_cast<int64_t>(contents(written).v));
    }
  }

  ValueId finish_value(Scope& scope, OpId op, std::vector<AttrId>& attrs,
                       const std::vector<ValueId>& operands, TypeId written, size_t op_at, size_t type_at) {
    const OpDef& def = ctx_.ops().get(op);
    read_type(def, written, attrs);
    if (def.is(ir::Core::kInput)) {
      if (!operands.empty()) fail_at(op_at, "input takes no operands");
      if (!attrs[0].valid()) fail_at(op_at, "input: attribute name is missing");
      return scope.builder.input(std::get<std::string>(ctx_.get(attrs[0])), written);
    }
    ValueId v;
    const Inferred inferred = scope.builder.try_add(op, ctx_.intern(attrs), operands, v);
    if (!inferred) fail_at(op_at, inferred.error);
    if (inferred.type != written)
      fail_at(type_at, fmt::format("{} gives {}, but {} is written", def.name, print(ctx_, inferred.type),
                                   print(ctx_, written)));
    return v;
  }

  std::vector<AttrId> attributes(const OpDef& def) {
    std::vector<AttrId> attrs(def.attrs.size());
    for (size_t i = 0; i < attrs.size(); ++i)
      if (def.attrs[i].fallback) attrs[i] = ctx_.intern(*def.attrs[i].fallback);
    if (!accept('{') || accept('}')) return attrs;
    do {
      skip_space();
      const size_t start = at_;
      const std::string_view name = word();
      const int i = def.attr_index(name);
      const auto index = static_cast<size_t>(i);
      const bool implied = i >= 0 && (def.attrs[index].role == AttrRole::kType ||
                                      def.attrs[index].role == AttrRole::kConstant);
      if (i < 0 || implied)
        fail_at(start, fmt::format("operator {} declares no attribute '{}'", def.name, name));
      expect('=', "after an attribute's name");
      attrs[index] = attribute(def.attrs[index]);
    } while (accept(','));
    expect('}', "or ',' after an attribute");
    return attrs;
  }

  AttrId attribute(const AttrSpec& spec) {
    const AttrRole role = spec.role;
    if (spec.kind != AttrKind::kString && peek_word() == "none") {
      word();
      return {};
    }
    if (is_region(role)) return ctx_.intern(static_cast<int64_t>(region().v));
    if (role == AttrRole::kDType)
      if (const auto dtype = parse_dtype(peek_word())) {
        word();
        return ctx_.intern(static_cast<int64_t>(*dtype));
      }
    if (role == AttrRole::kIdentity) {
      const auto [it, fresh] = identities_.try_emplace(number<int64_t>("an identity: a number"), 0);
      if (fresh) it->second = ctx_.fresh_identity();
      return ctx_.intern(it->second);
    }
    const auto integer = [&] { return number<int64_t>("an integer"); };
    const auto real = [&] { return number<double>("a number"); };
    switch (spec.kind) {
      case AttrKind::kInt: return ctx_.intern(integer());
      case AttrKind::kFloat: return ctx_.intern(real());
      case AttrKind::kString: return ctx_.intern(string("a string"));
      case AttrKind::kInts: return ctx_.intern(list<int64_t>(integer));
      case AttrKind::kFloats: return ctx_.intern(list<double>(real));
      case AttrKind::kStrings: return ctx_.intern(list<std::string>([&] { return string("a string"); }));
      case AttrKind::kShape: return ctx_.intern(shape());
    }
    return {};
  }

  RegionId region() {
    const bool titled = accept_word("graph");
    return ctx_.add(std::make_shared<const Graph>(titled ? titled_body() : body({})));
  }

  ConstantId contents(TypeId id) {
    skip_space();
    const size_t start = at_;
    const Type& t = ctx_.get(id);
    if (!t.is_static_tensor() || (!is_float(t.dtype) && !is_integer(t.dtype)))
      fail_at(start, fmt::format("a constant of type {} cannot be read from text", print(ctx_, id)));
    const int64_t count = element_count(t.shape);
    if (count > kMaxContents)
      fail_at(start, fmt::format("expected a constant of at most {} elements", kMaxContents));
    std::vector<std::byte> bytes(static_cast<size_t>(byte_size(t.dtype, count)));
    if (accept('<'))
      hashed_elements(t.dtype, count, bytes);
    else
      listed_elements(t.dtype, count, bytes);
    const size_t length = bytes.size();
    return ctx_.add(Constant{id, make_buffer(std::move(bytes)), 0, length});
  }

  /// Floats in [-1, 1), integers of four bits, bools: enough to tell such constants apart.
  void hashed_elements(DType dtype, int64_t count, std::span<std::byte> bytes) {
    expect('#', "and the content hash of a constant");
    skip_space();
    const size_t start = at_;
    const std::string_view w = word();
    uint64_t seed = 0;
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), seed, 16);
    if (w.empty() || error != std::errc() || end != w.data() + w.size())
      fail_at(start, "expected a hash of up to 16 hexadecimal digits");
    expect('>', "after a content hash");
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t h = hash_combine(seed, static_cast<uint64_t>(i));
      if (is_integer(dtype))
        store_integer(dtype, bytes, i, static_cast<int64_t>(h & (dtype == DType::kBool ? 1 : 7)));
      else
        store_number(dtype, bytes, i, static_cast<double>(h >> 11) * 0x1.0p-52 - 1);
    }
  }

  void listed_elements(DType dtype, int64_t count, std::span<std::byte> bytes) {
    expect('{', "and the elements of a constant, or '<#'");
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) expect(',', fmt::format("and {} more elements", count - i));
      if (dtype == DType::kU64)
        store_integer(dtype, bytes, i, static_cast<int64_t>(number<uint64_t>("an integer")));
      else if (is_integer(dtype))
        store_integer(dtype, bytes, i, number<int64_t>("an integer"));
      else
        store_number(dtype, bytes, i, number<double>("a number"));
    }
    expect('}', fmt::format("after {} elements", count));
  }

  Context& ctx_;
  std::string_view text_;
  std::string file_;
  size_t at_ = 0;
  int depth_ = 0;
  std::unordered_map<int64_t, int64_t> identities_;
};

}  // namespace

Graph parse_graph(Context& ctx, std::string_view text, const std::string& file) {
  return Parser(ctx, text, file).program();
}

std::pair<OpId, PayloadId> parse_operator(Context& ctx, std::string_view text, const std::string& file) {
  return Parser(ctx, text, file).operator_alone();
}

}  // namespace isomer::ir
