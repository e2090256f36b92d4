#include "recipes/mirage_compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "ir/graph_copy.h"
#include "ir/op_table.h"
#include "ir/same_structure.h"
#include "ir/shorthand.h"
#include "mugraph/ir_graph.h"
#include "mugraph/restate.h"
#include "mugraph/subprograms.h"
#include "native/compiler.h"
#include "recipes/check_options.h"
#include "recipes/compile.h"
#include "recipes/kernel_trials.h"
#include "recipes/load.h"
#include "recipes/mirage.h"
#include "runtime/timing_statistics.h"
#include "support/errors.h"
#include "support/outputs.h"
#include "verify/equivalence.h"

namespace isomer::recipes {
namespace {

using ir::Graph;
using ir::ValueId;
using mugraph::MuGraph;
using mugraph::SubprogramPlace;

/// The muGraph's kernels on these operands, which have other ranks in the model.
ValueId spliced(ir::Builder& b, const MuGraph& kernels, std::vector<ValueId> operands,
                const ir::Type& result) {
  const Graph graph = mugraph::to_graph(b.context(), kernels, result.dtype);
  ir::GraphCopy copy(b, graph);
  for (size_t i = 0; i < operands.size(); ++i) {
    const ValueId in = graph.inputs()[i];
    copy[in] = ir::reshape(b, operands[i], ir::sizes(graph.type(in).shape));
  }
  copy.rest();
  return ir::reshape(b, copy[graph.outputs()[0]], ir::sizes(result.shape));
}

/// The piece by itself, with constants as such; by its operators, or by the muGraph.
Graph piece_of(const Graph& graph, const SubprogramPlace& place, const MuGraph* kernels) {
  ir::Builder b(graph.context());
  ir::GraphCopy copy(b, graph);
  std::vector<ValueId> operands;
  for (const ValueId v : place.inputs) {
    if (graph.def(v).is(ir::Core::kConstant))
      copy.add(v);
    else
      copy[v] = b.input(fmt::format("v{}", v.index()), graph.type_id(v));
    operands.push_back(copy[v]);
  }
  if (kernels != nullptr) return b.finish({spliced(b, *kernels, operands, graph.type(place.output))});
  // With what is no operand of the piece though an operator has it: the 2 of a square.
  const auto bring = [&](ValueId v, auto&& self) -> void {
    if (copy[v].valid()) return;
    for (const ValueId o : graph.operands(v)) self(o, self);
    copy.add(v);
  };
  for (const ValueId v : place.nodes) bring(v, bring);
  return b.finish({copy[place.output]});
}

bool is_finite_constant(const Graph& graph, ValueId v) {
  if (!graph.def(v).is(ir::Core::kConstant)) return false;
  const ir::Constant& constant = eval::constant_of(graph, v);
  if (constant.storage == nullptr) return false;
  eval::Float64 domain;
  const auto values = eval::constant_value(domain, graph.context(), constant);
  return std::ranges::all_of(values.tensor->numbers, [](double x) { return std::isfinite(x); });
}

/// A piece whose muGraph is worth its while.
struct Worth {
  size_t piece = 0;
  MuGraph kernels;
  double saved = 0;  ///< seconds of a run, all places
};

class Compiling {
 public:
  Compiling(const MirageCompileOptions& options, Store& store, ProgressSink& progress)
      : options_(options), store_(store), progress_(progress), ctx_(ir::standard_ops()), watch_(limits()) {}

  CompileResult run() {
    const CompileOptions& how = options_.compile;
    check_options(how);
    check_outputs(std::array<NamedFile, 1>{{{"--output", how.output}}},
                  std::array<NamedFile, 1>{{{"the model", how.input}}});
    if (!how.cpu.empty())
      throw UsageError("--recipe mirage: times on this machine decide; expected no --cpu");
    if (!how.gpu.empty()) native::require_gpu(how.gpu);
    native::require_linker();
    out_.estimated = !how.gpu.empty() && !how.check;
    const Program p = load_program(ctx_, how.input, parse_dims(how.dims));
    require_known_sizes(p.graph);
    std::optional<Example> example;
    if (!out_.estimated) example = example_of(p.graph, how.seed);
    ProgramForCode start =
        program_for_code(p, example ? &*example : nullptr, rewriting(), options_.stops.search, progress_);
    const Graph& graph = start.graph(p);
    const Graph whole = mugraph::restated(graph);
    pieces_ = mugraph::subprograms_of(whole, how.input, mugraph::Maxima::kWith);
    const std::vector<Worth> worth = search_all(whole);
    const Graph best =
        example ? with_what_gains(*example, graph, whole, worth) : with_all(graph, whole, worth);
    if (options_.stops.search.requested())
      throw Error(ExitStatus::kInterrupted, "interrupted before the model was compiled");
    const bool another = start.found.graph || out_.mugraphs > 0;
    const Deadline until(watch_.remaining(), steady_clock(), options_.stops.writing);
    const std::string held = another ? held_to(p.graph, best, until) : "";
    CompileResult compiled = start.told_in(
        compile_graph(best, names_of(p), how, example ? &*example : nullptr, options_.stops.writing));
    compiled.verification = held;
    compiled.pieces = std::move(out_.pieces);
    compiled.mugraphs = out_.mugraphs;
    compiled.estimated = out_.estimated;
    compiled.gain = out_.gain;
    return compiled;
  }

 private:
  Limits limits() const {
    Limits out;
    constexpr double kUsual = 300;
    const double given = options_.compile.time_limit;
    out.seconds = given < 0 ? kUsual : given;
    out.stop = options_.stops.search;
    return out;
  }

  /// Another program is looked for in a part of the time.
  CompileOptions rewriting() const {
    constexpr double kShare = 0.25, kMost = 60;
    CompileOptions out = options_.compile;
    out.time_limit = std::min(kMost, kShare * limits().seconds);
    return out;
  }

  /// muGraphs of all pieces that are worth it, the most seconds first.
  std::vector<Worth> search_all(const Graph& graph) {
    std::vector<Worth> worth;
    const std::vector<size_t> order = searched(graph);
    for (size_t i = 0; i < order.size(); ++i) {
      say(static_cast<double>(i) / static_cast<double>(order.size()), pieces_.found[order[i]].program.doc);
      Limits share = limits();
      share.seconds = watch_.remaining() / static_cast<double>(order.size() - i);
      search(graph, order[i], share, worth);
    }
    std::ranges::stable_sort(worth, std::greater(), &Worth::saved);
    return worth;
  }

  void say(double done, const std::string& what) {
    progress_.update(
        {.phase = "muGraphs", .fraction = done, .seconds_left = watch_.remaining(), .note = what});
  }

  bool on_gpu() const { return !options_.compile.gpu.empty(); }

  static bool adds_up(const ir::OpDef& def) {
    return def.is_matrix_product() || def.kind == ir::MeaningKind::kContraction || mugraph::is_softmax(def);
  }

  /// Notes all pieces. Those that are worth a search, by the number of their sums: what holds one product is
  /// seldom faster as a muGraph, and should not take the time of attention.
  std::vector<size_t> searched(const Graph& graph) {
    std::vector<size_t> out;
    for (size_t i = 0; i < pieces_.found.size(); ++i) {
      const mugraph::Subprogram& sub = pieces_.found[i];
      CompiledPiece& piece = out_.pieces.emplace_back();
      piece.what = sub.program.doc;
      piece.times = sub.places.size();
      piece.reason = not_searched(graph, sub.places[0]);
      if (piece.reason.empty()) out.push_back(i);
    }
    const auto sums = [&](size_t i) {
      const auto adds = [&](ValueId v) { return adds_up(graph.def(v)); };
      return std::ranges::count_if(pieces_.found[i].places[0].nodes, adds);
    };
    std::ranges::stable_sort(out, std::greater(), sums);
    return out;
  }

  /// Why it is not worth a search; else empty.
  static std::string not_searched(const Graph& graph, const SubprogramPlace& place) {
    const ir::DType dtype = graph.type(place.output).dtype;
    const auto is_same = [&](ValueId v) { return graph.type(v).dtype == dtype; };
    if (dtype != ir::DType::kF32 && dtype != ir::DType::kF16 && dtype != ir::DType::kBF16)
      return "not of floats of 16 or 32 bits";
    if (!std::ranges::all_of(place.nodes, is_same) || !std::ranges::all_of(place.inputs, is_same))
      return "of several element types";
    const auto adds = [&](ValueId v) { return adds_up(graph.def(v)); };
    return std::ranges::any_of(place.nodes, adds) ? "" : "elementwise: fused in any case";
  }

  /// Whether a softmax of the piece may take -inf, as masks bring it. Of a tile of nothing but that there is
  /// no running maximum. Finite are products, finite constants, and what is added or scaled of them.
  static bool may_hide(const Graph& graph, const SubprogramPlace& place) {
    const std::set<ValueId> inside(place.nodes.begin(), place.nodes.end());
    const auto finite = [&](ValueId v, auto&& self) -> bool {
      while (graph.def(v).is(ir::Core::kBroadcast) || graph.def(v).moves == ir::Moves::kReshapes)
        v = graph.operands(v)[0];
      if (!inside.contains(v)) return is_finite_constant(graph, v);
      const ir::OpDef& def = graph.def(v);
      if (def.is_matrix_product()) return true;
      const bool keeps = def.element == ir::ScalarOp::kAdd || def.element == ir::ScalarOp::kSub ||
                         def.element == ir::ScalarOp::kMul;
      return keeps && std::ranges::all_of(graph.operands(v), [&](ValueId o) { return self(o, self); });
    };
    return std::ranges::any_of(place.nodes, [&](ValueId v) {
      return mugraph::is_softmax(graph.def(v)) && !finite(graph.operands(v)[0], finite);
    });
  }

  /// Whether its running maxima, if any, are of whole rows.
  static bool sees_rows(const MuGraph& kernels) {
    const auto is_maximum = [&](const mugraph::BlockNode& n) { return runs_max(*kernels.ops, n); };
    return std::ranges::none_of(kernels.nodes, [&](const mugraph::KernelNode& n) {
      return n.block && n.block->range() > 1 && std::ranges::any_of(n.block->nodes, is_maximum);
    });
  }

  void search(const Graph& graph, size_t number, const Limits& share, std::vector<Worth>& worth) {
    const mugraph::Subprogram& sub = pieces_.found[number];
    CompiledPiece& piece = out_.pieces[number];
    if (watch_.check_now() != StopReason::kRunning) {
      piece.reason = "no time was left for it";
      return;
    }
    LimitWatch own(share);
    Limits searching = share;
    searching.seconds = share.seconds / 2;
    const bool hides =
        std::ranges::any_of(sub.places, [&](const SubprogramPlace& p) { return may_hide(graph, p); });
    const auto allowed = [&](const MuGraph& m) { return !hides || sees_rows(m); };
    const KernelSearch found =
        search_piece(sub, mugraph::target(on_gpu() ? "a100" : "local"), searching, allowed, store_);
    piece.structures = found.result.found.size();
    piece.schedules = found.schedules.size();
    if (found.schedules.empty()) {
      piece.reason = fmt::format("no muGraph was found ({})", to_string(found.result.stop_reason));
      return;
    }
    try_best(graph, number, found.result, own, worth);
  }

  /// Times what was found of a piece, and notes it where it is faster and shown to compute the piece.
  void try_best(const Graph& graph, size_t number, const mugraph::SearchResult& found, LimitWatch& watch,
                std::vector<Worth>& worth) {
    const SubprogramPlace& place = pieces_.found[number].places[0];
    CompiledPiece& piece = out_.pieces[number];
    const Graph plain = piece_of(graph, place, nullptr);
    KernelTrialOptions trials;
    trials.most = options_.most;
    trials.rounds = options_.rounds;
    trials.race = race_options(options_.compile, trials.race.seconds);
    trials.seed = options_.compile.seed;
    trials.watch = &watch;
    const auto stated = [&](const MuGraph& m) { return piece_of(graph, place, &m); };
    const KernelTrials tried = out_.estimated ? estimate_kernels(plain, stated, found, trials)
                                              : try_kernels(plain, stated, found, trials);
    piece.plain_seconds = tried.plain.run_seconds;
    if (!tried.best) {
      piece.reason = tried.tried.empty() ? "no time was left to try a muGraph"
                                         : "no muGraph of it runs: " + tried.tried[0].run.failure;
      return;
    }
    const TriedKernel& best = tried.tried[*tried.best];
    piece.kernel_seconds = best.run.run_seconds;
    piece.gain = tried.gain;
    // An estimate may be wrong by as much.
    constexpr double kWorth = 1.03, kWorthByEstimate = 1.5;
    if (piece.gain.median < (out_.estimated ? kWorthByEstimate : kWorth)) {
      piece.reason = "not faster than by default schedules";
      return;
    }
    const verify::Verdict verdict = verify::check_equivalent(plain, piece_of(graph, place, best.graph));
    if (!verdict.equivalent()) {
      piece.reason = "not shown to compute it: " + verdict.note;
      return;
    }
    const double saved = (1 - 1 / piece.gain.median) * piece.plain_seconds * static_cast<double>(piece.times);
    worth.push_back({number, *best.graph, saved});
  }

  Graph replaced(const Graph& graph, const std::vector<const Worth*>& taken) const {
    std::vector<const MuGraph*> kernels(graph.size());
    std::vector<const SubprogramPlace*> places(graph.size());
    for (const Worth* w : taken)
      for (const SubprogramPlace& place : pieces_.found[w->piece].places) {
        kernels[place.output.index()] = &w->kernels;
        places[place.output.index()] = &place;
      }
    ir::Builder b(graph.context(), graph.title());
    ir::GraphCopy copy(b, graph);
    copy.inputs();
    for (size_t i = 0; i < graph.size(); ++i) {
      const ValueId v(i);
      if (copy[v].valid()) continue;
      if (kernels[i] == nullptr) {
        copy.add(v);
        continue;
      }
      std::vector<ValueId> operands;
      for (const ValueId o : places[i]->inputs) operands.push_back(copy[o]);
      copy[v] = spliced(b, *kernels[i], operands, graph.type(v));
    }
    b.donate_as(graph);
    return ir::prune(b.finish(copy.outputs()));
  }

  /// The faster of two that compute the same, of which the second is the first stated otherwise, or not.
  size_t enter_plain(CompiledRace& race, const Graph& graph, const Graph& restated) const {
    const size_t first = race.enter(graph);
    if (ir::same_structure(graph, restated)) return first;
    const size_t both[] = {first, race.enter(restated)};
    const bool pays = race.runner(both[1]).failure.empty() &&
                      ratio_of(race.rounds(both, options_.rounds), 0, 1).median > 1.0;
    return both[pays ? 1 : 0];
  }

  /// The model with those muGraphs that make it faster, one after the other, than the faster of two without:
  /// `graph`, which is what is compiled then, and `whole`, which has their pieces and may be faster by
  /// itself.
  Graph with_what_gains(const Example& example, const Graph& graph, const Graph& whole,
                        const std::vector<Worth>& worth) {
    if (worth.empty()) return ir::prune(graph);
    constexpr double kRoundSeconds = 0.3;
    CompiledRace race(example, race_options(options_.compile, kRoundSeconds));
    const size_t plain = enter_plain(race, graph, replaced(whole, {}));
    size_t best = plain;
    std::optional<Graph> fastest;
    std::vector<const Worth*> taken;
    for (const Worth& w : worth) {
      CompiledPiece& piece = out_.pieces[w.piece];
      if (watch_.check_now() != StopReason::kRunning) {
        piece.reason = "no time was left to try it in the model";
        continue;
      }
      taken.push_back(&w);
      Graph candidate = replaced(whole, taken);
      const size_t with = race.enter(candidate);
      piece.reason = race.runner(with).failure;
      if (piece.reason.empty()) {
        const size_t both[] = {best, with};
        const Ratio gain = ratio_of(race.rounds(both, options_.rounds), 0, 1);
        if (gain.median <= 1.0)
          piece.reason = fmt::format("the model is not faster with it ({:.2f})", gain.median);
      }
      if (!piece.reason.empty()) {
        taken.pop_back();
        continue;
      }
      best = with;
      fastest = std::move(candidate);
    }
    if (!fastest) return ir::prune(graph);
    const size_t both[] = {plain, best};
    const std::vector<std::vector<double>> again = race.rounds(both, options_.rounds);
    const std::vector<double> ratios = ratios_of(again, 0, 1);
    if (!race.runner(best).failure.empty() || ratios.empty() || runtime::median_interval(ratios).low <= 1.0) {
      for (const Worth* w : taken)
        out_.pieces[w->piece].reason = "the model is not surely faster with it, measured again";
      return ir::prune(graph);
    }
    out_.gain = ratio_of(again, 0, 1);
    note_taken(taken);
    return std::move(*fastest);
  }

  /// The same by the estimate.
  Graph with_all(const Graph& graph, const Graph& whole, const std::vector<Worth>& worth) {
    if (worth.empty()) return ir::prune(graph);
    std::vector<const Worth*> all;
    for (const Worth& w : worth) all.push_back(&w);
    const std::string& gpu = options_.compile.gpu;
    Graph with = replaced(whole, all);
    const double without =
        std::min(estimated_seconds(graph, gpu), estimated_seconds(replaced(whole, {}), gpu));
    const double gain = without / estimated_seconds(with, gpu);
    if (!(gain > 1.0)) {
      for (const Worth& w : worth) out_.pieces[w.piece].reason = "the model is not faster with it";
      return ir::prune(graph);
    }
    out_.gain = {gain, gain, gain};
    note_taken(all);
    return with;
  }

  void note_taken(const std::vector<const Worth*>& taken) {
    for (const Worth* w : taken) {
      out_.pieces[w->piece].taken = true;
      out_.mugraphs += pieces_.found[w->piece].places.size();
    }
  }

  const MirageCompileOptions& options_;
  Store& store_;
  ProgressSink& progress_;
  ir::Context ctx_;
  LimitWatch watch_;
  mugraph::Subprograms pieces_;
  CompileResult out_;
};

}  // namespace

CompileResult compile_with_mugraphs(const MirageCompileOptions& options, Store& store,
                                    ProgressSink& progress) {
  try {
    return Compiling(options, store, progress).run();
  } catch (const MissingRuntimeError& e) {
    if (options.compile.gpu.empty() || !options.compile.check) throw;
    throw MissingRuntimeError(
        fmt::format("{}; with --no-check an estimate chooses, and nothing is run", e.what()));
  }
}

}  // namespace isomer::recipes
