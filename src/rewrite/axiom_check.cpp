#include "rewrite/axiom_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "rewrite/rule_check.h"
#include "support/errors.h"
#include "support/rng.h"
#include "verify/equivalence.h"

namespace isomer::rewrite {
namespace {

using egraph::Pattern;
using egraph::PatternNode;
using ir::Builder;
using ir::ValueId;

/// What an argument is, and for numbers what values it takes.
enum class Kind : uint8_t { kTensor, kScalar, kStride, kPadding, kActivation, kAxis, kKernel };

class Side;

/// An operator of the axioms' language.
struct Word {
  std::string_view name;
  std::vector<Kind> arguments;
  /// It of these tensors and numbers; an invalid value where they do not fit.
  ValueId (*make)(Side&, const std::vector<ValueId>& tensors, const std::vector<int64_t>& numbers);
};

const std::vector<Word>& words();

std::optional<int64_t> number(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_input(const std::string& name) { return name.starts_with("input_"); }

/// Variables of both sides by name, with what they stand for.
class Roles {
 public:
  explicit Roles(const egraph::SymbolTable& symbols) : symbols_(symbols) {}

  void read(const Pattern& p) {
    std::vector<std::optional<Kind>> wanted(p.nodes.size());
    wanted.back() = Kind::kTensor;
    for (size_t i = p.nodes.size(); i-- > 0;) {
      const PatternNode& n = p.nodes[i];
      if (const std::string name = variable(n); !name.empty()) {
        // A place that says more than "a tensor", which is all that a root says, wins.
        if (wanted[i] && (!roles_.contains(name) || roles_[name] == Kind::kTensor)) roles_[name] = *wanted[i];
        continue;
      }
      const std::string& word = symbols_.name(n.op);
      if (number(word)) continue;
      const auto known = std::ranges::find(words(), word, &Word::name);
      if (known == words().end())
        throw InputError(fmt::format("'{}' has no meaning as an operator of tensors", word));
      if (known->arguments.size() != n.children.size())
        throw InputError(fmt::format("expected {} arguments of {}, found {}", known->arguments.size(), word,
                                     n.children.size()));
      for (size_t k = 0; k < n.children.size(); ++k) wanted[n.children[k]] = known->arguments[k];
    }
  }
  const std::map<std::string, Kind>& all() const { return roles_; }

  /// Empty for what is no variable.
  std::string variable(const PatternNode& n) const {
    if (n.is_variable) return fmt::format("?{}", n.variable);
    return n.children.empty() && is_input(symbols_.name(n.op)) ? symbols_.name(n.op) : "";
  }

 private:
  const egraph::SymbolTable& symbols_;
  std::map<std::string, Kind> roles_;
};

/// Numbers and shapes of one attempt.
struct Draw {
  std::map<std::string, int64_t> numbers;
  std::map<std::string, std::vector<int64_t>>
      shapes;       ///< of tensor variables, and of constants by their name
  int64_t cut = 1;  ///< where split cuts

  std::string text() const {
    std::vector<std::string> parts;
    for (const auto& [name, shape] : shapes)
      parts.push_back(fmt::format("{}: [{}]", name, fmt::join(shape, ",")));
    for (const auto& [name, value] : numbers) parts.push_back(fmt::format("{} = {}", name, value));
    return fmt::format("{}", fmt::join(parts, ", "));
  }
};

int64_t one_of(Rng& rng, std::initializer_list<int64_t> values) {
  return *(values.begin() + rng.below(values.size()));
}

Draw draw(Rng& rng, const Roles& roles) {
  Draw out;
  const bool matrices = rng.chance(0.5);
  const bool images = rng.chance(0.5);  // where only element-wise words occur any shape will do
  const auto shape = [&]() -> std::vector<int64_t> {
    if (matrices) return {one_of(rng, {2, 3}), one_of(rng, {2, 3})};
    if (images && rng.chance(0.5)) return {one_of(rng, {1, 2}), one_of(rng, {1, 2}), 4, 4};
    return {one_of(rng, {1, 2}), one_of(rng, {1, 2}), one_of(rng, {1, 3}), one_of(rng, {1, 3})};
  };
  for (const auto& [name, kind] : roles.all()) {
    switch (kind) {
      case Kind::kTensor: out.shapes[name] = shape(); break;
      case Kind::kScalar: out.shapes[name] = {}; break;
      case Kind::kStride: out.numbers[name] = one_of(rng, {1, 2}); break;
      case Kind::kPadding: out.numbers[name] = one_of(rng, {0, 1}); break;
      case Kind::kActivation: out.numbers[name] = one_of(rng, {0, 2}); break;
      case Kind::kAxis: out.numbers[name] = one_of(rng, {0, 1}); break;
      case Kind::kKernel: out.numbers[name] = one_of(rng, {1, 3}); break;
    }
  }
  out.shapes["Iewmul"] = shape();
  const int64_t n = one_of(rng, {2, 3});
  out.shapes["Imatmul"] = {n, n};
  const int64_t c = one_of(rng, {1, 2});
  out.shapes["Iconv"] = out.shapes["Cpool"] = {c, c};
  out.cut = one_of(rng, {1, 2, 3});
  return out;
}

/// One side as a program, over inputs that both sides share by position; nothing where it has no type.
class Side {
 public:
  Side(ir::Context& ctx, const egraph::SymbolTable& symbols, const Roles& roles, const Draw& draw)
      : symbols_(symbols), roles_(roles), draw_(draw), b_(ctx) {
    for (const auto& [name, kind] : roles.all())
      if (kind == Kind::kTensor || kind == Kind::kScalar)
        inputs_[name] = b_.input(name, ctx.tensor_type(ir::DType::kF32, dims(draw.shapes.at(name))));
  }

  std::optional<ir::Graph> build(const Pattern& p) {
    std::vector<ValueId> tensors(p.nodes.size());
    std::vector<int64_t> numbers(p.nodes.size());
    for (size_t i = 0; i < p.nodes.size(); ++i) {
      const PatternNode& n = p.nodes[i];
      if (const std::string name = roles_.variable(n); !name.empty()) {
        if (const auto tensor = inputs_.find(name); tensor != inputs_.end())
          tensors[i] = tensor->second;
        else if (const auto value = draw_.numbers.find(name); value != draw_.numbers.end())
          numbers[i] = value->second;
        continue;
      }
      const std::string& word = symbols_.name(n.op);
      if (const auto value = number(word)) {
        numbers[i] = *value;
        continue;
      }
      std::vector<ValueId> in;
      std::vector<int64_t> at;
      const Word& known = *std::ranges::find(words(), word, &Word::name);
      for (size_t k = 0; k < n.children.size(); ++k) {
        if (known.arguments[k] == Kind::kTensor || known.arguments[k] == Kind::kScalar)
          in.push_back(tensors[n.children[k]]);
        else
          at.push_back(numbers[n.children[k]]);
      }
      if (std::ranges::any_of(in, [](ValueId v) { return !v.valid(); })) return std::nullopt;
      tensors[i] = known.make(*this, in, at);
      if (!tensors[i].valid()) return std::nullopt;
    }
    if (!tensors.back().valid()) return std::nullopt;
    return b_.finish({tensors.back()});
  }

  ValueId add(std::string_view op, const std::vector<ValueId>& in,
              const std::vector<ir::NamedAttr>& attrs = {}) {
    const ir::OpId id = b_.context().ops().at(op);
    ValueId out;
    return b_.try_add(id, b_.make_payload(id, attrs), in, out) ? out : ValueId();
  }

  // What the words stand for.

  ValueId scaled(const std::vector<ValueId>& in) {
    if (!sizes(in[1]).empty()) return {};
    return add("mul", {in[0], add("broadcast", {in[1]}, {{"shape", b_.type(in[0]).shape}})});
  }
  ValueId joined(const std::vector<ValueId>& in, int64_t axis) {
    return add("taso.concat", in, {{"axis", axis}, {"ndim", static_cast<int64_t>(sizes(in[0]).size())}});
  }
  ValueId part(ValueId x, int64_t axis, size_t which) {
    const ValueId pair = add("taso.split", {x}, {{"axis", axis}, {"pos", draw_.cut}});
    return pair.valid() ? b_.get(pair, which) : ValueId();
  }
  ValueId transposed(ValueId x) {
    return sizes(x).size() == 2 ? add("transpose", {x}, {{"perm", std::vector<int64_t>{1, 0}}}) : ValueId();
  }
  ValueId convolved(const std::vector<ValueId>& in, const std::vector<int64_t>& at) {
    const std::vector<int64_t> x = sizes(in[0]), k = sizes(in[1]);
    if (x.size() != 4 || k.size() != 4 || x[1] != k[1]) return {};
    return add("taso.conv2d", in,
               {{"stride_h", at[0]}, {"stride_w", at[1]}, {"padding", at[2]}, {"act", at[3]}});
  }
  ValueId ones() {
    return filled(draw_.shapes.at("Iewmul"), [](const auto&) { return 1.0; });
  }
  ValueId identity() {
    return filled(draw_.shapes.at("Imatmul"), [](const auto& i) { return i[0] == i[1] ? 1.0 : 0.0; });
  }

  /// The kernel that copies: 1 in the middle between equal channels.
  ValueId copying(const std::vector<int64_t>& at) {
    const int64_t c = draw_.shapes.at("Iconv")[0];
    return filled({c, c, at[0], at[1]}, [&](const std::vector<int64_t>& i) {
      return i[0] == i[1] && i[2] == at[0] / 2 && i[3] == at[1] / 2 ? 1.0 : 0.0;
    });
  }
  ValueId pool(bool maximum, const std::vector<int64_t>& at, ValueId x) {
    const std::vector<int64_t> in = sizes(x);
    if (in.size() != 4) return {};
    std::vector<int64_t> before(2), after(2);
    for (size_t d = 0; d < 2; ++d) {
      const int64_t kernel = at[d], stride = at[2 + d], size = in[2 + d];
      const int64_t windows = (size + stride - 1) / stride;
      const int64_t total = at[4] == 0 ? std::max<int64_t>((windows - 1) * stride + kernel - size, 0) : 0;
      before[d] = total / 2;
      after[d] = total - total / 2;
    }
    std::vector<ir::NamedAttr> attrs = {
        {"kernel", std::vector<int64_t>{at[0], at[1]}},
        {"strides", std::vector<int64_t>{at[2], at[3]}},
        {"dilations", std::vector<int64_t>{1, 1}},
        {"pads", std::vector<int64_t>{before[0], before[1], after[0], after[1]}},
        {"ceil_mode", int64_t{0}}};
    if (!maximum) attrs.emplace_back("count_include_pad", int64_t{1});
    return add(maximum ? "max_pool" : "avg_pool", {x}, attrs);
  }
  ValueId enlarge(ValueId kernel, const std::vector<int64_t>& at) {
    const std::vector<int64_t> k = sizes(kernel);
    if (k.size() != 4 || k[2] > at[0] || k[3] > at[1] || (at[0] - k[2]) % 2 != 0 || (at[1] - k[3]) % 2 != 0)
      return {};
    const int64_t h = (at[0] - k[2]) / 2, w = (at[1] - k[3]) / 2;
    return add("pad", {kernel},
               {{"pads", std::vector<int64_t>{0, 0, h, w, 0, 0, h, w}},
                {"mode", std::string("constant")},
                {"value", 0.0}});
  }

 private:
  static ir::Shape dims(const std::vector<int64_t>& sizes) {
    ir::Shape out;
    for (int64_t s : sizes) out.push_back(ir::Dim(s));
    return out;
  }
  std::vector<int64_t> sizes(ValueId v) const {
    std::vector<int64_t> out;
    for (const ir::Dim& d : b_.type(v).shape) out.push_back(d.size());
    return out;
  }
  template <class F>
  ValueId filled(const std::vector<int64_t>& shape, F&& element) {
    std::vector<double> values;
    std::vector<int64_t> at(shape.size(), 0);
    int64_t count = 1;
    for (int64_t s : shape) count *= s;
    for (int64_t i = 0; i < count; ++i) {
      values.push_back(element(at));
      for (size_t d = shape.size(); d-- > 0;) {
        if (++at[d] < shape[d]) break;
        at[d] = 0;
      }
    }
    return b_.constant(ir::DType::kF32, shape, values);
  }

  const egraph::SymbolTable& symbols_;
  const Roles& roles_;
  const Draw& draw_;
  Builder b_;
  std::map<std::string, ValueId> inputs_;
};

const std::vector<Word>& words() {
  using enum Kind;
  using In = const std::vector<ValueId>&;
  using At = const std::vector<int64_t>&;
  static const std::vector<Word> kWords = {
      {"ewadd", {kTensor, kTensor}, [](Side& s, In in, At) { return s.add("add", in); }},
      {"ewmul", {kTensor, kTensor}, [](Side& s, In in, At) { return s.add("mul", in); }},
      {"smul", {kTensor, kScalar}, [](Side& s, In in, At) { return s.scaled(in); }},
      {"relu", {kTensor}, [](Side& s, In in, At) { return s.add("relu", in); }},
      {"transpose", {kTensor}, [](Side& s, In in, At) { return s.transposed(in[0]); }},
      {"matmul",
       {kTensor, kTensor},
       [](Side& s, In in, At) { return s.add("taso.matmul", in, {{"act", int64_t{0}}}); }},
      {"concat", {kAxis, kTensor, kTensor}, [](Side& s, In in, At at) { return s.joined(in, at[0]); }},
      {"split_0", {kAxis, kTensor}, [](Side& s, In in, At at) { return s.part(in[0], at[0], 0); }},
      {"split_1", {kAxis, kTensor}, [](Side& s, In in, At at) { return s.part(in[0], at[0], 1); }},
      {"conv2d",
       {kStride, kStride, kPadding, kActivation, kTensor, kTensor},
       [](Side& s, In in, At at) { return s.convolved(in, at); }},
      {"poolavg",
       {kKernel, kKernel, kStride, kStride, kPadding, kTensor},
       [](Side& s, In in, At at) { return s.pool(false, at, in[0]); }},
      {"poolmax",
       {kKernel, kKernel, kStride, kStride, kPadding, kTensor},
       [](Side& s, In in, At at) { return s.pool(true, at, in[0]); }},
      {"enlarge", {kKernel, kKernel, kTensor}, [](Side& s, In in, At at) { return s.enlarge(in[0], at); }},
      {"Iconv", {kKernel, kKernel}, [](Side& s, In, At at) { return s.copying(at); }},
      {"Cpool",
       {kKernel, kKernel},
       [](Side& s, In, At at) { return s.pool(false, {at[0], at[1], 1, 1, 0}, s.copying(at)); }},
      {"Imatmul", {}, [](Side& s, In, At) { return s.identity(); }},
      {"Iewmul", {}, [](Side& s, In, At) { return s.ones(); }},
  };
  return kWords;
}

}  // namespace

AxiomVerdict check_axiom(const egraph::SymbolTable& symbols, const Pattern& left, const Pattern& right,
                         const AxiomCheckOptions& options) {
  Roles roles(symbols);
  roles.read(left);
  roles.read(right);
  Rng rng(options.seed);
  AxiomVerdict out;
  out.verdict.note = "no shapes were found that fit both sides";
  for (int attempt = 0; attempt < options.attempts && out.instances < options.instances; ++attempt) {
    const Draw numbers = draw(rng, roles);
    ir::Context ctx(ir::standard_ops());
    const auto a = Side(ctx, symbols, roles, numbers).build(left);
    if (!a) continue;
    const auto b = Side(ctx, symbols, roles, numbers).build(right);
    if (!b || a->type_id(a->outputs()[0]) != b->type_id(b->outputs()[0])) continue;
    verify::EquivalenceOptions how;
    how.seed = rng.next();
    const verify::Verdict verdict = verify::check_equivalent(*a, *b, how);
    if (out.instances++ == 0 || weakness(verdict) > weakness(out.verdict)) {
      out.verdict = verdict;
      out.instance = numbers.text();
    }
  }
  return out;
}

}  // namespace isomer::rewrite
