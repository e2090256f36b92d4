// The binding of rule sets (api/rule_set.h).
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <filesystem>

#include "api/rule_set.h"
#include "python/interruptible.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace isomer::python {
namespace {

api::RuleInfo rule_at(const api::RuleSet& self, nb::ssize_t i) {
  const auto count = static_cast<nb::ssize_t>(self.size());
  if (i < -count || i >= count) throw nb::index_error("there is no such rule");
  return self.info(static_cast<size_t>(i < 0 ? i + count : i));
}

/// Those that a function of Python is true of.
api::RuleSet filter(const api::RuleSet& self, const nb::callable& wanted) {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < self.size(); ++i)
    if (nb::cast<bool>(nb::bool_(nb::object(wanted(self.info(i)))))) numbers.push_back(i);
  return self.choose(numbers);
}
api::RuleSet named(const api::RuleSet& self, const std::vector<std::string>& names) {
  std::vector<size_t> numbers;
  for (const std::string& name : names) numbers.push_back(self.number_of(name));
  return self.choose(numbers);
}

}  // namespace

void bind_rules(nb::module_& m) {
  nb::class_<api::RuleInfo>(m, "Rule", "A rewrite rule.")
      .def_ro("name", &api::RuleInfo::name, "Its name in its set.")
      .def_ro("origin", &api::RuleInfo::origin, "Where it comes from: a paper, a project, generated.")
      .def_ro("aim", &api::RuleInfo::aim, "What it achieves, in words; may be empty.")
      .def_ro("file", &api::RuleInfo::file, "The file that states it.")
      .def_ro("line", &api::RuleInfo::line, "Where in the file.")
      .def_ro("stability", &api::RuleInfo::stability,
              "What it promises of floats: exact, reassociates or unstable.")
      .def_ro("several_sides", &api::RuleInfo::several_sides,
              "Whether it has several left sides, matched at once.")
      .def("__str__", [](const api::RuleInfo& r) { return r.text; })
      .def("__repr__", [](const api::RuleInfo& r) { return "<isomer.Rule " + r.name + ">"; });
  nb::class_<api::RuleJudgement>(m, "RuleVerdict", "What is said of a rule as it is stated.")
      .def_ro("rule", &api::RuleJudgement::rule, "The rule's name.")
      .def_ro("verdict", &api::RuleJudgement::verdict, "identity, sampled, tested, refuted or unknown.")
      .def_ro("holds", &api::RuleJudgement::holds, "At all instances that were drawn.")
      .def_ro("overstated", &api::RuleJudgement::overstated, "It is less stable than it says.")
      .def_ro("summary", &api::RuleJudgement::summary, "All of it in a line.")
      .def_ro("scope", &api::RuleJudgement::scope, "Ranks, sizes and element types of the instances.")
      .def_ro("arithmetic", &api::RuleJudgement::arithmetic,
              "In which arithmetic its sides are equal; empty where they differ.")
      .def_ro("stability", &api::RuleJudgement::stability, "As measured.")
      .def_ro("instance", &api::RuleJudgement::instance, "The weakest one: types and attributes.")
      .def_ro("counterexample", &api::RuleJudgement::counterexample,
              "Where the sides differ; empty where they do not.")
      .def("__bool__", [](const api::RuleJudgement& v) { return v.holds; })
      .def("__repr__", [](const api::RuleJudgement& v) {
        return fmt::format("<isomer.RuleVerdict {}: {}>", v.rule, v.summary);
      });
  nb::class_<api::RuleSet>(m, "RuleSet", "Rewrite rules; a set does not change.")
      .def_static("shipped", &api::RuleSet::shipped, "name"_a = "default",
                  "A set that comes with isomer: \"default\" (what always holds on ONNX models), \"all\", "
                  "\"tensat\", or a\n"
                  "file of shipped_names. UsageError lists the names.")
      .def_static("shipped_names", &api::RuleSet::shipped_names, "What `shipped` takes.")
      .def_static(
          "load", [](const std::filesystem::path& path) { return api::RuleSet::load(path.string()); },
          "path"_a, "A file: .rules, or one of TASO's or TENSAT's.")
      .def_static("parse", &api::RuleSet::parse, "text"_a, "name"_a = "<text>",
                  "Rules in the rule language (docs/rule_language.md). `name` stands for the file in "
                  "messages; InputError\n"
                  "tells line and column of a fault.")
      .def_prop_ro("names", &api::RuleSet::names, "The rules' names, in order.")
      .def("__getitem__", &rule_at, "number"_a)
      .def(
          "__getitem__",
          [](const api::RuleSet& self, const std::string& name) { return self.info(self.number_of(name)); },
          "name"_a)
      .def("filter", &filter, "wanted"_a, "Those that `wanted`, a function of a Rule, is true of.")
      .def("filter", &named, "names"_a,
           "Those of these names, in this order. UsageError for one that is not there.")
      .def("__add__", &api::RuleSet::joined, "more"_a)
      .def("__len__", &api::RuleSet::size)
      .def(
          "check",
          [](const api::RuleSet& self, int instances, double time_limit, uint64_t seed) {
            return interruptible(
                [&](const StopToken& stop) { return self.check(instances, time_limit, seed, stop); });
          },
          nb::kw_only(), "instances"_a = 64, "time_limit"_a = 60, "seed"_a = 1,
          "A RuleVerdict for each rule, by so many instances that are drawn to refute it. What no time was "
          "left for\n"
          "(time_limit, in seconds) is unknown.")
      .def("__repr__",
           [](const api::RuleSet& self) { return fmt::format("<isomer.RuleSet of {} rules>", self.size()); });
}

}  // namespace isomer::python
