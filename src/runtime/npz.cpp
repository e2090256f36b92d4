// A zip archive (PKWARE's APPNOTE.TXT, version 2.0, nothing compressed) of files in the format of numpy
// (NEP 1): the two that numpy.savez puts together.
#include "runtime/npz.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ir/constant_data.h"
#include "ir/shorthand.h"
#include "support/errors.h"

namespace isomer::runtime {
namespace {

constexpr size_t kMostBytes = size_t{1} << 31;  // offsets have 32 bits

/// Little-endian, `bytes` of them.
void put(std::string& out, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
}

/// The checksum of zip archives (ISO 3309), bit by bit: what is written is small.
uint32_t crc_of(std::string_view bytes) {
  constexpr uint32_t kPolynomial = 0xEDB88320;
  uint32_t crc = ~uint32_t{0};
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ kPolynomial : crc >> 1;
  }
  return ~crc;
}

/// numpy's word for an element type; empty where it has none.
std::string_view descr_of(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kBool: return "|b1";
    case ir::DType::kI8: return "|i1";
    case ir::DType::kU8: return "|u1";
    case ir::DType::kI16: return "<i2";
    case ir::DType::kU16: return "<u2";
    case ir::DType::kI32: return "<i4";
    case ir::DType::kU32: return "<u4";
    case ir::DType::kI64: return "<i8";
    case ir::DType::kU64: return "<u8";
    case ir::DType::kF16: return "<f2";
    case ir::DType::kF32: return "<f4";
    case ir::DType::kF64: return "<f8";
    default: return {};
  }
}

/// The elements in a type that numpy has and that holds all of them.
NamedTensor in_numpy(const NamedTensor& tensor) {
  if (!descr_of(tensor.dtype).empty()) return tensor;
  NamedTensor out = tensor;
  const int64_t count = ir::element_count(tensor.shape);
  out.dtype = ir::is_float(tensor.dtype)   ? ir::DType::kF32
              : ir::has_sign(tensor.dtype) ? ir::DType::kI8
                                           : ir::DType::kU8;
  out.bytes.assign(static_cast<size_t>(ir::byte_size(out.dtype, count)), std::byte{0});
  for (int64_t i = 0; i < count; ++i)
    if (ir::is_float(tensor.dtype))
      ir::store_number(out.dtype, out.bytes, i, ir::load_number(tensor.dtype, tensor.bytes, i));
    else
      ir::store_integer(out.dtype, out.bytes, i, ir::load_integer(tensor.dtype, tensor.bytes, i));
  return out;
}

std::string npy_of(const NamedTensor& tensor) {
  constexpr size_t kAligned = 64, kBeforeHeader = 10;
  std::string shape;
  for (const int64_t size : tensor.shape) shape += fmt::format("{}, ", size);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   descr_of(tensor.dtype), shape);
  header.resize((kBeforeHeader + header.size() + kAligned) / kAligned * kAligned - kBeforeHeader, ' ');
  header.back() = '\n';
  std::string out = "\x93NUMPY";
  put(out, 1, 2);  // version 1.0
  put(out, static_cast<uint32_t>(header.size()), 2);
  out += header;
  const size_t begin = out.size();
  out.resize(begin + tensor.bytes.size());
  if (!tensor.bytes.empty()) std::memcpy(out.data() + begin, tensor.bytes.data(), tensor.bytes.size());
  return out;
}

/// What the header beside a file and that in the directory have alike.
std::string description(const std::string& name, const std::string& content) {
  constexpr uint32_t kVersion = 20, kNamesInUtf8 = 0x800, kFirstOfJanuary1980 = 0x21;
  std::string out;
  put(out, kVersion, 2);
  put(out, kNamesInUtf8, 2);
  put(out, 0, 2);  // stored as it is
  put(out, 0, 2);  // at midnight
  put(out, kFirstOfJanuary1980, 2);
  put(out, crc_of(content), 4);
  put(out, static_cast<uint32_t>(content.size()), 4);
  put(out, static_cast<uint32_t>(content.size()), 4);
  put(out, static_cast<uint32_t>(name.size()), 2);
  put(out, 0, 2);  // nothing more
  return out;
}

}  // namespace

std::string npz_of(std::span<const NamedTensor> tensors) {
  std::string out, directory;
  uint32_t files = 0;
  for (const NamedTensor& tensor : tensors) {
    if (!ir::is_float(tensor.dtype) && !ir::is_integer(tensor.dtype)) continue;
    const std::string name = tensor.name + ".npy", content = npy_of(in_numpy(tensor));
    if (out.size() + content.size() > kMostBytes) throw InputError("inputs and outputs of more than 2 GiB");
    const std::string about = description(name, content);
    const auto offset = static_cast<uint32_t>(out.size());
    out.append("PK\x03\x04").append(about).append(name).append(content);
    directory += "PK\x01\x02";
    put(directory, 20, 2);  // made by version 2.0
    directory += about;
    put(directory, 0, 2);  // no comment,
    put(directory, 0, 2);  // on the first disk,
    put(directory, 0, 2);  // no text for certain,
    put(directory, 0, 4);  // without attributes
    put(directory, offset, 4);
    directory += name;
    ++files;
  }
  const auto begin = static_cast<uint32_t>(out.size());
  out.append(directory).append("PK\x05\x06");
  put(out, 0, 4);  // one disk
  put(out, files, 2);
  put(out, files, 2);
  put(out, static_cast<uint32_t>(directory.size()), 4);
  put(out, begin, 4);
  put(out, 0, 2);  // no comment
  return out;
}

}  // namespace isomer::runtime
