// Any bytes are either muGraphs or an InputError; what was read passes the specification, can be written and
// read again, and lowers to a plain graph when it is small.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "ir/op_table.h"
#include "mugraph/lower.h"
#include "mugraph/mirage_json.h"
#include "mugraph/spec.h"
#include "support/errors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace isomer;
  using namespace isomer::mugraph;
  std::vector<MuGraph> graphs;
  try {
    graphs = parse_mirage_json(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.json");
  } catch (const InputError&) {
    return 0;
  }
  const auto again = parse_mirage_json(write_mirage_json(graphs), "written.json");
  for (size_t i = 0; i < graphs.size(); ++i) {
    if (again.size() != graphs.size() || print(again[i]) != print(graphs[i])) {
      std::cerr << "reading what was written gives another muGraph\n";
      std::abort();
    }
    ir::Context ctx(ir::standard_ops());
    lower(ctx, graphs[i]);
  }
  return 0;
}
