// Scalar programs as LLVM IR, one value or a vector of lanes at a time: what llvm_text.h writes loops around.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "ir/op.h"
#include "ir/scalar_table.h"
#include "meaning/scalar_program.h"

namespace isomer::codegen {

/// A value of LLVM's: a register or a constant, of one lane or several.
struct Scalar {
  std::string text;
  int lanes = 1;
  meaning::Sort sort = meaning::Sort::kNumber;
  std::string bit = {};              ///< integers that are 0 or 1: the same as i1, if it is at hand
  std::optional<double> known = {};  ///< the number, where it is a constant
};

/// How an element lies in memory. Throws InputError for types that no code is generated for.
std::string stored_type(ir::DType dtype);

class ScalarText {
 public:
  const std::string& text() const { return text_; }
  /// Of the functions that were called; definitions of those that are written along.
  std::set<std::string> declarations() const;
  bool declares(const std::string& name) const { return declared_.contains(name); }
  void declare(const std::string& name, const std::string& text) { declared_[name] = text; }
  void declare_all_of(const ScalarText& other) {
    declared_.insert(other.declared_.begin(), other.declared_.end());
  }

  /// From here on for graphics processors of NVIDIA's, whose own instructions are used then.
  void use_gpu() { on_gpu_ = true; }
  bool on_gpu() const { return on_gpu_; }

  void line(const std::string& text) { text_ += "  " + text + "\n"; }
  void label(const std::string& name) { text_ += name + ":\n"; }
  std::string fresh() { return "%t" + std::to_string(next_++); }
  /// A register with what the instruction gives.
  std::string value(const std::string& instruction);

  /// Numbers from here on are in double or in single precision.
  void use_double(bool is_double) { number_ = is_double ? "double" : "float"; }
  std::string type(meaning::Sort sort, int lanes) const;
  /// A constant of that many lanes.
  std::string number(double value, int lanes) const;

  /// `aligned`: bytes of which the address is a multiple; 0: of one element.
  Scalar loaded(ir::DType dtype, const std::string& address, int lanes, int64_t aligned = 0);
  void store(ir::DType dtype, const std::string& address, const Scalar& v, int64_t aligned = 0);
  Scalar splat(const Scalar& v, int lanes);
  Scalar joined(std::span<const Scalar> lanes, meaning::Sort sort);
  std::vector<Scalar> apart(const Scalar& v);
  /// Lanes of both, by their numbers: those of the second from a.lanes on.
  Scalar shuffled(const Scalar& a, const Scalar& b, std::span<const int> places);
  Scalar from_bit(const std::string& bit, int lanes);

  /// An instruction that reads registers only. Throws InputError for functions that it does not know.
  Scalar apply(const meaning::ScalarProgram::Instr& in, std::span<const Scalar> of, int lanes);
  Scalar combined(ir::Combiner combiner, const Scalar& a, const Scalar& b);
  /// An instruction of theirs that LLVM knows by that name, of single precision.
  std::string gpu_instruction(const char* name, std::span<const std::string> args);
  /// A function of the C library, lane by lane.
  Scalar called(const std::string& name, std::span<const Scalar> args);

 private:
  bool is_double() const { return number_ == "double"; }
  static std::string vector(const std::string& type, int lanes);
  std::string integer(int64_t value, int lanes) const;
  std::string bit_of(const Scalar& v);
  Scalar binary(const char* op, const Scalar& a, const Scalar& b);
  Scalar choose(const std::string& bit, const Scalar& a, const Scalar& b);
  Scalar compared(const char* how, const Scalar& a, const Scalar& b);
  Scalar extremum(const Scalar& a, const Scalar& b, bool largest);
  Scalar intrinsic(const std::string& name, std::span<const Scalar> args);
  Scalar function(ir::ScalarOp op, std::span<const Scalar> args);
  Scalar expression(const ir::ScalarRow& row, std::span<const Scalar> args);
  Scalar power(const Scalar& base, const Scalar& exponent);
  Scalar number_op(ir::ScalarOp op, std::span<const Scalar> args);
  Scalar generated(ir::ScalarOp op, std::span<const Scalar> args);
  Scalar integer_op(ir::ScalarOp op, std::span<const Scalar> args);
  Scalar quotient(ir::ScalarOp op, const Scalar& a, const Scalar& b);
  Scalar cast(ir::DType to, const Scalar& v);
  Scalar wrapped(ir::DType to, const Scalar& v);

  std::string text_;
  std::string number_ = "float";
  bool on_gpu_ = false;
  std::map<std::string, std::string> declared_;  ///< by name
  int next_ = 0;
};

}  // namespace isomer::codegen
