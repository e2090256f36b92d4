// The binding of programs and e-graphs (api/graph.h, api/egraph.h): classes with the methods that those have,
// arrays where there are many numbers.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <utility>

#include "api/egraph.h"
#include "api/graph.h"
#include "ir/op_table.h"
#include "python/arrays.h"
#include "python/interruptible.h"
#include "support/errors.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace isomer::python {
namespace {

using Path = std::filesystem::path;
using api::EGraph;
using api::Graph;
using api::Matches;
using Free = nb::call_guard<nb::gil_scoped_release>;

/// A match with what it is one of.
struct Match {
  std::shared_ptr<const Matches> of;
  size_t number;
  const EGraph* egraph;

  api::MatchInfo info() const { return egraph->info(*of, number); }
};

/// Matches as Python has them: with the e-graph that they were found in, for what they are called.
struct MatchList {
  std::shared_ptr<const Matches> found;
  nb::object egraph;

  Match at(nb::ssize_t i) const {
    const auto count = static_cast<nb::ssize_t>(found->size());
    if (i < -count || i >= count) throw nb::index_error("there is no such match");
    return {found, static_cast<size_t>(i < 0 ? i + count : i), &nb::cast<const EGraph&>(egraph)};
  }
};

std::string types_of(const std::vector<api::ValueType>& types) {
  std::string out;
  for (const api::ValueType& t : types) out += (out.empty() ? "" : ", ") + t.text;
  return out;
}

void bind_operators(nb::module_& m) {
  nb::class_<api::ValueType>(m, "Type", "Element type and shape of a value.")
      .def_ro("dtype", &api::ValueType::dtype)
      .def_ro("shape", &api::ValueType::shape)
      .def("__str__", [](const api::ValueType& t) { return t.text; })
      .def("__repr__", [](const api::ValueType& t) { return "<isomer.Type " + t.text + ">"; });
  nb::class_<api::Operator>(m, "Operator", "An operator at its types: what a cost is asked of.")
      .def_ro("op", &api::Operator::op)
      .def_ro("attributes", &api::Operator::attributes)
      .def_ro("operands", &api::Operator::operands)
      .def_ro("type", &api::Operator::type)
      .def_ro("flops", &api::Operator::flops)
      .def_ro("bytes", &api::Operator::bytes)
      .def("__repr__", [](const api::Operator& o) {
        return fmt::format("<isomer.Operator {}({}) : {}>", o.op, types_of(o.operands), o.type.text);
      });
  nb::class_<api::Node, api::Operator>(m, "Node", "A value of a program, and what computes it.")
      .def_ro("id", &api::Node::id)
      .def_ro("name", &api::Node::name)
      .def_ro("inputs", &api::Node::inputs)
      .def("__str__", [](const api::Node& n) { return n.text; })
      .def("__repr__", [](const api::Node& n) {
        return fmt::format("<isomer.Node {} {} : {}>", n.id, n.text, n.type.text);
      });
  nb::class_<api::ENode, api::Operator>(m, "ENode", "An operator over e-classes.")
      .def_ro("id", &api::ENode::id)
      .def_ro("eclass", &api::ENode::eclass)
      .def_ro("children", &api::ENode::children)
      .def_ro("rule", &api::ENode::rule)
      .def("__str__", [](const api::ENode& n) { return n.text; })
      .def("__repr__", [](const api::ENode& n) {
        return fmt::format("<isomer.ENode {} {}({}) in class {}>", n.id, n.text, fmt::join(n.children, ", "),
                           n.eclass);
      });
  nb::class_<api::EClass>(m, "EClass", "Values that are equal.")
      .def_ro("id", &api::EClass::id)
      .def_ro("type", &api::EClass::type)
      .def_ro("is_weight", &api::EClass::is_weight)
      .def_ro("nodes", &api::EClass::nodes)
      .def("__repr__", [](const api::EClass& c) {
        return fmt::format("<isomer.EClass {} : {}, {} nodes>", c.id, c.type.text, c.nodes.size());
      });
}

void bind_graph(nb::module_& m) {
  nb::class_<verify::Verdict>(m, "Equivalence", "What is known of two programs.")
      .def_prop_ro("verdict", [](const verify::Verdict& v) { return std::string(to_string(v.kind)); })
      .def_ro("method", &verify::Verdict::method)
      .def_ro("counterexample", &verify::Verdict::counterexample)
      .def("__bool__", &verify::Verdict::equivalent)
      .def("__repr__",
           [](const verify::Verdict& v) { return "<isomer.Equivalence " + verify::summary(v) + ">"; });
  nb::class_<Graph>(m, "Graph", "A tensor program; it does not change.")
      .def_static(
          "load",
          [](const Path& path, const std::map<std::string, int64_t>& dims) {
            return Graph::load(path.string(), dims);
          },
          "path"_a, "dims"_a = std::map<std::string, int64_t>(), Free(),
          "A program file: .onnx, .graph (the textual form), .model, .dag. dims: sizes by name.")
      .def_static(
          "parse", [](const std::string& text, const Graph* beside) { return Graph::parse(text, beside); },
          "text"_a, "beside"_a = nb::none(), Free())
      .def(
          "save", [](const Graph& self, const Path& path) { self.save(path.string()); }, "path"_a, Free(),
          "As .onnx, with weights folded, or as .graph.")
      .def("node", &Graph::node, "id"_a, Free())
      .def_prop_ro("nodes", &Graph::nodes, Free())
      .def_prop_ro("inputs", &Graph::inputs)
      .def_prop_ro("outputs", &Graph::outputs)
      .def_prop_ro("title", &Graph::title)
      .def_prop_ro("operators", &Graph::operators)
      .def("cost", &Graph::cost, "model"_a = "ast-size", Free())
      .def(
          "equivalent",
          [](const Graph& self, const Graph& other, double time_limit) {
            return interruptible(
                [&](const StopToken& stop) { return self.equivalent(other, time_limit, stop); });
          },
          "other"_a, "time_limit"_a = 60)
      .def("__len__", &Graph::size)
      .def("__str__", &Graph::text, Free());
}

void bind_matches(nb::module_& m) {
  nb::class_<Match>(m, "Match", "A place where a rule may be applied.")
      .def_prop_ro(
          "rule", [](const Match& x) { return x.info().rule; }, Free())
      .def_prop_ro(
          "roots", [](const Match& x) { return x.info().roots; }, Free())
      .def_prop_ro(
          "tensors", [](const Match& x) { return x.info().tensors; }, Free())
      .def_prop_ro(
          "attributes", [](const Match& x) { return x.info().attributes; }, Free())
      .def(
          "__repr__",
          [](const Match& x) {
            const api::MatchInfo info = x.info();
            return fmt::format("<isomer.Match of {} in class {}>", info.rule, fmt::join(info.roots, ", "));
          },
          Free());
  nb::class_<MatchList>(m, "Matches", "Matches of rules, rule by rule.")
      .def("__len__", [](const MatchList& self) { return self.found->size(); })
      .def("__getitem__", &MatchList::at, "index"_a, nb::keep_alive<0, 1>())
      .def_prop_ro(
          "rules", [](const MatchList& self) { return array(self.found->rule); }, nb::rv_policy::automatic,
          "Numbers of the rules in their set, by match.")
      .def("__repr__",
           [](const MatchList& self) { return fmt::format("<isomer.Matches: {}>", self.found->size()); });
}

api::GrowOptions grow_options(uint64_t iterations, uint64_t node_limit, double time_limit,
                              const std::string& scheduler, const std::string& cycles, bool grouping,
                              uint32_t multi_steps, bool allow_unstable, unsigned threads) {
  return {iterations, node_limit,  time_limit,     scheduler, cycles,
          grouping,   multi_steps, allow_unstable, threads};
}

/// Numbers of all usable e-nodes, what they are and what they read.
struct FlatNodes {
  std::vector<uint32_t> nodes, op, eclass, first{0}, children;
};

FlatNodes flat_nodes(const EGraph& g) {
  const auto lock = g.workspace()->lock();
  FlatNodes out;
  out.nodes = g.node_ids();
  const rewrite::EGraph& e = g.program().graph();
  for (uint32_t i : out.nodes) {
    const egraph::NodeId n(i);
    out.op.push_back(e.op(n));
    out.eclass.push_back(e.class_of(n).v);
    for (egraph::ClassId c : e.children(n)) out.children.push_back(e.find(c).v);
    out.first.push_back(static_cast<uint32_t>(out.children.size()));
  }
  return out;
}

nb::dict arrays_of(const EGraph& g) {
  FlatNodes flat = released([&] { return flat_nodes(g); });
  nb::dict out;
  out["node"] = array(std::move(flat.nodes));
  out["op"] = array(std::move(flat.op));
  out["eclass"] = array(std::move(flat.eclass));
  out["first_child"] = array(std::move(flat.first));
  out["children"] = array(std::move(flat.children));
  return out;
}

nb::class_<EGraph> bind_egraph(nb::module_& m) {
  const api::GrowOptions usual;
  nb::class_<api::GrowReport>(m, "Growth", "What growing an e-graph came to.")
      .def_ro("stop_reason", &api::GrowReport::stop_reason)
      .def_ro("iterations", &api::GrowReport::iterations)
      .def_ro("e_nodes", &api::GrowReport::e_nodes)
      .def_ro("e_classes", &api::GrowReport::e_classes)
      .def_ro("matches", &api::GrowReport::matches)
      .def_ro("applied", &api::GrowReport::applied)
      .def_ro("seconds", &api::GrowReport::seconds)
      .def_ro("rules", &api::GrowReport::rules)
      .def("__repr__", [](const api::GrowReport& r) {
        return fmt::format("<isomer.Growth to {} e-nodes in {} classes, {} iterations: {}>", r.e_nodes,
                           r.e_classes, r.iterations, r.stop_reason);
      });
  return nb::class_<EGraph>(m, "EGraph", "An e-graph of a program.")
      .def(nb::init<Graph, const std::string&>(), "graph"_a, "float_promise"_a = "finite", Free())
      .def_static(
          "load",
          [](const Path& path, const Graph& graph, const std::string& float_promise) {
            return EGraph::load(path.string(), graph, float_promise);
          },
          "path"_a, "graph"_a, "float_promise"_a = "finite", Free(),
          "As `save` wrote it, beside the program that it was grown from.")
      .def("clone", &EGraph::clone, Free())
      .def_prop_ro("source", &EGraph::source)
      .def_prop_ro("roots", &EGraph::roots, Free())
      .def_prop_ro("class_count", &EGraph::classes, Free())
      .def_prop_ro(
          "class_ids", [](const EGraph& self) { return array(released([&] { return self.class_ids(); })); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "node_ids", [](const EGraph& self) { return array(released([&] { return self.node_ids(); })); },
          nb::rv_policy::automatic)
      .def(
          "run",
          [](EGraph& self, const api::RuleSet& rules, uint64_t iterations, uint64_t node_limit,
             double time_limit, const std::string& scheduler, const std::string& cycles, bool grouping,
             uint32_t multi_steps, bool allow_unstable, unsigned threads) {
            const api::GrowOptions options =
                grow_options(iterations, node_limit, time_limit, scheduler, cycles, grouping, multi_steps,
                             allow_unstable, threads);
            return interruptible([&](const StopToken& stop) { return self.run(rules, options, stop); });
          },
          "rules"_a, nb::kw_only(), "iterations"_a = usual.iterations, "node_limit"_a = usual.node_limit,
          "time_limit"_a = usual.seconds, "scheduler"_a = usual.scheduler, "cycles"_a = usual.cycles,
          "grouping"_a = usual.grouping, "multi_steps"_a = usual.multi_steps,
          "allow_unstable"_a = usual.allow_unstable, "threads"_a = usual.threads)
      .def(
          "matches",
          [](nb::handle_t<EGraph> self, const api::RuleSet& rules, bool only_new, size_t limit) {
            EGraph& egraph = nb::cast<EGraph&>(self);
            return MatchList{released([&] { return egraph.matches(rules, only_new, limit); }),
                             nb::borrow(self)};
          },
          "rules"_a, nb::kw_only(), "only_new"_a = true, "limit"_a = std::numeric_limits<size_t>::max())
      .def(
          "apply", [](EGraph& self, const Match& match) { return self.apply(*match.of, {match.number}) > 0; },
          "match"_a, Free())
      .def(
          "apply_all",
          [](EGraph& self, const MatchList& matches, const std::vector<size_t>& numbers) {
            return self.apply(*matches.found, numbers);
          },
          "matches"_a, "numbers"_a, Free())
      .def("add", &EGraph::add, "graph"_a, Free())
      .def("class_of", &EGraph::class_of, "node"_a, Free())
      .def("find", &EGraph::find, "eclass"_a, Free())
      .def("equal", &EGraph::equal, "a"_a, "b"_a, Free())
      .def("eclass", &EGraph::eclass, "id"_a, Free())
      .def("enode", &EGraph::enode, "id"_a, Free())
      .def("arrays", &arrays_of)
      .def("check_invariants", &EGraph::check_invariants, Free())
      .def("__len__", &EGraph::size, Free())
      .def(
          "__repr__",
          [](const EGraph& self) {
            return fmt::format("<isomer.EGraph of {} e-nodes in {} classes>", self.size(), self.classes());
          },
          Free());
}

std::vector<std::string> operator_names() {
  std::vector<std::string> out;
  for (uint32_t i = 0; i < ir::standard_ops().size(); ++i)
    out.push_back(ir::standard_ops().get(ir::OpId(i)).name);
  return out;
}

}  // namespace

nb::class_<EGraph> bind_egraphs(nb::module_& m) {
  bind_operators(m);
  bind_graph(m);
  bind_matches(m);
  m.def("operator_names", &operator_names, "By the numbers that EGraph.arrays has for operators.");
  return bind_egraph(m);
}

}  // namespace isomer::python
