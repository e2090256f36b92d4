#include "formats/onnx_external.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "formats/onnx_envelope.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/hash.h"

namespace isomer::formats {
namespace {

constexpr uint64_t kAlignment = 4096;  // a page: runtimes may map tensors one by one

namespace fs = std::filesystem;

/// With all links followed.
fs::path real(const fs::path& path) {
  std::error_code ignored;
  return fs::weakly_canonical(path, ignored);
}

bool within(const fs::path& file, const fs::path& folder) {
  return !folder.empty() && std::ranges::mismatch(folder, file).in1 == folder.end();
}

/// Links may lead from one file of a folder to another, but not out of it. Where the model is a link itself,
/// its folder is also that of the file that it leads to: caches keep model and weights so.
bool stays_beside(const fs::path& data, const fs::path& model) {
  const fs::path place = real(data);
  return within(place, real(folder_of(model.string()))) || within(place, real(model).parent_path());
}

}  // namespace

ExternalFiles::Piece ExternalFiles::find(const onnx::TensorProto& tensor) {
  const auto fail = [&](const std::string& message) {
    throw InputError({model_, 0, 0}, fmt::format("tensor '{}': {}", tensor.name(), message));
  };
  std::string location;
  uint64_t offset = 0;
  uint64_t length = 0;
  bool has_length = false;
  const auto number = [&](const std::string& text) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      fail(fmt::format("expected a number of bytes in its external data, got '{}'", text));
    return value;
  };
  for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = number(entry.value());
    if (entry.key() == "length") length = number(entry.value()), has_length = true;
  }
  if (location.empty() || location.find('\0') != std::string::npos)
    fail("expected the location of its external data");
  const fs::path path(location);
  bool outside = path.is_absolute();
  for (const fs::path& part : path) outside |= part == "..";
  if (outside) fail(fmt::format("expected external data within the model's folder, got '{}'", location));

  std::shared_ptr<const ir::Storage>& storage = files_[location];
  if (!storage) {
    const std::string file = (fs::path(model_).parent_path() / path).string();
    const FileKind kind = kind_of(file);
    if (kind == FileKind::kNone) fail(fmt::format("external data '{}' is missing", location));
    if (!stays_beside(file, model_))
      fail(fmt::format("expected external data within the model's folder, but the link '{}' leads out of it",
                       location));
    if (kind != FileKind::kRegular)
      fail(fmt::format("external data '{}': expected a regular file, found {}", location, name_of(kind)));
    storage = ir::map_file(file);
    paths_.push_back(file);
  }
  const uint64_t size = storage->bytes().size();
  if (offset > size || (has_length && length > size - offset))
    fail(fmt::format("expected {} bytes of external data at byte {} of '{}', which has {}", length, offset,
                     location, size));
  if (!has_length) length = size - offset;
  return {storage, static_cast<size_t>(offset), static_cast<size_t>(length)};
}

std::vector<std::string> data_files(const OnnxEnvelope& model) { return model.parts().data_files; }

ExternalData write_external(std::span<const ir::Constant> tensors, const std::string& model, bool durable) {
  const fs::path path(model);
  AtomicFile file(path.string() + ".data");
  ExternalData data;
  uint64_t at = 0;
  uint64_t hash = 0;
  const std::vector<std::byte> zeros(kAlignment);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const uint64_t padding = (kAlignment - at % kAlignment) % kAlignment;
    file.write(std::span(zeros).first(padding));
    at += padding;
    data.places.push_back({i, at});
    const std::span<const std::byte> bytes = tensors[i].bytes();
    file.write(bytes);
    at += bytes.size();
    hash = hash_combine(hash, hash_bytes(bytes));
    tensors[i].release();
  }
  data.file = fmt::format("{}.{:016x}.data", path.stem().string(), hash);
  file.commit((path.parent_path() / data.file).string(), durable);
  return data;
}

}  // namespace isomer::formats
