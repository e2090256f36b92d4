// The binding of extraction (api/extraction.h): costs and extractors may be functions of Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <utility>
#include <variant>

#include "api/extraction.h"
#include "python/arrays.h"
#include "python/interruptible.h"
#include "support/atomic_file.h"
#include "support/errors.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace isomer::python {
namespace {

using Path = std::filesystem::path;
using api::EGraph;
using api::ExtractionProblem;
/// Functions of Python, or names.
using PickList = std::vector<int64_t>;
using Cost = std::variant<std::string, nb::typed<nb::callable, double(api::Operator)>>;
using Extractor = std::variant<std::string, nb::typed<nb::callable, PickList(ExtractionProblem)>>;

/// A function of Python as one of C++, called without the interpreter's lock. `expected`: of its result.
template <class Result, class Argument>
std::function<Result(Argument)> function_of(const nb::callable& function, const char* expected) {
  return [function, expected](Argument argument) {
    const nb::gil_scoped_acquire locked;
    stop_if_asked();
    const nb::object got = function(std::move(argument));
    Result out{};
    if (!nb::try_cast(got, out))
      throw UsageError(fmt::format("expected {}, got {}", expected, nb::repr(got).c_str()));
    return out;
  };
}

api::ExtractOptions options_of(const Cost& cost, const Extractor& extractor, double time_limit, uint64_t seed,
                               bool weights_free) {
  api::ExtractOptions out;
  if (const auto* name = std::get_if<std::string>(&cost))
    out.cost = *name;
  else
    out.cost_function = function_of<double, api::Operator>(std::get<1>(cost), "a number as the cost");
  if (const auto* name = std::get_if<std::string>(&extractor))
    out.extractor = *name;
  else
    out.chooser = function_of<PickList, ExtractionProblem>(std::get<1>(extractor),
                                                           "a node or -1 for each class as picks");
  out.seconds = time_limit;
  out.seed = seed;
  out.weights_free = weights_free;
  return out;
}

nb::dict arrays_of(const ExtractionProblem& self) {
  const extract::Problem& p = self.flat();
  std::vector<double> cost;
  std::vector<uint32_t> eclass, first{0}, children, first_node{0}, nodes, roots;
  for (uint32_t n = 0; n < p.nodes(); ++n) {
    cost.push_back(p.cost(extract::NodeId(n)));
    eclass.push_back(p.class_of(extract::NodeId(n)).v);
    for (extract::ClassId c : p.children(extract::NodeId(n))) children.push_back(c.v);
    first.push_back(static_cast<uint32_t>(children.size()));
  }
  for (uint32_t c = 0; c < p.classes(); ++c) {
    for (extract::NodeId n : p.nodes_of(extract::ClassId(c))) nodes.push_back(n.v);
    first_node.push_back(static_cast<uint32_t>(nodes.size()));
  }
  for (extract::ClassId c : p.roots()) roots.push_back(c.v);
  nb::dict out;
  out["cost"] = array(std::move(cost));
  out["eclass"] = array(std::move(eclass));
  out["first_child"] = array(std::move(first));
  out["children"] = array(std::move(children));
  out["first_node"] = array(std::move(first_node));
  out["nodes"] = array(std::move(nodes));
  out["roots"] = array(std::move(roots));
  return out;
}

void bind_problem(nb::module_& m) {
  nb::class_<api::Choice>(m, "Choice", "A node for each class that is needed, and what they cost.")
      .def_prop_ro(
          "picks", [](const api::Choice& c) { return array(c.picks); }, nb::rv_policy::automatic,
          "By class: the number of its node, or -1 where none is needed. int64, one dimension.")
      .def_ro("found", &api::Choice::found, "Whether every root has a finite acyclic term.")
      .def_ro("cost", &api::Choice::cost, "The sum over the nodes picked, each counted once.")
      .def_ro("tree_cost", &api::Choice::tree_cost, "The same with shared nodes counted for each use.")
      .def_ro("bound", &api::Choice::bound, "No choice costs less.")
      .def_ro("optimal", &api::Choice::optimal, "The cost is proved to be the least.")
      .def_ro("stop_reason", &api::Choice::stop_reason,
              "saturated where the extractor came to its end, else the limit that was met.")
      .def_ro("seconds", &api::Choice::seconds, "CPU time.")
      .def("__repr__", [](const api::Choice& c) {
        return fmt::format("<isomer.Choice of cost {:.6g}{}>", c.cost, c.optimal ? ", optimal" : "");
      });
  nb::class_<ExtractionProblem>(m, "ExtractionProblem", "What an extractor sees: classes, nodes, costs.")
      .def_static(
          "load", [](const Path& path) { return ExtractionProblem::load(path.string()); }, "path"_a,
          "A serialized e-graph of the extraction gym or of egraph-serialize.")
      .def(
          "save", [](const ExtractionProblem& self, const Path& path) { self.save(path.string()); }, "path"_a,
          "In the format that `load` reads.")
      .def(
          "save_choice",
          [](const ExtractionProblem& self, const Path& path, const std::vector<int64_t>& picks) {
            self.save_choice(path.string(), picks);
          },
          "path"_a, "picks"_a, "What `isomer import` reads: class id -> e-node id.")
      .def("arrays", &arrays_of,
           "As arrays by name: `cost` (float64) and `eclass` by node, `children` with `first_child`, `nodes` "
           "of each\n"
           "class with `first_node`, `roots` (uint32). What belongs to i goes from first[i] to first[i + 1].")
      .def_prop_ro(
          "class_count", [](const ExtractionProblem& p) { return p.flat().classes(); },
          "Classes, numbered from 0.")
      .def_prop_ro(
          "node_count", [](const ExtractionProblem& p) { return p.flat().nodes(); },
          "Nodes, numbered from 0.")
      .def_prop_ro(
          "class_names", [](const ExtractionProblem& p) { return p.file().class_names; },
          "What the file calls each class.")
      .def_prop_ro(
          "node_names", [](const ExtractionProblem& p) { return p.file().node_names; },
          "What the file calls each node.")
      .def_prop_ro(
          "ops", [](const ExtractionProblem& p) { return p.file().ops; },
          "The operator of each node, as text.")
      .def(
          "solve",
          [](const ExtractionProblem& self, const std::string& extractor, double time_limit, uint64_t seed) {
            return interruptible(
                [&](const StopToken& stop) { return self.solve(extractor, time_limit, seed, stop); });
          },
          "extractor"_a = "auto", nb::kw_only(), "time_limit"_a = 10, "seed"_a = 1,
          "A Choice by an extractor of `isomer extract --help`; time_limit in seconds. UsageError lists the "
          "names.")
      .def("check", &ExtractionProblem::check, "picks"_a,
           "What the independent judge says of picks (a node or -1 for each class): a Choice. UsageError "
           "tells the\n"
           "fault of what is none: a class without a node, a cycle.")
      .def("__repr__", [](const ExtractionProblem& p) {
        return fmt::format("<isomer.ExtractionProblem: {} nodes in {} classes>", p.flat().nodes(),
                           p.flat().classes());
      });
}

}  // namespace

void bind_extraction(nb::module_& m, nb::class_<EGraph>& egraph) {
  bind_problem(m);
  nb::class_<api::Extraction>(m, "Extraction", "A program from an e-graph.")
      .def_ro("graph", &api::Extraction::graph, "The program: a Graph.")
      .def_ro("choice", &api::Extraction::choice, "The Choice behind it.")
      .def_prop_ro(
          "cost", [](const api::Extraction& e) { return e.choice.cost; }, "That of the choice.")
      .def_prop_ro(
          "optimal", [](const api::Extraction& e) { return e.choice.optimal; },
          "The cost is proved to be the least in the e-graph.")
      .def_ro("nodes", &api::Extraction::nodes, "Numbers of the e-nodes picked.")
      .def_ro("rules", &api::Extraction::rules, "The rules that made them, and how many each: a dict.")
      .def("__repr__", [](const api::Extraction& e) {
        return fmt::format("<isomer.Extraction of {} e-nodes, cost {:.6g}{}>", e.nodes.size(), e.choice.cost,
                           e.choice.optimal ? ", optimal" : "");
      });
  egraph
      .def(
          "extract",
          [](EGraph& self, const Cost& cost, const Extractor& extractor, double time_limit, uint64_t seed,
             bool weights_free) {
            const api::ExtractOptions options = options_of(cost, extractor, time_limit, seed, weights_free);
            return interruptible([&](const StopToken& stop) { return api::extract(self, options, stop); });
          },
          "cost"_a = "ast-size", "extractor"_a = "auto", nb::kw_only(), "time_limit"_a = 10, "seed"_a = 1,
          "weights_free"_a = true,
          "The cheapest program, by a cost and an extractor: names or functions. A cost takes an Operator "
          "and gives\n"
          "a number from 0 to 1e290, or infinity for what must not be picked; an extractor takes an\n"
          "ExtractionProblem and gives a node or -1 for each class. UsageError for other results, InputError "
          "where\n"
          "nothing can be extracted; exceptions of the functions come through.")
      .def(
          "cost",
          [](EGraph& self, const Cost& cost, const Extractor& extractor, double time_limit, uint64_t seed,
             bool weights_free) {
            const api::ExtractOptions options = options_of(cost, extractor, time_limit, seed, weights_free);
            return interruptible(
                [&](const StopToken& stop) { return api::extracted_cost(self, options, stop); });
          },
          "cost"_a = "ast-size", "extractor"_a = "dag-greedy", nb::kw_only(), "time_limit"_a = 10,
          "seed"_a = 1, "weights_free"_a = true, "What `extract` would come to; no program is built.")
      .def(
          "problem",
          [](EGraph& self, const Cost& cost, bool weights_free) {
            const api::ExtractOptions options = options_of(cost, "auto", 0, 1, weights_free);
            return interruptible([&](const StopToken&) { return api::problem_of(self, options); });
          },
          "cost"_a = "ast-size", nb::kw_only(), "weights_free"_a = true, "What an extractor sees of it.")
      .def(
          "to_html",
          [](EGraph& self, const Path& path, const Cost& cost, const Extractor& extractor,
             double time_limit) {
            const api::ExtractOptions options = options_of(cost, extractor, time_limit, 1, true);
            write_file(path.string(), interruptible([&](const StopToken& stop) {
                         return api::page_of(self, options, stop);
                       }));
          },
          "path"_a, "cost"_a = "ast-size", "extractor"_a = "auto", nb::kw_only(), "time_limit"_a = 10,
          "A page on which it can be read, with what extraction chooses.")
      .def(
          "save",
          [](EGraph& self, const Path& path, const Cost& cost) {
            const api::ExtractOptions options = options_of(cost, "auto", 0, 1, true);
            const ExtractionProblem problem =
                interruptible([&](const StopToken&) { return api::problem_of(self, options); });
            released([&] { problem.save(path.string()); });
          },
          "path"_a, "cost"_a = "ast-size",
          "In egraph-serialize's format, with costs: what the roots reach and may be picked.");
}

}  // namespace isomer::python
