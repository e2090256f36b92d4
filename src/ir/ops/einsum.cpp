// Einstein's summation: products of elements whose dimensions have letters, summed over the letters that the
// result lacks. One loop nest, whatever the equation.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <string>

#include "ir/op_table.h"
#include "ir/ops/axes.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {
namespace {

/// The labels of each operand's dimensions and of the result's. Those that "..." stands for are '0', '1', ..,
/// counted from the last.
struct Equation {
  std::vector<std::string> terms;
  std::string result;
  std::string wrong;  ///< not empty: why it is none
};

std::string check_term(const std::string& term) {
  const size_t dots = term.find("...");
  std::string letters = term;
  if (dots != std::string::npos) letters.erase(dots, 3);
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  return std::ranges::all_of(letters, letter) ? "" : "expected letters and one ellipsis, got " + term;
}

/// With labels in the place of "...", for `hidden` dimensions.
std::string without_dots(std::string term, size_t hidden) {
  const size_t at = term.find("...");
  if (at == std::string::npos) return term;
  std::string labels;
  for (size_t i = hidden; i-- > 0;) labels += static_cast<char>('0' + i);
  return term.replace(at, 3, labels);
}

/// Without an arrow: the letters that come once, in the order of the alphabet, behind what "..." stands for.
std::string implied_result(const std::vector<std::string>& terms, size_t hidden) {
  std::map<char, int> times;
  for (const std::string& term : terms)
    for (char label : term) ++times[label];
  std::string out = without_dots("...", hidden);
  for (const auto& [label, count] : times)
    if (count == 1 && std::isalpha(static_cast<unsigned char>(label)) != 0) out += label;
  return out;
}

Equation read_equation(const OpInstance& op) {
  Equation out;
  std::string text = op.s("equation");
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow);
  for (size_t comma = 0; comma != std::string::npos;) {
    comma = left.find(',');
    out.terms.push_back(left.substr(0, comma));
    if (comma != std::string::npos) left = left.substr(comma + 1);
  }
  if (out.terms.size() != op.inputs.size())
    out.wrong = fmt::format("expected {} terms in the equation, got {}", op.inputs.size(), out.terms.size());
  if (arrow != std::string::npos) out.result = text.substr(arrow + 2);
  for (const std::string& term : out.terms)
    if (out.wrong.empty()) out.wrong = check_term(term);
  if (out.wrong.empty()) out.wrong = check_term(out.result);
  if (!out.wrong.empty()) return out;
  size_t most = 0;
  for (size_t i = 0; i < out.terms.size(); ++i) {
    const size_t rank = op.in_shape(i).size(), letters = without_dots(out.terms[i], 0).size();
    if (rank < letters || (rank > letters && out.terms[i].size() == letters)) {
      out.wrong = fmt::format("operand {}: expected the dimensions of {}, got {}", i, out.terms[i],
                              print_shape(op.ctx, op.in_shape(i)));
      return out;
    }
    out.terms[i] = without_dots(out.terms[i], rank - letters);
    most = std::max(most, rank - letters);
  }
  out.result = arrow == std::string::npos ? implied_result(out.terms, most) : without_dots(out.result, most);
  return out;
}

/// The dimension of each label: of several, the first that is not 1.
std::map<char, Dim> dims_of(const OpInstance& op, const Equation& equation) {
  std::map<char, Dim> out;
  for (size_t i = 0; i < equation.terms.size(); ++i)
    for (size_t d = 0; d < equation.terms[i].size(); ++d) {
      const auto [it, fresh] = out.emplace(equation.terms[i][d], op.in_shape(i)[d]);
      if (!fresh && it->second == Dim(1)) it->second = op.in_shape(i)[d];
    }
  return out;
}

Inferred einsum_type(const OpInstance& op) {
  if (auto bad = check_operands(op, Takes::kNumbers); !bad.empty()) return Inferred::fail(bad);
  const Equation equation = read_equation(op);
  if (!equation.wrong.empty()) return Inferred::fail(equation.wrong);
  const std::map<char, Dim> dims = dims_of(op, equation);
  for (size_t i = 0; i < equation.terms.size(); ++i)
    for (size_t d = 0; d < equation.terms[i].size(); ++d) {
      const Dim here = op.in_shape(i)[d], all = dims.at(equation.terms[i][d]);
      if (!here.same(all) && here != Dim(1))
        return Inferred::fail(
            fmt::format("operand {}: expected one size for {} wherever it comes", i, equation.terms[i][d]));
    }
  Shape out;
  for (size_t i = 0; i < equation.result.size(); ++i) {
    const auto it = dims.find(equation.result[i]);
    if (it == dims.end() || equation.result.find(equation.result[i]) != i)
      return Inferred::fail(fmt::format("expected {} of the result once, and in a term", equation.result[i]));
    out.push_back(it->second);
  }
  return tensor_like(op, std::move(out));
}

/// Where dimensions have the label: but for those of one element, which all of its places share.
std::function<void(const Axis&, std::vector<Read>&)> where_labelled(const OpInstance& op,
                                                                    const Equation& equation, char label,
                                                                    Dim all) {
  const bool kept = equation.result.find(label) != std::string::npos;
  return [&op, &equation, label, all, kept](const Axis& axis, std::vector<Read>& reads) {
    for (size_t i = 0; i < reads.size(); ++i) {
      const std::string& term = equation.terms[i];
      reads[i].index.resize(term.size());
      for (size_t d = 0; d < term.size(); ++d)
        if (term[d] == label && (op.in_shape(i)[d] != Dim(1) || all == Dim(1)))
          reads[i].index[d] = kept ? axis.at : axis.step;
    }
  };
}

std::vector<LoopNest> einsum_nest(const OpInstance& op) {
  const Equation equation = read_equation(op);
  const std::map<char, Dim> dims = dims_of(op, equation);
  std::vector<AxisRole> labels;
  for (const char label : equation.result)
    labels.push_back({1, true, {}, where_labelled(op, equation, label, dims.at(label))});
  for (const auto& [label, dim] : dims)
    if (equation.result.find(label) == std::string::npos)
      labels.push_back({1, false, {size_of(op.ctx, dim)}, where_labelled(op, equation, label, dim)});
  LoopNest nest = nest_of(op, labels);
  ScalarExpr product = scalar::read(0);
  for (size_t i = 1; i < equation.terms.size(); ++i) product = product * scalar::read(static_cast<int>(i));
  nest.result = product;
  if (!nest.reduce.empty()) {
    nest.accumulators = {{product, Combiner::kSum}};
    nest.result = scalar::acc(0);
  }
  return {std::move(nest)};
}

}  // namespace

void register_einsum(OpTable& table) {
  OpDef def = operation("einsum", MeaningKind::kContraction, 1, -1,
                        "Products of the operands' elements, summed over the letters of `equation` that its "
                        "result lacks: \"bij,bjk->bik\"; a letter that comes twice in a term is a diagonal, "
                        "... any further dimensions, which broadcast.",
                        {string_attr("equation")});
  def.infer = einsum_type;
  def.nests = einsum_nest;
  def.spellings = {
      typed(onnx("Einsum", 12), {{12, kOnnxFloats | kOnnxIntegers}, {28, kOnnxBFloats | kOnnxIntegers}})};
  table.add(std::move(def));
}

}  // namespace isomer::ir::ops
