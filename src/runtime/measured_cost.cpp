// Lazy measuring, after the idea of an optimistic bound in branch and bound: the number of different
// operators in an e-graph is thousands, of those that some cheapest program picks dozens. TASO measures every
// operator that it meets; TENSAT does as well, before it extracts.
#include "runtime/measured_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "cost/flops.h"
#include "cost/nominal.h"
#include "cost/runtime_fusion.h"
#include "formats/onnx.h"
#include "runtime/base64.h"
#include "runtime/kernels_of.h"
#include "runtime/micro_model.h"
#include "runtime/timing_statistics.h"
#include "support/hash.h"

namespace isomer::runtime {
namespace {

using cost::NodeCostQuery;

constexpr const char* kSpace =
    "costs/6";  ///< with the version of the way of measuring: raise it when that changes
constexpr double kNextToNothing = 1e-3;  ///< of the fixed cost of an operator
/// The bound lies below what caches and lucky shapes can make of the roofline.
constexpr double kPeakShare = 0.7, kCacheGain = 8, kOverheadShare = 0.3;
/// What no cache keeps, and how much faster than by the roofline it may come from memory.
constexpr double kBeyondCaches = 64 << 20, kMemoryGain = 2;
/// Copies: as many as fill this time, at most kMostCopies.
constexpr double kCopiesMs = 0.5;
constexpr int kMostCopies = 8;
/// But where weights count (from kCountingBytes a copy, streamed at kCountingRate GB/s or more), as many as
/// have the program's weights between them: whether those stay in a cache from one run to the next makes a
/// factor of two or more. What is taken off for the model itself has few copies then, whose weights are in a
/// nearer cache. What reads weights of more than kMostSetBytes, for kAloneMs or longer, is one copy alone: no
/// cache keeps them, and they are in memory once.
constexpr double kCountingRate = 4, kAloneMs = 1;
constexpr uint64_t kCountingBytes = 1 << 16, kMostSetBytes = 64 << 20;
constexpr int kMostCountingCopies = 128, kFewerShare = 8;
constexpr size_t kBatch = 16;

/// The nearest power of two, so that programs of about a size share measurements.
uint64_t working_set(uint64_t weight_bytes) {
  return std::bit_floor(std::clamp<uint64_t>(weight_bytes, 1 << 20, kMostSetBytes) * 7 / 5);
}

/// Whether an operator of so many milliseconds has little else to do than to read its weights.
bool streams_weights(uint64_t weight_bytes, double milliseconds) {
  const double gigabytes_per_second = static_cast<double>(weight_bytes) / 1e6 / std::max(milliseconds, 1e-6);
  return weight_bytes >= kCountingBytes && gigabytes_per_second >= kCountingRate;
}

/// What computes in a provider of ONNX Runtime may merge what ONNX Runtime itself would not.
Apart apart_in(const OnnxRuntime& runtime) {
  if (runtime.kind().merges_equals) return Apart::kWeights;
  return runtime.provider().empty() ? Apart::kNo : Apart::kInputs;
}

/// A query by its ids; equal keys mean equal signatures.
std::vector<uint32_t> key_of(const NodeCostQuery& query) {
  std::vector<uint32_t> key;
  for (ir::AttrId a : query.op.attrs) key.push_back(a.v);
  for (ir::TypeId t : query.op.inputs) key.push_back(t.v);
  for (const cost::OperandFacts& o : query.operands) {
    key.push_back(o.narrow.v);
    key.push_back(o.weight ? 1 : 0);
  }
  key.push_back(query.op.output.v);
  key.push_back(cost::takes_sum(query) ? 1 : 0);
  return key;
}

bool has_no_kernel(const NodeCostQuery& query) {
  const ir::OpDef& def = query.op.op;
  return query.operands_are_weights || def.kind == ir::MeaningKind::kLeaf ||
         def.kind == ir::MeaningKind::kTuple || cost::is_view(def) || cost::is_absorbed(query);
}

/// kLarge: never measured, since it would hold too much.
enum class State : uint8_t { kUnknown, kWanted, kKnown, kRefused, kLarge };
/// In which programs of the e-graph an operator is, as far as was told.
enum class In : uint8_t { kUntold, kAll, kSome };

struct Entry {
  State state = State::kUnknown;
  In in = In::kUntold;
  std::string op;
  std::string signature;
  double bound = 0;     ///< never more than the cost
  double estimate = 0;  ///< by the roofline
  double cost = 0;      ///< kKnown
  std::optional<MeasuredOperator> what;
};

}  // namespace

struct MeasuredCost::Table {
  OnnxRuntime& runtime;
  cost::DeviceProfile profile;
  MeasuredOptions options;
  std::string prefix;  ///< of keys in the store: everything that a cost depends on beside the operator
  std::unordered_map<std::string, double> kept;  ///< from the store
  std::vector<Entry> entries;
  std::unordered_map<std::string, size_t> by_signature;
  std::map<std::pair<const ir::OpDef*, std::vector<uint32_t>>, size_t> by_key;
  std::vector<size_t> wanted;
  size_t measured = 0;
  bool guessing = false;
  std::map<std::string, double> ratio_of_op;
  double ratio = 1;

  Entry& entry(const NodeCostQuery& query) {
    const auto [at, fresh] = by_key.try_emplace({&query.op.op, key_of(query)});
    if (fresh) at->second = find(query);
    return entries[at->second];
  }

  size_t find(const NodeCostQuery& query) {
    MeasuredOperator what(query);
    std::string signature = what.signature();
    if (!formats::can_spell(query.op, options.opset) && formats::can_spell(query.op, options.dialect()))
      signature += " by the runtime's own";
    const auto [at, fresh] = by_signature.try_emplace(signature, entries.size());
    if (!fresh) return at->second;
    Entry e;
    e.op = query.op.op.name;
    const cost::NominalInstance nominal(query.op, cost::kNominalSize);
    const Kernels kernels = kernels_of(nominal.op(), query.operands, options.dialect());
    weigh(e, cost::work_of(query.op), kernels);
    if (streams_weights(what.weight_bytes(), e.estimate))
      signature += fmt::format(" in {} MiB of weights", working_set(options.weight_bytes) >> 20);
    if (const auto found = kept.find(signature); found != kept.end()) {
      e.state = found->second >= 0 ? State::kKnown : State::kRefused;
      e.cost = found->second;
    } else if (!what.can_be_measured(options.dialect())) {
      e.state = State::kRefused;
    } else if (kernels.live_bytes > kMostComputedBytes) {
      e.state = State::kLarge;
    }
    e.signature = std::move(signature);
    e.what.emplace(std::move(what));
    entries.push_back(std::move(e));
    return entries.size() - 1;
  }

  /// Bound and estimate. `all`: as one kernel would do it.
  void weigh(Entry& e, const cost::Work& all, const Kernels& kernels) const {
    const auto flops = [&](const cost::Work& w) { return 1e3 * w.flops / profile.flops_per_second; };
    const auto bytes = [&](const cost::Work& w) { return 1e3 * w.bytes() / profile.bytes_per_second; };
    double least = std::max(kPeakShare * flops(all), bytes(all) / kCacheGain), sum = 0;
    for (const cost::Work& work : kernels.works) {
      sum += std::max(kPeakShare * flops(work), bytes(work) / kMemoryGain);
      e.estimate += profile.overhead_ms + std::max(flops(work), bytes(work));
    }
    if (kernels.works.size() > 1 && kernels.live_bytes > kBeyondCaches) least = std::max(least, sum);
    e.bound = kOverheadShare * profile.overhead_ms + least;
  }

  /// None for what runs no kernel.
  Entry* to_measure(const NodeCostQuery& query) { return has_no_kernel(query) ? nullptr : &entry(query); }

  double price(const Entry& e) const {
    switch (e.state) {
      case State::kKnown: return e.cost;
      case State::kRefused: return e.estimate;
      case State::kLarge: return ratio_of_op.contains(e.op) ? std::max(e.estimate, likely(e)) : e.estimate;
      case State::kUnknown:
      case State::kWanted: break;
    }
    if (!guessing) return e.bound;
    return ratio_of_op.empty() ? e.estimate : likely(e);  // nothing was measured here
  }

  /// By the usual ratio of measured costs to bounds of that operator, or of all.
  double likely(const Entry& e) const {
    const auto found = ratio_of_op.find(e.op);
    return std::max(e.bound, e.bound * (found == ratio_of_op.end() ? ratio : found->second));
  }

  void learn_ratios() {
    std::map<std::string, std::vector<double>> ratios;
    std::vector<double> all;
    for (const Entry& e : entries)
      if (e.state == State::kKnown && e.bound > 0) {
        ratios[e.op].push_back(e.cost / e.bound);
        all.push_back(e.cost / e.bound);
      }
    for (const auto& [op, values] : ratios) ratio_of_op[op] = median(values);
    if (!all.empty()) ratio = median(all);
  }

  struct Copies {
    int fewer = 1, more = 2;  ///< fewer: 0 where there is one model
    int distinct = 2;         ///< weights, in the longer model
  };
  Copies copies_of(const Entry& e) const {
    const int copies = std::clamp(static_cast<int>(kCopiesMs / std::max(e.estimate, 1e-6)), 1, kMostCopies);
    const uint64_t bytes = e.what->weight_bytes();
    if (e.what->held_weight_bytes() > kMostSetBytes && e.estimate > kAloneMs) return {0, 1, 1};
    if (!streams_weights(bytes, e.estimate)) return {copies, 2 * copies, 2 * copies};
    const auto filling =
        static_cast<int>(std::min<uint64_t>(working_set(options.weight_bytes) / bytes, kMostCountingCopies));
    const int more = std::max(2 * copies, filling);
    const int fewer = std::min(copies, std::max(1, more / kFewerShare));
    return {fewer, more, std::max(1, filling - fewer)};
  }

  nlohmann::json request(std::span<const size_t> batch) const {
    nlohmann::json body = {{"threads", options.threads},
                           {"clock", runtime.clock(options.threads)},
                           {"seconds", options.seconds}};
    const auto model = [&](const Entry& e, int copies, int distinct) {
      const MeasuredOperator::Model m = e.what->model(copies, distinct, options.dialect(), apart_in(runtime));
      nlohmann::json out = {{"model", to_base64(m.onnx)}, {"weights", nlohmann::json::array()}};
      for (const MeasuredOperator::Weight& w : m.weights)
        out["weights"].push_back(
            {{"name", w.name}, {"dtype", std::string(ir::name(w.dtype))}, {"shape", w.shape}});
      return out;
    };
    for (size_t i : batch) {
      const Entry& e = entries[i];
      const auto [fewer, more, distinct] = copies_of(e);
      nlohmann::json signature = {{"long", model(e, more, distinct)}, {"copies", more - fewer}};
      if (fewer > 0) {
        signature["short"] = model(e, fewer, fewer);
        signature["fewer"] = fewer;
      }
      body["signatures"].push_back(std::move(signature));
    }
    return body;
  }

  /// Puts the answers of a batch in; those that the runtime refused are remembered as such. `keep`: between
  /// runs, too.
  size_t take(std::span<const size_t> batch, std::span<const std::optional<double>> costs, bool keep = true) {
    std::vector<Store::Entry> news;
    for (size_t i = 0; i < costs.size(); ++i) {
      Entry& e = entries[batch[i]];
      e.state = costs[i] ? State::kKnown : State::kRefused;
      e.cost = costs[i] ? std::max(*costs[i], kNextToNothing * profile.overhead_ms) : -1;
      news.emplace_back(prefix + e.signature, fmt::format("{:.9g}", e.cost));
      e.what.reset();
    }
    measured += costs.size();
    if (keep && options.store != nullptr && !news.empty()) options.store->put(kSpace, news);
    return costs.size();
  }
};

MeasuredCost::MeasuredCost(OnnxRuntime& runtime, cost::DeviceProfile profile, const MeasuredOptions& options)
    : table_(new Table{runtime, std::move(profile), options, {}, {}, {}, {}, {}, {}, 0, false, {}, 1}),
      queries_(options.sizes) {
  const RuntimeInfo info = runtime.info();
  table_->prefix = fmt::format("{} | {} | {} threads | opset {} | ", info.name(), info.cpu, options.threads,
                               options.opset);
  if (options.store != nullptr) table_->kept = options.store->numbers(kSpace, table_->prefix);
}
MeasuredCost::MeasuredCost(std::unique_ptr<Table> table)
    : table_(std::move(table)), queries_(table_->options.sizes) {}
MeasuredCost::~MeasuredCost() = default;

std::unique_ptr<cost::CostModel> MeasuredCost::fork() const {
  auto copy = std::make_unique<Table>(*table_);
  copy->options.store = nullptr;
  copy->by_key.clear();  // ids of a context
  copy->wanted.clear();
  for (Entry& e : copy->entries) e.what.reset();
  return std::unique_ptr<cost::CostModel>(new MeasuredCost(std::move(copy)));
}

std::string MeasuredCost::name() const {
  const OnnxRuntime& runtime = table_->runtime;
  return runtime.kind().package + (runtime.provider().empty() ? "" : " with " + runtime.provider());
}

double MeasuredCost::cost(const NodeCostQuery& asked) {
  const NodeCostQuery query = queries_.sized(asked);
  if (query.operands_are_weights) return 0;
  const ir::OpDef& def = query.op.op;
  const double overhead = table_->profile.overhead_ms;
  if (def.kind == ir::MeaningKind::kLeaf || def.kind == ir::MeaningKind::kTuple ||
      def.is(ir::Core::kBroadcast) || def.moves == ir::Moves::kAsksShape)
    return 0;
  if (cost::is_absorbed(query)) return kNextToNothing * overhead;
  // Not measured: a copy at the machine's bandwidth.
  const double converted = cost::converted_bytes(query);
  const double conversion = converted > 0 ? overhead + 2e3 * converted / table_->profile.bytes_per_second : 0;
  if (cost::is_view(def)) return conversion + kOverheadShare * overhead;
  const double price = table_->price(table_->entry(query));
  if (!cost::takes_sum(query)) return conversion + price;
  // The sum is a node with a price of its own, but no kernel: what it seems to cost is taken off here.
  const double sum =
      overhead + 3e3 * cost::bytes_of(query.op.ctx, query.op.inputs[0]) / table_->profile.bytes_per_second;
  return conversion + std::max(price / 2, price - sum);
}

void MeasuredCost::want(const NodeCostQuery& asked) {
  Entry* e = table_->to_measure(queries_.sized(asked));
  if (e == nullptr || e->state != State::kUnknown || e->in == In::kAll) return;
  e->state = State::kWanted;
  table_->wanted.push_back(static_cast<size_t>(e - table_->entries.data()));
}

void MeasuredCost::leave_out(const NodeCostQuery& asked, bool out) {
  if (Entry* e = table_->to_measure(queries_.sized(asked))) e->in = out ? In::kAll : In::kSome;
}

size_t MeasuredCost::wanted() const { return table_->wanted.size(); }

size_t MeasuredCost::measure(double seconds, const Wait& wait) {
  Table& t = *table_;
  const double begin = wall_seconds();
  const size_t all = t.wanted.size();
  size_t done = 0;
  size_t batch_size = kBatch;
  const auto left = [&] { return seconds - (wall_seconds() - begin); };
  while (!t.wanted.empty() && left() > 0 && !wait.stop.requested()) {
    const std::vector<size_t> batch(
        t.wanted.begin(), t.wanted.begin() + static_cast<ptrdiff_t>(std::min(batch_size, t.wanted.size())));
    Wait inner = wait;
    if (wait.progress)
      inner.progress = [&](double share, const std::string&) {
        const double now =
            static_cast<double>(done) + std::max(0.0, share) * static_cast<double>(batch.size());
        wait.progress(now / static_cast<double>(all), fmt::format("operator {:.0f} of {}", now, all));
      };
    nlohmann::json request = t.request(batch);
    const bool limited = left() < wait.timeout_seconds;
    if (limited) {
      constexpr double kOwnEndShare = 0.9;  // the rest is for what is under way then
      request["deadline_seconds"] = kOwnEndShare * left();
      inner.timeout_seconds = left();
    }
    const auto costs = t.runtime.time_operators(request, inner);
    if (costs) {
      done += t.take(batch, *costs);
      t.wanted.erase(t.wanted.begin(), t.wanted.begin() + static_cast<ptrdiff_t>(costs->size()));
      if (costs->size() < batch.size()) break;  // stopped
      batch_size = kBatch;
    } else if (costs.failure().kind == FailureKind::kStopped || batch.size() == 0) {
      break;
    } else if (limited && costs.failure().kind == FailureKind::kTimedOut) {
      break;  // it was only that the time is over
    } else if (batch_size > 1) {
      batch_size = 1;  // one of them takes the runtime down: find out which
    } else {
      // Where our worker says no to the whole request, that is not the operator's fault.
      const FailureKind kind = costs.failure().kind;
      const std::optional<double> refused;
      done += t.take(batch, std::span(&refused, 1),
                     kind == FailureKind::kCrashed || kind == FailureKind::kTimedOut);
      t.wanted.erase(t.wanted.begin());
    }
  }
  t.learn_ratios();
  return done;
}

double MeasuredCost::open_cost(const ir::Graph& program) {
  double out = 0;
  cost::for_each_query(program, [&](ir::ValueId, const NodeCostQuery& asked) {
    const Entry* e = table_->to_measure(queries_.sized(asked));
    if (e == nullptr || e->in != In::kAll) out += cost(asked);
  });
  return out;
}

bool MeasuredCost::knows(const ir::Graph& program) {
  bool all = true;
  cost::for_each_query(program, [&](ir::ValueId, const NodeCostQuery& asked) {
    const Entry* e = table_->to_measure(queries_.sized(asked));
    const auto left_out = [&] { return e->state == State::kUnknown && e->in == In::kAll; };
    all = all && (e == nullptr || e->state == State::kKnown || left_out());
  });
  return all;
}

bool MeasuredCost::bounds_choices() const {
  return !table_->guessing && std::ranges::none_of(table_->entries, [](const Entry& e) {
    return e.in == In::kSome && (e.state == State::kLarge || e.state == State::kRefused);
  });
}

void MeasuredCost::guess_the_rest() {
  table_->learn_ratios();
  table_->guessing = true;
}

MeasuredCount MeasuredCost::count() const {
  MeasuredCount out;
  for (const Entry& e : table_->entries) {
    out.known += e.state == State::kKnown;
    out.refused += e.state == State::kRefused;
    out.shared += e.state == State::kUnknown && e.in == In::kAll;
    out.large += e.state == State::kLarge;
  }
  out.measured = table_->measured;
  return out;
}

}  // namespace isomer::runtime
