// The binding of HloEnv's environment, of searches over decisions and of the main job for HLO
// (recipes/hlo_env.h, hlo_search.h, hlo_optimize.h);
// isomer/hlo.py is Python's side of it.
#include "recipes/hlo_env.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "python/interruptible.h"
#include "recipes/hlo_optimize.h"
#include "runtime/hlo_files.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace isomer::python {
namespace {

using recipes::HloEnv;

/// A NumPy array that owns a copy of the numbers.
template <class T>
nb::object array_of(std::vector<T> numbers, size_t columns = 1) {
  auto* kept = new std::vector<T>(std::move(numbers));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if (columns == 1)
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
  return nb::cast(
      nb::ndarray<nb::numpy, T, nb::ndim<2>>(kept->data(), {kept->size() / columns, columns}, owner));
}

nb::dict arrays(const HloEnv& env) {
  recipes::HloGraphArrays a = env.arrays();
  nb::dict out;
  out["opcodes"] = array_of(std::move(a.opcodes));
  out["computations"] = array_of(std::move(a.computations));
  out["element_types"] = array_of(std::move(a.elements));
  out["sizes"] = array_of(std::move(a.sizes));
  out["flops"] = array_of(std::move(a.flops));
  out["bytes"] = array_of(std::move(a.bytes));
  out["edges"] = array_of(std::move(a.edges), 2);
  out["targets"] = array_of(std::move(a.targets));
  out["first_way"] = array_of(std::move(a.first_way));
  out["ways"] = array_of(std::move(a.ways));
  out["rules"] = a.rules;
  return out;
}

std::vector<std::pair<uint32_t, std::string>> apply(HloEnv& env, const std::vector<uint32_t>& decisions) {
  std::vector<std::pair<uint32_t, std::string>> out;
  for (passes::Refusal& refusal : env.apply(decisions))
    out.emplace_back(refusal.choice, std::move(refusal.reason));
  return out;
}

/// Seconds of modules beside one of them (recipes::hlo_evaluator), by processes that stay.
class Evaluator {
 public:
  Evaluator(const HloEnv& module, const std::string& name, std::shared_ptr<runtime::XlaPool> pool,
            int threads, int rounds, uint64_t seed, const std::vector<std::string>& disabled,
            double tolerance, bool keep) {
    recipes::HloEvaluatorOptions options;
    options.pool = std::move(pool);
    options.threads = threads;
    options.rounds = rounds;
    options.seed = seed;
    options.disabled = disabled;
    options.tolerance = tolerance;
    if (keep) options.store = std::make_shared<Store>(Store::of_user());
    evaluator_ = recipes::hlo_evaluator(name, module.module(), options);
  }
  std::string name() const { return evaluator_->name(); }
  std::vector<double> costs(const std::vector<const HloEnv*>& environments) {
    std::vector<const hlo::Module*> modules;
    for (const HloEnv* env : environments) modules.push_back(&env->module());
    const std::lock_guard one_at_a_time(*mutex_);
    return evaluator_->costs(modules);
  }

 private:
  std::unique_ptr<problems::HloEvaluator> evaluator_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  // costs() holds no lock of Python's
};

/// A function of Python's, asked by a search that has let go of Python's lock.
template <class Answer>
std::function<Answer(const HloEnv&)> asked(const nb::object& function) {
  if (function.is_none()) return {};
  return [&function](const HloEnv& env) {
    const nb::gil_scoped_acquire held;
    return nb::cast<Answer>(function(env));
  };
}

/// None of what is as it was.
nb::object words_of(const std::optional<recipes::FoundCheck>& check) {
  return check ? nb::cast(check->words()) : nb::none();
}

/// Times as fast as pick-first's module, with intervals; None of what was not timed to the end.
nb::object confirmed_of(const std::optional<recipes::HloSearchResult::Confirmed>& c) {
  if (!c) return nb::none();
  const auto of = [](const std::optional<runtime::MedianInterval>& m) -> nb::object {
    if (!m) return nb::none();
    return nb::make_tuple(m->median, m->low, m->high);
  };
  nb::dict out;
  out["evaluations"] = c->evaluations;
  out["speedup"] = of(c->speedup);
  out["of_cheapest"] = of(c->of_cheapest);
  return out;
}

std::pair<HloEnv, nb::dict> search(const HloEnv& env, const std::vector<std::string>& passes,
                                   const std::string& how, const std::string& evaluator, double time_limit,
                                   uint64_t simulations, uint64_t steps, uint64_t evaluations, uint64_t seed,
                                   int threads, const std::vector<std::string>& disabled,
                                   const nb::object& prior, const nb::object& value,
                                   const std::string& pipeline) {
  recipes::HloSearchOptions options;
  options.pipeline = pipeline.empty() ? recipes::only_passes(passes) : recipes::hlo_pipeline(pipeline);
  options.search = recipes::hlo_search_named(how);
  options.evaluator = evaluator;
  options.limits.seconds = time_limit;
  options.simulations = simulations;
  options.steps = steps;
  options.evaluations = evaluations;
  options.prior = asked<std::vector<std::vector<double>>>(prior);
  options.value = asked<double>(value);
  options.seed = options.evaluation.seed = seed;
  options.evaluation.threads = threads;
  options.evaluation.disabled = disabled;
  const recipes::HloSearchResult result = interruptible([&](const StopToken& stop) {
    options.limits.stop = options.evaluation.stop = stop;
    return recipes::hlo_search(env.module(), options);
  });
  nb::dict about;
  about["cost_before"] = result.cost_before;
  about["cost_pick_first"] = result.cost_pick_first;
  about["cost_after"] = result.cost_after;
  about["evaluated"] = result.evaluated;
  nb::list improvements;
  for (const auto& i : result.improvements) improvements.append(nb::make_tuple(i.evaluated, i.cost));
  about["improvements"] = improvements;
  about["confirmed"] = confirmed_of(result.confirmed);
  about["stop_reason"] = std::string(to_string(result.stop_reason));
  about["verification"] = words_of(result.check);
  about["seconds"] = result.seconds;
  return {HloEnv::of(result.module), about};
}

std::string text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

nb::dict report_of(const recipes::HloOptimizeResult& r) {
  nb::list candidates;
  for (const recipes::HloCandidate& c : r.candidates) {
    nb::dict one;
    one["made_by"] = c.made_by;
    one["instructions"] = c.instructions;
    one["runtime_us"] = c.runtime_us > 0 ? nb::cast(c.runtime_us) : nb::none();
    one["dropped"] = c.dropped;
    candidates.append(one);
  }
  nb::dict out;
  out["changed"] = r.changed;
  out["made_by"] = r.made_by;
  out["speedup"] = nb::make_tuple(r.speedup.median, r.speedup.low, r.speedup.high);
  out["evaluations"] = r.evaluations;
  out["runtime_before_us"] = r.runtime_before_us;
  out["runtime_after_us"] = r.runtime_after_us;
  out["difference"] = r.difference;
  out["verification"] = words_of(r.check);
  out["xla"] = r.xla;
  out["candidates"] = candidates;
  out["seconds"] = r.seconds;
  return out;
}

std::pair<HloEnv, nb::dict> optimize(const nb::bytes& contents, const std::string& file,
                                     const std::vector<std::string>& passes, const std::string& search,
                                     int threads, double time_limit, double tolerance, uint64_t seed) {
  recipes::HloOptimizeOptions options;
  if (!passes.empty()) options.passes = passes;
  options.search = recipes::hlo_candidates_named(search);
  options.threads = threads;
  options.time_limit = time_limit;
  options.tolerance = tolerance;
  options.seed = seed;
  const std::string text = text_of(contents);
  recipes::HloOptimizeResult result;
  {
    const nb::gil_scoped_release released;
    result = recipes::hlo_optimize(runtime::hlo_file(text, file), options);
  }
  nb::dict report = report_of(result);
  return {HloEnv::of(std::move(result.module)), report};
}

nb::bytes stablehlo(const HloEnv& env, bool artifact) {
  std::string out;
  {
    const nb::gil_scoped_release released;
    out =
        runtime::in_form(env.module(), artifact ? runtime::HloForm::kArtifact : runtime::HloForm::kStableHlo);
  }
  return nb::bytes(out.data(), out.size());
}

}  // namespace

void bind_hlo(nb::module_& m) {
  nb::class_<HloEnv>(m, "HloEnv")
      .def_static(
          "_parse",
          [](const nb::bytes& contents, const std::string& file) {
            const std::string text = text_of(contents);
            const nb::gil_scoped_release released;
            return HloEnv::parse(text, file);
          },
          "contents"_a, "file"_a)
      .def("_stablehlo", &stablehlo, "artifact"_a)
      .def_static("_load", &HloEnv::load, "path"_a, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "_save", [](const HloEnv& env, const std::string& path) { runtime::write_hlo(path, env.module()); },
          "path"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("clone", &HloEnv::clone, "An independent copy.")
      .def("text", &HloEnv::text, "The module as XLA reads it.")
      .def_prop_ro("hash", &HloEnv::hash, "Of the graph: names and the order of the text do not count.")
      .def_prop_ro("instructions", &HloEnv::instructions)
      .def(
          "_dry_run", [](HloEnv& env, const std::vector<std::string>& passes) { env.dry_run(passes); },
          nb::call_guard<nb::gil_scoped_release>())
      .def("_arrays", &arrays)
      .def("_apply", &apply)
      .def(
          "_run",
          [](HloEnv& env, const std::vector<std::string>& passes) {
            return interruptible(
                [&](const StopToken& stop) { return env.run(recipes::only_passes(passes), stop); });
          },
          "passes"_a)
      .def(
          "_run_pipeline",
          [](HloEnv& env, const std::string& name) {
            return interruptible(
                [&](const StopToken& stop) { return env.run(recipes::hlo_pipeline(name), stop); });
          },
          "name"_a)
      .def("_counts",
           [](const HloEnv& env) {
             const cost::HloCounts c = env.counts();
             nb::dict out;
             out["flops"] = c.flops;
             out["transcendentals"] = c.transcendentals;
             out["bytes"] = c.bytes;
             return out;
           })
      .def("_search", &search, "passes"_a, "search"_a, "evaluator"_a, "time_limit"_a, "simulations"_a,
           "steps"_a, "evaluations"_a, "seed"_a, "threads"_a, "disabled"_a, "prior"_a.none(),
           "value"_a.none(), "pipeline"_a);
  nb::class_<runtime::XlaPool>(m, "XlaPool")
      .def_prop_ro("workers", &runtime::XlaPool::workers)
      .def_prop_ro("threads", &runtime::XlaPool::threads_of_each);
  m.def(
      "xla_pool",
      [](int workers, int threads) { return std::make_shared<runtime::XlaPool>(workers, threads); },
      "workers"_a, "threads"_a);
  nb::class_<Evaluator>(m, "HloEvaluator")
      .def(nb::init<const HloEnv&, const std::string&, std::shared_ptr<runtime::XlaPool>, int, int, uint64_t,
                    const std::vector<std::string>&, double, bool>(),
           "module"_a, "name"_a, "pool"_a.none(), "threads"_a, "rounds"_a, "seed"_a, "disabled"_a,
           "tolerance"_a, "keep"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("name", &Evaluator::name)
      .def("costs", &Evaluator::costs, nb::call_guard<nb::gil_scoped_release>());
  m.def("hlo_opcode_names", &recipes::hlo_opcode_names);
  m.def("hlo_element_names", &recipes::hlo_element_names);
  m.def("hlo_pass_names", [] {
    std::vector<std::string> out;
    for (const auto& pass : passes::all_passes()) out.emplace_back(pass->name());
    return out;
  });
  m.def("hlo_search_names", &recipes::hlo_searches);
  m.def("hlo_optimize", &optimize, "contents"_a, "file"_a, "passes"_a, "search"_a, "threads"_a,
        "time_limit"_a, "tolerance"_a, "seed"_a);
}

}  // namespace isomer::python
