// Two programs in the interpreter, for `isomer verify`: what no runtime runs, and what runs cannot prove.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isomer/isomer.h"
#include "recipes/dims.h"
#include "recipes/load.h"
#include "recipes/witness_file.h"
#include "support/deadline.h"
#include "verify/digits_lost.h"
#include "verify/equivalence.h"
#include "verify/rounded.h"

namespace isomer::recipes {

/// The scope of what is shown over the field: rounding is another matter.
inline constexpr const char* kExactly = "all inputs, in exact arithmetic";
/// A scope at these sets of sizes: "random inputs at n=2; n=3".
std::string scope_at(const std::string& inputs, const std::vector<Sizes>& sets);

/// Whether some operator has no meaning here.
bool has_opaque(const ir::Graph& graph);

/// Whether operators without a meaning, if both programs have some, stand among the same definitions:
/// functions and operator sets.
bool same_meanings(const Program& a, const Program& b);

/// What is to be said where sizes may decide a condition in a body of either model, which is not watched;
/// empty: there is none, or no size is dynamic.
std::string say_hidden_conditions(const std::string& path_a, const Program& a, const std::string& path_b,
                                  const Program& b);

/// The same where a condition of either model is decided by sizes, of which others were not tried.
std::string say_sizes_decide(const std::string& path_a, const Program& a, const std::string& path_b,
                             const Program& b);

/// The result with this verdict, which says whether they are equivalent.
CompareResult decided(CompareResult result, Agreement verdict);

/// Whether what overflows in the first alone is a difference (--float strict). Throws UsageError for another
/// word than strict and finite.
bool is_strict(const CompareOptions& options);
/// Where the first alone overflows, or loses digits: what is equal elsewhere is equal but for that, and
/// tested; what is not decided stays so. A difference if `strict`.
CompareResult but_for(CompareResult result, Except except, const std::string& what, bool strict);

struct Interpreted {
  verify::Verdict verdict;                           ///< the least that is shown at any of the sizes
  std::optional<std::pair<Program, Program>> apart;  ///< as they were read at sizes where they differ
  /// Beside what was seen at sizes: every element is the same term of the inputs' elements, whatever the
  /// sizes.
  bool same_elements = false;
  Witness shown;  ///< of a refutation by inputs (Verdict::inputs), if it is to be kept
};
/// What that makes the scope of a proof.
inline constexpr const char* kEverySize = "all inputs and sizes";
inline constexpr const char* kSameElements = "the same elements at every size";
/// At each of these sets of sizes of dynamic dimensions; as they were read where there is none. Operators
/// without a meaning are compared by the identity of their operands (verify/by_operands.h).
Interpreted interpret_at(ir::Context& ctx, const std::string& path_a, const std::string& path_b,
                         const Program& a, const Program& b, const std::vector<Sizes>& sets,
                         const verify::EquivalenceOptions& options);

struct Judged {
  bool ran = false;     ///< a runtime has run them, and saw nothing of it
  bool strict = false;  ///< is_strict
  bool digits = false;  ///< whether digits that single precision loses count
};
/// What rounding makes of a result that is not "different": every result rounded to its type, at these sizes
/// and at larger ones, at which sums of many overflow (verify/rounded.h); and what either program loses in
/// single precision (verify/digits_lost.h), beyond `options.tolerance`. What shows it is written as
/// `witness`.
CompareResult judge_rounding(CompareResult result, ir::Context& ctx, const std::string& path_a,
                             const std::string& path_b, const Program& a, const Program& b,
                             const std::vector<Sizes>& sets, const verify::EquivalenceOptions& options,
                             const std::string& witness, const Judged& judged);

/// Writes what makes them different, if there is something, where nothing has been written yet; `path`: empty
/// for nowhere. What cannot be written is said, and the answer stands without it.
CompareResult with_witness(CompareResult result, const std::string& path, const Witness& shown);
/// What a worker has written.
CompareResult with_witness(CompareResult result, const std::string& path, const WitnessFile& written);

/// The interpreter has as long as inputs are tried for, and 10 s at least.
verify::EquivalenceOptions interpreting(const CompareOptions& asked, const StopToken& stop);

/// The whole answer for what no runtime runs.
CompareResult in_the_interpreter(ir::Context& ctx, const std::string& path_a, const std::string& path_b,
                                 const Program& a, const Program& b, const std::vector<Sizes>& sets,
                                 const CompareOptions& asked, const StopToken& stop);

}  // namespace isomer::recipes
