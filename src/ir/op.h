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
#include "ir/procedure.h"
#include "ir/range_kind.h"
#include "ir/scalar_expr.h"

namespace isomer::ir {

using OpId = Id<struct OpTag>;
using ValueId = Id<struct ValueTag>;
class Builder;
struct OpDef;
enum class AttrRole : uint8_t;

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
  const std::vector<double>& floats(std::string_view attr) const;
  const std::vector<std::string>& strings(std::string_view attr) const;
  const Shape& shape(std::string_view attr) const;
  /// The region that the attribute of this role names; REQUIREs that there is one.
  RegionId region(AttrRole role) const;

  const Type& type(size_t input) const { return ctx.get(inputs[input]); }
  const Shape& in_shape(size_t input) const { return type(input).shape; }
  DType in_dtype(size_t input) const { return type(input).dtype; }
  /// Sizes of a statically shaped operand or result.
  std::vector<int64_t> in_sizes(size_t input) const { return sizes(in_shape(input)); }
  std::vector<int64_t> out_sizes(size_t element = 0) const;
  /// The same of any operand or result of known rank and sizes, which may be only named.
  std::vector<Size> in_extents(size_t input) const { return sizes_of(ctx, in_shape(input)); }
  std::vector<Size> out_extents(size_t element = 0) const { return sizes_of(ctx, out_type(element).shape); }
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
  /// Guarded reads: out of bounds as well where one of these is not 0.
  std::vector<IndexExpr> zero = {};
};

/// kStep: as the accumulator's body says, step by step.
enum class Combiner : uint8_t { kSum, kProduct, kMax, kMin, kStep };

/// Combined over the whole reduction domain; of an empty one it is what it began with.
struct Accumulator {
  /// What is combined. kStep: the value after a step; it may name all accumulators of the nest (kAcc), which
  /// have their values before the step, so that several are combined together (an index beside a maximum).
  ScalarExpr body;
  Combiner combine = Combiner::kSum;
  /// What it begins with, of output variables and reads that use these only. Empty: the combiner's identity,
  /// which kStep has none of.
  ScalarExpr initial = {};
  /// Each step's value is rounded to it; undefined: kept as whoever evaluates keeps numbers.
  DType dtype = DType::kUndefined;
};

/// The first reduction variable runs from 0 up to this output variable and no further (sums so far), or,
/// mirrored, up to where that is seen from the end of the extent. -1: over all of its extent.
struct Scan {
  int up_to = -1;
  bool mirrored = false;
};

/// out[v0 .. v(n-1)] = result(accumulators over the reduction variables, reads that use output variables
/// only). Covers pointwise operators (no reduction), movement (result = one read), reductions and
/// contractions, scans. Sizes may be only named (size.h); a declaration that compares them has one form for
/// each case (meaning/cases.h).
struct LoopNest {
  std::vector<Size> space;   ///< extents of the output's dimensions
  std::vector<Size> reduce;  ///< extents of the reduction variables, numbered after the output's
  std::vector<Read> reads;
  std::vector<Accumulator> accumulators;
  ScalarExpr result;
  /// Of further output tensors of the same space and element type rules: one nest, several results.
  std::vector<ScalarExpr> further = {};
  Scan scan = {};
  /// Steps are in the order of the reduction variables, row-major; else in any. kStep wants it.
  bool ordered = false;
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

/// Where an operator may stand: in a program, as a kernel of its own, or in what a block of a kernel, or one
/// of its threads, does to tiles (schedule.h).
using Levels = uint8_t;
constexpr Levels kGraphLevel = 1, kKernelLevel = 2, kBlockLevel = 4, kThreadLevel = 8;
constexpr Levels kTileLevels = kBlockLevel | kThreadLevel;
constexpr Levels kAllLevels = kGraphLevel | kKernelLevel | kTileLevels;

/// What an accumulator does with the values of the iterations of a loop; kNone: an ordinary operator.
/// kRescale (online softmax): what was accumulated is multiplied by exp(m of the iteration before - m) first,
/// then the value is added; m, the second operand, is a running maximum.
enum class Accumulate : uint8_t { kNone, kAdd, kMax, kConcat, kRescale };

/// The operators that the IR itself is made with, which readers, writers and evaluators treat apart from
/// others.
enum class Core : uint8_t { kNone, kInput, kWeight, kConstant, kTuple, kGet, kOpaque, kBroadcast };

/// What a movement does with the elements, where that is all that others ask.
enum class Moves : uint8_t {
  kNot,        ///< no movement, or one that brings other elements in (pad) or goes by values (gather)
  kSelects,    ///< each element of the result is one of the operand's
  kReshapes,   ///< the same elements in the same order, in another shape
  kAsksShape,  ///< the operand's shape alone
};

/// How a format lets operands of smaller shapes stand for broadcast ones.
enum class Meets : uint8_t {
  kNot,
  kAll,        ///< all operands meet in one shape
  kBatches,    ///< their dimensions but for the last two
  kLastAlone,  ///< the last operand that the operator can have, to the others' shape
};

/// What elements an operand has, where that is more than the type rule's error tells.
enum class Elements : uint8_t { kAny, kBools, kIndices, kUnsigned, kIntegers, kConverted };

/// What an operand should be for an ordinary result: inputs are drawn in that interval, both ends included.
struct Wish {
  size_t operand = 0;
  std::string what;  ///< "logarithm of": said with the node
  double low = 0, high = 0;
  /// The same for integers, where they differ; none where low > high.
  double integer_low = 1, integer_high = 0;
};

/// Element types that a format takes from a version on.
struct TypesSince {
  int since = 1;
  DTypeSet types = 0;  ///< bits by DType (dtype_set)
};

/// What an attribute is that a node leaves out, where that follows from the operands.
enum class Unsaid : uint8_t {
  kValue,     ///< `unsaid` of its row, else what the operator declares; without either it must be said
  kReversed,  ///< the dimensions of operand 0, from the last to the first
  kAllAxes,   ///< all dimensions of operand 0; an empty list means them too
  kUnits,     ///< the dimensions of operand 0 that are 1
  kOnes,      ///< 1 for each dimension that a window has
  kZeros,     ///< 0 for each of them
  kKernel,    ///< the spatial sizes of operand 1, which the node may repeat
  kPresent,   ///< which of the node's inputs are there: its operands, in order; never said
};

/// How a node says one attribute: ours under another name, since some version, as an input; or one of the
/// format's alone, which must be `unsaid` where that is given, and does not matter where not.
struct AttrSpelling {
  std::string ours = {};  ///< empty: the format's alone
  std::string name = {};  ///< the format's; empty: as ours
  std::optional<AttrValue> unsaid = std::nullopt;
  Unsaid rule = Unsaid::kValue;
  int since = 1;         ///< versions before cannot say it: it is what is meant unsaid
  bool quiet = false;    ///< written only where it is something else than what is meant unsaid
  bool flag = false;     ///< any number but 0 is 1
  int input = -1;        ///< said by this input, a constant, ...
  int input_since = 1;   ///< ... from that version on
  bool scalar = false;   ///< a number as an input: without dimensions, or else as a list of one
  std::string why = {};  ///< why a node is not read that says something else
  std::optional<AttrValue> implied = std::nullopt;  ///< ours is this, which the node's name says
};

/// ONNX: the domain of ONNX Runtime's own operators, which a file may name where it is asked for.
inline constexpr const char* kContribDomain = "com.microsoft";

/// How a format writes the operator: inputs in order, then the rows, then attributes without a row under
/// their own names. What that cannot say is `irregular`: handled by code in formats/.
struct Spelling {
  std::string format;  ///< "onnx", "hlo", "taso", "mirage"
  std::string domain;  ///< ONNX: "" is the default domain
  std::string name;
  int since = 1;  ///< ONNX opset range, both included
  int until = 1 << 20;
  bool irregular = false;
  /// What its schemas allow, of the types that operators compute in; ascending. Empty: as the operator's own
  /// type rule.
  std::vector<TypesSince> types = {};
  size_t typed_operand = 0;              ///< whose element type that is
  std::vector<AttrSpelling> attrs = {};  ///< in the order of writing
  /// Empty, or why an operator with these attributes and operands (their types may not fit) is not said so.
  std::function<std::string(const OpInstance&)> refuses = {};
  bool folds = false;             ///< any number of operands, of which this operator takes two: from the left
  bool strict = false;            ///< shapes that the type rule refuses make a file wrong
  std::vector<int> results = {};  ///< outputs of the node that the result's elements are; empty: in order
};

/// What an integer attribute stands for where it is no number, and what a list of integers counts. Printing,
/// parsing, hashing and drawing look through the number.
enum class AttrRole : uint8_t {
  kPlain,     ///< the value itself
  kType,      ///< number of a type: always the result's
  kConstant,  ///< number of a constant
  kBody,      ///< number of a region: what is called, repeated, chosen, or done to tiles
  kDType,     ///< an element type
  kIdentity,  ///< a number nobody else has
  kAxis,      ///< a dimension of operand 0
  kAxes,      ///< dimensions of operand 0, ascending
  kNewAxes,   ///< dimensions that the result has more, ascending
  kPlaces,    ///< dimensions of the result that operand 0 has, in its order
  kSliced,    ///< dimensions of operand 0 in any order, beside kStarts, kEnds, kSteps
  kStarts,
  kEnds,
  kSteps,
  kPermutation,
  kStrides,  ///< of a window, for each of its dimensions
  kDilations,
  kWindowPads,  ///< begins, then ends
  kKernel,
  kAllPads,  ///< begins, then ends, of every dimension of operand 0
  kGroups,
  kIterations,  ///< of the loop around an accumulator
  kWidth,       ///< what reductions to a width leave of the last dimension; one for a schedule
  kGrid,        ///< blocks or threads in three dimensions: the operator has a schedule (schedule.h)
  // Numbers of regions, as kBody is. An operator has at most one region of a role.
  kCondition,   ///< whether the body is done again
  kOtherwise,   ///< done in the body's place where the condition does not hold
  kComparator,  ///< of two elements: whether the first comes before
  kCombiner,    ///< of what was reached and the next element: what is reached then
};
constexpr bool is_region(AttrRole role) {
  return role == AttrRole::kBody || role == AttrRole::kCondition || role == AttrRole::kOtherwise ||
         role == AttrRole::kComparator || role == AttrRole::kCombiner;
}

struct AttrSpec {
  std::string name;
  AttrKind kind = AttrKind::kInt;
  bool optional = false;
  std::optional<AttrValue> fallback = std::nullopt;  ///< used by Builder and rule patterns that leave it out
  AttrRole role = AttrRole::kPlain;
  std::vector<std::string> choices = {};  ///< words that it may be; empty: any
};

struct OpDef {
  std::string name;
  std::string doc;  ///< shapes, dtypes, errors
  MeaningKind kind = MeaningKind::kOpaque;
  std::vector<AttrSpec> attrs;
  int min_inputs = 0;
  int max_inputs = 0;  ///< -1: any number

  std::function<Inferred(const OpInstance&)> infer;
  /// One nest per output tensor (pointwise, contraction, movement).
  std::function<std::vector<LoopNest>(const OpInstance&)> nests;
  /// Composites: adds the definition to the builder, returns the result.
  std::function<ValueId(Builder&, const OpInstance&, std::span<const ValueId>)> expand;
  /// What is written where a format has no name for the operator, if not the definition: operators that
  /// compute the same and that runtimes know together.
  std::function<ValueId(Builder&, const OpInstance&, std::span<const ValueId>)> older_words = {};
  /// Procedural operators: the evaluator, and how many scalar steps it takes (static types; of regions none).
  Procedure procedure;
  std::function<double(const OpInstance&)> steps;

  std::vector<Spelling> spellings;

  // Traits: what others would have to ask the name for.
  Core core = Core::kNone;
  Moves moves = Moves::kNot;
  Meets meets = Meets::kNot;
  bool images = false;    ///< operand 0 is [N, C, spatial dimensions], the result too
  bool windowed = false;  ///< and a window moves over the spatial dimensions
  /// The result is operand 0 in an encoding that is not smaller. Runtimes compute with the encoded one, so
  /// what is made of a constant is no better constant.
  bool decodes = false;
  /// Composite: the maxima in its definition keep numbers small; any others would do.
  bool any_maximum = false;
  /// The operator whose first operand and result this one has in another layout; else empty.
  std::string in_layout_of = {};
  /// Pointwise: the element is this operator of the operands' elements, in their order.
  std::optional<ScalarOp> element = std::nullopt;
  std::optional<ScalarOp> mirrored = std::nullopt;  ///< or of the second's and the first's
  RangeKind range = RangeKind::kUnknown;            ///< see range_kind() too
  std::vector<Wish> wishes = {};
  std::vector<Elements> elements = {};  ///< by operand; those that are not named: any

  // In graphs of kernels and of tiles.
  Levels levels = kGraphLevel;
  bool commutes = false;   ///< its two operands may change places
  int shape_operand = -1;  ///< an operand of which only the sizes count
  /// Composites: what becomes of the iterations of a loop. `infer` is then about what is there after the
  /// loop, `expand` writes out what one iteration contributes.
  Accumulate accumulate = Accumulate::kNone;
  /// Accumulators: what is made of the accumulated value after the last iteration; may be empty.
  std::function<ValueId(Builder&, const OpInstance&, ValueId)> finish;
  /// Composites: its value in an iteration is the largest of what the definition is there and in those
  /// before.
  bool running_max = false;

  bool stands_at(Levels level) const { return (levels & level) != 0; }
  Elements elements_of(size_t operand) const {
    return operand < elements.size() ? elements[operand] : Elements::kAny;
  }

  /// `range`, else what the element or the kind of movement tells.
  RangeKind range_kind() const;
  bool is(Core what) const { return core == what; }
  /// Of matrices, or stacks of them, that are operands both.
  bool is_matrix_product() const { return kind == MeaningKind::kContraction && range == RangeKind::kProduct; }
  int attr_index(std::string_view name) const;  ///< -1 if not declared
  bool has_role(AttrRole role) const;           ///< of some attribute
  bool has_region() const;                      ///< of any role
};

}  // namespace isomer::ir
