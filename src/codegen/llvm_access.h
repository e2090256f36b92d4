// Where the elements of a loop program lie, as LLVM IR: indices, bounds and elements, one at a time, which is
// what the texts for processors (llvm_text.h) and for graphics processors (gpu_text.h) have in common.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "codegen/llvm_scalar.h"
#include "codegen/loop_program.h"

namespace isomer::codegen {

/// An index: a constant or a register, with what it may be.
struct Index {
  std::string text = "0";
  int64_t low = 0, high = 0;
  int64_t multiple = 1;  ///< that it is of, whatever it is; 0: of all
  bool is_constant() const { return low == high; }
};
Index constant_index(int64_t value);

class AccessText {
 public:
  /// `index_bits`: of registers that hold indices, 64 or 32.
  explicit AccessText(const LoopProgram& program, int index_bits = 64);
  int index_bits() const { return type_ == "i64" ? 64 : 32; }

  ScalarText scalar;
  std::vector<Index> vars;            ///< by variable
  std::vector<std::string> pointers;  ///< by buffer
  /// By buffer, where `lanes` is not 0: of so many threads, each has `each` elements that lie together in
  /// every lanes * each, and only these; a thread's number is in the variables `threads`.
  struct Own {
    int64_t lanes = 0, each = 1;
  };
  std::vector<Own> own;
  std::vector<int> threads;
  /// Bytes of which all addresses of buffers are multiples; 0: of one element.
  int64_t alignment = 0;
  /// Addresses are what neighbours have in common, and then a constant: LLVM finds what lies together.
  bool constants_apart = false;

  Index add(const Index& a, const Index& b);
  Index times(const Index& a, int64_t factor);
  Index divided(const Index& a, int64_t by, bool rest);
  Index extremum(const Index& a, const Index& b, bool least);
  /// `store`: whose reads are loaded.
  Index index(const ir::IndexExpr& e, const Store* store);
  /// From the buffer's first element, or `own`'s. What is loaded may be any number: no address lies outside
  /// of it.
  Index linear(const Access& a, const Store* store);
  /// As `linear`, but for a constant part, which `plus` is, where `constants_apart` and it may be so.
  Index linear_but(const Access& a, const Store* store, int64_t& plus);
  std::string address(int buffer, const Index& at, int64_t plus = 0);
  /// Loads and stores at an index, and `plus`, from the first element.
  Scalar loaded(int buffer, const Index& at, int lanes = 1, int64_t plus = 0);
  void store(int buffer, const Index& at, const Scalar& v, int64_t plus = 0);
  /// Whether a guarded access is there: "true", or a register of one bit.
  std::string holds(const Access& a, const Store* store);
  /// One element, at the variables as they are.
  Scalar read_one(const Store& store, int number, meaning::Sort sort);
  /// The number of a place.
  Scalar place(const Store& store, int number);
  /// Whether the store's value is computed in double precision.
  bool in_double(const Store& store) const;

  /// A register with what the instruction gives, in which $ is the type of indices.
  std::string value(const std::string& instruction);
  const Buffer& buffer(int number) const { return program_.buffers[static_cast<size_t>(number)]; }

 private:
  int64_t aligned(int buffer, const Index& at, int64_t plus) const;
  /// An index as what varies, and a constant.
  std::pair<Index, int64_t> in_parts(const ir::IndexExpr& e, const Store* store);
  Index loaded_index(const ir::IndexExpr& e, const Store& store);

  const LoopProgram& program_;
  std::string type_;
};

}  // namespace isomer::codegen
