// What is known about the equivalence of two programs, and how well.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eval/tensor.h"

namespace isomer::verify {

enum class VerdictKind : uint8_t {
  kProved,   ///< equal at every output element, up to `log2_error`: identical structure, or tests over the
             ///< field
  kSampled,  ///< equal over the field at the sampled output elements only, or in the sampled orders of what
             ///< is compared
  kTested,   ///< no identity over the field (or none can be stated), but equal on floats within the tolerance
  kRefuted,  ///< a counterexample on floats, or signatures that differ
  kUnknown,  ///< could not be evaluated; `note` says why
};
std::string_view to_string(VerdictKind kind);

/// What a verdict rests on.
enum class Evidence : uint8_t {
  kComputed,   ///< values of both programs, or nothing yet
  kStructure,  ///< they are the same program: nothing was computed
  kOperands,   ///< an operator without a meaning has no counterpart with the same operands
};

/// What was said over the prime field.
enum class OnField : uint8_t {
  kNotKnown,          ///< it was not asked, or not to the end
  kSame,              ///< whole tensors are the same
  kSameWhereSampled,  ///< sampled elements, orders or integers are
  kOther,             ///< they are not
};

/// Where two sides that are equal elsewhere were seen to differ.
enum Limit : uint8_t {
  kAtZero = 1,      ///< zeros or ties: the first side divides by zero, the second does not
  kAtOverflow = 2,  ///< large numbers: one side overflows
  kCancels = 4,     ///< sides that are equal over the field: digits are lost where terms cancel
};

struct Verdict {
  VerdictKind kind = VerdictKind::kUnknown;
  Evidence evidence = Evidence::kComputed;
  std::string method;             ///< in words: "structure", "field", "field, sampled", "floats", ...
  double log2_error = 0;          ///< proved: log2 of the probability that the claim is wrong
  bool on_floats = false;         ///< floats were compared, at all or at sampled elements
  double max_relative_error = 0;  ///< on floats, relative to the largest element of the output
  double granted = 0;             ///< of that, what is taken for rounding: the most of all types compared
  int64_t elements_compared = 0;  ///< per test
  int64_t elements_total = 0;
  std::vector<std::string> uninterpreted;  ///< functions that were taken as fixed random ones: the claim
                                           ///< holds for any function in their place
  std::string counterexample;
  /// Of both programs, where the counterexample was seen on floats, or the second side alone failed; empty
  /// elsewhere, where it is not to be kept (EquivalenceOptions::keep_inputs), or where one is no tensor.
  std::vector<eval::Tensor<double>> inputs;
  std::string note;
  uint8_t limits = 0;    ///< of Limit
  bool vacuous = false;  ///< unknown only because no compared element was finite
  OnField on_field = OnField::kNotKnown;

  bool equivalent() const { return kind < VerdictKind::kRefuted; }
  /// Refuted on floats only: an identity over the field.
  bool of_floats() const {
    return kind == VerdictKind::kRefuted &&
           (on_field == OnField::kSame || on_field == OnField::kSameWhereSampled);
  }
  double error_probability() const;
};

/// Nothing was computed, nothing can be wrong.
Verdict proved_by_structure(const char* method);
Verdict refuted_by_signature(std::string what);
/// `vacuous`: no compared element said anything.
Verdict unknown(std::string why, bool vacuous = false);

/// One line: "proved over the field (error < 2^-170; any exp, erf)".
std::string summary(const Verdict& verdict);

}  // namespace isomer::verify
