#include "codegen/loop_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/scalar_table.h"
#include "meaning/combiner.h"
#include "meaning/nest.h"
#include "support/errors.h"

namespace isomer::codegen {

std::string_view to_string(Memory memory) {
  switch (memory) {
    case Memory::kInput: return "input";
    case Memory::kConstant: return "constant";
    case Memory::kOutput: return "output";
    case Memory::kScratch: return "scratch";
    case Memory::kPrivate: return "private";
  }
  return "";
}

std::string_view to_string(LoopKind kind) {
  switch (kind) {
    case LoopKind::kSerial: return "serial";
    case LoopKind::kParallel: return "parallel";
    case LoopKind::kVector: return "vector";
    case LoopKind::kUnrolled: return "unrolled";
    case LoopKind::kThread: return "threads";
    case LoopKind::kTensor: return "together";
    case LoopKind::kWarpgroup: return "together in groups";
    case LoopKind::kCopied: return "copied";
  }
  return "";
}

int64_t Buffer::count() const {
  int64_t n = 1;
  for (const int64_t size : sizes) n *= size;
  return n;
}

namespace {

class Printer {
 public:
  explicit Printer(const LoopProgram& program) : program_(program) {}

  std::string run() {
    for (const Buffer& b : program_.buffers)
      out_ += fmt::format("{} {}: {}[{}]\n", to_string(b.memory), b.name, ir::name(b.dtype),
                          fmt::join(b.sizes, ", "));
    statements(program_.body, 0);
    return std::move(out_);
  }

 private:
  std::string index(const ir::IndexExpr& e, const Store* store) const {
    using Kind = ir::IndexExpr::Kind;
    switch (e.kind()) {
      case Kind::kConst: return std::to_string(e.value());
      case Kind::kVar: return program_.variables[static_cast<size_t>(e.value())];
      case Kind::kAdd: return fmt::format("{} + {}", index(e.lhs(), store), index(e.rhs(), store));
      case Kind::kMulConst: return fmt::format("{} * {}", factor(e.lhs(), store), e.size().number());
      case Kind::kFloorDiv: return fmt::format("{} / {}", factor(e.lhs(), store), e.size().number());
      case Kind::kMod: return fmt::format("{} % {}", factor(e.lhs(), store), e.size().number());
      case Kind::kMin: return fmt::format("min({}, {})", index(e.lhs(), store), index(e.rhs(), store));
      case Kind::kMax: return fmt::format("max({}, {})", index(e.lhs(), store), index(e.rhs(), store));
      case Kind::kLoad: break;
    }
    const std::string loaded =
        store == nullptr ? "?" : access(store->reads[static_cast<size_t>(e.value())], store);
    return e.wrap() > 0 ? fmt::format("wrap({}, {})", loaded, e.wrap()) : loaded;
  }
  std::string factor(const ir::IndexExpr& e, const Store* store) const {
    const std::string text = index(e, store);
    return e.kind() == ir::IndexExpr::Kind::kAdd ? "(" + text + ")" : text;
  }

  std::string access(const Access& a, const Store* store) const {
    std::vector<std::string> index_text, bounds;
    for (const ir::IndexExpr& i : a.index) index_text.push_back(index(i, store));
    for (const Bound& b : a.bounds)
      bounds.push_back(fmt::format("0 <= {} < {}", index(b.value, store), b.below));
    std::string out = fmt::format("{}[{}]", program_.buffers[static_cast<size_t>(a.buffer)].name,
                                  fmt::join(index_text, ", "));
    if (!bounds.empty()) out = fmt::format("({} ? {} : {})", fmt::join(bounds, " and "), out, a.fill);
    return out;
  }

  /// `x[i] if 0 <= i < 7`
  std::string target(const Store& store) const {
    Access bare = store.target;
    bare.bounds.clear();
    std::string out = access(bare, &store);
    for (size_t b = 0; b < store.target.bounds.size(); ++b)
      out += fmt::format("{}0 <= {} < {}", b == 0 ? " if " : " and ",
                         index(store.target.bounds[b].value, &store), store.target.bounds[b].below);
    return out;
  }

  std::string value(const Store& store) const {
    std::vector<std::string> of;  // each instruction as text: programs are small
    for (const auto& in : store.value.code) {
      const auto arg = [&](int32_t r) { return of[static_cast<size_t>(r)]; };
      switch (in.op) {
        case ir::ScalarOp::kRead:
          of.push_back(access(store.reads[static_cast<size_t>(in.index)], &store));
          break;
        case ir::ScalarOp::kVar:
          of.push_back(index(store.places[static_cast<size_t>(in.index)], &store));
          break;
        case ir::ScalarOp::kConst: of.push_back(fmt::format("{}", in.value)); break;
        case ir::ScalarOp::kIntConst: of.push_back(fmt::format("{}", in.integer)); break;
        case ir::ScalarOp::kAdd: of.push_back(fmt::format("({} + {})", arg(in.a), arg(in.b))); break;
        case ir::ScalarOp::kSub: of.push_back(fmt::format("({} - {})", arg(in.a), arg(in.b))); break;
        case ir::ScalarOp::kMul: of.push_back(fmt::format("({} * {})", arg(in.a), arg(in.b))); break;
        case ir::ScalarOp::kDiv: of.push_back(fmt::format("({} / {})", arg(in.a), arg(in.b))); break;
        case ir::ScalarOp::kCast: of.push_back(fmt::format("{}({})", ir::name(in.dtype), arg(in.a))); break;
        case ir::ScalarOp::kValid: {
          std::vector<std::string> bounds;
          for (const Bound& b : store.reads[static_cast<size_t>(in.index)].bounds)
            bounds.push_back(fmt::format("0 <= {} < {}", index(b.value, &store), b.below));
          of.push_back(bounds.empty() ? "1" : fmt::format("({})", fmt::join(bounds, " and ")));
          break;
        }
        default: {
          std::vector<std::string> args;
          for (const int32_t r : {in.a, in.b, in.c})
            if (r >= 0) args.push_back(arg(r));
          of.push_back(fmt::format("{}({})", ir::row(in.op).name, fmt::join(args, ", ")));
        }
      }
    }
    std::string text = of.back();
    if (text.size() > 2 && text.front() == '(' && text.back() == ')' && is_enclosed(text))
      text = text.substr(1, text.size() - 2);
    return text;
  }
  /// Whether the first parenthesis is closed by the last one.
  static bool is_enclosed(const std::string& text) {
    int depth = 0;
    for (size_t i = 0; i + 1 < text.size(); ++i) {
      depth += (text[i] == '(') - (text[i] == ')');
      if (depth == 0) return false;
    }
    return true;
  }

  void statements(const std::vector<Statement>& body, int depth) {
    for (const Statement& s : body) {
      const std::string indent(static_cast<size_t>(2 * depth), ' ');
      if (const auto* loop = std::get_if<Loop>(&s.node)) {
        out_ +=
            fmt::format("{}for {} in {}..{}", indent, program_.variables[static_cast<size_t>(loop->variable)],
                        index(loop->begin, nullptr), index(loop->end, nullptr));
        if (loop->kind != LoopKind::kSerial) out_ += fmt::format(" {}", to_string(loop->kind));
        if (loop->stages != 0) out_ += fmt::format(", {} stages", loop->stages);
        if (loop->running != 0) out_ += fmt::format(", {} running", loop->running);
        out_ += "\n";
        statements(loop->body, depth + 1);
        continue;
      }
      const Store& store = std::get<Store>(s.node);
      static constexpr std::string_view kWords[] = {"+=", "*=", "max=", "min="};
      const std::string_view word = store.combine ? kWords[static_cast<size_t>(*store.combine)] : "=";
      out_ += fmt::format("{}{} {} {}\n", indent, target(store), word, value(store));
    }
  }

  const LoopProgram& program_;
  std::string out_;
};

}  // namespace

void substitute(std::vector<Statement>& body, const std::function<ir::IndexExpr(int)>& variable) {
  for (Statement& s : body) {
    if (auto* loop = std::get_if<Loop>(&s.node)) {
      loop->begin = substituted(loop->begin, variable);
      loop->end = substituted(loop->end, variable);
      substitute(loop->body, variable);
      continue;
    }
    for_each_index_of_store(std::get<Store>(s.node), [&](ir::IndexExpr& i) { i = substituted(i, variable); });
  }
}

bool mentions(const ir::IndexExpr& e, int variable) {
  bool found = false;
  for_each_leaf(e, [&](int v) { found |= v == variable; }, [](int) {});
  return found;
}

bool mentions(const Access& access, int variable) {
  bool found = false;
  for_each_index(access, [&](const ir::IndexExpr& i) { found |= mentions(i, variable); });
  return found;
}

Statement copy_of(LoopProgram& program, Access from, Access to, std::span<const int64_t> sizes) {
  std::vector<int> variables;
  for (size_t d = 0; d < sizes.size(); ++d) {
    variables.push_back(static_cast<int>(program.variables.size()));
    program.variables.emplace_back("p");
    from.index.push_back(ir::IndexExpr::var(variables[d]));
    to.index.push_back(ir::IndexExpr::var(variables[d]));
  }
  Store store;
  store.value = read_program(meaning::sort_of(program.buffers[static_cast<size_t>(from.buffer)].dtype), 0);
  store.target = std::move(to);
  store.reads = {std::move(from)};
  Statement out{std::move(store)};
  for (size_t d = sizes.size(); d-- > 0;) {
    Loop loop;
    loop.variable = variables[d];
    loop.end = sizes[d];
    loop.body.push_back(std::move(out));
    out = {std::move(loop)};
  }
  return out;
}

meaning::ScalarProgram read_program(meaning::Sort sort, int read) {
  meaning::ScalarProgram::Instr in{ir::ScalarOp::kRead, sort};
  in.index = read;
  return {{in}, sort, {read}};
}

meaning::ScalarProgram constant_program(meaning::Sort sort, double value) {
  const bool is_number = sort == meaning::Sort::kNumber;
  meaning::ScalarProgram::Instr in{is_number ? ir::ScalarOp::kConst : ir::ScalarOp::kIntConst, sort};
  in.value = value;
  if (!is_number) in.integer = static_cast<int64_t>(value);
  return {{in}, sort, {}};
}

meaning::ScalarProgram identity_program(meaning::Sort sort, ir::Combiner combiner) {
  meaning::ScalarProgram out = constant_program(sort, 0);
  out.code[0].value = meaning::identity_number(combiner);
  out.code[0].integer = meaning::identity_integer(combiner);
  return out;
}

Threads threads_of(const Loop& loop) {
  Threads out;
  for (const Loop* at = &loop; at != nullptr;) {
    if (at->kind == LoopKind::kCopied)
      out.copied = at;
    else if (at->kind == LoopKind::kTensor || at->kind == LoopKind::kWarpgroup)
      out.tensor.push_back(at);
    else
      out.loops.push_back(at);
    at = at->body.size() == 1 ? std::get_if<Loop>(&at->body[0].node) : nullptr;
  }
  return out;
}

const Loop* whole_loop(const LoopProgram& program) {
  const auto* loop = program.body.size() == 1 ? std::get_if<Loop>(&program.body[0].node) : nullptr;
  using Kind = ir::IndexExpr::Kind;
  return loop != nullptr && loop->kind == LoopKind::kParallel && loop->begin.kind() == Kind::kConst &&
                 loop->end.kind() == Kind::kConst
             ? loop
             : nullptr;
}

std::string print(const LoopProgram& program) { return Printer(program).run(); }

}  // namespace isomer::codegen
