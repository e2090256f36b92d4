#include "recipes/check_options.h"

#include <fmt/format.h>

#include <cmath>

#include "recipes/time_budget.h"
#include "support/errors.h"

namespace isomer::recipes {

void require_at_least(const std::string& option, int64_t value, int64_t least) {
  if (value < least) throw UsageError(fmt::format("{} {}: expected at least {}", option, value, least));
}

void require_not_negative(const std::string& option, double value) {
  if (!std::isfinite(value) || value < 0)
    throw UsageError(fmt::format("{} {}: expected a finite number of at least 0", option, value));
}

void require_seconds(const std::string& option, double seconds) {
  if (std::isnan(seconds) || seconds < 0)
    throw UsageError(fmt::format("{} {}: expected seconds, at least 0", option, seconds));
}

namespace {

constexpr int kMostThreads = 1024;

void require_threads(int threads) {
  require_at_least("--threads", threads, 1);
  if (threads > kMostThreads)
    throw UsageError(fmt::format("--threads {}: expected at most {}", threads, kMostThreads));
}

}  // namespace

void check_options(const OptimizeOptions& options) {
  require_threads(options.threads);
  if (options.search_at_once < 1 || options.search_at_once > kMostThreads)
    throw UsageError(
        fmt::format("--search-at-once {}: expected 1 to {}", options.search_at_once, kMostThreads));
  require_at_least("--pairs", options.pairs, 1);
  require_at_least("--k-multi", options.k_multi, 0);
  require_not_negative("--tolerance", options.tolerance);
  require_not_negative("--max-weight-growth", options.max_weight_growth);
  if (options.time_limit != kUsualLimit) require_seconds("--time-limit", options.time_limit);
}

void check_options(const CompileOptions& options) {
  require_threads(options.threads);
  if (options.time_limit != kUsualLimit) require_seconds("--time-limit", options.time_limit);
  require_not_negative("tolerance", options.tolerance);
  require_not_negative("trial_limit", options.trial_limit);
}

}  // namespace isomer::recipes
