// Any program file that Isomer reads, by its extension: .onnx; .model, .dag (TENSAT); .graph (textual form);
// anything else is read as a term.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formats/onnx.h"
#include "ir/graph.h"
#include "recipes/dims.h"
#include "support/deadline.h"
#include "support/possible.h"

namespace isomer::recipes {

/// When a file was written, and how long it is.
struct FileStamp {
  std::filesystem::file_time_type written;
  uintmax_t bytes = 0;
  bool operator==(const FileStamp&) const = default;
};
/// Of a file that is not there: that of none.
FileStamp stamp_of(const std::string& path);

struct Program {
  ir::Graph graph;
  std::shared_ptr<const formats::OnnxEnvelope> envelope;  ///< ONNX only
  std::vector<std::string> notes = {};
  bool contrib = false;  ///< ONNX Runtime's own operators are understood, and may be written
  std::map<std::string, int64_t> dims = {};  ///< that were fixed
  FileStamp stamp = {};                      ///< of its file, before it was read
  int64_t types_inferred = 0;    ///< results of opaque nodes whose types ONNX's shape inference gave
  std::string first_cause = {};  ///< OnnxModel::first_cause

  /// What the program may be written in; one that is not read from ONNX as a model of its own.
  formats::Dialect dialect() const {
    return formats::dialect_of(graph, envelope ? *envelope : *formats::OnnxEnvelope::plain(graph), contrib);
  }
};

/// Throws InputError, and UsageError for names in `dims` that the model does not have. `dims` fixes symbolic
/// dimensions of ONNX models by name; without `contrib` ONNX Runtime's own operators stay opaque. Where types
/// of opaque results are not known, ONNX's shape inference is asked, for a share of the time that is left.
Program load_program(ir::Context& ctx, const std::string& path,
                     const std::map<std::string, int64_t>& dims = {}, bool contrib = true,
                     const Deadline& until = {});

/// The same at sizes of our choosing: nothing, and why, where a program has other names of dimensions, or
/// does not fit them.
Possible<Program> try_load_program(ir::Context& ctx, const std::string& path,
                                   const std::map<std::string, int64_t>& dims, bool contrib = true,
                                   const Deadline& until = {});

/// As load_program, but nobody is asked for types. ONNX only.
Program load_without_inference(ir::Context& ctx, const std::string& path,
                               const std::map<std::string, int64_t>& dims, bool contrib);

/// Of all constants.
uint64_t weight_bytes(const ir::Graph& graph);
/// Of the program that has more.
uint64_t larger_weight_bytes(const Program& a, const Program& b);

}  // namespace isomer::recipes
