// Loop programs as LLVM IR, in its textual form (LLVM: Lattner, Adve, CGO 2004). Vector loops become explicit
// vectors, unrolled loops are written out, private buffers are stack slots, which LLVM's SROA makes
// registers; so that no loop pass of LLVM is needed, and text is all that the library which holds LLVM is
// given.
#pragma once

#include <map>
#include <set>
#include <string>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// A function without its name, and what it calls.
struct FunctionText {
  std::string text;
  std::set<std::string> declarations;
};

/// void (ptr buffers, i64 begin, i64 end): an array with the address of each buffer of the program but
/// private ones, in order (bools are bytes, 0 or 1); of a program that is one parallel loop of constant
/// bounds the iterations from begin up to below end, else all of it. Inner parallel loops run one iteration
/// after the other. Numbers are computed in double precision where a statement touches f64, else in single
/// precision; a product that is added may be fused with the sum. Throws InputError for element types and
/// functions that it does not know.
FunctionText llvm_function(const LoopProgram& program);

/// A module of functions that others may call, by name.
std::string llvm_module(const std::map<std::string, const FunctionText*>& functions);

}  // namespace isomer::codegen
