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
#include "api/element_types.h"
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
      .def_ro("dtype", &api::ValueType::dtype,
              "Element type: \"f32\", \"i64\", \"bool\", ...; empty for what is no tensor.")
      .def_ro("shape", &api::ValueType::shape,
              "Sizes: numbers, names of dynamic dimensions, \"?\" without a name; empty too where the rank "
              "is not known.")
      .def("__str__", [](const api::ValueType& t) { return t.text; })
      .def("__repr__", [](const api::ValueType& t) { return "<isomer.Type " + t.text + ">"; });
  nb::class_<api::Operator>(m, "Operator", "An operator at its types: what a cost is asked of.")
      .def_ro("op", &api::Operator::op, "Its name, as docs/operators.md lists it.")
      .def_ro("attributes", &api::Operator::attributes, "By name: numbers, texts, lists of them.")
      .def_ro("operands", &api::Operator::operands, "Types of the operands, a Type each.")
      .def_ro("type", &api::Operator::type, "Type of the result.")
      .def_ro("flops", &api::Operator::flops,
              "Floating point operations; sizes that are not known count as 64.")
      .def_ro("bytes", &api::Operator::bytes, "Bytes read and written, counted so, too.")
      .def("__repr__", [](const api::Operator& o) {
        return fmt::format("<isomer.Operator {}({}) : {}>", o.op, types_of(o.operands), o.type.text);
      });
  nb::class_<api::Node, api::Operator>(m, "Node", "A value of a program, and what computes it.")
      .def_ro("id", &api::Node::id, "Its number in the graph, from 0, operands first.")
      .def_ro("name", &api::Node::name, "Of the value; may be empty.")
      .def_ro("inputs", &api::Node::inputs, "Numbers of the operands.")
      .def("__str__", [](const api::Node& n) { return n.text; })
      .def("__repr__", [](const api::Node& n) {
        return fmt::format("<isomer.Node {} {} : {}>", n.id, n.text, n.type.text);
      });
  nb::class_<api::ENode, api::Operator>(m, "ENode", "An operator over e-classes.")
      .def_ro("id", &api::ENode::id, "Its number; such numbers are never used again.")
      .def_ro("eclass", &api::ENode::eclass, "The class that it is in.")
      .def_ro("children", &api::ENode::children, "The classes of its operands.")
      .def_ro("rule", &api::ENode::rule, "The rule that made it; empty for the program's own.")
      .def("__str__", [](const api::ENode& n) { return n.text; })
      .def("__repr__", [](const api::ENode& n) {
        return fmt::format("<isomer.ENode {} {}({}) in class {}>", n.id, n.text, fmt::join(n.children, ", "),
                           n.eclass);
      });
  nb::class_<api::EClass>(m, "EClass", "Values that are equal.")
      .def_ro("id", &api::EClass::id,
              "Its number; after unions `EGraph.find` tells the one that stands for it.")
      .def_ro("type", &api::EClass::type, "Of every value in it.")
      .def_ro("is_weight", &api::EClass::is_weight,
              "Known at compile time: it is folded when a program is written.")
      .def_ro("nodes", &api::EClass::nodes, "Numbers of the e-nodes in it that may be picked.")
      .def("__repr__", [](const api::EClass& c) {
        return fmt::format("<isomer.EClass {} : {}, {} nodes>", c.id, c.type.text, c.nodes.size());
      });
}

void bind_graph(nb::module_& m) {
  nb::class_<verify::Verdict>(m, "Equivalence", "What is known of two programs.")
      .def_prop_ro(
          "verdict", [](const verify::Verdict& v) { return std::string(to_string(v.kind)); },
          "proved, sampled, tested, refuted or unknown; true as a bool are the first three.")
      .def_ro("method", &verify::Verdict::method, "How that was found out, in words.")
      .def_ro("counterexample", &verify::Verdict::counterexample,
              "Inputs on which they differ, in words; empty where none is known.")
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
          "text"_a, "beside"_a = nb::none(), Free(),
          "From the textual form, as str() writes it. Only graphs of one origin can be compared or added to "
          "an\n"
          "e-graph: `beside` names it. InputError tells line and column of a fault.")
      .def(
          "save", [](const Graph& self, const Path& path) { self.save(path.string()); }, "path"_a, Free(),
          "As .onnx, with weights folded, or as .graph.")
      .def("node", &Graph::node, "id"_a, Free(), "The value of that number. UsageError where there is none.")
      .def_prop_ro("nodes", &Graph::nodes, Free(), "All values, operands first.")
      .def_prop_ro("inputs", &Graph::inputs, "Numbers of the inputs, in order.")
      .def_prop_ro("outputs", &Graph::outputs, "Numbers of the results, in order.")
      .def_prop_ro("title", &Graph::title, "The name that the model has; may be empty.")
      .def_prop_ro("operators", &Graph::operators, "How often each operator occurs: a dict.")
      .def("cost", &Graph::cost, "model"_a = "ast-size", Free(),
           "The sum of its nodes' costs by an analytic model: \"ast-size\" (1 a node), \"roofline:cpu\" and "
           "others in\n"
           "milliseconds. UsageError lists the models.")
      .def(
          "equivalent",
          [](const Graph& self, const Graph& other, double time_limit) {
            return interruptible(
                [&](const StopToken& stop) { return self.equivalent(other, time_limit, stop); });
          },
          "other"_a, "time_limit"_a = 60,
          "Whether both compute the same, in the interpreter: an Equivalence. UsageError for graphs of two "
          "origins\n"
          "(see `parse`). Ctrl-C is a KeyboardInterrupt.")
      .def("__len__", &Graph::size)
      .def("__str__", &Graph::text, Free());
}

void bind_matches(nb::module_& m) {
  nb::class_<Match>(m, "Match", "A place where a rule may be applied.")
      .def_prop_ro(
          "rule", [](const Match& x) { return x.info().rule; }, Free(), "The rule's name.")
      .def_prop_ro(
          "roots", [](const Match& x) { return x.info().roots; }, Free(),
          "The classes that its left sides were found in.")
      .def_prop_ro(
          "tensors", [](const Match& x) { return x.info().tensors; }, Free(),
          "The class that each variable stands for: a dict.")
      .def_prop_ro(
          "attributes", [](const Match& x) { return x.info().attributes; }, Free(),
          "The value that each bound attribute has: a dict.")
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
      .def_ro("stop_reason", &api::GrowReport::stop_reason,
              "saturated, or the limit that was met: iteration-limit, node-limit, time-limit, ...")
      .def_ro("iterations", &api::GrowReport::iterations, "Rounds of all rules.")
      .def_ro("e_nodes", &api::GrowReport::e_nodes, "That there are now.")
      .def_ro("e_classes", &api::GrowReport::e_classes, "That there are now.")
      .def_ro("matches", &api::GrowReport::matches, "Of all rules, those that changed nothing among them.")
      .def_ro("applied", &api::GrowReport::applied, "Matches that changed the e-graph.")
      .def_ro("seconds", &api::GrowReport::seconds, "CPU time of the calling thread.")
      .def_ro("rules", &api::GrowReport::rules, "How often each rule changed something: a dict.")
      .def("__repr__", [](const api::GrowReport& r) {
        return fmt::format("<isomer.Growth to {} e-nodes in {} classes, {} iterations: {}>", r.e_nodes,
                           r.e_classes, r.iterations, r.stop_reason);
      });
  return nb::class_<EGraph>(
             m, "EGraph",
             "An e-graph of a program: all programs that rules have shown to equal it.\n\n"
             "EGraph(graph, float_promise) begins with the graph alone. The promise (strict,\n"
             "finite or fast, docs/floats.md) says which applications are refused. Classes and\n"
             "e-nodes are told by numbers; what does not exist is a UsageError. A thread that asks\n"
             "while another one works waits for it.")
      .def(nb::init<Graph, const std::string&>(), "graph"_a, "float_promise"_a = "finite", Free())
      .def_static(
          "load",
          [](const Path& path, const Graph& graph, const std::string& float_promise) {
            return EGraph::load(path.string(), graph, float_promise);
          },
          "path"_a, "graph"_a, "float_promise"_a = "finite", Free(),
          "As `save` wrote it, beside the program that it was grown from.")
      .def("clone", &EGraph::clone, Free(),
           "A copy that grows apart from now on; matches found before hold in both.")
      .def_prop_ro("source", &EGraph::source, "The program that it began with: a Graph.")
      .def_prop_ro("roots", &EGraph::roots, Free(), "The classes of the program's results, in order.")
      .def_prop_ro("class_count", &EGraph::classes, Free(),
                   "How many classes there are; len() counts e-nodes.")
      .def_prop_ro(
          "class_ids", [](const EGraph& self) { return array(released([&] { return self.class_ids(); })); },
          nb::rv_policy::automatic, "Numbers of all classes: uint32, one dimension.")
      .def_prop_ro(
          "node_ids", [](const EGraph& self) { return array(released([&] { return self.node_ids(); })); },
          nb::rv_policy::automatic, "Numbers of the e-nodes that may be picked: uint32, one dimension.")
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
          "allow_unstable"_a = usual.allow_unstable, "threads"_a = usual.threads,
          "Equality saturation, until nothing changes or a limit is met: a Growth. time_limit is in "
          "seconds;\n"
          "scheduler: simple or backoff; cycles: none, vanilla, vanilla-multi, efficient or online; grouping "
          "joins\n"
          "operators that share an operand; multi_steps are the iterations that apply rules of several left "
          "sides.\n"
          "May be called again. VerificationError where rules join values of different types; Ctrl-C ends "
          "it.")
      .def(
          "matches",
          [](nb::handle_t<EGraph> self, const api::RuleSet& rules, bool only_new, size_t limit) {
            EGraph& egraph = nb::cast<EGraph&>(self);
            return MatchList{released([&] { return egraph.matches(rules, only_new, limit); }),
                             nb::borrow(self)};
          },
          "rules"_a, nb::kw_only(), "only_new"_a = true, "limit"_a = std::numeric_limits<size_t>::max(),
          "Where rules may be applied: Matches, rule by rule, at most `limit`. only_new leaves out those "
          "that a\n"
          "condition or a type forbids, and those that would change nothing.")
      .def(
          "apply", [](EGraph& self, const Match& match) { return self.apply(*match.of, {match.number}) > 0; },
          "match"_a, Free(),
          "Applies one match; whether that changed anything. UsageError for a match of another e-graph,\n"
          "VerificationError where it joins values of different types: its rule is wrong.")
      .def(
          "apply_all",
          [](EGraph& self, const MatchList& matches, const std::vector<size_t>& numbers) {
            return self.apply(*matches.found, numbers);
          },
          "matches"_a, "numbers"_a, Free(),
          "Applies those of the matches that have these numbers; how many changed anything. Errors as "
          "`apply` has;\n"
          "a wrong number is a UsageError before any change.")
      .def("add", &EGraph::add, "graph"_a, Free(),
           "Adds a program, parsed `beside` the source, whose inputs are the source's where names and types "
           "are equal.\n"
           "The classes of its results. UsageError for one of another origin.")
      .def("class_of", &EGraph::class_of, "node"_a, Free(),
           "The class that a value of the source, by its number, is in now.")
      .def("find", &EGraph::find, "eclass"_a, Free(),
           "The class that stands for this one now: after unions another may.")
      .def("equal", &EGraph::equal, "a"_a, "b"_a, Free(), "Whether two classes are known to be one.")
      .def("eclass", &EGraph::eclass, "id"_a, Free(), "What is known of a class: an EClass.")
      .def("enode", &EGraph::enode, "id"_a, Free(), "What is known of an e-node: an ENode.")
      .def("arrays", &arrays_of,
           "All e-nodes that may be picked, as uint32 arrays by name: `node`, `op` (numbers of "
           "operator_names) and\n"
           "`eclass`, one entry a node; `children` of node i are those from first_child[i] to first_child[i "
           "+ 1].")
      .def("check_invariants", &EGraph::check_invariants, Free(),
           "What is wrong inside; empty where nothing is. Slow: for tests.")
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
  nb::class_<api::ElementType>(m, "ElementType", "A row of the table of element types.")
      .def_ro("name", &api::ElementType::name)
      .def_ro("kind", &api::ElementType::kind, "float, integer, bool or other")
      .def_ro("bits", &api::ElementType::bits, "Of an element as stored; 0: not so stored.")
      .def_ro("sign", &api::ElementType::sign, "Of integers.")
      .def_ro("computed", &api::ElementType::computed, "Operators compute in it.")
      .def_ro("onnx", &api::ElementType::onnx, "Its number there; 0: it has none.")
      .def_ro("numpy", &api::ElementType::numpy, "numpy's name of it; empty: it has none.");
  m.def("element_types", &api::element_types, "The table of element types, in its order.");
  m.def("operator_names", &operator_names, "By the numbers that EGraph.arrays has for operators.");
  return bind_egraph(m);
}

}  // namespace isomer::python
