#include "recipes/known_verdicts.h"

#include <fmt/format.h>

#include <optional>

#include "support/hash.h"

namespace isomer::recipes {
namespace {

constexpr const char* kSpace = "verdicts/1";  ///< raise it when what is filed changes

std::optional<verify::VerdictKind> kind_of(std::string_view word) {
  using verify::VerdictKind;
  for (const VerdictKind kind :
       {VerdictKind::kProved, VerdictKind::kSampled, VerdictKind::kTested, VerdictKind::kUnknown})
    if (word == verify::to_string(kind)) return kind;
  return std::nullopt;
}

}  // namespace

KnownVerdicts::KnownVerdicts(Store store, uint64_t build) : store_(std::move(store)), build_(build) {}

verify::Verdict KnownVerdicts::verdict(const std::string& statement,
                                       const std::function<verify::Verdict()>& check) {
  asked_.insert(statement);
  const std::string key =
      fmt::format("{:016x} {:016x}{:016x}", build_, hash_string(statement, 1), hash_string(statement, 2));
  if (build_ != 0)
    if (const auto known = store_.get(kSpace, key)) {
      const size_t end = known->find('\n');
      if (const auto kind = kind_of(std::string_view(*known).substr(0, end));
          kind && end != std::string::npos) {
        verify::Verdict verdict;
        verdict.kind = *kind;
        verdict.method = "remembered";
        verdict.note = known->substr(end + 1);
        ++remembered_;
        return verdict;
      }
    }
  verify::Verdict verdict = check();
  if (build_ != 0 && verdict.kind != verify::VerdictKind::kRefuted)
    fresh_.emplace_back(key, fmt::format("{}\n{}", verify::to_string(verdict.kind), verdict.note));
  return verdict;
}

void KnownVerdicts::keep() {
  if (!fresh_.empty()) store_.put(kSpace, fresh_);
  fresh_.clear();
}

}  // namespace isomer::recipes
