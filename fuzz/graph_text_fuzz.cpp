// Any bytes are either a graph or an InputError, and so with an operator alone; a graph that was read prints
// as a text that reads back as the same structure (constants of more than 16 elements excepted: their text is
// a hash of the contents).
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "ir/dag_hash.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "support/errors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace isomer;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ir::Context ctx(ir::standard_ops());
  try {
    const ir::Graph graph = ir::parse_graph(ctx, text);
    const std::string printed = ir::print(graph);
    try {
      const ir::Graph again = ir::parse_graph(ctx, printed);
      if (printed.find("<#") == std::string::npos && ir::print(again) != printed) {
        std::cerr << "printed twice, differently:\n" << printed << ir::print(again);
        std::abort();
      }
    } catch (const InputError& error) {
      std::cerr << "what was printed cannot be read: " << error.what() << "\n" << printed;
      std::abort();
    }
  } catch (const InputError&) {
  }
  try {
    const auto [op, payload] = ir::parse_operator(ctx, text);
    ir::parse_operator(ctx, ir::print(ctx, op, payload));
  } catch (const InputError&) {
  }
  return 0;
}
