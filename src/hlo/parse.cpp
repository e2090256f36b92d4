#include "hlo/parse.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "hlo/reader.h"

namespace isomer::hlo {
namespace {

/// A computation's signature, where one was given: checked once its instructions are known.
struct Signature {
  bool given = false;
  std::vector<std::pair<const char*, ShapeId>> parameters;
  const char* result_at = nullptr;
  ShapeId result;
};

class ModuleReader {
 public:
  ModuleReader(std::string_view text, const std::string& file, Module& module)
      : reader_(text, file, module), module_(module) {}

  void read() {
    reader_.skip();
    const char* first = reader_.at();
    if (reader_.word() != "HloModule") reader_.fail_expected(first, "HloModule");
    module_.name = module_.texts.intern(reader_.name("the name of a module"));
    module_.header = reader_.attributes("a module", kOfModules, {});
    if (reader_.peek_word() == "FileNames") stack_frames();
    do computation();
    while (!reader_.at_end());
    if (!module_.entry.valid()) module_.entry = ComputationId(module_.computations.size() - 1);
  }

 private:
  /// The tables that stack_frame_id of metadata points into; kept as written.
  void stack_frames() {
    reader_.skip();
    const char* first = reader_.at();
    const char* end = first;
    for (const std::string_view heading : {"FileNames", "FunctionNames", "FileLocations", "StackFrames"}) {
      const char* at = (reader_.skip(), reader_.at());
      if (reader_.word() != heading) reader_.fail_expected(at, heading);
      end = reader_.at();
      while (reader_.peek() >= '0' && reader_.here() <= '9') {
        reader_.integer("a number");
        if (reader_.peek() == '{')
          reader_.braced();
        else
          reader_.string(fmt::format("a string or {{...}} of {}", heading));
        end = reader_.at();
      }
    }
    module_.stack_frames.assign(first, end);
  }

  void computation() {
    reader_.skip();
    const char* first = reader_.at();
    bool is_entry = false;
    if (reader_.peek_word() == "ENTRY") {
      reader_.word();
      is_entry = true;
      if (module_.entry.valid()) reader_.fail(first, "expected one ENTRY, found another");
    }
    reader_.skip();
    const char* name_at = reader_.at();
    Computation out;
    out.name = module_.texts.intern(reader_.name("the name of a computation"));
    if (entry_of(reader_.computation_by_name, out.name) != TextId::kInvalid)
      reader_.fail(name_at, fmt::format("expected a name that no computation has, found '{}' again",
                                        module_.text(out.name)));
    Signature signature;
    if (reader_.peek() == '(') read_signature(signature);
    out.instructions.first = reader_.first_of_computation =
        static_cast<uint32_t>(module_.instructions.size());
    parameters_.clear();
    reader_.expect('{', "before the instructions of a computation");
    do instruction(out);
    while (!reader_.take('}'));
    out.instructions.count = static_cast<uint32_t>(module_.instructions.size()) - out.instructions.first;
    if (!out.root.valid()) out.root = InstructionId(module_.instructions.size() - 1);
    number_parameters(out, name_at);
    check_signature(signature, out);
    out.attributes = reader_.attributes("a computation", kOfComputations, {});
    const ComputationId id(module_.computations.size());
    module_.computations.push_back(out);
    slot_of(reader_.computation_by_name, out.name) = id.v;
    if (is_entry) module_.entry = id;
  }

  void read_signature(Signature& out) {
    out.given = true;
    reader_.list('(', ')', "around parameters", [&] {
      const char* at = (reader_.skip(), reader_.at());
      reader_.name("the name of a parameter");
      reader_.expect(':', "behind the name of a parameter");
      out.parameters.emplace_back(at, reader_.shape());
    });
    if (!reader_.take("->")) reader_.fail_expected("'->' before the result's shape");
    reader_.skip();
    out.result_at = reader_.at();
    out.result = reader_.shape();
  }

  void check_signature(const Signature& signature, const Computation& computation) {
    if (!signature.given) return;
    const auto at = [&](size_t i) { return module_.parameters[computation.parameters.first + i]; };
    if (signature.parameters.size() != computation.parameters.count)
      reader_.fail(signature.result_at,
                   fmt::format("expected a signature of {} parameters, found {}",
                               computation.parameters.count, signature.parameters.size()));
    for (size_t i = 0; i < signature.parameters.size(); ++i)
      require_compatible(signature.parameters[i].first, fmt::format("parameter {}", i), module_.shape(at(i)),
                         signature.parameters[i].second);
    require_compatible(signature.result_at, "the root", module_.shape(computation.root), signature.result);
  }

  void require_compatible(const char* at, std::string_view what, ShapeId wanted, ShapeId given) {
    if (!module_.shapes.compatible(wanted, given))
      reader_.fail(at, fmt::format("expected {} of shape {}, found {}", what,
                                   module_.shapes.print(wanted, false), module_.shapes.print(given, false)));
  }

  void number_parameters(Computation& computation, const char* at) {
    computation.parameters = {static_cast<uint32_t>(module_.parameters.size()),
                              static_cast<uint32_t>(parameters_.size())};
    std::vector<InstructionId> by_number(parameters_.size());
    for (const InstructionId id : parameters_) {
      const uint32_t number = module_[id].value;
      if (number >= by_number.size() || by_number[number].valid())
        reader_.fail(
            at, fmt::format("expected the parameters of {} to have the numbers 0 to {}, each once, found {}",
                            module_.text(computation.name), by_number.size() - 1, number));
      by_number[number] = id;
    }
    module_.parameters.insert(module_.parameters.end(), by_number.begin(), by_number.end());
  }

  void instruction(Computation& computation) {
    reader_.skip();
    const char* first = reader_.at();
    std::string_view text = reader_.name("an instruction or '}'");
    bool is_root = false;
    if (text == "ROOT" && *first == 'R' && reader_.peek() != '=') {
      if (computation.root.valid()) reader_.fail(first, "expected one ROOT in a computation, found another");
      is_root = true;
      reader_.skip();
      first = reader_.at();
      text = reader_.name("the name of an instruction");
    }
    if (parse_primitive(text))  // XLA refuses it too, with a % as well
      reader_.fail(first,
                   fmt::format("expected a name that is no element type ({0}_, say), found '{0}'", text));
    Instruction out;
    out.offset = reader_.offset(first);
    out.name = module_.texts.intern(text);
    const InstructionId id(module_.instructions.size());
    if (const uint32_t before = entry_of(reader_.instruction_by_name, out.name);
        before != TextId::kInvalid && before >= reader_.first_of_computation)
      reader_.fail(first,
                   fmt::format("expected a name that no instruction here has, found '{}' again", text));
    reader_.expect('=', "behind the name of an instruction");
    if (!reader_.shape_begins()) reader_.fail_expected("the shape of an instruction");
    out.shape = reader_.shape();
    opcode(out);
    contents(out, id);
    const std::string_view written = row(out.wrapped).text;
    AttributeSet allowed = row(out.opcode).allowed, required = row(out.opcode).required;
    if (out.wrapped != out.opcode) {
      allowed = allowed.with(row(out.wrapped).allowed);
      if (out.opcode == Opcode::kAsyncStart) required = row(out.wrapped).required;
    }
    out.attributes = reader_.attributes(written, allowed, required);
    module_.instructions.push_back(out);
    slot_of(reader_.instruction_by_name, out.name) = id.v;
    if (is_root) computation.root = id;
  }

  /// An opcode, or one with -start, -update or -done behind it: an asynchronous instruction that wraps it.
  void opcode(Instruction& out) {
    reader_.skip();
    const char* at = reader_.at();
    const std::string_view text = reader_.word();
    if (const auto found = parse_opcode(text)) {
      out.opcode = out.wrapped = *found;
      return;
    }
    constexpr std::pair<std::string_view, Opcode> kAsync[] = {
        {"-start", Opcode::kAsyncStart}, {"-update", Opcode::kAsyncUpdate}, {"-done", Opcode::kAsyncDone}};
    for (const auto& [suffix, opcode] : kAsync) {
      if (!text.ends_with(suffix)) continue;
      if (const auto wrapped = parse_opcode(text.substr(0, text.size() - suffix.size()))) {
        out.opcode = opcode;
        out.wrapped = *wrapped;
        return;
      }
    }
    reader_.fail_expected(at, "an opcode");
  }

  void contents(Instruction& out, InstructionId id) {
    reader_.expect('(', "behind an opcode");
    switch (out.opcode) {
      case Opcode::kParameter: {
        reader_.skip();
        const char* at = reader_.at();
        const int64_t number = reader_.integer("the number of a parameter");
        if (number < 0 || number > std::numeric_limits<int32_t>::max())
          reader_.fail_expected(at, "the number of a parameter");
        out.value = static_cast<uint32_t>(number);
        parameters_.push_back(id);
        return reader_.expect(')', "behind the number of a parameter");
      }
      case Opcode::kConstant:
        out.value = static_cast<uint32_t>(module_.literals.size());
        module_.literals.push_back(reader_.literal(out.shape));
        return reader_.expect(')', "behind the contents of a constant");
      default: return operands(out);
    }
  }

  void operands(Instruction& out) {
    const char* first = reader_.at();
    out.operands = {static_cast<uint32_t>(module_.operand_ids.size()), 0};
    if (!reader_.take(')')) {
      do operand(out);
      while (reader_.take(','));
      reader_.expect(')', "behind operands");
    }
    const int arity = out.wrapped == out.opcode           ? row(out.opcode).arity
                      : out.opcode == Opcode::kAsyncStart ? row(out.wrapped).arity
                                                          : 1;
    if (arity != kVariadic && static_cast<uint32_t>(arity) != out.operands.count)
      reader_.fail(first, fmt::format("expected {} operand{} of {}, found {}", arity, arity == 1 ? "" : "s",
                                      name(out.opcode), out.operands.count));
  }

  void operand(Instruction& out) {
    if (reader_.peek() != '%' && reader_.shape_begins()) {
      const char* at = reader_.at();
      const ShapeId given = reader_.shape();
      const InstructionId operand = reader_.instruction_named();
      require_compatible(at, module_.text(module_[operand].name), module_.shape(operand), given);
      module_.operand_ids.push_back(operand);
    } else {
      module_.operand_ids.push_back(reader_.instruction_named());
    }
    ++out.operands.count;
  }

  static uint32_t entry_of(const std::vector<uint32_t>& by_name, TextId name) {
    return name.v < by_name.size() ? by_name[name.v] : TextId::kInvalid;
  }
  static uint32_t& slot_of(std::vector<uint32_t>& by_name, TextId name) {
    if (name.v >= by_name.size()) by_name.resize(name.v + name.v / 2 + 64, TextId::kInvalid);
    return by_name[name.v];
  }

  Reader reader_;
  Module& module_;
  std::vector<InstructionId> parameters_;
};

std::vector<uint32_t> starts_of_lines(std::string_view text) {
  std::vector<uint32_t> out = {0};
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    at = static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
    if (at == nullptr) break;
    out.push_back(static_cast<uint32_t>(++at - text.data()));
  }
  return out;
}

}  // namespace

Module parse(std::string_view text, const std::string& file) {
  if (text.size() >= std::numeric_limits<uint32_t>::max())
    throw InputError({file, 0, 0}, "expected a text of less than 4 GiB");
  Module module;
  module.file = file;
  module.line_starts = starts_of_lines(text);
  ModuleReader(text, file, module).read();
  return module;
}

}  // namespace isomer::hlo
