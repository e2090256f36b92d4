#include "rewrite/taso_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <taso_rules.pb.h>

#include <algorithm>
#include <array>
#include <set>

#include "support/errors.h"

namespace isomer::rewrite {
namespace {

constexpr size_t kMostOperators = 64;
constexpr size_t kMaxText = 10'000;

enum Key { kStrideH = 6, kStrideW = 7, kPadding = 8, kActivation = 9, kRank = 10, kAxis = 11 };

/// How an operator is written: TASO's number, TENSAT's word, how many operands, the parameters that come
/// before them.
struct Form {
  int number;
  std::string_view word;
  int operands;
  std::vector<int> keys;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> kForms = {
      {3, "conv2d", 2, {kStrideH, kStrideW, kPadding, kActivation}},
      {8, "relu", 1, {}},
      {9, "sigmoid", 1, {}},
      {10, "tanh", 1, {}},
      {12, "concat", 2, {kAxis, kRank}},
      {13, "split", 1, {kAxis}},
      {16, "ewadd", 2, {}},
      {17, "ewmul", 2, {}},
      {18, "matmul", 2, {kActivation}},
  };
  return kForms;
}

class RuleReader {
 public:
  RuleReader(const taso::Rule& rule, size_t number, const std::string& file)
      : rule_(rule), number_(number), file_(file) {}

  TasoRule run() {
    const std::vector<std::string> source = side(rule_.source(), "source", variables_);
    std::set<int> used;
    const std::vector<std::string> target = side(rule_.target(), "target", used);
    for (int v : used)
      if (!variables_.contains(v))
        fail(fmt::format("expected the target side to use only variables of the source side, found {}", v));
    if (rule_.outputs().empty()) fail("expected at least one mapped output");
    TasoRule out;
    for (const taso::MappedOutput& o : rule_.outputs())
      out.arrows.push_back(value(rule_.source(), source, o.source_operator(), o.source_output(), "source") +
                           "=>" +
                           value(rule_.target(), target, o.target_operator(), o.target_output(), "target"));
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError({file_, 0, 0}, fmt::format("rule {}: {}", number_, what));
  }

  using Operators = google::protobuf::RepeatedPtrField<taso::Operator>;

  /// The operators of one side as terms; `variables`: those it uses.
  std::vector<std::string> side(const Operators& operators, std::string_view name, std::set<int>& variables) {
    if (operators.empty() || static_cast<size_t>(operators.size()) > kMostOperators)
      fail(fmt::format("expected 1 to {} {} operators, found {}", kMostOperators, name, operators.size()));
    std::vector<std::string> terms;
    for (const taso::Operator& op : operators) {
      const std::string where = fmt::format("{} operator {}", name, terms.size());
      const auto form = std::ranges::find(forms(), op.type(), &Form::number);
      if (form == forms().end()) {
        std::vector<std::string> known;
        for (const Form& f : forms()) known.push_back(fmt::format("{} {}", f.number, f.word));
        fail(fmt::format("{}: expected a type of {}, found {}", where, fmt::join(known, ", "), op.type()));
      }
      if (op.inputs_size() != form->operands)
        fail(fmt::format("{}: expected {} to have {} inputs, found {}", where, form->word, form->operands,
                         op.inputs_size()));
      std::string term = fmt::format("({}", form->word);
      for (int key : form->keys) term += fmt::format(" {}", parameter(op, key, where));
      for (const taso::Input& in : op.inputs()) {
        term += ' ';
        if (in.operator_index() < 0) {
          variables.insert(in.operator_index());
          term += fmt::format("?input_{}", -static_cast<int64_t>(in.operator_index()));
        } else {
          if (static_cast<size_t>(in.operator_index()) >= terms.size())
            fail(fmt::format("{}: expected inputs from operators before it, found {}", where,
                             in.operator_index()));
          term += value(operators, terms, in.operator_index(), in.output_index(), name);
        }
      }
      terms.push_back(term + ")");
      if (terms.back().size() > kMaxText)
        fail(fmt::format("{}: expected at most {} characters once written as a term", where, kMaxText));
    }
    return terms;
  }

  std::string value(const Operators& operators, const std::vector<std::string>& terms, int index, int output,
                    std::string_view side) const {
    if (index < 0 || static_cast<size_t>(index) >= terms.size())
      fail(fmt::format("a mapped output: expected a {} operator of 0 to {}, found {}", side, terms.size() - 1,
                       index));
    const bool pair = operators[index].type() == 13;
    if (output < 0 || output > (pair ? 1 : 0))
      fail(fmt::format("{} operator {}: expected its output {}, found {}", side, index, pair ? "0 or 1" : "0",
                       output));
    const std::string& term = terms[static_cast<size_t>(index)];
    return pair ? fmt::format("(split_{} {})", output, term) : term;
  }

  int parameter(const taso::Operator& op, int key, const std::string& where) const {
    for (const taso::Parameter& p : op.parameters())
      if (p.key() == key) return p.value();
    fail(fmt::format("{}: expected a parameter with key {}", where, key));
  }

  const taso::Rule& rule_;
  size_t number_;
  const std::string& file_;
  std::set<int> variables_;
};

}  // namespace

std::vector<TasoRule> read_taso_rules(std::string_view bytes, const std::string& file) {
  taso::Collection collection;
  if (!collection.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw InputError({file, 0, 0},
                     "expected TASO's substitutions (protocol buffers), which this is not or only in part");
  if (collection.rules().empty()) throw InputError({file, 0, 0}, "expected at least one rule");
  std::vector<TasoRule> out;
  for (const taso::Rule& rule : collection.rules())
    out.push_back(RuleReader(rule, out.size() + 1, file).run());
  return out;
}

}  // namespace isomer::rewrite
