// An operator is declared once (OpDef): attributes, arity, type rule, meaning, spellings. Everything else
// (evaluation over floats and finite fields, flop counts, abstract expressions, default loops) is derived
// from the meaning. One declaration, many uses: habit taken from Halide's and MLIR's op tables; the loop-nest
// form of a meaning is that of polyhedral and einsum-like IRs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/attr.h"
#include "ir/context.h"
#include "ir/index_map.h"
#include "ir/scalar_expr.h"

namespace isomer::ir {

using OpId = Id<struct OpTag>;
using ValueId = Id<struct ValueTag>;
class Builder;
struct OpDef;

/// Operators with these attributes at these operand types; what type rules and meanings look at.
class OpInstance {
 public:
  OpInstance(Context& ctx, const OpDef& op, std::span<const AttrId> attrs, std::span<const TypeId> inputs,
             TypeId output = {})
      : ctx(ctx), op(op), attrs(attrs), inputs(inputs), output(output) {}

  Context& ctx;
  const OpDef& op;
  std::span<const AttrId> attrs;  ///< in schema order
  std::span<const TypeId> inputs;
  TypeId output;  ///< meanings only

  bool has(std::string_view attr) const;
  /// Attribute by name; REQUIREs that it is declared, present and of that kind.
  int64_t i(std::string_view attr) const;
  double f(std::string_view attr) const;
  const std::string& s(std::string_view attr) const;
  const std::vector<int64_t>& ints(std::string_view attr) const;
  const Shape& shape(std::string_view attr) const;

  const Type& type(size_t input) const { return ctx.get(inputs[input]); }
  const Shape& in_shape(size_t input) const { return type(input).shape; }
  DType in_dtype(size_t input) const { return type(input).dtype; }
  /// Sizes of a statically shaped operand or result.
  std::vector<int64_t> in_sizes(size_t input) const { return sizes(in_shape(input)); }
  std::vector<int64_t> out_sizes(size_t element = 0) const;
  const Type& out_type(size_t element = 0) const;

 private:
  const AttrValue& attr(std::string_view name, AttrKind kind) const;
};

/// The result of a type rule: a type, or what was expected.
struct Inferred {
  TypeId type;
  std::string error;
  static Inferred ok(TypeId type) { return {type, {}}; }
  static Inferred fail(std::string message) { return {{}, std::move(message)}; }
  explicit operator bool() const { return type.valid(); }
};

/// One access to an operand. Out-of-bounds reads yield `fill` (and valid() is 0); they may occur only when
/// `guarded`, else they are a bug that evaluators report.
struct Read {
  int input = 0;
  std::vector<IndexExpr> index;  ///< one per dimension of the operand
  bool guarded = false;
  double fill = 0;
};

enum class Combiner : uint8_t { kSum, kProduct, kMax, kMin };

/// Combined over the whole reduction domain; an empty domain gives the combiner's identity.
struct Accumulator {
  ScalarExpr body;
  Combiner combine = Combiner::kSum;
};

/// out[v0 .. v(n-1)] = result(accumulators over the reduction variables, reads that use output variables
/// only). Covers pointwise operators (no reduction), movement (result = one read), reductions and
/// contractions.
struct LoopNest {
  std::vector<int64_t> space;   ///< extents of the output's dimensions
  std::vector<int64_t> reduce;  ///< extents of the reduction variables, numbered after the output's
  std::vector<Read> reads;
  std::vector<Accumulator> accumulators;
  ScalarExpr result;
};

enum class MeaningKind : uint8_t {
  kLeaf,         ///< input, constant: the value comes from outside
  kPointwise,    ///< one read per operand, identity index maps
  kContraction,  ///< reductions and contractions
  kMovement,     ///< index map only
  kComposite,    ///< a graph of other operators
  kTuple,        ///< tuple and get
  kProcedural,   ///< an evaluator, no algebra
  kOpaque,       ///< unknown: kept, never evaluated
};
std::string_view to_string(MeaningKind kind);

/// How a format writes the operator. A regular spelling (inputs in order, attributes of the same names) is
/// enough for reader and writer; `irregular` ones are handled by code in formats/.
struct Spelling {
  std::string format;  ///< "onnx", "hlo", "taso"
  std::string domain;  ///< ONNX: "" is the default domain
  std::string name;
  int since = 1;  ///< ONNX opset range, both included
  int until = 1 << 20;
  bool irregular = false;
};

struct AttrSpec {
  std::string name;
  AttrKind kind = AttrKind::kInt;
  bool optional = false;
  std::optional<AttrValue> fallback = std::nullopt;  ///< used by Builder and rule patterns that leave it out
};

struct OpDef {
  std::string name;
  std::string doc;  ///< shapes, dtypes, errors
  MeaningKind kind = MeaningKind::kOpaque;
  std::vector<AttrSpec> attrs;
  int min_inputs = 0;
  int max_inputs = 0;    ///< -1: any number
  bool effects = false;  ///< carries the attribute "identity"; never merged, never dropped

  std::function<Inferred(const OpInstance&)> infer;
  /// One nest per output tensor (pointwise, contraction, movement).
  std::function<std::vector<LoopNest>(const OpInstance&)> nests;
  /// Composites: adds the definition to the builder, returns the result.
  std::function<ValueId(Builder&, const OpInstance&, std::span<const ValueId>)> expand;

  std::vector<Spelling> spellings;

  int attr_index(std::string_view name) const;  ///< -1 if not declared
};

}  // namespace isomer::ir
