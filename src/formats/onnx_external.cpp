#include "formats/onnx_external.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <charconv>
#include <filesystem>

#include "formats/atomic_file.h"
#include "support/errors.h"
#include "support/hash.h"

namespace isomer::formats {
namespace {

constexpr uint64_t kAlignment = 4096;  // a page: runtimes may map tensors one by one

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
  const std::filesystem::path path(location);
  bool outside = path.is_absolute();
  for (const std::filesystem::path& part : path) outside |= part == "..";
  if (outside) fail(fmt::format("expected external data within the model's folder, got '{}'", location));

  std::shared_ptr<const ir::Storage>& storage = files_[location];
  if (!storage) {
    try {
      storage = ir::map_file((std::filesystem::path(model_).parent_path() / path).string());
    } catch (const InputError& error) {
      fail(fmt::format("external data '{}' is missing: {}", location, error.what()));
    }
  }
  const uint64_t size = storage->bytes().size();
  if (offset > size || (has_length && length > size - offset))
    fail(fmt::format("expected {} bytes of external data at byte {} of '{}', which has {}", length, offset,
                     location, size));
  if (!has_length) length = size - offset;
  return {storage, static_cast<size_t>(offset), static_cast<size_t>(length)};
}

ExternalData write_external(std::span<const ir::Constant> tensors, const std::string& model, bool durable) {
  const std::filesystem::path path(model);
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
