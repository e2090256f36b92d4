// The binding: OptimizeOptions field by field from optimize_options.inc, the result's fields read-only,
// errors as the exception classes of isomer/errors.py. What is convenient in Python is written in Python
// (isomer/optimize.py).
#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "api/egraph.h"
#include "isomer/compile.h"
#include "isomer/isomer.h"
#include "isomer/model.h"
#include "support/errors.h"

namespace isomer::python {
void bind_learning(nanobind::module_& m);                                           // learning.cpp
void bind_hlo(nanobind::module_& m);                                                // hlo.cpp
void bind_hlo_passes(nanobind::module_& m);                                         // hlo_passes.cpp
void bind_rules(nanobind::module_& m);                                              // rules.cpp
nanobind::class_<api::EGraph> bind_egraphs(nanobind::module_& m);                   // egraph.cpp
void bind_extraction(nanobind::module_& m, nanobind::class_<api::EGraph>& egraph);  // extraction.cpp
}  // namespace isomer::python

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// Set from any thread; ends a run with the best so far.
struct StopFlag {
  std::shared_ptr<std::atomic<bool>> flag = std::make_shared<std::atomic<bool>>(false);
};

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const isomer::Error& error) {
    const nb::object of_status = nb::module_::import_("isomer.errors").attr("of_status");
    const nb::object type = of_status(static_cast<int>(error.status()));
    PyErr_SetString(type.ptr(), error.what());
  }
}

/// Where arrays lie, which stay there meanwhile: whole, row-major.
class Places {
 public:
  Places(const nb::list& arrays, int how) {
    for (const nb::handle array : arrays) {
      Py_buffer& buffer = held_.emplace_back();
      if (PyObject_GetBuffer(array.ptr(), &buffer, how) != 0) {
        held_.pop_back();
        release();
        throw nb::python_error();
      }
      at.push_back(buffer.buf);
    }
    at.push_back(nullptr);  // of none too there is a first one
  }
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;
  ~Places() { release(); }

  std::vector<void*> at;

 private:
  void release() {
    for (Py_buffer& buffer : held_) PyBuffer_Release(&buffer);
    held_.clear();
  }
  std::vector<Py_buffer> held_;
};

/// isomer_model_run (isomer/model.h) by its address: arrays are found faster than by way of ctypes.
void run_compiled(uintptr_t function, uintptr_t model, const nb::list& inputs, const nb::list& outputs) {
  const Places from(inputs, PyBUF_C_CONTIGUOUS), to(outputs, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE);
  const auto run =
      reinterpret_cast<decltype(&isomer_model_run)>(function);  // NOLINT(performance-no-int-to-ptr)
  const nb::gil_scoped_release others;
  run(reinterpret_cast<isomer_model*>(model),  // NOLINT(performance-no-int-to-ptr)
      const_cast<const void* const*>(from.at.data()), to.at.data());
}

using Progress = std::function<void(const std::string&, double, double, double, const std::string&)>;

isomer::OptimizeResult optimize(const isomer::OptimizeOptions& options, const Progress& progress,
                                const std::function<void(const std::string&)>& message,
                                const StopFlag& stop) {
  isomer::RunHooks hooks;
  hooks.stop = stop.flag.get();
  // The hooks take the interpreter's lock themselves (nanobind's function caster).
  if (progress) hooks.progress = progress;
  if (message) hooks.message = message;
  const nb::gil_scoped_release unlocked;
  return isomer::optimize(options, hooks);
}

/// A field of a result: enumerations as their words, words of Python with an underscore.
template <class Result, class T>
void attribute(nb::class_<Result>& type, const std::string_view field, T Result::* member, const char* help) {
  const std::string name = field == "except" ? "except_" : std::string(field);
  if constexpr (std::is_enum_v<T>)
    type.def_prop_ro(name.c_str(), [member](const Result& self) { return to_string(self.*member); }, help);
  else
    type.def_ro(name.c_str(), member, help);
}

}  // namespace

NB_MODULE(_isomer, m) {
  m.doc() = "The binding behind the package isomer.";
  m.attr("__version__") = isomer::version();
  nb::register_exception_translator(translate);

  nb::class_<StopFlag>(m, "StopFlag", "Ends a run with the best so far.")
      .def(nb::init<>())
      .def("set", [](StopFlag& self) { self.flag->store(true); })
      .def("is_set", [](const StopFlag& self) { return self.flag->load(); });

  nb::class_<isomer::OptimizeOptions> options(m, "OptimizeOptions", "What `optimize` is asked for.");
  options.def(nb::init<>())
      .def_rw("input", &isomer::OptimizeOptions::input)
      .def_rw("output", &isomer::OptimizeOptions::output);
  nb::dict help;
#define ISOMER_OPTION(type, field, fallback, flag, text)         \
  options.def_rw(#field, &isomer::OptimizeOptions::field, text); \
  help[#field] = text;
#include "isomer/optimize_options.inc"
#undef ISOMER_OPTION
  m.attr("OPTION_HELP") = help;

  nb::list fields;
  nb::class_<isomer::OptimizeResult> result(
      m, "Result", nb::dynamic_attr(),
      "What came of a run; times in milliseconds, NaN for what was not determined.");
#define ISOMER_RESULT(type, field, fallback, key, form, help)      \
  attribute(result, #field, &isomer::OptimizeResult::field, help); \
  fields.append(#field);
#include "isomer/optimize_result.inc"
#undef ISOMER_RESULT
  nb::class_<isomer::RuntimeRefusal>(m, "RuntimeRefusal",
                                     "A program that the runtime refused; the original it takes.")
      .def_ro("candidate", &isomer::RuntimeRefusal::candidate)
      .def_ro("node", &isomer::RuntimeRefusal::node)
      .def_ro("message", &isomer::RuntimeRefusal::message);
  nb::class_<isomer::Gain>(m, "Gain", "Rewrites that achieve the same thing, and what they saved together.")
      .def_ro("what", &isomer::Gain::what)
      .def_ro("steps", &isomer::Gain::steps)
      .def_ro("saved", &isomer::Gain::saved)
      .def_ro("rules", &isomer::Gain::rules);
  m.attr("RESULT_FIELDS") = nb::tuple(fields);

  m.def("optimize", &optimize, "options"_a, "progress"_a.none(), "message"_a.none(), "stop"_a);

  nb::class_<isomer::FirstDifference>(
      m, "FirstDifference", "The first values of two models that correspond and differ, along the first one.")
      .def_ro("value_a", &isomer::FirstDifference::value_a)
      .def_ro("value_b", &isomer::FirstDifference::value_b)
      .def_ro("operator_a", &isomer::FirstDifference::operator_a)
      .def_ro("operator_b", &isomer::FirstDifference::operator_b)
      .def_ro("error", &isomer::FirstDifference::error)
      .def_ro("note", &isomer::FirstDifference::note)
      .def_ro("from_", &isomer::FirstDifference::from)
      .def_ro("operators_between_a", &isomer::FirstDifference::operators_between_a)
      .def_ro("operators_between_b", &isomer::FirstDifference::operators_between_b);
  nb::class_<isomer::CompareResult> comparison(m, "Comparison", "Whether two models give the same outputs.");
#define ISOMER_RESULT(type, field, fallback, key, form, help) \
  attribute(comparison, #field, &isomer::CompareResult::field, help);
#include "isomer/compare_result.inc"
#undef ISOMER_RESULT
  comparison.def("__bool__", [](const isomer::CompareResult& self) { return self.equivalent; });
  m.def(
      "compare",
      [](const std::string& a, const std::string& b, const std::string& inputs, double tolerance,
         uint64_t seed, const StopFlag& stop) {
        isomer::CompareOptions how;
        how.inputs = inputs;
        how.tolerance = tolerance;
        how.seed = seed;
        return isomer::compare_models(a, b, how, stop.flag.get());
      },
      "a"_a, "b"_a, "inputs"_a, "tolerance"_a, "seed"_a, "stop"_a, nb::call_guard<nb::gil_scoped_release>());
  m.def("run_compiled", &run_compiled, "function"_a, "model"_a, "inputs"_a, "outputs"_a);
  m.def(
      "compile",
      [](const std::string& input, const std::string& output, const std::vector<std::string>& dims,
         const std::string& cpu, const std::string& gpu, int threads, bool check, bool rewrite, uint64_t seed,
         const std::string& recipe, double time_limit, const StopFlag& stop) {
        isomer::CompileOptions how;
        how.input = input;
        how.output = output;
        how.dims = dims;
        how.cpu = cpu;
        how.gpu = gpu;
        how.threads = threads;
        how.check = check;
        how.rewrite = rewrite;
        how.seed = seed;
        how.recipe = recipe;
        how.time_limit = time_limit;
        isomer::RunHooks hooks;
        hooks.stop = hooks.abandon = stop.flag.get();
        return isomer::compile_model(how, hooks);
      },
      "input"_a, "output"_a, "dims"_a, "cpu"_a, "gpu"_a, "threads"_a, "check"_a, "rewrite"_a, "seed"_a,
      "recipe"_a, "time_limit"_a, "stop"_a, nb::call_guard<nb::gil_scoped_release>());
  nb::class_<isomer::Ratio>(m, "Ratio", "Times of one program over times of another, round by round.")
      .def_ro("median", &isomer::Ratio::median)
      .def_ro("least", &isomer::Ratio::least)
      .def_ro("most", &isomer::Ratio::most);
  nb::class_<isomer::CompiledPiece>(
      m, "CompiledPiece", "A distinct piece of a model that muGraphs were looked for, and what became of it.")
      .def_ro("what", &isomer::CompiledPiece::what)
      .def_ro("times", &isomer::CompiledPiece::times)
      .def_ro("structures", &isomer::CompiledPiece::structures)
      .def_ro("schedules", &isomer::CompiledPiece::schedules)
      .def_ro("plain_seconds", &isomer::CompiledPiece::plain_seconds)
      .def_ro("kernel_seconds", &isomer::CompiledPiece::kernel_seconds)
      .def_ro("gain", &isomer::CompiledPiece::gain)
      .def_ro("taken", &isomer::CompiledPiece::taken)
      .def_ro("reason", &isomer::CompiledPiece::reason);
  nb::class_<isomer::CompileResult> compiled(m, "CompileResult",
                                             "What was compiled, and how it did when it was tried.");
#define ISOMER_RESULT(type, field, fallback, key, form, help) \
  attribute(compiled, #field, &isomer::CompileResult::field, help);
#include "isomer/compile_result.inc"
#undef ISOMER_RESULT
  isomer::python::bind_learning(m);
  isomer::python::bind_hlo(m);
  isomer::python::bind_hlo_passes(m);
  isomer::python::bind_rules(m);
  nb::class_<isomer::api::EGraph> egraph = isomer::python::bind_egraphs(m);
  isomer::python::bind_extraction(m, egraph);
}
