#include "eval/sampler.h"

#include "eval/field.h"
#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "eval/random_interpretation.h"
#include "ir/constant_data.h"
#include "support/errors.h"

namespace isomer::eval {
namespace {

constexpr int kMaxDepth = 4000;  // of the recursion: about 1 KiB a level of an 8 MiB stack

}  // namespace

/// Elements of the operands of one node.
template <class D>
struct Sampler<D>::Source {
  Sampler* sampler;
  std::vector<std::pair<Node*, ir::ValueId>> operands;

  Number number(int input, int64_t at) const;
  int64_t integer(int input, int64_t at) const;
};

template <class D>
struct Sampler<D>::Node {
  enum class Kind : uint8_t { kLeaf, kConstant, kNest };
  Kind kind = Kind::kLeaf;
  ir::ValueId value;
  size_t element = 0;
  const ir::Constant* constant = nullptr;
  ir::DType dtype = ir::DType::kUndefined;
  std::string what;
  meaning::CompiledNest nest;
  Source source{};
  std::unique_ptr<NestRunner<D, Source>> runner;
  std::unordered_map<int64_t, Number> numbers;
  std::unordered_map<int64_t, int64_t> integers;
};

template <class D>
Sampler<D>::Sampler(D& domain, const ir::Graph& flat, Leaves leaves)
    : domain_(domain), graph_(flat), leaves_(std::move(leaves)), nodes_(flat.size()) {}

template <class D>
Sampler<D>::~Sampler() = default;

template <class D>
typename Sampler<D>::Node& Sampler<D>::node(ir::ValueId v, size_t element) {
  auto& slots = nodes_[v.index()];
  if (slots.size() <= element) slots.resize(element + 1);
  if (slots[element]) return *slots[element];
  const ir::OpDef& def = graph_.def(v);
  // Tuples are looked through.
  if (def.is(ir::Core::kGet)) {
    const auto index = static_cast<size_t>(std::get<int64_t>(graph_.context().get(graph_.attrs(v)[0])));
    const ir::ValueId tuple = graph_.operands(v)[0];
    if (graph_.def(tuple).is(ir::Core::kTuple)) return node(graph_.operands(tuple)[index], 0);
    return node(tuple, index);
  }
  auto fresh = std::make_unique<Node>();
  Node& n = *fresh;
  n.value = v;
  n.element = element;
  if (def.is(ir::Core::kConstant) && can_evaluate(graph_, v)) {
    n.kind = Node::Kind::kConstant;
    n.constant = &constant_of(graph_, v);
    n.dtype = graph_.type(v).dtype;
  } else if (def.nests != nullptr && can_evaluate(graph_, v)) {
    n.kind = Node::Kind::kNest;
    std::vector<ir::TypeId> types;
    for (ir::ValueId o : graph_.operands(v)) types.push_back(graph_.type_id(o));
    const ir::OpInstance instance(graph_.context(), def, graph_.attrs(v), types, graph_.type_id(v));
    n.what = meaning::describe(graph_, v);
    n.nest = std::move(meaning::compile_nests(instance, n.what)[element]);
    n.dtype = n.nest.dtype;
    n.source.sampler = this;
    for (ir::ValueId o : graph_.operands(v)) n.source.operands.emplace_back(nullptr, o);
    n.runner = std::make_unique<NestRunner<D, Source>>(domain_, n.nest, n.what, n.source);
  }
  nodes_[v.index()][element] = std::move(fresh);
  for (auto& [operand, value] : n.source.operands) operand = &node(value, 0);
  return n;
}

template <class D>
typename D::Number Sampler<D>::Source::number(int input, int64_t at) const {
  Node& n = *operands[static_cast<size_t>(input)].first;
  if (++sampler->computed_ > sampler->budget_) throw SampleBudgetSpent();
  if (n.kind == Node::Kind::kLeaf) return sampler->leaves_.number(n.value, n.element, at);
  if (n.kind == Node::Kind::kConstant)
    return sampler->domain_.constant(ir::load_number(n.dtype, n.constant->bytes(), at));
  const auto [it, fresh] = n.numbers.try_emplace(at);
  if (!fresh) return it->second;
  Number& slot = it->second;  // stays put while others are inserted
  REQUIRE(++sampler->depth_ < kMaxDepth, "a program too deep to be sampled");
  slot = n.runner->number(at);
  --sampler->depth_;
  return slot;
}

template <class D>
int64_t Sampler<D>::Source::integer(int input, int64_t at) const {
  Node& n = *operands[static_cast<size_t>(input)].first;
  if (++sampler->computed_ > sampler->budget_) throw SampleBudgetSpent();
  if (n.kind == Node::Kind::kLeaf) return sampler->leaves_.integer(n.value, n.element, at);
  if (n.kind == Node::Kind::kConstant) return ir::load_integer(n.dtype, n.constant->bytes(), at);
  const auto [it, fresh] = n.integers.try_emplace(at);
  if (!fresh) return it->second;
  int64_t& slot = it->second;
  REQUIRE(++sampler->depth_ < kMaxDepth, "a program too deep to be sampled");
  slot = n.runner->integer(at);
  --sampler->depth_;
  return slot;
}

template <class D>
typename D::Number Sampler<D>::number(ir::ValueId v, int64_t linear, size_t element) {
  depth_ = 0;
  const Source source{this, {{&node(v, element), v}}};
  return source.number(0, linear);
}

template <class D>
int64_t Sampler<D>::integer(ir::ValueId v, int64_t linear, size_t element) {
  depth_ = 0;
  const Source source{this, {{&node(v, element), v}}};
  return source.integer(0, linear);
}

template class Sampler<Float32>;
template class Sampler<Float64>;
template class Sampler<PrimeField>;
template class Sampler<RandomInterpretation>;
template class Sampler<FieldOver<PublicCodePrimes>>;

}  // namespace isomer::eval
