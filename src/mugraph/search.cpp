#include "mugraph/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "eval/field.h"
#include "eval/interpreter.h"
#include "ir/dag_hash.h"
#include "meaning/flatten.h"
#include "mugraph/checkpoint.h"
#include "mugraph/generate.h"
#include "mugraph/kernel_cost.h"
#include "mugraph/lower.h"
#include "mugraph/schedules.h"
#include "mugraph/structural_hash.h"
#include "support/crew.h"
#include "support/errors.h"
#include "support/hash.h"

namespace isomer::mugraph {
namespace {

constexpr double kSecondsAfterInterrupt = 1, kSecondsToFindSome = 5;

using FieldTensor = eval::Value<eval::FieldValue>;

class FieldFilter {
 public:
  FieldFilter(const ir::Graph& program, uint64_t seed) : seed_(seed) {
    for (size_t i = 0; i < program.inputs().size(); ++i) {
      eval::Tensor<eval::FieldValue> t{
          ir::DType::kF32, ir::sizes(program.type(program.inputs()[i]).shape), {}, {}};
      for (int64_t n = 0; n < t.count(); ++n)
        t.numbers.push_back(
            eval::PrimeField::from_hash(hash_combine(hash_combine(seed, i), static_cast<uint64_t>(n))));
      inputs_.push_back(eval::make_value(std::move(t)));
    }
    eval::PrimeField field(seed_);
    expected_ = eval::evaluate<eval::PrimeField>(field, program, inputs_)[0];
  }

  bool agrees(const MuGraph& graph, VerifyMemory& memory) const {
    eval::PrimeField field(seed_);
    eval::EvalOptions<eval::PrimeField> options;
    options.nests = &memory.nests;
    const auto is = eval::evaluate<eval::PrimeField>(field, lower(memory.ctx, graph), inputs_, options)[0];
    return std::ranges::equal(is.tensor->numbers, expected_.tensor->numbers,
                              [](const auto& a, const auto& b) { return a.p == b.p; });
  }

 private:
  uint64_t seed_;
  std::vector<FieldTensor> inputs_;
  FieldTensor expected_;
};

/// Kernel graphs of a search, of which those with equal tensors are one, and the steps between them.
struct KernelGraphs {
  struct Edge {
    Step step;
    size_t to = 0;
  };
  struct Node {
    uint64_t key = 0;
    std::vector<Step> path;  ///< the first that led here
    bool complete = false;
    bool leads = false;  ///< to a complete one
    std::vector<Edge> edges;
  };
  std::vector<Node> nodes = {Node{}};
  std::map<uint64_t, size_t> index;

  /// The number of the node, and whether it is new and to be expanded.
  std::pair<size_t, bool> add(size_t from, Child child) {
    const auto [at, added] = index.emplace(child.key, nodes.size());
    if (added) {
      Node node;
      node.key = child.key;
      node.complete = child.complete;
      if (!child.complete) {
        node.path = nodes[from].path;
        node.path.push_back(child.step);
      }
      nodes.push_back(std::move(node));
    }
    nodes[from].edges.push_back({std::move(child.step), at->second});
    return {at->second, added && !child.complete};
  }

  /// A step always leads to a later kernel graph by one kernel, not to a later number: by depth.
  bool mark(size_t node, std::vector<char>& seen) {
    Node& n = nodes[node];
    if (seen[node]) return n.leads;
    seen[node] = 1;
    bool leads = n.complete;
    for (const Edge& e : n.edges) leads = mark(e.to, seen) || leads;
    return nodes[node].leads = leads;
  }

  void complete_graphs(size_t node, MuGraph& graph, const std::function<void(const MuGraph&)>& f) const {
    const Node& n = nodes[node];
    if (!n.leads) return;
    if (n.complete) {
      graph.outputs = {static_cast<uint32_t>(graph.values.size() - 1)};
      f(graph);
      return;
    }
    for (const Edge& e : n.edges) {
      graph.nodes.push_back(e.step.node);
      graph.values.resize(graph.values.size() + e.step.node.results.size());
      complete_graphs(e.to, graph, f);
      graph.values.resize(graph.values.size() - e.step.node.results.size());
      graph.nodes.pop_back();
    }
  }
};

class Searching {
 public:
  Searching(const Program& program, const Extents& extents, const SearchOptions& options)
      : program_(program),
        extents_(extents),
        options_(options),
        watch_(options.limits),
        crew_(options.threads, 0) {
    // Model sizes: two blocks of three iterations of two elements.
    for (const auto& [name, size] : extents) {
      const bool batch = std::ranges::find(program.batch, name) != program.batch.end();
      model_[name] = size == 1 ? 1 : batch ? kModelGrid : kModelGrid * kModelLoop * kModelTile;
    }
    const unsigned threads = std::max(1U, options.threads);
    for (unsigned t = 0; t < threads; ++t) {
      grounds_.push_back(
          std::make_unique<Ground>(program, model_, extents, options, t == 0 ? nullptr : grounds_[0].get()));
      generators_.push_back(std::make_unique<Generator>(options, *grounds_[t], watch_, stop_));
    }
    if (!options.checkpoint.empty())
      checkpoint_.emplace(options.checkpoint, search_number(program, extents, options));
  }

  SearchResult run() {
    const double begin = thread_cpu_seconds();
    grow();
    judge();
    result_.cpu_seconds = thread_cpu_seconds() - begin + crew_.cpu_seconds();
    result_.stop_reason = stop_.reason;
    // Judging heeds Ctrl-C too: what it cut short is no complete result.
    if (options_.limits.stop.requested())
      result_.stop_reason = StopReason::kInterrupted;
    else if (result_.stop_reason == StopReason::kRunning)
      result_.stop_reason = StopReason::kSaturated;
    report();
    return std::move(result_);
  }

 private:
  struct Item {
    size_t node = 0;
    std::optional<size_t> part;
  };

  /// All kernel graphs, by the number of their kernels.
  void grow() {
    std::vector<size_t> level = {0};
    while (!level.empty() && stop_.reason == StopReason::kRunning) {
      std::vector<Item> items;
      for (size_t n : level) {
        if (n > 0) {
          items.push_back({n, std::nullopt});
          continue;
        }
        const size_t parts = generators_[0]->parts({});
        for (size_t p = 0; p < parts; ++p) items.push_back({n, p});
      }
      const std::vector<Expansion> expansions = expand(items);
      level.clear();
      for (size_t i = 0; i < items.size(); ++i) {
        result_.states += expansions[i].states;
        result_.queries += expansions[i].queries;
        result_.pruned += expansions[i].pruned;
        for (const Child& child : expansions[i].children) {
          const auto [node, next] = graphs_.add(items[i].node, child);
          if (next) level.push_back(node);
        }
      }
    }
    if (checkpoint_) checkpoint_->flush();
  }

  std::vector<Expansion> expand(const std::vector<Item>& items) {
    std::vector<Expansion> out(items.size());
    std::vector<size_t> todo;
    for (size_t i = 0; i < items.size(); ++i) {
      auto known =
          checkpoint_ ? checkpoint_->get(graphs_.nodes[items[i].node].key, items[i].part) : std::nullopt;
      if (known) {
        out[i] = std::move(*known);
        ++result_.resumed;
      } else {
        todo.push_back(i);
      }
    }
    crew_.run(todo.size(), [&](size_t worker, size_t t) {
      const Item& item = items[todo[t]];
      const auto& node = graphs_.nodes[item.node];
      if (stop_.reason != StopReason::kRunning) return;
      Expansion& e = out[todo[t]] = generators_[worker]->expand(node.path, item.part);
      if (checkpoint_ && stop_.reason == StopReason::kRunning) checkpoint_->put(node.key, item.part, e);
    });
    return out;
  }

  /// What a thread keeps from one candidate to the next.
  struct Judge {
    Judge(const Target& target, const MuOpTable& ops) : pricing(target, ops) { forget(ops); }
    void forget(const MuOpTable& ops) { memory.emplace(ops.declarations()); }
    Pricing pricing;
    std::optional<VerifyMemory> memory;
  };

  struct Judgement {
    bool judged = false, passed = false, cut = false;
    std::optional<FoundMuGraph> found;

    bool taken() const { return found && !found->schedules.empty() && found->verdict.verdict.equivalent(); }
  };

  /// Of complete kernel graphs, each once, those that compute the program, with their schedules.
  void judge() {
    std::vector<MuGraph> candidates;
    std::set<uint64_t> seen;
    MuGraph start;
    start.ops = options_.ops;
    start.inputs = grounds_[0]->inputs.size();
    start.values.resize(start.inputs);
    for (size_t i = 0; i < start.inputs; ++i)
      start.values[i] = grounds_[0]->kinds.get(grounds_[0]->inputs[i]).sizes;
    std::vector<char> marked(graphs_.nodes.size());
    graphs_.mark(0, marked);
    graphs_.complete_graphs(0, start, [&](const MuGraph& graph) {
      ++result_.candidates;
      if (seen.insert(structural_hash(graph)).second) candidates.push_back(graph);
    });
    ir::Context ctx(options_.ops->declarations());
    const FieldFilter filter(program_.graph(ctx, model_), options_.seed);
    std::vector<Judgement> judgements(candidates.size());
    std::deque<Judge> judges;
    for (size_t w = 0; w < grounds_.size(); ++w) judges.emplace_back(options_.target, *options_.ops);
    crew_.run(candidates.size(), [&](size_t worker, size_t i) {
      if (!may_judge()) return;
      constexpr size_t kMostNests = 10'000;  // some 20 MB
      if (judges[worker].memory->nests.size() > kMostNests) judges[worker].forget(*options_.ops);
      judgements[i] = judge(std::move(candidates[i]), filter, judges[worker]);
      if (judgements[i].taken()) found_some_ = true;
    });
    for (Judgement& j : judgements) {
      result_.tested += j.judged;
      result_.passed += j.passed;
      result_.without_schedule += j.found && j.found->schedules.empty();
      result_.cut += j.cut;
      if (j.taken()) result_.found.push_back(std::move(*j.found));
    }
    // The full shape in double precision for what would be taken: the cheapest.
    if (!options_.verify.floats || result_.found.empty()) return;
    auto best = std::ranges::min_element(result_.found, {}, [](const FoundMuGraph& f) { return f.costs[0]; });
    MuVerdict whole = verify_mugraph(best->schedules[0], program_, options_.verify, options_.limits.stop);
    if (options_.limits.stop.requested()) return;  // what the field says stands
    best->verdict = std::move(whole);
    if (!best->verdict.verdict.equivalent()) result_.found.erase(best);
  }

  /// Whoever interrupts a search wants what it has found: some of it is judged all the same, and for longer
  /// where nothing has been found yet.
  bool may_judge() {
    if (!options_.limits.stop.requested()) return true;
    const double now = wall_seconds();
    double since = 0;
    if (interrupted_at_.compare_exchange_strong(since, now)) since = now;
    return now - since < (found_some_ ? kSecondsAfterInterrupt : kSecondsToFindSome);
  }

  Judgement judge(MuGraph sized, const FieldFilter& filter, Judge& by) const {
    Judgement out;
    out.judged = true;
    if (!infer_sizes(sized).empty() || !check_spec(sized).empty() || !filter.agrees(sized, *by.memory))
      return out;
    out.passed = true;
    FoundMuGraph found;
    Schedules fitting = schedules_of(sized, program_, extents_, options_.target, by.pricing);
    out.cut = fitting.cut;
    found.schedules = std::move(fitting.graphs);
    found.costs = std::move(fitting.costs);
    found.model = std::move(sized);
    if (!found.schedules.empty()) {
      MuVerifyOptions field_only = options_.verify;
      field_only.floats = false;
      field_only.sizes_apart = false;  // candidates were met at sizes of their own
      field_only.confirm_work = 0;     // what is undecided is not taken either
      field_only.full_field_work = 1e6;
      found.verdict = verify_mugraph(found.schedules[0], program_, field_only, {}, *by.memory);
    }
    out.found = std::move(found);
    return out;
  }

  void report() {
    const Ground& first = *grounds_[0];
    result_.pruning_complete = first.oracle->saturated();
    result_.target = print(first.terms, first.goal.term);
    std::set<uint64_t> distinct;
    std::map<std::string, bool> terms;
    for (const auto& ground : grounds_) {
      for (TermId t = 0; t < ground->terms.size(); ++t) {
        distinct.insert(ground->terms.hash(t));
        if (options_.record_terms) terms.emplace(print(ground->terms, t), ground->oracle->may_occur(t));
      }
    }
    result_.distinct_terms = distinct.size();
    result_.terms.assign(terms.begin(), terms.end());
  }

  const Program& program_;
  const Extents& extents_;
  const SearchOptions& options_;
  LimitWatch watch_;
  SearchStop stop_;
  Extents model_;
  std::vector<std::unique_ptr<Ground>> grounds_;
  std::vector<std::unique_ptr<Generator>> generators_;
  std::optional<Checkpoint> checkpoint_;
  KernelGraphs graphs_;
  SearchResult result_;
  std::atomic<double> interrupted_at_ = 0;  ///< as may_judge saw it
  std::atomic<bool> found_some_ = false;
  Crew crew_;
};

}  // namespace

size_t SearchResult::schedules() const {
  size_t n = 0;
  for (const FoundMuGraph& f : found) n += f.schedules.size();
  return n;
}

SearchOptions preset_for(const Program& program) {
  SearchOptions o;
  o.max_block_kernels = program.block_kernels;
  o.max_block_ops = program.block_ops;
  o.max_kernel_ops = std::max<int>(o.max_kernel_ops, static_cast<int>(program.inputs.size()) + 2);
  o.block_ops.insert(o.block_ops.end(), program.extra_ops.begin(), program.extra_ops.end());
  return o;
}

void search_as_seed(SearchOptions& o) {
  o.broadcast = false;
  ++o.max_block_ops;
  for (const std::string_view name : kSeedOps)
    if (std::ranges::find(o.block_ops, name) == o.block_ops.end()) o.block_ops.emplace_back(name);
  o.kernel_ops.emplace_back(kSeedOps[0]);
}

uint64_t search_number(const Program& program, const Extents& extents, const SearchOptions& o) {
  constexpr uint64_t kVersion = 3;  // of the enumeration
  ir::Context ctx(o.ops->declarations());
  std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {}", kVersion, ir::dag_hash(program.graph(ctx, extents)),
                  o.max_kernel_ops, o.max_block_ops, o.max_block_kernels, o.max_block_outputs, o.prune,
                  o.canonical, o.look_ahead, o.loop_dims, o.broadcast);
  // Operators by name and row, since states hold rows.
  for (const auto* names : {&o.kernel_ops, &o.block_ops}) {
    text += " ";
    for (const std::string& name : *names) text += fmt::format("{}={},", name, o.ops->find(name).value_or(0));
  }
  text += fmt::format(" of {}", o.ops->size());
  // Which dimensions are one and the same, and which are always cut.
  std::map<std::string, size_t> names;
  for (const Program::Input& input : program.inputs)
    for (const std::string& dim : input.dims)
      for (const std::string& name : factors(dim))
        text += fmt::format(" {}", names.emplace(name, names.size()).first->second);
  for (const std::string& name : program.batch) text += fmt::format(" batch {}", names.at(name));
  return hash_string(text);
}

SearchResult search(const Program& program, const Extents& extents, const SearchOptions& options) {
  const auto inputs = static_cast<int>(program.inputs.size());
  if (options.max_kernel_ops <= inputs)
    throw UsageError(
        fmt::format("{} has {} inputs, which count as operators: expected at least {} in a kernel graph",
                    program.name, inputs, inputs + 1));
  // A graph-defined kernel makes two tensors at most.
  if (options.max_kernel_ops > (kMostValues + inputs) / 2 || options.max_block_ops > kMostValues)
    throw UsageError(
        fmt::format("{} with {} operators in a kernel graph and {} in a block graph: expected at most {} "
                    "tensors in either",
                    program.name, options.max_kernel_ops, options.max_block_ops, kMostValues));
  return Searching(program, extents, options).run();
}

}  // namespace isomer::mugraph
