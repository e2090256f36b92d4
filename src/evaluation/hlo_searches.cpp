#include "evaluation/hlo_searches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "hlo/dag_hash.h"
#include "hlo/print.h"
#include "published/hloenv.h"
#include "recipes/hlo_check.h"
#include "recipes/hlo_dataset.h"
#include "runtime/hlo_files.h"
#include "runtime/xla_pool.h"
#include "support/errors.h"
#include "support/possible.h"
#include "support/rng.h"

namespace isomer::evaluation {
namespace {

using Json = nlohmann::ordered_json;
using problems::DecidePasses;

constexpr uint64_t kRandomSteps = 2000;  ///< of random walks, which have no end of their own
constexpr double kSecondsToHold = 1;

Json json_of(const HloMet& met) {
  return {{"hash", fmt::format("{:016x}", met.hash)}, {"seconds", met.seconds}};
}

HloMet met_of(const Json& j) { return {hash_read(j.at("hash")), j.at("seconds")}; }

Json json_of(const HloSearchRun& run) {
  Json improvements = Json::array();
  for (const auto& i : run.improvements) improvements.push_back({i.evaluated, i.cost});
  Json out = {{"search", run.search},         {"seed", run.seed},
              {"found", json_of(run.found)},  {"evaluated", run.evaluated},
              {"ended", run.ended},           {"held", run.held},
              {"improvements", improvements}, {"cheapest", fmt::format("{:016x}", run.cheapest)}};
  if (run.cheapest_again) out["cheapest_again"] = *run.cheapest_again;
  if (run.found_again) out["found_again"] = *run.found_again;
  return out;
}

HloSearchRun search_run(const Json& j) {
  HloSearchRun out{j.at("search"),
                   j.at("seed"),
                   met_of(j.at("found")),
                   j.at("evaluated"),
                   j.at("ended"),
                   j.at("held"),
                   {},
                   {},
                   {},
                   {}};
  for (const Json& i : j.at("improvements")) out.improvements.push_back({i.at(0), i.at(1)});
  if (j.contains("cheapest_again")) out.cheapest_again = j["cheapest_again"].get<double>();
  if (j.contains("found_again")) out.found_again = j["found_again"].get<double>();
  out.cheapest = j.contains("cheapest") ? hash_read(j["cheapest"]) : out.found.hash;
  return out;
}

std::string line_of(const HloSearchesModule& m) {
  Json j = {{"record", "searches"}, {"pass", m.pass},         {"module", fmt::format("{:016x}", m.module)},
            {"file", m.file},       {"settings", m.settings}, {"instructions", m.instructions}};
  if (!m.error.empty()) {
    j["error"] = m.error;
    return j.dump();
  }
  j["start_seconds"] = m.start_seconds;
  j["pick_first"] = json_of(m.pick_first);
  j["reference"] = json_of(m.reference);
  j["runs"] = Json::array();
  for (const HloSearchRun& run : m.runs) j["runs"].push_back(json_of(run));
  return j.dump();
}

std::optional<HloSearchesModule> searched_module(const Json& j) {
  HloSearchesModule out;
  out.pass = j.at("pass");
  out.module = hash_read(j.at("module"));
  out.settings = j.at("settings");
  out.file = j.at("file");
  out.instructions = j.at("instructions");
  if (j.contains("error")) {
    out.error = j["error"];
    return out;
  }
  out.start_seconds = j.at("start_seconds");
  out.pick_first = met_of(j.at("pick_first"));
  out.reference = met_of(j.at("reference"));
  for (const Json& run : j.at("runs")) out.runs.push_back(search_run(run));
  return out;
}

/// The setting of the paper in which a pass is decided, where it has one; and the pass of XLA it stands for.
struct Setting {
  passes::Pipeline pipeline;
  std::string reference;
};
Setting setting_of(const std::string& pass) {
  if (pass == "algsimp") return {recipes::hlo_pipeline("hloenv-algsimp"), pass};
  if (pass == "general-fusion") return {recipes::hlo_pipeline("hloenv-fusion"), "fusion"};
  return {passes::only({passes::find_pass(pass)}), pass};
}

bool is_seeded(const std::string& search) {
  const recipes::HloSearch kind = recipes::hlo_search_named(search);
  return kind == recipes::HloSearch::kRandom || kind == recipes::HloSearch::kMcts;
}

/// All searches of one pass on one module.
class OnModule {
 public:
  OnModule(const HloSearchesOptions& o, const hlo::Module& module, const std::string& pass,
           const std::shared_ptr<runtime::XlaPool>& pool, LimitWatch& watch)
      : o_(o), watch_(watch), module_(module), setting_(setting_of(pass)), is_timed_(pool != nullptr) {
    evaluation_.pool = pool;
    evaluation_.stop = o.stop;
    evaluation_.disabled = setting_.pipeline.without;
    if (is_timed_) evaluation_.store = std::make_shared<Store>(Store::of_user());
  }

  /// Nothing where it was stopped on the way.
  std::optional<HloSearchesModule> run(HloSearchesModule out) {
    const auto ended = possible([&] { return search_all(out); });
    if (!ended) {
      out.error = ended.why_not;
      out.runs.clear();
    }
    if (o_.stop.requested() || (ended && !*ended)) return std::nullopt;
    return out;
  }

 private:
  /// False where it was stopped on the way. InputError where XLA does not run what is to be compared.
  bool search_all(HloSearchesModule& out) {
    const hlo::Module reference =
        passes::run_to_end(module_, std::vector{passes::find_pass(setting_.reference)}).module;
    const std::vector<double> seconds = recipes::hlo_evaluator(o_.evaluator, module_, evaluation_)
                                            ->costs(std::vector<const hlo::Module*>{&module_, &reference});
    out.start_seconds = seconds[0];
    out.reference = {hlo::dag_hash(reference), seconds[1]};
    require_run(out.reference, "what XLA's pass makes", out);
    for (const std::string& search : o_.searches)
      for (int seed = 0; seed < (is_seeded(search) ? o_.seeds : 1); ++seed) {
        out.runs.push_back(one(search, static_cast<uint64_t>(seed), out));
        if (watch_.check_now() != StopReason::kRunning) return false;
        require_run(out.pick_first, "what pick-first makes", out);
      }
    return !is_timed_ || time_again(out);
  }

  /// There is nothing to compare with what is refused, or computes something else.
  static void require_run(const HloMet& met, const char* what, const HloSearchesModule& about) {
    if (about.start_seconds > 0 && met.seconds >= recipes::kRefused * about.start_seconds)
      throw InputError(fmt::format("XLA does not run {}, or it computes something else", what));
  }

  HloSearchRun one(const std::string& search, uint64_t seed, HloSearchesModule& about) {
    recipes::HloSearchOptions options;
    options.pipeline = setting_.pipeline;
    options.search = recipes::hlo_search_named(search);
    options.evaluator = o_.evaluator;
    options.evaluation = evaluation_;
    // Of the pipeline, which adds them itself.
    options.evaluation.disabled.clear();
    options.steps = kRandomSteps;
    options.seed = seed;
    options.evaluations = o_.evaluations;
    options.keep_ways = true;
    options.check = false;  // each module that was found is, once
    options.limits.seconds = std::min(o_.seconds, watch_.remaining());
    options.limits.stop = o_.stop;
    recipes::HloSearchResult result = recipes::hlo_search(module_, options);
    const uint64_t first = hlo::dag_hash(result.ways->pick_first), found = hlo::dag_hash(result.module);
    about.pick_first = {first, result.cost_pick_first};
    HloSearchRun out{search,
                     seed,
                     {found, result.cost_after},
                     result.evaluated,
                     result.stop_reason == StopReason::kSaturated && result.listed_all,
                     held(found, result.module),
                     std::move(result.improvements),
                     {},
                     {},
                     result.cheapest};
    if (is_timed_ && !result.confirmed) out.cheapest_again = 1;  // there is but one module
    if (result.confirmed && result.confirmed->of_cheapest)
      out.cheapest_again = 1 / result.confirmed->of_cheapest->median;
    modules_.try_emplace(first, std::move(result.ways->pick_first));
    modules_.try_emplace(found, std::move(result.module));
    return out;
  }

  std::string held(uint64_t hash, const hlo::Module& found) {
    auto [at, is_new] = held_.try_emplace(hash, to_string(recipes::Held::kSame));
    if (is_new && hash != hlo::dag_hash(module_)) {
      const recipes::FoundCheck check = recipes::check_module(module_, found, kSecondsToHold);
      recipes::require_right(check, fmt::format("what a search makes of {}", module_.file));
      at->second = to_string(check.held());
    }
    return at->second;
  }

  /// What was found and pick-first's module in turn, in one sitting, nothing of it known before. False where
  /// it was stopped on the way.
  bool time_again(HloSearchesModule& out) {
    if (modules_.size() == 1) {  // all found what pick-first makes
      for (HloSearchRun& run : out.runs) run.found_again = 1;
      return true;
    }
    std::vector<std::string> texts;
    std::map<uint64_t, size_t> places;
    for (const auto& [hash, module] : modules_) {
      places[hash] = texts.size();
      texts.push_back(hlo::print(module, hlo::Dialect::kShort));
    }
    runtime::XlaOptions options;
    options.disabled = evaluation_.disabled;
    options.stop = o_.stop;
    const recipes::HloCalls calls = recipes::call_in_turn(
        texts.size(), options, Deadline(watch_.remaining(), steady_clock(), o_.stop),
        [&](int, const runtime::XlaOptions& load) { return evaluation_.pool->race({texts}, load)[0]; });
    if (calls.evaluations < recipes::kHloEvaluations)
      return watch_.check_now() == StopReason::kRunning;  // nothing can be compared, or it is too slow
    const auto over = recipes::speedups(calls, places.at(out.pick_first.hash), evaluation_.tolerance);
    for (HloSearchRun& run : out.runs)
      if (const auto& speedup = over[places.at(run.found.hash)]) run.found_again = 1 / speedup->median;
    return true;
  }

  const HloSearchesOptions& o_;
  LimitWatch& watch_;
  const hlo::Module& module_;
  Setting setting_;
  bool is_timed_;
  recipes::HloEvaluatorOptions evaluation_;
  std::map<uint64_t, hlo::Module> modules_;  ///< pick-first's, and those that were found
  std::map<uint64_t, std::string> held_;
};

bool proposes(const hlo::Module& module, const std::string& pass) {
  return !passes::dry_run(module, std::vector{passes::find_pass(pass)}).choices().empty();
}

/// Cost of the cheapest module by then.
double least_after(const HloSearchRun& run, uint64_t evaluations, double pick_first) {
  double out = pick_first;
  for (const auto& i : run.improvements)
    if (i.evaluated <= evaluations) out = std::min(out, i.cost);
  return out;
}

/// The runs of a search on a module; pick-first is one.
std::vector<HloSearchRun> runs_of(const HloSearchesModule& m, const std::string& search) {
  if (recipes::hlo_search_named(search) == recipes::HloSearch::kPickFirst)
    return {{search, 0, m.pick_first, 1, true, {}, {}, {}, {}, m.pick_first.hash}};
  std::vector<HloSearchRun> out;
  std::ranges::copy_if(m.runs, std::back_inserter(out),
                       [&](const HloSearchRun& run) { return run.search == search; });
  return out;
}

std::vector<double> known_of(const std::vector<HloSearchRun>& runs,
                             std::optional<double> HloSearchRun::* number) {
  std::vector<double> out;
  for (const HloSearchRun& run : runs)
    if (run.*number) out.push_back(*(run.*number));
  return out;
}

void add_unless_empty(std::vector<std::vector<double>>& to, std::vector<double> of_module) {
  if (!of_module.empty()) to.push_back(std::move(of_module));
}

std::optional<MeanOfModules> mean_where_known(const std::vector<std::vector<double>>& by_module) {
  return by_module.empty() ? std::nullopt : std::optional(mean_of_modules(by_module));
}

double plain_mean(const std::vector<double>& all) {
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

}  // namespace

HloSearchesRecord::HloSearchesRecord() : KeyedRecord("bench hlo --table 2", line_of, searched_module) {}

const std::vector<std::string>& hlo_sizes() {
  static const std::vector<std::string> kAll = {"below 10", "10-20", "20-40", "above 40"};
  return kAll;
}

const std::string& hlo_size_of(uint64_t instructions) {
  constexpr uint64_t kLargest[] = {9, 20, 40};
  return hlo_sizes()[static_cast<size_t>(std::ranges::lower_bound(kLargest, instructions) - kLargest)];
}

HloSearches run_hlo_searches(const HloSearchesOptions& options, HloSearchesRecord& record) {
  for (const std::string& pass : options.passes) passes::find_pass(pass);
  for (const std::string& search : options.searches) recipes::hlo_search_named(search);
  HloSearches out;
  std::shared_ptr<runtime::XlaPool> pool;
  out.evaluator = options.evaluator;
  if (recipes::times_calls(options.evaluator)) {
    pool = std::make_shared<runtime::XlaPool>(1, 1);
    runtime::XlaOptions about;
    about.stop = options.stop;
    out.xla = pool->about(about).version;
    out.evaluator += " " + out.xla;
  } else {
    recipes::hlo_evaluator(options.evaluator, hlo::Module(), {});
  }
  const std::string settings = fmt::format(
      "{}, {}, {} seeds, {} s, {} evaluations, {}passes {}", out.evaluator, fmt::join(options.searches, ","),
      options.seeds, options.seconds, options.evaluations, pool ? "confirmed, " : "", passes::version());
  LimitWatch watch({.seconds = options.time_limit, .stop = options.stop});
  const std::vector<recipes::HloSource> sources = recipes::hlo_sources(options.paths);
  std::set<uint64_t> seen;
  std::map<std::pair<std::string, std::string>, uint64_t> taken;
  for (size_t i = 0; i < sources.size(); ++i) {
    options.progress->update({.phase = "bench hlo",
                              .fraction = static_cast<double>(i) / static_cast<double>(sources.size()),
                              .seconds_left = watch.remaining(),
                              .note = fmt::format("module {} of {}", i + 1, sources.size())});
    const auto file = possible([&] { return runtime::read_hlo(sources[i].path); });
    if (!file) {  // a set may have some that are none, and the others count
      options.progress->message(file.why_not);
      ++out.unread;
      continue;
    }
    const hlo::Module& module = file->module;
    const uint64_t hash = hlo::dag_hash(module), count = module[module.entry].instructions.count;
    if (!seen.insert(hash).second) continue;
    for (const std::string& pass : options.passes) {
      uint64_t& many = taken[{pass, hlo_size_of(count)}];
      if (many >= options.count) continue;
      HloSearchesModule about;
      about.pass = pass;
      about.module = hash;
      about.settings = settings;
      about.file = module.file;
      about.instructions = count;
      if (const HloSearchesModule* known = record.find(about)) {
        ++many;
        out.ended.push_back(*known);
        continue;
      }
      if (!proposes(module, pass))
        continue;  // before the time: where nothing is left to do, it ended nothing
      if (const StopReason reason = watch.check_now(); reason != StopReason::kRunning) {
        out.stop_reason = reason;
        continue;
      }
      ++many;
      if (auto ended = OnModule(options, module, pass, pool, watch).run(std::move(about))) {
        record.add(*ended);
        out.ended.push_back(std::move(*ended));
      } else {
        out.stop_reason = watch.check_now();
      }
    }
  }
  return out;
}

MeanOfModules mean_of_modules(const std::vector<std::vector<double>>& by_module) {
  constexpr int kDraws = 2000, kOutside = 50;  // 2.5 % on each side
  MeanOfModules out;
  out.modules = by_module.size();
  std::vector<double> means, drawn;
  out.least = out.most = by_module.at(0).at(0);
  for (const std::vector<double>& all : by_module) {
    means.push_back(plain_mean(all));
    out.least = std::min(out.least, std::ranges::min(all));
    out.most = std::max(out.most, std::ranges::max(all));
  }
  out.mean = plain_mean(means);
  Rng rng(0);
  for (int i = 0; i < kDraws; ++i) {
    double sum = 0;
    for (size_t n = 0; n < means.size(); ++n) sum += means[rng.below(means.size())];
    drawn.push_back(sum / static_cast<double>(means.size()));
  }
  std::ranges::sort(drawn);
  out.low = drawn[kOutside];
  out.high = drawn[kDraws - 1 - kOutside];
  return out;
}

std::optional<HloSearchesRow> hlo_searches_row(const HloSearches& all, const std::string& pass,
                                               const std::string& size, const std::string& search,
                                               uint64_t evaluations) {
  constexpr uint64_t kToTheEnd = std::numeric_limits<uint64_t>::max();
  HloSearchesRow out;
  std::vector<std::vector<double>> to_reference, to_first, to_random, cheapest, found, found_to_random;
  const auto [low, high] = published::hloenv::kNoiseBounds;
  for (const HloSearchesModule& m : all.ended) {
    if (m.pass != pass || hlo_size_of(m.instructions) != size || !m.error.empty()) continue;
    const std::vector<HloSearchRun> runs = runs_of(m, search), walks = runs_of(m, "random");
    if (runs.empty() || m.pick_first.seconds <= 0 || m.reference.seconds <= 0) continue;
    std::vector<double> reference, first, random;
    const std::vector<double> walked_again = known_of(walks, &HloSearchRun::found_again);
    for (const HloSearchRun& run : runs) {
      const double cost = least_after(run, evaluations, m.pick_first.seconds);
      reference.push_back(cost / m.reference.seconds);
      first.push_back(cost / m.pick_first.seconds);
      std::vector<double> walked;
      for (const HloSearchRun& walk : walks)
        walked.push_back(least_after(walk, std::min(evaluations, run.evaluated), m.pick_first.seconds));
      if (!walked.empty()) random.push_back(cost / plain_mean(walked));
      out.evaluated += static_cast<double>(std::min(evaluations, run.evaluated));
      ++out.runs;
      out.ended += run.ended;
      out.faster += reference.back() < low;
      out.slower += reference.back() > high;
      out.same += run.cheapest == m.reference.hash;
    }
    out.below += plain_mean(first) < 1;
    to_reference.push_back(reference);
    to_first.push_back(first);
    add_unless_empty(to_random, random);
    if (evaluations != kToTheEnd) continue;
    const std::vector<double> again = known_of(runs, &HloSearchRun::found_again);
    add_unless_empty(cheapest, known_of(runs, &HloSearchRun::cheapest_again));
    add_unless_empty(found, again);
    if (!again.empty() && !walked_again.empty())
      found_to_random.push_back({plain_mean(again) / plain_mean(walked_again)});
  }
  if (out.runs == 0) return std::nullopt;
  for (double* share : {&out.evaluated, &out.faster, &out.slower, &out.same})
    *share /= static_cast<double>(out.runs);
  out.to_reference = mean_of_modules(to_reference);
  out.to_pick_first = mean_of_modules(to_first);
  out.to_random = mean_where_known(to_random);
  out.cheapest_again = mean_where_known(cheapest);
  out.found_again = mean_where_known(found);
  out.found_to_random = mean_where_known(found_to_random);
  return out;
}

}  // namespace isomer::evaluation
