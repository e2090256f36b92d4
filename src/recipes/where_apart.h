// Where two ONNX models that differ part, in the runtime that told them apart: inner values of both are made
// outputs and compared, pairs by name, by structure and by contents.
#pragma once

#include <cstddef>
#include <vector>

#include "isomer/isomer.h"
#include "recipes/load.h"
#include "runtime/onnxruntime.h"

namespace isomer::recipes {

struct Apart {
  const runtime::InputSpec& inputs;
  int samples = 1;
  double tolerance = 1e-4;
  size_t output = 0;  ///< one that differs, by position
  runtime::LoadOptions load;
  std::vector<runtime::Choice> choices;
};

/// `a`, `b`: paths; their programs in one context, or null where they could not be read. Without a place
/// (value_a empty) when the runtime cannot show inner values, or when the models agree once it does: then
/// `note` says so.
FirstDifference where_apart(runtime::OnnxRuntime& runtime, const std::string& a, const std::string& b,
                            const ir::Graph* graph_a, const ir::Graph* graph_b, const Apart& about,
                            const runtime::Wait& wait = {});

}  // namespace isomer::recipes
