#include "evaluation/bench_rules.h"

#include "recipes/tensat.h"

namespace isomer::evaluation {
namespace {

constexpr std::string_view kSingleRules = "single";

}  // namespace

std::string BenchRules::word() const {
  switch (kind) {
    case Kind::kSound: return std::string(recipes::kTensatRules);
    case Kind::kSingle: return std::string(kSingleRules);
    case Kind::kAsTensat: return std::string(recipes::kPublishedRules);
    case Kind::kFile: break;
  }
  return file;
}

BenchRules bench_rules(const std::string& word) {
  using Kind = BenchRules::Kind;
  if (word == recipes::kTensatRules) return {Kind::kSound};
  if (word == kSingleRules) return {Kind::kSingle};
  if (word == recipes::kPublishedRules) return {Kind::kAsTensat};
  return {Kind::kFile, word};
}

}  // namespace isomer::evaluation
