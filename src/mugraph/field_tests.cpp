#include "mugraph/field_tests.h"

#include <algorithm>
#include <vector>

#include "eval/field.h"
#include "eval/interpreter.h"
#include "mugraph/interpret.h"
#include "mugraph/sampled_run.h"
#include "support/errors.h"
#include "support/hash.h"
#include "support/unknown_word.h"

namespace isomer::mugraph {
namespace {

using eval::FieldValue;
using Tensor = eval::Tensor<FieldValue>;

constexpr FieldsChoice kChoices[] = {
    {Fields::kSafe, "safe", "one of 61 bits"},
    {Fields::kPaper, "paper", "227 and 113, as Mirage's papers have them"},
    {Fields::kMirageCode, "mirage-code", "167 and 83, one test of a ramp, as its public code does it"}};

/// The first element that differs; `compared` counts those before it.
std::optional<FieldTest::Difference> differ(const std::vector<Tensor>& is, const std::vector<Tensor>& should,
                                            int64_t& compared) {
  for (size_t o = 0; o < should.size(); ++o)
    for (size_t i = 0; i < should[o].numbers.size(); ++i, ++compared)
      if (is[o].numbers.size() != should[o].numbers.size() || is[o].numbers[i].p != should[o].numbers[i].p)
        return FieldTest::Difference{o, i};
  return std::nullopt;
}

template <class Primes>
FieldTest test(const ir::Graph& wanted, const ir::Graph& plain, const MuGraph* by_block,
               std::span<const Sizes> sizes, uint64_t seed, meaning::KnownNests& nests) {
  using Field = eval::FieldOver<Primes>;
  std::vector<Tensor> inputs;
  std::vector<eval::Value<FieldValue>> values;
  for (size_t i = 0; i < sizes.size(); ++i) {
    Tensor t{ir::DType::kF32, sizes[i], {}, {}};
    t.numbers.resize(static_cast<size_t>(t.count()));
    for (size_t n = 0; n < t.numbers.size(); ++n)
      t.numbers[n] = Field::from_hash(hash_combine(hash_combine(seed, i), n));
    inputs.push_back(t);
    values.push_back(eval::make_value(std::move(t)));
  }
  Field field(seed);
  eval::EvalOptions<Field> options;
  options.nests = &nests;
  const auto run = [&](const ir::Graph& graph) {
    std::vector<Tensor> out;
    for (const auto& v : eval::evaluate<Field>(field, graph, values, options)) out.push_back(*v.tensor);
    return out;
  };
  FieldTest out;
  const auto should = run(wanted);
  out.inexact = field.inexact();
  std::vector<Tensor> blocks;
  if (by_block != nullptr) blocks = interpret(field, *by_block, std::span<const Tensor>(inputs));
  const auto is = run(plain);
  out.undefined = field.divided_by_zero();
  if (out.undefined) return out;
  if (by_block != nullptr) out.difference = differ(blocks, should, out.elements);
  if (!out.difference) out.difference = differ(is, should, out.elements);
  return out;
}

}  // namespace

FieldPrimes primes_of(Fields fields) {
  switch (fields) {
    case Fields::kSafe: return {eval::SafePrimes::kP, eval::SafePrimes::kQ};
    case Fields::kPaper: return {eval::PaperPrimes::kP, eval::PaperPrimes::kQ};
    case Fields::kMirageCode: return {eval::PublicCodePrimes::kP, eval::PublicCodePrimes::kQ};
  }
  return {};
}

std::span<const FieldsChoice> fields_choices() { return kChoices; }

Fields fields_of(std::string_view name) {
  const auto at = std::ranges::find(kChoices, name, &FieldsChoice::name);
  if (at != std::end(kChoices)) return at->fields;
  std::vector<std::string> names;
  for (const FieldsChoice& c : kChoices) names.emplace_back(c.name);
  throw unknown_word("fields", name, names);
}

FieldTest test_over(Fields fields, const ir::Graph& wanted, const ir::Graph& plain, const MuGraph* by_block,
                    std::span<const Sizes> inputs, uint64_t seed, meaning::KnownNests& nests) {
  REQUIRE(fields != Fields::kMirageCode, "a field for random inputs");
  return fields == Fields::kSafe ? test<eval::SafePrimes>(wanted, plain, by_block, inputs, seed, nests)
                                 : test<eval::PaperPrimes>(wanted, plain, by_block, inputs, seed, nests);
}

FieldTest ramp_test(const MuGraph& graph, const ir::Graph& wanted, int samples, double work, uint64_t seed,
                    const StopToken& stop) {
  using Primes = eval::PublicCodePrimes;
  using Field = eval::FieldOver<Primes>;
  Field field;
  const auto ramp = [&](int64_t at) {
    if (stop.requested()) throw eval::SampleBudgetSpent();
    return field.from_integer(at % static_cast<int64_t>(Primes::kP * Primes::kQ));
  };
  const auto leaf = [&](ir::ValueId, size_t, int64_t at) { return ramp(at); };
  eval::Sampler<Field> program(field, wanted, {leaf, {}});
  program.set_budget(static_cast<uint64_t>(work / kStepsOfASample));
  SampledRun<Field> run(field, graph, [&](size_t, int64_t at) { return ramp(at); }, work);
  FieldTest out;
  for (size_t o = 0; o < graph.outputs.size(); ++o)
    for (int64_t at : sampled_places(graph.values[graph.outputs[o]], samples, hash_combine(seed, o))) {
      if (program.number(wanted.outputs()[o], at).p != run.element(graph.outputs[o], at).p) {
        out.difference = FieldTest::Difference{o, static_cast<size_t>(at)};
        return out;
      }
      ++out.elements;
    }
  out.inexact = field.inexact();
  return out;
}

}  // namespace isomer::mugraph
