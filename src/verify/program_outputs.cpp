#include "verify/program_outputs.h"

#include <type_traits>
#include <unordered_map>

#include "eval/evaluation_cut.h"
#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "eval/random_interpretation.h"
#include "eval/sampler.h"
#include "support/errors.h"

namespace isomer::verify {
namespace {

using ir::ValueId;
using meaning::Sort;

/// Tensor `element` of a value: itself, or an element of a tuple.
const ir::Type& tensor_type(const ir::Graph& graph, ValueId v, size_t element) {
  const ir::Type& type = graph.type(v);
  const ir::Type& t = type.kind == ir::TypeKind::kTuple ? graph.context().get(type.elements[element]) : type;
  if (!t.is_static_tensor() || (!ir::is_float(t.dtype) && !ir::is_integer(t.dtype)))
    throw InputError(meaning::describe(graph, v) + ": elements of type " +
                     ir::print(graph.context(), graph.type_id(v)) + " cannot be compared");
  return t;
}

size_t tensor_count(const ir::Type& type) {
  return type.kind == ir::TypeKind::kTuple ? type.elements.size() : 1;
}

template <class Number>
eval::Tensor<Number> draw_tensor(const Draw& draw, uint64_t leaf, size_t element, const ir::Type& type) {
  eval::Tensor<Number> out{type.dtype, ir::sizes(type.shape), {}, {}};
  const int64_t count = out.count();
  if (meaning::sort_of(type.dtype) == Sort::kInteger) {
    out.integers = draw.integers_of(type.dtype, leaf, element, count);
  } else {
    out.numbers.resize(static_cast<size_t>(count));
    draw.numbers(type.dtype, leaf, element, std::span<Number>(out.numbers));
  }
  return out;
}

template <class Number>
eval::Value<Number> draw_value(const Draw& draw, uint64_t leaf, const ir::Graph& graph, ValueId v,
                               TestLeaves<Number>& leaves) {
  const auto element = [&](size_t e) {
    const ir::Type& type = tensor_type(graph, v, e);
    return leaves.tensor(leaf, e, type.dtype, ir::sizes(type.shape),
                         [&] { return draw_tensor<Number>(draw, leaf, e, type); });
  };
  const ir::Type& type = graph.type(v);
  if (type.kind != ir::TypeKind::kTuple) return element(0);
  eval::Value<Number> out;
  for (size_t e = 0; e < type.elements.size(); ++e) out.elements.push_back(element(e));
  return out;
}

/// Over the field a digest of all elements, which are exact; of doubles, which are nearly equal where they
/// are, some.
template <class Number>
void probe_value(const eval::Value<Number>& value, Probe<Number>& out) {
  for (const auto& e : value.elements) probe_value(e, out);
  if (!value.tensor) return;
  const eval::Tensor<Number>& tensor = *value.tensor;
  out.integers.push_back(static_cast<int64_t>(tensor.dtype));
  out.integers.insert(out.integers.end(), tensor.sizes.begin(), tensor.sizes.end());
  if constexpr (std::is_same_v<Number, eval::FieldValue>) {
    uint64_t all = 0;
    for (const eval::FieldValue& x : tensor.numbers) all = hash_combine(all, x.p);
    for (const int64_t x : tensor.integers) all = hash_combine(all, static_cast<uint64_t>(x));
    out.integers.push_back(static_cast<int64_t>(all));
    return;
  }
  for (const int64_t at : probe_places(tensor.count())) {
    const auto i = static_cast<size_t>(at);
    if (tensor.numbers.empty())
      out.integers.push_back(tensor.integers[i]);
    else
      out.numbers.push_back(tensor.numbers[i]);
  }
}

const std::string& weight_name(const ir::Graph& graph, ValueId v) {
  return std::get<std::string>(graph.context().get(graph.attrs(v)[0]));
}

template <class D>
std::vector<OutputElements<typename D::Number>> whole(D& domain, const ir::Graph& graph, const Draw& draw,
                                                      TestLeaves<typename D::Number>& leaves,
                                                      const OutputRequest& request) {
  using Number = typename D::Number;
  std::vector<eval::Value<Number>> inputs;
  const auto uses = graph.use_counts();
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const ValueId v = graph.inputs()[i];
    inputs.push_back(uses[v.index()] == 0 && !graph.type(v).is_static_tensor()
                         ? eval::Value<Number>{}
                         : draw_value<Number>(draw, input_leaf(i), graph, v, leaves));
  }
  eval::EvalOptions<D> options;
  options.until = request.until;
  options.round_results = request.rounded;
  options.nests = request.nests;
  options.unknown = [&](const ir::Graph& g, ValueId v, std::span<const eval::Value<Number>> operands) {
    if (g.def(v).is(ir::Core::kWeight))
      return draw_value<Number>(draw, weight_leaf(weight_name(g, v)), g, v, leaves);
    Probe<Number> probe;
    for (const auto& o : operands) probe_value(o, probe);
    return draw_value<Number>(draw, leaves.leaf(g.op(v), g.payload(v), probe), g, v, leaves);
  };
  std::vector<OutputElements<Number>> out;
  std::vector<eval::Value<Number>> stack =
      eval::evaluate(domain, graph, std::span<const eval::Value<Number>>(inputs), options);
  const auto collect = [&](const auto& self, const eval::Value<Number>& value) -> void {
    for (const auto& e : value.elements) self(self, e);
    if (!value.tensor) return;
    OutputElements<Number> elements{
        value.tensor->dtype, value.tensor->sizes, {}, value.tensor->numbers, value.tensor->integers};
    for (int64_t i = 0; i < value.tensor->count(); ++i) elements.places.push_back(i);
    out.push_back(std::move(elements));
  };
  for (const auto& value : stack) collect(collect, value);
  return out;
}

template <class D>
class Sampling {
 public:
  using Number = typename D::Number;

  Sampling(D& domain, const ir::Graph& graph, const Draw& draw, TestLeaves<Number>& leaves,
           const OutputRequest& request)
      : graph_(graph),
        draw_(draw),
        leaves_(leaves),
        request_(request),
        leaf_of_(graph.size(), 0),
        sampler_(domain, graph,
                 {[this](ValueId v, size_t e, int64_t i) {
                    Number x;
                    draw_.number(tensor_type(graph_, v, e).dtype, leaf(v), e, i, x);
                    return x;
                  },
                  [this](ValueId v, size_t e, int64_t i) {
                    return draw_.integer(tensor_type(graph_, v, e).dtype, leaf(v), e, i);
                  }}) {
    sampler_.set_budget(request.budget);
    for (size_t i = 0; i < graph.inputs().size(); ++i) leaf_of_[graph.inputs()[i].index()] = input_leaf(i);
  }

  std::vector<OutputElements<Number>> run() {
    std::vector<OutputElements<Number>> out;
    uint64_t output = 0;
    for (ValueId o : graph_.outputs()) {
      if (request_.until.passed()) throw eval::EvaluationCut();
      for (size_t e = 0; e < tensor_count(graph_.type(o)); ++e) out.push_back(elements(o, e, output++));
    }
    return out;
  }

 private:
  OutputElements<Number> elements(ValueId v, size_t element, uint64_t output) {
    const ir::Type& type = tensor_type(graph_, v, element);
    OutputElements<Number> out{type.dtype, ir::sizes(type.shape), {}, {}, {}};
    const int64_t count = ir::element_count(type.shape);
    for (int64_t i = 0; i < std::min<int64_t>(count, request_.samples); ++i) {
      const uint64_t h = hash_combine(hash_combine(request_.sample_seed, output), static_cast<uint64_t>(i));
      // Both ends are always among the samples: that is where padding and clamping show.
      const int64_t at = i == 0   ? 0
                         : i == 1 ? count - 1
                                  : static_cast<int64_t>(h % static_cast<uint64_t>(count));
      out.places.push_back(at);
      if (meaning::sort_of(type.dtype) == Sort::kInteger)
        out.integers.push_back(sampler_.integer(v, at, element));
      else
        out.numbers.push_back(sampler_.number(v, at, element));
    }
    return out;
  }

  uint64_t leaf(ValueId v) {
    if (leaf_of_[v.index()] != 0) return leaf_of_[v.index()];
    uint64_t id = 0;
    if (graph_.def(v).is(ir::Core::kWeight)) {
      id = weight_leaf(weight_name(graph_, v));
    } else {
      Probe<Number> probe;
      for (ValueId o : graph_.operands(v))
        for (size_t e = 0; e < tensor_count(graph_.type(o)); ++e) probe_operand(o, e, probe);
      id = leaves_.leaf(graph_.op(v), graph_.payload(v), probe);
    }
    return leaf_of_[v.index()] = id;
  }

  void probe_operand(ValueId o, size_t element, Probe<Number>& out) {
    const ir::Type& type = tensor_type(graph_, o, element);
    const std::vector<int64_t> sizes = ir::sizes(type.shape);
    out.integers.insert(out.integers.end(), sizes.begin(), sizes.end());
    const auto places = probe_places(ir::element_count(type.shape));
    for (size_t i = 0; i < std::min<size_t>(places.size(), 4); ++i) {
      if (meaning::sort_of(type.dtype) == Sort::kInteger)
        out.integers.push_back(sampler_.integer(o, places[i], element));
      else
        out.numbers.push_back(sampler_.number(o, places[i], element));
    }
  }

  const ir::Graph& graph_;
  const Draw& draw_;
  TestLeaves<Number>& leaves_;
  const OutputRequest& request_;
  std::vector<uint64_t> leaf_of_;
  eval::Sampler<D> sampler_;
};

}  // namespace

template <class D>
std::vector<OutputElements<typename D::Number>> program_outputs(D& domain, const ir::Graph& flat,
                                                                const Draw& draw,
                                                                TestLeaves<typename D::Number>& leaves,
                                                                const OutputRequest& request) {
  if (request.whole) return whole(domain, flat, draw, leaves, request);
  return Sampling<D>(domain, flat, draw, leaves, request).run();
}

std::vector<eval::Tensor<double>> drawn_inputs(const ir::Graph& graph, const Draw& draw) {
  constexpr int64_t kMost = int64_t{1} << 22;
  std::vector<eval::Tensor<double>> out;
  int64_t elements = 0;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const ir::Type& type = graph.type(graph.inputs()[i]);
    if (!type.is_static_tensor() || (!ir::is_float(type.dtype) && !ir::is_integer(type.dtype))) return {};
    elements += ir::element_count(type.shape);
    if (elements > kMost) return {};
    out.push_back(draw_tensor<double>(draw, input_leaf(i), 0, type));
  }
  return out;
}

bool same_values(const std::vector<OutputElements<eval::FieldValue>>& a,
                 const std::vector<OutputElements<eval::FieldValue>>& b) {
  for (size_t o = 0; o < a.size(); ++o) {
    if (a[o].integers != b[o].integers) return false;
    for (size_t i = 0; i < a[o].numbers.size(); ++i)
      if (!agree(a[o].numbers[i], b[o].numbers[i])) return false;
  }
  return true;
}

template std::vector<OutputElements<double>> program_outputs(eval::Float32&, const ir::Graph&, const Draw&,
                                                             TestLeaves<double>&, const OutputRequest&);
template std::vector<OutputElements<double>> program_outputs(eval::Float64&, const ir::Graph&, const Draw&,
                                                             TestLeaves<double>&, const OutputRequest&);
template std::vector<OutputElements<eval::FieldValue>> program_outputs(eval::RandomInterpretation&,
                                                                       const ir::Graph&, const Draw&,
                                                                       TestLeaves<eval::FieldValue>&,
                                                                       const OutputRequest&);
template std::vector<OutputElements<eval::FieldValue>> program_outputs(eval::PrimeField&, const ir::Graph&,
                                                                       const Draw&,
                                                                       TestLeaves<eval::FieldValue>&,
                                                                       const OutputRequest&);

}  // namespace isomer::verify
