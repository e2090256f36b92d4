// Any bytes are either a program in one of TENSAT's three text forms or an InputError; what was read as .dag
// is written and read again to the same text.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "formats/sexpr/sexpr.h"
#include "ir/op_table.h"
#include "support/errors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace isomer;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ir::Context ctx(ir::standard_ops());
  for (auto* read : {formats::read_dag, formats::read_model, formats::read_term}) {
    try {
      const ir::Graph graph = read(ctx, text, "fuzz");
      const std::string written = formats::write_dag(graph);
      if (formats::write_dag(formats::read_dag(ctx, written, "written")) != written) {
        std::cerr << "reading what was written gives another program\n" << written;
        std::abort();
      }
    } catch (const InputError&) {
    }
  }
  return 0;
}
