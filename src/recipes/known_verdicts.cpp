#include "recipes/known_verdicts.h"

#include <fmt/format.h>

#include <optional>

#include "rewrite/rule_print.h"
#include "rewrite/rule_stability.h"
#include "support/build_identity.h"
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

KnownVerdicts::KnownVerdicts(Store store, uint64_t build, ShippedArithmetic shipped)
    : store_(std::move(store)), build_(build), shipped_(std::move(shipped)) {}

KnownVerdicts KnownVerdicts::of_user() {
  return {Store::of_user(), build_identity(), ShippedArithmetic::of_installation()};
}

std::string KnownVerdicts::statement(const ir::OpTable& ops, const rewrite::Rule& rule) {
  std::string text = rewrite::draw(ops, rule);
  const uint64_t file = hash_of(rule.file);
  return file == 0 ? text : fmt::format("{}{:016x}\n", text, file);
}

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
  if (auto shipped = shipped_.find(hash_of(rule.file), rule.name)) return *std::move(shipped);
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

uint64_t KnownVerdicts::hash_of(const std::string& file) {
  const auto [it, fresh] = files_.try_emplace(file, 0);
  if (fresh) it->second = rule_file_hash(file);
  return it->second;
}

void KnownVerdicts::keep() {
  if (!fresh_.empty()) store_.put(kSpace, fresh_);
  if (!fresh_classes_.empty()) store_.put(kClasses, fresh_classes_);
  fresh_.clear();
  fresh_classes_.clear();
}

}  // namespace isomer::recipes
