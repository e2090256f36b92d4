// Is an equality of the symbol language true of tensors? The words of TASO's verifier get their meaning here,
// variables and input_N small random shapes (integers, scalars) under which both sides are well typed, and
// the verifier decides (verify/equivalence.h), as for our own rules (rule_check.h). Axioms and equations are
// judged alike.
//
//   ewadd ewmul (x, y); smul (x, scalar); relu (x); transpose (matrix); matmul (x, y); concat (axis, x, y);
//   split_0 split_1 (axis, x), cut at some position; conv2d (stride h, w, padding, activation, x, kernel) of
//   one group; poolavg poolmax (kernel h, w, stride h, w, padding, x), the mean counting the zeros of the
//   padding; enlarge (h, w, kernel), zero-padded to that size; Iconv Cpool (h, w), Imatmul, Iewmul: constants
//   of the size that fits
#pragma once

#include <string>

#include "egraph/symbols.h"
#include "verify/verdict.h"

namespace isomer::rewrite {

struct AxiomCheckOptions {
  uint64_t seed = 1;
  int instances = 8;
  int attempts = 20'000;
};

struct AxiomVerdict {
  verify::Verdict verdict;  ///< the weakest of the instances'; kUnknown where no instance was found
  int instances = 0;
  std::string instance;  ///< shapes and numbers of that one
};

/// Throws InputError for a word that has no meaning here, or with the wrong number of arguments.
AxiomVerdict check_axiom(const egraph::SymbolTable& symbols, const egraph::Pattern& left,
                         const egraph::Pattern& right, const AxiomCheckOptions& options = {});

}  // namespace isomer::rewrite
