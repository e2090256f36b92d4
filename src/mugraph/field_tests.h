// One random test over a prime field: a muGraph against its program, all output elements, at sizes that both
// have. Which field is a choice; what comes out is the same for all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ir/graph.h"
#include "meaning/known_nests.h"
#include "mugraph/mugraph.h"
#include "support/limits.h"

namespace isomer::mugraph {

/// kSafe: one safe prime just below 2^61. kPaper: 227 for values and 113 for exponents, as Mirage's papers
/// say. kMirageCode: 167 and 83 with what its public code does otherwise (eval/field.h), a ramp for inputs.
enum class Fields : uint8_t { kSafe, kPaper, kMirageCode };

/// Primes of values and of exponents.
struct FieldPrimes {
  uint64_t p = 0, q = 0;
};
FieldPrimes primes_of(Fields fields);
/// How they are called, and what they are in a few words.
struct FieldsChoice {
  Fields fields;
  std::string_view name, what;
};
std::span<const FieldsChoice> fields_choices();
/// UsageError, with the names there are, when there are none of this name.
Fields fields_of(std::string_view name);

struct FieldTest {
  /// Some denominator was zero: the theorems say nothing of this point, nothing was compared.
  bool undefined = false;
  /// The first output and element that differ.
  struct Difference {
    size_t output = 0, element = 0;
  };
  std::optional<Difference> difference;
  int64_t elements = 0;  ///< compared
  uint64_t inexact = 0;  ///< of the program's values: PrimeField::inexact()
};

/// `wanted`, `plain`: the program and the lowered muGraph, flat. `by_block`: the muGraph, run by grid and
/// loop besides; may be null. Not for kMirageCode. `seed`: of inputs, root of unity and random functions.
/// `nests`: of earlier tests, as meaning::KnownNests says.
FieldTest test_over(Fields fields, const ir::Graph& wanted, const ir::Graph& plain, const MuGraph* by_block,
                    std::span<const Sizes> inputs, uint64_t seed, meaning::KnownNests& nests);

/// What the public code compares, at sampled output elements: element i of every input is i modulo 167 * 83.
/// Throws eval::SampleBudgetSpent beyond `work` scalar steps, and once `stop` is requested.
FieldTest ramp_test(const MuGraph& graph, const ir::Graph& wanted, int samples, double work, uint64_t seed,
                    const StopToken& stop = {});

}  // namespace isomer::mugraph
