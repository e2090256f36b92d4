// What a random test over the field is worth: the probability that it accepts a wrong muGraph.
#pragma once

#include "ir/graph.h"
#include "mugraph/field_tests.h"

namespace isomer::mugraph {

/// Which scalar operators a program uses, and how many exponentials meet in one sum.
struct ExponentialFacts {
  bool exponentials = false;
  double terms = 1;  ///< largest reduction over something with exponentials
  double square_roots = 0;
};
ExponentialFacts facts_of(const ir::Graph& flat);

/// Log2 of the bound on the probability that one test over the field accepts a wrong muGraph: degree / p
/// without exponentials, 8 d k^4 / q + q^(-1/k^2) with k of them in a sum (Mirage, OSDI 2025, theorem 2).
/// From 0 on the bound says nothing.
double log2_test_error(double log2_degree, double exponential_terms, Fields fields = Fields::kSafe);

}  // namespace isomer::mugraph
