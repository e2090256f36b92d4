#include "codegen/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "ir/constant_data.h"
#include "ir/constant_of.h"
#include "meaning/combiner.h"
#include "meaning/flatten.h"
#include "meaning/nest.h"
#include "support/errors.h"

namespace isomer::codegen {
namespace {

using meaning::CompiledNest;
using meaning::ScalarProgram;
using meaning::Sort;

/// What accumulators are kept in where their nest does not say.
ir::DType accumulator_type(Sort sort, ir::DType result) {
  if (sort == Sort::kInteger) return ir::DType::kI64;
  return result == ir::DType::kF64 ? ir::DType::kF64 : ir::DType::kF32;
}

/// `program` with accumulators as reads from `first` on.
ScalarProgram with_accumulators_read(ScalarProgram program, size_t first) {
  for (auto& in : program.code)
    if (in.op == ir::ScalarOp::kAcc) {
      in.op = ir::ScalarOp::kRead;
      in.index += static_cast<int32_t>(first);
      program.reads.push_back(in.index);
    }
  std::ranges::sort(program.reads);
  return program;
}

/// The value combined with a read, and rounded.
ScalarProgram combined(ScalarProgram value, ir::Combiner combiner, int read, ir::DType kept_as) {
  if (combiner != ir::Combiner::kStep) {
    const auto last = static_cast<int32_t>(value.code.size()) - 1;
    ScalarProgram::Instr before{ir::ScalarOp::kRead, value.sort};
    before.index = read;
    value.code.push_back(before);
    value.reads.push_back(read);
    ScalarProgram::Instr both{meaning::operator_of(combiner), value.sort};
    both.a = last + 1;
    both.b = last;
    value.code.push_back(both);
  }
  if (kept_as != ir::DType::kUndefined) {
    ScalarProgram::Instr cast{ir::ScalarOp::kCast, value.sort};
    cast.dtype = kept_as;
    cast.a = static_cast<int32_t>(value.code.size()) - 1;
    value.code.push_back(cast);
  }
  return value;
}

class Lowering {
 public:
  explicit Lowering(const ir::Graph& graph) : flat_(meaning::flatten(graph)) {}

  LoopProgram run() {
    const ir::Graph& g = flat_.graph;
    buffers_of_.resize(g.size());
    for (const ir::ValueId v : g.inputs()) {
      buffers_of_[v.index()] = {
          add_buffer(g.type(v), fmt::format("x{}", out_.inputs.size()), Memory::kInput, v)};
      out_.inputs.push_back(buffers_of_[v.index()][0]);
    }
    for (size_t v = 0; v < g.size(); ++v) value(ir::ValueId(v));
    for (const ir::ValueId v : g.outputs()) output(v);
    return std::move(out_);
  }

 private:
  int add_buffer(const ir::Type& type, std::string name, Memory memory, ir::ValueId v) {
    if (!type.is_static_tensor() || !(ir::is_float(type.dtype) || ir::is_integer(type.dtype)))
      throw InputError(fmt::format("{}: code is generated for tensors of numbers of known sizes only",
                                   meaning::describe(flat_.graph, v)));
    out_.buffers.push_back({std::move(name), type.dtype, ir::sizes(type.shape), memory, {}});
    return static_cast<int>(out_.buffers.size()) - 1;
  }

  void value(ir::ValueId v) {
    const ir::Graph& g = flat_.graph;
    std::vector<int>& own = buffers_of_[v.index()];
    if (!own.empty()) return;  // an input
    const ir::OpDef& def = g.def(v);
    std::vector<int> operands;
    std::vector<ir::TypeId> types;
    for (const ir::ValueId in : g.operands(v)) {
      types.push_back(g.type_id(in));
      const std::vector<int>& of = buffers_of_[in.index()];
      operands.insert(operands.end(), of.begin(), of.end());
    }
    if (def.is(ir::Core::kConstant)) {
      own = {add_buffer(g.type(v), fmt::format("c{}", v.v), Memory::kConstant, v)};
      out_.buffers[static_cast<size_t>(own[0])].constant = ir::constant_id(g, v);
      return;
    }
    const ir::OpInstance op(g.context(), def, g.attrs(v), types, g.type_id(v));
    if (def.kind == ir::MeaningKind::kTuple) {
      own = def.is(ir::Core::kGet) ? std::vector{operands[static_cast<size_t>(op.i("index"))]} : operands;
      return;
    }
    if (!def.nests)
      throw InputError(fmt::format("{}: no code is generated for {} operators yet", meaning::describe(g, v),
                                   ir::to_string(def.kind)));
    const std::vector<CompiledNest> nests =
        meaning::compile_nests(op, meaning::describe(g, v), meaning::Variables::kAsDeclared);
    const ir::Type& type = g.type(v);
    for (size_t n = 0; n < nests.size(); ++n) {
      const ir::Type& of = type.kind == ir::TypeKind::kTuple ? g.context().get(type.elements[n]) : type;
      own.push_back(add_buffer(of,
                               nests.size() == 1 ? fmt::format("t{}", v.v) : fmt::format("t{}_{}", v.v, n),
                               Memory::kScratch, v));
      nest(nests[n], operands, own.back());
    }
  }

  int variable(std::string name) {
    out_.variables.push_back(std::move(name));
    return static_cast<int>(out_.variables.size()) - 1;
  }
  std::string name_of(bool reduction, size_t number) const {
    static constexpr std::string_view kSpace = "ijlmno", kReduce = "krstuw";
    const std::string_view letters = reduction ? kReduce : kSpace;
    return number < letters.size() ? std::string(1, letters[number])
                                   : fmt::format("{}{}", letters.back(), number);
  }

  Access read(const meaning::CompiledRead& r, const std::vector<int>& operands,
              const std::vector<int64_t>& extents) const {
    Access out;
    out.buffer = operands[static_cast<size_t>(r.input)];
    out.fill = r.fill;
    for (size_t d = 0; d < r.index.size(); ++d) {
      out.index.push_back(mapped(r.index[d]));
      if (!r.guarded) continue;
      const auto affine = meaning::to_affine(r.index[d], extents);
      const auto [low, high] = affine ? affine->range(extents) : std::pair<int64_t, int64_t>(-1, 0);
      if (low < 0 || high >= r.extents[d]) out.bounds.push_back({out.index.back(), r.extents[d]});
    }
    for (const ir::IndexExpr& zero : r.zero) out.bounds.push_back({mapped(zero), 1});
    return out;
  }
  ir::IndexExpr mapped(const ir::IndexExpr& e) const {
    return substituted(e, [&](int v) { return ir::IndexExpr::var(variables_[static_cast<size_t>(v)]); });
  }

  /// How far a scan's first reduction runs.
  ir::IndexExpr reduce_end(const CompiledNest& nest, size_t r) const {
    if (r != 0 || nest.scan.up_to < 0) return nest.reduce[r];
    const auto place = ir::IndexExpr::var(variables_[static_cast<size_t>(nest.scan.up_to)]);
    const ir::IndexExpr end = nest.scan.mirrored ? place * -1 + nest.reduce[0] : place + 1;
    return max(min(end, nest.reduce[0]), 0);
  }

  /// The only element of a constant, as an integer.
  std::optional<int64_t> only_integer(const Access& read) const {
    const Buffer& buffer = out_.buffers[static_cast<size_t>(read.buffer)];
    if (buffer.memory != Memory::kConstant || buffer.count() != 1 || !ir::is_integer(buffer.dtype)) return {};
    return ir::load_integer(buffer.dtype, flat_.graph.context().get(buffer.constant).bytes(), 0);
  }

  /// The number in place of a load from a constant of one element, where it is no mistake.
  ir::IndexExpr without_known(const ir::IndexExpr& load, const Store& store) const {
    const auto known = only_integer(store.reads[static_cast<size_t>(load.value())]);
    const bool inside = known && load.wrap() > 0 && -load.wrap() <= *known && *known < load.wrap();
    return inside ? ir::IndexExpr(*known < 0 ? *known + load.wrap() : *known) : load;
  }

  /// A constant of one element is a number.
  void name_numbers(Store& store) const {
    for (Access& read : store.reads)
      for_each_index(read, [&](ir::IndexExpr& i) {
        i = substituted(i, ir::IndexExpr::var,
                        [&](const ir::IndexExpr& e) { return without_known(e, store); });
      });
    for (auto& in : store.value.code) {
      if (in.op != ir::ScalarOp::kRead || static_cast<size_t>(in.index) >= store.reads.size()) continue;
      const Access& read = store.reads[static_cast<size_t>(in.index)];
      const Buffer& buffer = out_.buffers[static_cast<size_t>(read.buffer)];
      if (buffer.memory != Memory::kConstant || buffer.count() != 1 || !read.bounds.empty()) continue;
      const auto bytes = flat_.graph.context().get(buffer.constant).bytes();
      const bool number = meaning::sort_of(buffer.dtype) == Sort::kNumber;
      if (number)
        in.value = ir::load_number(buffer.dtype, bytes, 0);
      else
        in.integer = ir::load_integer(buffer.dtype, bytes, 0);
      in.op = number ? ir::ScalarOp::kConst : ir::ScalarOp::kIntConst;
    }
    std::erase_if(store.value.reads, [&](int r) {
      return std::ranges::none_of(store.value.code, [&](const auto& in) {
        return (in.op == ir::ScalarOp::kRead || in.op == ir::ScalarOp::kValid) && in.index == r;
      });
    });
  }

  void nest(const CompiledNest& n, const std::vector<int>& operands, int target) {
    variables_.clear();
    for (size_t i = 0; i < n.space.size(); ++i) variables_.push_back(variable(name_of(false, i)));
    for (size_t i = 0; i < n.reduce.size(); ++i) variables_.push_back(variable(name_of(true, i)));
    Store store;
    for (const meaning::CompiledRead& r : n.reads) store.reads.push_back(read(r, operands, n.extents));
    for (const int v : variables_) store.places.push_back(ir::IndexExpr::var(v));
    std::vector<Statement> body;
    if (!n.bodies.empty()) accumulate(n, store, body);
    store.target.buffer = target;
    for (size_t i = 0; i < n.space.size(); ++i)
      store.target.index.push_back(ir::IndexExpr::var(variables_[i]));
    store.value = with_accumulators_read(n.result, n.reads.size());
    name_numbers(store);
    body.push_back({without_reductions(std::move(store), n)});
    for (size_t i = n.space.size(); i-- > 0;) body = around(std::move(body), variables_[i], n.space[i]);
    for (Statement& s : body) out_.body.push_back(std::move(s));
  }

  /// A loop, but of one iteration.
  static std::vector<Statement> around(std::vector<Statement> body, int variable, const ir::IndexExpr& end) {
    if (end.kind() == ir::IndexExpr::Kind::kConst && end.value() == 1) {
      substitute(body, [&](int v) { return v == variable ? ir::IndexExpr(0) : ir::IndexExpr::var(v); });
      return body;
    }
    Loop loop;
    loop.variable = variable;
    loop.end = end;
    loop.body = std::move(body);
    std::vector<Statement> out;
    out.push_back({std::move(loop)});
    return out;
  }

  /// What stands outside the reduction's loops must not name their variables: reads that it does not use.
  Store without_reductions(Store store, const CompiledNest& n) const {
    const auto outside = [&](const ir::IndexExpr& e) {
      return std::ranges::all_of(variables_.begin() + static_cast<std::ptrdiff_t>(n.space.size()),
                                 variables_.end(), [&](int v) { return !mentions(e, v); });
    };
    for (Access& r : store.reads) {
      bool fine = true;
      for_each_index(r, [&](const ir::IndexExpr& i) { fine &= outside(i); });
      if (!fine) r = {};
    }
    store.places.resize(n.space.size());
    return store;
  }

  void accumulate(const CompiledNest& n, Store& store, std::vector<Statement>& body) {
    std::vector<int> accumulators, next;
    const auto add = [&](size_t a, std::string_view word) {
      const ir::DType kept = n.kept_as[a];
      out_.buffers.push_back(
          {fmt::format("{}{}", word, out_.buffers.size()),
           kept != ir::DType::kUndefined ? kept : accumulator_type(n.bodies[a].sort, n.dtype),
           {},
           Memory::kPrivate,
           {}});
      return static_cast<int>(out_.buffers.size()) - 1;
    };
    const auto element = [](int buffer) {
      Access out;
      out.buffer = buffer;
      return out;
    };
    const bool stepwise = !n.plain_but_scan;
    for (size_t a = 0; a < n.bodies.size(); ++a) accumulators.push_back(add(a, "acc"));
    if (stepwise && n.bodies.size() > 1)
      for (size_t a = 0; a < n.bodies.size(); ++a) next.push_back(add(a, "next"));
    for (size_t a = 0; a < n.bodies.size(); ++a) {
      Store start = store;
      start.target = element(accumulators[a]);
      start.value =
          !n.initials[a].code.empty() ? n.initials[a] : identity_program(n.bodies[a].sort, n.combiners[a]);
      body.push_back({without_reductions(std::move(start), n)});
    }
    for (const int acc : accumulators) store.reads.push_back(element(acc));
    std::vector<Statement> steps;
    for (size_t a = 0; a < n.bodies.size(); ++a) {
      Store step = store;
      step.target = element(next.empty() ? accumulators[a] : next[a]);
      const int own = static_cast<int>(n.reads.size() + a);
      step.value = with_accumulators_read(n.bodies[a], n.reads.size());
      name_numbers(step);
      if (stepwise)
        step.value = combined(std::move(step.value), n.combiners[a], own, n.kept_as[a]);
      else
        step.combine = n.combiners[a];
      steps.push_back({std::move(step)});
    }
    for (size_t a = 0; a < next.size(); ++a) {
      Store keep;
      keep.target = element(accumulators[a]);
      keep.reads = {element(next[a])};
      keep.value = read_program(n.bodies[a].sort, 0);
      steps.push_back({std::move(keep)});
    }
    for (size_t r = n.reduce.size(); r-- > 0;)
      steps = around(std::move(steps), variables_[n.space.size() + r], reduce_end(n, r));
    for (Statement& s : steps) body.push_back(std::move(s));
  }

  /// Results are buffers of their own: what is an operand, a constant or a result already is copied.
  void output(ir::ValueId v) {
    for (const int b : buffers_of_[v.index()]) {
      Buffer& buffer = out_.buffers[static_cast<size_t>(b)];
      const std::string name = fmt::format("y{}", out_.outputs.size());
      if (buffer.memory == Memory::kScratch) {
        buffer.memory = Memory::kOutput;
        buffer.name = name;
        out_.outputs.push_back(b);
        continue;
      }
      Buffer copy = buffer;
      copy.name = name;
      copy.memory = Memory::kOutput;
      copy.constant = {};
      const auto to = static_cast<int>(out_.buffers.size());
      out_.buffers.push_back(std::move(copy));
      out_.outputs.push_back(to);
      copy_all(b, to);
    }
  }
  void copy_all(int from, int to) {
    const std::vector<int64_t> sizes = out_.buffers[static_cast<size_t>(from)].sizes;
    Store store;
    for (size_t d = 0; d < sizes.size(); ++d)
      store.target.index.push_back(ir::IndexExpr::var(variable(name_of(false, d))));
    store.target.buffer = to;
    Access source = store.target;
    source.buffer = from;
    store.reads = {source};
    store.value = read_program(meaning::sort_of(out_.buffers[static_cast<size_t>(from)].dtype), 0);
    std::vector<Statement> body;
    body.push_back({store});
    for (size_t d = sizes.size(); d-- > 0;)
      body = around(std::move(body), static_cast<int>(store.target.index[d].value()), sizes[d]);
    for (Statement& s : body) out_.body.push_back(std::move(s));
  }

  meaning::Flat flat_;
  LoopProgram out_;
  std::vector<std::vector<int>> buffers_of_;  // by value: its tensors
  std::vector<int> variables_;                // of the nest that is lowered
};

}  // namespace

LoopProgram lower(const ir::Graph& graph) { return Lowering(graph).run(); }

}  // namespace isomer::codegen
