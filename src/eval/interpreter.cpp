#include "eval/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>

#include "eval/contract.h"
#include "eval/field.h"
#include "eval/float_domain.h"
#include "eval/nest_run.h"
#include "eval/procedure_run.h"
#include "eval/random_interpretation.h"
#include "eval/scheduled_run.h"
#include "eval/unrounded.h"
#include "eval/whole_functions.h"
#include "ir/constant_data.h"
#include "ir/constant_of.h"
#include "meaning/flatten.h"
#include "support/errors.h"

namespace isomer::eval {
namespace {

using ir::ValueId;

constexpr uint64_t kSampleSeed = 1;

/// The elements of tensors as numbers of another domain.
struct PairSource {
  const std::vector<const Tensor<double>*>& operands;
  DoublePair number(int input, int64_t at) const {
    return {operands[static_cast<size_t>(input)]->numbers[static_cast<size_t>(at)], 0};
  }
  int64_t integer(int input, int64_t at) const {
    return operands[static_cast<size_t>(input)]->integers[static_cast<size_t>(at)];
  }
};

template <class Number>
struct TensorSource {
  std::vector<const Tensor<Number>*> operands;
  Number number(int input, int64_t at) const {
    return operands[static_cast<size_t>(input)]->numbers[static_cast<size_t>(at)];
  }
  int64_t integer(int input, int64_t at) const {
    return operands[static_cast<size_t>(input)]->integers[static_cast<size_t>(at)];
  }
};

bool evaluable_type(const ir::Context& ctx, ir::TypeId id) {
  const ir::Type& type = ctx.get(id);
  if (type.kind == ir::TypeKind::kTuple) {
    for (ir::TypeId e : type.elements)
      if (!evaluable_type(ctx, e)) return false;
    return true;
  }
  return type.is_static_tensor() && (ir::is_float(type.dtype) || ir::is_integer(type.dtype));
}

/// Of a procedure's result: a dimension that only its values tell may be open.
bool evaluable_result(const ir::Context& ctx, ir::TypeId id) {
  const ir::Type& type = ctx.get(id);
  if (type.kind == ir::TypeKind::kTuple)
    return std::ranges::all_of(type.elements, [&](ir::TypeId e) { return evaluable_result(ctx, e); });
  if (!type.is_ranked_tensor() || (!ir::is_float(type.dtype) && !ir::is_integer(type.dtype))) return false;
  const auto open = std::ranges::count_if(type.shape, [](ir::Dim d) { return d.is_unknown(); });
  return open <= 1 &&
         std::ranges::all_of(type.shape, [](ir::Dim d) { return d.is_static() || d.is_unknown(); });
}

template <class Number>
void check_input(const ir::Graph& graph, ValueId v, const Value<Number>& value) {
  const ir::Type& type = graph.type(v);
  if (!type.is_static_tensor()) return;
  REQUIRE(value.tensor != nullptr && value.tensor->sizes == ir::sizes(type.shape),
          fmt::format("{}: a value of another shape than {}", meaning::describe(graph, v),
                      ir::print(graph.context(), graph.type_id(v))));
}

template <class D>
class Interpreter {
 public:
  using Number = typename D::Number;
  using Values = Value<Number>;

  Interpreter(D& domain, const EvalOptions<D>& options)
      : domain_(domain), options_(options), nests_(options.nests) {}

  std::vector<Values> run(const ir::Graph& graph, std::span<const Values> inputs) {
    return run_flat(meaning::flatten(graph, kernels()).graph, inputs);
  }

  std::vector<Values> run_flat(const ir::Graph& flat, std::span<const Values> inputs) {
    REQUIRE(inputs.size() == flat.inputs().size(),
            fmt::format("{} values for {} inputs", inputs.size(), flat.inputs().size()));
    std::vector<Values> values(flat.size());
    std::vector<uint32_t> uses = flat.use_counts();
    for (size_t i = 0; i < inputs.size(); ++i) {
      check_input(flat, flat.inputs()[i], inputs[i]);
      values[flat.inputs()[i].index()] = inputs[i];
    }
    for (size_t i = 0; i < flat.size(); ++i) {
      const ValueId v(i);
      if (flat.def(v).is(ir::Core::kInput) || uses[i] == 0) continue;
      std::vector<Values> operands;
      for (ValueId o : flat.operands(v)) operands.push_back(values[o.index()]);
      values[i] = primitive(flat, v, operands);
      operands.clear();
      for (ValueId o : flat.operands(v))
        if (--uses[o.index()] == 0) values[o.index()] = {};  // release what nobody needs any more
    }
    std::vector<Values> out;
    for (ValueId o : flat.outputs()) out.push_back(values[o.index()]);
    return out;
  }

  Values primitive(const ir::Graph& graph, ValueId v, std::span<const Values> operands) {
    const ir::OpDef& def = graph.def(v);
    if (def.kind == ir::MeaningKind::kTuple) return plumbing(graph, v, operands);
    if (def.is(ir::Core::kConstant) && can_evaluate(graph, v))
      return constant_value(domain_, graph.context(), eval::constant_of(graph, v));
    if (options_.by_schedule && ir::has_schedule(def) && can_evaluate(graph, v))
      return by_schedule(graph, v, operands);
    if ((def.nests == nullptr && def.procedure == nullptr) || !can_evaluate(graph, v)) {
      if (options_.unknown) return options_.unknown(graph, v, operands);
      throw InputError(fmt::format("{}: no meaning that can be evaluated at type {}",
                                   meaning::describe(graph, v),
                                   ir::print(graph.context(), graph.type_id(v))));
    }
    return def.procedure != nullptr ? procedure(graph, v, operands) : nests(graph, v, operands);
  }

 private:
  meaning::Kernels kernels() const {
    return options_.by_schedule ? meaning::Kernels::kKept : meaning::Kernels::kWrittenOut;
  }

  Values by_schedule(const ir::Graph& graph, ValueId v, std::span<const Values> operands) {
    std::vector<ir::TypeId> types;
    for (ValueId o : graph.operands(v)) types.push_back(graph.type_id(o));
    const ir::OpInstance op(graph.context(), graph.def(v), graph.attrs(v), types, graph.type_id(v));
    std::vector<Values> out =
        ScheduledRun<D>(domain_, ir::body_of(op), ir::schedule_of(op), options_).run(operands);
    return out.size() == 1 ? std::move(out[0]) : Values{nullptr, std::move(out)};
  }

  Values plumbing(const ir::Graph& graph, ValueId v, std::span<const Values> operands) {
    if (graph.def(v).is(ir::Core::kTuple)) return {nullptr, {operands.begin(), operands.end()}};
    const auto index = static_cast<size_t>(std::get<int64_t>(graph.context().get(graph.attrs(v)[0])));
    REQUIRE(index < operands[0].elements.size(), meaning::describe(graph, v) + ": no such element");
    return operands[0].elements[index];
  }

  Values nests(const ir::Graph& graph, ValueId v, std::span<const Values> operands) {
    std::vector<ir::TypeId> types;
    TensorSource<Number> source;
    for (size_t i = 0; i < operands.size(); ++i) {
      types.push_back(graph.type_id(graph.operands(v)[i]));
      source.operands.push_back(operands[i].tensor.get());
      REQUIRE(operands[i].tensor != nullptr, meaning::describe(graph, v) + ": an operand without a value");
    }
    const ir::OpInstance instance(graph.context(), graph.def(v), graph.attrs(v), types, graph.type_id(v));
    const std::string what = meaning::describe(graph, v);
    // ONNX's scatters have no result where a place is out of bounds; XLA's are read as programs that ask
    // first.
    const bool indexed = std::ranges::count(graph.def(v).elements, ir::Elements::kIndices) > 0;
    const Strays strays = indexed ? Strays::kRefused : Strays::kLost;
    std::vector<Values> results;
    const auto run = [&](const std::vector<meaning::CompiledNest>& all) {
      for (const meaning::CompiledNest& nest : all)
        results.push_back(make_value(run_nest(nest, what, source, strays)));
    };
    nests_ != nullptr ? run(nests_->of(instance, what)) : run(meaning::compile_nests(instance, what));
    const bool tuple = graph.type(v).kind == ir::TypeKind::kTuple;
    return tuple ? Values{nullptr, std::move(results)} : std::move(results[0]);
  }

  Values procedure(const ir::Graph& graph, ValueId v, std::span<const Values> operands) {
    std::vector<ir::TypeId> types;
    for (ValueId o : graph.operands(v)) types.push_back(graph.type_id(o));
    const ir::OpInstance instance(graph.context(), graph.def(v), graph.attrs(v), types, graph.type_id(v));
    if (nests_ == nullptr) nests_ = &of_regions_;
    std::vector<Values> results = run_procedure<D>(
        domain_, instance, operands, options_.until,
        [this](const ir::Graph& region, std::span<const Values> in) {
          auto& flat = regions_[&region];  // applied many times
          if (!flat) flat = std::make_unique<const ir::Graph>(meaning::flatten(region, kernels()).graph);
          return run_flat(*flat, in);
        });
    return graph.type(v).kind == ir::TypeKind::kTuple ? Values{nullptr, std::move(results)}
                                                      : std::move(results[0]);
  }

  Tensor<Number> run_nest(const meaning::CompiledNest& nest, const std::string& what,
                          TensorSource<Number>& source, Strays strays) {
    Tensor<Number> out{nest.dtype, nest.shape, {}, {}};
    const auto count = static_cast<size_t>(nest.outputs);
    const bool integer = nest.result.sort == meaning::Sort::kInteger;
    (integer ? out.integers.resize(count) : out.numbers.resize(count));
    if (!integer && contract_fast(nest, what, source, out)) return rounded(nest, std::move(out));
    if constexpr (requires { D::kWholeFunctions; })
      if (is_whole_function(nest)) {
        PairDomain pairs;
        PairSource numbers{source.operands};
        NestRunner<PairDomain, PairSource> whole(pairs, nest, what, numbers, &options_.until);
        for (size_t i = 0; i < count; ++i)
          out.numbers[i] = domain_.constant(whole.number(static_cast<int64_t>(i)).high);
        return rounded(nest, std::move(out));
      }
    NestRunner<D, TensorSource<Number>> runner(domain_, nest, what, source, &options_.until);
    const auto fill = [&](const auto&... accumulated) {  // of all elements, if any
      for (size_t i = 0; i < count; ++i)
        if (integer)
          out.integers[i] = runner.integer(static_cast<int64_t>(i), accumulated[i]...);
        else
          out.numbers[i] = runner.number(static_cast<int64_t>(i), accumulated[i]...);
    };
    if (const std::vector<Hit> hits = hits_of(nest); hits.empty())
      fill();
    else
      fill(runner.scattered(hits, strays));
    return rounded(nest, std::move(out));
  }

  Tensor<Number> rounded(const meaning::CompiledNest& nest, Tensor<Number> out) const {
    if constexpr (std::is_same_v<Number, double>)
      if (options_.round_results)
        for (double& x : out.numbers)
          if (!std::isinf(x)) x = ir::round_to(nest.dtype, x);  // which may saturate: so a nest says itself
    return out;
  }

  bool contract_fast(const meaning::CompiledNest& nest, const std::string& what,
                     const TensorSource<Number>& source, Tensor<Number>& out) {
    if constexpr (std::is_base_of_v<Float64, D>) {
      std::vector<std::span<const double>> data;
      for (const auto* t : source.operands) data.emplace_back(t->numbers);
      if (!contract(nest, data, out.numbers, options_.until)) return false;
      if (options_.checked_samples > 0)
        if (const std::string wrong =
                check_contraction(nest, data, out.numbers, options_.checked_samples, kSampleSeed);
            !wrong.empty())
          throw VerificationError(fmt::format("{}: a library's product is wrong at {}", what, wrong));
      return true;
    } else {
      return false;
    }
  }

  D& domain_;
  const EvalOptions<D>& options_;
  meaning::KnownNests* nests_;  // null: none are kept
  meaning::KnownNests of_regions_;
  std::unordered_map<const ir::Graph*, std::unique_ptr<const ir::Graph>> regions_;  // flattened
};

}  // namespace

bool can_evaluate(const ir::Graph& graph, ValueId v) {
  const ir::OpDef& def = graph.def(v);
  const bool meaning = def.nests != nullptr || def.procedure != nullptr ||
                       def.kind == ir::MeaningKind::kTuple || def.kind == ir::MeaningKind::kComposite ||
                       def.is(ir::Core::kConstant);
  const ir::TypeId type = graph.type_id(v);
  const bool open = def.procedure != nullptr && evaluable_result(graph.context(), type);
  if (!meaning || (!open && !evaluable_type(graph.context(), type))) return false;
  for (ValueId o : graph.operands(v))
    if (!evaluable_type(graph.context(), graph.type_id(o))) return false;
  return true;
}

template <class D>
Value<typename D::Number> constant_value(D& domain, const ir::Context& ctx, const ir::Constant& c) {
  const ir::Type& type = ctx.get(c.type);
  Tensor<typename D::Number> out{type.dtype, ir::sizes(type.shape), {}, {}};
  const int64_t count = out.count();
  const auto bytes = c.bytes();
  if (meaning::sort_of(type.dtype) == meaning::Sort::kInteger) {
    out.integers.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) out.integers.push_back(ir::load_integer(type.dtype, bytes, i));
  } else if constexpr (std::is_base_of_v<Float64, D>) {
    out.numbers.resize(static_cast<size_t>(count));
    ir::load_numbers(type.dtype, bytes, out.numbers);
    if (domain.nudged != 0)
      for (double& x : out.numbers) x = domain.constant(x);
  } else {
    out.numbers.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
      out.numbers.push_back(domain.constant(ir::load_number(type.dtype, bytes, i)));
  }
  return make_value(std::move(out));
}

template <class D>
std::vector<Value<typename D::Number>> evaluate(D& domain, const ir::Graph& graph,
                                                std::span<const Value<typename D::Number>> inputs,
                                                const EvalOptions<D>& options) {
  return Interpreter<D>(domain, options).run(graph, inputs);
}

template <class D>
Value<typename D::Number> apply(D& domain, const ir::Graph& graph, ValueId v,
                                std::span<const Value<typename D::Number>> operands,
                                const EvalOptions<D>& options) {
  Interpreter<D> interpreter(domain, options);
  if (graph.def(v).kind != ir::MeaningKind::kComposite) return interpreter.primitive(graph, v, operands);
  ir::Builder builder(graph.context());
  std::vector<ValueId> inputs;
  for (ValueId o : graph.operands(v)) inputs.push_back(builder.input("", graph.type_id(o)));
  const ValueId node = builder.add_typed(graph.op(v), graph.payload(v), inputs, graph.type_id(v));
  builder.set_name(node, graph.name(v));
  return interpreter.run(builder.finish({node}), operands)[0];
}

ir::ConstantId constant_id(const ir::Graph& graph, ValueId v) { return ir::constant_id(graph, v); }

const ir::Constant& constant_of(const ir::Graph& graph, ValueId v) { return ir::constant_of(graph, v); }

template Value<double> constant_value(Float64&, const ir::Context&, const ir::Constant&);
template Value<double> constant_value(Float32&, const ir::Context&, const ir::Constant&);
template Value<FieldValue> constant_value(PrimeField&, const ir::Context&, const ir::Constant&);
template std::vector<Value<double>> evaluate(Float64&, const ir::Graph&, std::span<const Value<double>>,
                                             const EvalOptions<Float64>&);
template std::vector<Value<double>> evaluate(Float32&, const ir::Graph&, std::span<const Value<double>>,
                                             const EvalOptions<Float32>&);
template std::vector<Value<double>> evaluate(Unrounded&, const ir::Graph&, std::span<const Value<double>>,
                                             const EvalOptions<Unrounded>&);
template std::vector<Value<double>> evaluate(WholeFloat64&, const ir::Graph&, std::span<const Value<double>>,
                                             const EvalOptions<WholeFloat64>&);
template std::vector<Value<double>> evaluate(WholeFloat32&, const ir::Graph&, std::span<const Value<double>>,
                                             const EvalOptions<WholeFloat32>&);
template std::vector<Value<FieldValue>> evaluate(PrimeField&, const ir::Graph&,
                                                 std::span<const Value<FieldValue>>,
                                                 const EvalOptions<PrimeField>&);
template std::vector<Value<FieldValue>> evaluate(RandomInterpretation&, const ir::Graph&,
                                                 std::span<const Value<FieldValue>>,
                                                 const EvalOptions<RandomInterpretation>&);
template std::vector<Value<FieldValue>> evaluate(FieldOver<PaperPrimes>&, const ir::Graph&,
                                                 std::span<const Value<FieldValue>>,
                                                 const EvalOptions<FieldOver<PaperPrimes>>&);
template std::vector<Value<FieldValue>> evaluate(FieldOver<PublicCodePrimes>&, const ir::Graph&,
                                                 std::span<const Value<FieldValue>>,
                                                 const EvalOptions<FieldOver<PublicCodePrimes>>&);
template Value<double> apply(Float64&, const ir::Graph&, ValueId, std::span<const Value<double>>,
                             const EvalOptions<Float64>&);
template Value<FieldValue> apply(PrimeField&, const ir::Graph&, ValueId, std::span<const Value<FieldValue>>,
                                 const EvalOptions<PrimeField>&);

}  // namespace isomer::eval
