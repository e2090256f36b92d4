// Small terms over a few tensors of one shape, with what they evaluate to over the prime field. What two
// terms have in common is evaluated once; of terms with equal results only the first is built upon.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "eval/field.h"
#include "eval/tensor.h"
#include "ir/graph.h"
#include "support/limits.h"

namespace isomer::rewrite {

class TermEnumeration {
 public:
  enum class Kind : uint8_t { kMatrices, kImages };
  static constexpr uint32_t kNone = 0xFFFFFFFFu;

  struct Operator {
    std::string words;  ///< "concat 0 2": the word and the numbers before the operands
    std::string op;
    std::vector<ir::NamedAttr> attrs;
    int arity = 2;
  };
  struct Term {
    uint32_t op = kNone;  ///< into operators(); kNone: variable number `a`
    uint32_t a = kNone, b = kNone;
    uint64_t result = 0;              ///< hash of shape and elements
    uint32_t first = kNone;           ///< the first term with this result
    std::vector<uint32_t> operators;  ///< terms below that are no variables, itself included, sorted
    uint32_t variables = 0;           ///< bit set
  };

  TermEnumeration(const ir::OpTable& ops, Kind kind, int variables, uint64_t seed);

  /// All terms of up to `operators` operators.
  StopReason run(int operators, const Limits& limits);

  const std::vector<Term>& terms() const { return terms_; }
  const std::vector<Operator>& operators() const { return operators_; }
  uint64_t distinct() const { return by_result_.size(); }

  /// "(matmul 0 ?input_1 ?input_2)"; variables by `number` (their own by default), from 1.
  std::string text(uint32_t term, const std::vector<uint32_t>& number = {}) const;
  /// Variables in order of first occurrence.
  void occurrences(uint32_t term, std::vector<uint32_t>& order) const;

  /// The two halves along an axis of a term's result, as terms that were enumerated; kNone where there is
  /// none.
  struct Halves {
    uint32_t first = kNone, second = kNone;
  };
  Halves halves(uint32_t term, size_t axis) const;
  size_t rank() const { return kind_ == Kind::kMatrices ? 2 : 4; }

 private:
  using Value = eval::Value<eval::FieldValue>;
  struct Template {
    std::unique_ptr<ir::Graph> graph;  ///< none where the operands do not fit
    ir::ValueId node;
  };
  const Template& shaped(uint32_t op, const std::vector<int64_t>& a, const std::vector<int64_t>* b);
  void combine(uint32_t op, uint32_t a, uint32_t b, size_t operators, bool keep);
  static uint64_t hash(const eval::Tensor<eval::FieldValue>& t);

  Kind kind_;
  ir::Context ctx_;
  std::vector<Operator> operators_;
  eval::PrimeField field_;
  std::vector<Term> terms_;
  std::unordered_map<uint32_t, Value> values_;  ///< of terms that are built upon
  std::unordered_map<uint64_t, uint32_t> by_result_;
  std::map<std::vector<int64_t>, Template> templates_;
};

}  // namespace isomer::rewrite
