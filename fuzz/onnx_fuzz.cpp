// Any bytes are either a model or an InputError; a model that was read can be written, and what was written
// can be read again.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>

#include "formats/onnx.h"
#include "ir/op_table.h"
#include "support/errors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace isomer;
  ir::Context ctx(ir::standard_ops());
  try {
    const formats::OnnxModel model =
        formats::read_onnx_bytes(ctx, std::as_bytes(std::span(data, size)), "fuzz.onnx");
    const std::string text = formats::write_onnx_bytes(model.graph, *model.envelope);
    try {
      formats::read_onnx_bytes(ctx, std::as_bytes(std::span(text.data(), text.size())), "written.onnx");
    } catch (const InputError& error) {
      std::cerr << "what was written cannot be read: " << error.what() << "\n";
      std::abort();
    }
  } catch (const InputError&) {
  }
  return 0;
}
