// A program that a search or a bench has found, held to the one that it began with: over the prime field and,
// apart from that, on floats. Every table of programs found has a column that says what came of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/graph.h"
#include "support/deadline.h"
#include "support/limits.h"
#include "verify/equivalence.h"

namespace isomer::recipes {

/// What a check came to, from the best to the worst.
enum class Held : uint8_t {
  kSame,      ///< over the field, whole or where sampled
  kOnFloats,  ///< no identity over the field, or none that can be stated, but equal on floats
  kOpen,      ///< not known over the field, or only sampled there and not known on floats
  kDiffers,   ///< over the field, or on floats
};
/// "same", "floats", "open", "differs".
std::string_view to_string(Held held);

struct FoundCheck {
  verify::Verdict field;   ///< over the field, or, where there is no identity, on floats
  verify::Verdict floats;  ///< on floats, whatever the field says
  /// With results rounded to their types: where floats differ and the field has not said that the programs
  /// are the same, nor, of programs with the same constants, that they are not. What folds constants as the
  /// program itself would compute them is another function of real numbers and the same of its own.
  std::optional<verify::Verdict> rounded;

  Held held() const;
  bool differs() const { return held() == Held::kDiffers; }
  /// It differs, and rounding does not explain it: whole tensors are not the same over the field, and not
  /// the same when rounded.
  bool is_wrong() const;
  /// Both say that it is the same program.
  bool holds() const;
  /// "field; floats 3e-07", "field open (why); floats, ONNX Runtime 3e-07", "DIFFERS: where", "DIFFERS
  /// on floats only: where" (of an identity), "DIFFERS unless rounded: where". Fit for a table.
  std::string words() const;
  /// Of two programs of one line: the wrong one, the one that differs, the one of which less is known.
  void keep_worse(const FoundCheck& other);
};

/// By the interpreter. Both graphs of one context. At most so many seconds of this thread for each question,
/// so that a busy machine gives the same answer, and by the clock ten times that, until `until`.
FoundCheck check_evaluated(const ir::Graph& start, const ir::Graph& found, double seconds,
                           const Deadline& until = {});
/// And where it cannot come to the end of the floats, in ONNX Runtime, with weights of our own making.
FoundCheck check_found(const ir::Graph& start, const ir::Graph& found, double seconds = 60,
                       const StopToken& stop = {});

/// Throws VerificationError where it is wrong, which says what was found: "what beam makes of the module".
void require_right(const FoundCheck& seen, const std::string& found);

}  // namespace isomer::recipes
