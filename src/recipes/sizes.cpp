#include "recipes/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "formats/onnx_dims.h"
#include "ir/op_table.h"
#include "recipes/agreement.h"
#include "recipes/deciders.h"
#include "recipes/program_size.h"
#include "recipes/size_proposals.h"
#include "recipes/size_refusals.h"
#include "recipes/time_budget.h"
#include "support/errors.h"
#include "support/possible.h"

namespace isomer::recipes {
namespace {

constexpr double kLongest = 120;  // seconds of a request

runtime::Wait waiting(const SizeSearch& how, double longest = kLongest) {
  runtime::Wait wait = runtime::wait_until(how.until, longest);
  wait.progress = how.progress;
  return wait;
}

Sizes both(Sizes sizes, const Sizes& more) {
  sizes.insert(more.begin(), more.end());
  return sizes;
}

/// Sizes that the shapes of given inputs say, and the ones given by name.
Sizes given_sizes(runtime::OnnxRuntime& runtime, const ir::Graph& graph, const SizeSearch& how) {
  Sizes sizes = how.given;
  if (how.inputs.npz.empty()) return sizes;
  const auto shapes = runtime.given_shapes(how.inputs, waiting(how));
  if (!shapes) return sizes;  // whoever runs the model on them says what is wrong
  for (ir::ValueId input : graph.inputs()) {
    const auto at = shapes->find(graph.name(input));
    const ir::Type& type = graph.type(input);
    if (at == shapes->end() || !type.is_ranked_tensor() || type.shape.size() != at->second.size()) continue;
    for (size_t axis = 0; axis < type.shape.size(); ++axis) {
      if (!type.shape[axis].is_symbol()) continue;
      const std::string& name = graph.context().get(type.shape[axis].symbol());
      const auto [known, fresh] = sizes.emplace(name, at->second[axis]);
      if (!fresh && known->second != at->second[axis])
        throw UsageError(fmt::format("--inputs {}: input {} has {}={}, but {} was given as {} before",
                                     how.inputs.npz, graph.name(input), name, at->second[axis], name,
                                     known->second));
    }
  }
  return sizes;
}

/// What a runtime said, in a line. A fault's last one says more than "Traceback (most recent call last):".
std::string text_of(const runtime::Failure& failure) {
  std::string_view text = failure.message;
  if (failure.kind != runtime::FailureKind::kFault) return std::string(text.substr(0, text.find('\n')));
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return fmt::format("a fault of our worker: {}", text.substr(text.find_last_of('\n') + 1));
}

/// Runs one model at several sizes; loads it anew where a size took the runtime down.
class Prober {
 public:
  Prober(runtime::OnnxRuntime& runtime, const std::string& model, const SizeSearch& how)
      : runtime_(runtime), model_(model), how_(how), inputs_(how.inputs) {}
  ~Prober() {
    if (session_) runtime_.unload(*session_);
  }
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;

  bool runs(const Sizes& sizes) {
    if (!session_ && !load()) return false;
    inputs_.dims = both(how_.inputs.dims, sizes);
    const auto outcome = runtime_.probe(*session_, inputs_, waiting(how_, longest_));
    longest_ = std::max(how_.seconds, 1.0);  // but for the first
    if (outcome) return true;
    said_ = text_of(outcome.failure());
    if (outcome.failure().kind != runtime::FailureKind::kRefused) session_.reset();
    return false;
  }
  const std::string& said() const { return said_; }
  /// No size helps.
  bool cannot_load() const { return cannot_load_; }

 private:
  bool load() {
    auto session = runtime_.load(model_, how_.load, waiting(how_));
    if (session)
      session_ = *session;
    else
      said_ = text_of(session.failure());
    cannot_load_ = !session;
    return static_cast<bool>(session);
  }

  runtime::OnnxRuntime& runtime_;
  const std::string& model_;
  const SizeSearch& how_;
  runtime::InputSpec inputs_;
  double longest_ = kLongest;
  std::optional<runtime::Session> session_;
  std::string said_;
  bool cannot_load_ = false;
};

/// Types of named values.
std::unordered_map<std::string, const ir::Type*> types_by_name(const ir::Graph& graph) {
  std::unordered_map<std::string, const ir::Type*> out;
  for (size_t i = 0; i < graph.size(); ++i)
    if (const ir::ValueId v(i); !graph.name(v).empty()) out.emplace(graph.name(v), &graph.type(v));
  return out;
}

/// Sizes of the symbols that inner values have: what the same value measures where sizes are known.
void add_inner_symbols(const ir::Graph& dynamic, const ir::Graph& sized, Sizes& symbols) {
  const auto types = types_by_name(sized);
  for (size_t i = 0; i < dynamic.size(); ++i) {
    const ir::ValueId v(i);
    const ir::Type& type = dynamic.type(v);
    const auto at = types.find(dynamic.name(v));
    if (at == types.end() || !type.is_ranked_tensor() || !at->second->is_ranked_tensor() ||
        at->second->shape.size() != type.shape.size())
      continue;
    for (size_t axis = 0; axis < type.shape.size(); ++axis)
      if (type.shape[axis].is_symbol() && at->second->shape[axis].is_static())
        symbols.emplace(dynamic.context().get(type.shape[axis].symbol()), at->second->shape[axis].size());
  }
}

/// A plan's sizes, but those of dimensions that were fixed.
Sizes of_dynamic(const SizePlan& plan, const DynamicDims& dims, const Sizes& fixed) {
  Sizes sizes = plan.sizes(dims).value_or(Sizes());
  for (const auto& [name, size] : fixed) sizes.erase(name);
  return sizes;
}

/// Runs plan after plan until one runs, then others for a second size.
class Trying {
 public:
  Trying(runtime::OnnxRuntime& runtime, const std::string& model, const DynamicDims& dims,
         const SizeSearch& how, ChosenSizes likely)
      : dims_(dims), how_(how), prober_(runtime, model, how), out_(std::move(likely)) {}

  ChosenSizes run(const std::vector<SizePlan>& plans) {
    find_first(plans);
    if (out_.runs) find_second();
    return std::move(out_);
  }

 private:
  /// How far to follow what refusals ask for.
  struct Asking {
    bool likely;          ///< only what hardly another size would do
    size_t width, depth;  ///< plans after one refusal (half as many after the next), and refusals in a row
    int most_tries;       ///< in all
  };
  static constexpr Asking kAtOnce = {true, 8, 3, 24};
  static constexpr Asking kBesideSingle = {true, 4, 1, 6};
  static constexpr Asking kAfterAll = {false, 40, 3, 60};

  void find_first(const std::vector<SizePlan>& plans) {
    if (how_.single_first)
      if (const auto single = with_batch_of_one(dims_, plans[0]); single && runs(*single)) {
        second_.push_back(plans[0]);
        return;
      }
    bool asked = false;
    for (const SizePlan& plan : plans) {
      if (out_.tries > 0 && !time_left(1)) return;
      if (plan.last && !std::exchange(asked, true)) ask(plans[0], out_.refusal, kAfterAll);
      if (out_.runs || runs(plan)) return;
      if (&plan == plans.data()) {
        out_.refusal = prober_.said();
        ask_about(plan);
      }
      if (out_.runs) return;
    }
    if (!asked) ask(plans[0], out_.refusal, kAfterAll);
  }

  /// After the first plan. A program for a batch of one alone has no other: its refusals ask for all kinds of
  /// sizes in vain. One that takes a batch of one as well as the one that it asks for is tried at the latter.
  void ask_about(const SizePlan& refused) {
    const std::string said = out_.refusal;
    const auto single = with_batch_of_one(dims_, refused);
    const bool single_runs = single && time_left(1) && runs(*single);
    out_.runs = false;
    ask(refused, said, single_runs ? kBesideSingle : kAtOnce);
    if (single_runs) out_.runs = true;  // where nothing else did, `first` is still the single one
  }

  void find_second() {
    std::ranges::move(propose_other_sizes(dims_, found_), std::back_inserter(second_));
    for (const SizePlan& plan : second_) {
      if (!time_left(1.5)) return;
      const Sizes sizes = of_dynamic(plan, dims_, how_.inputs.dims);
      ++out_.tries;
      if (!prober_.runs(sizes)) continue;
      out_.second = sizes;
      return;
    }
  }

  void ask(const SizePlan& refused, const std::string& said, Asking asking) {
    for (const SizePlan& plan : plans_after(dims_, refused, said, asking.likely)) {
      if (asking.width-- == 0 || !time_left(1) || out_.tries >= asking.most_tries) return;
      const int before = out_.tries;
      if (!plan.sizes(dims_)) continue;
      if (runs(plan)) return;
      const std::string now = prober_.said();
      if (asking.depth > 0 && out_.tries > before && numbers_said(now) != numbers_said(said))
        ask(plan, now,
            {asking.likely, std::max<size_t>(asking.width / 2, 1), asking.depth - 1, asking.most_tries});
      if (out_.runs) return;
    }
  }

  bool runs(const SizePlan& plan) {
    const Sizes sizes = of_dynamic(plan, dims_, how_.inputs.dims);
    if (!tried_.insert(sizes).second) return false;
    ++out_.tries;
    out_.runs = prober_.runs(sizes);
    if (out_.tries == 1 && !out_.runs) out_.refusal = prober_.said();
    if (!out_.runs) return false;
    out_.first = sizes;
    found_ = plan;
    return true;
  }

  bool time_left(double share) const {
    return !how_.until.passed() && !prober_.cannot_load() && wall_seconds() - begin_ < share * how_.seconds;
  }

  const DynamicDims& dims_;
  const SizeSearch& how_;
  Prober prober_;
  ChosenSizes out_;
  SizePlan found_;
  std::vector<SizePlan> second_;  ///< proposals
  std::set<Sizes> tried_;
  double begin_ = wall_seconds();
};

}  // namespace

ChosenSizes likely_sizes(const ir::Graph& graph, const Sizes& given, const Sizes& fixed) {
  ChosenSizes out;
  if (dynamic_dims(graph).dims.empty()) return out;
  const DynamicDims dims = with_fixed(dynamic_dims(graph), fixed);
  const SizePlan plan = propose_sizes(dims, both(given, fixed)).front();
  out.first = of_dynamic(plan, dims, fixed);
  out.batch_is_free = with_batch_of_one(dims, plan).has_value();
  return out;
}

ChosenSizes choose_sizes(runtime::OnnxRuntime& runtime, const std::string& model, const ir::Graph& graph,
                         const SizeSearch& how) {
  if (dynamic_dims(graph).dims.empty()) return {};
  const Sizes& fixed = how.inputs.dims;
  const DynamicDims dims = with_fixed(dynamic_dims(graph), fixed);
  const Sizes given = given_sizes(runtime, graph, how);
  return Trying(runtime, model, dims, how, likely_sizes(graph, given, fixed))
      .run(propose_sizes(dims, both(given, fixed)));
}

int64_t multiply_adds(const ir::Graph& graph) { return size_of(graph).macs; }

namespace {

/// Ranges of generated inputs: those that operators ask for, and the usual numbers that decide Ifs.
std::map<std::string, runtime::Bounds> ordinary_bounds(const ir::Graph& graph) {
  return with_usual(input_bounds(graph), deciders_of(graph));
}

}  // namespace

AtSizes at_sizes(const std::string& model, const ir::Graph& dynamic, const Sizes& fixed, const Sizes& chosen,
                 bool contrib, const Deadline& until) {
  AtSizes out{chosen, ordinary_bounds(dynamic), -1};
  ir::Context ctx(ir::standard_ops());
  const auto sized = try_load_program(ctx, model, both(fixed, chosen), contrib, until);
  if (!sized) return out;  // nothing more is known
  add_inner_symbols(dynamic, sized->graph, out.symbols);
  out.bounds = ordinary_bounds(sized->graph);
  // Counts of sizes of our choosing may be beyond 64 bits.
  out.macs = possible([&] { return multiply_adds(sized->graph); }).value.value_or(-1);
  return out;
}

Sizes ProgramSizes::dims() const { return both(fixed, chosen.first); }
Sizes ProgramSizes::second_dims() const {
  return chosen.second.empty() ? Sizes() : both(fixed, chosen.second);
}

std::string ProgramSizes::text() const {
  if (chosen.first.empty()) return "";
  return to_text(chosen.first) + (chosen.second.empty() ? "" : "; also " + to_text(chosen.second));
}

int64_t ProgramSizes::multiply_adds_of(const std::string& model, const ir::Graph& graph, bool contrib) const {
  return chosen.first.empty() ? multiply_adds(graph) : at_sizes(model, graph, {}, chosen.first, contrib).macs;
}

ProgramSizes size_program(const Program& program, const OptimizeOptions& options,
                          runtime::OnnxRuntime& runtime, const Deadline& until, ProgressSink& progress) {
  constexpr double kLeastSeconds = 2, kMostSeconds = 5, kShare = 0.2;  // of the time limit
  constexpr double kMostShare = 0.4;        // of the time for searching that is left
  constexpr int64_t kMuch = 4'000'000'000;  // multiply-adds: 0.2 s or longer on one core
  ProgramSizes out;
  out.fixed = parse_dims(options.dims);
  const Sizes given = parse_dims(options.measure_dims, "--measure-dim");
  if (!given.empty())
    check_dim_names(given, formats::list_onnx_dims(options.input).of_inputs, {}, "--measure-dim");
  for (const auto& [name, size] : given)
    if (out.fixed.contains(name))
      throw UsageError(
          fmt::format("--measure-dim {}={}: --dim {}={} fixes it", name, size, name, out.fixed.at(name)));
  const auto bounds = ordinary_bounds(program.graph);
  out.first.bounds = bounds;
  if (dynamic_dims(program.graph).dims.empty()) return out;
  const ChosenSizes likely = likely_sizes(program.graph, given, out.fixed);
  const auto at = [&](const Sizes& sizes) {
    return at_sizes(options.input, program.graph, out.fixed, sizes, program.contrib, until);
  };
  if (likely.batch_is_free) out.first = at(likely.first);
  try {
    SizeSearch how;
    how.given = given;
    how.inputs.seed = options.seed;
    how.inputs.npz = options.inputs;
    how.inputs.dims = out.fixed;
    how.inputs.bounds = bounds;
    how.load.threads = 0;
    how.load.arena = how.load.patterns = false;  // one run at each of many sizes
    how.single_first = out.first.macs > kMuch;
    how.seconds = std::clamp(kShare * seconds_of(options.time_limit), kLeastSeconds, kMostSeconds);
    how.until = until.part(kMostShare);
    how.progress = [&progress](double fraction, const std::string& note) {
      Progress p;
      p.phase = "size";
      p.fraction = fraction;
      p.note = note;
      progress.update(p);
    };
    out.chosen =
        runtime.hello(waiting(how)) ? choose_sizes(runtime, options.input, program.graph, how) : likely;
  } catch (const MissingRuntimeError&) {
    out.chosen = likely;
  }
  if (!likely.batch_is_free || out.chosen.first != likely.first) out.first = at(out.chosen.first);
  if (!out.chosen.second.empty()) out.second = at(out.chosen.second);
  return out;
}

Sizes sizes_of_the_other(const ir::Graph& dynamic, const ir::Graph& other) {
  Sizes out;
  for (ir::ValueId input : dynamic.inputs())
    for (ir::ValueId same : other.inputs()) {
      const ir::Type &a = dynamic.type(input), &b = other.type(same);
      if (dynamic.name(input) != other.name(same) || !a.is_ranked_tensor() || !b.is_ranked_tensor() ||
          a.shape.size() != b.shape.size())
        continue;
      for (size_t axis = 0; axis < a.shape.size(); ++axis)
        if (a.shape[axis].is_symbol() && b.shape[axis].is_static())
          out.emplace(dynamic.context().get(a.shape[axis].symbol()), b.shape[axis].size());
    }
  return out;
}

std::vector<SizesAndBounds> sets_of_sizes(runtime::OnnxRuntime& runtime, const std::string& model,
                                          const Program& program, const SizeSearch& how) {
  const ChosenSizes chosen = choose_sizes(runtime, model, program.graph, how);
  std::vector<SizesAndBounds> out;
  for (const Sizes* sizes : {&chosen.first, &chosen.second})
    if (!sizes->empty())
      out.emplace_back(*sizes, at_sizes(model, program.graph, {}, *sizes, program.contrib).bounds);
  return out;
}

Sizes with_axes(const ir::Graph& graph, const Sizes& sizes) {
  Sizes out = sizes;
  for (ir::ValueId input : graph.inputs()) {
    const ir::Type& type = graph.type(input);
    for (size_t axis = 0; type.is_ranked_tensor() && axis < type.shape.size(); ++axis) {
      const ir::Dim d = type.shape[axis];
      const auto named = d.is_symbol() ? sizes.find(graph.context().get(d.symbol())) : sizes.end();
      const std::string place = fmt::format("{}:{}", graph.name(input), axis);
      if (d.is_static()) out.emplace(place, d.size());
      if (named != sizes.end()) out.emplace(place, named->second);
    }
  }
  return out;
}

}  // namespace isomer::recipes
