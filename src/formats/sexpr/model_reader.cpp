// TENSAT's .model files, as TASO's exporter writes them: four text lines a node. Inputs beyond those that the
// operator needs (biases, the shape of a reshape) are weights that nothing uses. As TENSAT does, the
// activation of matmul and of pools is dropped.
#include <fmt/format.h>

#include <unordered_map>

#include "formats/sexpr/sexpr.h"
#include "formats/sexpr/taso_nodes.h"
#include "support/lexer.h"

namespace isomer::formats {
namespace {

struct Record {
  int line = 0;  ///< of its first line
  int64_t op = 0;
  std::vector<std::pair<int64_t, int64_t>> inputs;  ///< node number, output
  std::vector<int64_t> params;
};

class ModelReader {
 public:
  ModelReader(ir::Context& ctx, std::string_view text, const std::string& file)
      : text_(text), file_(file), nodes_(ctx, file) {}

  ir::Graph run() {
    ir::ValueId last;
    while (at_ < text_.size()) {
      Record record;
      record.line = line_ + 1;
      const int64_t guid = integer(next_line(), "the number of a node");
      record.op = integer(next_line(), "the number of an operator");
      for (std::string_view part : cut(next_line(), ',')) {
        const std::vector<std::string_view> pair = cut(part, ':');
        if (pair.size() != 2) fail("inputs as node:output");
        record.inputs.emplace_back(integer(pair[0], "the number of a node"),
                                   integer(pair[1], "the number of an output"));
      }
      for (std::string_view part : cut(next_line(), ','))
        record.params.push_back(integer(part, "an integer parameter"));
      last = add(record);
      if (!values_.emplace(guid, last).second) fail_at(record, fmt::format("node {} is there twice", guid));
      if (!parts_.empty()) splits_.emplace(guid, std::move(parts_));
      parts_.clear();
    }
    if (!last.valid()) throw InputError({file_, 0, 0}, "expected at least one node, found an empty file");
    return nodes_.finish(last);
  }

 private:
  std::string_view next_line() {
    if (at_ >= text_.size())
      throw InputError({file_, line_, 0}, "expected four lines a node, found the end of the file");
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view out = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++line_;
    while (!out.empty() && (out.back() == '\r' || out.back() == ' ')) out.remove_suffix(1);
    return out;
  }

  static std::vector<std::string_view> cut(std::string_view text, char separator) {
    std::vector<std::string_view> out;
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(separator, begin), text.size());
      out.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return out;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    throw InputError({file_, line_, 0}, fmt::format("expected {}", expected));
  }
  [[noreturn]] void fail_at(const Record& record, const std::string& message) const {
    throw InputError({file_, record.line, 0}, message);
  }
  int64_t integer(std::string_view text, const char* what) const {
    int64_t value = 0;
    if (!parse_integer(text, value)) fail(fmt::format("{}, found '{}'", what, text));
    return value;
  }

  TasoNode input(const Record& r, size_t i) const {
    if (i >= r.inputs.size()) fail_at(r, fmt::format("expected at least {} inputs", i + 1));
    const auto [guid, output] = r.inputs[i];
    const auto it = values_.find(guid);
    if (it == values_.end())
      fail_at(r, fmt::format("input {}: there is no node {} before this one", i + 1, guid));
    const auto split = splits_.find(guid);
    if (split != splits_.end()) {
      if (output < 0 || output >= static_cast<int64_t>(split->second.size()))
        fail_at(r, fmt::format("input {}: node {} has no output {}", i + 1, guid, output));
      return split->second[static_cast<size_t>(output)];
    }
    if (output != 0) fail_at(r, fmt::format("input {}: node {} has one output, number 0", i + 1, guid));
    return it->second;
  }
  int64_t param(const Record& r, size_t i) const {
    if (i >= r.params.size()) fail_at(r, fmt::format("expected at least {} parameters", i + 1));
    return r.params[i];
  }

  /// The tail of the parameters from `first`, as a name d0_d1_...
  static std::string name_of(const Record& r, size_t first, size_t last) {
    return join_dims(std::span(r.params).subspan(first, last - first));
  }

  ir::ValueId add(const Record& r) {
    const InputPosition where{file_, r.line, 0};
    const auto node = [&](std::string_view word, std::vector<TasoNode> children) {
      return nodes_.add(word, children, where);
    };
    switch (r.op) {
      case 0: return nodes_.leaf(false, fmt::format("input_{}", inputs_++), r.params, where);
      case 1: return nodes_.leaf(true, fmt::format("w_{}", weights_++), r.params, where);
      case 3:
        return node("conv2d",
                    {param(r, 8), param(r, 9), param(r, 10), param(r, 11), input(r, 0), input(r, 1)});
      case 4: return node("dropout", {input(r, 0)});
      case 6:
      case 7:
        return node(r.op == 6 ? "poolmax" : "poolavg", {input(r, 0), param(r, 5), param(r, 6), param(r, 7),
                                                        param(r, 8), param(r, 9), int64_t{0}});
      case 8: return node("relu", {input(r, 0)});
      case 9: return node("sigmoid", {input(r, 0)});
      case 10: return node("tanh", {input(r, 0)});
      case 11: return node("batchnorm", {input(r, 0), input(r, 1), input(r, 2), input(r, 3), input(r, 4)});
      case 12: return concat(r, where);
      case 13: return split(r, where);
      case 14: return node("reshape", {input(r, 0), name_of(r, 0, r.params.size())});
      case 15: return transpose(r, where);
      case 16: return node("ewadd", {input(r, 0), input(r, 1)});
      case 17: return node("ewmul", {input(r, 0), input(r, 1)});
      case 18: return node("matmul", {int64_t{0}, input(r, 0), input(r, 1)});
      case 20: return node("enlarge", {input(r, 0), input(r, 1)});
      case 21: return node("merge", {input(r, 0), param(r, 0)});
      default: fail_at(r, fmt::format("expected an operator number of the .model format, found {}", r.op));
    }
  }

  int64_t rank_of(const TasoNode& node) {
    return static_cast<int64_t>(nodes_.builder().type(std::get<ir::ValueId>(node)).shape.size());
  }

  ir::ValueId concat(const Record& r, const InputPosition& where) {
    if (r.inputs.size() < 2 || r.inputs.size() > 5) fail_at(r, "expected 2 to 5 inputs of a concat");
    std::vector<TasoNode> children = {param(r, 0), rank_of(input(r, 0))};
    for (size_t i = 0; i < r.inputs.size(); ++i) children.push_back(input(r, i));
    return nodes_.add(r.inputs.size() == 2 ? "concat" : fmt::format("concat{}", r.inputs.size()), children,
                      where);
  }

  ir::ValueId split(const Record& r, const InputPosition& where) {
    if (r.params.size() != 3) fail_at(r, "expected a split into two: axis and two sizes");
    const ir::ValueId pair =
        nodes_.split(param(r, 0), param(r, 1), std::get<ir::ValueId>(input(r, 0)), where);
    const std::vector<TasoNode> child = {pair};
    parts_ = {nodes_.add("split_0", child, where), nodes_.add("split_1", child, where)};
    return pair;
  }

  ir::ValueId transpose(const Record& r, const InputPosition& where) {
    const TasoNode x = input(r, 0);
    const auto rank = static_cast<size_t>(rank_of(x));
    // ndim, permutation, shuffle; BERT's file leaves ndim out.
    size_t first = r.params.size() == rank + 2 ? 1 : 0;
    if (r.params.size() != rank + 1 + first)
      fail_at(r, fmt::format("expected a permutation of {} axes and shuffle", rank));
    return nodes_.add("transpose", std::vector<TasoNode>{x, name_of(r, first, first + rank), r.params.back()},
                      where);
  }

  std::string_view text_;
  const std::string& file_;
  TasoNodes nodes_;
  size_t at_ = 0;
  int line_ = 0;
  int inputs_ = 0;
  int weights_ = 0;
  std::unordered_map<int64_t, ir::ValueId> values_;
  std::unordered_map<int64_t, std::vector<ir::ValueId>> splits_;
  std::vector<ir::ValueId> parts_;  ///< of the split that was just added
};

}  // namespace

ir::Graph read_model(ir::Context& ctx, std::string_view text, const std::string& file) {
  return ModelReader(ctx, text, file).run();
}

}  // namespace isomer::formats
