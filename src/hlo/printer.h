// What writes a module's parts to a string.
#pragma once

#include <string>

#include "hlo/print.h"

namespace isomer::hlo {

class Printer {
 public:
  Printer(const Module& module, Dialect dialect, std::string& out)
      : module_(module), out_(out), long_(dialect == Dialect::kLong) {}

  void module();
  void instruction(InstructionId id);

 private:
  void computation(ComputationId id);
  void signature(const Computation& computation);
  void opcode(const Instruction& instruction);
  void operands(InstructionId id);
  void attributes(std::span<const Attribute> attributes);
  void attribute(const Attribute& attribute);
  /// A name as this dialect has it. In the short one a word of the language keeps its %.
  void name(TextId id);
  void text(int64_t id) { out_ += module_.text(TextId(static_cast<uint32_t>(id))); }
  void quoted(int64_t id);
  void shape(int64_t id) { module_.shapes.print(ShapeId(static_cast<uint32_t>(id)), true, out_); }
  void integers(std::span<const int64_t> numbers, char open, char close, std::string_view between = ",");
  void window(std::span<const int64_t> numbers);
  void dim_labels(std::span<const int64_t> numbers);
  void slices(std::span<const int64_t> numbers);
  void padding(std::span<const int64_t> numbers);
  void lists(std::span<const int64_t> numbers);
  void devices(std::span<const int64_t> numbers);
  void aliasing(std::span<const int64_t> numbers, bool spaced);
  void donors(std::span<const int64_t> numbers);
  void metadata(std::span<const int64_t> numbers);
  void computation_layout(std::span<const int64_t> numbers);
  void map(std::span<const int64_t> numbers);
  /// A length and so many numbers, at `i`, which is moved behind them.
  std::span<const int64_t> counted(std::span<const int64_t> numbers, size_t& i);
  template <class Item>
  void list(std::span<const int64_t> numbers, std::string_view between, Item&& item);

  const Module& module_;
  std::string& out_;
  bool long_;
};

}  // namespace isomer::hlo
