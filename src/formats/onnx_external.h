// Tensors that lie in files beside the model: mapping them when reading, one content-named file when writing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/constant.h"

namespace onnx {
class TensorProto;
}

namespace isomer::formats {

/// Maps the files that a model's tensors name, each once.
class ExternalFiles {
 public:
  /// `model`: path of the model; locations are relative to its folder.
  explicit ExternalFiles(std::string model) : model_(std::move(model)) {}

  struct Piece {
    std::shared_ptr<const ir::Storage> storage;
    size_t offset = 0;
    size_t length = 0;  ///< up to the end of the file where the tensor does not say
  };
  /// Throws InputError naming the model and the tensor: no location, a location outside the model's folder
  /// (absolute, with "..", or a link that leads out of it), a missing file, none that is regular, one that is
  /// too short.
  Piece find(const onnx::TensorProto& tensor);
  /// Of the files that were mapped.
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::string model_;
  std::unordered_map<std::string, std::shared_ptr<const ir::Storage>> files_;
  std::vector<std::string> paths_;
};

class OnnxEnvelope;
/// Paths of the external data that a model was read with.
std::vector<std::string> data_files(const OnnxEnvelope& model);

/// Where a tensor went within the file of external data.
struct ExternalPlace {
  size_t tensor = 0;
  uint64_t offset = 0;
};

struct ExternalData {
  std::string file;  ///< name without folder: "<stem>.<content hash>.data"
  std::vector<ExternalPlace> places;
};

/// Streams the tensors, 4 KiB aligned, into a temporary file beside `model` and renames it to its content's
/// name. Memory that maps them is let go one by one.
ExternalData write_external(std::span<const ir::Constant> tensors, const std::string& model,
                            bool durable = true);

}  // namespace isomer::formats
