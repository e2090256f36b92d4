// Constants are handles to bytes that somebody keeps alive: a mapped file, or a buffer. They are never copied
// while a program is optimised; the content hash is computed when first asked for.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/type.h"
#include "support/ids.h"

namespace isomer::ir {

using ConstantId = Id<struct ConstantTag>;

/// Whoever keeps the bytes alive.
class Storage {
 public:
  virtual ~Storage() = default;
  virtual std::span<const std::byte> bytes() const = 0;
  /// The pages of this range need not stay in memory: they can be read again from where they came. Contents
  /// stay.
  virtual void release(size_t offset, size_t length) const;
};

/// Bytes in memory of our own.
std::shared_ptr<const Storage> make_buffer(std::vector<std::byte> bytes);
/// A whole file, mapped read-only. Throws InputError when it cannot be opened.
std::shared_ptr<const Storage> map_file(const std::string& path);

/// Little-endian, row-major elements, as ONNX raw_data has them.
struct Constant {
  TypeId type;  ///< a static tensor type
  std::shared_ptr<const Storage> storage;
  size_t offset = 0;
  size_t length = 0;

  std::span<const std::byte> bytes() const { return storage->bytes().subspan(offset, length); }
  void release() const { storage->release(offset, length); }
};

}  // namespace isomer::ir
