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
      .def_ro("name", &api::RuleInfo::name)
      .def_ro("origin", &api::RuleInfo::origin)
      .def_ro("aim", &api::RuleInfo::aim)
      .def_ro("file", &api::RuleInfo::file)
      .def_ro("line", &api::RuleInfo::line)
      .def_ro("stability", &api::RuleInfo::stability)
      .def_ro("several_sides", &api::RuleInfo::several_sides)
      .def("__str__", [](const api::RuleInfo& r) { return r.text; })
      .def("__repr__", [](const api::RuleInfo& r) { return "<isomer.Rule " + r.name + ">"; });
  nb::class_<api::RuleJudgement>(m, "RuleVerdict", "What is said of a rule as it is stated.")
      .def_ro("rule", &api::RuleJudgement::rule)
      .def_ro("verdict", &api::RuleJudgement::verdict)
      .def_ro("holds", &api::RuleJudgement::holds)
      .def_ro("overstated", &api::RuleJudgement::overstated)
      .def_ro("summary", &api::RuleJudgement::summary)
      .def_ro("scope", &api::RuleJudgement::scope)
      .def_ro("arithmetic", &api::RuleJudgement::arithmetic)
      .def_ro("stability", &api::RuleJudgement::stability)
      .def_ro("instance", &api::RuleJudgement::instance)
      .def_ro("counterexample", &api::RuleJudgement::counterexample)
      .def("__bool__", [](const api::RuleJudgement& v) { return v.holds; })
      .def("__repr__", [](const api::RuleJudgement& v) {
        return fmt::format("<isomer.RuleVerdict {}: {}>", v.rule, v.summary);
      });
  nb::class_<api::RuleSet>(m, "RuleSet", "Rewrite rules; a set does not change.")
      .def_static("shipped", &api::RuleSet::shipped, "name"_a = "default")
      .def_static("shipped_names", &api::RuleSet::shipped_names)
      .def_static(
          "load", [](const std::filesystem::path& path) { return api::RuleSet::load(path.string()); },
          "path"_a, "A file: .rules, or one of TASO's or TENSAT's.")
      .def_static("parse", &api::RuleSet::parse, "text"_a, "name"_a = "<text>")
      .def_prop_ro("names", &api::RuleSet::names)
      .def("__getitem__", &rule_at, "number"_a)
      .def(
          "__getitem__",
          [](const api::RuleSet& self, const std::string& name) { return self.info(self.number_of(name)); },
          "name"_a)
      .def("filter", &filter, "wanted"_a, "Those that `wanted`, a function of a Rule, is true of.")
      .def("filter", &named, "names"_a)
      .def("__add__", &api::RuleSet::joined, "more"_a)
      .def("__len__", &api::RuleSet::size)
      .def(
          "check",
          [](const api::RuleSet& self, int instances, double time_limit, uint64_t seed) {
            return interruptible(
                [&](const StopToken& stop) { return self.check(instances, time_limit, seed, stop); });
          },
          nb::kw_only(), "instances"_a = 64, "time_limit"_a = 60, "seed"_a = 1)
      .def("__repr__",
           [](const api::RuleSet& self) { return fmt::format("<isomer.RuleSet of {} rules>", self.size()); });
}

}  // namespace isomer::python
