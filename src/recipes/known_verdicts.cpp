#include "recipes/known_verdicts.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "ir/constant_data.h"
#include "rewrite/rule_print.h"
#include "rewrite/rule_stability.h"
#include "support/hash.h"

namespace isomer::recipes {
namespace {

constexpr const char* kSpace = "verdicts/1";  ///< raise it when what is filed changes
constexpr const char* kClasses = "arithmetic/1";

std::optional<verify::VerdictKind> kind_of(std::string_view word) {
  using verify::VerdictKind;
  for (const VerdictKind kind :
       {VerdictKind::kProved, VerdictKind::kSampled, VerdictKind::kTested, VerdictKind::kUnknown})
    if (word == verify::to_string(kind)) return kind;
  return std::nullopt;
}

}  // namespace

std::string statement(const ir::OpTable& ops, const rewrite::Rule& rule,
                      std::unordered_map<std::string, uint64_t>& files) {
  std::string text = rewrite::draw(ops, rule);
  if (!std::filesystem::is_regular_file(rule.file)) return text;
  const auto [it, fresh] = files.try_emplace(rule.file, 0);
  if (fresh) it->second = hash_bytes(ir::map_file(rule.file)->bytes());
  return fmt::format("{}{:016x}\n", text, it->second);
}

KnownVerdicts::KnownVerdicts(Store store, uint64_t build) : store_(std::move(store)), build_(build) {}

verify::Verdict KnownVerdicts::verdict(const std::string& statement,
                                       const std::function<verify::Verdict()>& check) {
  asked_.insert(statement);
  if (build_ != 0)
    if (const auto known = store_.get(kSpace, key(statement))) {
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
    fresh_.emplace_back(key(statement), fmt::format("{}\n{}", verify::to_string(verdict.kind), verdict.note));
  return verdict;
}

std::string KnownVerdicts::arithmetic(const std::string& statement, const rewrite::Rule& rule) {
  if (build_ != 0)
    if (auto known = store_.get(kClasses, key(statement))) return *std::move(known);
  ir::Context ctx(ir::standard_ops());
  std::string measured = rewrite::arithmetic_of(rewrite::measure_stability(ctx, rule));
  if (build_ != 0) fresh_classes_.emplace_back(key(statement), measured);
  return measured;
}

std::string KnownVerdicts::key(const std::string& statement) const {
  return fmt::format("{:016x} {:016x}{:016x}", build_, hash_string(statement, 1), hash_string(statement, 2));
}

void KnownVerdicts::keep() {
  if (!fresh_.empty()) store_.put(kSpace, fresh_);
  if (!fresh_classes_.empty()) store_.put(kClasses, fresh_classes_);
  fresh_.clear();
  fresh_classes_.clear();
}

}  // namespace isomer::recipes
